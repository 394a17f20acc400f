"""Cuts: long sections into parts with headings, and sections into files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count, pairwise
from typing import Final

from ...content.schemas import slug_of
from ...retrieval.tokens import count_tokens
from ..chunking import MAX_TOKENS, PIECE_TOKENS
from .header import ENOUGH, Encode, judge
from .structure import Section, first_words, made_heading, row_blocks

PART_TOKENS: Final = 320
"""What a part of a long section has, about: so many that four fit into a budget of 1,500."""
FILE_TOKENS: Final = 3_000
"""A longer file is made of its sections."""
JOINED_TOKENS: Final = 2_000
"""So many tokens of sections that do not fill a chunk stand in one file at most."""
_LIST_COST: Final = 0.5
_TOPIC_COST: Final = 1.5
_BESIDE: Final = 3
_JUDGED_TOKENS: Final = 30
_NAME_CHARS: Final = 48
_NUMBER: Final = re.compile(r"\s*\d+(?:\.\d+)*[.):]?\s+")
_RESERVED: Final = frozenset({
    "con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10)),
})


def parts_of(section: Section, encode: Encode | None = None) -> list[Section]:
    """The section in parts of about :data:`PART_TOKENS`, each but its first under a made heading.

    It is cut where a paragraph, a list item, a table or a fence begins; where paragraphs have no
    blank lines between them, behind a line that ends a sentence. A text without a heading gets one.
    """
    cuts = [0]
    if count_tokens(section.words) > PIECE_TOKENS:
        cuts = _cuts(section, encode)
    if section.level and len(cuts) == 1:
        return [section]
    found: list[Section] = []
    for start, end in pairwise([*cuts, len(section.rows)]):
        rows = section.rows[start:end]
        if section.level and not start:
            found.append(replace(section, rows=rows))
            continue
        title = first_words("\n".join(row.text for row in rows)) or f"Part {len(found) + 1}"
        level = min(section.level + 1, 6)
        found.append(Section(level, title, (*made_heading(level, title), *rows), 1, made=True))
    return found


def _cuts(section: Section, encode: Encode | None) -> list[int]:
    """Where the parts begin, 0 first: the cheapest way to cut, found by dynamic programming."""
    rows = section.rows
    places = [(0, 0.0), *_places(section)]
    bounds = [*(at for at, _ in places), len(rows)]
    texts = ["\n".join(row.text for row in rows[a:b])
             for a, b in pairwise(bounds)]
    sizes = [count_tokens(text) for text in texts]
    alike = _likeness(texts, encode)
    if not section.level:  # what may go to the header is kept apart from the rest
        judged = [one.score >= ENOUGH and size >= _JUDGED_TOKENS for one, size in
                  zip(judge([""] * len(texts), texts, encode), sizes, strict=True)]
        alike = [one if not at or judged[at] == judged[at - 1] else -1.0
                 for at, one in enumerate(alike)]
    best, back = [0.0] + [float("inf")] * len(texts), [0] * (len(texts) + 1)
    for start in range(len(texts)):
        size = 0
        opening = best[start] + (places[start][1] + _TOPIC_COST * alike[start] if start else 0.0)
        for end in range(start + 1, len(texts) + 1):
            size += sizes[end - 1]
            if size > MAX_TOKENS and end > start + 1:
                break
            cost = opening + (size / PART_TOKENS - 1) ** 2 + (3.0 if size > PIECE_TOKENS else 0.0)
            if cost < best[end] - 1e-12:
                best[end], back[end] = cost, start
    cuts, end = [], len(texts)
    while end:
        end = back[end]
        cuts.append(bounds[end])
    return cuts[::-1]


def _places(section: Section) -> Iterator[tuple[int, float]]:
    """Where the rows may be cut, and what it costs to cut there rather than before a paragraph."""
    rows = section.rows
    for block in row_blocks(rows):
        if block.start < max(section.body, 1) or block.level:
            continue
        head = rows[block.start].text
        plain = not (block.table or block.fence) and head[:1].isalnum() and not head[0].isdigit()
        yield block.start, 0.0 if plain else _LIST_COST
        if plain and count_tokens("\n".join(r.text for r in rows[block.start : block.end])) > (
                PART_TOKENS):
            yield from ((at, 0.0) for at in range(block.start + 1, block.end)
                        if rows[at - 1].text.rstrip().endswith((".", "!", "?", "”", '"')))


def _likeness(texts: Sequence[str], encode: Encode | None) -> list[float]:
    """How alike the texts before and after each are, as a cosine (Hearst 1997); 0 unknown."""
    if encode is None or len(texts) < 2:
        return [0.0] * len(texts)
    vectors = encode(texts)
    found = [0.0]
    for at in range(1, len(texts)):
        left = vectors[max(0, at - _BESIDE) : at].mean(axis=0)
        right = vectors[at : at + _BESIDE].mean(axis=0)
        norms = float((left @ left) * (right @ right)) ** 0.5
        found.append(float(left @ right) / norms if norms else 0.0)
    return found


def groups(sections: Sequence[Section], name: str, above: Sequence[Section] = (),
           ) -> Iterator[tuple[str, list[Section]]]:
    """The files that sections make, with what each is named after.

    The headings ``above`` a file's first section are repeated in it, but not those of everything.
    """
    runs = _runs(sections)
    if len(runs) == 1 and len(sections) > 1 and _tokens(sections) > FILE_TOKENS:
        name = sections[0].title or name
        runs = [sections[:1], *_runs(sections[1:])]
    held: list[Section] = []
    tops: list[Section] = []
    filled = 0
    for run in [*runs, []]:
        size = _tokens(run)
        full = size > MAX_TOKENS or filled + size > JOINED_TOKENS
        full = full or (len(tops) == 1 and filled > MAX_TOKENS)
        if held and (full or not run):
            named = tops[0].title if len(tops) == 1 and not tops[0].made else ""
            copies = [Section(one.level, one.title, made_heading(one.level, one.title), 1)
                      for one in above if one.title and one is not tops[0]]
            yield named or name, [*copies, *held]
            held, tops, filled = [], [], 0
        if size > FILE_TOKENS and len(run) > 1:
            yield from groups(run, name, (*above, run[0]))
        elif run:
            held += run
            tops.append(run[0])
            filled += size


def _runs(sections: Sequence[Section]) -> list[Sequence[Section]]:
    """Each section with those that are below it."""
    starts: list[int] = []
    for at, one in enumerate(sections):
        if not starts or one.level <= sections[starts[-1]].level:
            starts.append(at)
    return [sections[start:end] for start, end in pairwise([*starts, len(sections)])]


def _tokens(sections: Sequence[Section]) -> int:
    return sum(count_tokens(section.text) for section in sections)


def file_name(title: str, taken: set[str], folder: str = "") -> str:
    """A file's path of a title's words, one that is not ``taken`` and that any system has."""
    stem = slug_of(_NUMBER.sub("", title))[:_NAME_CHARS].strip("-") or "section"
    stem = f"{folder}{stem}_" if stem in _RESERVED else f"{folder}{stem}"
    name = next(name for number in count(1)
                if (name := f"{stem}-{number}.md" if number > 1 else f"{stem}.md") not in taken)
    taken.add(name)
    return name
