"""The sources of the library that a campaign is bound to."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make the table."""
    name = sa.String(100).with_variant(sa.String(100, collation="C"), "postgresql")
    op.create_table(
        "campaign_sources",
        sa.Column("campaign_id", name, nullable=False),
        sa.Column("source_id", name, nullable=False),
        sa.PrimaryKeyConstraint("campaign_id", "source_id", name="pk_campaign_sources"),
    )
