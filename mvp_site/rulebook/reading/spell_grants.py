"""A book to who is given which spell: by spell entries, spell lists, and tables of subclasses.

Which names are classes is what the book itself shows: those that its spell entries name, those that
its tables count levels of ("Cleric Level"), and those whose spell lists stand under no other class.
A list under a class, by another name, is of a part of that class.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ...retrieval.names import title_key
from ..sections import Section, Sections
from .openings import SCHOOLS
from .spell_entries import SpellEntry, spell_entries
from .spell_items import level_label, list_owner, listed_spells, mended
from .spell_places import NOWHERE, Place, Places, class_titles, part_of
from .spell_tables import table_spells
from .tables import Table, plain_cell

MIN_LISTED: Final = 2
MIN_WHOLE: Final = 5
"""So many spells make the list of a class where the book gives them no level."""

@dataclass(frozen=True, slots=True)
class Grant:
    """``owner`` may cast the spell ``name``; ``part`` narrows it to a part of a class, '' for all.

    ``level`` is the spell's where this place says it; ``gained`` is the level of the class at which
    a part gets the spell. ``section_id`` is where it stands.
    """

    name: str
    level: int | None
    owner: str
    part: str
    gained: int | None
    section_id: str


@dataclass(frozen=True, slots=True)
class _Found:
    grant: Grant
    sure: bool
    named: bool
    """The place itself names the class; else it is the owner of the list around it."""


def spell_grants(
    sections: Sections, tables: Mapping[str, Sequence[Table]], classes: Iterable[str] = (),
) -> tuple[dict[str, SpellEntry], tuple[Grant, ...]]:
    """The spells that the book describes by key, and all that it says of who may cast a spell.

    ``classes`` are names of classes that are known from elsewhere.
    """
    entries = spell_entries(sections)
    found = list(_entry_grants(entries.values()))
    described = {entry.section_id for entry in entries.values()}
    named = (owner for entry in entries.values() for owner, _ in entry.classes)
    known = {*map(title_key, classes), *map(title_key, named), *class_titles(sections)} - {""}
    found += _list_grants(sections, tables, entries, described, known)
    return entries, tuple(_settled(sections, found, entries, known))


def _entry_grants(entries: Iterable[SpellEntry]) -> Iterator[_Found]:
    for entry in entries:
        for owner, part in entry.classes:
            grant = Grant(entry.name, entry.level, owner, part, None, entry.section_id)
            yield _Found(grant, sure=True, named=True)


def _list_grants(
    sections: Sections, tables: Mapping[str, Sequence[Table]], known: Container[str],
    described: Container[str], classes: Container[str],
) -> Iterator[_Found]:
    places = Places(sections, classes)
    for section in sections:
        place = NOWHERE if section.id in described else places.read(section)
        if place.listed:
            items = list(listed_spells(section.content, place.level, place.by_owner, known))
            for item in mended(items, known):
                owner = item.owner or place.owner
                grant = Grant(item.name, item.level, owner, "", None, section.id)
                yield _Found(grant, item.sure, named=False)
        for table in tables.get(section.id, ()):
            yield from _table_grants(sections, section, table, place, known)


def _table_grants(
    sections: Sections, section: Section, table: Table, place: Place, known: Container[str]
) -> Iterator[_Found]:
    label = level_label(table.caption) if table.caption else None
    headed = list_owner(table.caption) if table.caption and label is None else None
    listed = place.listed or headed is not None
    owner = headed or place.owner
    for row in table_spells(table, label[0] if label else place.level, listed, known):
        part = row.part
        if row.to and row.gained is not None:
            part = part_of(sections, section, table.caption, title_key(row.to))
        grant = Grant(row.name, row.level, row.to or owner, part, row.gained, section.id)
        yield _Found(grant, sure=True, named=bool(row.to))


def _settled(
    sections: Sections, found: Sequence[_Found], entries: Mapping[str, SpellEntry],
    known: Container[str],
) -> Iterator[Grant]:
    """The grants whose owners are classes, those of parts under their class, each once."""
    classes = {title_key(item.grant.owner) for item in found if item.named}
    classes.update(
        key for item in found if (key := title_key(item.grant.owner)) in known
    )
    owners: dict[str, list[_Found]] = {}
    for item in found:
        if not item.named and title_key(item.grant.owner):
            owners.setdefault(title_key(item.grant.owner), []).append(item)
    schools = SCHOOLS | {title_key(entry.school) for entry in entries.values()}
    accepted = {key for key, items in owners.items()
                if key in classes or (key not in schools and _is_list(items, entries))}
    candidates = classes | accepted
    seen: set[tuple[str, str, str, str]] = set()
    for item in found:
        grant = item.grant
        key = title_key(grant.owner)
        if not item.named:
            if key not in accepted:
                continue
            above = _class_above(sections, sections[grant.section_id], key, candidates, known)
            if above and key not in classes:
                grant = replace(grant, owner=above, part=_titled(grant.owner))
            elif key not in classes and not _is_class(key, owners[key], not classes):
                continue
        mark = (title_key(grant.name), title_key(grant.owner), title_key(grant.part),
                grant.section_id)
        if key and mark[0] and mark not in seen:
            seen.add(mark)
            yield replace(grant, name=plain_cell(grant.name))


def _is_list(items: Sequence[_Found], entries: Mapping[str, SpellEntry]) -> bool:
    """Whether what an owner lists are spells: as the book describes them, or by their levels."""
    described = sum(title_key(item.grant.name) in entries for item in items)
    if entries:
        return described >= MIN_LISTED and described * 3 >= len(items)
    return sum(item.sure for item in items) >= MIN_LISTED


def _is_class(owner: str, items: Sequence[_Found], unnamed: bool) -> bool:
    """Whether an owner that stands under no class lists spells of several levels, as classes do.

    Where a book names no class anywhere else (``unnamed``), a long list without levels will do.
    """
    if all(len(word) == 1 for word in owner.split()):
        return False  # "A", "B-C": the parts of an index
    levels = {item.grant.level for item in items} - {None}
    return len(levels) > 1 or (unnamed and not levels and len(items) >= MIN_WHOLE)


def _class_above(
    sections: Sections, section: Section, owner: str, classes: Container[str],
    known: Container[str],
) -> str:
    """The class that ``section`` stands under, where it is not ``owner`` itself."""
    for above in sections.ancestors(section):
        key = title_key(above.title)
        if key != owner and (key in classes or key in known):
            return above.title
    return ""


def _titled(owner: str) -> str:
    return owner[:1].upper() + owner[1:]
