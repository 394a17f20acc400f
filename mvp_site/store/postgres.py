"""PostgreSQL, also behind a pooler: nothing outlives a transaction, and nobody waits for ever.

A pooler in transaction mode, such as PgBouncer, gives each transaction of a client another of the
server's connections. So no statement is prepared, and settings are local to a transaction.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import URL, Connection, Engine, event
from sqlalchemy.exc import InvalidatePoolError

from ..errors import SettingsError
from . import urls

CONNECT_SECONDS: Final = 10
"""How long a server has to take a connection."""
PING_SECONDS: Final = 5.0
"""How long one that was kept has to begin a transaction; then it is replaced."""
SLACK: Final = 5.0
"""Seconds that a server which ends a statement has to say so."""
LOCK_SHARE: Final = 2 / 3
"""What part of the timeout a lock is waited for, so that the error says that it was one."""
IDLE_SHARE: Final = 1 / 3
"""What part, a second at least, a transaction may do nothing for: its locks block a campaign."""
_READ_ONLY: Final = "25006"
_OWN: Final = frozenset({"prepare_threshold", "autocommit"})
"""What callers cannot choose."""


def connect_args(url: URL, timeout: float) -> dict[str, Any]:
    """What a driver connects with, beside the URL.

    Raises:
        SettingsError: the URL has an option that PostgreSQL's client does not know.
    """
    import psycopg  # noqa: PLC0415 (an extra)

    options = {row.keyword.decode() for row in psycopg.pq.Conninfo.get_defaults()}
    if own := _OWN & url.query.keys():
        raise SettingsError(
            f"{urls.VARIABLE} has the option {min(own)}: leave it out; no statement is prepared, "
            "so that a pooler in transaction mode may stand between"
        )
    if unknown := url.query.keys() - options:
        raise SettingsError(
            f"{urls.VARIABLE} has the option {min(unknown)!r} after ?, which PostgreSQL's client "
            "does not know: leave it out"
        )
    # A peer that vanished is noticed in a time like the timeout's, idle or spoken to.
    third = max(1, round(timeout / 3))
    defaults = {
        "connect_timeout": CONNECT_SECONDS, "application_name": "mvp_site",
        "keepalives_idle": third, "keepalives_interval": third, "keepalives_count": 2,
        "tcp_user_timeout": round(timeout * 1_000),
    }
    return {
        "client_encoding": "utf8", "prepare_threshold": None, "autocommit": True,
        **{key: value for key, value in defaults.items() if key not in url.query},
    }


def set_up(engine: Engine, timeout: float) -> None:
    """Have the engine's connections begin transactions that end within ``timeout`` seconds."""
    import psycopg  # noqa: PLC0415 (an extra)

    class BoundedConnection(psycopg.Connection[Any]):
        """A connection whose server may be silent for ``patience`` seconds; then it is closed."""

        patience = timeout + SLACK

        def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
            try:
                return super().wait(gen, interval, timeout or self.patience)
            except psycopg.errors._WaitTimeout:  # noqa: SLF001 (what wait raises, as it says)
                self.pgconn.finish()
                raise psycopg.OperationalError(
                    f"no answer within {self.patience:g} seconds"
                ) from None

    # The first statement may be one that has to come before any query.
    begin = "; ".join((
        "BEGIN ISOLATION LEVEL READ COMMITTED",
        *(f"SET LOCAL {name} = {max(1, round(seconds * 1_000))}" for name, seconds in (
            ("lock_timeout", timeout * LOCK_SHARE), ("statement_timeout", timeout),
            ("idle_in_transaction_session_timeout", max(1, timeout * IDLE_SHARE)),
        )),
        "SHOW transaction_read_only",
    ))

    @event.listens_for(engine, "do_connect")
    def connect(_: Any, __: Any, arguments: Any, options: Any) -> Any:
        return BoundedConnection.connect(*arguments, **options)

    @event.listens_for(engine, "checkout")
    def begun(connection: BoundedConnection, record: Any, _: Any) -> None:
        """One round trip sees that the server answers, and begins; a failover is noticed too."""
        writable = record.info.get("writable")
        if writable is not None:
            connection.patience = PING_SECONDS
        try:
            with connection.cursor() as cursor:
                cursor.execute(begin.encode())
                while cursor.nextset():
                    pass
                (read_only,) = cursor.fetchone() or ("on",)
        except psycopg.Error as error:
            if writable is None:
                raise
            raise InvalidatePoolError from error
        connection.patience = timeout + SLACK
        if writable and read_only == "on":
            raise InvalidatePoolError
        record.info["writable"] = read_only == "off"

    @event.listens_for(engine, "handle_error")
    def failed(context: Any) -> None:
        """After a failover all that were connected before it are replaced."""
        if getattr(context.original_exception, "sqlstate", None) == _READ_ONLY:
            context.is_disconnect = True


def be_patient(connection: Connection, seconds: float) -> None:
    """Let the transaction do nothing for so long, and others wait so long for its locks."""
    for name in ("idle_in_transaction_session_timeout", "lock_timeout", "statement_timeout"):
        connection.exec_driver_sql(f"SET LOCAL {name} = {round(seconds * 1_000)}")
