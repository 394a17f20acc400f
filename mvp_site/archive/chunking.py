"""Chunks of 350–600 tokens along the structure of a file, and the pieces they are printed in.

The file's atoms are cut into chunks by dynamic programming: of all ways to cut, the one of least
cost is taken, where cost is distance from the wanted size, a cut inside a section, and a chunk
that reaches over from one parent section into another. A chunk that starts inside a section
repeats the last whole blocks of the chunk before it, at most 15 % of its tokens.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, takewhile
from typing import Final

from ..text.tokens import count_tokens
from .markdown import Atom, atoms

RULES: Final = 3
"""Raised whenever the same text would be cut otherwise, so that indexes are built anew."""
MIN_TOKENS: Final = 350
MAX_TOKENS: Final = 600
OVERLAP: Final = 0.15
PIECE_TOKENS: Final = 500

_MARGIN: Final = 10  # token counts of joined atoms differ a little from their sum
_SHORT_STEP: Final = 0.9
_SHORT_COST: Final = 4.0
_INSIDE_COST: Final = 0.8
_SAME_BLOCK_COST: Final = 0.6
_CROSSING_COST: Final = 1.5
_PARTED_COST: Final = 6.0
_TARGET: Final = 480
_TARGET_COST: Final = 0.2


@dataclass(frozen=True, slots=True)
class Span:
    """A chunk as ranges of a file's atoms, half open: its own, and those of its pieces.

    A piece has consecutive atoms of one section. The chunk before also holds the first ``overlap``
    atoms: pieces have them, the chunk's own range begins behind them.
    """

    start: int
    end: int
    overlap: int
    pieces: tuple[tuple[int, int], ...]


def chunk_file(lines: Sequence[str], first: int = 0) -> tuple[list[Atom], list[Span]]:
    """The atoms of a file and its chunks, in order; every atom is in one chunk's own range."""
    parts = atoms(lines, MAX_TOKENS - _MARGIN, first)
    spans: list[Span] = []
    for start, end in _cuts(parts):
        overlap = _overlap(parts, start, end)
        spans.append(Span(start, end, overlap, tuple(_pieces(parts, start, end, overlap))))
    return parts, spans


def text_of(parts: Sequence[Atom], start: int, end: int) -> str:
    """Atoms ``start`` to ``end`` as text, with what a cut block needs to be read alone."""
    out: list[str] = []
    for index in range(start, end):
        atom = parts[index]
        opens = index == start or parts[index - 1].block != atom.block
        closes = index == end - 1 or parts[index + 1].block != atom.block
        if index > start and atom.gap:
            out.append("")
        joined = (
            index > start and not atom.whole_lines and not parts[index - 1].whole_lines
            and parts[index - 1].start == atom.start
        )
        if joined:  # parts of one long line
            out[-1] = f"{out[-1]} {atom.text}"
            continue
        if opens and atom.lead:
            out.append(atom.lead)
        out.append(atom.text)
        if closes and atom.tail:
            out.append(atom.tail)
    return "\n".join(out)


def _cuts(parts: Sequence[Atom]) -> list[tuple[int, int]]:
    n = len(parts)
    total = list(accumulate((atom.tokens for atom in parts), initial=0))
    if 0 < total[n] <= MAX_TOKENS - _MARGIN:
        return [(0, n)]
    levels: list[int] = []  # of the section that each atom stands in
    for atom in parts:
        levels.append(atom.level or (levels[-1] if levels else 0))
    best = [0.0] + [float("inf")] * n
    back = [0] * (n + 1)
    for start in range(n):
        if best[start] == float("inf"):
            continue
        opening = best[start] + _opening_cost(parts, start)
        lead = _lead_tokens(parts, start)
        most = MAX_TOKENS - _MARGIN
        if start and not parts[start].level:
            most = int(most * (1 - OVERLAP))  # room for the overlap
        crossing = 0.0
        for end in range(start + 1, n + 1):
            atom = parts[end - 1]
            size = total[end] - total[start] + lead
            if size > most and end > start + 1:
                break
            if end > start + 1 and atom.level:
                # it runs over into a section which is no sibling or child
                crossing += _CROSSING_COST * max(levels[start] - atom.level, 0)
            cost = opening + crossing + _size_cost(size) + _closing_cost(parts, end)
            if cost < best[end] - 1e-12:
                best[end], back[end] = cost, start
        if best[start + 1] == float("inf") and parts[start].level:
            # a run of headings that fills a chunk by itself
            best[start + 1], back[start + 1] = opening + _SHORT_COST, start
    cuts: list[tuple[int, int]] = []
    end = n
    while end > 0:
        cuts.append((back[end], end))
        end = back[end]
    return cuts[::-1]


def _closing_cost(parts: Sequence[Atom], end: int) -> float:
    """The cost of a cut at ``end``: a heading stays with its text, and rather with the next one."""
    if end == len(parts) or not parts[end - 1].level:
        return 0.0
    return _PARTED_COST if parts[end].level else float("inf")


def _opening_cost(parts: Sequence[Atom], start: int) -> float:
    if start == 0 or parts[start].level:
        return 0.0
    same_block = parts[start].block == parts[start - 1].block
    return _INSIDE_COST + (_SAME_BLOCK_COST if same_block else 0.0)


def _lead_tokens(parts: Sequence[Atom], start: int) -> int:
    atom = parts[start]
    return count_tokens(f"{atom.lead}\n{atom.tail}\n") if atom.lead or atom.tail else 0


def _size_cost(size: int) -> float:
    if size < MIN_TOKENS:
        return _SHORT_STEP + _SHORT_COST * float((1 - size / MIN_TOKENS) ** 1.5)
    return _TARGET_COST * abs(size - _TARGET) / (MAX_TOKENS - MIN_TOKENS)


def _overlap(parts: Sequence[Atom], start: int, end: int) -> int:
    """How many atoms before ``start`` the chunk repeats: whole blocks of its section, ≤ 15 %."""
    if start == 0 or parts[start].level:
        return 0
    body = sum(atom.tokens for atom in parts[start:end]) + _lead_tokens(parts, start)
    room = min(body * OVERLAP / (1 - OVERLAP), MAX_TOKENS - _MARGIN - body)
    count, tokens = 0, 0
    while start - count - 1 >= 0:
        atom = parts[start - count - 1]
        if atom.level or atom.path != parts[start].path or not atom.whole_lines:
            break
        tokens += atom.tokens
        if tokens + _lead_tokens(parts, start - count - 1) > room:
            break
        count += 1
    return count


def common_path(parts: Sequence[Atom]) -> tuple[str, ...]:
    """The heading path that all of the atoms' text stands under, one section's whole path."""
    paths = [atom.path for atom in parts if not atom.level] or [parts[0].path]
    shared = takewhile(lambda names: len({*names}) == 1, zip(*paths, strict=False))
    return tuple(names[0] for names in shared)


def _pieces(parts: Sequence[Atom], start: int, end: int, overlap: int,
            ) -> Iterator[tuple[int, int]]:
    """A chunk's sections, a heading right under another left to it, long ones halved."""
    begin = start - overlap
    for stop in range(start + 1, end + 1):
        if stop == end or (parts[stop].level and not parts[stop - 1].level):
            yield from _halved(parts, begin, stop, start)
            begin = stop


def _halved(parts: Sequence[Atom], begin: int, end: int, own: int) -> Iterator[tuple[int, int]]:
    size, tokens = sum(atom.tokens for atom in parts[begin:end]), 0
    for index in range(begin, end - 1 if size > PIECE_TOKENS else begin):
        tokens += parts[index].tokens
        if tokens >= size / 2 and not parts[index].level and index + 1 > own:
            yield from _halved(parts, begin, index + 1, own)
            yield from _halved(parts, index + 1, end, own)
            return
    yield begin, end
