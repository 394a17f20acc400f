"""Both engines. PostgreSQL's client speaks through libpq, which the guard on sockets never sees,
and to loopback alone."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

from mvp_site.store.campaigns import CampaignStore

if TYPE_CHECKING:
    from .postgres import Pooler, Server

REQUIRED = "CI_REQUIRE_POSTGRES"


def missing(what: str, required: str = REQUIRED) -> NoReturn:
    """Skip the test, or fail it where what is missing is required."""
    if os.environ.get(required):
        pytest.fail(f"{what}, and {required} is set")
    pytest.skip(what)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server of its own, for the whole run."""
    try:
        from .postgres import Server, binaries
    except ImportError:
        missing("psycopg is not installed: pip install 'mvp-site[postgres]'")
    folder = binaries()
    if folder is None:
        missing("PostgreSQL is not installed: apt-get install postgresql")
    server = Server(folder)
    yield server
    server.stop()


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """The URL of a SQLite file that is not there yet."""
    return f"sqlite:///{tmp_path}/campaigns.sqlite3"


@pytest.fixture
def postgres_url(postgres: Server) -> Iterator[str]:
    """The URL of an empty database."""
    name = postgres.create()
    yield postgres.url(name)
    postgres.drop(name)


@pytest.fixture(scope="session")
def pooler(postgres: Server) -> Iterator[Pooler]:
    """PgBouncer in transaction mode before the server, with few connections of its own."""
    from .postgres import PATH, Pooler

    if shutil.which("pgbouncer", path=PATH) is None:
        missing("PgBouncer is not installed: apt-get install pgbouncer", "CI_REQUIRE_PGBOUNCER")
    pooler = Pooler(postgres)
    yield pooler
    pooler.stop()


@pytest.fixture
def pooled_url(pooler: Pooler, postgres: Server) -> Iterator[str]:
    """The URL of an empty database, through PgBouncer."""
    name = postgres.create()
    yield pooler.url(name)
    postgres.drop(name)


ENGINES = ["sqlite", "postgresql", pytest.param("pgbouncer", marks=pytest.mark.slow)]


@pytest.fixture(params=ENGINES)
def url(request: pytest.FixtureRequest) -> str:
    """The URL of an empty database, of each engine in turn."""
    fixture = {"sqlite": "sqlite_url", "postgresql": "postgres_url", "pgbouncer": "pooled_url"}[request.param]
    value: str = request.getfixturevalue(fixture)
    return value


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file with the schema and no campaign."""
    path = tmp_path_factory.mktemp("store") / "migrated.sqlite3"
    CampaignStore.from_url(f"sqlite:///{path}").close()
    return path


@pytest.fixture(scope="session")
def shared_url(postgres: Server) -> str:
    """The URL of a PostgreSQL database that tests use one after the other."""
    return postgres.url(postgres.create())


@pytest.fixture(scope="session")
def shared_pooled_url(pooler: Pooler, postgres: Server) -> str:
    """The same, through PgBouncer."""
    return pooler.url(postgres.create())


@pytest.fixture(params=ENGINES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[CampaignStore]:
    """An open store without a campaign, of each engine in turn."""
    if request.param == "sqlite":
        shutil.copy(request.getfixturevalue("migrated_file"), tmp_path / "campaigns.sqlite3")
        with CampaignStore.from_url(f"sqlite:///{tmp_path}/campaigns.sqlite3") as opened:
            yield opened
        return
    url: str = request.getfixturevalue({"postgresql": "shared_url", "pgbouncer": "shared_pooled_url"}[request.param])
    with CampaignStore.from_url(url) as opened:
        yield opened
    with CampaignStore.from_url(url) as again:  # the test may have closed the other
        for campaign in again.campaigns(limit=1_000):
            again.delete(campaign.id)
        with again._database.write("emptying") as connection:
            connection.exec_driver_sql("DELETE FROM campaign_documents")
            connection.exec_driver_sql("DELETE FROM routings")
