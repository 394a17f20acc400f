"""The spells that a book describes: name, level, school, and the classes that the entry names.

An entry is known by its form: a line like "3rd-level evocation" or "Level 3 Evocation (Wizard)",
or a label for its casting time. Its name is the heading above, or the bold line where many entries
stand under one heading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ...retrieval.names import title_key
from ..sections import Section, Sections
from .fields import field_name
from .labels import read_line
from .levels import CANTRIP, cell_level
from .openings import is_sure, read_opening
from .tables import plain_cell

MAX_NAME: Final = 80
_CASTING_TIME: Final = "casting time"
_HINTS: Final = (_CASTING_TIME, "cast time", "cantrip", "level")
_OPENING: Final = re.compile(r"[ \t>]*(?:[-*+•][ \t]+)?")
_BOLD: Final = re.compile(r"(?:\*{2,3}|_{2,3})([^*_|]{2,80}?)(?:\*{2,3}|_{2,3})[:.]?\\?$")
_MAX_OPENING: Final = 200
_NOBODY: Final = frozenset({"", "none", "n a", "any", "all", "ritual", "concentration", "special"})
_AND: Final = re.compile(r"^(?:and|or|the)\s+", re.IGNORECASE)
_IN_PARENTHESES: Final = re.compile(r"\(([^()]*)\)|\[([^\[\]]*)\]")
_ASIDE: Final = re.compile(r"\s*(?:\([^()]*\)|\[[^\[\]]*\])\s*")
MAX_CLASS_WORDS: Final = 5


@dataclass(frozen=True, slots=True)
class SpellEntry:
    """A spell as its entry has it; ``level`` is 0 for a cantrip and None where it says nothing.

    ``classes`` are pairs of a class and, where only a part of it may cast the spell, that part.
    """

    name: str
    level: int | None
    school: str
    classes: tuple[tuple[str, str], ...]
    section_id: str


def spell_entries(sections: Sections) -> dict[str, SpellEntry]:
    """The spells that the book describes, by :func:`~..names.title_key`; the first of a name."""
    found: dict[str, SpellEntry] = {}
    for section in sections:
        for entry in _section_entries(section):
            key = title_key(entry.name)
            if key and key not in found:
                found[key] = entry
    return found


def class_parts(value: str) -> tuple[tuple[str, str], ...]:
    """The classes that ``value`` lists, each with the part of it that is named in parentheses.

    "Sorcerer, Cleric (Light Domain) and Wizard" gives Sorcerer, Cleric with Light Domain, Wizard.
    """
    found: dict[tuple[str, str], None] = {}
    for piece in _at_commas(value):
        inside = _IN_PARENTHESES.search(piece)
        part = (inside[1] or inside[2] or "").strip() if inside else ""
        for written in _ASIDE.sub(" ", piece).split(" and "):
            name = _AND.sub("", written.strip(" .*_†‡")).strip()
            key = title_key(name)
            if key not in _NOBODY and len(key.split()) <= MAX_CLASS_WORDS and not key.isdigit():
                found[name, part] = None
    return tuple(found)


def spell_level(text: str) -> int | None:
    """The level of a spell that ``text`` is, 0 for a cantrip; None where it is none."""
    if CANTRIP in text.lower():
        return 0
    level = cell_level(text)
    return level if level is not None and level <= 9 else None


def _section_entries(section: Section) -> Iterator[SpellEntry]:
    lower = section.content.lower()
    if not any(hint in lower for hint in _HINTS):
        return
    sure = _CASTING_TIME in lower
    draft = _Draft(section.title)
    above = ""
    for line in section.content.split("\n"):
        text = _OPENING.sub("", line, count=1).strip()
        if not text:
            continue
        fields = dict(_opening(text, sure))
        if fields:
            named = _BOLD.match(above)
            if draft.level_said or (named and draft.is_spell):
                if draft.is_spell:
                    yield draft.entry(section.id)
                draft = _Draft(plain_cell(named[1]) if named else "")
            elif named:
                draft = _Draft(plain_cell(named[1]))
            draft.open(fields)
        elif text[:1] in "*_<" or ":" in text[:MAX_NAME]:
            read = read_line(line)
            for label, value in (*read.labels, *((read.trait,) if read.trait else ())):
                draft.label(field_name(label), value)
        above = text
    if draft.is_spell:
        yield draft.entry(section.id)


def _opening(text: str, sure: bool) -> tuple[tuple[str, str], ...]:
    """The fields of a line that opens a spell; ``sure``: the section has other lines of a spell."""
    if len(text) > _MAX_OPENING:
        return ()
    lower = text.lower()
    if CANTRIP not in lower and "level" not in lower:
        return ()
    fields = read_opening(text)
    if not any(name == "school" for name, _ in fields):
        return ()
    return fields if sure or is_sure(fields) else ()


class _Draft:
    """An entry while its lines are read."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.level: int | None = None
        self.school = ""
        self.classes: dict[tuple[str, str], None] = {}
        self.level_said = False
        self.is_spell = False

    def open(self, fields: dict[str, str]) -> None:
        self.level_said = self.is_spell = True
        self.level = spell_level(fields.get("level", ""))
        self.school = fields.get("school", "")
        self.classes.update(dict.fromkeys(class_parts(fields.get("classes", ""))))

    def label(self, field: str, value: str) -> None:
        if field == _CASTING_TIME:
            self.is_spell = True
        elif field == "level" and self.level is None:
            self.level = spell_level(value)
        elif field == "school" and not self.school:
            self.school = value
        elif field == "classes":
            self.classes.update(dict.fromkeys(class_parts(value)))

    def entry(self, section_id: str) -> SpellEntry:
        return SpellEntry(
            self.name[:MAX_NAME], self.level, self.school, tuple(self.classes), section_id
        )


def _at_commas(text: str) -> Iterator[str]:
    """The parts of ``text`` between commas, semicolons, slashes and bars outside parentheses."""
    start = depth = 0
    for at, char in enumerate(text):
        depth += (char in "([") - (char in ")]")
        if char in ",;/|" and depth <= 0:
            yield text[start:at]
            start = at + 1
    yield text[start:]
