"""Parts of the book: a title, the blocks under it and the parts below; a tree becomes Markdown."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias, Union

from ...srd import Paragraphs
from ...text.markdown import blocks

DEEPEST: Final = 6
Content: TypeAlias = Union["str | BookPart", "Iterable[Content]"]


@dataclass(frozen=True, slots=True)
class BookPart:
    """A section of the book: its heading is as deep as it stands in the tree."""

    title: str
    blocks: Paragraphs = ()
    parts: tuple[BookPart, ...] = ()


def part(title: str, *contents: Content) -> BookPart:
    """A part of texts and, behind them, of parts; what is empty is left out.

    The headings in a text open parts, however deep they are, as far as the text goes.
    """
    blocks: list[str] = []
    parts: list[BookPart] = []
    below: list[BookPart] = []
    for content in contents:
        held = list(_flat(content))
        texts = (one for one in held if isinstance(one, str))
        grown = _grown(title, 0, deque(piece for text in texts for piece in _pieces(text)))
        blocks += grown.blocks
        parts += grown.parts
        below += (one for one in held if isinstance(one, BookPart) and (one.blocks or one.parts))
    return BookPart(title, tuple(blocks), (*parts, *below))


def written(parts: Iterable[BookPart], depth: int = 1) -> str:
    """The Markdown of ``parts``, whose headings are of level ``depth``; ends in a line feed."""
    return "\n\n".join(_written(parts, depth)) + "\n"


def _grown(title: str, level: int, pieces: deque[tuple[int, str, str]]) -> BookPart:
    """The part of a heading of ``level``; what belongs to it is taken off ``pieces``."""
    blocks: list[str] = []
    parts: list[BookPart] = []
    while pieces and (not pieces[0][0] or pieces[0][0] > level):
        deeper, heading, text = pieces.popleft()
        if deeper:
            pieces.appendleft((0, "", text))
            below = _grown(heading, deeper, pieces)
            parts += [below] * bool(below.blocks or below.parts)
        else:
            blocks += [text] * bool(text)
    return BookPart(title, tuple(blocks), tuple(parts))


def _flat(content: Content) -> Iterator[str | BookPart]:
    if isinstance(content, str | BookPart):
        yield content
    else:
        for one in content:
            yield from _flat(one)


def _pieces(text: str) -> Iterator[tuple[int, str, str]]:
    """Level and title (0 and empty for none) of each heading, and the text that follows it."""
    lines = text.split("\n")
    heads = [block for block in blocks(lines) if block.level]
    ends = [*(markdown_block.start for markdown_block in heads), len(lines)]
    yield 0, "", "\n".join(lines[: ends[0]]).strip("\n")
    for head, end in zip(heads, ends[1:], strict=True):
        yield head.level, head.title, "\n".join(lines[head.end : end]).strip("\n")


def _written(parts: Iterable[BookPart], depth: int) -> Iterator[str]:
    for book_part in parts:
        yield f"{'#' * min(depth, DEEPEST)} {book_part.title}"
        yield from book_part.blocks
        yield from _written(book_part.parts, depth + 1)
