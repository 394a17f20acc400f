"""Two writers never lose an update: threads, processes, and readers between them."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from mvp_site.errors import CampaignConflictError, CampaignExistsError, UnknownCampaignError
from mvp_site.store.campaigns import CampaignStore

from .processes import run_together
from .records import a_turn
from .writer import count

pytestmark = pytest.mark.slow

THREADS = 8


def together(work: Callable[[int], object]) -> list[object]:
    """What ``work`` gives in each of eight threads that begin at once, errors too."""
    barrier = threading.Barrier(THREADS)

    def run(number: int) -> object:
        barrier.wait(timeout=20)
        try:
            return work(number)
        except Exception as error:  # noqa: BLE001 (it is what the test looks at)
            return error

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(run, range(THREADS)))


def check_counted(store: CampaignStore, times: int) -> None:
    """Every one of ``times`` additions is there, and each turn was taken on the one before."""
    campaign = store.load("saltmere")
    assert (campaign.state, campaign.version, campaign.turns) == ({"n": times}, times + 1, times)
    turns = store.export("saltmere")["turns"]
    assert [turn["number"] for turn in turns] == list(range(1, times + 1))
    assert [turn["state_before"]["n"] for turn in turns] == list(range(times))


def test_threads_lose_no_update(store: CampaignStore) -> None:
    store.create("saltmere", {"n": 0})
    conflicts = together(lambda number: count(store, f"w{number}", 20))
    assert all(isinstance(met, int) for met in conflicts), conflicts
    check_counted(store, THREADS * 20)


def test_processes_lose_no_update(url: str) -> None:
    with CampaignStore.from_url(url) as store:
        store.create("saltmere", {"n": 0})
        run_together("writer", *((url, "count", f"p{number}", "30") for number in range(3)))
        check_counted(store, 90)


def test_of_those_who_read_one_version_one_writes(store: CampaignStore) -> None:
    store.create("saltmere", {"n": 0})
    for version in range(1, 11):

        def write(number: int, version: int = version) -> object:
            turn = a_turn(version, id=f"t{version}-{number}")
            return store.commit(turn, {"n": number}, version)

        results = together(write)
        refused = [result for result in results if isinstance(result, CampaignConflictError)]
        written = [result for result in results if not isinstance(result, Exception)]
        assert (len(written), len(refused)) == (1, THREADS - 1), results
        assert store.load("saltmere") == written[0]
    assert len(store.turns()) == 10


def test_of_those_who_create_one_campaign_one_does(store: CampaignStore) -> None:
    results = together(lambda number: store.create("saltmere", {"n": number}))
    refused = [result for result in results if isinstance(result, CampaignExistsError)]
    assert len(refused) == THREADS - 1, results
    assert store.load("saltmere") in results


def test_readers_see_whole_turns(store: CampaignStore) -> None:
    store.create("saltmere", {"n": 0})
    ended = threading.Event()

    def read(_: int) -> int:
        seen = 0
        while not ended.is_set() or not seen:
            campaign = store.load("saltmere")
            assert campaign.state["n"] == campaign.turns == campaign.version - 1
            document = store.export("saltmere")
            assert document["state"]["n"] == len(document["turns"])
            assert len(store.history("saltmere")) >= document["state"]["n"]
            seen += 1
        return seen

    def work(number: int) -> int:
        if number:
            return read(number)
        try:
            return count(store, "w", 60)
        finally:
            ended.set()

    results = together(work)
    assert all(isinstance(result, int) for result in results), results


def test_a_deletion_and_its_writers(store: CampaignStore) -> None:
    """Whoever comes after the deletion is told; nothing is left of the campaign."""
    for n in range(5):
        store.create("saltmere", {"n": 0})

        def work(number: int, n: int = n) -> int:
            if number:
                return count(store, f"w{n}-{number}", 5)
            return store.delete("saltmere")

        results = together(work)
        assert isinstance(results[0], int), results
        left = [result for result in results[1:] if not isinstance(result, int)]
        assert all(isinstance(result, UnknownCampaignError) for result in left), results
        assert store.turns() == ()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_fork_has_connections_of_its_own(store: CampaignStore) -> None:
    store.create("saltmere", {"n": 0})
    child = os.fork()
    if not child:
        status = 1
        try:
            count(store, "child", 20)
            status = 0
        finally:
            os._exit(status)
    count(store, "parent", 20)
    assert os.waitpid(child, 0)[1] == 0
    check_counted(store, 40)
