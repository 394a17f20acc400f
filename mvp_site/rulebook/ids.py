"""Ids: each section's place in the tree as slugs, or the anchor that its author gave it.

``Classes > Bard > Spellcasting`` is ``classes/bard/spellcasting``, whatever stands
elsewhere in the book. Siblings of one title are told apart by their order: ``-2``, ``-3``. An
anchor is the whole id of its section and opens the ids of those below.

What is added behind a section leaves its id alone, unless it is an anchor of that very name: an
author's anchor is what other texts refer to.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Sequence
from typing import Final

from ..retrieval.names import fold

PREFACE: Final = "_preface"
UNTITLED: Final = "untitled"
MAX_SLUG: Final = 64
MAX_ID: Final = 240
_DIGEST: Final = 8


def slug(title: str) -> str:
    """The words of ``title`` joined by hyphens, at most :data:`MAX_SLUG` characters.

    Letters of every script stay. A cut title ends in a hash of the whole one, and a title without
    a letter or digit is one.
    """
    letters = (
        char if char.isalnum() or unicodedata.category(char) in {"Mn", "Mc"} else " "
        for char in fold(title).replace("'", "")
    )
    parts = [part for part in "".join(letters).split() if any(map(str.isalnum, part))]
    if not parts:
        return f"{UNTITLED}-{_digest(title)}" if title.strip() else UNTITLED
    return bounded("-".join(parts), MAX_SLUG)


def bounded(text: str, most: int) -> str:
    """``text`` in at most ``most`` characters; what is cut off leaves its hash at the end."""
    if len(text) <= most:
        return text
    return f"{text[: most - _DIGEST - 1].rstrip('-/')}-{_digest(text)}"


def section_ids(
    titles: Sequence[str], parents: Sequence[int | None], anchors: Sequence[str | None],
    preface: bool = False,
) -> list[str]:
    """One id a section, all different; ``parents`` are the numbers of earlier sections.

    ``preface`` says that the first section is the text before any heading.
    """
    names = _Names({bounded(anchor, MAX_ID) for anchor in anchors if anchor})
    ids: list[str] = []
    for title, parent, anchor in zip(titles, parents, anchors, strict=True):
        if anchor:
            ids.append(names.anchor(bounded(anchor, MAX_ID)))
            continue
        own = PREFACE if preface and not ids else slug(title)
        ids.append(names.path(own if parent is None else f"{ids[parent]}/{own}"))
    return ids


class _Names:
    """Ids that are taken; an anchor has the first claim on its name wherever it stands."""

    def __init__(self, anchors: set[str]) -> None:
        self._taken = set(anchors)
        self._unclaimed = set(anchors)
        self._counts: dict[str, int] = {}

    def anchor(self, name: str) -> str:
        if name in self._unclaimed:
            self._unclaimed.remove(name)
            return name
        return self._free(name)

    def path(self, path: str) -> str:
        name = bounded(path, MAX_ID)
        if name in self._taken:
            return self._free(name)
        self._taken.add(name)
        return name

    def _free(self, name: str) -> str:
        count = self._counts.get(name, 1) + 1
        while f"{name}-{count}" in self._taken:
            count += 1
        self._counts[name] = count
        self._taken.add(f"{name}-{count}")
        return f"{name}-{count}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:_DIGEST]
