"""Markdown to headings: the lines that open a section, as CommonMark has them.

A heading counts where it stands at the top level of the file, ATX or setext. One inside a code
fence, an HTML block, a block quote or a list is part of that block and opens nothing.

The parser is given only stretches that may hold a heading, each from a line where it would start
afresh: a heading at the margin, or a line at the margin after a blank one, closes every block but
a fence or an HTML block, and how far an open one of these reaches is found by its closing line.
A stretch without such a line is cut, and goes on from the last block or list item that the parser
began in it. So a long file costs time in proportion to its length, and memory for one stretch or
one block.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, blockquote
from markdown_it.token import Token

_FRONT_MATTER: Final = "---"
_FRONT_MATTER_ENDS: Final = frozenset({"---", "..."})
_FRONT_MATTER_LINES: Final = 200
_FIELD: Final = re.compile(r"[\"']?\w[\w.-]*(?: [\w.-]+)*[\"']?\s*:(?:\s|$)")
_GOES_ON: Final = re.compile(r"[ \t\]}]|-(?:\s|$)")
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
_ITEM_OR_TABLE: Final = re.compile(r"(?:[-+*]|\d{1,9}[.)])[ \t].*\|")
"""An item of the list above it, which would be the head of a table if it were the first line."""
_REFERENCE: Final = "]:"

_MOST_LINES: Final = 5_000
"""A stretch is cut behind so many lines,"""
_GROWS: Final = 4
"""and taken so many times longer where all of it is one block."""
_QUOTE_LINES: Final = 64
_QUOTE_GROWS: Final = 16
_MAX_NESTING: Final = 100


def _quote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """The parser's rule for block quotes, with few lines to look at before it gets more.

    It looks ahead to the next blank line each time, so that quotes and text in turns without one
    would cost time in the square of their number.
    """
    lines = _QUOTE_LINES
    while not silent and lines < end - start:
        held = len(state.tokens)
        found = blockquote(state, start, start + lines, silent)
        if not found or state.line < start + lines:
            return found
        del state.tokens[held:]
        lines *= _QUOTE_GROWS
    return blockquote(state, start, end, silent)


# More nesting than the parser follows would hide the rest of a stretch.
_parser = MarkdownIt("commonmark", {"maxNesting": _MAX_NESTING}).enable("table")
_parser.core.ruler.enableOnly(["normalize", "block"])
_parser.block.ruler.at(
    "blockquote", _quote, {"alt": ["paragraph", "reference", "blockquote", "list"]}
)


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of ``lines[start:end]``; ``text`` as it is written, without its marks."""

    start: int
    end: int
    level: int
    text: str


def headings(lines: Sequence[str], first: int = 0) -> Iterator[Heading]:
    """The top-level headings of ``lines[first:]``, in order."""
    position, most = first, _MOST_LINES
    while position < len(lines):
        end, last, cut = _stretch(lines, position, most)
        if last < position:
            position = end
            continue
        # A line end behind the last line: the parser stumbles over some quotes without one.
        tokens = _parser.parse("\n".join((*lines[position : last + 1], "")))
        blocks = [token for token in tokens if token.map and not token.level]
        closed = _closing(lines, position, last, blocks[-1] if blocks else None)
        if closed is not None:
            end = closed + 1
        elif cut:
            begun = position + _last_begun(tokens, lines, position)
            if begun == position:
                most = _GROWS * (end - position)
                continue
            end = begun
        for token, inline in pairwise(tokens):
            if token.type == "heading_open" and token.map and not token.level:
                start, stop = (position + line for line in token.map)
                if start < end:
                    yield Heading(start, stop, int(token.tag[1]), inline.content)
        position, most = end, _MOST_LINES


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


def _stretch(lines: Sequence[str], start: int, most: int) -> tuple[int, int, bool]:
    """Where the parser would start afresh after ``start``, and the last line that matters to it.

    The second is below ``start`` where no line could end a heading or open what may stay open.
    The third says that there is no such line within ``most``: the first is only where to stop.
    """
    last = start - 1
    blank = reference = False
    for number in range(start, len(lines)):
        line = lines[number]
        if number > start and (
            (blank and line and line[0] not in " \t" and not _ITEM_OR_TABLE.match(line))
            or _ATX_AT_MARGIN.match(line)
        ):
            return number, last, False
        if number - start >= most and last >= start and not reference:
            return number, last, True
        blank = not line or _BLANK.match(line) is not None
        # A reference's label and title may run over lines that look like an underline.
        reference = not blank and (reference or _REFERENCE in line)
        if not blank and (reference or _CANDIDATE.match(line)):
            last = number
    return len(lines), last, False


def _last_begun(tokens: Sequence[Token], lines: Sequence[str], start: int) -> int:
    """The last line, counted from ``start``, where the parser began a block or an item of a list.

    An item at the margin is as good as a list of its own.
    """

    def afresh(token: Token, line: str) -> bool:
        return not token.level or (
            token.level == 1 and token.type == "list_item_open"
            and line[0] != " " and not _ITEM_OR_TABLE.match(line)
        )

    return max(
        (token.map[0] for token in tokens
         if token.map and afresh(token, lines[start + token.map[0]])),
        default=0,
    )


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
