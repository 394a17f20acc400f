"""What is kept of a book's spell lists, and how it is written down and read back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ...errors import CorruptIndexError
from ...retrieval.names import title_key
from .spell_grants import Grant

MEND: Final = "build again: mvp-site rulebook build --force"
Granted = tuple[str, "Access"]
"""The key of a spell, and one who may cast it."""


@dataclass(frozen=True, slots=True)
class Spell:
    """A spell as the book names it; ``level`` is 0 for a cantrip, None where nothing says it.

    ``section_id`` is the section that describes it, '' where none does.
    """

    name: str
    level: int | None
    section_id: str = ""


@dataclass(frozen=True, slots=True)
class Access:
    """``class_name`` may cast a spell; with a ``part``, only who chose that part of the class.

    ``level`` is the spell's. ``gained`` is the level of the class at which the part gets it, None
    where that is not said. ``section_ids`` are the places that say so, in the order of the book.
    """

    class_name: str
    part: str
    level: int | None
    gained: int | None
    section_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LevelSpells:
    """The spells of one level, by name; ``level`` None: of levels that the book does not say."""

    level: int | None
    spells: tuple[str, ...]


def accesses(
    grants: Iterable[Grant], spells: Mapping[str, Spell]
) -> list[Granted]:
    """One access for a spell, class and part, with all the places that say so."""
    names: dict[str, str] = {}
    held: dict[tuple[str, str, str], list[Grant]] = {}
    for grant in grants:
        owner = title_key(grant.owner)
        names.setdefault(owner, grant.owner)
        if names[owner].islower() and not grant.owner.islower():
            names[owner] = grant.owner
        held.setdefault((title_key(grant.name), owner, title_key(grant.part)), []).append(grant)
    found = []
    for (key, owner, _), same in held.items():
        name = names[owner]
        level = spells[key].level
        gained = next((grant.gained for grant in same if grant.gained is not None), None)
        found.append((key, Access(
            name[:1].upper() + name[1:], same[0].part, level, gained,
            tuple(dict.fromkeys(grant.section_id for grant in same)),
        )))
    return found


def dumped(spells: Sequence[Spell], granted: Sequence[Granted], others: Sequence[str]) -> bytes:
    """Spells, accesses and the classes without spells as JSON."""
    held = {
        "spells": [[spell.name, spell.level, spell.section_id] for spell in spells],
        "accesses": [
            [key, access.class_name, access.part, access.level, access.gained, access.section_ids]
            for key, access in granted
        ],
        "others": others,
    }
    return json.dumps(held, ensure_ascii=False, separators=(",", ":")).encode()


def loaded(data: bytes) -> tuple[list[Spell], list[Granted], list[str]]:
    """What :func:`dumped` wrote.

    Raises:
        CorruptIndexError: it is not that.
    """
    try:
        held = json.loads(data)
        spells = [
            Spell(str(name), _level(level), str(section_id))
            for name, level, section_id in held["spells"]
        ]
        keys = {title_key(spell.name) for spell in spells}
        granted = [
            (str(key), Access(str(owner), str(part), _level(level), _level(gained),
                              tuple(map(str, section_ids))))
            for key, owner, part, level, gained, section_ids in held["accesses"]
        ]
        if not keys.issuperset(key for key, _ in granted):
            raise ValueError("a class has a spell that is not there")
        return spells, granted, [str(name) for name in held["others"]]
    except (ValueError, TypeError, KeyError) as error:
        raise CorruptIndexError(
            f"the spell lists of the rulebook cannot be read ({error}); {MEND}"
        ) from error


def _level(value: object) -> int | None:
    if value is None or type(value) is int:
        return value
    raise ValueError(f"{value!r} is no level")
