"""What alembic runs: the migrations, on the connection and inside the transaction it is handed."""

from __future__ import annotations

from alembic import context

context.configure(**context.config.attributes)
context.run_migrations()
