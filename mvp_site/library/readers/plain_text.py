"""Plain text to blocks: its encoding, its pages, its wrapped lines and its headings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from ...errors import FrontMatterError, LibraryError
from ...text.decoding import DecodingError, decoded
from ...text.front_matter import read_keys
from ...text.markdown import split_lines
from ...text.normalising import too_many_controls
from ...types import Audience
from ..types import Text
from .book_blocks import MAX_BLOCKS, Written, readable, title_of

_KEYS: Final = frozenset({"title", "audience"})
_TITLE: Final = 80
_WRAPPED: Final = 200
"""No longer line was wrapped by hand."""
_NARROWEST: Final = 50
_RULE: Final = re.compile(r"\s*(?:(={3,})|-{3,})\s*")
_NUMBER: Final = r"(?:\d{1,3}|[IVXLC]{1,7}|[A-Z]|one|two|three|four|five|six|seven|eight|nine|ten)"
_CHAPTER: Final = re.compile(
    rf"(?:chapter|part|book|appendix|act)\s+{_NUMBER}(?:\s*[:.–—-]\s*\S.*|\s+[^\W\d_].*)?",
    re.IGNORECASE,
)
_SECTION: Final = re.compile(r"(\d{1,3}(?:\.\d{1,3}){1,5})\.?\s+[^\W\d_].*")
_NUMBERED: Final = re.compile(r"\d{1,3}[.)]\s+\S")
_LONGEST: Final = 60
"""Characters of a heading in capitals."""
_ITEM: Final = re.compile(r"\s*(?:[-*•–]|\d{1,3}[.)])\s+(?=\S)")
_GAP: Final = re.compile(r"\S(?:\t| {2,})\S")


@dataclass(frozen=True, slots=True)
class PlainSource:
    """The lines of a file, and what its front matter says: '' and ``player`` where it does not.

    ``lines[body:]`` are its text; ``notes`` are on its encoding.
    """

    lines: Sequence[str]
    body: int
    title: str
    audience: Audience
    notes: tuple[str, ...]


def read_plain_text(path: Path) -> Text:
    """The text of a file without markup; form feeds part its pages, if it has any.

    Headings are lines that stand alone in capitals, numbered or not, are underlined, or begin with
    "Chapter 3" or "1.2".

    Raises:
        LibraryError: it is no text, or its front matter says something that cannot be read.
    """
    source = read_source(path)
    pages = "\n".join(source.lines[source.body :]).rstrip("\f\n ").split("\f")
    width = _width(source.lines)
    written = Written(path.name)
    for number, page in enumerate(pages, 1):
        for group in _groups(page.split("\n")):
            _add(written, group, width, number if len(pages) > 1 else None)
    return Text(source.title or title_of(path), tuple(written.blocks), audience=source.audience,
                notes=source.notes, pages=len(pages) if len(pages) > 1 else 0)


def read_source(path: Path) -> PlainSource:
    """A file of text, decoded.

    Raises:
        LibraryError: it is no text, has too many lines, or its front matter does not parse or
            seems to state an audience that is not read.
    """
    try:
        text, note = decoded(path.read_bytes())
    except DecodingError as error:
        raise LibraryError(f"{path.name}: {error}") from None
    if too_many_controls(text):
        raise LibraryError(f"{path.name} is no text: it has the bytes of another kind of file; "
                           "give it the suffix of what it is")
    if text.count("\n") + text.count("\r") > MAX_BLOCKS:
        raise LibraryError(f"{path.name} has more than {MAX_BLOCKS:,} lines: divide it into "
                           "several files")
    lines = split_lines(text)
    try:
        front_matter, body = read_keys(lines, path.name, _KEYS)
    except FrontMatterError as error:
        raise LibraryError(str(error)) from None
    title = front_matter.get("title")
    return PlainSource(lines, body, "" if title is None else readable(str(title)),
                       cast("Audience", front_matter.get("audience", "player")),
                       (note,) if note else ())


def _width(lines: Sequence[str]) -> int:
    """What a line has room for: the length that one in twenty lines exceeds."""
    lengths = sorted(len(line.rstrip()) for line in lines if line.strip())
    return max(lengths[len(lengths) * 19 // 20], _NARROWEST) if lengths else _NARROWEST


def _add(written: Written, group: Sequence[str], width: int, page: int | None) -> None:
    """Append a group of lines: a heading or paragraphs."""
    if level := _level(group):
        written.add(" ".join(line for line in group if not _RULE.fullmatch(line)), level, page)
    else:
        for text in _unwrapped(group, width):
            written.add(text, 0, page)


def _groups(lines: Sequence[str]) -> Iterator[list[str]]:
    """Lines that no blank line parts; a line with its underline is a group of its own."""
    group: list[str] = []
    for line in (*lines, ""):
        if group and _RULE.fullmatch(line) and _underlined(group[-1]):
            if group[:-1]:
                yield group[:-1]
            yield [group[-1], line]
            group = []
        elif line.strip():
            group.append(line)
        elif group:
            yield group
            group = []


def _underlined(line: str) -> bool:
    text = line.strip()
    return len(text) <= _TITLE and any(map(str.isalpha, text)) and not _GAP.search(text)


def _level(group: Sequence[str]) -> int:
    """The level of the heading that a group of lines is, 0 where it is none."""
    text = " ".join(line.strip() for line in group)
    if len(group) > 1 and (rule := _RULE.fullmatch(group[-1])):
        return 1 if rule[1] else 2
    if len(text) > _TITLE or len(group) > 2 or text[-1] in ".,;!?":
        return 0
    if _CHAPTER.fullmatch(text):
        return 1
    if len(group) == 1 and (section := _SECTION.fullmatch(text)):
        return section[1].count(".") + 1
    letters = sum(map(str.isalpha, text))
    capitals = text.isupper() and letters > 2 and letters * 2 > len(text)
    if not capitals or len(text) > _LONGEST:
        return 0
    return 1 if len(group) == 1 and _NUMBERED.match(text) else 0 if _ITEM.match(text) else 2


def _unwrapped(group: Sequence[str], width: int) -> Iterator[str]:
    """The paragraphs of a group of lines: a line that had room for the next word was ended."""
    paragraph: list[str] = []
    last = ""
    for line in group:
        text = line.strip()
        room = len(last) + 1 + len(text.split(maxsplit=1)[0]) <= width
        wrapped = last and len(last) <= _WRAPPED and (text[0].islower() or not room)
        if paragraph and (_ITEM.match(line) or not wrapped):
            yield " ".join(paragraph)
            paragraph = []
        paragraph.append(text)
        last = line.rstrip()
    yield " ".join(paragraph)
