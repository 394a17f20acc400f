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
        # What is being computed, with the future of those who wait: nobody waits for most.
        self._flying: dict[K, Future[V] | None] = {}
        self._lock = threading.Lock()

    def get(self, key: K, compute: Callable[[], V], keep: Callable[[V], bool] | None = None,
            ) -> tuple[V, bool]:
        """The value of ``key``, and whether it was there (or in flight) already.

        A value that ``keep`` refuses is given to those who wait for it and then forgotten.
        """
        with self._lock:
            if key in self._kept:
                return self._kept[key], True
            if flying := key in self._flying:
                waited = self._flying[key] = self._flying[key] or Future()
            else:
                self._flying[key] = None
        if flying:
            return waited.result(), True
        try:
            value = compute()
            kept = self._kept.maxsize > 0 and (keep is None or keep(value))
        except BaseException as error:
            if waiting := self._landed(key):
                waiting.set_exception(error)
            raise
        with self._lock:
            if kept:
                self._kept[key] = value
            waiting = self._flying.pop(key)
        if waiting:
            waiting.set_result(value)
        return value, False

    def _landed(self, key: K) -> Future[V] | None:
        with self._lock:
            return self._flying.pop(key)

    def __contains__(self, key: object) -> bool:
        with self._lock:
            return key in self._kept

    def __len__(self) -> int:
        with self._lock:
            return len(self._kept)
