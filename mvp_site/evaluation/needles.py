"""Needles: queries with the source lines that answer them.

The sets stand in ``sets/`` as JSON lines. They were written from the source text alone, apart
from tuning, and frozen; ``test`` is the third that is never used for tuning (docs/evaluation.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from ..types import Message, Mode
from .sets import Name, Split, read_set

Kind = Literal["lookup", "reworded", "turn", "off_topic"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
ANY_VERSION: Final = "any"


@dataclass(frozen=True, slots=True)
class Span:
    """Lines ``start`` to ``end`` of a file of the archive, 1-based, inclusive."""

    file: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Need:
    """What is wanted: all lines of ``any`` one of the spans."""

    any: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Needle:
    """A query, and in ``gold`` its needs. An off-topic one has none; its version is ``any``."""

    id: Name
    version: str
    kind: Kind
    mode: Mode
    query: str
    gold: tuple[Need, ...]
    near: bool = False
    state: Mapping[str, Any] | None = None
    history: tuple[Message, ...] = ()

    @property
    def text(self) -> str:
        """The query."""
        return self.query

    @property
    def grades(self) -> Mapping[str, int]:
        """The needs as documents that are relevant."""
        return {need_id(number): 1 for number in range(len(self.gold))}


def need_id(number: int) -> str:
    """What rankings call the need of that number."""
    return f"need-{number}"


def load_needles(split: Split) -> tuple[Needle, ...]:
    """The needles of one part of the set, in order of ids."""
    return read_set(Needle, f"sets/needles_{split}.jsonl", what="needle")


def met(needle: Needle, printed: Iterable[tuple[str, Iterable[tuple[int, int]]]],
        blank: Mapping[str, frozenset[int]]) -> list[list[int]]:
    """For each printed passage, in order, the needs that are met with it and not before.

    ``printed`` gives each passage's file and line spans; ``blank`` the blank lines of each file,
    which need not be printed.
    """
    seen = {file: set(lines) for file, lines in blank.items()}
    open_needs = dict(enumerate(needle.gold))
    found: list[list[int]] = []
    for file, spans in printed:
        lines = seen.setdefault(file, set())
        for start, end in spans:
            lines.update(range(start, end + 1))
        now = [
            number for number, need in open_needs.items()
            if any(
                seen.get(span.file, set()).issuperset(range(span.start, span.end + 1))
                for span in need.any
            )
        ]
        for number in now:
            del open_needs[number]
        found.append(now)
    return found
