"""Turns that were taken back, and are kept."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the column: the number of the campaign's last turn when a turn was taken back."""
    op.add_column("campaign_turns", sa.Column("withdrawn", sa.BigInteger()))
