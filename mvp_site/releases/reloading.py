"""What is served of a store: loaded once, and replaced as one when another release is published.

The store's pointer is looked at before every call, which costs a system call. One caller loads what
is new; the others are answered from what was served before. A release that does not load is logged
and tried again every :data:`RETRY_SECONDS`.
"""

from __future__ import annotations

import gc
import logging
import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, Generic, TypeVar

from ..errors import EncoderError, IndexLoadError
from .bundles import Bundle
from .store import ReleaseStore

RETRY_SECONDS: Final = 30.0
_log = logging.getLogger("mvp_site.releases")
T = TypeVar("T")


class ServedSource(Generic[T]):
    """Where what is served comes from; by itself one value for good, or nothing for good.

    ``problem`` is why nothing is served, with the command that mends it; '' where something is.
    """

    problem = ""

    def __init__(self, value: T | None, close: Callable[[T], None] = lambda _: None) -> None:
        self._value, self._close = value, close

    def peek(self) -> T | None:
        """What is served, without a look at what was published."""
        return self._value

    def now(self) -> T | None:
        """What is served now; None where nothing is."""
        return self._value

    def close(self) -> None:
        """Let go of what is served."""
        if self._value is not None:
            self._close(self._value)


Fixed = ServedSource


@contextmanager
def uncollected() -> Iterator[None]:
    """Within it nobody looks for cycles among objects: there are millions, and none is in one."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class Served(ServedSource[T]):
    """The content of the release that a store serves. Thread-safe."""

    def __init__(self, store: ReleaseStore, load: Callable[[Bundle], T], *,
                 check: Callable[[T], None] = lambda _: None,
                 close: Callable[[T], None] = lambda _: None,
                 degraded: bool = False) -> None:
        """Load what is served now.

        ``load`` makes something of a verified release. ``check`` may refuse it where nothing is
        served yet. ``close`` lets go of what is no longer served. With ``degraded`` it is no error
        that nothing loads.

        Raises:
            IndexLoadError, EncoderError: nothing can be served; the message says what mends it.
        """
        super().__init__(None, close)
        self._store, self._load, self._check = store, load, check
        self._lock = threading.Lock()
        self._retired: T | None = None
        self._name = ""
        self._again = math.inf
        self._closed = False
        self._seen = store.pointed()  # before loading: a build may be quick
        try:
            self._renew()
        except (IndexLoadError, EncoderError) as error:
            if not degraded:
                raise
            self._refuse(error)

    def now(self) -> T | None:
        """What is served now; None where nothing is. Never waits for another thread's loading."""
        pointed = self._store.pointed()
        if pointed == self._seen and time.monotonic() < self._again:
            return self._value
        if not self._lock.acquire(blocking=False):
            return self._value
        try:
            if not self._closed:
                self._seen = pointed
                self._renew()
        except Exception as error:  # noqa: BLE001 - whatever it is, what was served stays
            self._refuse(error)
            _log.error("a release of %s was not taken up, %s: %s", self._store.what,
                       "the one before stays" if self._value else "nothing is served", error)
        finally:
            self._lock.release()
        return self._value

    def close(self) -> None:
        """Let go of what is served; what is published from now on is not taken up."""
        with self._lock:
            self._closed = True
            for value in (self._retired, self._value):
                if value is not None:
                    self._close(value)
            self._retired = None

    def _renew(self) -> None:
        if self._value is not None and self._store.current() in {None, self._name}:
            self._again = math.inf
            return
        bundle = self._store.load()
        with uncollected():
            loaded = self._load(bundle)
        if self._value is None:
            self._check(loaded)
        # Somebody may be asking what was served until now: it is closed the next time.
        if self._retired is not None:
            self._close(self._retired)
        self._retired, self._value, self._name = self._value, loaded, bundle.name
        self._again, self.problem = math.inf, ""

    def _refuse(self, error: Exception) -> None:
        self._again = time.monotonic() + RETRY_SECONDS
        if self._value is None:
            self.problem = str(error)
