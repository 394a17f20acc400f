"""Markdown to blocks; its front matter gives the title and who may see it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from ...text.dm_marks import COMMENT_MARK, marked_lines
from ...text.homebrewery import is_homebrew, plain_markdown
from ...text.markdown import paragraphs
from ...text.obsidian import readable_lines, unlinked
from ...text.titles import plain_lines, read_title
from ..types import Text
from .book_blocks import MAX_BLOCK, Written, title_of
from .plain_text import PlainSource, read_source

MAX_BRACKETS: Final = 200_000
"""Each may open a link, and looking for where it ends costs the parser time."""
_NOTE: Final = 300
_NOT_MARKED: Final = "Its markup was not read: it has too many brackets for a text."


def read_markdown(path: Path) -> Text:
    """The text of a Markdown file; it has no pages.

    Its title is that of its front matter, else its only heading of the first level, else the
    file's name. What Obsidian and Homebrewery write is read as they show it. What its headings,
    callouts and comments keep for the game master is a text of its own.

    Raises:
        LibraryError: it is no text, or its front matter says something that cannot be read.
    """
    source = read_source(path)
    body = "\n".join(source.lines[source.body :])
    hidden = marked_lines(body)
    lines = (plain_markdown(body.split("\n")) if is_homebrew(body) else
             [unlinked(line) for line in readable_lines(body).split("\n")])
    notes = source.notes
    if hidden:
        places = ", ".join(f"{at + source.body + 1}" for at in sorted(hidden)
                           if at - 1 not in hidden)
        notes = (*notes, f"What it marks for the game master is a source of its own, for dm: lines "
                         f"from {places}."[:_NOTE])
    public = _text(path, source, ["" if at in hidden else line for at, line in enumerate(lines)],
                 notes)
    if not hidden:
        return public
    secret = _text(path, source, [COMMENT_MARK.sub("", line) if at in hidden else ""
                                  for at, line in enumerate(lines)], ())
    if not secret.blocks:
        return replace(public, notes=source.notes)
    secret = replace(secret, audience="dm", title=public.title)
    return replace(public, secret=secret) if public.blocks else secret


def _text(path: Path, source: PlainSource, lines: Sequence[str], notes: tuple[str, ...]) -> Text:
    references: dict[str, Any] = {}
    written = Written(path.name)
    longest = MAX_BLOCK
    if sum(line.count("[") for line in lines) > MAX_BRACKETS:
        longest, notes = 0, (*notes, _NOT_MARKED)

    def plain(text: str) -> list[str]:
        return plain_lines(text, longest, references)

    for paragraph in paragraphs(lines, 0, references):
        if paragraph.rows:
            written.add_table([[" ".join(plain(cell)) for cell in row] for row in paragraph.rows])
        elif paragraph.level and paragraph.text.strip():
            written.add(read_title(paragraph.text)[0], paragraph.level)
        elif not paragraph.level:
            for line in plain(paragraph.text) if paragraph.markup else [paragraph.text]:
                written.add(line)
    title = source.title or title_of(path, written.blocks)
    return Text(title, tuple(written.blocks), audience=source.audience, notes=notes)
