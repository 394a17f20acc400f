"""Sections to categories: from the title, the form and words of the text, and the chapter above.

A title's cue weighs by how much of the title it is. An entry in the form of a spell, a stat block
or a magic item is that, so its title's words say nothing more ("Mage Armor" is no armor). Words
in passing weigh little. What the sections above are about is inherited at a discount, and where
nothing speaks at all the section counts as a core rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ..retrieval.names import words
from .categories import Assignment, Category
from .cues import FORMS, GENERIC, LONGEST_CUE, MENTION_PATTERNS, MIN_MENTIONS, TITLE_CUES
from .sections import Section, Sections

READ_CHARS: Final = 4_000
"""How much of a section's text is read for cues; what an entry is stands at its beginning."""
INHERITED: Final = 0.7
PARTIAL: Final = 0.4
"""The weight of a title's cue that is next to nothing of the title."""
MENTION: Final = 0.25
MENTION_STEP: Final = 0.05
MENTION_MOST: Final = 0.45
FLOOR: Final = 0.15
NO_CUE: Final = Assignment(Category.CORE_MECHANICS, "no cue", 0.1)
_EMPHASIS: Final = re.compile("[*_]+")
_UNDER: Final = "under "
_NAMED: Final = 3
_SHOWN: Final = 80
_DECIMALS: Final = 3


def assign(section: Section, sections: Sections) -> tuple[Assignment, ...]:
    """The categories of ``section``, one of ``sections``, the surest first; never none."""
    parent = sections.parent(section)
    above = () if parent is None else parent.categories or assign(parent, sections)
    return _assigned(section, parent, above)


def categorised(sections: Sections) -> Sections:
    """``sections`` with the categories of each."""
    found: dict[str, tuple[Assignment, ...]] = {}
    for section in sections:
        parent = sections.parent(section)
        found[section.id] = _assigned(section, parent, found[parent.id] if parent else ())
    return sections.replaced(found.values())


def _assigned(
    section: Section, parent: Section | None, above: tuple[Assignment, ...]
) -> tuple[Assignment, ...]:
    text = _EMPHASIS.sub("", section.content[:READ_CHARS].lower())
    forms = list(_of_form(text))
    own = [assignment for assignment, _ in forms]
    if not any(settles for _, settles in forms):
        own += [*_of_title(section.title), *_of_words(text)]
    own += _inherited(parent, above)
    best: dict[Category, Assignment] = {}
    for assignment in own:
        held = best.get(assignment.category)
        if held is None or assignment.weight > held.weight:
            best[assignment.category] = assignment
    kept = [a for a in best.values() if a.weight >= FLOOR]
    if not kept:
        return _fallback(parent, above)
    return tuple(sorted(kept, key=lambda a: (-a.weight, a.category)))


def _of_title(title: str) -> Iterator[Assignment]:
    """One assignment a category; of two cues that overlap the longer one counts."""
    parts = words(title)
    telling = max(sum(part not in GENERIC for part in parts), 1)
    found: dict[Category, list[tuple[str, ...]]] = {}
    at = 0
    while at < len(parts):
        length = next(
            (n for n in range(min(LONGEST_CUE, len(parts) - at), 0, -1)
             if parts[at : at + n] in TITLE_CUES),
            0,
        )
        cue = parts[at : at + length]
        for category in TITLE_CUES.get(cue, ()):
            found.setdefault(category, []).append(cue)
        at += max(length, 1)
    for category, cues in found.items():
        share = sum(part not in GENERIC for cue in cues for part in cue) / telling
        weight = round(PARTIAL + (1 - PARTIAL) * min(share, 1.0), _DECIMALS)
        named = ", ".join(repr(" ".join(cue)) for cue in cues[:_NAMED])
        yield Assignment(category, f"title has {named}", weight)


def _of_form(text: str) -> Iterator[tuple[Assignment, bool]]:
    for form in FORMS:
        if all(pattern.search(text) for pattern in form.shows):
            yield Assignment(form.category, f"text {form.why}", form.weight), form.settles


def _of_words(text: str) -> Iterator[Assignment]:
    for category, phrases in MENTION_PATTERNS.items():
        found = [
            phrase for phrase, pattern in phrases if phrase in text and pattern.search(text)
        ]
        if len(found) >= MIN_MENTIONS:
            weight = min(MENTION + MENTION_STEP * (len(found) - MIN_MENTIONS), MENTION_MOST)
            listed = ", ".join(repr(phrase) for phrase in found[:_NAMED])
            yield Assignment(category, f"text speaks of {listed}", round(weight, _DECIMALS))


def _inherited(parent: Section | None, above: tuple[Assignment, ...]) -> Iterator[Assignment]:
    if parent is None or above == (NO_CUE,):
        return
    for assignment in above:
        why = assignment.why
        if not why.startswith(_UNDER):
            why = f"{_UNDER}{parent.title[:_SHOWN]!r}, whose {why}"
        yield Assignment(assignment.category, why, round(assignment.weight * INHERITED, _DECIMALS))


def _fallback(parent: Section | None, above: tuple[Assignment, ...]) -> tuple[Assignment, ...]:
    """What the section above is most surely about, else :data:`NO_CUE`."""
    nearest = next(_inherited(parent, above[:1]), None)
    return (NO_CUE,) if nearest is None else (nearest,)
