"""An entity as people read it: a line at a glance, its stat block, several side by side. Pure.

A stat block is lines of a label and values, a monster's abilities, a class's levels, and texts. The
rulebook, pages and the terminal print it, each in its own way. A user's document may lack any
field, or hold one of another kind; it is then shown as it is, or left out.
"""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ..retrieval.filters import FieldKind, fold
from ..text.vocabulary import ABILITIES
from .captions import flat, label, shown
from .cards import APART
from .document import NAMED_TEXTS, TEXT, Document
from .templates import is_number, keys_of, render, texts
from .types import DESCRIPTIONS, IMPLIED, EntityType, fields_of
from .wording import ordinal

LEVELS: Final = "levels"
_LINKED: Final = (FieldKind.TEXT, FieldKind.TEXTS, FieldKind.FLAG)
_UNLINKED: Final = frozenset({"range", "duration", "damage_dice", "attunement_by", "attack"})
_NAMES: Final = {"parent": "Part of", "options": "Choices", "forms": "Other forms"}
"""Keys that say less than what stands under them."""


@dataclass(frozen=True, slots=True)
class HeadValue:
    """A value in words; ``filter`` is the field and the value of all that have it."""

    text: str
    filter: tuple[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class HeadLine:
    """What is labelled so."""

    label: str
    values: tuple[HeadValue, ...]

    @property
    def text(self) -> str:
        """The values in one line."""
        return ", ".join(value.text for value in self.values)


@dataclass(frozen=True, slots=True)
class Ability:
    """An ability's score with its modifier, such as ``-1``."""

    name: str
    score: str
    modifier: str


@dataclass(frozen=True, slots=True)
class StatBlockEntry:
    """A text in Markdown; its name, with its usage, is '' for the description."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class StatBlockSection:
    """The texts under one key of a document; the description has no title."""

    key: str
    title: str
    entries: tuple[StatBlockEntry, ...]


@dataclass(frozen=True, slots=True)
class LevelTable:
    """The columns of a class's levels, and their rows.

    What a level has several of, such as spell slots, is one group with a part for each. A cell
    has a text for each part of its column, or one.
    """

    groups: tuple[tuple[str, tuple[str, ...]], ...] = ()
    rows: tuple[tuple[tuple[str, ...], ...], ...] = ()

    @property
    def narrow(self) -> tuple[list[str], list[list[str]]]:
        """Columns and rows with each group as one column: "4/3/2" under "1/2/3"."""
        return [" ".join(filter(None, (title, "/".join(parts)))) for title, parts in self.groups], [
            ["/".join(part or "–" for part in cell).rstrip("/–") if parts else cell[0]
             for (_, parts), cell in zip(self.groups, row, strict=True)] for row in self.rows
        ]

    @property
    def wide(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The groups, numbered parts as ordinals: "1st", "2nd"."""
        return tuple(
            (title, tuple(ordinal(int(part)) if part.isdecimal() else part for part in parts))
            for title, parts in self.groups
        )


@dataclass(frozen=True, slots=True)
class StatBlock:
    """An entity whole.

    ``kind`` is the line under its name; of a monster ``head`` and ``lines`` stand before and
    behind its abilities. ``facts`` are all other fields and keys that say something.
    """

    kind: str
    head: tuple[HeadLine, ...]
    abilities: tuple[Ability, ...]
    lines: tuple[HeadLine, ...]
    facts: tuple[HeadLine, ...]
    levels: LevelTable
    sections: tuple[StatBlockSection, ...]


@dataclass(frozen=True, slots=True)
class Compared:
    """What each of them has under one label; '' where it has nothing there."""

    label: str
    values: tuple[str, ...]

    @property
    def differs(self) -> bool:
        """Whether they are not all the same."""
        return len(set(self.values)) > 1


@dataclass(frozen=True, slots=True)
class Comparison:
    """The lines of several entities, in the order of a stat block, and their texts by title."""

    lines: tuple[Compared, ...]
    texts: tuple[tuple[str, tuple[tuple[StatBlockEntry, ...], ...]], ...]


def stat_block(type_: EntityType, document: Document) -> StatBlock:
    """The stat block of a document."""
    described, levels = DESCRIPTIONS[type_], level_table(document)
    rows = (*described.head, *described.behind)
    listed = {
        *APART, *described.unshown.split(), *((LEVELS, "features") if levels.rows else ()),
        *keys_of((described.kind, *(template for row in rows for template in row[:2]))),
        *(key for row in rows for key in row[2:]),
        *(key for key, others in IMPLIED.items() if any(map(document.get, others))),
    }
    abilities = tuple(
        Ability(name.capitalize(), shown(name, score), f"{int(score - 10) // 2:+d}")
        for name in ABILITIES if is_number(score := document.get(name))
    )
    return StatBlock(
        _capital(render(described.kind, document)), tuple(_lines(described.head, document)),
        abilities if type_ is EntityType.MONSTERS else (),
        tuple(_lines(described.behind, document)), tuple(_facts(type_, document, listed)), levels,
        tuple(_sections(document)),
    )


def caption(type_: EntityType, document: Document) -> str:
    """The line under an entity's name: what it is, from its fields alone."""
    parts = (render(template, document) for template in DESCRIPTIONS[type_].caption)
    return _capital(" · ".join(filter(None, parts)))


def titled(document: Document) -> str:
    """The name of an ability or action with its usage: "Fire Breath (Recharge 5–6)"."""
    name, usage = str(document.get("name", "")), document.get("usage")
    if not isinstance(usage, str) or not usage or usage in name:
        return name
    return f"{name} ({usage})".strip()


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _lines(rows: Iterable[tuple[str, ...]], document: Document) -> Iterator[HeadLine]:
    for title, template, *keys in rows:
        field, printed = (*keys, "", "")[:2]
        value, text = document.get(field), shown(printed, document.get(printed))
        if not field:
            values = [HeadValue(render(template, document))]
        elif text.lower() not in {"", ", ".join(texts(field, value)).lower()}:
            values = [HeadValue(text)]
        else:
            several = value if isinstance(value, list | tuple) else [value]
            values = [HeadValue(render(template, {**document, field: entry}), (field, entry))
                      for entry in several]
        if worded := tuple(value for value in values if value.text):
            yield HeadLine(render(title, document), worded)


def _facts(type_: EntityType, document: Document, listed: Collection[str]) -> Iterator[HeadLine]:
    """The fields that say something, then the keys beside them: what is not goes without saying."""
    fields = fields_of(type_)
    properties = fold(shown("properties", document.get("properties")))
    for field in fields:
        value = document.get(field.name)
        text = shown(field.name, value)
        # The properties say so, or it has none.
        unsaid = value is False or (value is True and fold(field.name) in properties)
        if field.name in listed or unsaid or not text:
            continue
        if field.kind not in _LINKED or field.name in _UNLINKED:
            yield HeadLine(label(field.name), (HeadValue(text),))
            continue
        several = value if isinstance(value, list | tuple) else [value]
        yield HeadLine(label(field.name), tuple(
            HeadValue(shown(field.name, entry), (field.name, entry)) for entry in several
        ))
    keys = {*listed, *(field.name for field in fields)}
    for key, value in document.items():
        if key not in keys and value is not False and (text := flat(key, value)):
            excerpt = textwrap.shorten(text, 600, placeholder=" …")
            yield HeadLine(_NAMES.get(key) or label(key), (HeadValue(excerpt),))


def _sections(document: Document) -> Iterator[StatBlockSection]:
    for key, title in zip(TEXT, ("", "At higher levels"), strict=True):
        if text := markdown_of(document.get(key)):
            yield StatBlockSection(key, title, (StatBlockEntry("", text),))
    for key in NAMED_TEXTS:
        raw = document.get(key)
        entries = tuple(
            StatBlockEntry(titled(section), markdown_of(section.get("desc")))
            for section in (raw if isinstance(raw, list) else ()) if isinstance(section, Mapping)
        )
        if entries:
            yield StatBlockSection(key, "In detail" if key == "sections" else label(key), entries)


def markdown_of(value: object) -> str:
    """A text, or a list of its paragraphs; '' for another value."""
    if isinstance(value, list):
        return "\n\n".join(str(part) for part in value)
    return value if isinstance(value, str) else ""


def compared(blocks: Sequence[StatBlock]) -> Comparison:
    """The blocks side by side; levels are left out."""
    lines = [dict(_labelled(block)) for block in blocks]
    texts = [{section.title: section.entries for section in block.sections} for block in blocks]
    return Comparison(
        tuple(Compared(name, tuple(line.get(name, "") for line in lines)) for name in _keys(lines)),
        tuple((name, tuple(text.get(name, ()) for text in texts)) for name in _keys(texts)),
    )


def _keys(several: Iterable[Iterable[str]]) -> list[str]:
    return list(dict.fromkeys(key for document in several for key in document))


def _labelled(block: StatBlock) -> Iterator[tuple[str, str]]:
    if block.kind:
        yield "Kind", block.kind
    yield from ((line.label, line.text) for line in block.head)
    yield from ((row.name, f"{row.score} ({row.modifier})") for row in block.abilities)
    yield from ((line.label, line.text) for line in (*block.lines, *block.facts))


def level_table(document: Document) -> LevelTable:
    """The levels of a class; an empty table where it has another value there."""
    levels = document.get(LEVELS)
    rows = levels if isinstance(levels, list) else []
    if not any(rows) or not all(isinstance(row, Mapping) for row in rows):
        return LevelTable()
    parts: dict[str, dict[str, None]] = {}
    for row in rows:
        for key, value in row.items():
            named = value if isinstance(value, Mapping) else ()
            parts.setdefault(key, {}).update(dict.fromkeys(named))
    return LevelTable(
        tuple((label(key), tuple(several)) for key, several in parts.items()),
        tuple(tuple(_cell(key, row.get(key), tuple(parts[key])) for key in parts) for row in rows),
    )


def _cell(key: str, value: Any, parts: Sequence[str]) -> tuple[str, ...]:
    if key == "proficiency_bonus" and type(value) is int:
        return (f"{value:+d}",)
    if not isinstance(value, Mapping):
        return flat(key, value), *[""] * (len(parts) - 1)
    return tuple(flat(key, value.get(part)) for part in parts) or ("",)
