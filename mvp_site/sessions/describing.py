"""Who is meant by what they are: "the dragon", "that kobold", "my brother".

Notes say it behind a name ("**Vexath** (aka the Green Toll): young green dragon, vain"), sheets as
a role. A word that says so of two is nobody's.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from ..text.languages import STOPWORDS
from ..text.names import fold, words
from .intentions import NOTE_PARTS
from .types import CampaignPiece

_CLAUSE: Final = re.compile(
    r"\W*\*\*[^*\n]+\*\*(?: \([^()]*\))?: ([^.,;:(]+)|.*?\brole: ([^.,;:(]+)", re.DOTALL)
_BEHIND: Final = re.compile(r"\s(?:of|in|at|on|from|to|with|who|that|which|and|found|for|by)\s")
_DETERMINERS: Final = frozenset({"the", "that", "this", "my", "our", "his", "her", "their"})
_PERSONS: Final = frozenset({"non_player_character", "creature", "deity", "ally", "enemy"})
_POSSESSIVES: Final = {("his",), ("her",), ("their",), ("its",), ("my",)}
_TELLING: Final = {"allies", "enemies"} | {
    key for key, part in NOTE_PARTS.items() if part.get("names") in _PERSONS}
"""The parts of sheets and of notes that say who somebody is."""
_MARKS: Final = ".,;:?!\"'()"


def described(pieces: Iterable[CampaignPiece]) -> Mapping[str, str]:
    """The names of persons by the word that says what they are, in the form of names' words."""
    names: dict[str, set[str]] = defaultdict(set)
    for piece in pieces:
        person = piece.mentions[0] if piece.mentions else None
        tells = person and person.type in _PERSONS and piece.part in _TELLING
        clause = _CLAUSE.match(piece.text) if tells else None
        if person and clause:
            own = words(_BEHIND.split(clause[1] or clause[2])[0])
            own = own[own[:1] in _POSSESSIVES:]
            if 0 < len(own) <= 4 and STOPWORDS.isdisjoint(own):
                names[own[-1]].add(person.name)
    return {word: next(iter(of)) for word, of in names.items() if len(of) == 1}


def meant(text: str, names: Mapping[str, str]) -> tuple[str, ...]:
    """The names of those whom a question speaks of by what they are."""
    spoken = fold(text).replace("'s", "").split()
    near = (spoken[at + 1 : at + 4] for at, word in enumerate(spoken)
            if word in _DETERMINERS)
    hits = (next((plain for word in phrase if (plain := word.strip(_MARKS)) in names), "")
            for phrase in near)
    return tuple(names[word] for word in dict.fromkeys(hits) if word)
