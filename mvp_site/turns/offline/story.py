"""A story turn of the stand-in: what it understood, one check at most, and what the state shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

from ..state import is_entity_id
from ..values import at, mapping
from .acts import EXAMPLES, Act, understood
from .draft import Draft
from .sheet import character, place, place_id, printable, whole

_SCANNED: Final = 500
_SHOWN: Final = 4
_GONE: Final = frozenset({"dead", "fled", "departed", "missing"})


def check_of(state: Mapping[str, Any], text: str) -> dict[str, Any] | None:
    """The check that a player's words plainly want, as ``roll_dice`` takes it; else None."""
    act = understood(text)
    if act is None or not act.ability:
        return None
    _, sheet = character(state)
    bonus = whole(sheet, f"skills.{act.skill}")
    if bonus is None or abs(bonus) > 20:
        bonus = _modifier(sheet, act.ability)
    return {"expression": f"1d20{bonus:+}" if bonus else "1d20", "dc": act.dc,
            "purpose": f"{act.ability.title()} ({act.skill})"}


def _modifier(sheet: Mapping[str, Any], ability: str) -> int:
    score = whole(sheet, *(f"{field}.{name}" for field in ("abilities", "ability_scores", "stats")
                           for name in (ability, ability[:3])))
    return (score - 10) // 2 if score is not None and 1 <= score <= 30 else 0


def told(draft: Draft, text: str, roll: Mapping[str, Any] | None) -> str:
    """What is told of a story turn, its check made; the time that it takes goes into ``draft``."""
    act = understood(text)
    if act is None:
        known = ", ".join(f"“{example}”" for example in EXAMPLES)
        return f"Nothing was done: try {known}, or connect a model. {seen(draft.before)}"
    return " ".join(filter(None, (
        f"You {act.does}{_outcome(act, roll)}.",
        _time(act.seconds) if draft.pass_time(act.seconds) else "", seen(draft.before),
    )))


def _outcome(act: Act, roll: Mapping[str, Any] | None) -> str:
    if not act.ability:
        return ""
    if roll is None:
        return ", but there are no dice"
    return ", and it works" if roll.get("success") is True else ", and it does not work"


def _time(seconds: int) -> str:
    minutes = seconds // 60
    return "A minute passes." if minutes == 1 else f"{minutes} minutes pass."


def seen(state: Mapping[str, Any]) -> str:
    """Place, people and ways out, as far as the state has them and they can be printed."""
    here, named = place_id(state), place(state)
    parts = (("You are at", [named]), ("With you:", _people(state, here)),
             ("Ways out:", _exits(state, here)))
    return " ".join(
        f"{label} {', '.join(dict.fromkeys(names))}." for label, names in parts if any(names)
    )


def _people(state: Mapping[str, Any], here: str) -> list[str]:
    people = islice(mapping(state, "npc_data").items(), _SCANNED)
    return [*islice((
        name for key, record in people
        if is_entity_id(key) and isinstance(record, Mapping) and record.get("location_id") == here
        and str(record.get("status")) not in _GONE and (name := printable(record.get("name")))
    ), _SHOWN)] if here else []


def _exits(state: Mapping[str, Any], here: str) -> list[str]:
    def named() -> Iterator[str]:
        for way, exit_ in islice(mapping(state, "location_data", here, "exits").items(), _SCANNED):
            to = at(exit_, "to")
            goal = printable(at(state, "location_data", to, "name")) if isinstance(to, str) else ""
            if goal or printable(way):
                yield " to ".join(filter(None, (printable(way), goal)))

    return [*islice(named(), _SHOWN)]
