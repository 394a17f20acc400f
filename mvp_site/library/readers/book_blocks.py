"""The blocks of a text while they are read: made readable, and none too long."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from string import capwords
from typing import Final

from ...errors import LibraryError
from ...text.markdown import MAX_TITLE
from ...text.normalising import clean
from ...text.titles import LINE_ENDS
from ..types import BookBlock

MAX_BLOCK: Final = 20_000
"""Characters of a block; a longer paragraph becomes several."""
MAX_BLOCKS: Final = 500_000
_UNSEEN: Final = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u200b\ufeff]")
_WORD_ENDS: Final = re.compile(r"[\s_]+|(?<=[^\W\d])-(?=\w)")


def readable(text: str) -> str:
    """``text`` on one line, without control characters, soft hyphens and lone surrogates."""
    return " ".join(clean(_UNSEEN.sub("", text)).split())


def title_of(path: Path, blocks: Iterable[BookBlock] = ()) -> str:
    """The only heading of the first level, if no other stands above it, else the file's name.

    ``deep-magic_2.epub`` is called Deep Magic 2.
    """
    heads = [block for block in blocks if block.level]
    if heads and heads[0].level == 1 and all(head.level > 1 for head in heads[1:]):
        return heads[0].text
    words = " ".join(_WORD_ENDS.sub(" ", readable(path.stem)).split())
    return (capwords(words) if words.islower() else words) or readable(path.name)


class Written:
    """The blocks that a file has so far."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.blocks: list[BookBlock] = []

    def add(self, text: str, level: int = 0, page: int | None = None) -> None:
        """Append a heading (``level`` from 1) or paragraph; nothing where nothing is seen.

        A paragraph is as many blocks as its author ended lines in it, as in a stat block.

        Raises:
            LibraryError: there are more blocks than a book has.
        """
        for line in [text] if level else text.split(LINE_ENDS):
            self._append(readable(line), level, page)

    def add_table(self, rows: Iterable[Sequence[str]], page: int | None = None) -> None:
        """Append a table, a line a row; one of a single column is paragraphs."""
        cells = [[readable(cell) for cell in row] for row in rows]
        lines = [" | ".join(row) for row in cells if any(row)]
        alone = all(len(row) == 1 for row in cells)
        for text in lines if alone else ["\n".join(lines)]:
            self._append(text, 0, page)

    def _append(self, text: str, level: int, page: int | None) -> None:
        level = level if len(text) <= MAX_TITLE else 0  # no title is so long
        while text:
            end = len(text) if len(text) <= MAX_BLOCK else _cut(text)
            self.blocks.append(BookBlock(text[:end].strip(), level, page))
            text = text[end:].strip()
        if len(self.blocks) > MAX_BLOCKS:
            raise LibraryError(f"{self._name} has more than {MAX_BLOCKS:,} paragraphs: divide it "
                               "into several files")


def _cut(text: str) -> int:
    """Where to cut a text that is too long: behind a row, else behind a word."""
    for end in "\n", " ":
        place = text.rfind(end, MAX_BLOCK // 2, MAX_BLOCK)
        if place > 0:
            return place
    return MAX_BLOCK
