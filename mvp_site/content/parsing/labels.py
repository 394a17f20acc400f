"""Labelled values in a book's lines: "Armor Class 17", "**Range:** 60 feet". Pure.

A label opens its line, or stands, written with capitals, in a line that a label opened: lines that
were printed one below the other are often joined when a file is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Final, NamedTuple

_MOST: Final = 4_000
"""Characters of a line in which labels are sought."""
_MARKUP: Final = re.compile(r"\*{1,3}|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)")
_BULLET: Final = re.compile(r"^\s*[-•]\s+")
_ROW: Final = re.compile(r"^\s*\|?(.*?)\|?\s*$")
_RULER: Final = re.compile(r"[\s|:-]*-[\s|:-]*")


class Label(NamedTuple):
    """The names of a label, and its value, both as patterns.

    Each named group of ``value`` is a field. Without names the value itself opens a line.
    """

    names: str
    value: str

    def found(self, line: str, start: int) -> tuple[int, re.Match[str]] | None:
        """Where the next of its values in ``line`` is labelled, and the value."""
        value = _pattern(self.value)
        if not self.names:
            said = value.match(line) if not start else None
            return (0, said) if said else None
        label = _pattern(rf"(?<![\w(])(?:{self.names})(?:\s*[:.|]\s*|\s+)")
        for name in label.finditer(line, start):
            opens = not name.start() or name[0][0].isupper()
            if opens and (said := value.match(line, name.end())):
                return name.start(), said
        return None


@cache
def _pattern(written: str) -> re.Pattern[str]:
    return re.compile(written, re.IGNORECASE)


@dataclass(slots=True)
class Read:
    """The values found by field, and the lines that no label took.

    ``before`` stood above the first label, ``after`` below it.
    """

    given: dict[str, str] = field(default_factory=dict)
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)


def read(lines: Iterable[str], labels: Sequence[Label]) -> Read:
    """What ``labels`` find in ``lines``; of a field that is given twice the first value counts."""
    out = Read()
    for line in lines:
        marks = _marks(line[:_MOST], labels)
        if not marks:
            (out.after if out.given else out.before).append(line)
            continue
        for at, (_, value) in enumerate(marks):
            end = marks[at + 1][0] if at + 1 < len(marks) else len(line)
            taken = value.re.match(line, value.start(), end) or value
            for name, said in taken.groupdict().items():
                if said and said.strip():
                    out.given.setdefault(name, said.strip(" ,;:\n"))
            if rest := line[min(taken.end(), end) : end].strip(" ;,|\n"):
                out.after.append(rest)
    return out


def _marks(line: str, labels: Sequence[Label]) -> list[tuple[int, re.Match[str]]]:
    """The places of labels and their values, in order; none where no label opens the line."""
    found: list[tuple[int, re.Match[str]]] = []
    at = 0
    while True:
        here = [mark for one in labels if (mark := one.found(line, at))]
        if not found:
            here = [mark for mark in here if not mark[0]]
        if not here:
            return found
        # Of two that start in one place the longer name counts.
        mark = min(here, key=lambda one: (one[0], -one[1].start()))
        found.append(mark)
        at = max(mark[1].start() + 1, 1)


def plain(text: str) -> str:
    """``text`` without the marks of emphasis and of a list."""
    return _MARKUP.sub("", _BULLET.sub("", text)).strip()


def rows(text: str) -> list[list[str]]:
    """The cells of a table by rows, without the line that rules it; none of a text."""
    lines = [line for line in text.split("\n") if line.strip()]
    if not lines or not all("|" in line for line in lines):
        return []
    found = (_ROW.sub(r"\1", line).split("|") for line in lines if not _RULER.fullmatch(line))
    return [[plain(cell) for cell in cells] for cells in found]


def markdown(text: str) -> str:
    """``text`` as Markdown: a table gets the line below its head."""
    cells = rows(text)
    if len(cells) < 2:
        return text.strip()
    lines = [f"| {' | '.join(row)} |" for row in cells]
    return "\n".join([lines[0], f"|{' --- |' * len(cells[0])}", *lines[1:]])
