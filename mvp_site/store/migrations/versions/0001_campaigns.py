"""All tables as :mod:`~mvp_site.store.tables` has them, so that nothing tells of them twice.

Nothing was published yet: no older database has to be brought to them. With the first published
version this file takes a copy of them, and a later one changes it.
"""

from __future__ import annotations

from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables and their indexes; a table that is there already is another program's."""
    # The package may have another name, and alembic reads this file by its path.
    metadata = op.get_context().opts["target_metadata"]
    metadata.create_all(op.get_bind(), checkfirst=False)
