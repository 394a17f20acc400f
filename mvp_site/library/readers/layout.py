"""Reading order, lines, paragraphs, tables and headings, from words and where they stand.

Order is found by recursive X-Y cut (Nagy and Seth, "Hierarchical representation of optically
scanned documents", ICPR 1984) where, as in Breuel, "Two geometric algorithms for layout analysis"
(DAS 2002), a cut is the tallest empty strip with text on both of its sides: what stands above the
strip comes first, then the left side, the right side, and what stands below.

Lengths are points; ``y`` grows upward, as in PDF.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from statistics import median

from ..types import Block

GAP = 0.9
"""From here on, in multiples of the letters' size, a gap between words parts two segments."""

_BULLET = re.compile(r"[•●○◦▪■□▸►‣·✦❖–—*-]|\(?(?:\d{1,3}|[A-Za-z])[.)]")
_SECTION = re.compile(r"[\dA-Z]+(?:\.\d+)+\.?")
_ITEM = re.compile(rf"(?:{_BULLET.pattern})\s")
_HYPHENED = re.compile(r"\w+(?:[-\u2010]\w+)+")
_BROKEN = re.compile(r"(\w+)[-\u2010\u00ad]$")
_WORD = re.compile(r"\w+")
_TITLE = re.compile(r"[\w\s&,:'’()–—-]+")
_LEADER = re.compile(r"\s*(?:[.·…_]\s*){4,}")
_NUMBER_END = re.compile(r"(?:^|[\s.·…_-])(\d{1,5}|[ivxlc]+)$")
_SENTENCE_END = re.compile(r"[.!?:;][\"'”’)\]]*$")


@dataclass(frozen=True, slots=True)
class Segment:
    """Words close to each other on one line; ``y`` is its baseline.

    ``bold`` says whether all of it is, ``opens`` whether its first word is; ``space`` is the widest
    between its words.
    """

    text: str
    x0: float
    x1: float
    y: float
    size: float
    bold: bool = False
    opens: bool = False
    space: float = 0.0


@dataclass(frozen=True, slots=True)
class Placed:
    """A block, and the left end and top of where it stands on its page."""

    block: Block
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class _Piece:
    """Lines that make one paragraph, heading or table; a line is its segments, left to right."""

    lines: tuple[tuple[Segment, ...], ...]
    page: int
    table: bool = False
    first: bool = False
    leader: bool = False


def _regions(segments: list[Segment], height: float) -> Iterator[list[Segment]]:
    """Yield the parts of a page that are one column each, in reading order.

    ``segments`` come from the top down.
    """
    cut = _cut(segments, height) if len(segments) > 3 else None
    if cut is None:
        if segments:
            yield segments
        return
    first, last, x = cut
    middle = segments[first:last]
    for part in (
        segments[:first],
        [s for s in middle if s.x0 < x],
        [s for s in middle if s.x0 >= x],
        segments[last:],
    ):
        yield from _regions(part, height)


def _cut(segments: list[Segment], height: float) -> tuple[int, int, float] | None:
    """Return the tallest strip between columns: first and last segment beside it, and its x."""
    edges = Counter(round(s.x0) for s in segments)
    width = GAP * median(s.size for s in segments)
    best: tuple[float, int, int, float] | None = None
    for edge, often in edges.items():
        if often < 2:
            continue
        right, left = edge - 1.0, edge - width
        start = 0
        blockers = [i for i, s in enumerate(segments) if s.x0 < right and s.x1 > left]
        for stop in (*blockers, len(segments)):
            part = segments[start:stop]
            if len(part) > 3:
                tall = part[0].y - part[-1].y
                if (best is None or tall > best[0]) and _parts(part, right, height):
                    best = tall, start, stop, right
            start = stop + 1
    return best[1:] if best else None


def _parts(segments: list[Segment], x: float, height: float) -> bool:
    """Whether what stands left and right of ``x`` is running text, not the cells of a table."""
    tall = segments[0].y - segments[-1].y > 0.4 * height
    for side in ([s for s in segments if s.x0 < x], [s for s in segments if s.x0 >= x]):
        rows: dict[int, int] = {}
        for s in side:
            rows[round(s.y)] = max(rows.get(round(s.y), 0), len(s.text))
        if len(rows) < 2:
            return False
        usual = median(rows.values())
        numeric = sum(any(map(str.isdigit, s.text)) for s in side) > len(side) / 2
        if usual < 16 and (not tall or numeric or usual < 8):
            return False
    return True


def _lines(segments: Sequence[Segment]) -> list[tuple[Segment, ...]]:
    """Return segments in lines, from the top; a bullet is one with what follows it."""
    rows: list[list[Segment]] = []
    for segment in segments:
        near = rows[-1][0] if rows else None
        if near and abs(near.y - segment.y) < 0.35 * max(near.size, segment.size):
            rows[-1].append(segment)
        else:
            rows.append([segment])
    for row in rows:
        row.sort(key=lambda s: s.x0)
    found = []
    ends = Counter(round(row[-1].x1) for row in rows)
    for row in rows:
        numbered = row[0].bold and _SECTION.fullmatch(row[0].text)
        if len(row) > 1 and (numbered or _BULLET.fullmatch(row[0].text)):
            row[:2] = [_merge(row[:2])]
        found.append((_merge(row),) if _spread(row, ends) else tuple(row))
    return found


def _spread(row: Sequence[Segment], ends: Counter[int]) -> bool:
    """Whether a line's gaps are but spaces, widened so that it ends where others do."""
    gaps = [b.x0 - a.x1 for a, b in pairwise(row)]
    if not gaps or max(gaps) > 4 * row[0].size:
        return False
    space = max(s.space for s in row)
    if space:
        return max(gaps) < 1.5 * space
    return len(gaps) > 1 and max(gaps) - min(gaps) < 0.3 and ends[round(row[-1].x1)] > 2


def _merge(line: Sequence[Segment]) -> Segment:
    """Return the segments of a line as one."""
    if len(line) == 1:
        return line[0]
    most = max(line, key=lambda s: len(s.text))
    return Segment(
        " ".join(s.text for s in line),
        line[0].x0,
        line[-1].x1,
        most.y,
        most.size,
        all(s.bold for s in line),
        line[0].opens,
        max(s.space for s in line),
    )


def _leads(line: Sequence[Segment]) -> bool:
    """Whether dots lead from one part of a line to another."""
    return _LEADER.search(" ".join(s.text for s in line)) is not None


def _gutters(line: Sequence[Segment]) -> list[tuple[float, float]]:
    return [(a.x1, b.x0) for a, b in pairwise(line)]


def _table(lines: list[tuple[Segment, ...]]) -> int:
    """Return how many lines from the first on are rows of one table; 0 if they are none.

    Rows share at least one gutter. A line of one cell goes on a row if it stands clear of it.
    """
    gutters = _gutters(lines[0])
    rows, end, cells, wrapped = 1, 1, len(lines[0]), 0
    for i, (above, line) in enumerate(pairwise(lines), 1):
        size = line[0].size
        if _leads(line) or above[0].y - line[0].y > 3 * size:
            break
        if len(line) == 1:
            cell = line[0]
            if above[0].y - cell.y > 1.6 * size:
                break
            if cell.x0 >= gutters[0][1] - 2:
                end = i + 1
            elif cell.x1 > gutters[0][0] + size or wrapped > rows:
                break
            else:
                wrapped += 1
            continue
        both = [
            (max(a, c), min(b, d))
            for a, b in gutters
            for c, d in _gutters(line)
            if min(b, d) - max(a, c) > 0.3 * size
        ]
        if not both:
            break
        gutters, rows, end, cells = both, rows + 1, i + 1, max(cells, len(line))
    texts = [s.text for line in lines[:end] if len(line) > 1 for s in line]
    prose = sum(text[0].islower() for text in texts) > len(texts) / 2
    return end if not prose and (rows > 2 or (rows == 2 and cells > 2)) else 0


def _rows(lines: Sequence[tuple[Segment, ...]], leading: float) -> str:
    """Return a table as text, a line a row, its cells between bars.

    A wider gap than that of a paragraph's lines ends a row; else a cell in the first column does.
    """
    most = max(map(len, lines))
    spans: list[list[float]] = []
    for cell in sorted((s for r in lines if len(r) > 0.6 * most for s in r), key=lambda s: s.x0):
        if spans and cell.x0 < spans[-1][1]:
            spans[-1][1] = max(spans[-1][1], cell.x1)
        else:
            spans.append([cell.x0, cell.x1])

    def column(cell: Segment) -> int:
        shared = [min(cell.x1, b) - max(cell.x0, a) for a, b in spans]
        return shared.index(max(shared))

    groups: list[list[tuple[Segment, ...]]] = []
    for line in lines:
        down = groups[-1][-1][0].y - line[0].y if groups else math.inf
        if down > 1.12 * leading * line[0].size:
            groups.append([])
        groups[-1].append(line)
    rows: list[list[str]] = []
    for group in groups:
        opened = False
        alone = sum(column(line[0]) == 0 for line in group) < 2
        for line in group:
            if not opened or (column(line[0]) == 0 and not alone):
                rows.append([""] * len(spans))
                opened = True
            for cell in line:
                at = column(cell)
                rows[-1][at] = f"{rows[-1][at]} {cell.text}".strip()
    return "\n".join(" | ".join(row) for row in rows)


def _pieces(region: list[Segment], page: int, body: float, leading: float) -> Iterator[_Piece]:
    """Yield a column's paragraphs, headings and tables."""
    lines = _lines(region)
    right = max(s.x1 for s in region)
    held: list[tuple[Segment, ...]] = []
    first, at = True, 0
    while at < len(lines):
        line = lines[at]
        leads = _leads(line)
        rows = _table(lines[at:]) if len(line) > 1 and not leads else 0
        if held and (
            leads or rows or _breaks([_merge(h) for h in held], _merge(line), right, body, leading)
        ):
            yield _Piece(tuple(held), page, first=first)
            held, first = [], False
        if rows or leads:
            yield _Piece(tuple(lines[at : at + (rows or 1)]), page, bool(rows), first, leads)
            first = False
        else:
            held.append(line)
        at += rows or 1
    if held:
        yield _Piece(tuple(held), page, first=first)


def _breaks(above: list[Segment], line: Segment, right: float, body: float, leading: float) -> bool:
    """Whether a line starts a paragraph of its own below the lines ``above``."""
    last, size = above[-1], line.size
    if abs(last.size - size) > 0.08 * size or not 0 <= last.y - line.y < 1.25 * leading * size:
        return True
    if line.text[0].islower():
        return False
    if (line.bold and not last.bold) or (last.bold and not line.opens) or _ITEM.match(line.text):
        return True
    ended = _SENTENCE_END.search(last.text) is not None
    indented = line.x0 > last.x0 + 0.8 * size and (ended or len(above) > 1)
    hung = line.x0 < last.x0 - 0.8 * size and abs(line.x0 - above[0].x0) < 2 and len(above) > 1
    run_in = line.opens and not last.bold and (ended or above[0].opens)
    # A line was ended on purpose where the next word would have fitted.
    word = line.text.split(" ", 1)[0]
    room = (line.x1 - line.x0) * len(word) / len(line.text) + 1.5 * size
    return (
        indented
        or hung
        or run_in
        or (not line.bold and size < 1.1 * body and last.x1 + room < right)
    )


class _Words:
    """The words of a book, by which a hyphen at a line's end is judged."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.plain: Counter[str] = Counter()
        self.hyphened: set[str] = set()
        for text in texts:
            lowered = text.casefold()
            self.plain.update(_WORD.findall(lowered))
            self.hyphened.update(w.replace("\u2010", "-") for w in _HYPHENED.findall(lowered))

    def join(self, texts: Iterable[str]) -> str:
        """Return lines as one, words that were broken at a line's end made whole."""
        whole = ""
        for text in texts:
            broken = _BROKEN.search(whole)
            after = _WORD.match(text)
            if not whole or not broken or not after:
                whole = f"{whole} {text}" if whole else text
                continue
            one, two = broken[1].casefold(), after[0].casefold()
            kept = not text[0].islower() or (
                f"{one}-{two}" in self.hyphened and one + two not in self.plain
            )
            whole = whole[:-1] + "-" * kept + text
        return whole

    def capital(self, letter: str, text: str) -> str:
        """Return a drop capital with the text that it opens."""
        word = _WORD.match(text)
        apart = word and letter in "AIO" and self.plain[(letter + word[0]).casefold()] == 0
        return f"{letter} {text}" if apart and self.plain[word[0].casefold()] > 1 else letter + text  # type: ignore[index]


def _capitals(segments: list[Segment], body: float, words: _Words) -> list[Segment]:
    """Return a page's segments with each drop capital joined to its word."""
    found = list(segments)
    for cap in segments:
        if len(cap.text) != 1 or not cap.text.isupper() or cap.size < 1.8 * body:
            continue
        beside = [
            s
            for s in found
            if cap.y - 2 < s.y < cap.y + cap.size
            and s.size < 0.6 * cap.size
            and -body < s.x0 - cap.x1 < cap.size
        ]
        if beside:
            top = max(beside, key=lambda s: s.y)
            found[found.index(top)] = replace(top, text=words.capital(cap.text, top.text))
            found.remove(cap)
    return found


def _size(lines: Iterable[tuple[Segment, ...]]) -> float:
    return max((s for line in lines for s in line), key=lambda s: len(s.text)).size


def blocks(pages: Sequence[Sequence[Segment]], heights: Sequence[float]) -> list[Placed]:
    """Return the text of a book's pages as headed blocks in reading order.

    Running heads and feet are to be left out of ``pages``.
    """
    sizes: Counter[float] = Counter()
    for page in pages:
        for s in page:
            sizes[round(s.size * 2) / 2] += len(s.text)
    if not sizes:
        return []
    body = max(sizes, key=lambda size: (sizes[size], -size))
    words = _Words(s.text for page in pages for s in page)
    pieces: list[_Piece] = []
    ordered = [
        list(_regions(sorted(_capitals(list(page), body, words), key=lambda s: (-s.y, s.x0)), tall))
        for page, tall in zip(pages, heights, strict=True)
    ]
    leading = _leading((r for regions in ordered for r in regions), body)
    for number, regions in enumerate(ordered, 1):
        here = [p for region in regions for p in _pieces(region, number, body, leading)]
        pieces += _without_contents(here)
    return _placed(pieces, body, leading, words)


def _leading(regions: Iterable[list[Segment]], body: float) -> float:
    """Return the book's usual distance of baselines, in multiples of the letters' size."""
    seen: Counter[float] = Counter()
    for region in regions:
        for a, b in pairwise(region):
            if abs(a.size - body) < 0.5 and 0.9 * body < a.y - b.y < 2 * body:
                seen[round((a.y - b.y) / body, 1)] += 1
    return max(seen, key=lambda d: (seen[d], -d)) if seen else 1.2


def _without_contents(pieces: list[_Piece]) -> list[_Piece]:
    """Return a page's pieces without a table of contents: leaders to rising numbers.

    Other lines on such a page that end with a number set apart are of the table too.
    """
    numbers = [n for p in pieces if p.leader and (n := _number(p.lines[0][-1])) is not None]
    rising = sum(a <= b for a, b in pairwise(numbers))
    if len(numbers) < 3 or rising < 0.8 * (len(numbers) - 1):
        return pieces
    return [
        p
        for p in pieces
        if not p.leader and (len(p.lines[-1]) == 1 or _number(p.lines[-1][-1]) is None)
    ]


def _number(segment: Segment) -> int | None:
    """Return the number that a segment ends with, 0 for a roman one."""
    end = _NUMBER_END.search(segment.text)
    return (int(end[1]) if end[1].isdecimal() else 0) if end else None


def _placed(pieces: list[_Piece], body: float, leading: float, words: _Words) -> list[Placed]:
    """Return pieces as blocks: levels given, and paragraphs that a column's end parted joined."""
    heads = [_heading(p, body) for p in pieces]
    ranks: list[float] = []
    for size in sorted({size for size in heads if size > body}, reverse=True):
        if not ranks or size < 0.95 * ranks[-1]:
            ranks.append(size)
    found: list[Placed] = []
    for whole, group in groupby(zip(pieces, heads, strict=True), key=lambda pair: pair[1] > 0):
        for piece, size in group:
            lines = [_merge(line) for line in piece.lines]
            text = _rows(piece.lines, leading) if piece.table else words.join(s.text for s in lines)
            text = _LEADER.sub(" | ", text) if piece.leader else text
            text = text.replace("\u00ad", "-" if text.endswith("\u00ad") else "")
            level = 0
            if whole:
                larger = [k for k, rank in enumerate(ranks, 1) if size > 0.95 * rank]
                level = min(larger[0] if larger else len(ranks) + 1, 6)
            before = found[-1] if found else None
            if before and piece.first and _goes_on(before.block, text, piece.table or whole):
                joined = replace(before.block, text=words.join((before.block.text, text)))
                found[-1] = replace(before, block=joined)
            elif text:
                block = Block(text, level, piece.page)
                found.append(Placed(block, lines[0].x0, lines[0].y + lines[0].size))
    return found


def _goes_on(before: Block, text: str, other: bool) -> bool:
    """Whether a column opens with the rest of the paragraph before it."""
    if other or before.level or "\n" in before.text or len(before.text) < 40:
        return False
    return text[:1].islower() and not _SENTENCE_END.search(before.text)


def _heading(piece: _Piece, body: float) -> float:
    """Return the size of a heading's letters, at most the body's for one in bold; 0 for none."""
    lines = [_merge(line) for line in piece.lines]
    text = " ".join(s.text for s in lines)
    letters = sum(map(str.isalpha, text))
    if piece.table or piece.leader or letters < max(2, 0.4 * len(text.replace(" ", ""))):
        return 0
    if len(lines) > 4 or len(text) > 150 or (_ITEM.match(text) and not text[0].isalnum()):
        return 0
    size = _size(piece.lines)
    ends = text.endswith((".", ",", ";"))
    if size > 1.1 * body:
        return 0 if ends and len(text) > 60 else size
    capitals = text.isupper() and letters > 4 and _TITLE.fullmatch(text) is not None
    stands = capitals or all(s.bold for s in lines)
    short = len(text) <= 80 and len(lines) < 3 and all(len(line) == 1 for line in piece.lines)
    return body if stands and short and not ends and size > 0.85 * body else 0
