"""Notes of several sessions in one file, as a text for each session and one for the rest. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...errors import FrontMatterError
from ...text.front_matter import read_keys
from ...text.markdown import blocks, split_lines
from .headings import hides
from .numbering import date_in, number_in, starts_session, unnumbered

_REST: Final = ""
_WORDS: Final = 12
"""No line of more words is a session's heading without marks."""


def sessions_of(text: str) -> list[str]:
    """The texts of the sessions that headings number or date, and the rest if there is any.

    Each has the front matter of all. A text of fewer than two sessions stays whole.
    """
    lines = split_lines(text)
    try:
        _, first = read_keys(lines, "", ())
    except FrontMatterError:
        return [text]
    parts: dict[str, list[str]] = {}
    at, session, level = first, _REST, 0
    for line, depth, title in _headings(lines, first):
        name = _session(title)
        if not name and (not session or depth > level):
            continue
        parts.setdefault(session, []).extend(lines[at:line])
        at, session, level = line, name, depth
    parts.setdefault(session, []).extend(lines[at:])
    rest = parts.pop(_REST, [])
    if len(parts) < 2:
        return [text]
    return ["\n".join([*lines[:first], *part]) for part in (
        *parts.values(), *([rest] if any(line.strip() for line in rest) else []))]


def _session(title: str) -> str:
    """The number or the date of the session that a heading names; '' for several and for none.

    What a heading hides stays below it, in the rest.
    """
    if unnumbered(title) or hides(title):
        return ""
    number = number_in(title) if starts_session(title) else None
    return str(date_in(title) or "") if number is None else f"{number:g}"


def _headings(lines: Sequence[str], first: int) -> list[tuple[int, int, str]]:
    """Line, level and title of each heading, and of lines that stand alone and name a session."""
    headings: list[tuple[int, int, str]] = []
    for block in blocks(lines, first):
        if block.level:
            headings.append((block.start, block.level, block.title))
        elif block.end == block.start + 1 and not block.fence and not block.table:
            title = lines[block.start].strip(" *_=:")
            if starts_session(title) and len(title.split()) <= _WORDS and title[-1:] not in ".!?":
                headings.append((block.start, 1, title))
    return headings
