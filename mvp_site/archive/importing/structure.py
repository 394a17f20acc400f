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

from ...retrieval.audience import hides
from ...retrieval.markdown import Block, blocks
from ...retrieval.tokens import count_tokens
from ..chunking import PIECE_TOKENS
from ..markdown import atoms
from .header import ENOUGH, judge
from .types import How, Line

PART_TOKENS: Final = 400
"""What a part of a long section has, about: so many that three fit into a budget of 1,500."""
_TAGGED_TOKENS: Final = 16
_JUDGED_TOKENS: Final = 30
_TITLE_CHARS: Final = 80
_TITLE_WORDS: Final = 10
_DEEPEST: Final = 6
_RULE: Final = re.compile(r"\s*([=\-*_~#+•·])\1{2,}\s*")
_FENCE: Final = re.compile(r"\s*(`{3,}|~{3,})(.*)")
_TAG: Final = re.compile(r" {0,3}<(/?)([A-Za-z][\w.-]*)(?:\s[^<>]*)?>\s*")
_ITEM: Final = re.compile(r"\s*(?:[-*+•]|\d+[.)])\s")
_FRAMED: Final = re.compile(r"(?:([=\-~#+•·*_]{2,})\s*(.+?)\s*\1|\[([^\[\]]+)\]):?")
_NUMBERED: Final = re.compile(r"(?:(\d{1,3}(?:\.\d{1,3})*)[.):]?|[IVXLC]+[.)])\s+([^\Wa-z].*)")
_FIGURE: Final = re.compile(r"(?<!\w)\d")
_WEAK: Final = ("*", "_", "number", "colon")
"""Styles that are below Markdown's headings wherever they stand."""
_ENDED: Final = tuple(".!?:\"”’)|")
_WORD: Final = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Row:
    """A line to be written; ``line`` is where it is from, None for one that was added."""

    text: str
    line: Line | None = None
    how: How = "text"


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with the text right under it; ``level`` 0 is text above the first heading.

    ``body`` of the rows are the heading's. ``own`` says that the source has the heading.
    """

    level: int
    title: str
    rows: tuple[Row, ...]
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


def sections(lines: Sequence[Line]) -> list[Section]:
    """The sections of a text in order; every line that is not blank is in one of them."""
    whole = [*_split(_underlined(_tagged([Row(line.text, line) for line in lines])))]
    return [part for one in _split(_styled(whole)) for part in _parts(one)]


def made(level: int, title: str) -> Section:
    """A heading that the source does not have at that place."""
    rows = (Row(f"{'#' * min(level, _DEEPEST)} {title}"), Row(""))
    return Section(level, title, rows, 1, own=False)


def _heading(row: Row, level: int) -> list[Row]:
    marks = "#" * min(level, _DEEPEST)
    text = f"{marks} {row.text.strip().removesuffix(':')}"
    return [Row(""), Row(text, row.line, "heading"), Row("")]


def _texts(rows: Sequence[Row]) -> list[str]:
    return ["" if row.how == "mark" else row.text for row in rows]


def _split(rows: Sequence[Row]) -> Iterator[Section]:
    """Sections at Markdown's headings; a rule right above one is left to its marks."""
    start, heading = 0, Block(0, 0)
    for block in [*(one for one in blocks(_texts(rows)) if one.level),
                  Block(len(rows), len(rows))]:
        held = [*rows[start : block.start]]
        above = next((at for at in reversed(range(len(held))) if held[at].text.strip()), 0)
        if block.level and held and _RULE.fullmatch(held[above].text):
            held[above:] = [Row(held[above].text, held[above].line, "mark")]
        if any(row.text.strip() and (row.line or not heading.level) for row in held):
            title = " ".join(heading.title.split()).strip("*_ ").rstrip(":")
            yield Section(heading.level, title if _WORD.search(title) else "", tuple(held),
                          heading.end - heading.start)
        start, heading = block.start, block


def _tagged(rows: Sequence[Row]) -> list[Row]:
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
    found: list[Row] = []
    closed = 0
    for at, row in enumerate(rows):
        level = tags.get(at, 0)
        if closed and row.text.strip():
            if not level and not row.text.startswith("#"):
                found += made(closed, first_words(row.text) or "Part").rows
            closed = 0
        if level > 0 and (tag := _TAG.fullmatch(row.text)):
            found += made(level, " ".join(re.split(r"[_.-]+", tag[2]))).rows
        found += [row, Row("")] if level else [row]
        closed = -level if level < 0 else closed
    return found


def _underlined(rows: Sequence[Row]) -> list[Row]:
    """``rows`` with blank lines that part a rule from the title below, or a paragraph above."""
    found = [*rows]
    for block in reversed([*blocks(_texts(rows))]):
        if block.level and _RULE.fullmatch(rows[block.start].text):
            found.insert(block.start + 1, Row(""))
        elif block.level and block.end - block.start > 1 and len(block.title) > _TITLE_CHARS:
            found.insert(block.end - 1, Row(""))
    return found


def _styled(whole: Sequence[Section]) -> list[Row]:
    """The rows of all sections, with marks before the lines that are set as headings.

    Where one style stands beside Markdown's headings and not always below them, all are as deep as
    the first of their kind: none is below one that it may be no part of.
    """
    read = [_set(one) for one in whole]
    seen = Counter(style for styles, _ in read for style in styles.values())
    followed = Counter(styles[at] for styles, below in read for at in below)
    habits = [style for style in seen if followed[style] > 1 and 2 * followed[style] > seen[style]]
    ranks = [{at: habits.index(styles[at]) for at, free in below.items()
              if free and styles[at] in habits}
             for styles, below in read]
    marks = [one.level * _marked(one) for one in whole]  # Markdown's own
    title = marks[:1] == [min(filter(None, marks), default=0)] and marks.count(marks[0]) == 1
    top = marks[0] if title else 0
    inner = [one if one != top else 0 for one in marks]
    loose = {rank for rank, style in enumerate(habits) if not style.startswith(_WEAK)
             and any(inner) and not _below(inner, [[*held.values()].count(rank) for held in ranks])}
    found: list[Row] = []
    shift = _DEEPEST
    for one, level, own in zip(whole, inner, ranks, strict=True):
        rows, deep = [*one.rows], _levels(own)
        base = one.level - (one.level > 0 and not (_marked(one) or _encloses(one)))
        if level and loose:
            shift = min(shift, level - top - 1)
            base = level - shift
            if shift and rows[0].text.lstrip().startswith("#"):
                text = rows[0].text.strip().lstrip("#")
                rows[0] = replace(rows[0], text=f"{'#' * base}{text}", how="heading")
        for at, row in enumerate(rows):
            if own.get(at) in loose:
                base, shift = top, _DEEPEST
            found += _heading(row, base + deep[at]) if at in deep else [row]
    return found


def _marked(section: Section) -> bool:
    """Whether a section's heading is Markdown's, and of the source."""
    return section.level > 0 and section.rows[0].line is not None


def _encloses(section: Section) -> bool:
    """Whether a section is what a tag encloses."""
    return bool(_TAG.fullmatch(section.text.partition("\n")[0]))


def _below(levels: Sequence[int], counts: Sequence[int]) -> bool:
    """Whether the lines of a style are clearly below headings: two or more in each of one level."""
    held = {level for level, count in zip(levels, counts, strict=True) if count}
    return len(held) == 1 and 0 not in held and all(count != 1 for count in counts)


def _set(section: Section) -> tuple[dict[int, str], dict[int, bool]]:
    """How lines of a section are set that stand as headings; which have text, and are no items.

    In a short section they stand apart, and are no titles of lists; what a tag encloses, and what
    is for the header as a whole, is not cut.
    """
    rows, styles = section.rows, dict(_styles(section.rows, section.body))
    filled = [at for at, row in enumerate(rows) if row.text.strip()]
    after = dict(pairwise(filled))
    if section.level and section.tokens <= PIECE_TOKENS:
        form = _marked(section) and judge(section.title, section.text)[0] >= ENOUGH
        if _encloses(section) or (form and not hides(section.text)):
            return {}, {}
        styles = {at: style for at, style in styles.items() if not rows[at - 1].text.strip() and (
            not style.startswith(_WEAK) or (style == "colon" and at in after
                                            and not _ITEM.match(rows[after[at]].text)))}
    items = {at for before, at in after.items() if styles.get(before) == styles.get(at)
             and _number(rows[before].text) + 1 == _number(rows[at].text)}
    return styles, {at: at not in items for at in styles
                    if at in after and styles.get(after[at]) != styles[at]
                    and not rows[after[at]].text[:1].isspace()}


def _levels(ranks: dict[int, int]) -> dict[int, int]:
    """How deep headings are, from 1, by the ranks of their styles: 0 is the first that was seen."""
    inside = set[tuple[int, int]]()  # what stands between two headings of another rank
    since = dict[int, set[int]]()  # the ranks that came since the last heading of a rank
    for rank in ranks.values():
        inside |= {(rank, inner) for inner in since.get(rank, ())}
        since = {one: {*held, rank} for one, held in since.items() if one < rank} | {rank: set()}
    found, opened = dict[int, int](), list[int]()
    for at, rank in ranks.items():
        opened = [one for one in opened if one < rank]
        outer = [place for place, one in enumerate(opened, 1) if (one, rank) in inside]
        opened = [*opened[: max(outer, default=None)], rank]
        found[at] = len(opened)
    return found


def _styles(rows: Sequence[Row], body: int) -> Iterator[tuple[int, str]]:
    """The lines that stand as headings might, with how they are set."""
    for block in blocks(_texts(rows), body):
        for at in range(block.start, 0 if block.fence or block.level else block.end):
            text, above = rows[at].text, rows[at - 1].text.rstrip() if at > block.start else ""
            if text[:1].isspace() or (block.table and "|" in text):
                continue
            stands = not above or above.endswith(_ENDED) or _ITEM.match(above)
            if stands and (style := _style(text.strip())):
                yield at, style


def _style(text: str) -> str:
    """How a line is set as a heading; '' where it is not. Capitals count in whatever frame."""
    framed, numbered = _FRAMED.fullmatch(text), _NUMBERED.fullmatch(text)
    title = ((framed[2] or framed[3]) if framed else numbered[2] if numbered else text).rstrip(":")
    if not _is_title(title) or (_ITEM.match(text) and not (framed or numbered)):
        return ""
    if title.upper() == title and sum(map(str.isalpha, title)) > 3 and not (
            numbered and "." in (numbered[1] or "")):
        return "" if len(_FIGURE.findall(title)) > 1 else "capitals"  # a line of values
    if framed:
        return text[0]
    if numbered:
        return f"number {(numbered[1] or 'I').count('.')}"
    return "colon" if text.endswith(":") and text[0].isupper() and text.count(" ") < 6 else ""


def _is_title(text: str) -> bool:
    return bool(len(text) <= _TITLE_CHARS and len(text.split()) <= _TITLE_WORDS
                and _WORD.search(text) and text.rstrip()[-1] not in ".!,;")


def _number(text: str) -> int:
    """What a line is numbered with, the last part of it; 0 without."""
    found = _NUMBERED.fullmatch(text.strip())
    return int((found[1] or "0").rpartition(".")[2]) if found else 0


def _parts(section: Section) -> Iterator[Section]:
    """The section in parts of about :data:`PART_TOKENS` where it is long, each with a heading.

    A part begins with a block, or a sentence on a line; what might be for the header stands apart.
    """
    found = atoms(_texts(section.rows), PIECE_TOKENS, section.body)
    total = sum(atom.tokens for atom in found)
    if total <= PIECE_TOKENS:
        yield section
        return
    even = total / math.ceil(total / PART_TOKENS)
    cuts, held, left = [section.body], 0, total
    binds = [atom.tokens >= _JUDGED_TOKENS and judge("", atom.text)[0] >= ENOUGH for atom in found]
    for (before, bound), (atom, binding) in pairwise(zip(found, binds, strict=True)):
        held, left = held + before.tokens, left - before.tokens
        full = held + atom.tokens / 2 > even and left > even / 2  # no crumb is left at the end
        full = full or held + atom.tokens > PIECE_TOKENS
        begins = (before.text.rstrip().endswith(_ENDED) and not (
            atom.lead or atom.text[:1].isspace())) or atom.block != before.block
        if atom.start >= before.end and begins and (full or bound != binding):
            cuts.append(atom.start)
            held = 0
    for start, end in pairwise([*cuts, len(section.rows)]):
        rows = section.rows[start:end]
        if section.level and start == section.body:
            yield Section(section.level, section.title, section.rows[:end], start, section.own)
        else:
            one = made(section.level + 1, first_words("\n".join(_texts(rows))) or "Part")
            yield Section(one.level, one.title, (*one.rows, *rows), 1, own=False)


def first_words(text: str, most: int = 8) -> str:
    """A heading of a text's own first words, without markup; '' where it has none."""
    line = next((line for line in text.splitlines() if _WORD.search(line)), "")
    line = line[mark.end() :] if (mark := _ITEM.match(line)) else line
    said = _WORD.findall(re.split(r"(?<=\w)[.!?:;](?:\s|$)", line)[0]) or _WORD.findall(line)
    return " ".join(said[:most])[:_TITLE_CHARS]
