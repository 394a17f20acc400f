"""What a rulebook's titles name, with the type that the headings above them tell."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Final

from ..rulebook.sections import Section, Sections
from ..text.names import names_of, words
from ..text.synonyms import VARIATIONS

Titles = Mapping[str, tuple[str, str]]
"""Names by their keys (:func:`~mvp_site.text.names.title_key`): the title, and its type."""
RULE: Final = "rule"
_WHOLE: Final = {"spell": "spell", "monster": "creature", "creature": "creature",
                 "bestiary": "creature", "nonplayer": "creature", "magic": "magic_item"}
"""First words of chapters all of whose entries are of one type, however they are divided."""
_NEAREST: Final = {
    "condition": "condition", "weapon": "weapon", "armor": "armor", "action": "action",
    "feat": "feat", "background": "background", "language": "language", "plane": "plane",
    "pantheon": "deity", "god": "deity", "deity": "deity", "ability": "ability",
    "equipment": "item", "gear": "item", "tool": "item", "check": "skill", "type": "damage_type",
}
"""What a heading above tells that its entries are: "Martial Weapons", "Actions in Combat"."""
_OWNED: Final = {"class": ("class", "subclass"), "race": ("race", "race")}
"""Chapters of things that have parts: the type of the things, and of their own kinds."""
_BEHIND: Final = frozenset({"of", "in", "for", "by"})
_GROUP: Final = 3
_PLACES: Final = 8


def titles_of(sections: Sections, known_keys: Container[str]) -> Titles:
    """The names of all sections, and what players call them; ``known`` words are no nicknames."""
    names: dict[str, tuple[str, str]] = {}
    for section in sections:
        if section.parent_id is None or _is_heading(section, sections):
            continue
        for key in map(" ".join, names_of(section.title)):
            if key and not key[0].isdigit() and names.get(key, ("", RULE))[1] == RULE:
                names[key] = section.title, type_of(section)
    for variation, canonical in VARIATIONS.items():
        key, stands = " ".join(words(variation)), " ".join(words(canonical))
        if stands in names and (" " in key or key not in known_keys):
            names.setdefault(key, names[stands])
    return names


def type_of(section: Section) -> str:
    """The type of entity that a section tells of, ``rule`` where the headings tell of none."""
    above, own = [words(title) for title in section.path[:-1]], words(section.title)
    for depth, heading in enumerate(above):
        if heading and heading[0] in _WHOLE:
            return _WHOLE[heading[0]]
        if _head(heading) in _OWNED:
            parts, (thing, kind) = above[depth + 1 :], _OWNED[_head(heading)]
            if not parts:
                return thing
            is_kind = section.children_ids or own[-1:] == parts[0][-1:]
            return kind if len(parts) == 1 and is_kind else "feature"
    nearest = next((path for path in reversed(above) if not _NEAREST.keys().isdisjoint(path)), ())
    return _NEAREST.get(_head(nearest), RULE)


def _is_heading(section: Section, sections: Sections) -> bool:
    """Whether a section is no thing itself: it stands over such as it, or in many places."""
    below = [type_of(child) for child in sections.children(section)]
    own = type_of(section)
    over = len(below) >= _GROUP and set(below) == {own} and own != "ability"
    return over or len(sections.titled(section.title)) > _PLACES


def _head(heading: tuple[str, ...]) -> str:
    """The word of a heading that says what stands below it."""
    behind = next((at for at, word in enumerate(heading) if word in _BEHIND), len(heading))
    return heading[behind - 1] if behind else ""
