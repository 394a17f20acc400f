"""Structure: lines as sections under headings, however the text marks its headings.

Markdown's own headings stand, and a tag that encloses text (``<combat_rules>``) is a heading. Where
a section has none, or is longer than is printed at once, lines that are set as headings count as
such: framed (``**Title**``, ``[Title]``, ``== Title ==``), numbered, ALL CAPS, ``Title:``; in a
short section those in capitals, frames and with a colon. A style counts where it is a habit of the
whole text: two such lines or more, most with text below; numbers that follow each other without are
a list. A heading is a level below the last of a style that has such headings in between, else below
the last of an earlier style. What is then still long is cut between paragraphs, and its parts get
headings.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from markdown_it.common.html_blocks import block_names

from ...text.audience import hides
from ...text.markdown import MarkdownBlock, blocks
from ...text.tokens import count_tokens
from ..chunking import PIECE_TOKENS
from ..markdown import atoms
from .header import ENOUGH, judge
from .titles import ITEM, TITLE_CHARS, WEAK, WORD, first_words, number_of, style_of
from .types import How, SourceLine

PART_TOKENS: Final = 400
"""What a part of a long section has, about: so many that three fit into a budget of 1,500."""
_TAGGED_TOKENS: Final = 16
_DEEPEST: Final = 6
_RULE: Final = re.compile(r"\s*([=\-*_~#+•·])\1{2,}\s*")
_FENCE: Final = re.compile(r"\s*(`{3,}|~{3,})(.*)")
_TAG: Final = re.compile(r" {0,3}<(/?)([A-Za-z][\w.-]*)(?:\s[^<>]*)?>\s*")
_ENDED: Final = tuple(".!?:\"”’)|")


@dataclass(frozen=True, slots=True)
class OutputLine:
    """A line to be written; ``line`` is where it is from, None for one that was added."""

    text: str
    line: SourceLine | None = None
    how: How = "text"


@dataclass(frozen=True, slots=True)
class SourceSection:
    """A heading with the text right under it; ``level`` 0 is text above the first heading.

    ``body`` of the rows are the heading's. ``own`` says that the source has the heading.
    """

    level: int
    title: str
    rows: tuple[OutputLine, ...]
    body: int = 0
    own: bool = True

    @property
    def text(self) -> str:
        """The text under the heading."""
        return "\n".join(_texts(self.rows[self.body :])).strip()

    @property
    def tokens(self) -> int:
        """Its o200k tokens, with the heading."""
        return count_tokens("\n".join(_texts(self.rows)))


def sections(lines: Sequence[SourceLine]) -> list[SourceSection]:
    """The sections of a text in order; every line that is not blank is in one of them."""
    whole = [*_split(_underlined(_tagged([OutputLine(line.text, line) for line in lines])))]
    return [part for section in _split(_styled(whole)) for part in _parts(section)]


def made(level: int, title: str) -> SourceSection:
    """A heading that the source does not have at that place."""
    rows = (OutputLine(f"{'#' * min(level, _DEEPEST)} {title}"), OutputLine(""))
    return SourceSection(level, title, rows, 1, own=False)


def _heading(row: OutputLine, level: int) -> list[OutputLine]:
    marks = "#" * min(level, _DEEPEST)
    text = f"{marks} {row.text.strip().removesuffix(':')}"
    return [OutputLine(""), OutputLine(text, row.line, "heading"), OutputLine("")]


def _texts(rows: Sequence[OutputLine]) -> list[str]:
    return ["" if row.how == "mark" else row.text for row in rows]


def _split(rows: Sequence[OutputLine]) -> Iterator[SourceSection]:
    """Sections at Markdown's headings; a rule right above one is left to its marks."""
    start, heading = 0, MarkdownBlock(0, 0)
    for block in [*(block for block in blocks(_texts(rows)) if block.level),
                  MarkdownBlock(len(rows), len(rows))]:
        lines = [*rows[start : block.start]]
        above = next((at for at in reversed(range(len(lines))) if lines[at].text.strip()), 0)
        if block.level and lines and _RULE.fullmatch(lines[above].text):
            lines[above:] = [OutputLine(lines[above].text, lines[above].line, "mark")]
        if any(row.text.strip() and (row.line or not heading.level) for row in lines):
            title = " ".join(heading.title.split()).strip("*_ ").rstrip(":")
            yield SourceSection(heading.level, title if WORD.search(title) else "", tuple(lines),
                          heading.end - heading.start)
        start, heading = block.start, block


def _tagged(rows: Sequence[OutputLine]) -> list[OutputLine]:
    """``rows`` with headings where tags open, and above what follows a closed one."""
    tags, opened, fence = dict[int, int](), dict[str, int](), ""
    for at, row in enumerate(rows):
        mark, tag = _FENCE.match(row.text), _TAG.fullmatch(row.text)
        if mark and (not fence or (mark[1].startswith(fence) and not mark[2].strip())):
            fence = "" if fence else mark[1]
        elif not fence and tag and tag[2].lower() not in block_names:
            if not tag[1]:
                opened.setdefault(tag[2], at)
            elif tag[2] in opened:
                while (last := opened.popitem())[0] != tag[2]:
                    pass
                inner = rows[last[1] : min(at, last[1] + _TAGGED_TOKENS)]  # no more is looked at
                if count_tokens("\n".join(_texts(inner))) >= _TAGGED_TOKENS:
                    tags[last[1]], tags[at] = len(opened) + 1, -len(opened) - 1
    lines: list[OutputLine] = []
    closed = 0
    for at, row in enumerate(rows):
        level = tags.get(at, 0)
        if closed and row.text.strip():
            if not level and not row.text.startswith("#"):
                lines += made(closed, first_words(row.text) or "Part").rows
            closed = 0
        if level > 0 and (tag := _TAG.fullmatch(row.text)):
            lines += made(level, " ".join(re.split(r"[_.-]+", tag[2]))).rows
        lines += [row, OutputLine("")] if level else [row]
        closed = -level if level < 0 else closed
    return lines


def _underlined(rows: Sequence[OutputLine]) -> list[OutputLine]:
    """``rows`` with blank lines that part a rule from the title below, or a paragraph above."""
    lines = [*rows]
    for block in reversed([*blocks(_texts(rows))]):
        if block.level and _RULE.fullmatch(rows[block.start].text):
            lines.insert(block.start + 1, OutputLine(""))
        elif block.level and block.end - block.start > 1 and len(block.title) > TITLE_CHARS:
            lines.insert(block.end - 1, OutputLine(""))
    return lines


def _styled(whole: Sequence[SourceSection]) -> list[OutputLine]:
    """The rows of all sections, with marks before the lines that are set as headings.

    Where one style stands beside Markdown's headings and not always below them, all are as deep as
    the first of their kind: none is below one that it may be no part of.
    """
    counts = Counter(row.text.strip() for source_section in whole for row in source_section.rows)
    read = [_set(section, counts) for section in whole]
    uses = Counter(style for styles, _ in read for style in styles.values())
    followed = Counter(styles[at] for styles, below in read for at in below)
    habits = [style for style in uses if followed[style] > 1 and 2 * followed[style] > uses[style]]
    ranks = [{at: habits.index(styles[at]) for at, free in below.items()
              if free and styles[at] in habits} for styles, below in read]
    marks = [part.level * (part.rows[0].line is not None) for part in whole]  # Markdown's own
    title = marks[:1] == [min(filter(None, marks), default=0)] and marks.count(marks[0]) == 1
    top = marks[0] if title else 0
    inner = [mark if mark != top else 0 for mark in marks]
    loose = set[int]()
    for rank, style in enumerate(habits):  # two or more below each heading of one level are inner
        above = {level * (count > 1) for level, own in zip(inner, ranks, strict=True)
                 if (count := [*own.values()].count(rank))}
        if any(inner) and not style.startswith(WEAK) and (len(above) > 1 or 0 in above):
            loose.add(rank)
    lines: list[OutputLine] = []
    shift = _DEEPEST
    for section, mark, level, own in zip(whole, marks, inner, ranks, strict=True):
        rows, deep = [*section.rows], _levels(own)
        base = section.level - bool(section.level and not mark and not _encloses(section))
        if level and loose:
            shift = min(shift, level - top - 1)
            base = level - shift
            if shift and rows[0].text.lstrip().startswith("#"):
                text = rows[0].text.strip().lstrip("#")
                rows[0] = replace(rows[0], text=f"{'#' * base}{text}", how="heading")
        for at, row in enumerate(rows):
            if own.get(at) in loose:
                base, shift = top, _DEEPEST
            lines += _heading(row, base + deep[at]) if at in deep else [row]
    return lines


def _encloses(section: SourceSection) -> bool:
    """Whether a section is what a tag encloses."""
    return bool(_TAG.fullmatch(section.text.partition("\n")[0]))


def _set(section: SourceSection, counts: Counter[str]) -> tuple[dict[int, str], dict[int, bool]]:
    """How lines of a section are set that stand as headings; which have text, and are no items.

    In a short section they stand apart, and lead in no list or quote; what a tag encloses, and what
    is for the header as a whole, is not cut. What ``counts`` has again and again is a label.
    """
    rows, styles = section.rows, dict(_styles(section.rows, section.body))
    short = section.level > 0 and section.tokens <= PIECE_TOKENS
    styles = {at: style for at, style in styles.items() if counts[rows[at].text.strip()] == 1
              or not section.level or (style.startswith(WEAK) and not short)}
    filled = [at for at, row in enumerate(rows) if row.text.strip()]
    after = dict(pairwise(filled))
    if short:
        form = rows[0].line and judge(section.title, section.text)[0] >= ENOUGH
        if _encloses(section) or (form and not hides(section.text)):
            return {}, {}
        styles = {at: style for at, style in styles.items() if not rows[at - 1].text.strip() and (
            not style.startswith(WEAK) or (style == "colon" and at in after
                                            and rows[after[at]].text[:1].isalpha()))}
    items = {at for before, at in after.items() if styles.get(before) == styles.get(at)
             and number_of(rows[before].text) + 1 == number_of(rows[at].text)}
    return styles, {at: at not in items for at in styles
                    if at in after and styles.get(after[at]) != styles[at]
                    and not rows[after[at]].text[:1].isspace()}


def _levels(ranks: dict[int, int]) -> dict[int, int]:
    """How deep headings are, from 1, by the ranks of their styles: 0 is the first that was seen."""
    inside = set[tuple[int, int]]()  # what stands between two headings of another rank
    since = dict[int, set[int]]()  # the ranks that came since the last heading of a rank
    for rank in ranks.values():
        inside |= {(rank, inner) for inner in since.get(rank, ())}
        since = {one: {*ranks, rank} for one, ranks in since.items() if one < rank} | {rank: set()}
    levels, opened = dict[int, int](), list[int]()
    for at, rank in ranks.items():
        opened = [level for level in opened if level < rank]
        outer = [place for place, level in enumerate(opened, 1) if (level, rank) in inside]
        opened = [*opened[: max(outer, default=None)], rank]
        levels[at] = len(opened)
    return levels


def _styles(rows: Sequence[OutputLine], body: int) -> Iterator[tuple[int, str]]:
    """The lines that stand as headings might, with how they are set."""
    for block in blocks(_texts(rows), body):
        for at in range(block.start, 0 if block.fence or block.level else block.end):
            text, above = rows[at].text, rows[at - 1].text.rstrip() if at > block.start else ""
            if text[:1].isspace() or (block.table and "|" in text):
                continue
            stands = not above or above.endswith(_ENDED) or ITEM.match(above)
            if stands and (style := style_of(text.strip())):
                yield at, style


def _parts(section: SourceSection) -> Iterator[SourceSection]:
    """The section in parts of about :data:`PART_TOKENS` where it is long, each with a heading.

    A part begins with a block, or a sentence on a line; what might be for the header stands apart.
    """
    pieces = atoms(_texts(section.rows), PIECE_TOKENS, section.body)
    total = sum(atom.tokens for atom in pieces)
    if total <= PIECE_TOKENS:
        yield section
        return
    even = total / math.ceil(total / PART_TOKENS)
    cuts, size, remaining = [section.body], 0, total
    binds = [atom.tokens >= 30 and judge("", atom.text)[0] >= ENOUGH for atom in pieces]
    for (before, bound), (atom, binding) in pairwise(zip(pieces, binds, strict=True)):
        size, remaining = size + before.tokens, remaining - before.tokens
        full = size + atom.tokens / 2 > even and remaining > even / 2  # no crumb is left at the end
        full = full or size + atom.tokens > PIECE_TOKENS
        begins = (before.text.rstrip().endswith(_ENDED) and not (
            atom.lead or atom.text[:1].isspace())) or atom.block != before.block
        if atom.start >= before.end and begins and (full or bound != binding):
            cuts.append(atom.start)
            size = 0
    for start, end in pairwise([*cuts, len(section.rows)]):
        rows = section.rows[start:end]
        if section.level and start == section.body:
            yield SourceSection(section.level, section.title, section.rows[:end], start,
                                section.own)
        else:
            part = made(section.level + 1, first_words("\n".join(_texts(rows))) or "Part")
            yield SourceSection(part.level, part.title, (*part.rows, *rows), 1, own=False)
