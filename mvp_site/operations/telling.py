"""A turn's events as a client is told of them: names, and values that it may know."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final

from ..turns.attempts import Stage
from ..turns.handler import Narrative

EVENTS: Final = ("stage", "narrative", "withdrawn", "result", "error")
"""The events of a stream. ``error`` is its last where the turn fails after it has begun."""
TAKES_BACK: Final = frozenset({"rolled", "looked_up", "failed", "rejected"})
"""Stages after which nothing counts that was told since ``asked``."""


class Telling:
    """Tells one turn: call it with each event of the handler's stream, in order.

    A player hears neither what was wrong with an answer nor what failed: both may say what the
    story has not told yet.
    """

    def __init__(self, *, entitled: bool) -> None:
        self._entitled = entitled
        self._told = False

    def __call__(self, event: Stage | Narrative) -> list[tuple[str, Any]]:
        """What is told of an event that is not the result: events by name, with their values."""
        if isinstance(event, Narrative):
            self._told = True
            return [("narrative", asdict(event))]
        stage = asdict(event) if self._entitled else {"name": event.name, "attempt": event.attempt}
        events: list[tuple[str, Any]] = [("stage", stage)]
        if self._told and event.name in TAKES_BACK:
            self._told = False
            events.append(("withdrawn", {"attempt": event.attempt}))
        return events
