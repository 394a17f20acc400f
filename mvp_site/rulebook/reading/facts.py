"""What a section says of named things as fields: of the thing it is about, and of those in tables.

A section in the form of an entry (a spell, a stat block, an item) states its fields in the line
it opens with, in label lines and in small tables. Entries that stand inside of one section, under
a heading in a block quote or a line in bold, are things of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from ...retrieval.names import title_key
from ..sections import Section
from .abilities import names_abilities, read_abilities
from .damage import damage_types
from .fact_types import (
    DAMAGE_TYPE,
    FORM,
    TELLING_PARTS,
    Facts,
    are_of_an_entry,
    is_entry,
)
from .fields import field_name, known
from .labels import MAX_LINE, Line, plain_value, read_line, read_stats, read_unmarked, with_marks
from .openings import is_sure, read_opening
from .rows import fields_of, is_value, read_rows
from .tables import Table, read_tables

MAX_TRAIT: Final = 200
MAX_UNKNOWN: Final = 120
"""A longer value that is made of sentences, or under a label that is no known field, is a trait."""
OPENING_LINES: Final = 3
"""An entry's opening stands within so many of its first lines."""

_QUOTE: Final = re.compile(r"^(?:[ \t]{0,3}>[ \t]?)+", re.MULTILINE)
_FENCE: Final = re.compile(r"[ \t]*(`{3,}|~{3,})")
_BREAK: Final = re.compile(r"<br\s*/?>", re.IGNORECASE)
_HEADING: Final = re.compile(r"\s{0,3}#{1,6}\s+(\S.*?)\s*#*$")
_BOLD_LINE: Final = re.compile(r"([*_]{2,3})(?![\s*_])([^*_]{1,60})\1$")
_RULE: Final = re.compile(r"[\s*_=-]*$")
_STARTS: Final = ("**", "__", "- ", "* ", "+ ", "|", "#", "<b", "<strong")
_SENTENCE_END: Final = re.compile(r"[a-z]\. [A-Z]")
_CAPTION_WORDS: Final = 6
_CHALLENGE: Final = re.compile(
    r"([\d/½¼⅛,.]+|—)\s*\((?:XP\s*)?([\d,]+)(?:\s*XP)?[^()]*\)", re.IGNORECASE
)


@dataclass(slots=True)
class _Entry:
    """An entry while it is read; ``seen`` are its lines that are not blank."""

    name: str
    fields: dict[str, str] = field(default_factory=dict)
    traits: dict[str, str] = field(default_factory=dict)
    opened: bool = False
    unsure: tuple[tuple[str, str], ...] = ()
    seen: int = 0
    lines: list[str] = field(default_factory=list)

    def state(self, name: str, value: str) -> None:
        """Takes a field; what was said first stands."""
        if name and is_value(value):
            self.fields.setdefault(name, value)

    @property
    def is_entry(self) -> bool:
        """Whether it has the form of a spell, a creature or an item."""
        return self.opened or are_of_an_entry(self.fields)


def read_facts(section: Section, tables: Sequence[Table] | None = None) -> tuple[Facts, ...]:
    """What ``section`` says, without the sections below it; the section's own thing comes first.

    ``tables`` are those of its content where they have been read already.
    """
    lines = _QUOTE.sub("", section.content).split("\n")
    entry = _Entry(section.title)
    inside = section.title.partition("(")[2].rpartition(")")[0]
    if inside and is_sure(opening := read_opening(inside)):
        entry.name = section.title.partition("(")[0].strip() or section.title
        _open(entry, opening)
    entries = [entry]
    rows: list[Facts] = []
    taken: set[int] = set()
    starts: dict[int, list[tuple[str, str]]] = {}
    for table in read_tables(section.content) if tables is None else tables:
        taken.update(_lines_of(lines, table.line))
        stated = fields_of(table)
        if stated:
            starts[table.line] = list(stated)
            continue
        if table.caption and read_opening(table.caption):
            table = replace(table, caption="")  # noqa: PLW2901 - the line above opens the entry
        found = read_rows(table, _caption(lines, table.line))
        rows += (
            Facts(row.name, section.id, row.fields, "row", row.group or section.title, (), row.noun)
            for row in found
        )
        if not found:
            starts[table.line] = _stat_cells(table.columns, table.rows)
    _read_lines(lines, taken, starts, entries)
    read = [facts for e in entries if (facts := _facts(e, section))]
    if rows and read and is_entry(read[0]):  # forms of the one thing that the section is about
        rows = [replace(row, name=f"{section.title}{FORM}{row.name}") for row in rows]
    return (*read, *rows)


def _read_lines(
    lines: Sequence[str], taken: set[int], starts: dict[int, list[tuple[str, str]]],
    entries: list[_Entry],
) -> None:
    fence = pending = open_label = ""
    at = 0
    while at < len(lines):
        line, number = lines[at], at
        at += 1
        mark = _FENCE.match(line)
        if mark and (not fence or line.strip().startswith(fence)):
            fence = "" if fence else mark[1]
            continue
        if number in starts:
            for name, value in starts[number]:
                entries[-1].state(name, value)
        if fence or number in taken or _RULE.match(line):
            if number in taken:
                pending = open_label = ""
            continue
        text = with_marks(line.strip())
        while at < len(lines) and at not in taken and _goes_on(text, lines[at]):
            text, at = f"{text} {with_marks(lines[at].strip())}", at + 1
        named = _HEADING.match(text) or _BOLD_LINE.match(text)
        if named and not text.rstrip("*_").endswith(":"):
            pending, open_label = plain_value(named[named.lastindex or 0]), ""
            if title_key(pending) in TELLING_PARTS:
                entries[-1].traits.setdefault(field_name(pending), pending)
            continue
        for part in _BREAK.split(text) if "<" in text else (text,):
            if _opened(entries, part, pending) is None:
                open_label = _take(entries[-1], part, open_label)
            pending = ""


def _opened(entries: list[_Entry], text: str, pending: str) -> _Entry | None:
    """The entry that ``text`` opens, a new one where it stands under a name of its own."""
    entry = entries[-1]
    entry.seen += 1
    apart = bool(pending) and title_key(pending) != title_key(entry.name)
    if not apart and (entry.opened or entry.seen > OPENING_LINES):
        return None
    opening = read_opening(text)
    if not opening:
        return None
    if apart and (is_sure(opening) or entry.opened):
        entry = _Entry(pending)
        entries.append(entry)
    if is_sure(opening):
        _open(entry, opening)
    else:
        entry.unsure = entry.unsure or opening
    return entry


def _open(entry: _Entry, opening: Sequence[tuple[str, str]]) -> None:
    entry.opened = True
    for name, value in opening:
        entry.state(name, value)


def _take(entry: _Entry, text: str, open_label: str) -> str:
    """Reads one line into ``entry``; the label whose value the next line holds, or ''."""
    said = read_line(text)
    nothing = not (said.labels or said.trait or said.open_label)
    if open_label and nothing and not text.startswith(_STARTS):
        _state(entry, open_label, plain_value(text))
        return ""
    for label, value in said.labels:
        if len(value) > MAX_UNKNOWN and (not known(label) or _SENTENCE_END.search(value)):
            entry.traits.setdefault(field_name(label), opening_words(value))
        else:
            _state(entry, label, value)
    if said.trait:
        name = field_name(said.trait[0])
        if name:
            entry.traits.setdefault(name, opening_words(said.trait[1]))
    elif not said.labels:
        _take_plain(entry, text, said)
    entry.lines.append(text)
    return said.open_label


def _take_plain(entry: _Entry, text: str, said: Line) -> None:
    """The lines of a stat block that have no marks; elsewhere such a line is prose."""
    for name, value in read_abilities(text) if len(text) <= MAX_LINE else ():
        entry.state(name, value)
    if said.open_label or not (entry.opened or entry.unsure):
        return
    stats = read_stats(text) if text[:1].isupper() and len(text) <= MAX_TRAIT else ()
    for label, value in stats:
        _state(entry, label, value)
    unmarked = None if stats or entry.traits or len(text) > MAX_TRAIT else read_unmarked(text)
    if unmarked:
        _state(entry, *unmarked)


def _state(entry: _Entry, label: str, value: str) -> None:
    name = field_name(label)
    if name == "challenge rating":
        found = _CHALLENGE.match(value)
        if found:
            entry.state(name, found[1])
            entry.state("xp", found[2])
            return
    entry.state(name, value)


def _facts(entry: _Entry, section: Section) -> Facts | None:
    if entry.unsure and are_of_an_entry(entry.fields):
        entry.fields = {**dict(entry.unsure), **entry.fields}
    if not entry.fields and not entry.traits:
        return None
    damage = damage_types(" ".join(entry.lines)) if entry.is_entry else ()
    if damage:
        entry.fields.setdefault(DAMAGE_TYPE, ", ".join(damage))
    return Facts(
        entry.name, section.id, tuple(entry.fields.items()), traits=tuple(entry.traits.items())
    )


def _goes_on(text: str, following: str) -> bool:
    """Whether a label or an opening runs on over the line's end: a parenthesis is still open."""
    following = following.strip()
    if len(text) > MAX_TRAIT or not following or following.startswith(_STARTS):
        return False
    return (
        text.count("(") > text.count(")") or text.endswith((",", " and", " or"))
        or names_abilities(text)
    )


def _lines_of(lines: Sequence[str], first: int) -> Iterator[int]:
    while first < len(lines) and "|" in lines[first]:
        yield first
        first += 1


def _caption(lines: Sequence[str], first: int) -> str:
    """A short line right above a table that is no sentence and no label: it names the table."""
    above = first - 1
    while above >= 0 and not lines[above].strip() and above > first - 3:
        above -= 1
    text = lines[above].strip() if above >= 0 else ""
    if not text or text[-1] in ".:;,?!|" or not text[0].isalpha():
        return ""
    if len(text.split()) > _CAPTION_WORDS:
        return ""
    return "" if read_opening(text) else plain_value(text)


def _stat_cells(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[tuple[str, str]]:
    """The values of a stat block that was laid out as a table, from whatever cells they are in."""
    found: dict[str, str] = {}
    for row in (columns, *rows):
        for cell in row:
            for label, value in read_stats(cell):
                found.setdefault(known(label) or label, value)
    cells = " ".join(cell for row in (columns, *rows) for cell in row if cell)
    for name, value in read_abilities(cells):
        found.setdefault(name, value)
    return list(found.items())


def opening_words(text: str) -> str:
    """The first sentence of ``text``, or what of it fits :data:`MAX_TRAIT` characters."""
    text = plain_value(text[: 2 * MAX_TRAIT]).replace("*", "")
    if len(text) <= MAX_TRAIT and ". " not in text:
        return text
    end = text.find(". ", 0, MAX_TRAIT)
    return text[: end + 1] if end > 0 else f"{text[: MAX_TRAIT - 1].rstrip()}…"
