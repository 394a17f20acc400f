"""Reading order, lines, paragraphs, tables and headings, from words and where they stand.

Order is found by recursive X-Y cut (Nagy and Seth, "Hierarchical representation of optically
scanned documents", ICPR 1984) where, as in Breuel, "Two geometric algorithms for layout analysis"
(DAS 2002), a cut is the tallest empty strip with text on both of its sides: what stands above the
strip comes first, then the left side, the right side, and what stands below.

Lengths are points; ``y`` grows upward, as in PDF.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

GAP = 0.9
"""From here on, in multiples of the letters' size, a gap between words parts two segments."""

LARGE = 1.5
"""From here on, in multiples of the usual size, letters are those of a chapter's heading."""

BULLET = re.compile(r"[•●○◦▪■□▸►‣·✦❖–—*-]|\(?(?:\d{1,3}|[A-Za-z])[.)]")
SECTION = re.compile(r"[\dA-Z]+(?:\.\d+)+\.?")
LEADER = re.compile(r"\s*(?:[.·…_]\s*){4,}")


@dataclass(frozen=True, slots=True)
class LineSegment:
    """Words close to each other on one line; ``y`` is its baseline.

    ``bold`` says whether all of it is, ``opens`` whether its first word is.
    """

    text: str
    x0: float
    x1: float
    y: float
    size: float
    bold: bool = False
    opens: bool = False


def regions(segments: list[LineSegment], height: float) -> Iterator[list[LineSegment]]:
    """Yield the parts of a page that are one column each, in reading order.

    ``segments`` come from the top down.
    """
    cut = _cut(segments, height) if len(segments) > 3 else None
    if cut:
        first, last, x = cut
        middle = segments[first:last]
        left, right = [s for s in middle if s.x0 < x], [s for s in middle if s.x0 >= x]
        for part in (segments[:first], left, right, segments[last:]):
            yield from regions(part, height)
    elif segments:
        yield segments


def _cut(segments: list[LineSegment], height: float) -> tuple[int, int, float] | None:
    """Return the tallest strip between columns: first and last segment beside it, and its x.

    What lies across a strip ends it, and so does a gap of several lines over all columns, or a
    large heading that stands alone at its height with text of both columns below.
    """
    edges = Counter(round(s.x0) for s in segments)
    usual = median(s.size for s in segments)
    width = GAP * usual
    alone = [i for i in range(1, len(segments) - 1) if _alone(segments[i - 1 : i + 2], usual)]
    bands = [i for i, (a, b) in enumerate(pairwise(segments), 1) if a.y - b.y > 4 * b.size]
    best: tuple[float, int, int, float] | None = None
    for edge, often in edges.items():
        if often < 2:
            continue
        right, left = edge - 1.0, edge - width
        start = 0
        across = {i for i, s in enumerate(segments) if s.x0 < right and s.x1 > left}
        across.update(i for i in alone if any(s.x0 >= right for s in segments[i + 1 :]))
        for stop in sorted({*across, *bands, len(segments)}):
            part = segments[start:stop]
            if len(part) > 3:
                tall = part[0].y - part[-1].y
                if (best is None or tall > best[0]) and _parts(part, right, height):
                    best = tall, start, stop, right
            start = stop + (stop in across)
    return best[1:] if best else None


def _alone(near: Sequence[LineSegment], usual: float) -> bool:
    """Whether the middle one of three segments, from the top down, is a large heading by itself."""
    above, head, below = near
    return (head.size >= LARGE * usual and above.y - head.y > 1.5 * head.size
            and head.y - below.y > head.size)


def _parts(segments: list[LineSegment], x: float, height: float) -> bool:
    """Whether what stands left and right of ``x`` are columns of text, not cells of a table.

    Columns have long lines; or they are tall, and their lines stand at heights of their own (stat
    blocks) or are words (lists of names).
    """
    sides: tuple[dict[int, int], dict[int, int]] = {}, {}
    numeric = [0, 0]
    for s in segments:
        right, y = s.x0 >= x, round(s.y)
        sides[right][y] = max(sides[right].get(y, 0), len(s.text))
        numeric[right] += any(map(str.isdigit, s.text))
    few, usual = min(map(len, sides)), min(median(side.values() or [0]) for side in sides)
    if few < 2 or usual >= 16:
        return few > 1
    if segments[0].y - segments[-1].y < 0.4 * height:
        return False
    level = sum(not sides[1].keys().isdisjoint((y - 1, y, y + 1)) for y in sides[0])
    words = usual >= 8 and all(n < len(side) / 2 for n, side in zip(numeric, sides, strict=True))
    return level < few / 2 or words


def rows_of(segments: Sequence[LineSegment]) -> list[tuple[LineSegment, ...]]:
    """Return segments in lines, from the top; a bullet is one with what follows it."""
    rows: list[list[LineSegment]] = []
    for segment in segments:
        near = rows[-1][0] if rows else None
        if near and abs(near.y - segment.y) < 0.35 * max(near.size, segment.size):
            rows[-1].append(segment)
        else:
            rows.append([segment])
    rows = [sorted(row, key=lambda s: s.x0) for row in rows]
    for row in rows:
        numbered = row[0].bold and SECTION.fullmatch(row[0].text)
        if len(row) > 1 and (numbered or BULLET.fullmatch(row[0].text)):
            row[:2] = [merge(row[:2])]
    return [tuple(row) for row in rows]


def most_letters(line: Sequence[LineSegment]) -> float:
    """Return the size that most letters have, of equals the largest."""
    sizes = {s.size for s in line}
    return max(sizes, key=lambda size: (sum(len(s.text) for s in line if s.size == size), size))


def merge(line: Sequence[LineSegment]) -> LineSegment:
    """Return the segments of a line as one, of the size that most of its letters have."""
    if len(line) == 1:
        return line[0]
    size = most_letters(line)
    return LineSegment(" ".join(s.text for s in line), line[0].x0, line[-1].x1,
                       next(s.y for s in line if s.size == size), size, all(s.bold for s in line),
                       line[0].opens)


def leads(line: Sequence[LineSegment]) -> bool:
    """Whether dots lead from one part of a line to another."""
    return LEADER.search(" ".join(s.text for s in line)) is not None


def _gutters(line: Sequence[LineSegment]) -> list[tuple[float, float]]:
    return [(a.x1, b.x0) for a, b in pairwise(line)]


def table(lines: list[tuple[LineSegment, ...]]) -> int:
    """Return how many lines from the first on are rows of one table; 0 if they are none.

    Rows share at least one gutter. A line of one cell goes on a row if it stands clear of it.
    """
    gutters = _gutters(lines[0])
    rows, end, cells, wrapped = 1, 1, len(lines[0]), 0
    for i, (above, line) in enumerate(pairwise(lines), 1):
        size = line[0].size
        if leads(line) or above[0].y - line[0].y > 3 * size:
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
        both = [(max(a, c), min(b, d)) for a, b in gutters for c, d in _gutters(line)
                if min(b, d) - max(a, c) > 0.3 * size]
        if not both:
            break
        gutters, rows, end, cells = both, rows + 1, i + 1, max(cells, len(line))
    texts = [s.text for line in lines[:end] if len(line) > 1 for s in line]
    prose = sum(text[0].islower() for text in texts) > len(texts) / 2
    return end if not prose and (rows > 2 or (rows == 2 and cells > 2)) else 0


def table_text(lines: Sequence[tuple[LineSegment, ...]], leading: float) -> str:
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

    def column(cell: LineSegment) -> int:
        shared = [min(cell.x1, b) - max(cell.x0, a) for a, b in spans]
        return shared.index(max(shared))

    groups: list[list[tuple[LineSegment, ...]]] = [[lines[0]]]
    for above, line in pairwise(lines):
        if above[0].y - line[0].y > 1.12 * leading * line[0].size:
            groups.append([])
        groups[-1].append(line)
    rows: list[list[str]] = []
    for group in groups:
        several = sum(column(line[0]) == 0 for line in group) > 1
        for number, line in enumerate(group):
            if number == 0 or (column(line[0]) == 0 and several):
                rows.append([""] * len(spans))
            for cell in line:
                at = column(cell)
                rows[-1][at] = f"{rows[-1][at]} {cell.text}".strip()
    return "\n".join(" | ".join(row) for row in rows)
