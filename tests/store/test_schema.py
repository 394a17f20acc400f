"""Migrations: from nothing, from the first schema, twice at once, and from the future."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text

from mvp_site.errors import StoreError
from mvp_site.store import schema, tables, urls
from mvp_site.store.campaigns import CampaignStore
from mvp_site.store.database import Database

from .processes import run_together
from .records import a_turn


@contextmanager
def connected(url: str) -> Iterator[Connection]:
    """A connection that writes, and no store."""
    database = Database.at(urls.parse(url))
    try:
        with database.write("a test") as connection:
            yield connection
    finally:
        database.close()


def check_up_to_date(url: str) -> None:
    """The schema is the newest, and what the tables say."""
    with connected(url) as connection:
        assert schema.revision(connection) == schema.HEAD
        context = MigrationContext.configure(
            connection, opts={"version_table": schema.VERSION_TABLE}
        )
        assert compare_metadata(context, tables.metadata) == []


def scripts() -> ScriptDirectory:
    config = Config()
    config.set_main_option("script_location", "mvp_site.store:migrations")
    return ScriptDirectory.from_config(config)


def test_migrations_are_numbered_up_to_the_one_that_is_named() -> None:
    """The store tells newer from older by the numbers."""
    names = [script.revision for script in scripts().walk_revisions()]
    assert names == [f"{number:04d}" for number in range(len(names), 0, -1)]
    assert scripts().get_heads() == [schema.HEAD]


def test_from_nothing_and_again(url: str) -> None:
    with CampaignStore.from_url(url) as store:
        store.create("saltmere", {"n": 1})
    check_up_to_date(url)
    for _ in range(2):
        with CampaignStore.from_url(url) as store:
            assert store.load("saltmere").state == {"n": 1}
    check_up_to_date(url)


FIRST_CAMPAIGN = """
INSERT INTO campaigns (id, version, turns, created, updated, state)
VALUES ('saltmere', 2, 1, 1700000000000000, 1700000060000000, '{"n":1,"name":"Ä\\u0000"}')
"""
FIRST_TURN = """
INSERT INTO campaign_turns (id, campaign_id, number, mode, audience, fallback, sparse, created,
    user_input, answer, state_before, manifest)
VALUES ('t1', 'saltmere', 1, 'story', 'player', NULL, :sparse, 1700000060000000,
    '"look"', '"a harbour"', :before, :manifest)
"""


def test_from_the_first_schema(url: str) -> None:
    with connected(url) as connection:
        schema.migrate(connection, "0001")
        connection.exec_driver_sql(FIRST_CAMPAIGN)
        connection.execute(
            text(FIRST_TURN), {"sparse": True, "before": '{"n":0}', "manifest": '{"seed":7}'}
        )
        assert schema.revision(connection) == "0001"
    with CampaignStore.from_url(url) as store:
        campaign = store.load("saltmere")
        assert (campaign.version, campaign.state) == (2, {"n": 1, "name": "Ä\0"})
        turn = store.turn("t1")
        assert (turn.user_input, turn.sparse, turn.manifest) == ("look", True, {"seed": 7})
        assert store.commit(a_turn(2), {"n": 2}, 2).version == 3
    check_up_to_date(url)


def open_and_close(url: str) -> None:
    CampaignStore.from_url(url).close()


@pytest.mark.parametrize("before", ["nothing", "0001"])
def test_many_threads_at_once(url: str, before: str) -> None:
    if before != "nothing":
        with connected(url) as connection:
            schema.migrate(connection, before)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(open_and_close, [url] * 8))
    check_up_to_date(url)


def test_many_databases_at_once(tmp_path: Path) -> None:
    """Alembic has one context for the whole process."""
    files = [f"sqlite:///{tmp_path}/{number}.sqlite3" for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(open_and_close, files))
    for url in files:
        check_up_to_date(url)


@pytest.mark.slow
def test_two_processes_at_once(url: str) -> None:
    run_together("writer", (url, "open"), (url, "open"), (url, "open"))
    check_up_to_date(url)


@pytest.mark.parametrize("newer", ["0007", "0999", "a1b2c3"])
def test_a_newer_database_is_left_alone(url: str, newer: str) -> None:
    with connected(url) as connection:
        schema.migrate(connection)
        connection.execute(text(f"UPDATE {schema.VERSION_TABLE} SET version_num = '{newer}'"))
        connection.execute(text("CREATE TABLE campaign_maps (id INTEGER)"))
    with pytest.raises(StoreError) as caught:
        CampaignStore.from_url(url)
    message = str(caught.value)
    assert f"its schema is {newer}, and this one knows {schema.HEAD} at most" in message
    assert "Upgrade mvp-site" in message
    with connected(url) as connection:
        assert schema.revision(connection) == newer


def test_a_schema_that_never_was(url: str) -> None:
    with connected(url) as connection:
        schema.migrate(connection)
        connection.execute(text(f"UPDATE {schema.VERSION_TABLE} SET version_num = '0000'"))
    with pytest.raises(StoreError, match=r"cannot be brought to .*: restore the database"):
        CampaignStore.from_url(url)


def test_a_migration_that_fails_leaves_what_was(url: str) -> None:
    """A table of another program is in the way of the second one that is made."""
    with connected(url) as connection:
        connection.execute(text("CREATE TABLE campaign_turns (id INTEGER)"))
    with pytest.raises(StoreError, match=r"opening the campaigns: .* already exists"):
        CampaignStore.from_url(url)
    with connected(url) as connection:
        assert inspect(connection).get_table_names() == ["campaign_turns"]
        connection.execute(text("DROP TABLE campaign_turns"))
    open_and_close(url)
    check_up_to_date(url)


def test_a_neighbour_with_migrations_of_its_own_is_not_disturbed(url: str) -> None:
    with connected(url) as connection:
        connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32))"))
        connection.execute(text("INSERT INTO alembic_version VALUES ('theirs')"))
    open_and_close(url)
    with connected(url) as connection:
        assert connection.scalar(text("SELECT version_num FROM alembic_version")) == "theirs"
