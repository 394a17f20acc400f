"""Running heads and feet left out of pages, and the pages' numbers that are printed in them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from .layout import Segment

_BAND = 0.13
_ROMAN = r"(?=[ivxlc])(?:c{0,3})(?:x[cl]|l?x{0,3})(?:i[xv]|v?i{0,3})"
_NUMBER = re.compile(rf"(?<![\w.])(?:(\d{{1,5}})|({_ROMAN}))(?![\w.]\w)(?!\w)", re.IGNORECASE)
_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


@dataclass(frozen=True, slots=True)
class Page:
    """A page's segments, and its lower and upper end."""

    segments: tuple[Segment, ...] = ()
    bottom: float = 0.0
    top: float = 792.0


def _outer(page: Page) -> list[tuple[str, Segment]]:
    """Return the segments of the two outermost lines in each band, with their edge."""
    depth = _BAND * (page.top - page.bottom)
    found = []
    for edge, inside in (
        ("top", [s for s in page.segments if s.y > page.top - depth]),
        ("foot", [s for s in page.segments if s.y < page.bottom + depth]),
    ):
        ys = sorted({round(s.y) for s in inside}, reverse=edge == "top")
        kept: list[int] = []
        for y in ys:
            if not kept or abs(kept[-1] - y) > 3:
                kept.append(y)
        found += [(edge, s) for s in inside if any(abs(s.y - y) < 4 for y in kept[:2])]
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
        (100, 90, 50, 40, 10, 9, 5, 4, 1), ["c", "xc", "l", "xl", "x", "ix", "v", "iv", "i"], strict=True
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
    seen: Counter[tuple[str, str]] = Counter()
    for found in outer:
        seen.update({(edge, _NUMBER.sub("#", s.text).casefold()) for edge, s in found})

    def recurs(edge: str, s: Segment) -> bool:
        return seen[edge, _NUMBER.sub("#", s.text).casefold()] >= often

    slots: Counter[tuple[str, int, int]] = Counter()
    steady: Counter[tuple[str, int, int]] = Counter()
    for found in outer:
        for edge, s in found:
            slots[edge, round(s.y), round(s.size)] += 1
            steady[edge, round(s.y), round(s.size)] += recurs(edge, s)

    def running(edge: str, s: Segment) -> bool:
        slot = edge, round(s.y), round(s.size)
        return recurs(edge, s) or (slots[slot] >= 5 and steady[slot] > 0.6 * slots[slot])

    heads = [[s for edge, s in found if running(edge, s)] for found in outer]
    bare = [[s for _, s in found if _NUMBER.fullmatch(s.text.strip(" -–—|"))] for found in outer]
    counts = _counts(
        [
            set().union(*(_numbers(s.text) for s in (*h, *b)))
            for h, b in zip(heads, bare, strict=True)
        ]
    )
    labels = [_printed(*c) if c else "" for c in counts]
    left = []
    for page, head, numbers, label in zip(pages, heads, bare, labels, strict=True):
        gone = {*head, *(s for s in numbers if s.text.strip(" -–—|") == label)}
        left.append([s for s in page.segments if s not in gone])
    if all(label in {"", str(n)} for n, label in enumerate(labels, 1)):
        return left, ()
    return left, tuple(labels)


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
        found.append(best if best and support[best] else None)
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
