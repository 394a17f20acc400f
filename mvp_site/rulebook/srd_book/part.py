"""Parts of the book: a title, the blocks under it and the parts below; a tree becomes Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias, Union

from ...retrieval.markdown import blocks
from ...srd import Paragraphs

DEEPEST: Final = 6
Content: TypeAlias = Union["str | Part", "Iterable[Content]"]


@dataclass(frozen=True, slots=True)
class Part:
    """A section of the book: its heading is as deep as it stands in the tree."""

    title: str
    blocks: Paragraphs = ()
    parts: tuple[Part, ...] = ()


def part(title: str, *contents: Content) -> Part:
    """A part of texts and, behind them, of parts; what is empty is left out.

    The headings in a text open parts, however deep they are, as far as the text goes.
    """
    root = _Open(title, 0)
    below: list[Part] = []
    for content in contents:
        above = [root]
        for one in _flat(content):
            if isinstance(one, Part):
                below += [one] * bool(one.blocks or one.parts)
                continue
            for level, heading, text in _pieces(one):
                if level:
                    while above[-1].level >= level:
                        above.pop()
                    opened = _Open(heading, level)
                    above[-1].parts.append(opened)
                    above.append(opened)
                above[-1].blocks += [text] * bool(text)
    return root.closed(below)


def written(parts: Iterable[Part], depth: int = 1) -> str:
    """The Markdown of ``parts``, whose headings are of level ``depth``; ends in a line feed."""
    return "\n\n".join(_written(parts, depth)) + "\n"


@dataclass(slots=True)
class _Open:
    """A part that still grows."""

    title: str
    level: int
    blocks: list[str] = field(default_factory=list)
    parts: list[_Open] = field(default_factory=list)

    def closed(self, more: Iterable[Part] = ()) -> Part:
        below = [one for opened in self.parts if (one := opened.closed()).blocks or one.parts]
        return Part(self.title, tuple(self.blocks), (*below, *more))


def _flat(content: Content) -> Iterator[str | Part]:
    if isinstance(content, str | Part):
        yield content
    else:
        for one in content:
            yield from _flat(one)


def _pieces(text: str) -> Iterator[tuple[int, str, str]]:
    """Level and title (0 and empty for none) of each heading, and the text that follows it."""
    lines = text.split("\n")
    heads = [one for one in blocks(lines) if one.level]
    ends = [*(one.start for one in heads), len(lines)]
    yield 0, "", "\n".join(lines[: ends[0]]).strip("\n")
    for head, end in zip(heads, ends[1:], strict=True):
        yield head.level, head.title, "\n".join(lines[head.end : end]).strip("\n")


def _written(parts: Iterable[Part], depth: int) -> Iterator[str]:
    for one in parts:
        yield f"{'#' * min(depth, DEEPEST)} {one.title}"
        yield from one.blocks
        yield from _written(one.parts, depth + 1)
