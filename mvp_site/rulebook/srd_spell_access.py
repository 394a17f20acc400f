"""Who may cast which spell, in the default book: the lists of classes, and what subclasses give."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from ..content.types import EntityType
from ..content.wording import ordinal
from ..text.names import fold
from .answer_table import MISSING, AnswerTable
from .sections import Sections
from .srd_book.spells import level_title
from .srd_things import SrdEntity, level_of

CASTERS: Final = (EntityType.CLASSES, EntityType.SUBCLASSES)


class SpellAccess:
    """The spells of the book and the classes and subclasses that have them."""

    def __init__(self, things: Sequence[SrdEntity], sections: Sections) -> None:
        self._sections = sections
        self._spells = sorted(
            (entity for entity in things if entity.type is EntityType.SPELLS),
            key=lambda srd_entity: (srd_entity.document["level"], fold(srd_entity.name)),
        )
        # By the spell's name, the class level at which a subclass gives it.
        self._given = {one: dict(self._spells_of(one)) for one in things if one.type in CASTERS}

    def _spells_of(self, caster: SrdEntity) -> Iterator[tuple[str, int]]:
        if caster.type is EntityType.SUBCLASSES:
            for level, name in reversed(caster.document["spells"]):  # of two levels, the first
                yield name, level
        for spell in self._spells:
            if caster.name in spell.document.get("classes", ()):
                yield spell.name, 0

    def tables(self, things: Iterable[SrdEntity]) -> tuple[AnswerTable, ...]:
        """The table of these spells and casters; of spells alone their classes, else the lists."""
        things = tuple(things)
        spells = [entity for entity in things if entity.type is EntityType.SPELLS]
        casters = [srd_entity for srd_entity in things if self._given.get(srd_entity)]
        if spells and casters:
            return (self._may_cast(spells, casters),)
        if spells:
            return (self._classes_of(spells),)
        return tuple(map(self._list_of, casters))

    def _may_cast(self, spells: Iterable[SrdEntity], casters: Sequence[SrdEntity]) -> AnswerTable:
        rows, cited = [], []
        for spell in spells:
            cited.append(spell.section_id)
            for caster in casters:
                own = caster.document.get("class", caster.name)
                may, why = "no", f"{spell.name} is not on the spell list of {own}"
                if spell.name in self._given[caster]:
                    may, why = "yes", f"{spell.name} is among the spells of {caster.name}"
                elif own in spell.document.get("classes", ()):
                    may, why = "yes", f"{spell.name} is on the spell list of {own}"
                rows.append((caster.name, spell.name, level_of(spell), may, why))
                cited += self._cited(caster, spell)
        return AnswerTable.of("Who may cast it", ("Class", "Spell", "Level", "May cast it", "Why"),
                              rows, cited)

    def _classes_of(self, spells: Sequence[SrdEntity]) -> AnswerTable:
        rows, cited = [], []
        for spell in spells:
            levels = {entity: held[spell.name] for entity, held in self._given.items()
                      if spell.name in held}
            classes = [entity.name for entity, level in levels.items() if not level]
            through = [f"{one.name} ({one.document['class']} at {ordinal(level)} level)"
                       for one, level in levels.items() if level]
            rows.append((spell.name, level_of(spell), ", ".join(classes) or MISSING,
                         ", ".join(through) or MISSING))
            cited += [spell.section_id, *(name for entity in levels
                                          for name in self._cited(entity, spell))]
        return AnswerTable.of(
            f"Classes of {', '.join(spell.name for spell in spells)}",
            ("Spell", "Level", "Classes", "Through a part of a class"), rows, cited,
        )

    def _list_of(self, caster: SrdEntity) -> AnswerTable:
        entities = [entity for entity in self._spells if entity.name in self._given[caster]]
        rows = [(caster.name, level, ", ".join(srd_entity.name for srd_entity in spells))
                for level, spells in groupby(entities, level_of)]
        return AnswerTable.of(f"Spells of {caster.name}", ("Class", "Level", "Spells"), rows,
                              (name for entity in entities for name in self._cited(caster, entity)))

    def _cited(self, caster: SrdEntity, spell: SrdEntity) -> list[str]:
        """The section of the caster's list where the spell stands, or would."""
        if caster.type is EntityType.SUBCLASSES:
            below = self._sections.children(self._sections[caster.section_id])
            return [section.id for section in below if "Spells" in section.title][:1]
        return [one.id for one in self._sections.titled(level_title(spell.document["level"]))
                if one.path[-2:-1] == (f"{caster.name} Spells",)]
