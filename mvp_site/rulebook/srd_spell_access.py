"""Who may cast which spell, in the default book: the lists of classes, and what subclasses give."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from ..content.types import EntityType
from ..content.wording import ordinal
from ..retrieval.names import fold
from .answer_table import MISSING, AnswerTable
from .sections import Sections
from .srd_book.spells import level_title
from .srd_things import Thing, level_of

CASTERS: Final = (EntityType.CLASSES, EntityType.SUBCLASSES)


class SpellAccess:
    """The spells of the book and the classes and subclasses that have them."""

    def __init__(self, things: Iterable[Thing], sections: Sections) -> None:
        things = tuple(things)
        self._sections = sections
        self._casters = [one for one in things if one.type in CASTERS]
        self._spells = sorted(
            (one for one in things if one.type is EntityType.SPELLS),
            key=lambda one: (one.document["level"], fold(one.name)),
        )

    def tables(self, things: Sequence[Thing]) -> tuple[AnswerTable, ...]:
        """The table of these spells and casters; of spells alone their classes, else the lists."""
        spells = [one for one in things if one.type is EntityType.SPELLS]
        casters = [one for one in things if one.type in CASTERS and self._list_of(one)]
        if spells and casters:
            return (self._may_cast(spells, casters),)
        if spells:
            return (self._classes_of(spells),)
        return tuple(map(self._list_table, casters))

    def _list_of(self, caster: Thing) -> list[Thing]:
        return [one for one in self._spells if self._has(caster, one)]

    def _has(self, caster: Thing, spell: Thing) -> bool:
        if caster.type is EntityType.SUBCLASSES:
            return self._given_at(caster, spell) is not None
        return caster.name in spell.document.get("classes", ())

    def _given_at(self, caster: Thing, spell: Thing) -> int | None:
        """The class level at which a subclass gives a spell."""
        return next((level for level, name in caster.document.get("spells", ())
                     if name == spell.name), None)

    def _may_cast(self, spells: Iterable[Thing], casters: Sequence[Thing]) -> AnswerTable:
        rows, cited = [], []
        for spell in spells:
            cited.append(spell.section_id)
            for caster in casters:
                own = caster.document.get("class", caster.name)
                may, why = "no", f"{spell.name} is not on the spell list of {own}"
                if self._has(caster, spell):
                    may, why = "yes", f"{spell.name} is among the spells of {caster.name}"
                elif own in spell.document.get("classes", ()):
                    may, why = "yes", f"{spell.name} is on the spell list of {own}"
                rows.append((caster.name, spell.name, level_of(spell), may, why))
                cited += self._list_sections(caster, spell)
        return AnswerTable("Who may cast it", ("Class", "Spell", "Level", "May cast it", "Why"),
                           tuple(rows), tuple(dict.fromkeys(cited)))

    def _classes_of(self, spells: Sequence[Thing]) -> AnswerTable:
        rows, cited = [], []
        for spell in spells:
            having = [one for one in self._casters if self._has(one, spell)]
            classes = [one.name for one in having if one.type is EntityType.CLASSES]
            through = [
                f"{one.name} ({one.document['class']} at {ordinal(level)} level)"
                for one in having if (level := self._given_at(one, spell)) is not None
            ]
            rows.append((spell.name, level_of(spell), ", ".join(classes) or MISSING,
                         ", ".join(through) or MISSING))
            cited += [spell.section_id,
                      *(name for one in having for name in self._list_sections(one, spell))]
        names = ", ".join(spell.name for spell in spells)
        return AnswerTable(
            f"Classes of {names}", ("Spell", "Level", "Classes", "Through a part of a class"),
            tuple(rows), tuple(dict.fromkeys(cited)),
        )

    def _list_table(self, caster: Thing) -> AnswerTable:
        by_level: dict[str, list[str]] = {}
        cited: list[str] = []
        for spell in self._list_of(caster):
            by_level.setdefault(level_of(spell), []).append(spell.name)
            cited += self._list_sections(caster, spell)
        rows = ((caster.name, level, ", ".join(names)) for level, names in by_level.items())
        return AnswerTable(f"Spells of {caster.name}", ("Class", "Level", "Spells"), tuple(rows),
                           tuple(dict.fromkeys(cited)))

    def _list_sections(self, caster: Thing, spell: Thing) -> list[str]:
        """The section of the caster's list where the spell stands, or would."""
        if caster.type is EntityType.SUBCLASSES:
            below = self._sections.children(self._sections[caster.section_id])
            return [one.id for one in below if "Spells" in one.title][:1]
        return [one.id for one in self._sections.titled(level_title(spell.document["level"]))
                if one.path[-2:-1] == (f"{caster.name} Spells",)]
