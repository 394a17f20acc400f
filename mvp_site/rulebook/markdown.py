"""Markdown to sections: ``text`` → lines → blocks → headings → the tree of sections."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from ..text.markdown import blocks, split_lines
from ..text.normalising import clean
from ..text.titles import read_title
from ..text.tokens import count_tokens
from .assignment import categorised
from .ids import section_ids
from .sections import Section, Sections
from .source import checked

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
    heads = [
        _Head(*read_title(block.title), block.level, block.start, block.end)
        for block in blocks(lines, after_front_matter(lines)) if block.level
    ]
    if any(line.strip() for line in lines[: heads[0].start if heads else None]):
        heads.insert(0, _Head(PREFACE, None, 0, 0, 0))
    return Sections(categorised(_sections(lines, heads)))


class _Head(NamedTuple):
    """A heading, its first line, and the line behind it."""

    title: str
    anchor: str | None
    level: int
    start: int
    end: int


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


def _sections(lines: Sequence[str], heads: Sequence[_Head]) -> list[Section]:
    parents = _parents([head.level for head in heads])
    ids = section_ids([head.title for head in heads], parents, [head.anchor for head in heads],
                      preface=not heads[0].level)
    children: dict[int | None, list[str]] = {}
    paths: list[tuple[str, ...]] = []
    for own, parent, head in zip(ids, parents, heads, strict=True):
        children.setdefault(parent, []).append(own)
        paths.append((*(() if parent is None else paths[parent]), head.title))
    ends = [*(head.start for head in heads[1:]), len(lines)]
    sections: list[Section] = []
    for number, (head, end) in enumerate(zip(heads, ends, strict=True)):
        said = [place for place in range(head.end, end) if lines[place].strip()]
        content = "\n".join(lines[said[0] : said[-1] + 1]) if said else ""
        parent = parents[number]
        sections.append(Section(
            id=ids[number], title=head.title, level=head.level, content=content,
            parent_id=None if parent is None else ids[parent],
            children_ids=tuple(children.get(number, ())), path=paths[number],
            lines=(head.start + 1, end), anchor=head.anchor, tokens=count_tokens(content),
        ))
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
