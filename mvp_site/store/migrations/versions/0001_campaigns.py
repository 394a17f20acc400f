"""Campaigns and their turns."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the two tables."""
    name = sa.String(100).with_variant(sa.String(100, collation="C"), "postgresql")
    op.create_table(
        "campaigns",
        sa.Column("id", name, nullable=False),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.Column("turns", sa.BigInteger, nullable=False),
        sa.Column("created", sa.BigInteger, nullable=False),
        sa.Column("updated", sa.BigInteger, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_campaigns"),
    )
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
        sa.PrimaryKeyConstraint("seq", name="pk_campaign_turns"),
        sa.UniqueConstraint("id", name="uq_campaign_turns_id"),
        sa.UniqueConstraint(
            "campaign_id", "number", name="uq_campaign_turns_campaign_id_number"
        ),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaigns.id"], name="fk_campaign_turns_campaign_id"
        ),
    )
