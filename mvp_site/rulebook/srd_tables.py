"""The tables that some intentions promise, of the default book: made of its typed things.

A book of one's own has none: a table that stands in it is given with its section.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

import numpy as np

from ..content.captions import TITLES, condition, shown
from ..content.constraints.reading import ConstraintReader
from ..content.constraints.words import SPEECH
from ..content.document import values_of
from ..content.types import EntityType, fields_of
from ..content.wording import ordinal
from ..retrieval.columns import Columns
from ..retrieval.filters import as_filters
from ..text.names import fold, stands_in, title_key, without_article, word_spans, words
from .intentions import Intention
from .name_index import longest_names
from .query_parsing import BookQuery
from .results import MISSING, NOTHING, AnswerTable, Promise
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


MAX_ROWS: Final = 1_000
_FEW: Final = 5
_NOT_COMPARED: Final = frozenset({
    "slug", "name", "document", "magic", "range_feet", "damage_average", "flying", "spellcaster",
    "finesse", "light", "heavy", "two_handed", "versatile", "thrown", "reach", "ammunition",
    "loading", "special",
})
"""Fields that name the thing, or say again what another field says."""
_ALSO_CALLED: Final = {"creature": EntityType.MONSTERS, "cantrip": EntityType.SPELLS}


class _Criteria:
    """The things of a type, their fields as columns, and what reads criteria on these."""

    def __init__(self, type_: EntityType, things: Sequence[SrdEntity]) -> None:
        self.things = things
        self.columns = Columns([values_of(type_, entity.document) for entity in things])
        every = self.columns.mask(())
        self.reader = ConstraintReader(type_, {
            field.name: map(str, self.columns.counts(field, every))
            for field in fields_of(type_) if field.name in SPEECH[type_].said
        })


class SrdTables:
    """The things of the default book, by name, and the tables that they make."""

    def __init__(self, things: Sequence[SrdEntity] = (), sections: Sections | None = None) -> None:
        self._things = things
        self._sections = sections or Sections(())
        self._by_name: dict[str, list[SrdEntity]] = {}
        for thing in things:
            for key in thing.goes_by():
                self._by_name.setdefault(key, []).append(thing)
        self._criteria = {
            type_: _Criteria(type_, [entity for entity in things if entity.type is type_])
            for type_ in dict.fromkeys(srd_entity.type for srd_entity in things) if type_ in SPEECH
        }
        self._access = SpellAccess(things, self._sections)
        self._promised: Mapping[Intention, Callable[[BookQuery], Promise]] = {
            Intention.COMPARE_ENTITIES: self._compared,
            Intention.LEVEL_PROGRESSION: self._levels,
            Intention.CLASS_SPELL_ACCESS: self._casters,
            Intention.COST_LOOKUP: self._prices,
            Intention.FIND_BY_CRITERIA: self._found,
        } if things else {}

    def promise(self, asked: BookQuery) -> Promise:
        """What ``asked`` is promised; nothing for most intentions, and for no intention."""
        make = self._promised.get(asked.intention) if asked.intention else None
        return make(asked) if make else NOTHING

    def _named(self, name: str) -> list[SrdEntity]:
        return self._by_name.get(title_key(name), [])

    def _compared(self, asked: BookQuery) -> Promise:
        names = self._names(asked, wanted=2)
        held: dict[str, dict[EntityType, SrdEntity]] = {
            name: {entity.type: entity for entity in reversed(self._named(name))
                   if entity.type is not EntityType.FEATURES}
            for name in names
        }
        missing = ", ".join(name for name in names if not held[name])
        note = f"nothing to compare is told of {missing}" if missing else ""
        several = [found for found in held.values() if found]
        common = [type_ for type_ in EntityType if all(type_ in found for found in several)]
        if len(several) < 2 or not common:
            return Promise(note=note or "a comparison takes two things of one kind")
        return self._cited(_comparison([found[common[0]] for found in several]), note=note)

    def _levels(self, asked: BookQuery) -> Promise:
        tables = (map(self._level_table, self._named(name)) for name in self._names(asked))
        found = (next(filter(None, several), None) for several in tables)
        return self._cited(*dict.fromkeys(filter(None, found)))

    def _level_table(self, thing: SrdEntity) -> AnswerTable | None:
        """A class's table, what a subclass gains by level, or that of a feature's owner."""
        if thing.type is EntityType.CLASSES:
            levels = thing.document["levels"]
            return AnswerTable.of(f"The {thing.name} Table", levels["columns"], levels["rows"],
                                  (levels["section_id"],))
        if thing.type is EntityType.SUBCLASSES:
            gained = sorted(
                (one for one in self._things if one.document.get("subclass") == thing.name),
                key=lambda one: int(one.document["level"]),
            )
            return AnswerTable.of(
                f"{thing.name}: gained by level", ("Level", "Feature", "What the text says"),
                ((level_of(entity), entity.name, entity.document["says"]) for entity in gained),
                (srd_entity.section_id for srd_entity in gained),
            )
        if thing.type is not EntityType.FEATURES:
            return None
        owner = thing.document.get("subclass") or thing.document["class"]
        return next((self._level_table(one) for one in self._named(owner) if one.type in CASTERS),
                    None)

    def _casters(self, asked: BookQuery) -> Promise:
        things = (entity for name in self._names(asked) for entity in self._named(name))
        return self._cited(*self._access.tables(things))

    def _prices(self, asked: BookQuery) -> Promise:
        names = self._names(asked)
        priced = [entity for entity in self._things if "cost" in entity.document]
        entities = list(dict.fromkeys(one for name in names for one in self._priced(name, priced)))
        if not entities:
            return NOTHING
        fields = ["cost"] + ["weight"] * any("weight" in entity.document for entity in entities)
        own = dict.fromkeys(srd_entity.section_id for srd_entity in entities)
        if len(own) > _FEW:  # the sections that list them
            own = dict.fromkeys(self._sections[name].parent_id or name for name in own)
        return self._cited(self._listed(f"Prices: {', '.join(names)}", entities, fields, own))

    def _listed(self, title: str, things: Sequence[SrdEntity], fields: Iterable[str],
                cited: Iterable[str]) -> AnswerTable:
        fields = tuple(fields)
        return AnswerTable.of(
            title, ("name", *map(_said, fields), "where"),
            ((entity.name, *(_cell(entity, field) for field in fields),
              self._sections[entity.section_id].heading_path) for entity in things[:MAX_ROWS]),
            cited,
        )

    def _priced(self, name: str, priced: Sequence[SrdEntity]) -> list[SrdEntity]:
        """The things of that name; else those under that title, with longer names, or under one."""
        key, parts = title_key(name), tuple(without_article(words(name)))
        if not parts:
            return []
        paths = {entity: self._sections[entity.section_id].path for entity in priced}
        return (
            [srd_entity for srd_entity in self._named(name) if "cost" in srd_entity.document]
            or [entity for entity in priced if key in map(title_key, paths[entity])]
            or [entity for entity in priced if set(parts) <= set(words(entity.name))]
            or [entity for entity in priced
                if any(stands_in(parts, words(title)) for title in paths[entity][-2:])]
        )

    def _found(self, asked: BookQuery) -> Promise:
        text = fold(" ".join([
            *(entity.name if entity.how == "typo" else entity.given for entity in asked.entities),
            *(" ".join(hint) for hint in asked.hints), asked.said,
        ]))
        spans = word_spans(text)
        said = [word for word, _, _ in spans]
        # The places of names, which state nothing.
        named = [(spans[at][1], spans[end - 1][2])
                 for at, end in longest_names(said, self._by_name) if end - at > 1]
        # The type that the text names, else the one of which it states the most.
        called = [type_ for type_ in self._criteria if any(
            stands_in(words(name), said) for name in TITLES[type_]
        )] + [type_ for name, type_ in _ALSO_CALLED.items() if name in said]
        type_, stated = max(
            ((type_, self._criteria[type_].reader.read(text, named).condition)
             for type_ in dict.fromkeys(called or self._criteria)),
            key=lambda found: len(found[1]),
        )
        if not stated:
            return NOTHING
        criteria, fields = self._criteria[type_], {field.name: field for field in fields_of(type_)}
        filters = as_filters(stated)
        meant = "; ".join(condition(fields.get(name), name, filters[name]) for name in filters)
        found = [criteria.things[n] for n in np.flatnonzero(criteria.columns.mask(stated)).tolist()]
        kind = TITLES[type_][1]
        note = f"{kind}: {len(found)} meet {meant}"
        if not found:
            return Promise(note=note)
        return self._cited(self._listed(
            f"{kind}: {len(found)} found ({meant})", found, (clause.field for clause in stated),
            (srd_entity.section_id for srd_entity in found[:MAX_ROWS]),
        ), note=note)

    def _names(self, asked: BookQuery, wanted: int = 1) -> list[str]:
        """The entities; where they are fewer than ``wanted``, also what the words name."""
        names = [entity.name for entity in asked.entities]
        if len(names) < wanted:
            said = asked.words
            names += [" ".join(said[at:end]) for at, end in longest_names(said, self._by_name)]
            names += [str(name) for name in asked.names]
        return list(dict.fromkeys(names))

    def _cited(self, *tables: AnswerTable, note: str = "") -> Promise:
        numbers = (self._sections.number(name) for table in tables for name in table.section_ids)
        return Promise(tables, tuple(dict.fromkeys(numbers)), note)


def _comparison(things: Sequence[SrdEntity]) -> AnswerTable:
    """The fields in which the things differ; what all have alike is named in the title."""
    rows, same = [], []
    for field in fields_of(things[0].type):
        cells = tuple(_cell(entity, field.name) for entity in things)
        if field.name in _NOT_COMPARED or set(cells) == {MISSING}:
            continue
        if len(set(cells)) > 1:
            rows.append((_said(field.name), *cells))
        elif any(srd_entity.document.get(field.name) for srd_entity in things):
            same.append(_said(field.name))
    names = " and ".join((", ".join(entity.name for entity in things[:-1]), things[-1].name))
    differ = "1 field differs" if len(rows) == 1 else f"{len(rows)} fields differ"
    return AnswerTable.of(
        f"{names}: {differ}{'; the same: ' if same else ''}{', '.join(same)}",
        ("field", *(entity.name for entity in things)), rows, (one.section_id for one in things),
    )


def _said(field: str) -> str:
    """A field's name in words; that of a range says first which one it is."""
    first, _, last = field.partition("_")
    return f"{last} {first}" if first == "range" and last else field.replace("_", " ")


def _cell(thing: SrdEntity, field: str) -> str:
    if field == "level":
        return level_of(thing)
    text = shown(field, thing.document.get(field)) or MISSING
    versatile = thing.document.get("two_handed_dice") if field == "damage_dice" else None
    return f"{text} ({versatile} with two hands)" if versatile else text
