"""What a book marks for the game master, of any format: sections by headings, paragraphs by labels.

Pure. What a markup marks by its lines (:mod:`..text.dm_marks`) its reader has parted before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from ..text.dm_words import opens_reserved, reserved
from .types import BookBlock, Text

_NOTE: Final = 300


def parted(text: Text) -> Text:
    """The text without what it marks for the game master, which becomes its ``secret``.

    A heading that says so marks its section, the first words of a paragraph the paragraph.
    """
    blocks, hidden = text.blocks, _hidden(text.blocks)
    if not hidden:
        return text
    secret = tuple(block for at, block in enumerate(blocks) if at in hidden)
    before = text.secret.blocks if text.secret else ()
    own = Text(text.title, (*before, *secret), pages=text.pages, labels=text.labels, audience="dm")
    if len(secret) == len(blocks):
        return replace(own, notes=text.notes)
    public = [at for at in range(len(blocks)) if at not in hidden]
    moved = {at: number for number, at in enumerate(public)}
    pages = ", ".join(dict.fromkeys(str(block.page) for block in secret if block.page))
    note = ("What it marks for the game master is a source of its own, for dm: "
            f"{f'from pages {pages}' if pages else f'{len(secret)} passages'}."[:_NOTE])
    return replace(
        text, blocks=tuple(blocks[at] for at in public), notes=(*text.notes, note), secret=own,
        bookmarks=tuple(replace(bookmark, block=moved[bookmark.block])
                        for bookmark in text.bookmarks if bookmark.block in moved))


def _hidden(blocks: Sequence[BookBlock]) -> set[int]:
    """The numbers of the blocks that are for the game master."""
    hidden: set[int] = set()
    above = 0
    for at, block in enumerate(blocks):
        if block.level:
            if above and block.level > above:
                hidden.add(at)
                continue
            above = block.level if reserved(block.text) else 0
        if above or (not block.level and opens_reserved(block.text)):
            hidden.add(at)
    return hidden
