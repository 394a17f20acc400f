"""A file that has the notes of several sessions, cut into one text a session. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Final

from ...text.dm_marks import comments, marked_lines
from ...text.dm_words import reserved_name
from ...text.markdown import blocks, split_lines
from ...text.obsidian import note_of, unlinked
from ...text.titles import plain
from .headings import hides
from .numbering import date_in, heads_session, number_in

_FENCE: Final = re.compile(r"\s*[-+=\u2013\u2014]{2}")
_BOLD: Final = re.compile(r"\s*(\*\*|__)(?=\S)([^*_]{1,80})\1\s*:?\s*\Z")
_DEEPEST: Final = 7
"""The level of a bold line that heads a session."""


def session_texts(text: str, file: str) -> list[str]:
    """The notes of each session of a file, and first what of it is no session's.

    A session begins with a heading, or a bold line, that opens with its number or date, and has all
    that stands under deeper headings. The text is given whole where it heads fewer than two
    sessions, or is one's by its name, and where what stands above them may say whom they are for:
    front matter, a name, a heading or a comment of the game master's. What stands below a session
    and is of an earlier one is a recap in it.
    """
    lines = split_lines(text)
    folders, called = note_of(file.removesuffix(PurePath(file).suffix))
    head = next(filter(str.strip, lines), "")
    if _FENCE.match(head) or hides(called, whole=True) or reserved_name("/".join(folders), "") \
            or number_in(called, name=True) is not None or date_in(called):
        return [text]
    cuts: list[tuple[int, str]] = [(0, "")]
    starts, above, depth = list[int](), list[tuple[int, str]](), 0
    for level, title, line in _headings(lines):
        above = [row for row in above if row[0] < level]
        session, under = heads_session(title), cuts[-1][1] if level > depth else ""
        if session and not (under and _at(session) <= _at(under)):
            if any(hides(heading) for _, heading in above):
                return [text]
            cuts.append((line, session))
            starts.append(line)
            depth = level
        elif level <= depth and cuts[-1][1] and not session:
            cuts.append((line, ""))
        above.append((level, title))
    if len({session for _, session in cuts if session}) < 2 or _is_marked(text, starts):
        return [text]
    texts: dict[str, list[str]] = {"": []}
    for (line, session), end in zip(cuts, (*(line for line, _ in cuts[1:]), len(lines)),
                                    strict=True):
        texts.setdefault(session, []).extend(lines[line:end])
    return [joined for part in texts.values() if (joined := "\n".join(part)).strip()]


def _at(session: str) -> tuple[float, str]:
    """What sessions are ordered by: the number, or the date."""
    return (0.0, session) if "-" in session else (float(session), "")


def _headings(lines: Sequence[str]) -> Iterator[tuple[int, str, int]]:
    """The level, title and line of each heading, and of each line that is bold as a whole."""
    for block in blocks(lines):
        if block.level:
            yield block.level, plain(unlinked(block.title)), block.start
        elif not (block.fence or block.table):
            for at in range(block.start, block.end):
                if bold := _BOLD.match(lines[at]):
                    yield _DEEPEST, bold[2], at


def _is_marked(text: str, starts: Sequence[int]) -> bool:
    """Whether one of these lines stands in a comment, or in what is marked as the DM's."""
    visible = text.replace("\r\n", "\n").replace("\r", "\n")
    inside = {at for start, end in comments(visible)
              for at in range(visible.count("\n", 0, start), visible.count("\n", 0, end) + 1)}
    return not inside.union(marked_lines(visible)).isdisjoint(starts)
