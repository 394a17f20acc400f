"""Obsidian's Markdown as it is read: what its links show, and what they lead to. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

_LINK: Final = re.compile(
    r"(?P<embed>!?)\[\[(?P<path>[^\[\]|#^\n]*?)(?:[#^](?P<part>[^\[\]|\n]*?))?"
    r"(?:\\?\|(?P<shown>[^\[\]\n]*))?\]\]|"
    r"(?P<embeds>!?)\[(?P<says>[^\[\]\n]*)\]\(<?(?P<file>[^()<>\n]+?\.md)(?:#[^()<>\n]*)?>?\)"
)
_FOLDER_NOTES: Final = frozenset({"index", "_index", "readme"})
"""Notes that are called after their folder."""
_ATTACHED: Final = re.compile(r"\.(?!md$)[a-z][a-z0-9]{1,4}$", re.IGNORECASE)
_CALLOUT: Final = re.compile(r"^([ \t]*(?:>[ \t]*)+)\[!([^\]\n]*)\][-+]?[ \t]*([^\n]*)$",
                             re.MULTILINE)
_QUERY: Final = re.compile(
    r"^[ \t]*(`{3,}|~{3,})[ \t]*(?:dataview|dataviewjs|tasks|query|base|button)\b.*?"
    r"(?:\n[ \t]*\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_FIELD: Final = re.compile(r"^([\s>*+-]*)\**([^\W_][^:\n|\[\]]{0,40}?)\**::[ \t]+(?=\S)",
                           re.MULTILINE)
_INLINE: Final = re.compile(r"[\[(]([^\W_][^:\n|\[\]()]{0,40})::[ \t]*([^\[\]()\n]*)[\])]")
_BLOCK_ID: Final = re.compile(r"[ \t]\^[\w-]+[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class NoteLink:
    """A link to a note of the vault: ``folders`` that it stands in, its name, what is shown."""

    folders: tuple[str, ...]
    name: str
    shown: str


def note_of(path: str) -> tuple[tuple[str, ...], str]:
    """The folders and the name of a note by its path; an index is called after its folder."""
    *folders, name = path.strip().strip("/").removesuffix(".md").split("/")
    while folders and name.casefold() in _FOLDER_NOTES:
        name = folders.pop()
    return tuple(folders), name.strip()


def note_links(text: str) -> Iterator[NoteLink]:
    """The links of a text to notes, in its order; none to pictures, recordings and headings."""
    for match in _LINK.finditer(text):
        folders, name = note_of(_path(match))
        if name and not _ATTACHED.search(name):
            yield NoteLink(folders, name, _shown(match))


def unlinked(text: str) -> str:
    """``text`` with each link as the words that it shows; embedded pictures are left out."""
    return _LINK.sub(_shown, text) if "](" in text or "[[" in text else text


def readable_lines(text: str) -> str:
    """``text`` with as many lines, without what only the program reads.

    Queries are left out, callouts keep their title, and fields (``mood:: sour``) read as labels.
    """
    if "```" in text or "~~~" in text:
        text = _QUERY.sub(lambda match: "\n" * match[0].count("\n"), text)
    if "[!" in text:
        text = _CALLOUT.sub(lambda match: match[1] + (match[3] or match[2]), text)
    if "::" in text:
        text = _FIELD.sub(r"\1\2: ", _INLINE.sub(r"\1: \2", text))
    return _BLOCK_ID.sub("", text) if "^" in text else text


def _path(match: re.Match[str]) -> str:
    return match["path"] if match["file"] is None else unquote(match["file"])


def _shown(match: re.Match[str]) -> str:
    _, name = note_of(_path(match))
    if (match["embed"] or match["embeds"]) and (not name or _ATTACHED.search(name)):
        return ""
    if match["file"] is not None:
        return match["says"] or name
    part = (match["part"] or "").strip("^# ")
    return (match["shown"] or "").strip() or " – ".join(filter(None, (name, part)))
