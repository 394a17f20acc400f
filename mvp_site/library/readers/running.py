"""Running heads and feet left out of pages, and the pages' numbers that are printed in them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from .layout import Segment

_BAND = 0.13
_ROMAN = r"(?=[ivxlc])(?:c{0,3})(?:x[cl]|l?x{0,3})(?:i[xv]|v?i{0,3})"
_NUMBER = re.compile(rf"(?<![\w.])(?:(\d{{1,5}})|({_ROMAN}))(?![\w.]\w)(?!\w)", re.IGNORECASE)
_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


@dataclass(frozen=True, slots=True)
class _Line:
    """A line at a page's edge."""

    edge: str
    segments: tuple[Segment, ...]

    @property
    def key(self) -> str:
        """What it says, numbers and order aside."""
        texts = (_NUMBER.sub("#", s.text).casefold() for s in self.segments)
        return f"{self.edge} {' '.join(sorted(texts))}"

    @property
    def keys(self) -> set[str]:
        """The same, a segment each."""
        return {f"{self.edge} {_NUMBER.sub('#', s.text).casefold()}" for s in self.segments}

    @property
    def slot(self) -> tuple[str, int]:
        """Where it stands."""
        return self.edge, round(self.segments[0].y / 2)


@dataclass(frozen=True, slots=True)
class Page:
    """A page's segments, and its lower and upper end."""

    segments: tuple[Segment, ...] = ()
    bottom: float = 0.0
    top: float = 792.0

_SUPPORT = 3
"""So many pages near by count on from a number that is a page's and no other."""

def _outer(page: Page) -> list[_Line]:
    """Return what stands apart at each edge: one or two lines, none in large letters."""
    if not page.segments:
        return []
    depth = _BAND * (page.top - page.bottom)
    usual = max(page.segments, key=lambda s: len(s.text)).size
    found = []
    for edge, end, sign in (("top", page.top, -1), ("foot", page.bottom, 1)):
        lines: list[list[Segment]] = []
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
        found += [
            _Line(edge, tuple(line))
            for line in outer
            if abs(end - line[0].y) < depth and line[0].size < 1.3 * usual
        ]
    return found


def _roman(text: str) -> int:
    values = [_VALUES[c] for c in text]
    return sum(-v if v < max(values[i:]) else v for i, v in enumerate(values))


def _numbers(text: str) -> set[tuple[str, int]]:
    """Return the numbers in a line, each with its kind: arabic, ``i`` or ``I``."""
    return {
        ("1", int(m[1])) if m[1] else ("i" if m[2].islower() else "I", _roman(m[2].lower()))
        for m in _NUMBER.finditer(text)
    }


def _printed(kind: str, value: int) -> str:
    if kind == "1" or value > 300:
        return str(value)
    text = ""
    for part, letters in zip(
        (100, 90, 50, 40, 10, 9, 5, 4, 1),
        ["c", "xc", "l", "xl", "x", "ix", "v", "iv", "i"],
        strict=True,
    ):
        times, value = divmod(value, part)
        text += letters * times
    return text if kind == "i" else text.upper()


def strip(pages: Sequence[Page]) -> tuple[list[list[Segment]], tuple[str, ...]]:
    """Return the pages' own segments, and their printed numbers, '' where none is known.

    A line at a page's edge that recurs there over pages, numbers aside, is a running one; so is
    what stands where most lines are such (a head that names the section). Without a printed
    number a page has that which its neighbours' count gives it.
    """
    outer = [_outer(page) for page in pages]
    often = 3 if len(pages) > 5 else 2
    wholes = _recurring([{line.key for line in found} for found in outer], often)
    parts = _recurring([set().union(*(line.keys for line in found)) for found in outer], often)
    slots: Counter[tuple[str, int]] = Counter()
    steady: Counter[tuple[str, int]] = Counter()
    for found, part in zip(outer, parts, strict=True):
        for line in found:
            slots[line.slot] += 1
            steady[line.slot] += not part.isdisjoint(line.keys)
    heads, bare = [], []
    for found, whole in zip(outer, wholes, strict=True):
        running = [
            line
            for line in found
            if line.key in whole
            or (slots[line.slot] >= 5 and steady[line.slot] > 0.6 * slots[line.slot])
        ]
        heads.append([s for line in running for s in line.segments])
        bare.append([s for line in found for s in line.segments if _NUMBER.fullmatch(_bare(s))])
    counts = _counts(
        [
            set().union(*(_numbers(s.text) for s in (*h, *b)))
            for h, b in zip(heads, bare, strict=True)
        ]
    )
    labels = [_printed(*c) if c else "" for c in counts]
    left = []
    for page, head, numbers, label in zip(pages, heads, bare, labels, strict=True):
        gone = {*head, *(s for s in numbers if _bare(s) == label)}
        left.append([s for s in page.segments if s not in gone])
    if all(label in {"", str(n)} for n, label in enumerate(labels, 1)):
        return left, ()
    return left, tuple(labels)


def _bare(segment: Segment) -> str:
    return segment.text.strip(" -–—|•·")


def _recurring(pages: Sequence[set[str]], often: int) -> list[set[str]]:
    """Return of each page's keys those that ``often`` pages within six of it have."""
    near: Counter[str] = Counter()
    found = []
    for n in range(-6, len(pages)):
        if n + 6 < len(pages):
            near.update(pages[n + 6])
        if n > 6:
            near.subtract(pages[n - 7])
        if n >= 0:
            found.append({key for key in pages[n] if near[key] >= often})
    return found


def _counts(pages: Sequence[set[tuple[str, int]]]) -> list[tuple[str, int] | None]:
    """Return each page's number: the one that most of its neighbours' count on from."""
    found: list[tuple[str, int] | None] = []
    for n, numbers in enumerate(pages):
        support = {
            (kind, value): sum(
                (kind, value + k) in pages[n + k]
                for k in range(-8, 9)
                if k and 0 <= n + k < len(pages)
            )
            for kind, value in numbers
        }
        best = max(support, key=lambda c: (support[c], c), default=None)
        least = _SUPPORT if best and best[0] == "1" and len(pages) > 2 * _SUPPORT else 1
        found.append(best if best and support[best] >= least else None)
    known = [n for n, count in enumerate(found) if count]
    filled = list(found)
    for n, count in enumerate(found):
        if count is None:
            after = next((k for k in known if k > n), None)
            before = next((k for k in reversed(known) if k < n), None)
            for k in (after, before):
                other = found[k] if k is not None else None
                if other and k is not None and other[1] + n - k > 0:
                    filled[n] = other[0], other[1] + n - k
                    break
    return filled
