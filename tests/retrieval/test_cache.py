"""The cache: least recently used, one computation at a time, errors never kept."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.retrieval.cache import SingleFlightCache

pytestmark = pytest.mark.serving


def value(of: int) -> Callable[[], int]:
    return lambda: of


def never() -> int:
    raise AssertionError("computed again")


def test_the_least_recently_used_goes_first() -> None:
    cache: SingleFlightCache[str, int] = SingleFlightCache(2)
    assert cache.get("a", value(1)) == (1, False)
    assert cache.get("b", value(2)) == (2, False)
    assert cache.get("a", never) == (1, True)
    assert cache.get("c", value(3)) == (3, False)  # b was used longest ago
    assert cache.get("a", never) == (1, True)
    assert cache.get("b", value(4)) == (4, False)
    assert len(cache) == 2


def test_size_0_keeps_nothing() -> None:
    cache: SingleFlightCache[str, int] = SingleFlightCache(0)
    assert [cache.get("a", value(n)) for n in (1, 2)] == [(1, False), (2, False)]
    assert len(cache) == 0


@pytest.mark.parametrize("kept", [None, 0, "", False, ()], ids=repr)
def test_falsy_values_are_kept_too(kept: object) -> None:
    cache: SingleFlightCache[str, object] = SingleFlightCache(1)
    cache.get("a", lambda: kept)
    assert cache.get("a", never) == (kept, True)


@given(st.integers(0, 4), st.lists(st.integers(0, 6), max_size=40))
def test_it_behaves_as_a_list_of_the_last_used(size: int, keys: list[int]) -> None:
    cache: SingleFlightCache[int, int] = SingleFlightCache(size)
    recent: list[int] = []
    for key in keys:
        assert cache.get(key, value(-key)) == (-key, key in recent)
        recent = ([key] + [k for k in recent if k != key])[:size]
        assert len(cache) == len(recent)


@pytest.mark.parametrize("size", [0, 8])
def test_concurrent_requests_for_one_key_compute_once_at_a_time(size: int) -> None:
    cache: SingleFlightCache[str, int] = SingleFlightCache(size)
    barrier = threading.Barrier(8)
    computing = threading.Lock()
    computed: list[int] = []

    def compute() -> int:
        assert computing.acquire(blocking=False), "two computations of one key at once"
        computed.append(len(computed))
        assert cache.get("another", value(7))[0] == 7  # another key does not wait for this one
        computing.release()
        return computed[-1]

    def ask(_: int) -> list[tuple[int, bool]]:
        found = []
        for _ in range(50):
            barrier.wait(30)
            found.append(cache.get("a", compute))
        return found

    with ThreadPoolExecutor(8) as pool:
        results = [result for found in pool.map(ask, range(8)) for result in found]
    fresh = sorted(number for number, was_there in results if not was_there)
    assert fresh == list(range(len(computed)))
    assert {number for number, _ in results} == set(fresh)
    assert len(computed) == 1 if size else len(computed) >= 50


class Knocking(str):
    """A key that tells when it is looked up."""

    __slots__ = ("looked_up",)

    def __new__(cls, key: str) -> Knocking:
        made = super().__new__(cls, key)
        made.looked_up = threading.Event()
        return made

    def __hash__(self) -> int:
        self.looked_up.set()
        return super().__hash__()


def test_a_request_during_a_computation_waits_for_it() -> None:
    cache: SingleFlightCache[str, int] = SingleFlightCache(0)
    started, finish = threading.Event(), threading.Event()

    def slow() -> int:
        started.set()
        assert finish.wait(30)
        return 1

    key = Knocking("a")
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(cache.get, "a", slow)
        assert started.wait(30)
        second = pool.submit(cache.get, key, value(2))
        assert key.looked_up.wait(30)
        finish.set()
        assert first.result(30) == (1, False)
        assert second.result(30) == (1, True)


def test_many_threads_over_many_keys_never_compute_a_kept_key_twice() -> None:
    cache: SingleFlightCache[int, int] = SingleFlightCache(64)
    computed: list[int] = []
    barrier = threading.Barrier(8)

    def work(seed: int) -> list[int]:
        barrier.wait(30)
        order = sorted(range(40), key=lambda n: hash((seed, n)))
        return [cache.get(n, lambda n=n: computed.append(n) or n)[0] == n for n in order]  # type: ignore[misc, func-returns-value]

    with ThreadPoolExecutor(8) as pool:
        assert all(all(right) for right in pool.map(work, range(8)))
    assert sorted(computed) == list(range(40))


@pytest.mark.parametrize("size", [0, 8])
@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt()], ids=repr)
def test_an_error_reaches_everyone_who_waited_and_is_not_kept(
    size: int, error: BaseException
) -> None:
    cache: SingleFlightCache[str, int] = SingleFlightCache(size)
    started, finish = threading.Event(), threading.Event()

    def fail() -> int:
        started.set()
        assert finish.wait(30)
        raise error

    caught: list[BaseException] = []

    def ask(compute: Callable[[], int]) -> None:
        try:
            cache.get("a", compute)
        except BaseException as found:  # noqa: BLE001 - the point of the test
            caught.append(found)

    leader = threading.Thread(target=ask, args=(fail,))
    leader.start()
    assert started.wait(30)
    # A follower that comes too late computes the same failure itself.
    followers = [threading.Thread(target=ask, args=(fail,)) for _ in range(3)]
    for thread in followers:
        thread.start()
    finish.set()
    for thread in [leader, *followers]:
        thread.join(30)
    assert caught == [error] * 4
    assert len(cache) == 0
    assert cache.get("a", value(1)) == (1, False)
