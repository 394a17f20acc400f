"""A pooler in transaction mode, deadlines, and servers that die, fall silent or change places."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from mvp_site.errors import StoreError
from mvp_site.store import postgres as postgres_connections
from mvp_site.store.campaigns import CampaignStore

from .conftest import missing
from .records import STATE, a_turn

if TYPE_CHECKING:
    from .postgres import Pooler, Server

pytestmark = pytest.mark.slow
THREADS = 16


@pytest.fixture
def own_server() -> Iterator[Server]:
    """A server that a test may kill."""
    try:
        from .postgres import Server, binaries
    except ImportError:
        missing("psycopg is not installed")
    folder = binaries()
    if folder is None:
        missing("PostgreSQL is not installed")
    server = Server(folder, killed=True)
    yield server
    server.freeze(signal.SIGCONT)
    server.stop()


def test_no_statement_meets_another_connection(pooled_url: str) -> None:
    """Sixteen threads over four connections: everybody gets rows of the campaign that was asked for."""
    with CampaignStore.from_url(pooled_url) as store:
        for number in range(THREADS):
            store.create(f"c{number}", {"n": number})

        def ask(number: int) -> int:
            for turn in range(1, 41):
                campaign = store.load(f"c{number}")
                assert (campaign.id, campaign.state["n"]) == (f"c{number}", number)
                store.commit(a_turn(turn, campaign_id=f"c{number}", id=f"c{number}-{turn}"), {"n": number}, turn)
                assert all(row.campaign_id == f"c{number}" for row in store.turns(5, f"c{number}"))
                assert len(store.history(f"c{number}")) == turn
            return number

        with ThreadPoolExecutor(THREADS) as pool:
            assert list(pool.map(ask, range(THREADS))) == list(range(THREADS))


def test_settings_last_for_a_transaction(pooler: Pooler, pooled_url: str) -> None:
    """Another client of the pooler finds the server's connections as the server has them."""
    import psycopg

    with CampaignStore.from_url(pooled_url) as store:
        with store._database.read("looking") as connection:
            assert connection.exec_driver_sql("SHOW statement_timeout").scalar() == "15s"
        with psycopg.connect(pooled_url.replace("+psycopg", ""), prepare_threshold=None, autocommit=True) as other:
            for name in ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"):
                assert other.execute(f"SHOW {name}".encode()).fetchone() == ("0",)
            assert other.execute("SELECT count(*) FROM pg_prepared_statements").fetchone() == (0,)


def soon(ask: Callable[[], Any], seconds: float = 30) -> Any:
    """What ``ask`` gives once it raises nothing; within so many seconds."""
    ended = time.monotonic() + seconds
    while True:
        try:
            return ask()
        except StoreError:
            if time.monotonic() > ended:
                raise
            time.sleep(0.1)


def test_a_server_that_is_killed_and_comes_back(own_server: Server) -> None:
    from .postgres import Pooler

    pooler = Pooler(own_server)
    try:
        name = own_server.create()
        for url in (own_server.url(name), pooler.url(name)):
            with CampaignStore.from_url(url, timeout=3) as store:
                campaign = f"c{store._database.url.port}"
                store.create(campaign, STATE)
                own_server.die()
                with pytest.raises(StoreError):
                    store.load(campaign)
                own_server.start_again()
                assert soon(partial(store.load, campaign)).state == STATE
                pooler.start_again()
                assert store.commit(a_turn(1, campaign_id=campaign, id=f"{campaign}-1"), {}, 1).version == 2
    finally:
        pooler.stop()


def fall_silent(server: Server, store: CampaignStore) -> None:
    """Freeze a server between two statements of a transaction."""
    with store._database.read("asking") as connection:
        server.freeze()
        connection.exec_driver_sql("SELECT 1")


def test_a_server_that_is_silent(own_server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes connections and says nothing; who asks is told within the deadline, and later answered."""
    monkeypatch.setattr(postgres_connections, "PING_SECONDS", 0.3)
    monkeypatch.setattr(postgres_connections, "CONNECT_SECONDS", 2)
    monkeypatch.setattr(postgres_connections, "SLACK", 0.2)
    with CampaignStore.from_url(own_server.url(own_server.create()), timeout=1) as store:
        store.create("saltmere", STATE)
        began = time.monotonic()
        with pytest.raises(StoreError, match=r"no answer within 1\.2 seconds\. The connection broke\. Nothing was written"):
            fall_silent(own_server, store)
        with pytest.raises(StoreError, match="See that the server runs"):
            store.load("saltmere")
        assert time.monotonic() - began < 10
        own_server.freeze(signal.SIGCONT)
        assert soon(lambda: store.load("saltmere").state) == STATE


def test_a_writer_that_vanishes_holds_nobody_up_for_long(postgres_url: str) -> None:
    """Its transaction is ended by the server, and the next writer goes on."""
    with CampaignStore.from_url(postgres_url, timeout=3) as store:
        store.create("saltmere", STATE)
        held, ended = threading.Event(), threading.Event()

        def vanish() -> None:
            with store._database.write("holding") as connection:
                connection.exec_driver_sql("UPDATE campaigns SET updated = updated")
                held.set()
                ended.wait(20)

        with ThreadPoolExecutor(1) as pool:
            vanished = pool.submit(vanish)
            assert held.wait(10)
            assert store.commit(a_turn(1), {}, 1).version == 2
            ended.set()
            with pytest.raises(StoreError, match="waited too long"):
                vanished.result()


def test_after_a_failover_connections_are_replaced(postgres: Server, postgres_url: str) -> None:
    """The old primary takes no more writes on connections that it has; new ones lead to the new one."""
    with CampaignStore.from_url(postgres_url) as store:
        store.create("saltmere", STATE)
        with store._database.read("demoting") as connection:
            raw = connection.connection.dbapi_connection
        raw.execute("SET default_transaction_read_only = on")  # type: ignore[union-attr]
        assert store.commit(a_turn(1), {}, 1).version == 2
        # One that was a replica's from the beginning fails once.
        name = postgres_url.rsplit("/", 1)[1]
        postgres.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
        store._database.let_go()
        assert store.load("saltmere").version == 2
        with pytest.raises(StoreError, match="After a failover try again"):
            store.commit(a_turn(2), {}, 2)
        postgres.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = off")
        assert store.commit(a_turn(2), {}, 2).version == 3
