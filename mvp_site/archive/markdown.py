"""Markdown to atoms: the smallest blocks that are never cut, each with its lines and headings.

A heading, paragraph, list item, table row or code fence is one atom. A block over the limit is
split at its own lines, a line over the limit at its sentences; what a part needs to be read
alone (a table's header, a fence's markers) is repeated through ``lead`` and ``tail``. So are pairs
of markers in comments (``<!-- BEGIN_X -->`` to ``<!-- END_X -->``): a piece has both or none.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

from ..text.markdown import MarkdownBlock, blocks
from ..text.tokens import count_tokens

SLACK: Final = 8
_SENTENCE: Final = re.compile(r"(?<=[.!?;:])\s+")
_FENCE_MARK: Final = re.compile(r"\s*(?:`+|~+)")
_WORDS: Final = re.compile(r"\s+")
_COMMENT: Final = re.compile(
    r"(?P<opens><!--)?\s?(?P<ends>/?)(?P<text>[^<>]{1,80}?)(?P<closes>-->)?")
_BEGINS: Final = {"begin", "start", "region"}
_ENDS: Final = {"end", "endregion", "stop"}
_HEADING_TEXT: Final = {
    "text", "code_inline", "strong_open", "strong_close", "softbreak", "hardbreak",
}


@dataclass(frozen=True, slots=True)
class Atom:
    """Text that is never cut.

    ``start`` and ``end`` are 0-based source lines, half open; ``path`` the headings above it, its
    own included where it is one; ``level`` is 0 but for headings. ``lead`` opens and ``tail``
    closes a piece that begins or ends inside the atom's block. ``whole_lines`` is False where a
    single long line was split. ``gap`` says that a blank line stands before it.
    """

    text: str
    start: int
    end: int
    path: tuple[str, ...] = ()
    level: int = 0
    block: int = 0
    lead: str = ""
    tail: str = ""
    gap: bool = False
    whole_lines: bool = True
    tokens: int = 0


def atoms(lines: Sequence[str], limit: int, first: int = 0,
          parsed: Sequence[MarkdownBlock] | None = None) -> list[Atom]:
    """The atoms of ``lines[first:]``, none of more than ``limit`` o200k tokens.

    ``parsed`` are its blocks, where a caller has them. Every line that is not blank is in exactly
    one atom, or, split, in consecutive ones.
    """
    parts: list[Atom] = []
    path: list[tuple[int, str]] = []
    pending = 0  # tokens of the headings that must stay with the next block
    previous_end = first
    covering = [*_covering(lines, first, parsed)]
    for number, block in enumerate(covering):
        if block.level:
            while path and path[-1][0] >= block.level:
                path.pop()
            path.append((block.level, _plain(block) or "(untitled)"))
        titles = tuple(title for _, title in path)
        room = max(limit - pending - SLACK, limit // 2)
        for part in _parts(lines, block, room):
            gap = part.start > previous_end
            tokens = count_tokens(part.text + ("\n\n" if gap else "\n"))
            parts.append(replace(
                part, path=titles, level=block.level, block=number, gap=gap, tokens=tokens
            ))
            previous_end = part.end
        pending = pending + parts[-1].tokens if block.level else 0
    regions = _regions_of(lines, covering)
    return [_enclosed(part, regions, lines) for part in parts] if regions else parts


def marked_regions(lines: Sequence[str]) -> list[tuple[int, int]]:
    """The first and last lines of what pairs of markers enclose, the outer ones first."""
    if not any("<!--" in line for line in lines):
        return []
    return _regions_of(lines, [*_covering(lines, 0)])


def _regions_of(lines: Sequence[str], covering: Sequence[MarkdownBlock]) -> list[tuple[int, int]]:
    regions: list[tuple[int, int]] = []
    opened: list[tuple[str, int]] = []
    names = Counter[str]()
    for block in covering:
        for at in range(block.start, block.start if block.fence else block.end):
            match = _COMMENT.fullmatch(lines[at].strip())
            if not match or not (match["opens"] or match["closes"]):
                continue
            words = re.findall(r"[^\W_]+", match["text"].casefold())
            name = " ".join(word for word in words if word not in _BEGINS | _ENDS)
            ends = match["ends"] or not _ENDS.isdisjoint(words)
            if ends and match["closes"] and (names[name] or (opened and not name)):
                other, start = opened.pop()
                names[other] -= 1
                while name not in ("", other):
                    other, start = opened.pop()
                    names[other] -= 1
                regions.append((start, at))
            elif match["opens"] and name and not ends:
                opened.append((name, at))
                names[name] += 1
    return sorted(regions)


def _enclosed(part: Atom, regions: Sequence[tuple[int, int]], lines: Sequence[str]) -> Atom:
    """The atom with the markers that a piece needs which begins or ends with it."""
    around = [(start, end) for start, end in regions if start < part.end and end >= part.start]
    if not around:
        return part
    before = [lines[start].strip() for start, _ in around if start < part.start]
    behind = [lines[end].strip() for _, end in reversed(around) if end >= part.end]
    return replace(part, block=-1 - around[0][0],
                   lead="\n".join([*before, *filter(None, [part.lead])]),
                   tail="\n".join([*filter(None, [part.tail]), *behind]))


def _parts(lines: Sequence[str], block: MarkdownBlock, room: int) -> Iterator[Atom]:
    if block.table:
        yield from _rows(lines, block, room)
        return
    text = "\n".join(lines[block.start : block.end])
    if count_tokens(text) <= room:
        yield Atom(text, block.start, block.end)
        return
    if not block.fence:
        yield from _lines(lines, block.start, block.end, room)
        return
    lead, last = lines[block.start], lines[block.end - 1].strip()
    closed = block.end - block.start > 2 and len(last) >= 3 and set(last) <= {"`", "~"}
    tail = lines[block.end - 1] if closed else _FENCE_MARK.match(lead)[0]  # type: ignore[index]
    body = list(_lines(lines, block.start + 1, block.end - closed, room, lead, tail))
    # The markers stay with the line they open or close.
    opened = "\n".join(lines[block.start : body[0].start])
    body[0] = replace(body[0], text=f"{opened}\n{body[0].text}", start=block.start, lead="")
    if closed:
        shut = "\n".join(lines[body[-1].end : block.end])
        body[-1] = replace(body[-1], text=f"{body[-1].text}\n{shut}", end=block.end, tail="")
    yield from body


def _rows(lines: Sequence[str], block: MarkdownBlock, room: int) -> Iterator[Atom]:
    head = "\n".join(lines[block.start : block.start + 2])
    rows = min(block.start + 3, block.end)
    opening = "\n".join(lines[block.start : rows])
    if count_tokens(opening) > room:  # a header that leaves no room is not repeated
        yield from _lines(lines, block.start, block.end, room)
        return
    yield Atom(opening, block.start, rows)
    spare = room - count_tokens(head)
    yield from _lines(lines, rows, block.end, max(spare, room // 2), head if spare > 0 else "")


def _lines(
    lines: Sequence[str], start: int, end: int, room: int, lead: str = "", tail: str = ""
) -> Iterator[Atom]:
    for number in range(start, end):
        line = lines[number]
        if not line.strip():
            continue
        whole = count_tokens(line) <= room
        for text in [line] if whole else _sentences(line, room):
            yield Atom(text, number, number + 1, lead=lead, tail=tail, whole_lines=whole)


def _sentences(line: str, room: int) -> Iterator[str]:
    """Parts of one long line: at sentences, else at words, else anywhere."""
    for pattern in (_SENTENCE, _WORDS):
        pieces = pattern.split(line)
        if len(pieces) > 1 and all(count_tokens(piece) <= room for piece in pieces):
            yield from _packed(pieces, room)
            return
    half = max(room, 1)  # a token has at least one byte; characters bound tokens loosely
    for start in range(0, len(line), half):
        yield from _halved(line[start : start + half], room)


def _halved(piece: str, room: int) -> Iterator[str]:
    if count_tokens(piece) <= room or len(piece) <= 1:
        yield piece
        return
    middle = len(piece) // 2
    yield from _halved(piece[:middle], room)
    yield from _halved(piece[middle:], room)


def _packed(pieces: Sequence[str], room: int) -> Iterator[str]:
    counts = [count_tokens(" " + piece) for piece in pieces]
    parts = math.ceil(sum(counts) / room)
    even = sum(counts) / parts  # parts of like size, rather than one full and one crumb
    packed, size = "", 0
    for piece, tokens in zip(pieces, counts, strict=True):
        if packed and (size + tokens > room or size >= even):
            yield packed
            packed, size = "", 0
        packed = f"{packed} {piece}" if packed else piece
        size += tokens
    if packed:
        yield packed


def _covering(lines: Sequence[str], first: int, parsed: Sequence[MarkdownBlock] | None = None,
              ) -> Iterator[MarkdownBlock]:
    """The blocks in order; lines that the parser gives no block for become blocks too."""
    position = first
    for block in blocks(lines, first) if parsed is None else parsed:
        start = max(block.start, position)
        yield from _uncovered(lines, position, start)
        if block.end > start:
            yield replace(block, start=start)
            position = block.end
    yield from _uncovered(lines, position, len(lines))


def _uncovered(lines: Sequence[str], start: int, end: int) -> Iterator[MarkdownBlock]:
    for written, run in groupby(range(start, end), lambda number: bool(lines[number].strip())):
        if written:
            numbers = list(run)
            yield MarkdownBlock(numbers[0], numbers[-1] + 1)


def _plain(heading: MarkdownBlock) -> str:
    """A heading's text without markup; ``__NAME__`` is a name here, not emphasis."""
    text = "".join(
        " " if child.type in {"softbreak", "hardbreak"}
        else child.markup if child.type.startswith("strong") and child.markup == "__"
        else child.content
        for child in heading.inline if child.type in _HEADING_TEXT
    )
    return " ".join((text or heading.title).split())
