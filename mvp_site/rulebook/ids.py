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
from itertools import count
from typing import Final

from ..text.names import fold

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
    # An anchor has the first claim on its name, wherever it stands.
    unclaimed = {bounded(anchor, MAX_ID) for anchor in anchors if anchor}
    taken, counts, ids = set(unclaimed), dict[str, int](), list[str]()
    for title, parent, anchor in zip(titles, parents, anchors, strict=True):
        own = PREFACE if preface and not ids else slug(title)
        name = bounded(anchor or (own if parent is None else f"{ids[parent]}/{own}"), MAX_ID)
        free = name in unclaimed if anchor else name not in taken
        if anchor:
            unclaimed.discard(name)
        if not free:
            last = counts.get(name, 1)
            counts[name] = next(n for n in count(last + 1) if f"{name}-{n}" not in taken)
            name = f"{name}-{counts[name]}"
        ids.append(name)
        taken.add(name)
    return ids


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:_DIGEST]
