"""Characters and session notes of campaigns, and the routings of questions about them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make the tables."""
    name = sa.String(100).with_variant(sa.String(100, collation="C"), "postgresql")
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
