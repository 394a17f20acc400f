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
MAX_ROWS: Final = 1_000
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
        self.things = [thing for thing in things if thing.type is type_]
        self.columns = Columns([values_of(type_, thing.document) for thing in self.things])
        every = self.columns.mask(())
        self.reader = ConstraintReader(type_, {
            field.name: map(str, self.columns.counts(field, every))
            for field in fields_of(type_) if field.name in SPEECH[type_].said
        })


class SrdTables:
    """The things of the default book, by name, and the tables that they make."""

    def __init__(self, things: Sequence[SrdEntity], sections: Sections) -> None:
        self._things, self._sections = things, sections
        self._by_name: dict[str, list[SrdEntity]] = {}
        for thing in things:
            for key in thing.goes_by():
                self._by_name.setdefault(key, []).append(thing)
        self._criteria = {
            type_: _Criteria(type_, things)
            for type_ in dict.fromkeys(thing.type for thing in things) if type_ in SPEECH
        }
        self._spells = sorted((thing for thing in things if thing.type is EntityType.SPELLS),
                              key=lambda spell: (spell.document["level"], fold(spell.name)))
        # By the spell's name, the class level at which a subclass gives it.
        self._given = {thing: dict(self._spells_of(thing)) for thing in things
                       if thing.type in CASTERS}
        self._promised: Mapping[Intention, Callable[[BookQuery], Promise]] = {
            Intention.COMPARE_ENTITIES: self._compared,
            Intention.LEVEL_PROGRESSION: self._levels,
            Intention.CLASS_SPELL_ACCESS: self._casters,
            Intention.COST_LOOKUP: self._prices,
            Intention.FIND_BY_CRITERIA: self._matching,
        } if things else {}

    def promise(self, query: BookQuery) -> Promise:
        """What ``query`` is promised; nothing for most intentions, and for no intention."""
        make = self._promised.get(query.intention) if query.intention else None
        return make(query) if make else NOTHING

    def _named(self, name: str) -> list[SrdEntity]:
        return self._by_name.get(title_key(name), [])

    def _names(self, query: BookQuery, least: int = 1) -> list[str]:
        """The entities; where they are fewer than ``least``, also what the words name."""
        names = [entity.name for entity in query.entities]
        if len(names) < least:
            spans = longest_names(query.words, self._by_name)
            names += [" ".join(query.words[start:end]) for start, end in spans]
            names += map(str, query.names)
        return list(dict.fromkeys(names))

    def _cited(self, *tables: AnswerTable, note: str = "") -> Promise:
        numbers = (self._sections.number(id_) for table in tables for id_ in table.section_ids)
        return Promise(tables, tuple(dict.fromkeys(numbers)), note)

    # --- comparisons

    def _compared(self, query: BookQuery) -> Promise:
        names = self._names(query, least=2)
        by_type: dict[str, dict[EntityType, SrdEntity]] = {
            name: {thing.type: thing for thing in reversed(self._named(name))
                   if thing.type is not EntityType.FEATURES}
            for name in names
        }
        missing = ", ".join(name for name in names if not by_type[name])
        note = f"nothing to compare is told of {missing}" if missing else ""
        several = list(filter(None, by_type.values()))
        common = [type_ for type_ in EntityType if all(type_ in things for things in several)]
        if len(several) < 2 or not common:
            return Promise(note=note or "a comparison takes two things of one kind")
        return self._cited(_comparison([things[common[0]] for things in several]), note=note)

    # --- levels

    def _levels(self, query: BookQuery) -> Promise:
        tables = (map(self._level_table, self._named(name)) for name in self._names(query))
        firsts = (next(filter(None, several), None) for several in tables)
        return self._cited(*dict.fromkeys(filter(None, firsts)))

    def _level_table(self, thing: SrdEntity) -> AnswerTable | None:
        """A class's table, what a subclass gains by level, or that of a feature's owner."""
        if thing.type is EntityType.CLASSES:
            levels = thing.document["levels"]
            return AnswerTable.of(f"The {thing.name} Table", levels["columns"], levels["rows"],
                                  (levels["section_id"],))
        if thing.type is EntityType.SUBCLASSES:
            gained = sorted(
                (other for other in self._things if other.document.get("subclass") == thing.name),
                key=lambda feature: int(feature.document["level"]),
            )
            return AnswerTable.of(
                f"{thing.name}: gained by level", ("Level", "Feature", "What the text says"),
                ((level_of(feature), feature.name, feature.document["says"]) for feature in gained),
                (feature.section_id for feature in gained),
            )
        if thing.type is not EntityType.FEATURES:
            return None
        owner = thing.document.get("subclass") or thing.document["class"]
        return next((self._level_table(one) for one in self._named(owner) if one.type in CASTERS),
                    None)

    # --- who may cast which spell

    def _spells_of(self, caster: SrdEntity) -> Iterator[tuple[str, int]]:
        if caster.type is EntityType.SUBCLASSES:
            for level, name in reversed(caster.document["spells"]):  # of two levels, the first
                yield name, level
        for spell in self._spells:
            if caster.name in spell.document.get("classes", ()):
                yield spell.name, 0

    def _casters(self, query: BookQuery) -> Promise:
        """The table of spells and casters; of spells alone their classes, else the lists."""
        things = [thing for name in self._names(query) for thing in self._named(name)]
        spells = [thing for thing in things if thing.type is EntityType.SPELLS]
        casters = [thing for thing in things if self._given.get(thing)]
        if spells and casters:
            return self._cited(self._may_cast(spells, casters))
        if spells:
            return self._cited(self._classes_of(spells))
        return self._cited(*map(self._list_of, casters))

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
                cited += self._list_sections(caster, spell)
        return AnswerTable.of("Who may cast it", ("Class", "Spell", "Level", "May cast it", "Why"),
                              rows, cited)

    def _classes_of(self, spells: Sequence[SrdEntity]) -> AnswerTable:
        rows, cited = [], []
        for spell in spells:
            levels = {caster: given[spell.name] for caster, given in self._given.items()
                      if spell.name in given}
            classes = [caster.name for caster, level in levels.items() if not level]
            through = [f"{caster.name} ({caster.document['class']} at {ordinal(level)} level)"
                       for caster, level in levels.items() if level]
            rows.append((spell.name, level_of(spell), ", ".join(classes) or MISSING,
                         ", ".join(through) or MISSING))
            cited += [spell.section_id, *(id_ for caster in levels
                                          for id_ in self._list_sections(caster, spell))]
        return AnswerTable.of(f"Classes of {', '.join(spell.name for spell in spells)}",
                              ("Spell", "Level", "Classes", "Through a part of a class"), rows,
                              cited)

    def _list_of(self, caster: SrdEntity) -> AnswerTable:
        spells = [spell for spell in self._spells if spell.name in self._given[caster]]
        rows = [(caster.name, level, ", ".join(spell.name for spell in same))
                for level, same in groupby(spells, level_of)]
        return AnswerTable.of(
            f"Spells of {caster.name}", ("Class", "Level", "Spells"), rows,
            (id_ for spell in spells for id_ in self._list_sections(caster, spell)),
        )

    def _list_sections(self, caster: SrdEntity, spell: SrdEntity) -> list[str]:
        """The section of the caster's list where the spell stands, or would."""
        if caster.type is EntityType.SUBCLASSES:
            below = self._sections.children(self._sections[caster.section_id])
            return [section.id for section in below if "Spells" in section.title][:1]
        lists = self._sections.titled(level_title(spell.document["level"]))
        return [section.id for section in lists
                if section.path[-2:-1] == (f"{caster.name} Spells",)]

    # --- prices and criteria

    def _prices(self, query: BookQuery) -> Promise:
        names = self._names(query)
        things = list(dict.fromkeys(thing for name in names for thing in self._priced(name)))
        if not things:
            return NOTHING
        fields = ["cost"] + ["weight"] * any("weight" in thing.document for thing in things)
        own = dict.fromkeys(thing.section_id for thing in things)
        if len(own) > 5:  # the sections that list them
            own = dict.fromkeys(self._sections[id_].parent_id or id_ for id_ in own)
        return self._cited(self._listed(f"Prices: {', '.join(names)}", things, fields, own))

    def _priced(self, name: str) -> list[SrdEntity]:
        """The things of that name; else those under that title, with longer names, or under one."""
        key, parts = title_key(name), tuple(without_article(words(name)))
        if not parts:
            return []
        paths = {thing: self._sections[thing.section_id].path for thing in self._things
                 if "cost" in thing.document}
        return (
            [thing for thing in self._named(name) if thing in paths]
            or [thing for thing, path in paths.items() if key in map(title_key, path)]
            or [thing for thing in paths if set(parts) <= set(words(thing.name))]
            or [thing for thing, path in paths.items()
                if any(stands_in(parts, words(title)) for title in path[-2:])]
        )

    def _matching(self, query: BookQuery) -> Promise:
        text = fold(" ".join([
            *(entity.name if entity.how == "typo" else entity.given for entity in query.entities),
            *(" ".join(hint) for hint in query.hints), query.said,
        ]))
        spans = word_spans(text)
        text_words = [word for word, _, _ in spans]
        # The places of names, which state nothing.
        names = [(spans[start][1], spans[end - 1][2])
                 for start, end in longest_names(text_words, self._by_name) if end - start > 1]
        # The type that the text names, else the one of which it states the most.
        types = [type_ for type_ in self._criteria if any(
            stands_in(words(title), text_words) for title in TITLES[type_]
        )] + [type_ for name, type_ in _ALSO_CALLED.items() if name in text_words]
        type_, clauses = max(
            ((type_, self._criteria[type_].reader.read(text, names).condition)
             for type_ in dict.fromkeys(types or self._criteria)),
            key=lambda pair: len(pair[1]),
        )
        if not clauses:
            return NOTHING
        criteria, fields = self._criteria[type_], {field.name: field for field in fields_of(type_)}
        meant = "; ".join(condition(fields.get(name), name, filter_)
                          for name, filter_ in as_filters(clauses).items())
        rows = np.flatnonzero(criteria.columns.mask(clauses)).tolist()
        things = [criteria.things[row] for row in rows]
        kind = TITLES[type_][1]
        note = f"{kind}: {len(things)} meet {meant}"
        if not things:
            return Promise(note=note)
        return self._cited(self._listed(
            f"{kind}: {len(things)} found ({meant})", things, [clause.field for clause in clauses],
            (thing.section_id for thing in things[:MAX_ROWS]),
        ), note=note)

    def _listed(self, title: str, things: Sequence[SrdEntity], fields: Sequence[str],
                cited: Iterable[str]) -> AnswerTable:
        return AnswerTable.of(
            title, ("name", *map(_caption, fields), "where"),
            ((thing.name, *(_cell(thing, field) for field in fields),
              self._sections[thing.section_id].heading_path) for thing in things[:MAX_ROWS]),
            cited,
        )


def _comparison(things: Sequence[SrdEntity]) -> AnswerTable:
    """The fields in which the things differ; what all have alike is named in the title."""
    rows, same = [], []
    for field in fields_of(things[0].type):
        cells = tuple(_cell(thing, field.name) for thing in things)
        if field.name in _NOT_COMPARED or set(cells) == {MISSING}:
            continue
        if len(set(cells)) > 1:
            rows.append((_caption(field.name), *cells))
        elif any(thing.document.get(field.name) for thing in things):
            same.append(_caption(field.name))
    names = " and ".join((", ".join(thing.name for thing in things[:-1]), things[-1].name))
    differ = "1 field differs" if len(rows) == 1 else f"{len(rows)} fields differ"
    return AnswerTable.of(f"{names}: {differ}{'; the same: ' if same else ''}{', '.join(same)}",
                          ("field", *(thing.name for thing in things)), rows,
                          (thing.section_id for thing in things))


def _caption(field: str) -> str:
    """A field's name in words; that of a range says first which one it is."""
    first, _, last = field.partition("_")
    return f"{last} {first}" if first == "range" and last else field.replace("_", " ")


def _cell(thing: SrdEntity, field: str) -> str:
    if field == "level":
        return level_of(thing)
    text = shown(field, thing.document.get(field)) or MISSING
    versatile = thing.document.get("two_handed_dice") if field == "damage_dice" else None
    return f"{text} ({versatile} with two hands)" if versatile else text
