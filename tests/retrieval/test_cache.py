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


@given(st.integers(0, 4), st.lists(st.integers(0, 6), max_size=40))
def test_it_behaves_as_a_list_of_the_last_used(size: int, keys: list[int]) -> None:
    cache: SingleFlightCache[int, int] = SingleFlightCache(size)
    recent: list[int] = []
    for key in keys:
        assert cache.get(key, value(-key)) == (-key, key in recent)
        recent = ([key] + [k for k in recent if k != key])[:size]
        assert {one for one in range(7) if one in cache} == set(recent)


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

    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(cache.get, "a", fail)]
        assert started.wait(30)
        # A follower that comes too late computes the same failure itself.
        asked += [pool.submit(cache.get, "a", fail) for _ in range(3)]
        finish.set()
        assert [one.exception(30) for one in asked] == [error] * 4
    assert "a" not in cache
    assert cache.get("a", value(1)) == (1, False)
