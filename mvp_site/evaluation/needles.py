"""Needles: queries with the source lines that answer them.

The sets stand in ``sets/`` as JSON lines. They were written from the source text alone, apart
from tuning, and frozen; ``test`` is the third that is never used for tuning (docs/evaluation.md).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any, Final, Literal

from ..types import Message, Mode

Kind = Literal["lookup", "reworded", "turn", "off_topic"]
Split = Literal["tune", "test"]
KINDS: Final = ("lookup", "reworded", "turn", "off_topic")
ANY_VERSION: Final = "any"


@dataclass(frozen=True, slots=True)
class Span:
    """Lines ``start`` to ``end`` of a file of the archive, 1-based, inclusive."""

    file: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Needle:
    """A query, and its needs: each is met where all lines of one of its spans are printed.

    An off-topic needle has no need; its version is ``any``.
    """

    id: str
    version: str
    kind: Kind
    mode: Mode
    query: str
    needs: tuple[tuple[Span, ...], ...]
    near: bool = False
    state: Mapping[str, Any] | None = None
    history: tuple[Message, ...] = ()


def load_needles(split: Split) -> tuple[Needle, ...]:
    """The needles of one part of the set, in order of ids."""
    text = resources.files(__package__).joinpath(f"sets/needles_{split}.jsonl").read_text("utf-8")
    return tuple(_needle(json.loads(line)) for line in text.splitlines() if line.strip())


def _needle(values: Mapping[str, Any]) -> Needle:
    return Needle(
        id=values["id"], version=values["version"], kind=values["kind"], mode=values["mode"],
        query=values["query"],
        needs=tuple(tuple(Span(**span) for span in need["any"]) for need in values["gold"]),
        near=values.get("near", False), state=values.get("state"),
        history=tuple(Message(**message) for message in values.get("history", ())),
    )


def met(needle: Needle, printed: Iterable[tuple[str, Iterable[tuple[int, int]]]],
        blank: Mapping[str, frozenset[int]]) -> list[list[int]]:
    """For each printed passage, in order, the needs that are met with it and not before.

    ``printed`` gives each passage's file and line spans; ``blank`` the blank lines of each file,
    which need not be printed.
    """
    seen: dict[str, set[int]] = {}
    open_needs = dict(enumerate(needle.needs))
    found: list[list[int]] = []
    for file, spans in printed:
        lines = seen.setdefault(file, set())
        for start, end in spans:
            lines.update(range(start, end + 1))
        now = [
            number for number, need in open_needs.items()
            if any(_printed(span, seen.get(span.file, set()), blank) for span in need)
        ]
        for number in now:
            del open_needs[number]
        found.append(now)
    return found


def _printed(span: Span, lines: set[int], blank: Mapping[str, frozenset[int]]) -> bool:
    skipped = blank.get(span.file, frozenset())
    return all(n in lines or n in skipped for n in range(span.start, span.end + 1))
