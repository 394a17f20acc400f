"""Sections to categories: from the title, the form and words of the text, and the chapter above.

A title's cue weighs by how much of the title it is. An entry in the form of a spell, a stat block
or a magic item is that, so its title's words say nothing more ("Mage Armor" is no armor). Words
in passing weigh little. What the sections above are about is inherited at a discount, and where
nothing speaks at all the section counts as a core rule. The words are in ``cues.toml``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Final

from ..text.names import name_spans, words
from ..text.shipped_tables import shipped_tables
from ..text.vocabulary import SCHOOLS
from .categories import Assignment, Category
from .sections import Section

READ_CHARS: Final = 4_000
"""How much of a section's text is read for cues; what an entry is stands at its beginning."""
PARTIAL: Final = 0.4
"""The weight of a title's cue that is next to nothing of the title."""
NO_CUE: Final = Assignment(Category.CORE_MECHANICS, "no cue", 0.1)
_EMPHASIS: Final = re.compile("[*_]+")
_UNDER: Final = "under "
_NAMED: Final = 3
_DECIMALS: Final = 3
_MIN_MENTIONS: Final = 2
"""How many different words of a kind a text must have before they tell anything."""


def _title_cues(cues: dict[str, Any]) -> dict[str, tuple[Category, ...]]:
    by_words: dict[str, tuple[Category, ...]] = {" ".join(words(cue)): () for cue in cues["silent"]}
    for category, phrases in cues["titles"].items():
        for phrase in phrases:
            key = " ".join(words(phrase))
            by_words[key] = (*by_words.get(key, ()), Category[category.upper()])
    return by_words


_CUES: Final = shipped_tables(__package__, "cues.toml")
_GENERIC: Final = frozenset(words(" ".join(_CUES["generic"])))
TITLE_CUES: Final = _title_cues(_CUES)
_LONGEST_CUE: Final = max(cue.count(" ") + 1 for cue in TITLE_CUES)
MENTIONS: Final = {
    Category[category.upper()]: tuple(
        (phrase, re.compile(rf"\b{re.escape(phrase)}\b")) for phrase in phrases
    )
    for category, phrases in _CUES["mentions"].items()
}
"""The phrases, each with what finds it as whole words."""
FORMS: Final = tuple(
    (tuple(re.compile(text.replace("SCHOOL", f"(?:{'|'.join(SCHOOLS)})"), re.MULTILINE)
           for text in form["shows"]),
     Assignment(Category[form["category"].upper()], f"text {form['why']}", form["weight"]),
     form.get("settles", False))
    for form in _CUES["forms"]
)
"""What the text of an entry looks like: it shows all of the patterns, and what it is then.

An entry of a form that settles is that and nothing else, whatever words its title has.
"""


def categorised(sections: Iterable[Section]) -> list[Section]:
    """``sections`` with the categories of each; parents stand before their children."""
    by_parent: dict[str | None, Section] = {}
    for section in sections:
        above = by_parent.get(section.parent_id)
        by_parent[section.id] = replace(section, categories=_assigned(section, above))
    return list(by_parent.values())


def _assigned(section: Section, parent: Section | None) -> tuple[Assignment, ...]:
    text = _EMPHASIS.sub("", section.content[:READ_CHARS].lower())
    forms = [form for form in FORMS if all(pattern.search(text) for pattern in form[0])]
    own = [assignment for _, assignment, _ in forms]
    if not any(settles for *_, settles in forms):
        own += [*_of_title(section.title), *_of_words(text)]
    inherited = list(_inherited(parent))
    best: dict[Category, Assignment] = {}
    for assignment in (*own, *inherited):
        rival = best.get(assignment.category)
        if rival is None or assignment.weight > rival.weight:
            best[assignment.category] = assignment
    assignments = [a for a in best.values() if a.weight >= 0.15] or inherited[:1] or [NO_CUE]
    return tuple(sorted(assignments, key=lambda a: (-a.weight, a.category)))


def _of_title(title: str) -> Iterator[Assignment]:
    """One assignment a category; of two cues that overlap the longer one counts."""
    parts = words(title)
    telling = max(sum(part not in _GENERIC for part in parts), 1)
    by_category: dict[Category, list[tuple[str, ...]]] = {}
    for start, end in name_spans(parts, TITLE_CUES.__contains__, _LONGEST_CUE):
        cue = parts[start:end]
        for category in TITLE_CUES[" ".join(cue)]:
            by_category.setdefault(category, []).append(cue)
    for category, cues in by_category.items():
        share = sum(part not in _GENERIC for cue in cues for part in cue) / telling
        weight = round(PARTIAL + (1 - PARTIAL) * min(share, 1.0), _DECIMALS)
        named = ", ".join(repr(" ".join(cue)) for cue in cues[:_NAMED])
        yield Assignment(category, f"title has {named}", weight)


def _of_words(text: str) -> Iterator[Assignment]:
    for category, phrases in MENTIONS.items():
        hits = [phrase for phrase, pattern in phrases if phrase in text and pattern.search(text)]
        if len(hits) >= _MIN_MENTIONS:
            weight = min(0.25 + 0.05 * (len(hits) - _MIN_MENTIONS), 0.45)
            listed = ", ".join(repr(phrase) for phrase in hits[:_NAMED])
            yield Assignment(category, f"text speaks of {listed}", round(weight, _DECIMALS))


def _inherited(parent: Section | None) -> Iterator[Assignment]:
    if parent is None or parent.categories == (NO_CUE,):
        return
    for assignment in parent.categories:
        why = assignment.why
        if not why.startswith(_UNDER):
            why = f"{_UNDER}{parent.title[:80]!r}, whose {why}"
        yield Assignment(assignment.category, why, round(assignment.weight * 0.7, _DECIMALS))
