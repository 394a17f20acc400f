"""Campaigns and their turns, sources, sheets and notes, and the routings of questions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables and their indexes."""
    name = sa.String(100).with_variant(sa.String(100, collation="C"), "postgresql")
    op.create_table(
        "campaigns",
        sa.Column("id", name, nullable=False),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.Column("turns", sa.BigInteger, nullable=False),
        sa.Column("created", sa.BigInteger, nullable=False),
        sa.Column("updated", sa.BigInteger, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("origin", name),
        sa.PrimaryKeyConstraint("id", name="pk_campaigns"),
    )
    op.create_index("ix_campaigns_updated_id", "campaigns", ["updated", "id"])
    op.create_index("ix_campaigns_origin", "campaigns", ["origin"])
    op.create_table(
        "campaign_turns",
        sa.Column("seq", sa.BigInteger().with_variant(sa.Integer, "sqlite"), nullable=False),
        sa.Column("id", name, nullable=False),
        sa.Column("campaign_id", name, nullable=False),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("mode", sa.String(16), nullable=False),
        sa.Column("audience", sa.String(16), nullable=False),
        sa.Column("fallback", name),
        sa.Column("sparse", sa.Boolean, nullable=False),
        sa.Column("created", sa.BigInteger, nullable=False),
        sa.Column("user_input", sa.Text, nullable=False),
        sa.Column("answer", sa.Text, nullable=False),
        sa.Column("state_before", sa.Text, nullable=False),
        sa.Column("manifest", sa.Text, nullable=False),
        sa.Column("withdrawn", sa.BigInteger()),
        sa.PrimaryKeyConstraint("seq", name="pk_campaign_turns"),
        sa.UniqueConstraint("id", name="uq_campaign_turns_id"),
        sa.UniqueConstraint(
            "campaign_id", "number", name="uq_campaign_turns_campaign_id_number"
        ),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaigns.id"], name="fk_campaign_turns_campaign_id"
        ),
    )
    op.create_index("ix_campaign_turns_sparse_seq", "campaign_turns", ["sparse", "seq"])
    op.create_table(
        "campaign_sources",
        sa.Column("campaign_id", name, nullable=False),
        sa.Column("source_id", name, nullable=False),
        sa.PrimaryKeyConstraint("campaign_id", "source_id", name="pk_campaign_sources"),
    )
    op.create_table(
        "campaign_documents",
        sa.Column("campaign_id", name, nullable=False),
        sa.Column("kind", name, nullable=False),
        sa.Column("id", name, nullable=False),
        sa.Column("number", sa.Float()),
        sa.Column("digest", name, nullable=False),
        sa.Column("updated", sa.BigInteger(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("encoder", name),
        sa.Column("vector_keys", sa.LargeBinary()),
        sa.Column("vectors", sa.LargeBinary()),
        sa.PrimaryKeyConstraint("campaign_id", "kind", "id", name="pk_campaign_documents"),
    )
    op.create_table(
        "routings",
        sa.Column("seq", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("id", name, nullable=False),
        sa.Column("campaign_id", name),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.Column("asked", sa.Text(), nullable=False),
        sa.Column("decided", sa.Text(), nullable=False),
        sa.Column("corrected", sa.Text()),
        sa.PrimaryKeyConstraint("seq", name="pk_routings"),
        sa.UniqueConstraint("id", name="uq_routings_id"),
    )
