"""Travel: where the player's words lead, among the places that the state knows."""

from __future__ import annotations

import re
from typing import Final

from .draft import Draft
from .names import plain
from .sheet import place_id

UNKNOWN_WAY: Final = 120
_READ: Final = 4_000
_SCANNED: Final = 500
_WORD: Final = re.compile(r"[^\W\d_]{4,}")
_LONGEST: Final = 24 * 60


def destination(draft: Draft, text: str) -> str | None:
    """The id of the place that ``text`` names best, not where the party stands; or None."""
    here = place_id(draft)
    if here is None or draft.text("world_data", "current_location_id") != here:
        return None
    said = set(_WORD.findall(text[:_READ].casefold()))
    names = {
        loc: plain(draft.get("location_data", loc, "name"))
        for loc in draft.entities("location_data", "loc")[:_SCANNED] if loc != here
    }
    known = set(_WORD.findall((plain(draft.get("location_data", here, "name")) or "").casefold()))
    score = {
        loc: len(said & (set(_WORD.findall(name.casefold())) - known))
        for loc, name in names.items() if name
    }
    best = max(score, key=lambda loc: (score[loc], loc), default=None)
    return best if best is not None and score[best] else None


def minutes_to(draft: Draft, goal: str) -> int:
    """The minutes that the exit from here to ``goal`` takes; two hours where none is known."""
    here = place_id(draft) or ""
    for exit_ in draft.keys("location_data", here, "exits"):
        path = ("location_data", here, "exits", exit_)
        minutes = draft.integer(*path, "minutes")
        if draft.get(*path, "to") == goal and minutes is not None and 1 <= minutes <= _LONGEST:
            return minutes
    return UNKNOWN_WAY
