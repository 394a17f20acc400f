"""Where in a book's spell lists a section stands: whose list it is in, and under which level.

Titles say it: "Bard Spells" over "1st Level"; "Spell Lists" over "Bard"; "Spell List" below a class
or a part of one. A class is known by its hit dice, or to the caller.
"""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass
from typing import Final

from ...retrieval.names import title_key, words
from ..sections import Section, Sections
from .levels import title_level
from .spell_items import level_label, list_owner, names_owners

MAX_OWNER_WORDS: Final = 5
_HIT_DICE: Final = re.compile(
    r"\bhit (?:point )?di(?:c?e)\b[^\n]{0,20}\d?d\d{1,2}\b", re.IGNORECASE
)
_CLASS_FILLER: Final = frozenset({
    "class", "feature", "hit", "point", "core", "trait", "proficiency", "die", "quick", "build",
    "the", "of", "as", "a", "table", "become", "creating", "level", "1st", "1",
})
_PART_FILLER: Final = frozenset({
    "spell", "list", "expanded", "bonus", "additional", "domain", "oath", "circle", "patron",
    "class", "subclass", "the", "feature", "origin", "always", "prepared", "table", "by", "level",
    "a",
})


@dataclass(frozen=True, slots=True)
class Place:
    """``listed``: in a spell list, ``owner``'s ('' where nothing says whose) and under ``level``.

    ``by_owner``: the parts of the section may be named for those whose lists they are.
    """

    owner: str = ""
    level: int | None = None
    listed: bool = False
    by_owner: bool = False


NOWHERE: Final = Place()


class Places:
    """The places of sections, which must be read in the order of the book."""

    def __init__(self, sections: Sections, classes: Container[str]) -> None:
        self._sections = sections
        self._classes = classes
        self._places: dict[str, Place] = {}
        self._beside: dict[str | None, Place] = {}

    def read(self, section: Section) -> Place:
        """The place of the next section."""
        above = self._places.get(section.parent_id, NOWHERE) if section.parent_id else NOWHERE
        if not above.listed and level_label(section.title):
            # headings of one depth for a list and its levels
            above = self._beside.get(section.parent_id, NOWHERE)
        place = self._place(section, above)
        self._beside[section.parent_id] = place
        if place.listed:
            self._places[section.id] = place
        return place

    def _place(self, section: Section, above: Place) -> Place:
        label = level_label(section.title)
        if label is not None and (above.listed or label[1]):
            owner = above.owner or (_as_written(label[1], section.title) if label[1] else "")
            return Place(owner, label[0], listed=bool(owner))
        owner_said = list_owner(section.title)
        if owner_said:
            return Place(owner_said, None, listed=True)
        if owner_said == "":
            many = names_owners(section.title) or above.by_owner
            return Place(above.owner or self._owner(section), None, listed=True, by_owner=many)
        if not above.listed or len(section.title.split()) > MAX_OWNER_WORDS:
            return NOWHERE
        if above.by_owner or not above.owner or above.level is None:
            return Place(section.title, None, listed=True)
        return NOWHERE

    def _owner(self, section: Section) -> str:
        """Whose list a section called "Spells" is: of the class or the part of one above it."""
        nearest = ""
        for above in self._sections.ancestors(section):
            key = title_key(above.title)
            if key in self._classes:
                return nearest or above.title
            if not nearest and set(key.split()) - _PART_FILLER:
                nearest = above.title
        return ""


def class_titles(sections: Sections) -> set[str]:
    """The keys of the titles of sections that give the hit dice of a class."""
    found: set[str] = set()
    for section in sections:
        if _HIT_DICE.search(section.content):
            for part in (section, *sections.ancestors(section)):
                key = title_key(part.title)
                if set(key.split()) - _CLASS_FILLER:
                    found.add(key)
                    break
    return found


def part_of(sections: Sections, section: Section, caption: str, owner: str) -> str:
    """The part of the class ``owner`` that a table in ``section`` is of: "Life Domain", or ''.

    The nearest title that says more than "Domain Spells"; two of them, where the nearest stands
    below such a title ("Circle of the Land (Arctic)").
    """
    chain = [caption, section.title, *(above.title for above in sections.ancestors(section))]
    chain = [title for title in chain if title]
    parts: list[str] = []
    for at, title in enumerate(chain):
        if title_key(title) == owner:
            break
        above = chain[at + 1] if at + 1 < len(chain) else ""
        of_spells = "spell" in words(title)
        if not _says(title, owner) or (of_spells and _says(title, owner) <= set(words(above))):
            continue
        parts.append(_without_spells(title))
        if of_spells or len(parts) > 1 or "spell" not in words(above):
            break
    if len(parts) > 1:
        return f"{parts[1]} ({parts[0]})"
    return parts[0] if parts else ""


def _says(title: str, owner: str) -> set[str]:
    """The words of ``title`` that name a part of the class ``owner``."""
    return set(words(_without_spells(title))) - _PART_FILLER - {owner}


def _without_spells(title: str) -> str:
    headed = title_level(title)
    parts = (headed[1] if headed else title).split()
    while parts and title_key(parts[-1]) in {"spell", "list", "table"}:
        del parts[-1]
    return " ".join(parts)


def _as_written(key: str, title: str) -> str:
    """The words of ``title`` that ``key`` was made of."""
    wanted = key.split()
    return " ".join(word for word in title.split() if title_key(word) in wanted) or key
