"""Markdown to blocks; its front matter gives the title and who may see it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from ...text.markdown import paragraphs
from ...text.titles import plain_lines, read_title
from ..types import Text
from .plain_text import read_source
from .written import MAX_BLOCK, Written, title_of

MAX_BRACKETS: Final = 200_000
"""Each may open a link, and looking for where it ends costs the parser time."""
_NOT_MARKED: Final = "Its markup was not read: it has too many brackets for a text."


def read_markdown(path: Path) -> Text:
    """The text of a Markdown file; it has no pages.

    Its title is that of its front matter, else its only heading of the first level, else the
    file's name.

    Raises:
        LibraryError: it is no text, or its front matter says something that cannot be read.
    """
    source = read_source(path)
    notes = source.notes
    references: dict[str, Any] = {}
    written = Written(path.name)
    longest = MAX_BLOCK
    if sum(line.count("[") for line in source.lines) > MAX_BRACKETS:
        longest, notes = 0, (*notes, _NOT_MARKED)

    def plain(text: str) -> list[str]:
        return plain_lines(text, longest, references)

    for paragraph in paragraphs(source.lines, source.body, references):
        if paragraph.rows:
            written.add_table([[" ".join(plain(cell)) for cell in row] for row in paragraph.rows])
        elif paragraph.level and paragraph.text.strip():
            written.add(read_title(paragraph.text)[0], paragraph.level)
        elif not paragraph.level:
            for line in plain(paragraph.text) if paragraph.markup else [paragraph.text]:
                written.add(line)
    title = source.title or title_of(path, written.blocks)
    return Text(title, tuple(written.blocks), audience=source.audience, notes=notes)
