"""A rulebook's file to sections: ``text`` → lines → blocks → headings → the tree of sections."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

from ..errors import RulebookError, require_text
from ..releases.bundles import digest
from ..text.front_matter import front_block
from ..text.markdown import blocks, split_lines
from ..text.names import fold
from ..text.normalising import binary_kind, clean, too_many_controls
from ..text.titles import read_title
from ..text.tokens import count_tokens
from .assignment import categorised
from .sections import Section, Sections

PREFACE: Final = "Preface"
"""The title of the text before the first heading."""
MAX_SLUG: Final = 64
MAX_ID: Final = 240
_DIGEST: Final = 8


def parse_rulebook(text: str) -> Sections:
    """The sections of a rulebook's markdown, with ids, categories and token counts.

    Line feeds and carriage returns end a line, and nothing else does. Every line but the headings'
    own is in exactly one section: the one of the last heading before it, or the preface.

    Raises:
        RulebookError: there is no text, or what is there is no text.
    """
    lines = split_lines(clean(checked(text)))
    fields, body = front_block(lines)  # its closing rule would make a heading of the last fields
    heads = [
        _Head(*read_title(block.title), block.level, block.start, block.end)
        for block in blocks(lines, body if fields else 0) if block.level
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


def _sections(lines: Sequence[str], heads: Sequence[_Head]) -> list[Section]:
    parents = _parents([head.level for head in heads])
    ids = _ids(heads, parents)
    children: dict[int | None, list[str]] = {}
    for id_, parent in zip(ids, parents, strict=True):
        children.setdefault(parent, []).append(id_)
    ends = [*(head.start for head in heads[1:]), len(lines)]
    sections: list[Section] = []
    for number, (head, parent, end) in enumerate(zip(heads, parents, ends, strict=True)):
        filled = [place for place in range(head.end, end) if lines[place].strip()]
        content = "\n".join(lines[filled[0] : filled[-1] + 1]) if filled else ""
        above = None if parent is None else sections[parent]
        sections.append(Section(id=ids[number], title=head.title, level=head.level, content=content,
                                parent_id=None if above is None else above.id,
                                children_ids=tuple(children.get(number, ())),
                                path=(*(above.path if above else ()), head.title),
                                lines=(head.start + 1, end), anchor=head.anchor,
                                tokens=count_tokens(content)))
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


def _ids(heads: Sequence[_Head], parents: Sequence[int | None]) -> list[str]:
    """The id of each section: its place in the tree as slugs, or the anchor its author gave it.

    ``Classes > Bard > Spellcasting`` is ``classes/bard/spellcasting``, whatever stands
    elsewhere in the book. Siblings of one title are told apart by their order: ``-2``, ``-3``. An
    anchor is the whole id of its section and opens the ids of those below.

    What is added behind a section leaves its id alone, unless it is an anchor of that very name:
    an author's anchor is what other texts refer to.
    """
    # An anchor has the first claim on its name, wherever it stands.
    unclaimed = {_bounded(head.anchor, MAX_ID) for head in heads if head.anchor}
    used, counts, ids = set(unclaimed), dict[str, int](), list[str]()
    for head, parent in zip(heads, parents, strict=True):
        own = slug(head.title) if head.level else "_preface"
        path = own if parent is None else f"{ids[parent]}/{own}"
        name = _bounded(head.anchor or path, MAX_ID)
        free = name in unclaimed if head.anchor else name not in used
        if head.anchor:
            unclaimed.discard(name)
        if not free:
            last = counts.get(name, 1)
            counts[name] = next(n for n in count(last + 1) if f"{name}-{n}" not in used)
            name = f"{name}-{counts[name]}"
        ids.append(name)
        used.add(name)
    return ids


def slug(title: str) -> str:
    """The words of ``title`` joined by hyphens, at most :data:`MAX_SLUG` characters.

    Letters of every script stay. A cut title ends in a hash of the whole one, and a title without
    a letter or digit is one.
    """
    letters = (
        char if char.isalnum() or unicodedata.category(char) in {"Mn", "Mc"} else " "
        for char in fold(title).replace("'", "")
    )
    parts = [part for part in "".join(letters).split() if any(map(str.isalnum, part))]
    if not parts:
        return f"untitled-{_digest(title)}" if title.strip() else "untitled"
    return _bounded("-".join(parts), MAX_SLUG)


def _bounded(text: str, most: int) -> str:
    """``text`` in at most ``most`` characters; what is cut off leaves its hash at the end."""
    if len(text) <= most:
        return text
    return f"{text[: most - _DIGEST - 1].rstrip('-/')}-{_digest(text)}"


def _digest(text: str) -> str:
    return digest(text.encode("utf-8", "replace"))[:_DIGEST]


def read_text(path: Path) -> str:
    """The text of a file.

    Raises:
        RulebookError: it cannot be read, or is empty, binary, or not UTF-8.
    """
    name = str(path)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise RulebookError(f"{name} cannot be read ({error.strerror or error}): give a markdown "
                            "file in UTF-8") from error
    if kind := binary_kind(content) or "UTF-16" * content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise RulebookError(f"{name} is {kind}: export it as markdown in UTF-8")
    try:
        return checked(content.decode("utf-8"), name)
    except UnicodeDecodeError as error:
        raise RulebookError(f"{name} is not UTF-8 at byte {error.start}: give a markdown file "
                            "saved as UTF-8") from None


def checked(text: str, name: str = "the rulebook") -> str:
    """``text`` itself.

    Raises:
        RulebookError: it is blank, or has the characters of a binary file.
    """
    require_text(text, name, RulebookError)
    if not text.removeprefix("\ufeff").strip():
        raise RulebookError(f"{name} is empty: give a markdown file with text in it")
    if controls := too_many_controls(text):
        raise RulebookError(f"{name} is not text: {controls} of its {len(text)} characters are "
                            "control characters; give a markdown file in UTF-8")
    return text
