"""Labelled values in a book's lines: "Armor Class 17", "**Range:** 60 feet". Pure.

A label opens its line, or stands, written with capitals, in a line that a label opened: lines that
were printed one below the other are often joined when a file is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

_MOST: Final = 4_000
"""Characters of a line in which labels are sought."""
_MARKUP: Final = re.compile(r"\*{1,3}|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)")


class Label(NamedTuple):
    """What a label matches, and its value behind it, of which each named group is a field."""

    name: re.Pattern[str]
    value: re.Pattern[str]


def label(names: str, value: str) -> Label:
    """A label of such names and values, both patterns; without names a value opens a line."""
    name = rf"(?<![\w(])(?:{names})(?:\s*[:.|]\s*|\s+)" if names else "^"
    return Label(re.compile(name, re.IGNORECASE), re.compile(value, re.IGNORECASE))


@dataclass(slots=True)
class LabelledValues:
    """The values found by field; lines that no label took, ``before`` above those with labels."""

    given: dict[str, Any] = field(default_factory=dict)
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)

    @property
    def rest(self) -> list[str]:
        """All lines that no label took."""
        return [*self.before, *self.after]


def read(lines: Iterable[str], labels: Sequence[Label]) -> LabelledValues:
    """What ``labels`` find in ``lines``; of a field that is given twice the first value counts."""
    out = LabelledValues()
    for line in lines:
        marks = _marks(line[:_MOST], labels)
        if not marks:
            (out.after if out.given else out.before).append(line)
            continue
        ends = [*(start for start, _ in marks[1:]), len(line)]
        for (_, value), end in zip(marks, ends, strict=True):
            match = value.re.match(line, value.start(), end) or value
            for name, text in match.groupdict().items():
                if text and text.strip():
                    out.given.setdefault(name, text.strip(" ,;:\n"))
            if rest := line[min(match.end(), end) : end].strip(" ;,|\n"):
                out.after.append(rest)
    return out


def _marks(line: str, labels: Sequence[Label]) -> list[tuple[int, re.Match[str]]]:
    """The places of labels and their values, in order; none where no label opens the line."""
    # Of two that start in one place the longer name counts.
    spans = sorted(
        (name.start(), -value.start(), number, value)
        for number, patterns in enumerate(labels) for name in patterns.name.finditer(line)
        if (not name.start() or name[0][0].isupper())
        and (value := patterns.value.match(line, name.end()))
    )
    marks: list[tuple[int, re.Match[str]]] = []
    at = 0
    for start, _, _, value in spans:
        if start >= at and (marks or not start):
            marks.append((start, value))
            at = value.start() + 1
    return marks


def plain(text: str) -> str:
    """``text`` without the marks of emphasis and of a list."""
    return _MARKUP.sub("", re.sub(r"^\s*[-•]\s+", "", text)).strip()


def rows(text: str) -> list[list[str]]:
    """The cells of a table by rows, without the line that rules it; none of a text."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if not lines or not all("|" in line for line in lines):
        return []
    row_cells = (line.removeprefix("|").removesuffix("|").split("|") for line in lines
             if not re.fullmatch(r"[\s|:-]*-[\s|:-]*", line))
    return [[plain(cell) for cell in cells] for cells in row_cells]


def markdown(text: str) -> str:
    """``text`` as Markdown: a table gets the line below its head."""
    cells = rows(text)
    if len(cells) < 2:
        return text.strip()
    lines = [f"| {' | '.join(row)} |" for row in cells]
    return "\n".join([lines[0], f"|{' --- |' * len(cells[0])}", *lines[1:]])
