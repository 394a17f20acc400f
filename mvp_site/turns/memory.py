"""What later turns are told of a turn: what was told and chosen, who was there, and secrets. Pure.

It is written with the turn, and so is taken back, copied and deleted with it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any, Final

import msgspec

from ..text.json_values import at, mapping
from ..text.languages import STOPWORDS
from ..text.names import fold, stands_in, words
from ..text.normalising import clean, content_words
from ..text.sentences import sentences
from .contracts import Contract
from .routing import TurnRoute
from .state import known_as, party_place

NOTE_CHARS: Final = 400
"""Characters that are kept of a note."""
NAMED: Final = ("npc_data", "location_data", "faction_data", "item_data")
"""The branches of the state whose records have names."""
MOST_NOTES: Final = 20
"""Notes that are kept of a turn."""
LEAST_NAME: Final = 3
"""Characters of a word that stands for a whole name."""
_GOES_ON: Final = re.compile(r"[\w\s]")
Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RunningSummary:
    """What a model wrote of the turns up to ``upto``."""

    upto: int
    text: str


@dataclass(frozen=True, slots=True)
class TurnMemory:
    """What is remembered of a turn.

    ``narrative`` is what the player read, ``gist`` a sentence of it, ``chosen`` the offered choice
    that the player took. ``people`` are the names of those who were there, by id, without the
    player's character, and ``quests`` the ids of those that the turn touched. ``notes`` are the
    game master's and no player's. ``summary`` is one that was written in this turn.
    """

    narrative: str = ""
    gist: str = ""
    chosen: str = ""
    place_id: str = ""
    place: str = ""
    people: Mapping[str, str] = field(default_factory=dict)
    quests: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    summary: RunningSummary | None = None

    def document(self) -> dict[str, Any]:
        """As it is kept: without what is empty."""
        return {name: value for name, value in asdict(self).items() if value}


def read_memory(document: Json) -> TurnMemory:
    """The memory that a document is; an empty one where it is none, as a campaign is imported."""
    try:
        return msgspec.convert(document, TurnMemory)
    except msgspec.ValidationError:
        return TurnMemory()


def memory_of(contract: Contract, turn_route: TurnRoute, text: str, answer: Json, *, before: Json,
              after: Json, offered: Json) -> TurnMemory:
    """What is remembered of an accepted turn, on the states before and after it.

    ``text`` is the player's; ``offered`` are the choices of the turn before, by key.
    """
    narrative = contract.told(answer) or str(at(answer, "planning_block", "thinking") or "")
    mentioned = _texts(answer.get("entities_mentioned"))
    place_id, place = place_of(after)
    acts = turn_route.mode == "story" and not turn_route.deep_think
    notes = (clean(note).strip()[:NOTE_CHARS]
             for note in _texts(contract.notes(answer))[:MOST_NOTES])
    people = people_there(before, after, {*mentioned}, narrative) if acts else {}
    quests = mapping(after, "quest_data")
    return TurnMemory(
        narrative, gist_of(narrative, after) if acts else "", chosen(text, offered), place_id,
        place, people, tuple(key for key in mentioned if key in quests),
        tuple(filter(None, notes)),
    )


def _texts(value: object) -> list[str]:
    """The texts in a value, which may be a text or a list."""
    if isinstance(value, list):
        return [text for part in value for text in _texts(part)]
    return [value] if isinstance(value, str) else []


def chosen(text: str, offered: Json) -> str:
    """The offered choice that a turn's text takes, by key or words; '' where it takes none."""
    typed = fold(text)
    for key, choice in offered.items():
        label, about = (str(at(choice, name) or "") for name in ("text", "description"))
        rest = typed.removeprefix(fold(label)) if label else typed
        if typed == fold(key) or (label and rest != typed and not _GOES_ON.match(rest)):
            return f"{label}: {about}" if about else label
    return ""


def place_of(state: Json) -> tuple[str, str]:
    """The id and the name of the party's place; '' where the state has none."""
    value = party_place(state)
    key = known_as(state, value) or value
    return key, str(at(state, "location_data", key, "name") or value)


def people_of(state: Json) -> dict[str, str]:
    """The names of the state's people by id, without the player's character; the dead too."""
    return {key: name for key, record in mapping(state, "npc_data").items()
            if isinstance(name := at(record, "name"), str) and name.strip()}


def is_dead(state: Json, key: str) -> bool:
    """Whether a person of the state is dead."""
    return bool(at(state, "npc_data", key, "status") == "dead")


def people_there(before: Json, after: Json, mentioned: Iterable[str], narrative: str,
                 ) -> dict[str, str]:
    """Who was there in a turn that told this, and lived when it began.

    That is who was named, and stands at the party's place before or after the turn, or whose
    place is not known, if the answer says that the turn touched them. A companion and who fights
    need not be named.
    """
    places = {place_of(before)[0], place_of(after)[0]} - {""}
    names, touched = people_of(after), {*mentioned}
    named = NameFinder(names).find(narrative)
    fighting = mapping(after, "combat_state", "combatants")
    present = {}
    for key, name in names.items():
        stands = {where for state in (before, after) if (where := stands_at(state, key))}
        near = not places.isdisjoint(stands)
        if is_dead(before, key) or (stands and not near):
            continue
        if key in touched or key in fighting or is_companion(after, key) or (near and key in named):
            present[key] = name
    return present


def stands_at(state: Json, key: str) -> str:
    """The id of the place where a person of the state stands; '' where it is not known."""
    value = at(state, "npc_data", key, "location_id")
    return known_as(state, value) or value if isinstance(value, str) else ""


def is_companion(state: Json, key: str) -> bool:
    """Whether a person goes with the party."""
    listed = at(state, "custom_campaign_state", "companions")
    return at(state, "npc_data", key, "party_role") == "companion" or (
        isinstance(listed, list) and key in listed)


class NameFinder:
    """Finds names in texts: an id, a whole name, or a word of it that no other name has."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._whole = {key: words(name) for key, name in names.items()}
        singles = {
            key: {word for part in name.split() if part[:1].isupper() and len(part) >= LEAST_NAME
                  for word in words(part) if word not in STOPWORDS}
            for key, name in names.items()
        }
        owners = Counter(word for parts in singles.values() for word in parts)
        self._singles = {key: {word for word in parts if owners[word] == 1}
                         for key, parts in singles.items()}

    def find(self, text: str) -> set[str]:
        """The ids of the names that a text has."""
        spoken, folded = _spoken(text)
        return {
            key for key, whole in self._whole.items()
            if key in folded or stands_in(whole, spoken)
            or not self._singles[key].isdisjoint(spoken)
        }


@lru_cache(maxsize=4096)
def _spoken(text: str) -> tuple[tuple[str, ...], str]:
    return words(text), fold(text)


def gist_of(narrative: str, state: Json) -> str:
    """The sentence of a narrative that has the most names of the state and words of its quests.

    A name counts as two words; of equal ones it is the longest.
    """
    names = NameFinder({key: str(at(record, "name") or "") for branch in NAMED
                        for key, record in mapping(state, branch).items()})
    quests = {word for record in mapping(state, "quest_data").values()
              for word in content_words(str(at(record, "title") or ""))}

    def weight(sentence: str) -> tuple[int, int]:
        named = 2 * len(names.find(sentence)) + len(quests & content_words(sentence))
        return named, len(sentence)

    return max(map(str.strip, sentences(narrative)), key=weight, default="")
