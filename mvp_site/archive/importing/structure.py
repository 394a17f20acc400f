"""Structure: lines as sections under headings, however the text marks its headings.

:func:`headings` has the rule. What is then still long is cut between paragraphs, and its parts get
headings.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby, pairwise, takewhile
from typing import Final

from markdown_it.common.html_blocks import block_names

from ...text.dm_marks import marked_lines, open_title, prefixes_lines
from ...text.dm_words import reserved, to_narrator
from ...text.markdown import MarkdownBlock, blocks
from ...text.tokens import count_tokens
from ..chunking import PIECE_TOKENS
from ..markdown import atoms
from .header import tells_form
from .titles import ITEM, TITLE_CHARS, WEAK, WORD, first_words, is_title, number_of, style_of
from .types import How, SourceLine

PART_TOKENS: Final = 400
"""What a part of a long section has, about: so many that three fit into a budget of 1,500."""
_TAGGED_TOKENS: Final = 16
_DEEPEST: Final = 6
_RULE: Final = re.compile(r"\s*([=\-*_~#+•·])\1{2,}\s*")
_UNDERLINE: Final = re.compile(r"\s*([=\-*_~#+•·])\1*\s*")
"""A rule, or what makes a heading of the text above."""
_ENCLOSED: Final = re.compile(r"[\s>]*(?:<|\[!|%%|[`~]{3}|\||:::)")
"""A line with a mark of what it encloses."""
_FENCE: Final = re.compile(r"\s*(`{3,}|~{3,})(.*)")
_TAG: Final = re.compile(r" {0,3}<(/?)([A-Za-z][\w.-]*)(?:\s[^<>]*)?>\s*")
_ENDED: Final = tuple(".!?:\"”’)|")


@dataclass(frozen=True, slots=True)
class OutputLine:
    """A line to be written; ``line`` is where it is from, None for one that was added."""

    text: str
    line: SourceLine | None = None
    how: How = "text"


@dataclass(frozen=True)
class SourceSection:
    """A heading with the text right under it; ``level`` 0 is text above the first heading.

    ``body`` of the rows are the heading's. ``own`` says that the source has the heading. What
    follows from the rows is made once: every judge of a section asks for it.
    """

    level: int
    title: str
    rows: tuple[OutputLine, ...]
    body: int = 0
    own: bool = True

    @cached_property
    def lines(self) -> list[str]:
        """Its rows' texts; a row that is a mark alone has none."""
        return _texts(self.rows)

    @cached_property
    def blocks(self) -> list[MarkdownBlock]:
        """The blocks under the heading."""
        return [*blocks(self.lines, self.body)]

    @cached_property
    def text(self) -> str:
        """The text under the heading."""
        return "\n".join(self.lines[self.body :]).strip()

    @cached_property
    def tokens(self) -> int:
        """Its o200k tokens, with the heading."""
        return count_tokens("\n".join(self.lines))


def sections(lines: Sequence[SourceLine]) -> list[SourceSection]:
    """The sections of a text in order; every line that is not blank is in one of them."""
    whole = [*_split(_underlined(_tagged([OutputLine(line.text, line) for line in lines])))]
    by_section = headings(whole)
    if any(by_section) or any(row.how == "mark" for section in whole for row in section.rows):
        whole = [*_split([part for section, levels in zip(whole, by_section, strict=True)
                          for at, row in enumerate(section.rows)
                          for part in (_heading(row, levels[at]) if at in levels else [row])])]
    return [part for section in whole for part in _parts(section)]


def paths(parts: Sequence[SourceSection]) -> Iterator[tuple[SourceSection, list[SourceSection]]]:
    """Each section, with those above it and itself."""
    path: list[SourceSection] = []
    for section in parts:
        path = [*(above for above in path if above.level < section.level), section]
        yield section, path


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
    lines, texts = [*rows], _texts(rows)
    if not any(map(_UNDERLINE.fullmatch, texts)):
        return lines
    for block in reversed([*blocks(texts)]):
        if block.level and _RULE.fullmatch(rows[block.start].text):
            lines.insert(block.start + 1, OutputLine(""))
        elif block.level and block.end - block.start > 1 and len(block.title) > TITLE_CHARS:
            lines.insert(block.end - 1, OutputLine(""))
    return lines


def headings(whole: Sequence[SourceSection]) -> list[dict[int, int]]:
    """The lines that are headings beside Markdown's, with their levels, of each of its sections.

    Markdown's headings stand as they are, and so do tags that enclose text, as deep as tags go. A
    line is a heading too if

    1. it is set as one: in capitals, in a frame (``**Title**``, ``[Title]``, ``== Title ==``), with
       a number (``1. Title``) or a colon (``Title:``);
    2. below a heading of Markdown or a tag, it is no label, the same words again and again. Where
       that text is short enough to be printed at once, it is not bold or numbered, stands apart,
       leads in no list, and does not tell the form of answers;
    3. there is text below that is not set alike; numbers right below each other are a list;
    4. its style is a habit of the text: two such lines or more, and more than half of all.

    A text that has no heading so has them where short lines stand alone as titles do.

    Capitals are a style in whatever frame, and so are numbers with as many dots. A line is right
    below the heading of Markdown above it; but capitals or a frame whose first line is above all
    of these, except for one title of everything, stay beside them. The style that the text has
    first is the outer one, and others are right below it. So mixed heading styles nest at most one
    level deep.
    """
    by_section = _headings(whole)
    if any(by_section) or any(section.level for section in whole):
        return by_section
    return _headings(whole, bare=True)


def _headings(whole: Sequence[SourceSection], *, bare: bool = False) -> list[dict[int, int]]:
    words = Counter(row.text.strip() for section in whole for row in section.rows)
    uses, titled = Counter[str](), list[dict[int, str]]()
    for section in whole:
        rows = section.rows
        after = dict(pairwise(at for at, row in enumerate(rows) if row.text.strip()))
        styles = {at: style for at, style in _styles(section, bare=bare)
                  if not section.level or _heads(section, at, after.get(at, at), style, words)}
        numbers = {at: number_of(rows[at].text) for at in styles}
        lists = {at for pair in after.items() for at in pair
                 if numbers.get(pair[0]) and numbers.get(pair[1]) == numbers[pair[0]] + 1}
        uses.update(style for at, style in styles.items() if at not in lists)
        titled.append({
            at: style for at, style in styles.items()
            if at in after and at not in lists and styles.get(after[at]) != style
            and not rows[after[at]].text[:1].isspace()})
    counts = Counter(style for section in titled for style in section.values())
    depths = [section.level for section in whole]
    least = min(depths, default=0)
    title = least if depths[:1] == [least] and depths.count(least) == 1 else 0
    beside, tops, by_section = dict[str, bool](), set[str](), list[dict[int, int]]()
    for section, styles in zip(whole, titled, strict=True):
        # What follows a closed tag stands beside it.
        above = section.level - (section.rows[0].line is None and not _encloses(section))
        inside = set[str]()
        by_section.append({})
        for at, style in styles.items():
            if counts[style] > 1 and 2 * counts[style] > uses[style]:
                strong = not style.startswith((*WEAK, "colon"))
                top = beside.setdefault(style, strong and above <= title) or above <= title
                seen = tops if top else inside
                inner = any(other in seen for other in takewhile(style.__ne__, beside))
                seen.add(style)
                by_section[-1][at] = 1 + (title if top else above) + inner
    return by_section


def _heads(section: SourceSection, at: int, below: int, style: str, words: Counter[str]) -> bool:
    """Whether a line that is set as a heading is one below a heading of Markdown or a tag."""
    rows = section.rows
    if words[rows[at].text.strip()] > 1 and not reserved(rows[at].text):
        return False
    return section.tokens > PIECE_TOKENS or not (
        style in WEAK or rows[at - 1].text.strip() or _encloses(section)
        or (style == "colon" and not rows[below].text[:1].isalpha())
        or (rows[0].line and tells_form(section.title)))


def _encloses(section: SourceSection) -> bool:
    """Whether a section is what a tag encloses."""
    return bool(_TAG.fullmatch(section.text.partition("\n")[0]))


def _styles(section: SourceSection, *, bare: bool) -> Iterator[tuple[int, str]]:
    """The lines that stand as headings might, with how they are set; ``bare`` ones in no way."""
    rows = section.rows
    for block in section.blocks:
        for at in range(block.start, 0 if block.fence or block.level else block.end):
            text, above = rows[at].text, rows[at - 1].text.rstrip() if at > block.start else ""
            if text[:1].isspace() or (block.table and "|" in text):
                continue
            stands = not above or above.endswith(_ENDED) or ITEM.match(above)
            if stands and (style := style_of(text.strip())):
                yield at, style
            elif (bare and block.end - block.start == 1 and text[0].isupper()
                  and is_title(text.strip())):
                yield at, "bare"


def _parts(section: SourceSection) -> Iterator[SourceSection]:
    """The section in parts of about :data:`PART_TOKENS` where it is long, each with a heading.

    A part begins with a block, or a sentence on a line.
    """
    pieces = atoms(section.lines, PIECE_TOKENS, section.body, section.blocks)
    total = sum(atom.tokens for atom in pieces)
    if total <= PIECE_TOKENS:
        yield section
        return
    even = total / math.ceil(total / PART_TOKENS)
    cuts, size, remaining = [section.body], 0, total
    for before, atom in pairwise(pieces):
        size, remaining = size + before.tokens, remaining - before.tokens
        full = size + atom.tokens / 2 > even and remaining > even / 2  # no crumb is left at the end
        full = full or size + atom.tokens > PIECE_TOKENS
        begins = (before.text.rstrip().endswith(_ENDED) and not (
            atom.lead or atom.text[:1].isspace())) or atom.block != before.block
        if atom.start >= before.end and begins and full:
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


def runs(sections: Sequence[SourceSection], *, to_model: bool = False,
         ) -> Iterator[tuple[str, list[SourceSection]]]:
    """The sections in runs, each with the words that reserve it or ''; what is below goes along.

    So do headings beside it in a style that none before them has: to show one wrongly is worse.
    Callouts and comments for the game master are taken out of their sections and come last.
    ``to_model`` says that the text speaks to a narrator, which it else says itself.
    """
    top, why = -1, ""
    styles = set[str]()  # of headings, up to the reserved one
    runs: list[tuple[int, str, SourceSection]] = []
    marked: list[tuple[str, list[SourceSection]]] = []
    prompt = to_model or bool(sections and to_narrator(sections[0].text))
    notation = prefixes_lines("\n".join(section.text for section in sections))
    for at, section in enumerate(sections):
        spans = marked_lines("\n".join(section.lines), notation=notation, prompt=prompt)
        if not why or (section.level <= sections[top].level and (
                heading_style(section) in styles or section.level == 1 < sections[top].level)):
            styles |= {heading_style(section)} if section.level else set()
            reason = ""
            if section.own:
                reason = reserved(section.title, _unmarked(section, spans), prompt)
            top, why = at if reason else -1, reason
        rest = section
        if not why and spans:
            rows = [row for number, row in enumerate(section.rows) if number in spans]
            title = made(1, section.title or "For the game master")
            marked.append((spans[min(spans)],
                           [replace(title, rows=(*title.rows, *rows))]))
            rest = replace(section, rows=tuple(row for number, row in enumerate(section.rows)
                                           if number not in spans))
        if rest is section or any(row.line and row.text.strip() for row in rest.rows):
            runs.append((top, why, rest))
        if not why and spans and not prompt and (reason := open_title("\n".join(section.lines))):
            top, why = at, reason
    for (_, reason), run in groupby(runs, lambda row: row[:2]):
        yield reason, [section for *_, section in run]
    yield from marked


def _unmarked(section: SourceSection, spans: Collection[int]) -> str:
    """The text under a heading without marked lines, which may reserve no more than themselves.

    Its first line may: what stands before all else speaks of it all.
    """
    lines = section.lines[section.body :]
    first = next((at for at, line in enumerate(lines) if line.strip()), 0)
    return "\n".join(line for at, line in enumerate(lines) if at + section.body not in spans or (
        at == first and not _ENCLOSED.match(line)))


def heading_style(section: SourceSection) -> str:
    """How the source sets a section's heading; '' for Markdown's."""
    row = section.rows[0]
    return style_of(row.line.text.strip()) if row.line and row.how == "heading" else ""
