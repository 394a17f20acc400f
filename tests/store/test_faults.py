"""Errors of the engines come out as store errors that say what mends them."""

from __future__ import annotations

import os
import sqlite3
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import Connection, event, text
from sqlalchemy.exc import DBAPIError, OperationalError

from mvp_site.errors import MvpSiteError, SettingsError, StoreError
from mvp_site.store import database, faults, tables, urls
from mvp_site.store.campaigns import CampaignStore

from .records import STATE, a_turn

if TYPE_CHECKING:
    from .postgres import Server

HERE = urls.parse("sqlite:///campaigns.sqlite3")
HANG_UP = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'mvp_site'"
THERE = urls.parse("postgresql://gm:s3cret@db.example:5432/campaigns?sslpassword=hidd3n")


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A store that is opened now waits for a twentieth of a second."""
    monkeypatch.setattr(database, "WAIT_SECONDS", 0.05)


@contextmanager
def told(message: str) -> Iterator[None]:
    """A store error with the message, and with a traceback that holds no text of a player."""
    with pytest.raises(StoreError) as caught:
        yield
    assert message in str(caught.value), str(caught.value)
    assert type(caught.value) is StoreError
    whole = "".join(traceback.format_exception(caught.value))
    assert "I take step" not in whole
    assert "sesame" not in whole


# --- what each error says -----------------------------------------------------------------------


SAID = {
    "SQLITE_BUSY": "Another writer holds it. Nothing was written; try again", "SQLITE_FULL": "The disk is full",
    "SQLITE_CANTOPEN": "set MVP_SITE_DATABASE_URL", "SQLITE_READONLY_DBMOVED": "may be written", "SQLITE_NOTADB": "It is no SQLite database",
    "SQLITE_CORRUPT_INDEX": "restore it from a backup, or import an export", "SQLITE_MISUSE": "if it happens again, look at the database's own log",
    "28P01": "The login is refused: see user and password", "3D000": "Make it with createdb", "42501": "GRANT what is missing",
    "40001": "It was busy with the same rows. Nothing was written; try again", "55P03": "Another writer holds the campaign",
    "53300": "raise max_connections", "57014": "or raise MVP_SITE_DATABASE_TIMEOUT", "57P03": "starting, stopping or failing over", "25P03": "waited too long",
    "25006": "set MVP_SITE_DATABASE_URL to the primary", "26000": "let it pool transactions", "08P01": "A pooler before it has no server", "XX000": "if it happens again",
}


@pytest.mark.parametrize(("code", "remedy"), SAID.items())
def test_each_error_has_a_remedy_and_no_password(code: str, remedy: str) -> None:
    said = "FATAL: s3cret and hidd3n are wrong.\nDETAIL: more"
    cause = type("Fault", (Exception,), {"sqlite_errorname" if code.startswith("SQLITE") else "sqlstate": code})(said)
    error = DBAPIError("UPDATE", {"state": "{}"}, cause)
    assert str(faults.store_error(error, HERE, "loading")).startswith("loading: the SQLite file campaigns.sqlite3 failed: FATAL: s3cret")
    message = str(faults.store_error(error, THERE, "loading"))
    assert message.startswith("loading: the PostgreSQL database 'campaigns' at db.example:5432 failed: FATAL: *** and *** are wrong. ")
    assert remedy in message


def test_a_broken_connection_leaves_a_doubt() -> None:
    psycopg = pytest.importorskip("psycopg")
    cause = psycopg.OperationalError("the connection is lost")
    error = DBAPIError("COMMIT", {}, cause, connection_invalidated=True)
    message = str(faults.store_error(error, THERE, "committing"))
    assert "Whether the last write took place, the campaign's version tells" in message


# --- SQLite -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("content", "message"), [
    (b"# Campaigns\n" * 400, "file is not a database. It is no SQLite database: set MVP_SITE"), (b"SQLite format 3\0" + b"\xff" * 4_000, "file is not a database"),
])
def test_a_file_of_another_kind(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "campaigns.sqlite3"
    path.write_bytes(content)
    with told(message):
        CampaignStore.from_url(f"sqlite:///{path}")
    assert path.read_bytes() == content


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_file_that_may_not_be_written(tmp_path: Path) -> None:
    path = tmp_path / "campaigns.sqlite3"
    CampaignStore.from_url(f"sqlite:///{path}").close()
    path.chmod(0o400)
    with told("may be written"), CampaignStore.from_url(f"sqlite:///{path}") as store:
        store.create("saltmere", {})


def test_a_full_disk_leaves_the_old_state(sqlite_url: str) -> None:
    with CampaignStore.from_url(sqlite_url) as store:
        store.create("saltmere", STATE)
        with store._database.read("asking") as connection:
            pages = connection.scalar(text("PRAGMA page_count"))

        @event.listens_for(store._database._engine, "begin")
        def _shrink(connection: object) -> None:
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + 4}")  # type: ignore[attr-defined]

        with told("database or disk is full. The disk is full: make room"):
            store.commit(a_turn(1, answer="x" * 1_000_000), {"n": 1}, 1)
        assert store.load("saltmere").state == STATE
        assert store.turns() == ()


def test_another_program_that_writes_for_long(sqlite_url: str, impatient: None) -> None:
    with CampaignStore.from_url(sqlite_url) as store:
        store.create("saltmere", STATE)
        other = sqlite3.connect(sqlite_url.removeprefix("sqlite:///"), isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        for write in (lambda: store.commit(a_turn(1), {}, 1), lambda: store.create("b", {}), lambda: store.delete("saltmere")):
            with told("database is locked. Another writer holds it. Nothing was written"):
                write()
        assert store.load("saltmere").state == STATE  # readers do not wait
        other.close()
        assert store.commit(a_turn(1), {}, 1).version == 2


def test_damage_by_another_hand(store: CampaignStore) -> None:
    store.create("saltmere", STATE)
    store.commit(a_turn(1), STATE, 1)
    with store._database.write("damaging") as connection:
        connection.execute(tables.campaigns.update().values(state="{"))
        connection.execute(tables.turns.update().values(manifest="[]", answer="no JSON"))
    with told("the state of campaign 'saltmere' is damaged in the database"):
        store.load("saltmere")
    with told("turn 'saltmere-1' is damaged in the database"):
        store.turn("saltmere-1")
    with told("turn 1 of campaign 'saltmere' is damaged in the database"):
        store.history("saltmere")


@pytest.mark.parametrize(("table", "column", "value"), [
    *(("campaigns", column, value) for column in ("created", "updated") for value in (2**63 - 1, -(2**63), b"\0", "soon")),
    *(("campaigns", column, value) for column in ("version", "turns") for value in (b"\0", "two", -1, 1.5)),
    *(("campaigns", "state", value) for value in (b"{}", 7, f'{{"gold": {"9" * 4000}}}')), ("campaigns", "id", b"saltmere"),
    *(("campaign_turns", "created", value) for value in (2**63 - 1, -(2**63), b"\0", "soon")),
    *(("campaign_turns", "number", value) for value in (b"\0", "one", -1)),
    *(("campaign_turns", column, value) for column in ("answer", "user_input", "manifest", "state_before") for value in (b"{}", 7)),
    *(("campaign_turns", column, b"\xff") for column in ("id", "mode", "audience", "fallback")),
], ids=ascii)
def test_odd_values_of_a_row_are_named(sqlite_url: str, table: str, column: str, value: object) -> None:
    with CampaignStore.from_url(sqlite_url) as store:
        store.create("saltmere", STATE)
        if table == "campaign_turns":
            store.commit(a_turn(1), STATE, 1)
        with store._database.write("damaging") as connection:
            connection.execute(text(f"UPDATE {table} SET {column} = :value"), {"value": value})
        refused = []
        for read in (
            lambda: store.load("saltmere"), store.campaigns, lambda: store.history("saltmere"), store.turns,
            lambda: store.turn("saltmere-1"), lambda: store.turns(before="saltmere-1"), lambda: store.export("saltmere"), lambda: store.load("saltmare"),
        ):
            try:
                read()
            except StoreError as error:
                refused.append(str(error))
        assert any("is damaged in the database" in message for message in refused)


# --- connections --------------------------------------------------------------------------------


def test_every_connection_in_use(url: str, monkeypatch: pytest.MonkeyPatch, impatient: None) -> None:
    monkeypatch.setattr(database, "_POOL", {"pool_size": 1, "max_overflow": 0})
    with CampaignStore.from_url(url) as store, store._database.read("holding"), told("every connection is in use. Nothing was written; try again, or take fewer"):
        store.campaigns()


# --- PostgreSQL ---------------------------------------------------------------------------------


def test_a_campaign_that_another_holds(postgres_url: str, impatient: None) -> None:
    with CampaignStore.from_url(postgres_url) as store:
        store.create("saltmere", STATE)
        with store._database.write("holding") as connection:
            connection.execute(tables.campaigns.update().values(version=1))
            with told("Another writer holds the campaign. Nothing was written; try again when"):
                store.commit(a_turn(1), {}, 1)
            with told("Another writer holds the campaign"):
                store.delete("saltmere")
            assert store.load("saltmere").version == 1
        assert store.commit(a_turn(1), {}, 1).version == 2


@pytest.mark.parametrize(("url", "message"), [
    ("postgresql://{user}:wr0ng@127.0.0.1:{port}/postgres", "See that the server runs, and host, port and login in MVP"),
    ("postgresql://{user}:{quoted}@127.0.0.1:{port}/nowhere", 'database "nowhere" does not exist'),
    ("postgresql://{user}:{quoted}@127.0.0.1:1/postgres", "See that the server runs"),
], ids=["password", "name", "port"])
def test_a_database_that_cannot_be_reached(postgres: Server, url: str, message: str) -> None:
    from .postgres import QUOTED, USER

    whole = url.format(user=USER, quoted=QUOTED, port=postgres.port)
    with told(message):
        CampaignStore.from_url(whole)
    with pytest.raises(MvpSiteError) as caught:
        CampaignStore.from_url(whole)
    assert "wr0ng" not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize(("option", "message"), [
    ("colour=red", "has the option 'colour' after \\?, which PostgreSQL's client does not know"), ("prepare_threshold=0", "no statement is prepared"),
    ("autocommit=1", "has the option autocommit: leave it out"),
])
def test_an_option_that_the_client_does_not_take(option: str, message: str) -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(SettingsError, match=message):
        CampaignStore.from_url(f"postgresql://u:p@127.0.0.1:1/n?{option}")


def test_an_encoding_that_cannot_hold_every_text(postgres: Server) -> None:
    name = postgres.create("ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    with told("has the encoding LATIN1, which cannot hold every text: make one with createdb"):
        CampaignStore.from_url(postgres.url(name))
    postgres.drop(name)


def test_a_server_that_dropped_its_connections(postgres: Server, postgres_url: str) -> None:
    """As after a restart: the next turn finds new ones."""
    with CampaignStore.from_url(postgres_url) as store:
        store.create("saltmere", STATE)
        postgres.execute(HANG_UP)
        assert store.commit(a_turn(1), {}, 1).version == 2


def test_a_connection_that_breaks_within_a_turn(postgres: Server, postgres_url: str) -> None:
    with CampaignStore.from_url(postgres_url) as store:
        store.create("saltmere", STATE)

        @event.listens_for(store._database._engine, "commit")
        def _break(_: object) -> None:
            postgres.execute(HANG_UP)

        with told("committing turn 'saltmere-1': "):
            store.commit(a_turn(1), {"n": 1}, 1)
        event.remove(store._database._engine, "commit", _break)
        assert store.load("saltmere").state == STATE
        assert store.commit(a_turn(1), {"n": 1}, 1).version == 2


@pytest.mark.parametrize(("code", "refused"), [("SQLITE_BUSY", False), ("SQLITE_BUSY_RECOVERY", False), ("SQLITE_CORRUPT", True)])
def test_a_file_that_another_has_or_repairs_is_sound(sqlite_url: str, monkeypatch: pytest.MonkeyPatch, code: str, refused: bool) -> None:
    """As while a second process opens a new file: its look at it may not wait, and need not."""
    real = Connection.exec_driver_sql

    def looked(self: Connection, statement: str, *rest: object) -> object:
        if "sqlite_master" in statement:
            cause = type("Fault", (Exception,), {"sqlite_errorname": code})("database is locked")
            raise OperationalError(statement, {}, cause)
        return real(self, statement, *rest)  # type: ignore[arg-type]

    with CampaignStore.from_url(sqlite_url) as store:
        store.create("saltmere", STATE)
        monkeypatch.setattr(Connection, "exec_driver_sql", looked)
        if refused:
            with told("restore it from a backup"):
                store.load("saltmere")
        else:
            assert store.load("saltmere").state == STATE
