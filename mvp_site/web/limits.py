"""Limits: how often an address may ask, and how much is done at once."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any, Final

from flask import Flask, g, request
from flask_limiter import Limiter

from ..operations import token_attempts
from ..operations.token_attempts import client_key
from .failures import RequestError

API: Final = "MVP_SITE_API_LIMIT"
PAGES: Final = "MVP_SITE_PAGE_LIMIT"
ATTEMPTS: Final = "MVP_SITE_ATTEMPT_LIMIT"
TURNS: Final = "MVP_SITE_TURNS"
PROBES: Final = frozenset({"/livez", "/readyz", "/healthz"})
"""Paths that do not count: behind one address, what asks them must not be refused."""
DEFAULTS: Final[dict[str, Any]] = {
    API: "120/minute", PAGES: "240/minute", ATTEMPTS: token_attempts.ATTEMPTS, TURNS: 8,
}
LARGE: Final = 128 * 1024
"""Bytes over which a body is a large one."""
LARGE_AT_ONCE: Final = 1
"""Players' requests with large bodies under way at once; what has the DM token is trusted."""
PICTURES_AT_ONCE: Final = 8
"""Pictures of books' pages that are drawn or wait for it at once: more than a browser asks for."""
OF_ONE_CAMPAIGN: Final = 2
"""Turns of one campaign under way at once: one is taken, and one waits for it."""

_WAIT: Final = {"Retry-After": "5"}


def install(app: Flask, storage: Mapping[str, Any]) -> Limiter:
    """A limiter for ``app`` that counts in ``storage``, in a window that moves with time.

    API and pages are counted apart. Two counters an address are all that this strategy keeps, and
    they go when they are old.
    """
    def counted() -> str:
        return API if request.path.startswith("/api/") else PAGES

    limiter = Limiter(
        lambda: f"{counted()} {client_key(request.remote_addr)}", app=app,
        application_limits=[lambda: str(app.config[counted()])], strategy="sliding-window-counter",
        **storage,
    )
    limiter.request_filter(lambda: request.path in PROBES)
    return limiter


class Places:
    """Places for what holds a thread for long: so many in all, and so many under one name.

    Turns hold theirs while the model thinks, and while the turn before them in their campaign is
    taken; a large body keeps the processor busy; a picture of a page waits for the process that
    draws it. Without a bound they would hold every thread, and pages and ``/healthz`` would wait
    too.
    """

    def __init__(self, places: int) -> None:
        self._places = places
        self._taken: Counter[str] = Counter()
        self._guard = threading.Lock()

    @contextmanager
    def place(self, name: str = "") -> Iterator[None]:
        """A place under ``name`` for the block; nobody waits for one.

        Raises:
            RequestError: 409, where the name has no more; 503, where there is none for any.
        """
        with self._guard:
            if name and self._taken[name] >= OF_ONE_CAMPAIGN:
                raise RequestError(
                    409, "campaign_busy", "a turn of this campaign is being taken and another "
                    "waits for it: send this one again in a few seconds", headers=_WAIT,
                )
            if self._taken.total() >= self._places:
                raise RequestError(
                    503, "busy", "this server has as much to do as it takes on at once: send this "
                    "again in a few seconds", headers=_WAIT,
                )
            self._taken[name] += 1
        try:
            yield
        finally:
            with self._guard:
                self._taken[name] -= 1
                self._taken += Counter()  # without names that have none


def bound_bodies(app: Flask) -> None:
    """Let :data:`LARGE_AT_ONCE` large bodies of players be under way in ``app`` at once."""
    large = Places(LARGE_AT_ONCE)

    @app.before_request
    def make_room() -> None:
        if (request.content_length or 0) > LARGE and not g.caller.entitled:
            g.room = ExitStack()
            g.room.enter_context(large.place())

    @app.teardown_request
    def leave(_: BaseException | None) -> None:
        if (room := g.pop("room", None)) is not None:
            room.close()
