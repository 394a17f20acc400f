"""Indexes for lists: campaigns and turns, newest first."""

from __future__ import annotations

from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the indexes."""
    for table, columns in (
        ("campaigns", ["updated", "id"]),
        ("campaign_turns", ["created", "seq"]),
        ("campaign_turns", ["campaign_id", "created", "seq"]),
        ("campaign_turns", ["sparse", "created", "seq"]),
    ):
        op.create_index(f"ix_{table}_{'_'.join(columns)}", table, columns)
