"""A file's table of contents: from its bookmarks, else its headings, else its pages.

Pure: a :class:`Text` comes in, its :class:`ContentsEntry` tuple goes out. Everything is linear in
the number of blocks.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise, zip_longest
from typing import Final, NamedTuple

from .content_types import typed
from .types import BookBlock, ContentsEntry, ContentType, Origin, Text

MOST_ENTRIES: Final = 50_000
DEEPEST: Final = 12
PAGES_A_PART: Final = 10
BLOCKS_A_PART: Final = 200
REFINED: Final = 2
"""A bookmark over so many pages or more gets the headings in its text as children."""
RECURRING: Final = 5
RECURRING_PART: Final = 0.05
"""A heading that is there so often, and is so much of all headings, is no name of anything."""
_NUMBERED: Final = re.compile(
    r"(?:chapter|part|appendix|section)\s+(?:\d{1,4}|[a-z]{1,6})\.?", re.IGNORECASE
)
_REAL_WORDS: Final = 12
"""So many words before the first entry are a text, and no line of a title page."""
_NEAR: Final = 200
"""A bookmark's heading is looked for in so many blocks at most."""
_LISTED: Final = 6
"""A page with so many lines that end in a page number, and few others, is a printed list."""
_REFERENCE: Final = re.compile(
    r"(?:\. ?){4,}\s*\d{1,4}|…\s*\d{1,4}$|^[^|.!?]{2,80}[,\s]\s*\d{1,4}$"
)
_LINE: Final = 400
_NO_WORD: Final = re.compile(r"[\W_]+")


class _Node(NamedTuple):
    """What will be an entry: ``depth`` orders it against others, outermost first."""

    title: str
    depth: tuple[int, int]
    start: int
    origin: Origin


def contents(text: Text) -> tuple[ContentsEntry, ...]:
    """The entries of ``text`` in its order, a parent before its children, each with its type.

    Bookmarks come first; one without others below it that goes over :data:`REFINED` pages or
    more has the headings in it as children, any in a format without pages. Without bookmarks the
    headings are the entries, and without those ranges of :data:`PAGES_A_PART` pages, or parts of
    :data:`BLOCKS_A_PART` blocks. Text before the first entry has one with the file's title. There
    are at most :data:`MOST_ENTRIES`, of :data:`DEEPEST` levels; of more the deepest are left out.
    """
    pages = list(accumulate((block.page or 0 for block in text.blocks), max))
    headings = _headings(text, pages)
    nodes = _of_bookmarks(text, pages, headings) or headings
    if not nodes:
        return typed(text, _entries(text, pages, _parts(text, pages)))
    before = " ".join(block.text for block in text.blocks[: min(nodes[0].start, _NEAR)])
    if len(before.split()) >= _REAL_WORDS:
        nodes.insert(0, _Node(text.title, max(node.depth for node in nodes), 0, "pages"))
    return typed(text, _entries(text, pages, nodes))


def _headings(text: Text, pages: Sequence[int]) -> list[_Node]:
    """The headings that are entries: none of a printed list, and no bare repetition."""
    listed = _listed_pages(text, pages)
    heads = [(number, block) for number, block in enumerate(text.blocks)
             if block.level > 0 and block.text.strip()]
    elsewhere = {_plain(block.text) for number, block in heads if pages[number] not in listed}
    nodes: list[_Node] = []
    titles: set[str] = set()
    heads.append((len(text.blocks), BookBlock("")))
    for (number, block), (after, following) in pairwise(heads):
        title = _plain(block.text)
        if pages[number] in listed and (
            len(title) < 2 or title in elsewhere or _REFERENCE.search(block.text[:_LINE])
        ):
            continue
        bare = after == number + 1 and following.level <= block.level
        if not (bare and title in titles):
            nodes.append(_Node(block.text.strip(), (0, block.level), number, "heading"))
        titles.add(title)
    return nodes


def _listed_pages(text: Text, pages: Sequence[int]) -> set[int]:
    """The pages that are a printed table of contents or an index; none without pages."""
    lines: dict[int, list[bool]] = {}
    for block, page in zip(text.blocks, pages, strict=True):
        if page:
            lines.setdefault(page, []).append(bool(_REFERENCE.search(block.text[:_LINE])))
    return {page for page, ends in lines.items()
            if sum(ends) >= _LISTED and 2 * sum(ends) >= len(ends)}


def _of_bookmarks(text: Text, pages: Sequence[int], headings: Sequence[_Node]) -> list[_Node]:
    """The bookmarks in the order of the text, with the headings of those that span pages."""
    marks = sorted((
        _Node(mark.title.strip(), (max(mark.level, 1), 0), max(mark.block, 0), "bookmark")
        for mark in text.bookmarks if mark.title.strip() and mark.block < len(text.blocks)
    ), key=lambda node: node.start)
    headings = _names(headings)
    starts = [node.start for node in headings]
    nodes: list[_Node] = []
    for mark, following in zip_longest(marks, marks[1:]):
        end = following.start if following else len(text.blocks)
        nodes.append(mark)
        if (following and following.depth > mark.depth) or end == mark.start or (
            text.pages and pages[end - 1] - pages[mark.start] + 1 < REFINED
        ):
            continue
        nodes += (
            node._replace(depth=(mark.depth[0], node.depth[1]))
            for node in headings[bisect_right(starts, mark.start) : bisect_left(starts, end)]
            if _plain(node.title) != _plain(mark.title)
        )
    return nodes


def _names(headings: Sequence[_Node]) -> list[_Node]:
    """The headings that name something: no "Chapter 4", and none that recur all over, as "Note"."""
    counts = Counter(_plain(node.title) for node in headings)
    often = max(RECURRING, RECURRING_PART * len(headings))
    return [node for node in headings
            if counts[_plain(node.title)] < often and not _NUMBERED.fullmatch(node.title)]


def _parts(text: Text, pages: Sequence[int]) -> list[_Node]:
    if not text.pages:
        total = -(-len(text.blocks) // BLOCKS_A_PART)
        return [
            _Node(f"Part {part + 1} of {total}" if total > 1 else text.title, (0, 1),
                  part * BLOCKS_A_PART, "pages")
            for part in range(total)
        ]
    nodes = []
    for first in range(1, text.pages + 1, PAGES_A_PART):
        last = min(first + PAGES_A_PART - 1, text.pages)
        start, end = bisect_left(pages, first), bisect_left(pages, last + 1)
        if start < end:
            title = f"Pages {first}–{last}" if first < last else f"Page {first}"
            nodes.append(_Node(title, (0, 1), start, "pages"))
    return nodes


def _entries(text: Text, pages: Sequence[int], nodes: Iterable[_Node]) -> list[ContentsEntry]:
    """The nodes as a tree without gaps: each stands right below the last that is further out."""
    tree = list(_levels(nodes))
    level = DEEPEST
    while len(tree) > MOST_ENTRIES and level > 1:
        level -= 1
        tree = [pair for pair in tree if pair[0] <= level]
    tree = tree[:MOST_ENTRIES]
    parents: list[int | None] = []
    children: list[list[int]] = [[] for _ in tree]
    ends = [len(text.blocks)] * len(tree)
    above: list[int] = []
    for number, (level, node) in enumerate(tree):
        while len(above) >= level:
            ends[above.pop()] = node.start
        parents.append(above[-1] if above else None)
        if above:
            children[above[-1]].append(number)
        above.append(number)
    entries = []
    for number, (level, node) in enumerate(tree):
        below, end = children[number], ends[number]
        page = pages[node.start] or None
        entries.append(ContentsEntry(
            title=node.title, level=level, start=node.start,
            own_end=tree[below[0]][1].start if below else end, end=end, page=page,
            end_page=max(pages[max(end - 1, node.start)], page) if page else None,
            label=text.label(page), type=ContentType.RULE, confidence=1.0, origin=node.origin,
            parent=parents[number], children=tuple(below),
        ))
    return entries


def _levels(nodes: Iterable[_Node]) -> Iterator[tuple[int, _Node]]:
    above: list[tuple[int, int]] = []
    for node in nodes:
        while above and (above[-1] >= node.depth or len(above) >= DEEPEST):
            above.pop()
        above.append(node.depth)
        yield len(above), node


def _plain(title: str) -> str:
    return _NO_WORD.sub(" ", title).strip().casefold()
