"""The sheet: session header, resources line, place and modifiers, read from a state.

What the state lacks is shown as ``?``. Nothing here raises, whatever the state holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ...assembly.state_signals import LEVEL_XP
from .draft import Draft
from .names import plain
from .timing import timestamp

PC: Final = "player_character_data"
UNKNOWN: Final = "?"
_SLOT: Final = re.compile(r"level_([1-9])")
_NO_SPELLS: Final = "No Spells Yet (Level 2+)"
_POOLS_SHOWN: Final = 6
_ABILITIES: Final = ("abilities", "ability_scores", "stats", "attributes")
_LONG_NAMES: Final = {
    "str": "strength", "dex": "dexterity", "con": "constitution", "int": "intelligence",
    "wis": "wisdom", "cha": "charisma",
}


def session_header(draft: Draft) -> str:
    """The four lines of the header, for the state after the draft's updates."""
    level, name = draft.integer(PC, "level"), plain(draft.get(PC, "class"))
    xp = first(draft, "xp", "xp_current", "experience")
    due = LEVEL_XP[level] if level is not None and 1 <= level < len(LEVEL_XP) else None
    gold = first(draft, "gold")
    if gold is None:
        gold = draft.integer(PC, "currency", "gp")
    return (
        "[SESSION_HEADER]\n"
        f"Timestamp: {timestamp(draft)}\n"
        f"Location: {place(draft) or UNKNOWN}\n"
        f"Status: Lvl {_shown(level)} {name or UNKNOWN} | "
        f"HP {_shown(first(draft, 'hp_current', 'hp'))}/{_shown(first(draft, 'hp_max', 'max_hp'))}"
        f" | XP {_shown(xp)}/{_shown(due)} | Gold {_shown(gold)}gp"
    )


def resources(draft: Draft) -> str:
    """The line of what is left: hit dice, slots, pools, exhaustion."""
    parts = [f"HD {_pair(draft, 'hit_dice')}", *_spells(draft)]
    pools = []
    for pool in draft.keys(PC, "resources"):
        name = plain(pool.replace("_", " "))
        if name and draft.integer(PC, "resources", pool, "current") is not None:
            pools.append(f"{name.title()} {_pair(draft, 'resources', pool)}")
    if pools:
        parts.append(", ".join(pools[:_POOLS_SHOWN]))
    parts.append(f"Exhaustion {_shown(draft.integer(PC, 'exhaustion'))}")
    return " | ".join(parts)


def place(draft: Draft) -> str | None:
    """The name of where the party stands, where it can be printed."""
    here = place_id(draft)
    for path in (
        *((("location_data", here, "name"),) if here else ()),
        ("world_data", "current_location_name"), ("world_data", "current_location"),
        (PC, "location"), (PC, "current_location"),
    ):
        if name := plain(draft.get(*path)):
            return name
    return None


def place_id(draft: Draft) -> str | None:
    """The id of where the party stands, where the state has a record of it."""
    known = draft.entities("location_data", "loc")
    for path in (
        ("world_data", "current_location_id"), ("world_data", "current_location"),
        (PC, "location_id"), (PC, "current_location_id"),
    ):
        here = draft.text(*path)
        if here in known:
            return here
    return None


def first(draft: Draft, *names: str) -> int | None:
    """The first whole number among the character's fields of these names."""
    found = (draft.integer(PC, name) for name in names)
    return next((number for number in found if number is not None), None)


def modifier(draft: Draft, ability: str, skill: str) -> int:
    """What the character adds to a check; 0 where the sheet does not say.

    A number under ``skills`` counts as it stands; else the ability's modifier, with the
    proficiency bonus where the lists of proficiencies name the skill.
    """
    given = draft.integer(PC, "skills", skill)
    if given is not None and abs(given) <= 20:
        return given
    bonus = draft.integer(PC, "proficiency_bonus") or 0
    trained = any(
        skill in listed for field in ("proficiencies", "skills", "skill_proficiencies")
        for listed in _words(draft.get(PC, field))
    )
    return ability_modifier(draft, ability) + (bonus if trained and 0 <= bonus <= 6 else 0)


def ability_modifier(draft: Draft, ability: str) -> int:
    """The modifier of a score from 1 to 30; 0 where there is none."""
    for field in _ABILITIES:
        for name in (ability, _LONG_NAMES[ability]):
            score = draft.integer(PC, field, name)
            if score is not None and 1 <= score <= 30:
                return (score - 10) // 2
    return 0


def _words(value: object) -> Iterator[str]:
    if isinstance(value, list):
        yield from (entry.casefold() for entry in value[:100] if isinstance(entry, str))


def _spells(draft: Draft) -> Iterator[str]:
    level, name = draft.get(PC, "level"), str(draft.get(PC, "class")).casefold()
    if str(level).strip() in {"1", "1.0"} and ("paladin" in name or "ranger" in name):
        yield _NO_SPELLS
        return
    slots = [
        f"L{found[1]} {_pair(draft, 'spell_slots', key)}"
        for key in draft.keys(PC, "spell_slots") if (found := _SLOT.fullmatch(key))
    ]
    if slots:
        yield f"Spells {', '.join(slots)}"


def _pair(draft: Draft, *path: str) -> str:
    """``current/max`` of the record at ``path``."""
    return "/".join(_shown(draft.integer(PC, *path, part)) for part in ("current", "max"))


def _shown(number: int | None) -> str:
    return UNKNOWN if number is None else str(number)
