"""Turns in the order of their numbers, not of the clock; branches know where they come from."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add the column, and exchange the indexes."""
    name = sa.String(100).with_variant(sa.String(100, collation="C"), "postgresql")
    op.add_column("campaigns", sa.Column("origin", name))
    op.create_index("ix_campaigns_origin", "campaigns", ["origin"])
    for columns in ("created_seq", "campaign_id_created_seq", "sparse_created_seq"):
        op.drop_index(f"ix_campaign_turns_{columns}", "campaign_turns")
    op.create_index("ix_campaign_turns_sparse_seq", "campaign_turns", ["sparse", "seq"])
