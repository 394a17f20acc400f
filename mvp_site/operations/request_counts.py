"""Where requests and wrong tokens are counted: in this process, or for all of one PostgreSQL."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, TypeVar

from limits.storage import MemoryStorage

from ..errors import StoreError
from ..settings import Settings
from ..store.campaigns import CampaignStore
from ..store.shared_counts import SharedCounts
from ..store.urls import database_url, is_sqlite

SCHEME: Final = "mvp-site"
AGAIN: Final = 10.0
"""Seconds that this process counts for itself after the database failed."""
PATIENCE: Final = 1.0
"""Seconds that a request waits for the database to be counted there."""
_THREADS: Final = 8
_log = logging.getLogger("mvp_site.operations")
T = TypeVar("T")


def shares_counts(settings: Settings) -> bool:
    """Whether other machines may serve the same campaigns, so that counts belong to all."""
    return not is_sqlite(database_url(settings))


def storage_of(settings: Settings, store: Callable[[], CampaignStore]) -> dict[str, Any]:
    """Where `limits` keeps counts, as its ``storage_uri`` and ``storage_options``.

    ``store`` gives the settings' store when it is first needed.
    """
    if not shares_counts(settings):
        return {"storage_uri": "memory://"}
    return {"storage_uri": f"{SCHEME}://",
            "storage_options": {"shared_counts": lambda: store().shared_counts}}


class SharedStorage(MemoryStorage):
    """Counts of windows that move with time, for all processes of one database.

    While the database fails, this process counts for itself.
    """

    STORAGE_SCHEME = [SCHEME]  # noqa: RUF012 (as the library reads it)

    def __init__(self, uri: str | None = None, *, shared_counts: Callable[[], SharedCounts],
                 **options: Any) -> None:
        super().__init__(uri, **options)
        self._shared_counts, self._again = shared_counts, 0.0
        self._asking = ThreadPoolExecutor(_THREADS, "mvp-site-counts")

    def acquire_sliding_window_entry(self, key: str, limit: int, expiry: int, amount: int = 1,
                                     ) -> bool:
        """Whether there was room for one more, which is counted."""
        before, window, rest = self._windows(key, expiry)
        added = self._answer(lambda counts: counts.add(
            window, limit, 2 * expiry, before=before, share=rest))
        return super().acquire_sliding_window_entry(
            key, limit, expiry, amount) if added is None else added

    def get_sliding_window(self, key: str, expiry: int) -> tuple[int, float, int, float]:
        """The count of the window before and the seconds that it is left; the same of this one."""
        before, window, rest = self._windows(key, expiry)
        counts = self._answer(lambda counts: counts.counts(before, window))
        if counts is None:
            return super().get_sliding_window(key, expiry)
        return counts[0], rest * expiry * bool(counts[0]), counts[1], (1 + rest) * expiry

    def _windows(self, key: str, expiry: int) -> tuple[str, str, float]:
        """The keys of the window before and of this one, and what part of this one is left."""
        now = time.time()
        return (*self.sliding_window_keys(key, expiry, now), 1 - now / expiry % 1)

    def _answer(self, ask: Callable[[SharedCounts], T]) -> T | None:
        """What the database answers; None while it fails or is silent."""
        if time.monotonic() < self._again:
            return None
        try:
            return self._asking.submit(lambda: ask(self._shared_counts())).result(PATIENCE)
        except (StoreError, TimeoutError) as error:
            self._again = time.monotonic() + AGAIN
            _log.warning("requests are counted in this process for a while: %s",
                         error or "the database is silent")
            return None
