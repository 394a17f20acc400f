"""The form for one session's notes, made of the parts that notes have."""

from __future__ import annotations

from typing import Final

from ..intentions import NOTE_PARTS

ITEM: Final = "- **Name** (aka Other Name, Third): text"
_FRONT: Final = ("session: 1", "title:", "date:", "in_world:", "audience: player")


def template() -> str:
    """Notes of session 1 without content, as Markdown; :func:`.read_notes` reads no piece in it.

    Each part has a comment that says what goes there, and the form of its items where they name
    something.
    """
    parts = (
        f"## {part['heading']}\n\n{hint(part)}\n" for part in NOTE_PARTS.values()
    )
    return "\n".join(["---", *_FRONT, "---", "", "# Session 1: Title", "", *parts])


def hint(part: dict[str, str]) -> str:
    """The comment under a part's heading, on one line."""
    return f"<!-- {part['about']}{f'; {ITEM}' if 'names' in part else ''} -->"
