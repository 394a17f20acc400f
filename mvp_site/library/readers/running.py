"""Running heads and feet left out of pages, and the pages' numbers that are printed in them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from .layout import LineSegment

_NEAR = 6
"""A running line recurs within so many pages."""
_ROMAN = [
    c + x + i
    for c in ("", "c", "cc", "ccc")
    for x in ("", "x", "xx", "xxx", "xl", "l", "lx", "lxx", "lxxx", "xc")
    for i in ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")
]
_VALUES = {text: value for value, text in enumerate(_ROMAN) if text}
_LETTERS = "|".join(sorted(_VALUES, key=len, reverse=True))
_NUMBER = re.compile(rf"(?<![\w.])(?:\d{{1,5}}|(?ai:{_LETTERS}))(?![\w.]\w)(?!\w)")

_Line: TypeAlias = tuple[str, tuple[LineSegment, ...]]
"""A line at a page's edge, ``top`` or ``foot``."""
_Count: TypeAlias = tuple[str, int]
"""A number's kind, ``1``, ``i`` or ``I``, and how much more it is than its page's place."""


@dataclass(frozen=True, slots=True)
class PageSegments:
    """A page's segments, and its lower and upper end."""

    segments: tuple[LineSegment, ...] = ()
    bottom: float = 0.0
    top: float = 792.0

_SUPPORT = 3
"""So many pages near by count on from a number that is a page's and no other."""

def _outer(page: PageSegments) -> list[_Line]:
    """Return what stands apart at each edge: one or two lines, none in large letters."""
    if not page.segments:
        return []
    depth = 0.13 * (page.top - page.bottom)
    usual = max(page.segments, key=lambda s: len(s.text)).size
    edges = []
    for edge, end, sign in (("top", page.top, -1), ("foot", page.bottom, 1)):
        lines: list[list[LineSegment]] = []
        for s in sorted(page.segments, key=lambda s: (sign * s.y, s.x0)):
            if lines and abs(lines[-1][0].y - s.y) < 3:
                lines[-1].append(s)
            elif len(lines) < 3:
                lines.append([s])
            else:
                break
        apart = [abs(b[0].y - a[0].y) > 1.75 * usual for a, b in pairwise(lines)]
        apart += [True] * (len(lines) < 3)
        outer = lines[: 2 if apart[1:2] == [True] else 1 if apart[0] else 0]
        edges += [(edge, tuple(line)) for line in outer
                  if abs(end - line[0].y) < depth and line[0].size < 1.3 * usual]
    return edges


def _keys(line: _Line) -> set[str]:
    """Return what a line's segments say, numbers aside."""
    return {f"{line[0]} {_NUMBER.sub('#', s.text).casefold()}" for s in line[1]}


def _slot(line: _Line) -> tuple[str, int]:
    """Return where a line stands."""
    return line[0], round(line[1][0].y / 2)


def strip(pages: Sequence[PageSegments]) -> tuple[list[list[LineSegment]], tuple[str, ...]]:
    """Return the pages' own segments, and their printed numbers, '' where none is known.

    A line at a page's edge that recurs there over pages, numbers aside, is a running one; so is
    what stands where most lines are such (a head that names the section). Without a printed
    number a page has that which its neighbours' count gives it.
    """
    outer = [_outer(page) for page in pages]
    often = 3 if len(pages) > 5 else 2
    keys = [set[str]().union(*map(_keys, edge)) for edge in outer]
    slots: Counter[tuple[str, int]] = Counter()
    steady: Counter[tuple[str, int]] = Counter()
    recurring = []
    for n, edge in enumerate(outer):
        near = Counter(key for other in keys[max(n - _NEAR, 0) : n + _NEAR + 1] for key in other)
        recurring.append({key for key in keys[n] if near[key] >= often})
        slots.update(map(_slot, edge))
        steady.update(_slot(line) for line in edge if not recurring[n].isdisjoint(_keys(line)))
    heads, bare = [], []
    for edge, again in zip(outer, recurring, strict=True):
        heads.append([
            s for line in edge for s in line[1]
            if _keys(line) <= again
            or (slots[_slot(line)] >= 5 and steady[_slot(line)] > 0.6 * slots[_slot(line)])
        ])
        bare.append([s for _, line in edge for s in line if _NUMBER.fullmatch(_bare(s))])
    labels = _labels([
        {count for s in (*head, *numbers) for count in _numbers(s.text, n)}
        for n, (head, numbers) in enumerate(zip(heads, bare, strict=True))
    ])
    remaining = []
    for page, head, numbers, label in zip(pages, heads, bare, labels, strict=True):
        segments = {*head, *(s for s in numbers if _bare(s) == label)}
        remaining.append([s for s in page.segments if s not in segments])
    if all(label in {"", str(n)} for n, label in enumerate(labels, 1)):
        return remaining, ()
    return remaining, tuple(labels)


def _bare(segment: LineSegment) -> str:
    return segment.text.strip(" -–—|•·")


def _numbers(text: str, page: int) -> set[_Count]:
    """Return the numbers in a line of a page."""
    numbers = {match[0] for match in _NUMBER.finditer(text)}
    return {
        ("1", int(number) - page) if number.isdecimal()
        else ("i" if number.islower() else "I", _VALUES[number.casefold()] - page)
        for number in numbers
    }


def _labels(pages: Sequence[set[_Count]]) -> list[str]:
    """Return each page's number: the one its neighbours most count on from, else theirs."""
    counts: list[_Count | None] = []
    for n, numbers in enumerate(pages):
        near = Counter(count for other in pages[max(n - 8, 0) : n + 9] for count in other)
        best = max(numbers, key=lambda c: (near[c], c), default=None)
        least = _SUPPORT if best and best[0] == "1" and len(pages) > 2 * _SUPPORT else 1
        counts.append(best if best and near[best] > least else None)
    filled = list(counts)
    for way in (reversed(range(len(pages))), range(len(pages))):
        last = None
        for n in way:
            last = counts[n] or last
            filled[n] = filled[n] or (last if last and last[1] + n > 0 else None)
    return [_printed(count[0], count[1] + n) if count else "" for n, count in enumerate(filled)]


def _printed(kind: str, value: int) -> str:
    if kind == "1" or value >= len(_ROMAN):
        return str(value)
    return _ROMAN[value] if kind == "i" else _ROMAN[value].upper()
