"""Parts of the book: a title, the blocks under it and the parts below; a tree becomes Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from ...retrieval.markdown import blocks
from ...srd import Paragraphs

DEEPEST: Final = 6


@dataclass(frozen=True, slots=True)
class Part:
    """A section of the book: its heading is as deep as it stands in the tree."""

    title: str
    blocks: Paragraphs = ()
    parts: tuple[Part, ...] = ()

    def with_parts(self, parts: Iterable[Part]) -> Part:
        """The same part with ``parts`` behind those that it has."""
        return replace(self, parts=(*self.parts, *parts))


def written(parts: Iterable[Part], depth: int = 1) -> str:
    """The Markdown of ``parts``, whose headings are of level ``depth``; ends in a line feed."""
    return "\n\n".join(_written(parts, depth)) + "\n"


def without_empty(parts: Iterable[Part]) -> tuple[Part, ...]:
    """``parts`` without those, at any depth, that have neither text nor a part below that has.

    Nor do empty blocks stay.
    """
    kept = (
        replace(part, blocks=tuple(filter(None, part.blocks)), parts=without_empty(part.parts))
        for part in parts
    )
    return tuple(part for part in kept if part.blocks or part.parts)


def part_of(title: str, text: Iterable[str], before: Iterable[str] = ()) -> Part:
    """A part of a record's text: the headings in it open parts below, however deep they are.

    ``before`` are blocks of our own that stand in front of the text.
    """
    opening, below = split_at_headings(text)
    return Part(title, (*before, *opening), below)


def split_at_headings(text: Iterable[str]) -> tuple[Paragraphs, tuple[Part, ...]]:
    """The blocks before the first heading of ``text``, and the tree of what its headings open."""
    root = _Open("", 0)
    above = [root]
    for level, title, block in _pieces(text):
        if level:
            while above[-1].level >= level:
                above.pop()
            opened = _Open(title, level)
            above[-1].parts.append(opened)
            above.append(opened)
        if block:
            above[-1].blocks.append(block)
    closed = root.closed()
    return closed.blocks, closed.parts


@dataclass(slots=True)
class _Open:
    """A part that still grows."""

    title: str
    level: int
    blocks: list[str] = field(default_factory=list)
    parts: list[_Open] = field(default_factory=list)

    def closed(self) -> Part:
        below = tuple(part.closed() for part in self.parts)
        return Part(self.title, tuple(self.blocks), below)


def _pieces(text: Iterable[str]) -> Iterator[tuple[int, str, str]]:
    """Level and title (0 and empty for none) of each heading, and the text that follows it."""
    for block in text:
        lines = block.split("\n")
        heads = [one for one in blocks(lines) if one.level]
        ends = [*(one.start for one in heads), len(lines)]
        if opening := "\n".join(lines[: ends[0]]).strip("\n"):
            yield 0, "", opening
        for head, end in zip(heads, ends[1:], strict=True):
            yield head.level, head.title, "\n".join(lines[head.end : end]).strip("\n")


def _written(parts: Iterable[Part], depth: int) -> Iterator[str]:
    for part in parts:
        yield f"{'#' * min(depth, DEEPEST)} {part.title}"
        yield from part.blocks
        yield from _written(part.parts, depth + 1)
