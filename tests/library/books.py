"""Texts for tests of the library, made of lines as Markdown writes them."""

from __future__ import annotations

import re

from mvp_site.library.types import BookBlock, Bookmark, ContentsEntry, Text
from mvp_site.text.markdown import blocks, split_lines

_MARKS = re.compile(r"[*_]+(?=\W|$)|(?:(?<=\W)|^)[*_]+")
_RULE = re.compile(r"[|:\- ]+")


def book(markdown: str, title: str = "A Book", *, page: int = 0, bookmarks: tuple[Bookmark, ...] = ()) -> Text:
    """The Markdown as a text; with ``page``, in pages of that many characters."""
    lines, found, length = split_lines(markdown), [], 0
    for block in blocks(lines):
        number = length // page + 1 if page else None
        if block.level:
            found.append(BookBlock(_MARKS.sub("", block.title).strip(), block.level, number))
            continue
        rows = [_MARKS.sub("", line).strip() for line in lines[block.start : block.end]]
        if block.table:
            rows = ["|".join(map(str.strip, row.strip("|").split("|"))).replace("|", " | ")
                    for row in rows if not _RULE.fullmatch(row)]
        said = ("\n" if block.table else " ").join(rows).removeprefix("- ")
        found.append(BookBlock(said, 0, number))
        length += len(said)
    return Text(title, tuple(found), bookmarks, pages=length // page + 1 if page else 0)


def path(entries: tuple[ContentsEntry, ...], number: int) -> tuple[str, ...]:
    """The titles from the outermost entry down to the one of that number."""
    found: list[str] = []
    at: int | None = number
    while at is not None:
        found.append(entries[at].title)
        at = entries[at].parent
    return tuple(reversed(found))
