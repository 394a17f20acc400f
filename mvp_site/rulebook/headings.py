"""Markdown to headings: the lines that open a section, as CommonMark has them.

A heading counts where it stands at the top level of the file, ATX or setext. One inside a code
fence, an HTML block, a block quote or a list is part of that block and opens nothing.

The parser is given only stretches that may hold a heading, each from a line where it would start
afresh: a heading at the margin, or a line at the margin after a blank one, closes every block but
a fence or an HTML block, and how far an open one of these reaches is found by its closing line.
So a long file costs time in proportion to its length and memory for one stretch.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

_FRONT_MATTER: Final = "---"
_FRONT_MATTER_ENDS: Final = frozenset({"---", "..."})
_FRONT_MATTER_LINES: Final = 200
_FIELD: Final = re.compile(r"(?:[\w.-]+(?: [\w.-]+)*\s*:(?:\s|$)|#)")
_ATX_AT_MARGIN: Final = re.compile(r"#{1,6}(?:[ \t]|$)")
_CANDIDATE: Final = re.compile(
    r" {0,3}(?:#{1,6}(?:[ \t]|$)|(?:=+|-+)[ \t]*$|`{3}|~{3}|<[!?/a-zA-Z])"
)
_HTML: Final = tuple(
    (re.compile(opening, re.IGNORECASE), re.compile(closing, re.IGNORECASE))
    for opening, closing in (
        (r"<(?:script|pre|style|textarea)(?:\s|>|$)", r"</(?:script|pre|style|textarea)>"),
        (r"<!--", r"-->"),
        (r"<\?", r"\?>"),
        (r"<![a-z]", r">"),
        (r"<!\[CDATA\[", r"\]\]>"),
    )
)
_BLANK: Final = re.compile(r"^[ \t]*$")
_REFERENCE: Final = "]:"

_parser = MarkdownIt("commonmark").enable("table")
_parser.core.ruler.enableOnly(["normalize", "block"])


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of ``lines[start:end]``; ``text`` as it is written, without its marks."""

    start: int
    end: int
    level: int
    text: str


def headings(lines: Sequence[str], first: int = 0) -> Iterator[Heading]:
    """The top-level headings of ``lines[first:]``, in order."""
    position = first
    while position < len(lines):
        end, last = _stretch(lines, position)
        if last < position:
            position = end
            continue
        tokens = _parser.parse("\n".join(lines[position : last + 1]))
        block: Token | None = None
        for number, token in enumerate(tokens):
            if token.level or token.map is None:
                continue
            block = token
            if token.type == "heading_open":
                start, stop = token.map
                yield Heading(
                    position + start, position + stop, int(token.tag[1]),
                    tokens[number + 1].content,
                )
        closed = _closing(lines, position, last, block)
        position = end if closed is None else closed + 1


def after_front_matter(lines: Sequence[str]) -> int:
    """The number of lines that a YAML front matter takes at the start of a file, 0 without one.

    Its closing rule would otherwise make a heading of the last fields.
    """
    if not lines or lines[0].rstrip() != _FRONT_MATTER:
        return 0
    inside = False
    for number, line in enumerate(lines[1 : _FRONT_MATTER_LINES + 1], 1):
        if line.rstrip() in _FRONT_MATTER_ENDS:
            return number + 1 if inside else 0
        if not inside and line.strip():
            if not _FIELD.match(line):
                return 0
            inside = True
    return 0


def _stretch(lines: Sequence[str], start: int) -> tuple[int, int]:
    """Where the parser would start afresh after ``start``, and the last line that matters to it.

    The second is below ``start`` where no line could end a heading or open what may stay open.
    """
    last = start - 1
    blank = reference = False
    for number in range(start, len(lines)):
        line = lines[number]
        if number > start and (
            (blank and line and line[0] not in " \t") or _ATX_AT_MARGIN.match(line)
        ):
            return number, last
        blank = not line or _BLANK.match(line) is not None
        if blank:
            reference = False
        elif reference or _CANDIDATE.match(line):
            last = number
        if _REFERENCE in line:
            reference = True  # its title may run on over lines that look like an underline
    return len(lines), last


def _closing(lines: Sequence[str], start: int, last: int, block: Token | None) -> int | None:
    """The line that closes the last ``block`` where it is still open after line ``last``."""
    if block is None or block.map is None or start + block.map[1] <= last:
        return None
    opening = start + block.map[0]
    if block.type == "fence":
        mark = re.compile(rf" {{0,3}}{block.markup[0]}{{{len(block.markup)},}}[ \t]*$")
        closed = last > opening and mark.match(lines[last]) is not None
        return None if closed else _first(lines, last + 1, mark.match)
    if block.type == "html_block":
        line = lines[opening].lstrip(" ")
        closes = next((closing for opens, closing in _HTML if opens.match(line)), _BLANK)
        closed = any(map(closes.search, lines[opening : last + 1]))
        return None if closed else _first(lines, last + 1, closes.search)
    return None


def _first(lines: Sequence[str], start: int, closes: Callable[[str], object]) -> int:
    """The first line from ``start`` on that closes; past the end where none does."""
    return next((n for n in range(start, len(lines)) if closes(lines[n])), len(lines))
