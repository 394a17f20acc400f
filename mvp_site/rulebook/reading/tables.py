"""The tables of a section: pipe tables as GitHub has them, their cells as plain text.

A row of many more cells than columns is usually a pipe that nobody escaped, so that what is past
the last column stays in it. A header and an alignment row of different widths, which GitHub takes
for no table, are read as wide as the wider one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from ..sections import Sections

MAX_MARKUP: Final = 4_000
"""A longer cell loses its marks by pattern: the time of an inline parser may grow faster."""
MAX_COLUMNS: Final = 100
"""A header is not widened past this: no rulebook's table is."""
MAX_CAPTION: Final = 200

_MARGIN: Final = r"[ \t>]*+"
_ALIGNMENT: Final = re.compile(
    rf"^{_MARGIN}(?=[^\n]*\|)\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+$",
    re.MULTILINE,
)
_OPENING: Final = re.compile(rf"{_MARGIN}(?:(?:[-*+]|\d{{1,9}}[.)])[ \t]++)?")
_PIPE: Final = re.compile(r"(?<!\\)\|")
_BREAK: Final = re.compile(r"<br[ \t]*/?>", re.IGNORECASE)
_MARKUP: Final = re.compile(r"[*_`\[\]<>&\\!~]")
_LINK: Final = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")
_MARKS: Final = re.compile(r"\*+|`+|~~|(?<!\w)_+|_+(?!\w)")
_MARKED_LINE: Final = re.compile(r"(\*{1,3}|_{1,3})(?![\s*_])(?:(?!\1).)+\1[.:]?$")
_HEADING: Final = re.compile(r"#{1,6}[ \t]+(\S.*?)(?:[ \t]+#+)?$")
_NAMED: Final = re.compile(
    r"(?i:table)\b[^:.|]{0,12}[:.]\s*\S"
    r"|(?:[Tt]he )?(?:(?:[A-Z\d][\w'’-]*|and|by|of|the) ){1,8}[Tt]able:?$"
)
_TABLE_COLON: Final = re.compile(r"^table\s*[:.–—-]\s*", re.IGNORECASE)
_WIKI_LINK: Final = re.compile(r"!?\[\[(?:[^\[\]|]*\|)?([^\[\]|]+)\]\]")

_blocks = MarkdownIt("commonmark").enable("table")
_blocks.core.ruler.enableOnly(["normalize", "block"])
_inline = MarkdownIt("commonmark").enable("strikethrough")


@dataclass(frozen=True, slots=True)
class Table:
    """One table. Each of ``rows`` has as many cells as there are ``columns``, all plain text.

    ``caption`` is the line above that names it, or ''. ``line`` is its header's, from 0.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str
    line: int


def read_tables(content: str) -> tuple[Table, ...]:
    """The tables of ``content`` in order, those in block quotes and lists too; never raises.

    What stands in a code fence or an indented block is none.
    """
    if "|" not in content:
        return ()
    content = content.replace("\r\n", "\n").replace("\r", "\n")
    if not _ALIGNMENT.search(content):
        return ()
    lines = content.split("\n")
    tokens = _blocks.parse("\n".join(_evened(lines)))
    found: list[Table] = []
    opened = 0
    for number, token in enumerate(tokens):
        if token.type == "table_open":
            opened = number
        elif token.type == "table_close":
            table = _table(tokens[opened:number], lines)
            if table is not None:
                found.append(table)
    return tuple(found)


def section_tables(sections: Sections) -> dict[str, tuple[Table, ...]]:
    """The tables of each section that has any, by its id: read once, for all that look at them."""
    found = ((section.id, read_tables(section.content)) for section in sections)
    return {section_id: tables for section_id, tables in found if tables}


def plain_cell(text: str) -> str:
    """``text`` on one line, without emphasis, links, code marks and tags."""
    text = _WIKI_LINK.sub(r"\1", _BREAK.sub(" ", text)) if "<" in text or "[[" in text else text
    if _MARKUP.search(text):
        if len(text) > MAX_MARKUP:
            text = _MARKS.sub("", _LINK.sub(r"\1", text)).replace("\\", "")
        else:
            text = "".join(
                _shown(child) for token in _inline.parseInline(text)
                for child in token.children or ()
            )
    return " ".join(text.split())


def _shown(token: Token) -> str:
    if token.type in {"softbreak", "hardbreak"}:
        return " "
    if token.type == "image":
        return "".join(_shown(child) for child in token.children or ())
    return "" if token.type == "html_inline" else token.content


def _table(tokens: Sequence[Token], lines: Sequence[str]) -> Table | None:
    rows: list[list[str]] = []
    first: int | None = None
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
            if first is None and token.map:
                first = token.map[0]
            line = token.map[0] if token.map else 0
        elif token.type == "inline":
            rows[-1].append(token.content)
        elif token.type == "tr_close" and len(rows) > 1:
            past = _cells(lines[line])[len(rows[0]) :]
            if past:
                rows[-1][-1] = " | ".join((rows[-1][-1], *past))
    if first is None:
        return None
    plain = [tuple(plain_cell(cell) for cell in row) for row in rows]
    while len(plain) > 1 and not any(plain[0]):
        del plain[0]  # written without a header: the first row that says anything is it
    return Table(plain[0], tuple(plain[1:]), _caption(lines, first), first)


def _caption(lines: Sequence[str], first: int) -> str:
    """The plain text of the line above line ``first``, a blank one between or not, or ''."""
    above = first - 1
    if above >= 0 and not lines[above].strip(" \t>"):
        above -= 1
    if above < 0:
        return ""
    line = _OPENING.sub("", lines[above], count=1).strip()
    if len(line) > MAX_CAPTION:
        return ""
    heading = _HEADING.match(line)
    if heading:
        return plain_cell(heading[1])
    if _MARKED_LINE.match(line) or _NAMED.match(line):
        return _TABLE_COLON.sub("", plain_cell(line)).rstrip(":. ")
    return ""


def _evened(lines: Sequence[str]) -> list[str]:
    """``lines``, each header and its alignment row made as wide as the wider of both."""
    evened = list(lines)
    for number in range(1, len(lines)):
        if not _ALIGNMENT.match(lines[number]) or "|" not in lines[number - 1]:
            continue
        header, marks = len(_cells(lines[number - 1])), len(_cells(lines[number]))
        if header == marks or min(header, marks) < 2 or max(header, marks) > MAX_COLUMNS:
            continue
        narrow = number if marks < header else number - 1
        cell = " --- |" if marks < header else "  |"
        line = lines[narrow].rstrip()
        bar = "" if line.endswith("|") and not line.endswith("\\|") else " |"
        evened[narrow] = line + bar + cell * abs(header - marks)
    return evened


def _cells(line: str) -> list[str]:
    """The cells of a row as they are written, a list mark or block quote before it left out."""
    cells = [cell.strip() for cell in _PIPE.split(_OPENING.sub("", line, count=1).strip())]
    if cells and not cells[0]:
        del cells[0]
    if cells and not cells[-1]:
        del cells[-1]
    return [cell.replace("\\|", "|") for cell in cells]
