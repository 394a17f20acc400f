"""The facts of a whole book: what its sections say, and what only several of them say together.

An action list under a heading of its own belongs to the stat block before it. The fields of a
class or a race are spread over the sections under its heading, so such a heading has them all
(``below``). And who may cast a spell may stand in a list of spells only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from ...retrieval.names import fold, title_key
from ..sections import Section, Sections
from .damage import damage_types
from .fact_types import DAMAGE_TYPE, TELLING_PARTS, Facts, is_entry
from .facts import opening_words, read_facts
from .openings import is_sure, read_opening
from .spell_lists import SpellAccess
from .tables import Table, section_tables

CLASSES: Final = "classes"
_PARTS: Final = TELLING_PARTS | {
    "action", "trait", "special trait", "special ability", "spellcasting", "innate spellcasting",
    "lair", "statistic", "stat", "stat block",
}
"""What the parts of a stat block are called; under such a heading stands no thing of its own."""
_SHARED: Final = 3
"""Sections that share so many fields, or more of them than that one field, are a list of things."""
_STATED: Final = 0.4


def gather(
    sections: Sections, tables: Mapping[str, Sequence[Table]] | None = None,
    access: SpellAccess | None = None,
) -> tuple[Facts, ...]:
    """The facts of ``sections`` in their order; linear in the length of their text.

    ``tables`` are those of :func:`~.tables.section_tables`, and ``access`` the book's lists of
    spells, where they have been read already.
    """
    tables = section_tables(sections) if tables is None else tables
    access = SpellAccess.build(sections, tables) if access is None else access
    read: dict[str, list[Facts]] = {}
    owners: dict[str, str] = {}
    previous: Section | None = None
    for section in sections:
        found = list(read_facts(section, tables.get(section.id, ())))
        owner = _owner(section, previous, owners)
        opening = read_opening(section.title) if previous and not previous.content else ()
        if previous and opening and is_sure(opening):
            # a book whose type lines were set as headings: the entry is the section before
            fields = {**dict(opening), **(dict(found[0].fields) if found else {})}
            read[section.id] = [Facts(previous.title, section.id, tuple(fields.items()))]
            owners[section.id] = section.id
        elif found and is_entry(found[0]):
            owners[section.id] = section.id
            read[section.id] = found
        elif owner and title_key(section.title) in _PARTS:
            owners[section.id] = owner
            own = [facts for facts in found if facts.origin == "section"]
            read[owner][0] = _joined(read[owner][0], own, section)
        else:
            read[section.id] = found
        previous = section
    _add_classes(access, read)
    below = _below(sections, read)
    return tuple(
        facts for section in sections
        for facts in (*read.get(section.id, ()), *below.get(section.id, ()))
    )


def _owner(section: Section, previous: Section | None, owners: dict[str, str]) -> str | None:
    """The stat block that ``section`` may be a part of: above it, or right before it."""
    above = owners.get(section.parent_id or "")
    return above or (owners.get(previous.id) if previous else None)


def _joined(whole: Facts, parts: Iterable[Facts], section: Section) -> Facts:
    """``whole`` with what a part of its stat block, which has a heading of its own, adds to it."""
    fields, traits = dict(whole.fields), dict(whole.traits)
    types = dict.fromkeys((fields.get(DAMAGE_TYPE) or "").split(", "))
    types |= dict.fromkeys(damage_types(section.content))
    if title_key(section.title) in TELLING_PARTS:
        traits.setdefault(fold(section.title), opening_words(section.content))
    for part in parts:
        fields = {**dict(part.fields), **fields}
        traits = {**dict(part.traits), **traits}
    listed = ", ".join(filter(None, types))
    if listed:
        fields[DAMAGE_TYPE] = listed
    return replace(whole, fields=tuple(fields.items()), traits=tuple(traits.items()))


def _add_classes(access: SpellAccess, read: dict[str, list[Facts]]) -> None:
    """Gives each spell that names no classes those whose lists it stands in."""
    for found in read.values():
        for number, facts in enumerate(found):
            if facts.origin == "section" and facts.get("school") and not facts.get(CLASSES):
                listed = ", ".join(dict.fromkeys(
                    held.class_name for held in access.classes_of(facts.name) if not held.part
                ))
                if listed:
                    found[number] = replace(facts, fields=(*facts.fields, (CLASSES, listed)))


def _below(sections: Sections, read: dict[str, list[Facts]]) -> dict[str, tuple[Facts, ...]]:
    """For each section the fields that it and those under it state, where it is one thing."""
    offers: dict[str, tuple[dict[str, str], dict[str, str]]] = {}
    found: dict[str, tuple[Facts, ...]] = {}
    for section in reversed(tuple(sections)):
        own = next((f for f in read.get(section.id, ()) if f.origin == "section"), None)
        fields = dict(own.fields) if own else {}
        traits = dict(own.traits) if own else {}
        stated = len(fields), len(traits)
        states = own is not None and _is_statement(own, section)
        under = [offers.pop(child) for child in section.children_ids if child in offers]
        if not _are_alike(under):
            for child_fields, child_traits in under:
                fields = {**fields, **{n: v for n, v in child_fields.items() if n not in fields}}
                traits = {**traits, **{n: v for n, v in child_traits.items() if n not in traits}}
            states = states or bool(under)
        if (len(fields), len(traits)) != stated:
            found[section.id] = (
                Facts(section.title, section.id, tuple(fields.items()), "below",
                      traits=tuple(traits.items())),
            )
        if states and not (own and is_entry(own)):
            offers[section.id] = fields, traits
    return found


def _is_statement(own: Facts, section: Section) -> bool:
    """Whether a section says little but its fields: what it says then holds for the one above."""
    said = sum(len(name) + len(value) for name, value in (*own.fields, *own.traits))
    return said >= _STATED * len(section.content) or len(own.traits) >= _SHARED


def _are_alike(under: Sequence[tuple[dict[str, str], dict[str, str]]]) -> bool:
    """Whether the sections under one state the same fields: they are things of one list."""
    named = Counter(name for each in under for part in each for name in part)
    return sum(n > 1 for n in named.values()) >= _SHARED or max(named.values(), default=0) > _SHARED
