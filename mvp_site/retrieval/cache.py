"""A least-recently-used cache in which concurrent requests for one key compute it once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Generic, TypeVar

from cachetools import LRUCache

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class SingleFlightCache(Generic[K, V]):
    """Thread-safe LRU of ``size`` values; size 0 keeps nothing but still computes once at a time.

    A computation that raises is not kept: everyone who waited for it sees its error, and the
    next request computes again.
    """

    def __init__(self, size: int) -> None:
        self._kept: LRUCache[K, V] = LRUCache(size)
        self._flying: dict[K, Future[V]] = {}
        self._lock = threading.Lock()

    def get(self, key: K, compute: Callable[[], V], keep: Callable[[V], bool] | None = None,
            ) -> tuple[V, bool]:
        """The value of ``key``, and whether it was there (or in flight) already.

        A value that ``keep`` refuses is given to those who wait for it and then forgotten.
        """
        with self._lock:
            if key in self._kept:
                return self._kept[key], True
            waited = self._flying.get(key)
            if waited is None:
                future = self._flying[key] = Future()
        if waited:
            return waited.result(), True
        try:
            value = compute()
            keeps = self._kept.maxsize > 0 and (keep is None or keep(value))
        except BaseException as error:
            with self._lock:
                del self._flying[key]
            future.set_exception(error)
            raise
        with self._lock:
            if keeps:
                self._kept[key] = value
            del self._flying[key]
        future.set_result(value)
        return value, False

    def __contains__(self, key: object) -> bool:
        with self._lock:
            return key in self._kept
