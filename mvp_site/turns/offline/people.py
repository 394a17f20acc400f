"""People: who of a state's records is present, spoken to or fought. Pure.

Whoever the player's words name comes first; the words themselves are never printed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from .draft import Draft
from .names import plain
from .sheet import place_id

_READ: Final = 4_000
_SCANNED: Final = 500
_GONE: Final = frozenset({"dead", "fled", "departed", "missing"})
_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_COMMON: Final = frozenset({"the", "old", "von", "van", "and", "with", "her", "his", "out"})


@dataclass(frozen=True, slots=True)
class Person:
    """One record of ``npc_data``: its id, and its name where it can be printed."""

    id: str
    name: str | None


@dataclass(frozen=True, slots=True)
class Foe:
    """Someone to fight; ``hp_path`` is where hit points are counted, if they are anywhere."""

    person: Person
    armor_class: int | None
    hp_path: tuple[str, ...] | None


def present(draft: Draft) -> list[Person]:
    """Who is where the party stands and can answer, by id."""
    here = place_id(draft)
    found = []
    for npc in draft.entities("npc_data", "npc")[:_SCANNED]:
        there = draft.text("npc_data", npc, "location_id")
        status = draft.text("npc_data", npc, "status") or ""
        elsewhere = here is not None and there is not None and there != here
        if not elsewhere and status.casefold() not in _GONE:
            found.append(Person(npc, plain(draft.get("npc_data", npc, "name"))))
    return found


def addressed(people: list[Person], text: str) -> Person | None:
    """Whom ``text`` names, else the first of ``people``."""
    return named(people, text) or (people[0] if people else None)


def named(people: list[Person], text: str) -> Person | None:
    """Whom ``text`` names by a word of their name or their id."""
    said = set(_WORD.findall(text[:_READ].casefold()))
    return next((person for person in people if said & _called(person)), None)


def foe(draft: Draft, people: list[Person], text: str) -> Foe | None:
    """Whom a blow is meant for: someone named, else in the fight, else hostile."""
    recorded = set(draft.entities("npc_data", "npc"))
    fighters = [
        Person(npc, plain(draft.get("npc_data", npc, "name")))
        for npc in draft.keys("combat_state", "combatants")[:_SCANNED]
        if npc in recorded
        and draft.integer("combat_state", "combatants", npc, "hp_current") != 0
    ]
    hostile = [p for p in people if draft.text("npc_data", p.id, "attitude") == "hostile"]
    choice = named([*fighters, *people], text) or next(iter((*fighters, *hostile)), None)
    if choice is None:
        return None
    fighting, record = ("combat_state", "combatants", choice.id), ("npc_data", choice.id)
    paths = ((*fighting, "hp_current"), (*record, "hp_current"))
    hp_path = next((path for path in paths if (draft.integer(*path) or 0) > 0), None)
    armor = [draft.integer(*path, "armor_class") for path in (fighting, record)]
    known = next((value for value in armor if value is not None and 5 <= value <= 30), None)
    return Foe(choice, known, hp_path)


def _called(person: Person) -> set[str]:
    slug = person.id.split("_")[1:-1]
    name = _WORD.findall((person.name or "").casefold())
    return {word for word in (*slug, *name) if len(word) >= 3} - _COMMON
