"""Who may cast which spell: the classes of a spell, the spells of a class, and whether both meet.

Everything is read once, by :meth:`SpellAccess.build`; a question only looks names up. Which names
are classes is what the book shows (:mod:`~.spell_grants`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from ...retrieval.names import title_key
from ...retrieval.typos import closest
from ..answer_table import MISSING, AnswerTable
from ..sections import Sections
from .levels import ordinal
from .spell_grants import spell_grants
from .spell_values import Access, LevelSpells, Spell, accesses, dumped, loaded
from .tables import Table, section_tables

_SUFFIXES: Final = (" spell list", " spell", " cantrip", " list", " class", " table")
_BOTH: Final = re.compile(r"([^()]+?)\s*\(([^()]+)\)")
Resolve = Callable[[str], str | None]


class _Part(NamedTuple):
    """What a name of a part of a class stands for: its class, and the parts that are meant."""

    name: str
    owner: str
    keys: set[str]


class SpellAccess:
    """The classes of each spell and the spells of each class, as one book has them."""

    __slots__ = ("_by_class", "_by_spell", "_classes", "_others", "_parts", "_spells")

    def __init__(
        self, spells: Iterable[Spell], granted: Iterable[tuple[str, Access]],
        others: Iterable[str] = (),
    ) -> None:
        self._spells = {title_key(spell.name): spell for spell in spells}
        self._by_spell: dict[str, list[Access]] = {}
        self._by_class: dict[str, list[tuple[str, Access]]] = {}
        self._classes: dict[str, str] = {}
        self._parts: dict[str, _Part] = {}
        for key, access in granted:
            owner = title_key(access.class_name)
            self._by_spell.setdefault(key, []).append(access)
            self._by_class.setdefault(owner, []).append((key, access))
            self._classes.setdefault(owner, access.class_name)
            for name in _aliases(access.part):
                part = self._parts.setdefault(title_key(name), _Part(name, owner, set()))
                part.keys.add(title_key(access.part))
        self._others = {
            key: name for name in others if (key := title_key(name)) not in self._classes
        }

    @classmethod
    def build(
        cls, sections: Sections, tables: Mapping[str, Sequence[Table]] | None = None,
        classes: Iterable[str] = (),
    ) -> SpellAccess:
        """Read a book once, in time linear in its length.

        ``tables`` are those of :func:`~.tables.section_tables`. ``classes`` are names of classes
        that are known from elsewhere, with spells or without.
        """
        if tables is None:
            tables = section_tables(sections)
        named = tuple(classes)
        entries, grants = spell_grants(sections, tables, named)
        spells = {
            key: Spell(entry.name, entry.level, entry.section_id) for key, entry in entries.items()
        }
        for grant in grants:
            key = title_key(grant.name)
            known = spells.get(key)
            if known is None or known.level is None:
                level = grant.level
                spells[key] = Spell(
                    known.name if known else grant.name, level, known.section_id if known else ""
                )
        return cls(spells.values(), accesses(grants, spells), named)

    def spell(self, name: str) -> Spell | None:
        """The spell of that name, None where the book has none."""
        return self._spells.get(title_key(name))

    def classes(self) -> tuple[str, ...]:
        """The names of the classes that have spells, in the order in which the book names them."""
        return tuple(self._classes.values())

    def classes_of(self, spell: str) -> tuple[Access, ...]:
        """Who may cast ``spell``: whole classes first, then parts of classes, each by name."""
        found = self._by_spell.get(title_key(spell), ())
        return tuple(sorted(
            found, key=lambda access: (bool(access.part), access.class_name, access.part)
        ))

    def spells_of(self, class_name: str) -> tuple[LevelSpells, ...]:
        """The spells of a class, or of a part of one by its own name, by level and then by name."""
        key = title_key(class_name)
        held: dict[int | None, set[str]] = {}
        for spell, access in self._held(key):
            held.setdefault(access.level, set()).add(self._spells[spell].name)
        return tuple(
            LevelSpells(level, tuple(sorted(names, key=str.casefold)))
            for level, names in sorted(held.items(), key=lambda item: _order(item[0]))
        )

    def table_for(
        self, names: Iterable[str], resolve: Resolve | None = None
    ) -> AnswerTable | None:
        """What the book says of the spells and classes among ``names``; None if it has neither.

        Of spells their classes, of classes their spells by level, of both whether each class may
        cast each spell, and why. ``resolve`` gives the title that is meant by a name unknown here.
        """
        spells: dict[str, None] = {}
        classes: dict[str, None] = {}
        for name in names:
            key = self._key(name, resolve)
            if key in self._classes or key in self._parts or key in self._others:
                classes[key] = None
            elif key in self._spells:
                spells[key] = None
        if spells and classes:
            return self._both(list(spells), list(classes))
        if spells:
            return self._of_spells(list(spells))
        return self._of_classes([key for key in classes if key not in self._others])

    def dump(self) -> bytes:
        """What was read, as JSON."""
        granted = [(key, access) for key, found in self._by_spell.items() for access in found]
        return dumped(tuple(self._spells.values()), granted, tuple(self._others.values()))

    @classmethod
    def load(cls, data: bytes) -> SpellAccess:
        """What :meth:`dump` wrote.

        Raises:
            CorruptIndexError: it is not that.
        """
        return cls(*loaded(data))

    def _held(self, key: str) -> list[tuple[str, Access]]:
        """The accesses of a class without its parts, or of a part of one."""
        if key in self._by_class:
            return [(spell, access) for spell, access in self._by_class[key] if not access.part]
        part = self._parts.get(key)
        return [] if part is None else [
            (spell, access) for spell, access in self._by_class[part.owner]
            if title_key(access.part) in part.keys
        ]

    def _key(self, name: str, resolve: Resolve | None) -> str:
        """The key of the spell or class that ``name`` means; '' for none."""
        key = title_key(name)
        if self._has(key):
            return key
        for suffix in _SUFFIXES:
            if key.endswith(suffix) and self._has(key.removesuffix(suffix)):
                return key.removesuffix(suffix)
        meant = title_key(resolve(name) or "") if resolve else ""
        if self._has(meant):
            return meant
        near = closest(key, [*self._classes, *self._parts, *self._spells]) if key else None
        return near or ""

    def _has(self, key: str) -> bool:
        return bool(key) and (
            key in self._spells or key in self._classes or key in self._parts
            or key in self._others
        )

    def _of_spells(self, keys: Sequence[str]) -> AnswerTable:
        rows = []
        for key in keys:
            found = self.classes_of(key)
            rows.append((
                self._spells[key].name, _written(self._spells[key].level),
                ", ".join(access.class_name for access in found if not access.part) or MISSING,
                ", ".join(_part(access) for access in found if access.part) or MISSING,
            ))
        names = ", ".join(self._spells[key].name for key in keys)
        return AnswerTable(
            f"Classes of {names}", ("Spell", "Level", "Classes", "Through a part of a class"),
            tuple(rows), self._places(keys, [access for key in keys
                                             for access in self._by_spell.get(key, ())]),
        )

    def _of_classes(self, keys: Sequence[str]) -> AnswerTable | None:
        rows: list[tuple[str, ...]] = []
        places: list[Access] = []
        for key in keys:
            rows += [
                (self._name(key), _written(held.level), ", ".join(held.spells))
                for held in self.spells_of(key)
            ]
            places += [access for _, access in self._held(key)]
        if not rows:
            return None
        names = ", ".join(map(self._name, keys))
        return AnswerTable(
            f"Spells of {names}", ("Class", "Level", "Spells"), tuple(rows),
            self._lists(places),
        )

    def _both(self, spells: Sequence[str], classes: Sequence[str]) -> AnswerTable:
        rows = []
        places: list[Access] = []
        for key in spells:
            spell = self._spells[key]
            for owner in classes:
                can, why, found = self._verdict(key, owner)
                rows.append((self._name(owner), spell.name, _written(spell.level), can, why))
                places += found
        return AnswerTable(
            "Who may cast it", ("Class", "Spell", "Level", "May cast it", "Why"), tuple(rows),
            self._places(spells, places),
        )

    def _verdict(self, spell: str, owner: str) -> tuple[str, str, list[Access]]:
        """Yes or no, the reason, and the accesses that it rests on."""
        name = self._spells[spell].name
        found = list(self.classes_of(spell))
        asked = self._parts.get(owner) if owner not in self._classes else None
        mine = [access for access in found
                if title_key(access.class_name) == (asked.owner if asked else owner)]
        whole = [access for access in mine if not access.part]
        if whole:
            return "yes", f"{name} is on the spell list of {whole[0].class_name}", whole
        parts = [access for access in mine
                 if not asked or title_key(access.part) in asked.keys]
        if parts:
            through = "; ".join(map(_part, parts))
            return ("yes" if asked else "only in part"), f"{name} is granted by {through}", parts
        said = ", ".join(dict.fromkeys(
            _part(access) if access.part else access.class_name for access in found
        ))
        reason = f"{name} is listed for {said}" if said else f"no list of the book has {name}"
        if owner in self._others:
            reason = f"{self._name(owner)} has no spell list; {reason}"
        return "no", reason, found

    def _name(self, key: str) -> str:
        if key in self._parts and key not in self._classes:
            return self._parts[key].name
        return self._classes.get(key) or self._others.get(key, key)

    def _places(self, spells: Sequence[str], granted: Iterable[Access]) -> tuple[str, ...]:
        own = [self._spells[key].section_id for key in spells if self._spells[key].section_id]
        said = [place for access in granted for place in access.section_ids]
        return tuple(dict.fromkeys([*own, *said]))

    def _lists(self, granted: Sequence[Access]) -> tuple[str, ...]:
        """The sections of lists; where there are none, the entries that name the class."""
        entries = {spell.section_id for spell in self._spells.values()}
        granted = sorted(granted, key=lambda access: _order(access.level))
        places = dict.fromkeys(place for access in granted for place in access.section_ids)
        return tuple(place for place in places if place not in entries) or tuple(places)


def _aliases(part: str) -> tuple[str, ...]:
    """The names of a part of a class: "Circle of the Land (Arctic)" is known by both, too."""
    found = _BOTH.fullmatch(part)
    return (part, *found.groups()) if found else (part,) if part else ()


def _part(access: Access) -> str:
    gained = f" at {ordinal(access.gained)} level" if access.gained else ""
    return f"{access.part} ({access.class_name}{gained})"


def _written(level: int | None) -> str:
    return MISSING if level is None else ordinal(level)


def _order(level: int | None) -> int:
    return 99 if level is None else level
