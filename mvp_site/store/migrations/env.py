"""What alembic runs: the migrations, on the connection and inside the transaction it is handed."""

from __future__ import annotations

from alembic import context

from mvp_site.store.schema import VERSION_TABLE
from mvp_site.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
)
context.run_migrations()
