"""Migrations: from nothing, from the first schema, twice at once, and from the future."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, inspect, text

from mvp_site.errors import StoreError
from mvp_site.store import migrating, tables, urls
from mvp_site.store.campaigns import CampaignStore
from mvp_site.store.database import Database

from .processes import run_together


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
        assert migrating.revision(connection) == migrating.HEAD
        context = MigrationContext.configure(connection, opts={"version_table": migrating.VERSION_TABLE})
        assert compare_metadata(context, tables.metadata) == []


def test_from_nothing_and_again(url: str) -> None:
    with CampaignStore.from_url(url) as store:
        store.create("saltmere", {"n": 1})
    check_up_to_date(url)
    for _ in range(2):
        with CampaignStore.from_url(url) as store:
            assert store.load("saltmere").state == {"n": 1}
    check_up_to_date(url)


def open_and_close(url: str) -> None:
    CampaignStore.from_url(url).close()


def test_many_threads_at_once(url: str) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(open_and_close, [url] * 8))
    check_up_to_date(url)


@pytest.mark.slow
def test_two_processes_at_once(url: str) -> None:
    run_together("writer", (url, "open"), (url, "open"), (url, "open"))
    check_up_to_date(url)


@pytest.mark.parametrize("newer", ["0007", "0999", "a1b2c3"])
def test_a_newer_database_is_left_alone(url: str, newer: str) -> None:
    with connected(url) as connection:
        migrating.migrate(connection)
        connection.execute(text(f"UPDATE {migrating.VERSION_TABLE} SET version_num = '{newer}'"))
        connection.execute(text("CREATE TABLE campaign_maps (id INTEGER)"))
    with pytest.raises(StoreError, match=f"its schema is {newer}, and this one knows {migrating.HEAD} at most.*Upgrade mvp-site"):
        CampaignStore.from_url(url)
    with connected(url) as connection:
        assert migrating.revision(connection) == newer


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
