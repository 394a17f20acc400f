"""The lines of an answer that code writes itself: session header, resources and place of a state.

What a state lacks is ``?``, and so is what cannot be printed: states hold what people and models
wrote. Nothing here raises.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from ..assembly.state_signals import LEVEL_XP
from .clock import Clock, range_problems, world_time
from .rules.sheet import HALF_CASTER
from .rules.terms import terms_in
from .state import PC, known_as, party_place
from .values import at, mapping, number

UNKNOWN: Final = "?"
LONGEST: Final = 48
_NAME: Final = re.compile(r"[^\W\d_]+(?:[ ,'’-]{1,2}[^\W\d_]+)*")
_SLOT: Final = re.compile(r"level_[1-9]")

State = Mapping[str, Any]


def printable(value: object) -> str:
    """``value`` where it is a short name of letters that names no internal term; else ''."""
    if not isinstance(value, str) or len(value) > LONGEST or not _NAME.fullmatch(value):
        return ""
    return "" if terms_in(value) or terms_in(value, certain=False) else value


def whole(record: object, *paths: str) -> int | None:
    """The first whole number of ordinary size at one of some dotted paths."""
    for path in paths:
        value = at(record, *path.split("."))
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**9:
            return value
    return None


def session_header(state: State) -> str:
    """The four lines of the header."""
    record = mapping(state, PC)
    level = whole(record, "level")
    due = LEVEL_XP[level] if level is not None and 1 <= level < len(LEVEL_XP) else None
    return (
        f"[SESSION_HEADER]\nTimestamp: {_timestamp(state)}\nLocation: {place(state) or UNKNOWN}\n"
        f"Status: Lvl {_shown(level)} {printable(record.get('class')) or UNKNOWN}"
        f" | HP {_counted(record, 'hp_current')}/{_counted(record, 'hp_max')}"
        f" | XP {_counted(record, 'xp')}/{_shown(due)}"
        f" | Gold {_counted(record, 'currency.gp', 'gold')}gp"
    )


def resource_line(state: State) -> str:
    """The line of what is left: hit dice, spell slots, exhaustion."""
    record = mapping(state, PC)
    parts = [f"HD {_pair(record, 'hit_dice')}"]
    slots = [key for key in sorted(mapping(record, "spell_slots")) if _SLOT.fullmatch(key)]
    if number(record.get("level")) == 1 and HALF_CASTER.search(str(record.get("class"))):
        parts.append("No Spells Yet (Level 2+)")
    elif slots:
        slot_texts = (f"L{slot[-1]} {_pair(record, f'spell_slots.{slot}')}" for slot in slots)
        parts.append(f"Spells {', '.join(slot_texts)}")
    return " | ".join([*parts, f"Exhaustion {_counted(record, 'exhaustion')}"])


def place_id(state: State) -> str:
    """The id of where the party stands, where the state has a record of it; else ''."""
    key = known_as(state, party_place(state))
    return key if mapping(state, "location_data", key) else ""


def place(state: State) -> str:
    """The name of where the party stands, where it can be printed; else ''."""
    name = at(state, "location_data", place_id(state), "name")
    return printable(name) or printable(party_place(state))


def _timestamp(state: State) -> str:
    shown_time = {} if range_problems(state) or Clock.of(state) is None else world_time(state)
    year, month, day = (_shown(shown_time.get(unit)) for unit in ("year", "month", "day"))
    names = mapping(state, "world_data", "calendar").get("month_names")
    if isinstance(names, list) and names:
        named = names[int(month) - 1 : int(month)] if month.isdigit() and month != "0" else []
        month = printable(named[0] if named else None) or UNKNOWN
    else:
        month = f"month {month}, day"
    clock = ":".join(
        "??" if shown_time.get(unit) is None else f"{shown_time[unit]:02}"
        for unit in ("hour", "minute", "second")
    )
    return f"{year}, {month} {day}, {clock}"


def _pair(record: object, path: str) -> str:
    """``current/max`` of the count at ``path``."""
    return "/".join(_counted(record, f"{path}.{part}") for part in ("current", "max"))


def _counted(record: object, *paths: str) -> str:
    """The first number of ordinary size at one of some dotted paths, to hundredths; else ``?``."""
    for path in paths:
        value = number(at(record, *path.split(".")))
        if value is not None and abs(value) < 10**9:
            return f"{round(value, 2):.10g}" if isinstance(value, float) else str(value)
    return UNKNOWN


def _shown(value: int | None) -> str:
    return UNKNOWN if value is None else str(value)
