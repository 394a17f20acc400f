"""Markdown to its top-level blocks, each with its lines: the one reader of Markdown structure.

Blocks are CommonMark's, with tables. A heading counts where it stands at the top level of the
text, ATX or setext; one inside a fence, an HTML block, a quote or a list is part of that block.
The items of a list are blocks of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, blockquote
from markdown_it.token import Token

_NESTING: Final = 100
"""More nesting than the parser follows would hide the rest of a text."""
MAX_TITLE: Final = 1_000
"""No longer title has markup."""
_QUOTE_LINES: Final = 64
_QUOTE_GROWS: Final = 16


def _quote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """The parser's rule for quotes, with few lines to look at before it gets more.

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


_parser = MarkdownIt("commonmark", {"maxNesting": _NESTING}).enable("table")
_structure = MarkdownIt("commonmark", {"maxNesting": _NESTING}).enable("table")
_structure.core.ruler.enableOnly(["normalize", "block"])
_structure.block.ruler.at(
    "blockquote", _quote, {"alt": ["paragraph", "reference", "blockquote", "list"]}
)


@dataclass(frozen=True, slots=True)
class Block:
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


def split_lines(text: str) -> list[str]:
    """The lines of ``text``; line feeds and carriage returns end one, and nothing else does."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")


def blocks(lines: Sequence[str], first: int = 0) -> Iterator[Block]:
    """The blocks of ``lines[first:]``, in order.

    What the parser gives no block for, such as the definition of a link, is left out.
    """
    # Characters that the parser rewrites or that shift its line count are made plain first. It
    # stumbles over some quotes without a line end behind the last line.
    source = "\n".join((*(line.replace("\x00", " ") for line in lines[first:]), ""))
    references: dict[str, Any] = {}
    tokens = _structure.parse(source, references)
    for index, token in enumerate(tokens):
        if token.map is None or token.nesting == -1:
            continue
        start, end = token.map[0] + first, min(token.map[1] + first, len(lines))
        while end > start and not lines[end - 1].strip():
            end -= 1
        if token.level == 0 and not token.type.endswith("_list_open"):
            if token.type == "heading_open":
                text = tokens[index + 1].content
                yield Block(start, end, int(token.tag[1]), text, inline(text, references))
            else:
                yield Block(start, end, table=token.type == "table_open",
                            fence=token.type == "fence")
        elif token.level == 1 and token.type == "list_item_open":
            yield Block(start, end)


def inline(text: str, references: MutableMapping[str, Any] | None = None) -> tuple[Token, ...]:
    """The tokens of a title; none of one that is too long for markup."""
    if len(text) > MAX_TITLE:
        return ()
    return tuple(_parser.parseInline(text, references)[0].children or ())
