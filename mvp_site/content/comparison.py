"""Entities of one type side by side. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from .stat_block import StatBlock, StatBlockEntry


@dataclass(frozen=True, slots=True)
class Compared:
    """What each of them has under one label; '' where it has nothing there."""

    label: str
    values: tuple[str, ...]

    @property
    def differs(self) -> bool:
        """Whether they are not all the same."""
        return len(set(self.values)) > 1


@dataclass(frozen=True, slots=True)
class Comparison:
    """The lines of several entities, in the order of a stat block, and their texts by title."""

    lines: tuple[Compared, ...]
    texts: tuple[tuple[str, tuple[tuple[StatBlockEntry, ...], ...]], ...]


def compared(blocks: Sequence[StatBlock]) -> Comparison:
    """The blocks side by side; levels are left out."""
    lines = [dict(_lines(block)) for block in blocks]
    texts = [{section.title: section.entries for section in block.sections} for block in blocks]
    return Comparison(
        tuple(Compared(name, tuple(line.get(name, "") for line in lines)) for name in _keys(lines)),
        tuple((name, tuple(text.get(name, ()) for text in texts)) for name in _keys(texts)),
    )


def _keys(several: Iterable[Iterable[str]]) -> list[str]:
    return list(dict.fromkeys(key for document in several for key in document))


def _lines(block: StatBlock) -> Iterator[tuple[str, str]]:
    if block.kind:
        yield "Kind", block.kind
    yield from ((line.label, line.text) for line in block.head)
    yield from ((row.name, f"{row.score} ({row.modifier})") for row in block.abilities)
    yield from ((line.label, line.text) for line in (*block.lines, *block.facts))
