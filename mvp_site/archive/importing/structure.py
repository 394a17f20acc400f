"""Structure: lines as sections under headings, however the text marks its headings.

Markdown's own headings stand. A tag that encloses text (``<combat_rules>``) is a heading. Where a
section is longer than is printed at once, lines that are set as headings count as such: bold,
bracketed or decorated lines alone, ``1. TITLE``, ALL CAPS, ``Title:``. A style counts where it is
a habit: two such lines or more, most of them with text below. The first style is the outermost, as
in reStructuredText.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from markdown_it.common.html_blocks import block_names

from ...retrieval.markdown import Block, blocks
from ...retrieval.tokens import count_tokens
from ..chunking import PIECE_TOKENS
from .types import How, Line

LEAST_TAGGED: Final = 40
"""The o200k tokens that a tag must enclose to be a heading."""
TITLE_CHARS: Final = 80
TITLE_WORDS: Final = 10
_DEEPEST: Final = 6
_RULE: Final = re.compile(r"[\s=\-*_~#+•·]+")
_FENCE: Final = re.compile(r"\s*(`{3,}|~{3,})(.*)")
_TAG: Final = re.compile(r"(/?)([A-Za-z][\w.-]*)(?:\s[^<>]*)?")
_MARKED: Final = re.compile(r"\s*(?:[-*+•]\s|>|<|\||(?: {4}|\t))")
_NUMBERED: Final = re.compile(r"((?:\d{1,3}|[IVXLC]{1,6}|[A-Z])(?:\.\d{1,3})*)[.):]?\s+(\S.*)")
_ITEM: Final = re.compile(r"\s{0,3}(?:[-*+]|\d+[.)])\s")
_FRAMED: Final = (
    ("decorated", re.compile(r"([=\-~#+•·*_]{2,})\s*([^\s=\-~#+•·*_].*?)\s*\1")),
    ("bold", re.compile(r"(\*\*|__)(?!\s)((?:(?!\1).)+)\1:?")),
    ("bracketed", re.compile(r"(\[)([^\[\]]+)\]:?")),
)
_WORD: Final = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Row:
    """A line to be written; ``line`` is where it is from, None for one that was added.

    A ``mark`` is not written: the heading before it stands for it.
    """

    text: str
    line: Line | None = None
    how: How = "text"


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with the text right under it; ``level`` 0 is text above the first heading."""

    level: int
    title: str
    rows: tuple[Row, ...]
    body: int = 0
    """How many of the rows are the heading's."""
    made: bool = False

    @property
    def text(self) -> str:
        """What would be written, without marks."""
        return "\n".join(row.text for row in self.rows if row.how != "mark").strip("\n")

    @property
    def words(self) -> str:
        """The text under the heading."""
        return "\n".join(row.text for row in self.rows[self.body :] if row.how != "mark").strip()


def sections(lines: Sequence[Line]) -> list[Section]:
    """The sections of a text in order; every line that is not blank is in one of them."""
    rows = _styled(_ended(_tagged([Row(line.text, line) for line in lines])))
    found: list[Section] = []
    frames: list[Row] = []  # of a section that has nothing but rules
    for section in _split(rows):
        if not section.level and all(_RULE.fullmatch(row.text) for row in section.rows if row.text):
            frames = [Row(row.text, row.line, "mark") for row in section.rows if row.text.strip()]
        else:
            top = section.rows[: section.body]
            found.append(replace(section, rows=(*top, *frames, *section.rows[section.body :])))
            frames = []
    if frames:  # rules are all there is
        found.append(Section(0, "", tuple(Row(row.text, row.line) for row in frames)))
    return found


def first_words(text: str, most: int = 8) -> str:
    """A heading of a text's own first words, without markup; '' where it has none."""
    line = next((line for line in text.splitlines() if _WORD.search(line)), "")
    said = _WORD.findall(re.split(r"(?<=\w)[.!?:;](?:\s|$)", line)[0]) or _WORD.findall(line)
    return " ".join(said[:most])[:TITLE_CHARS]


def made_heading(level: int, title: str) -> tuple[Row, ...]:
    """A heading that the source does not have."""
    return Row(f"{'#' * min(max(level, 1), _DEEPEST)} {title}"), Row("")


def row_blocks(rows: Sequence[Row]) -> list[Block]:
    """The Markdown blocks of rows."""
    return list(blocks(["" if row.how == "mark" else row.text for row in rows]))


def _split(rows: Sequence[Row]) -> Iterator[Section]:
    start, heading = 0, Block(0, 0)
    for block in [*(one for one in row_blocks(rows) if one.level), Block(len(rows), len(rows))]:
        held = rows[start : block.start]
        if any(row.text.strip() for row in held):
            yield Section(heading.level, _title(heading), tuple(held), heading.end - heading.start)
        start, heading = block.start, block


def _title(heading: Block) -> str:
    words = " ".join(heading.title.split()).strip("*_ ").rstrip(":")
    return words if _WORD.search(words) else ""


def _tagged(rows: Sequence[Row]) -> list[Row]:
    """``rows`` with headings where tags open, and above what follows a closed one."""
    opening, closing = _enclosed(rows)
    found: list[Row] = []
    for at, row in enumerate(rows):
        if at in opening:
            marks = "#" * min(opening[at], _DEEPEST)
            found += [Row(""), Row(f"{marks} {row.text.strip()}", row.line, "heading"), Row("")]
            continue
        found.append(row)
        if at in closing:
            found.append(Row(""))
            after = next((n for n in range(at + 1, len(rows)) if rows[n].text.strip()), None)
            if after and not _tag(rows[after].text) and not rows[after].text.startswith("#"):
                found += made_heading(closing[at], first_words(rows[after].text) or "After it")
    return found


def _enclosed(rows: Sequence[Row]) -> tuple[dict[int, int], dict[int, int]]:
    """The rows where tags open that enclose text, and where they close, with their depth from 1."""
    opened: list[tuple[str, int]] = []
    opening: dict[int, int] = {}
    closing: dict[int, int] = {}
    for at in _unfenced(rows):
        if not (tag := _tag(rows[at].text)):
            continue
        name = tag[2].lower()
        if not tag[1]:
            opened.append((name, at))
        elif name in (names := [name for name, _ in opened]):
            del opened[len(names) - names[::-1].index(name) :]
            _, start = opened.pop()
            if count_tokens("\n".join(row.text for row in rows[start:at])) >= LEAST_TAGGED:
                opening[start] = closing[at] = len(opened) + 1
    return opening, closing


def _unfenced(rows: Sequence[Row]) -> Iterator[int]:
    """The rows that stand in no code fence."""
    fence = ""
    for at, row in enumerate(rows):
        mark = _FENCE.match(row.text)
        if fence:
            if mark and mark[1].startswith(fence) and not mark[2].strip():
                fence = ""
        elif mark:
            fence = mark[1]
        else:
            yield at


def _tag(text: str) -> re.Match[str] | None:
    """A tag that stands alone on its line and is none of HTML's; its name is group 2."""
    said = text.strip()
    if not said.startswith("<") or not said.endswith(">") or len(text) - len(text.lstrip()) > 3:
        return None
    tag = _TAG.fullmatch(said[1:-1])
    return tag if tag and tag[2].lower() not in block_names else None


def _ended(rows: Sequence[Row]) -> list[Row]:
    """``rows`` with a blank line behind each table that would take in the text below it."""
    out = [*rows]
    for block in reversed(row_blocks(rows)):
        if block.table:
            after = next((at for at in range(block.start + 2, block.end)
                          if "|" not in rows[at].text), None)
            if after is not None:
                out.insert(after, Row(""))
    return out


def _styled(rows: Sequence[Row]) -> list[Row]:
    """``rows`` with marks before the lines that are set as headings, where text is long."""
    held = [*rows]
    base, styles = [0] * len(held), dict[int, str]()
    parsed = row_blocks(held)
    starts = [block for block in parsed if block.level]
    for heading, after in zip([Block(0, 0), *starts], [*starts, Block(len(held), 0)], strict=True):
        if count_tokens("\n".join(r.text for r in held[heading.end : after.start])) > PIECE_TOKENS:
            base[heading.end : after.start] = [heading.level + 1] * (after.start - heading.end)
    for block in parsed:
        if block.level or block.table or block.fence or not base[block.start]:
            continue
        for at in range(block.start, block.end):
            if (style := _style(held, block, at)) and base[at]:
                styles[at] = style
    habits = _habits(held, styles)
    out: list[Row] = []
    underlined = {block.end - 1: block for block in starts if block.end - block.start > 1}
    for at, row in enumerate(held):
        if styles.get(at) in habits and _followed(held, styles, at):
            level = min(base[at] + habits[styles[at]], _DEEPEST)
            out += [Row(""), Row(f"{'#' * level} {row.text.strip()}", row.line, "heading"), Row("")]
        elif at in underlined and not _framed(held, underlined[at], out):
            if len(underlined[at].title) > TITLE_CHARS:
                out.append(Row(""))  # a paragraph with a rule below, and no heading
            out.append(row)
        elif at not in underlined:
            out.append(row)
    return out


def _framed(rows: Sequence[Row], block: Block, out: list[Row]) -> bool:
    """Whether rules above and below frame a title; ``out``, which ends in it, is then mended."""
    if block.end - block.start != 3 or not _RULE.fullmatch(rows[block.start].text):
        return False
    above, title, below = rows[block.start : block.end]
    out[-2:] = [Row(""), Row(f"{'#' * block.level} {title.text.strip()}", title.line, "heading"),
                Row(above.text, above.line, "mark"), Row(below.text, below.line, "mark"), Row("")]
    return True


def _style(rows: Sequence[Row], block: Block, at: int) -> str:
    """How a line is set as a heading; '' where it is not."""
    text = rows[at].text.strip()
    opening = rows[block.start].text
    behind = at > block.start and rows[at].text[:1] not in " \t" and bool(_ITEM.match(opening))
    if (_MARKED.match(opening) and not behind) or len(text) > TITLE_CHARS + 8:
        return ""
    for name, form in _FRAMED:
        if (found := form.fullmatch(text)) and _is_title(found[2].rstrip(":")):
            return name
    before = rows[at - 1].text.strip() if at > block.start and not behind else ""
    if before and before[-1] not in ".!?:\"”’)":
        return ""
    return _bare_style(rows, at, text, at == block.start, behind)


def _bare_style(rows: Sequence[Row], at: int, text: str, first: bool, behind: bool) -> str:
    """The same of a line without a frame, ``first`` in its block or ``behind`` a list."""
    found = _NUMBERED.fullmatch(text)
    if found and (first or "." in found[1]) and found[2][0].isupper():
        below = rows[at + 1].text if at + 1 < len(rows) else ""
        if _is_title(found[2]) and not below.startswith((" ", "\t")):
            return "numbered" + "." * found[1].count(".")
    if first and _ITEM.match(text):
        return ""
    if text.upper() == text and sum(map(str.isalpha, text)) > 3 and _is_title(text.rstrip(":")):
        return "capitals"
    colon = text.endswith(":") and text[0].isupper() and len(text.split()) <= 6
    return "colon" if colon and (first or behind) else ""


def _is_title(text: str) -> bool:
    return bool(len(text) <= TITLE_CHARS and len(text.split()) <= TITLE_WORDS
                and _WORD.search(text) and text.rstrip()[-1] not in ".!,;")


def _followed(rows: Sequence[Row], styles: dict[int, str], at: int) -> bool:
    """Whether text comes below a line before another of its style."""
    below = next((n for n in range(at + 1, len(rows)) if rows[n].text.strip()), None)
    return below is not None and styles.get(below) != styles[at]


def _habits(rows: Sequence[Row], styles: dict[int, str]) -> dict[str, int]:
    """The styles that are headings' here, with their ranks from 0."""
    seen, good = Counter(styles.values()), Counter(
        style for at, style in styles.items() if _followed(rows, styles, at)
    )
    habits = [style for style in dict.fromkeys(styles[at] for at in sorted(styles))
              if good[style] > 1 and 2 * good[style] > seen[style]]
    return {style: rank for rank, style in enumerate(habits)}
