"""Answers that code writes itself: narrow updates, the lines of a sheet, the fallback. Pure.

States hold what people and models wrote: what one lacks is ``?``, and so is what cannot be printed.
The fallback is what the player gets when no attempt kept the contract. It keeps the contract
itself, tells nothing that happened, and its updates are not applied: a deep think must claim its
microsecond, the other modes leave a branch untouched.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import asdict
from typing import Any, Final

from ..assembly.state_signals import LEVEL_XP
from ..settings import PACKAGE
from ..text.json_values import at, mapping, number
from ..types import BRANCHES
from .clock import Clock, later, range_problems, world_time
from .routing import TurnRoute
from .rules.prose import terms_in
from .rules.sheet import HALF_CASTER
from .state import PC, known_as, merged, party_place, update_problems

SIGNED: Final = "[Told by the offline narrator; no language model is connected.]"
DOUBLE: Final = "offline narrator: a deterministic stand-in, no language model was asked"
OFFLINE: Final[dict[str, Any]] = json.loads(
    (PACKAGE / "turns" / "offline.json").read_text("utf-8")
)
"""The acts that the offline narrator knows, examples of them, and what is offered in each mode."""
WEIGHED: Final = ("pros", "cons", "confidence")
"""What a choice of a deep think has besides."""
STILL: Final = (
    "For a breath the world holds still, as if it waited for its own next word. Nothing has "
    "happened yet, and nothing is lost: the moment is yours to take again."
)
NO_ANSWER: Final = (
    "There was no usable answer; nothing has changed, and the turn can be taken again."
)
AT_THE_TABLE: Final = (
    "There was no usable answer to this question. Nothing in the game has changed; please ask "
    "again, perhaps in other words."
)
IN_GOD_MODE: Final = (
    "There was no usable answer to this command. It was not carried out, and nothing in the game "
    "has changed; give it again, or return to the story."
)
UNKNOWN: Final = "?"
LONGEST: Final = 48
_NAME: Final = re.compile(r"[^\W\d_]+(?:[ ,'’-]{1,2}[^\W\d_]+)*")
_SLOT: Final = re.compile(r"level_[1-9]")

Json = Mapping[str, Any]


def later_by(state: Json, microseconds: int) -> dict[str, Any]:
    """The update that moves the clock on; empty where there is no clock that can be read."""
    before = Clock.of(state)
    if before is None or range_problems(state):
        return {}
    after = asdict(later(before, microseconds, state))
    units = {unit: value for unit, value in after.items() if value != getattr(before, unit)}
    updates = {"world_data": {"world_time": units}}
    return {} if range_problems(updates) or update_problems(state, updates) else updates


def drafted(before: Json, offered: str, updates: Json, *, note: str,
            rationale: str = "nothing changed", weighed: bool = False, empty: bool = False,
            **fields: Any) -> dict[str, Any]:
    """The object of an answer, with header and resources as they are after the updates.

    ``offered`` names the choices.
    ``empty``: there may be no update; else one that changes nothing stands where none is.
    """
    if not updates and not empty:
        # A state that was imported may have no branch that an update could name.
        updates = next(({branch: {}} for branch in reversed(BRANCHES)
                        if isinstance(before.get(branch), Mapping | None)), {})
    state = merged(before, updates)
    values = {
        key: {name: deepcopy(field) for name, field in choice.items()
              if weighed or name not in WEIGHED}
        for key, choice in OFFLINE["choices"][offered].items()
    }
    return {
        "session_header": session_header(state), "resources": resource_line(state),
        "narrative": "",
        "planning_block": {
            "thinking": "Offline narrator: no language model weighs this turn. These are the "
                        "ways that are open in most places.",
            "choices": values,
        },
        "dice_rolls": [], "god_mode_response": "",
        "entities_mentioned": [key] if (key := place_id(state)).startswith("loc_") else [],
        "location_confirmed": place(state) or UNKNOWN, "state_updates": updates,
        "debug_info": {"dm_notes": [DOUBLE, note], "state_rationale": rationale},
    } | fields


def text_of(mode: str, answer: Json) -> str:
    """The answer as a model writes it: mode line, newline, JSON object."""
    return f"[Mode: {mode.upper()} MODE]\n{object_of(answer)}"


def object_of(answer: Json) -> str:
    """The answer as a JSON object.

    Marks that would open a code fence are written as JSON escapes: values that were in the state
    may hold any text.
    """
    try:
        written = json.dumps(answer, ensure_ascii=False)
        written.encode()
    except UnicodeEncodeError:
        written = json.dumps(answer)
    for mark in ("`", "~"):
        written = written.replace(mark * 3, f"\\u{ord(mark):04x}" * 3)
    return written


def fallback_answer(route: TurnRoute, state: Json) -> tuple[dict[str, Any], str]:
    """The answer for a turn's mode, as an object and as the text of a raw answer."""
    god, updates = route.mode == "god", later_by(state, 1) if route.deep_think else {}
    answer = drafted(
        state, "god_fallback" if god else "fallback", updates, weighed=route.deep_think,
        empty=route.mode == "dm",
        narrative={"story": "" if route.deep_think else STILL, "dm": AT_THE_TABLE,
                   "god": ""}[route.mode],
        god_mode_response=IN_GOD_MODE if god else "", entities_mentioned=[],
        note="fallback: no answer of the model kept the contract",
        rationale="nothing happened; these updates are not applied",
    )
    answer["planning_block"]["thinking"] = (
        "This turn got no usable answer. Its choices are ways to take it again."
    )
    return answer, text_of(route.mode, answer)


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


def session_header(state: Json) -> str:
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


def resource_line(state: Json) -> str:
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


def place_id(state: Json) -> str:
    """The id of where the party stands, where the state has a record of it; else ''."""
    key = known_as(state, party_place(state))
    return key if mapping(state, "location_data", key) else ""


def place(state: Json) -> str:
    """The name of where the party stands, where it can be printed; else ''."""
    name = at(state, "location_data", place_id(state), "name")
    return printable(name) or printable(party_place(state))


def _timestamp(state: Json) -> str:
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
