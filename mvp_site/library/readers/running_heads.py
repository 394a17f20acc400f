"""Running heads, feet and page numbers left out of pages."""

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
_NUMBER = re.compile(r"(?<![\w.])(?:\d{1,5}|[ivxlc]{1,7})(?![\w.]\w)(?!\w)", re.IGNORECASE)

_Line: TypeAlias = tuple[str, tuple[LineSegment, ...]]
"""A line at a page's edge, ``top`` or ``foot``."""


@dataclass(frozen=True, slots=True)
class PageSegments:
    """A page's segments, and its lower and upper end."""

    segments: tuple[LineSegment, ...] = ()
    bottom: float = 0.0
    top: float = 792.0


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


def strip(pages: Sequence[PageSegments]) -> list[list[LineSegment]]:
    """Return the pages' own segments.

    A line at a page's edge that recurs there over pages, numbers aside, is a running one; so is
    what stands where most lines are such (a head that names the section).
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
    remaining = []
    for page, edge, again in zip(pages, outer, recurring, strict=True):
        running = {
            s for line in edge for s in line[1]
            if _keys(line) <= again
            or (slots[_slot(line)] >= 5 and steady[_slot(line)] > 0.6 * slots[_slot(line)])
        }
        remaining.append([s for s in page.segments if s not in running])
    return remaining
