"""Lists come from indexes: no table is read through, nothing is sorted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import Select, insert, text
from sqlalchemy.engine import Connection

from mvp_site.store import queries, rows, tables, urls
from mvp_site.store.campaigns import CampaignStore
from mvp_site.store.database import Database

from .records import a_turn

CAMPAIGNS = 600
PLAYED = 60
TURNS = 60
MARK = 30


@pytest.fixture(scope="module", params=["sqlite", "sqlite analysed", "postgresql"])
def filled(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Connection]:
    """A connection to a database of 600 campaigns, of which 60 have 60 turns each."""
    if request.param != "postgresql":
        url = f"sqlite:///{tmp_path_factory.mktemp('queries')}/campaigns.sqlite3"
    else:
        server = request.getfixturevalue("postgres")
        url = server.url(server.create())
    CampaignStore.from_url(url).close()
    database = Database.at(urls.parse(url))
    with database.write("filling") as connection:
        connection.execute(
            insert(tables.campaigns),
            [
                {"id": f"c{n}", "version": 1, "turns": TURNS, "created": n, "updated": n, "state": "{}"}
                for n in range(CAMPAIGNS)
            ],
        )
        connection.execute(
            insert(tables.turns),
            [
                rows.row_of(a_turn(number, f"c{n}", sparse=number % 60 == 30))
                for number in range(1, TURNS + 1)
                for n in range(PLAYED)
            ],
        )
        if request.param != "sqlite":  # a file that is in use is not analysed
            connection.execute(text("ANALYZE"))
    with database.read("asking") as connection:
        yield connection
    database.close()


def plan(connection: Connection, query: Select[Any]) -> str:
    """What the engine says that it would do."""
    asked = str(
        query.compile(connection.engine, compile_kwargs={"literal_binds": True})
    )
    if connection.dialect.name == "sqlite":
        found = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {asked}")
        return "\n".join(row[3] for row in found)
    return "\n".join(row[0] for row in connection.exec_driver_sql(f"EXPLAIN {asked}"))


QUERIES = {
    "campaigns": (queries.newest_campaigns(20, 20), "ix_campaigns_updated_id"),
    "the last of a conversation": (
        queries.conversation("c7", 8), "uq_campaign_turns_campaign_id_number",
    ),
    "a conversation": (
        queries.conversation("c7", None), "campaign_turns_campaign_id_",
    ),
    "turns": (
        queries.newest_turns(50, None, None, None), "pk_campaign_turns",
    ),
    "the next page": (
        queries.newest_turns(50, None, None, MARK * PLAYED), "pk_campaign_turns",
    ),
    "turns of a campaign": (
        queries.newest_turns(10, "c7", None, None), "uq_campaign_turns_campaign_id_number",
    ),
    "its next page": (
        queries.newest_turns(10, "c7", None, MARK), "uq_campaign_turns_campaign_id_number",
    ),
    "sparse turns": (
        queries.newest_turns(50, None, True, None), "ix_campaign_turns_sparse_seq",
    ),
    "the next page of sparse turns": (
        queries.newest_turns(50, None, True, MARK * PLAYED), "ix_campaign_turns_sparse_seq",
    ),
}  # fmt: skip
# SQLite makes the keys that are declared with the table, and numbers them.
SQLITE_NAMES = {
    "pk_campaign_turns": "campaign_turns",
    "campaign_turns_campaign_id_": "sqlite_autoindex_campaign_turns_2",
    "uq_campaign_turns_campaign_id_number": "sqlite_autoindex_campaign_turns_2",
}


@pytest.mark.parametrize(("query", "index"), QUERIES.values(), ids=QUERIES)
def test_an_index_gives_the_rows_in_order(
    filled: Connection, query: Select[Any], index: str
) -> None:
    found = plan(filled, query)
    on_sqlite = filled.dialect.name == "sqlite"
    assert (SQLITE_NAMES.get(index, index) if on_sqlite else index) in found, found
    # A whole conversation is few rows: PostgreSQL may rather sort them than follow the index.
    if on_sqlite or query is not QUERIES["a conversation"][0]:
        # Of all turns SQLite reads the table itself from its end: it lies in the key's order.
        scan = "" if index == "pk_campaign_turns" else "SCAN campaign_turns\n"
        for costly in filter(None, (scan, "TEMP B-TREE", "Seq Scan", "Sort")):
            assert costly not in f"{found}\n", found


def test_a_conversation_touches_no_manifest_and_no_state() -> None:
    asked = str(queries.conversation("c7", 8))
    assert "manifest" not in asked
    assert "state" not in asked


def test_a_list_of_campaigns_touches_no_state() -> None:
    assert "state" not in str(queries.newest_campaigns(8, 0))
