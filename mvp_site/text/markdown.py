"""Markdown to its top-level blocks, each with its lines: the one reader of Markdown structure.

Blocks are CommonMark's, with tables. A heading counts where it stands at the top level of the
text, ATX or setext; one inside a fence, an HTML block, a quote or a list is part of that block.
The items of a list are blocks of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, MutableMapping, Sequence
from dataclasses import dataclass
from html import unescape
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, blockquote
from markdown_it.token import Token

_NESTING: Final = 100
"""More nesting than the parser follows would hide the rest of a text."""
MAX_TITLE: Final = 1_000
"""No longer title has markup."""
_TAG: Final = re.compile(r"<!--.*?(?:-->|$)|<[^<>]*>", re.DOTALL)
_QUOTE_LINES: Final = 64
_QUOTE_GROWS: Final = 16


def _quote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """The parser's rule for quotes, with few lines to look at before it gets more.

    It looks ahead to the next blank line each time, so that quotes and text in turns without one
    would cost time in the square of their number.
    """
    lines = _QUOTE_LINES
    while not silent and lines < end - start:
        count = len(state.tokens)
        matched = blockquote(state, start, start + lines, silent)
        if not matched or state.line < start + lines:
            return matched
        del state.tokens[count:]
        lines *= _QUOTE_GROWS
    return blockquote(state, start, end, silent)


_parser = MarkdownIt("commonmark", {"maxNesting": _NESTING}).enable("table")
_structure = MarkdownIt("commonmark", {"maxNesting": _NESTING}).enable("table")
_structure.core.ruler.enableOnly(["normalize", "block"])
_structure.block.ruler.at(
    "blockquote", _quote, {"alt": ["paragraph", "reference", "blockquote", "list"]}
)


@dataclass(frozen=True, slots=True)
class MarkdownBlock:
    """``lines[start:end]``, without blank lines at the end; ``level`` is 0 but for headings.

    ``title`` is a heading's text as it is written, without its marks, and ``inline`` are its
    tokens; none of a title of more than :data:`MAX_TITLE` characters.
    """

    start: int
    end: int
    level: int = 0
    title: str = ""
    inline: tuple[Token, ...] = ()
    table: bool = False
    fence: bool = False


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Text as it is written, without the marks of the lists and quotes that it stands in.

    ``level`` is 0 but for the headings that :func:`blocks` counts; ``rows`` are a table's cells,
    and ``text`` is then empty. ``markup`` says that the text may have inline markup.
    """

    text: str
    level: int = 0
    rows: tuple[tuple[str, ...], ...] = ()
    markup: bool = True


def split_lines(text: str) -> list[str]:
    """The lines of ``text``; line feeds and carriage returns end one, and nothing else does."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")


def blocks(lines: Sequence[str], first: int = 0) -> Iterator[MarkdownBlock]:
    """The blocks of ``lines[first:]``, in order.

    What the parser gives no block for, such as the definition of a link, is left out.
    """
    references: dict[str, Any] = {}
    tokens = _structure.parse(_source(lines[first:]), references)
    for index, token in enumerate(tokens):
        if token.map is None or token.nesting == -1:
            continue
        start, end = token.map[0] + first, min(token.map[1] + first, len(lines))
        while end > start and not lines[end - 1].strip():
            end -= 1
        if end == start:
            continue  # white space that the parser takes for text
        if token.level == 0 and not token.type.endswith("_list_open"):
            if token.type == "heading_open":
                text = tokens[index + 1].content
                yield MarkdownBlock(start, end, int(token.tag[1]), text, inline(text, references))
            else:
                yield MarkdownBlock(start, end, table=token.type == "table_open",
                            fence=token.type == "fence")
        elif token.level == 1 and token.type == "list_item_open":
            yield MarkdownBlock(start, end)


def paragraphs(
    lines: Sequence[str], first: int, references: MutableMapping[str, Any]
) -> Iterator[Paragraph]:
    """What is read in ``lines[first:]``, in order: headings, paragraphs, tables, code.

    ``references`` are filled with the definitions of links. Comments and tags of HTML are left out.
    """
    rows: list[list[str]] = []
    level = 0
    for token in _structure.parse(_source(lines[first:]), references):
        if token.type == "heading_open":
            level = 0 if token.level else int(token.tag[1])
        elif token.type == "tr_open":
            rows.append([])
        elif token.type == "table_close":
            yield Paragraph("", rows=tuple(map(tuple, rows)))
            rows = []
        elif token.type == "inline" and rows:
            rows[-1].append(token.content)
        elif token.type == "inline":
            yield Paragraph(token.content, level)
            level = 0
        elif token.type in {"fence", "code_block"}:
            yield Paragraph(token.content, markup=False)
        elif token.type == "html_block":
            yield Paragraph(unescape(_TAG.sub(" ", token.content)), markup=False)


def _source(lines: Sequence[str]) -> str:
    # Characters that the parser rewrites or that shift its line count are made plain first. It
    # stumbles over some quotes without a line end behind the last line.
    return "\n".join((*(line.replace("\x00", " ") for line in lines), ""))


def inline(
    text: str, references: MutableMapping[str, Any] | None = None, longest: int = MAX_TITLE
) -> tuple[Token, ...]:
    """The tokens of a title or paragraph; none of one of more than ``longest`` characters."""
    if len(text) > longest:
        return ()
    return tuple(_parser.parseInline(text, references)[0].children or ())
