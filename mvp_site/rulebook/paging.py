"""What of the ranked sections is given, within a budget of tokens (design 2, phase 3).

The best section comes with everything below it; where that is too much, with what fits of it,
the best first. Then the others by rank, each by itself, and a section that does not fit costs no
smaller one behind it its place. What did not fit, or is for later, is left for the next page.
A section larger than a whole page is given in parts.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ..retrieval.collection import Scores
from ..text.tokens import printed_tokens
from .book import LoadedRulebook
from .results import Citation

BLANK: Final = 2
"""Tokens that the blank line behind a part may add."""
_LINE_ENDS: Final = re.compile(r"\n+")
_WORD_ENDS: Final = re.compile(r"\s+")
_ANYWHERE: Final = re.compile(r"(?s).")
CHARS_A_TOKEN: Final = 128
"""More than any run of text has; so much of a long section is looked at for one page."""


@dataclass(frozen=True, slots=True)
class SectionCandidate:
    """A section that may be given; ``whole``: with everything below it, as far as it fits.

    One for ``later`` is left for the next page, whatever room there is.
    """

    number: int
    whole: bool = False
    later: bool = False


@dataclass(frozen=True, slots=True)
class SectionSpan:
    """A chosen section: ``span`` are the characters of its content that are given, None for all.

    ``below`` are the sections given under it, in the order of the book; ``left`` those below
    that did not fit.
    """

    number: int
    tokens: int
    span: tuple[int, int] | None = None
    below: tuple[int, ...] = ()
    left: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Delivered:
    """What has been given: section numbers, and of one that was cut, how many characters."""

    numbers: frozenset[int] = frozenset()
    cut: int | None = None
    chars: int = 0


@dataclass(frozen=True, slots=True)
class SelectionPage:
    """What is given next: at most the budget's tokens; ``left`` is how many sections are left."""

    pieces: tuple[SectionSpan, ...]
    tokens: int
    given: Delivered
    left: int


def select(book: LoadedRulebook, candidates: Sequence[SectionCandidate],
           scores: Scores, budget: int, given: Delivered) -> SelectionPage:
    """The next page of ``candidates``, the best first, within ``budget`` o200k tokens.

    ``scores`` order what stands below a section. ``given`` is what earlier pages gave.
    """
    filling = _Filling(book, scores, budget, given)
    if given.cut is not None:
        filling.part(given.cut, given.chars)
    for candidate in candidates:
        if candidate.whole:
            filling.with_below(candidate.number)
        else:
            filling.alone(candidate.number, later=candidate.later)
    if filling.left and not filling.pieces:  # the first that is left is larger than a whole page
        ranked = (candidate.number for candidate in candidates if candidate.number in filling.left)
        filling.part(next(ranked, min(filling.left)), 0)
    cut = {filling.cut[0]} if filling.cut else set()
    return SelectionPage(tuple(filling.pieces), budget - filling.room,
                         Delivered(frozenset(filling.taken), *(filling.cut or (None, 0))),
                         len((filling.left | cut) - filling.taken))


class _Filling:
    def __init__(self, book: LoadedRulebook, scores: Scores, room: int, given: Delivered) -> None:
        self._sections, self._source = book.sections, book.manifest.source
        self._scores = scores
        self.room = room
        self.pieces: list[SectionSpan] = []
        self.taken = set(given.numbers)
        self.left: set[int] = set()
        self.cut: tuple[int, int] | None = None

    def _head(self, number: int) -> int:
        """The tokens of a section's heading with its citation; never too few."""
        section = self._sections.at(number)
        citation = Citation.of(section, self._source)
        return printed_tokens(f"{section.heading}\n[{citation}]") + BLANK

    def _content(self, number: int) -> int:
        """Those of its own text, 0 where it has none."""
        section = self._sections.at(number)
        return section.tokens + BLANK if section.content else 0

    def with_below(self, top: int) -> None:
        """The section and what fits of everything below it, the best first."""
        pending = [n for n in self._sections.below(top) if n not in self.taken]
        again = top in self.taken
        if again and not pending:
            return
        room = self.room - self._head(top) - (0 if again else self._content(top))
        if room < 0:
            self.left.update(n for n in (top, *pending) if self._content(n))
            if not self.pieces and self.cut is None:
                self.part(top, 0)  # the best section comes before lesser ones that would fit
            return
        chosen: set[int] = set()
        for number in sorted(pending, key=lambda n: (-self._scores[n], n)):
            heading = printed_tokens(self._sections.at(number).heading) + BLANK
            cost = heading + self._content(number)
            if cost <= room:
                chosen.add(number)
                room -= cost
        unused = tuple(n for n in pending if n not in chosen and self._content(n))
        self.left.update(unused)
        if again and not chosen:
            return
        span = (0, 0) if again else None
        self._add(SectionSpan(top, self.room - room, span, tuple(sorted(chosen)), unused))
        self.taken |= {top, *chosen}

    def _add(self, piece: SectionSpan) -> None:
        self.pieces.append(piece)
        self.room -= piece.tokens

    def alone(self, number: int, *, later: bool) -> None:
        """The section's own text, if it has any and fits, and is not for later."""
        content = self._content(number)
        if number in self.taken or not content:
            return
        cost = self._head(number) + content
        if later or cost > self.room:
            self.left.add(number)
            return
        self._add(SectionSpan(number, cost))
        self.taken.add(number)

    def part(self, number: int, start: int) -> None:
        """As much of a section's text as fits, from character ``start`` on."""
        text = self._sections.at(number).content
        head = self._head(number)
        room = self.room - head - BLANK
        size = fitting(text[start : start + max(room, 0) * CHARS_A_TOKEN], room)
        if not size:
            self.left.add(number)
            if start:
                self.cut = (number, start)  # the next page goes on from there
            return
        end = start + size
        self._add(SectionSpan(number, head + printed_tokens(text[start:end]) + BLANK, (start, end)))
        if text[end:].strip():
            self.cut = (number, end)
        else:
            self.taken.add(number)


def fitting(text: str, room: int) -> int:
    """How many characters of ``text`` have at most ``room`` tokens.

    Cut at lines, else at words, else anywhere.
    """
    for cuts in (_LINE_ENDS, _WORD_ENDS, _ANYWHERE):
        ends = [*(match.end() for match in cuts.finditer(text)), len(text)]
        fit = bisect(ends, room, key=lambda end: printed_tokens(text[:end]))
        if fit and ends[fit - 1]:
            return ends[fit - 1]
    return 0
