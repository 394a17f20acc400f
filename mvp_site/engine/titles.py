"""What a rulebook's sections name: each title with its type, told by the headings above it."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, field
from typing import Final

from ..retrieval.names import names_of, words
from ..retrieval.synonyms import VARIATIONS
from ..rulebook.sections import Section, Sections
from ..typos import Keys, respaced

RULE: Final = "rule"
_WHOLE: Final = {"spell": "spell", "monster": "creature", "creature": "creature",
                 "bestiary": "creature", "nonplayer": "creature", "magic": "magic_item"}
"""First words of chapters all of whose entries are of one type, however they are divided."""
_NEAREST: Final = {
    "condition": "condition", "weapon": "weapon", "armor": "armor", "action": "action",
    "feat": "feat", "background": "background", "language": "language", "plane": "plane",
    "pantheon": "deity", "god": "deity", "deity": "deity", "ability": "ability",
    "equipment": "item", "gear": "item", "tool": "item", "check": "skill",
}
"""What a heading above tells that its entries are: "Martial Weapons", "Actions in Combat"."""
_OWNED: Final = {"class": ("class", "subclass"), "race": ("race", "race")}
"""Chapters of things that have parts: the type of the things, and of their own kinds."""
_BEHIND: Final = frozenset({"of", "in", "for", "by"})
_MOST_WORDS: Final = 6


@dataclass(frozen=True, slots=True, eq=False)
class Titles:
    """A book's names by their keys (:func:`~mvp_site.retrieval.names.title_key`), with types.

    ``known`` are the words of its text; ``letters`` the keys by their letters without spaces.
    """

    names: dict[str, tuple[str, str]]
    known: Container[str] = frozenset()
    letters: dict[str, str | None] = field(default_factory=dict)
    near: Keys = field(default_factory=lambda: Keys(()))

    @classmethod
    def of(cls, sections: Sections | Iterable[Section] = (),
           known: Container[str] = frozenset()) -> Titles:
        """The names of all titles; of two sections with one title, that of a thing comes first."""
        held = sections if isinstance(sections, Sections) else Sections(sections)
        names: dict[str, tuple[str, str]] = {}
        for section in held:
            type_ = type_of(section, held)
            for key in map(" ".join, names_of(section.title)):
                if 0 < len(key.split()) <= _MOST_WORDS and (
                    key not in names or names[key][1] == RULE
                ):
                    names[key] = section.title, type_
        for said, meant in VARIATIONS.items():
            key, stands = " ".join(words(said)), " ".join(words(meant))
            if stands in names and (" " in key or key not in known):
                names.setdefault(key, names[stands])
        parts = {word for key in names for word in key.split()}
        return cls(names, known, respaced(names), Keys(sorted(parts)))


def type_of(section: Section, sections: Sections) -> str:
    """The type of entity that a section tells of, ``rule`` where the headings tell of none."""
    above, own = [words(title) for title in section.path[:-1]], words(section.title)
    for depth, heading in enumerate(above):
        first, head = heading[0] if heading else "", _head(heading)
        if first in _WHOLE:
            return _WHOLE[first]
        if head in _OWNED:
            parts = above[depth + 1 :]
            kind = len(parts) == 1 and (section.children_ids or own[-1:] == parts[0][-1:])
            return _OWNED[head][1 if parts else 0] if kind or not parts else "feature"
    return next((_NEAREST[_head(one)] for one in reversed(above) if _head(one) in _NEAREST), RULE)


def _head(heading: tuple[str, ...]) -> str:
    """The word of a heading that says what stands below it."""
    behind = next((at for at, word in enumerate(heading) if word in _BEHIND), len(heading))
    return heading[behind - 1] if behind else ""
