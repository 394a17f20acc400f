"""Markdown to sections: ``text`` → lines → blocks → the tree of sections."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ..retrieval.markdown import Block, blocks, split_lines
from ..retrieval.text import clean
from ..retrieval.tokens import count_tokens
from .assignment import categorised
from .ids import section_ids
from .sections import Section, Sections
from .source import checked
from .titles import read_title

PREFACE: Final = "Preface"
"""The title of the text before the first heading."""
_FRONT_MATTER: Final = "---"
_FRONT_MATTER_ENDS: Final = frozenset({"---", "..."})
_FRONT_MATTER_LINES: Final = 200
_FIELD: Final = re.compile(r"[\"']?\w[\w.-]*(?: [\w.-]+)*[\"']?\s*:(?:\s|$)")
_GOES_ON: Final = re.compile(r"[ \t\]}]|-(?:\s|$)")


def parse_rulebook(text: str) -> Sections:
    """The sections of a rulebook's markdown, with ids, categories and token counts.

    Line feeds and carriage returns end a line, and nothing else does. Every line but the headings'
    own is in exactly one section: the one of the last heading before it, or the preface.

    Raises:
        RulebookError: there is no text, or what is there is no text.
    """
    lines = split_lines(clean(checked(text)))
    opening = after_front_matter(lines)
    found = [block for block in blocks(lines, opening) if block.level]
    first = found[0].start if found else len(lines)
    preface = any(line.strip() for line in lines[:first])
    return categorised(Sections(_sections(lines, found, preface)))


def after_front_matter(lines: Sequence[str]) -> int:
    """The number of lines that a YAML front matter takes at the start of a file, 0 without one.

    Its closing rule would otherwise make a heading of the last fields. A book may open with a rule
    as well, so there are fields, their values and comments between the two, and nothing else; no
    comment where a blank line comes first, as then it is a heading.
    """
    if not lines or lines[0].rstrip() != _FRONT_MATTER:
        return 0
    fields = False
    comments = any(map(str.strip, lines[1:2]))
    for number, line in enumerate(lines[1 : _FRONT_MATTER_LINES + 1], 1):
        if line.rstrip() in _FRONT_MATTER_ENDS:
            return number + 1 if fields else 0
        if _FIELD.match(line):
            fields = True
        elif line.startswith("#"):
            if not comments:
                return 0
        elif line.strip() and not (fields and _GOES_ON.match(line)):
            return 0
    return 0


def _sections(lines: Sequence[str], found: Sequence[Block], preface: bool) -> list[Section]:
    read = [read_title(heading.title) for heading in found]
    levels = [heading.level for heading in found]
    starts = [heading.start for heading in found]
    opens = [heading.end for heading in found]
    if preface:
        read.insert(0, (PREFACE, None))
        levels.insert(0, 0)
        starts.insert(0, 0)
        opens.insert(0, 0)
    titles = [title for title, _ in read]
    anchors = [anchor for _, anchor in read]
    parents = _parents(levels)
    ids = section_ids(titles, parents, anchors, preface)
    children: list[list[str]] = [[] for _ in ids]
    paths: list[tuple[str, ...]] = []
    for number, parent in enumerate(parents):
        if parent is not None:
            children[parent].append(ids[number])
        paths.append((*(paths[parent] if parent is not None else ()), titles[number]))
    ends = [*starts[1:], len(lines)]
    sections: list[Section] = []
    for number, parent in enumerate(parents):
        content = _trimmed(lines, opens[number], ends[number])
        sections.append(
            Section(
                id=ids[number], title=titles[number], level=levels[number], content=content,
                parent_id=None if parent is None else ids[parent],
                children_ids=tuple(children[number]), path=paths[number],
                lines=(starts[number] + 1, ends[number]), anchor=anchors[number],
                tokens=count_tokens(content),
            )
        )
    return sections


def _parents(levels: Sequence[int]) -> list[int | None]:
    """The number of the section that each stands under: the last before it of a lower level.

    The preface, of level 0, has none below it.
    """
    above: list[int] = []
    parents: list[int | None] = []
    for number, level in enumerate(levels):
        while above and levels[above[-1]] >= level:
            above.pop()
        parents.append(above[-1] if above else None)
        if level:
            above.append(number)
    return parents


def _trimmed(lines: Sequence[str], start: int, end: int) -> str:
    """Lines ``start`` to ``end`` without the blank ones at either end."""
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    return "\n".join(lines[start:end])
