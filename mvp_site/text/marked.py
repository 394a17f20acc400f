"""Marks around lines that keep them for the game master: callouts, comments, folded parts. Pure."""

from __future__ import annotations

import re
from typing import Final

from .hiding_keys import hiding
from .reserved import reserved

COMMENTS: Final = (r"<!--(?P<comment>.*?)(?:-->|\Z)|"
                   r"(?<!\S)%%(?P<aside>.*?)(?:(?<!\n)%%|%%(?=[ \t]*$)|\Z)")
"""Comments of HTML and of Obsidian, to where they end or the text does."""
COMMENT_MARK: Final = re.compile(r"<!--|-->|%%")
_MARKED: Final = re.compile(
    r"^(?P<quote>[ \t]*(?:>[ \t]*)+)\[!(?P<kind>[^\]\n]*)\][-+]?(?P<title>[^\n]*)"
    r"(?:\n[ \t]*>[^\n]*)*|"
    r"^[ \t]*(?P<fence>`{3,}|~{3,})ad-(?P<box>[\w-]+)(?P<inside>.*?)(?:\n[ \t]*(?P=fence)|\Z)|"
    r"<details\b[^>]*>\s*(?:<summary[^>]*>(?P<summary>.*?)</summary>)?(?P<folded>.*?)"
    rf"(?:</details\s*>|\Z)|{COMMENTS}", re.MULTILINE | re.DOTALL | re.IGNORECASE)
_PREFIXED: Final = re.compile(r"^[ \t]*%%[ \t]*\w[^%\n]*$", re.MULTILINE)
_CLOSED: Final = re.compile(r"%%[ \t]*$", re.MULTILINE)
_FEWEST: Final = 3
"""Lines that begin with ``%%`` and have no other, from which on they are a notation."""
_BOX_TITLE: Final = re.compile(r"^\s*title:\s*(.*)$", re.MULTILINE)
_TAG: Final = re.compile(r"<[^<>]*>")


def marked_lines(text: str) -> dict[int, str]:
    """The 0-based lines that a mark reserves for the game master, each with the mark's words.

    Marks are callouts of Obsidian by their kind or title (``> [!gm]``, also as ``ad-gm`` blocks),
    ``<details>`` by their summary, ``<!-- GM: … -->``, and whatever stands between ``%%``, unless
    lines of the text begin with ``%%`` as with the name of a field.
    """
    marked: dict[int, str] = {}
    prefixed = len(_PREFIXED.findall(text)) >= _FEWEST and not _CLOSED.search(text)
    for match in _MARKED.finditer(text):
        if prefixed and match["aside"] is not None:
            continue
        if words := _reserves(match):
            first, last = (text.count("\n", 0, at) for at in match.span())
            marked.update(dict.fromkeys(range(first, last + 1), words))
    return marked


def reserves_callout(kind: str, title: str) -> str:
    """The words by which a callout's kind or title reserves it; '' without."""
    words = re.sub(r"[\W_]+", " ", kind)
    return reserved(words) or (words if hiding("type", words) else "") or reserved(title)


def _reserves(match: re.Match[str]) -> str:
    if match["kind"] is not None:
        return reserves_callout(match["kind"], match["title"])
    if match["box"] is not None:
        title = _BOX_TITLE.search(match["inside"])
        return reserves_callout(match["box"], title[1] if title else "")
    if match["aside"] is not None:
        return "%%" if match["aside"].strip() else ""
    opening, _, rest = (match["comment"] if match["comment"] is not None else _TAG.sub(
        "", match["summary"] or match["folded"])).strip().partition("\n")
    return reserved(opening, rest)
