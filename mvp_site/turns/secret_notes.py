"""The secret notes of a campaign: what of its game master's notes a turn's scene calls for. Pure.

They are the ``dm_notes`` of earlier answers. The model gets them behind the history, as they change
with the scene, and nobody else gets them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from ..archive.delimiters import escape
from ..text.json_values import at, mapping
from ..text.normalising import content_words
from ..text.tokens import count_tokens
from .history import PastTurn
from .memory import NameFinder, is_companion, is_dead, people_of, place_of, stands_at
from .routing import is_deep_think

MAX_TOKENS: Final = 300
"""o200k tokens of all that is given in a turn."""
MOST_PEOPLE: Final = 6
"""People of a scene of whom is said what they do not know."""
MOST_RANGES: Final = 8
"""Ranges of turns in which somebody was, or was not; earlier ones are left out."""
CLOSED: Final = frozenset({"completed", "failed", "abandoned"})
"""What a quest's status is when it is no longer in progress."""
MOST_NOTES: Final = 200
"""Notes that are looked at, the nearest."""
REPEATS: Final = 3 / 4
"""Two notes that share more of their words than this say the same."""
OPENING: Final = (
    "For you alone; the player learns of it as the story tells it. Whoever was not there in a turn "
    "does not know of it, unless told."
)
Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Scene:
    """What a turn begins with: who is there, where, which quests are in progress, and its words.

    ``people`` are all people of the state, by id, ``present`` the ids of those who are in the scene
    or are called into it by the turn's text.
    """

    people: Mapping[str, str]
    present: tuple[str, ...]
    place_id: str
    quests: frozenset[str]
    words: frozenset[str]


def scene_of(state: Json, past: Sequence[PastTurn], text: str) -> Scene:
    """The scene that a turn of this text begins with, on the state as it is."""
    people, (place_id, _) = people_of(state), place_of(state)
    last = next((turn for turn in reversed(past) if turn.memory.people), None)
    named = NameFinder(people).find(text)

    def is_there(key: str) -> bool:
        stands = stands_at(state, key)
        if is_dead(state, key) or (stands and stands != place_id):
            return False
        was_there = last is not None and key in last.memory.people
        return bool(stands) or was_there or is_companion(state, key)

    present = [key for key in people if key in named and not is_dead(state, key)]
    present += [key for key in people if key not in present and is_there(key)]
    texts = [text, past[-1].memory.narrative] if past else [text]
    return Scene(
        people, tuple(present), place_id,
        frozenset(key for key in mapping(state, "quest_data")
                  if at(state, "quest_data", key, "status") not in CLOSED),
        frozenset(word for part in texts for word in _words(part)),
    )


@dataclass(frozen=True, slots=True)
class _Note:
    """A note with the turn that it comes from, and how near it is to the scene, nearest last."""

    turn: PastTurn
    text: str
    nearness: tuple[int, int, int, int, int]


def secret_notes(past: Sequence[PastTurn], scene: Scene, whole: int, max_tokens: int) -> str:
    """What of the notes of turns up to ``whole`` the model gets, in ``max_tokens``; '' for nothing.

    Notes of later turns stand in their answers. A note is chosen that has to do with the scene, the
    nearest first: with its people, its place, a quest in progress, its words, and the newest of
    these. With each stands to whom of the scene it is unknown.
    """
    notes = sorted(_notes(past, scene, whole), key=lambda note: note.nearness, reverse=True)
    absences, chosen, tokens = list[str](), list[_Note](), _tokens(OPENING)
    for line in _absences(past, scene):
        if tokens + _tokens(line) <= max_tokens // 2:
            absences.append(line)
            tokens += _tokens(line)
    for note in _repeats_last(notes[:MOST_NOTES]):
        if tokens + (more := _tokens(_line(note, scene))) <= max_tokens:
            chosen.append(note)
            tokens += more
    if not chosen and not absences:
        return ""
    chosen.sort(key=lambda note: note.turn.number)
    return "\n".join([OPENING, *absences, *(_line(note, scene) for note in chosen)])


def _repeats_last(notes: Sequence[_Note]) -> list[_Note]:
    """The notes, those behind that say again what one before them says in nearly all its words.

    So what is noted turn after turn leaves room for what was noted once, long ago.
    """
    heard: list[frozenset[str]] = []
    fresh, repeats = list[_Note](), list[_Note]()
    for note in notes:
        words = _words(note.text)
        again = any(len(words & other) > REPEATS * len(words | other) for other in heard)
        (repeats if again else fresh).append(note)
        heard.append(words)
    return [*fresh, *repeats]


@lru_cache(maxsize=4096)
def _words(text: str) -> frozenset[str]:
    return frozenset(content_words(text))


@lru_cache(maxsize=4096)
def _tokens(line: str) -> int:
    """The o200k tokens of a line with its end; together lines have no more."""
    return count_tokens(escape(f"{line}\n"))


def _notes(past: Sequence[PastTurn], scene: Scene, whole: int) -> list[_Note]:
    notes, people = [], NameFinder(scene.people)
    for turn in past:
        memory = turn.memory
        if turn.number > whole or not memory.notes:
            continue
        met = not set(scene.present).isdisjoint(memory.people)
        place = bool(scene.place_id) and memory.place_id == scene.place_id
        quests = len(scene.quests.intersection(memory.quests))
        for text in memory.notes:
            about = people.find(text).intersection(scene.present)
            shared = len(scene.words & _words(text))
            nearness = (2 if about else int(met), int(place), quests, shared, turn.number)
            if any(nearness[:-1]):
                notes.append(_Note(turn, text, nearness))
    return notes


def _line(note: _Note, scene: Scene) -> str:
    unknown = [scene.people[key] for key in scene.present[:MOST_PEOPLE]
               if key not in note.turn.memory.people]
    mark = f" (unknown to {', '.join(unknown)})" if unknown else ""
    return f"- turn {note.turn.number}: {note.text}{mark}"


def _absences(past: Sequence[PastTurn], scene: Scene) -> list[str]:
    """The turns in which people of the scene were not, a line for each."""
    acts = [turn for turn in past
            if turn.mode == "story" and not is_deep_think(turn.mode, turn.user_input)]
    lines = []
    for key in scene.present[:MOST_PEOPLE]:
        present = _ranges(acts, [key in turn.memory.people for turn in acts])
        absent = _ranges(acts, [key not in turn.memory.people for turn in acts])
        if absent and len(present) < len(absent):
            turns = f"in turns {', '.join(present)} only" if present else "in no turn yet"
            lines.append(f"{scene.people[key]} was there {turns}.")
        elif absent:
            lines.append(f"{scene.people[key]} was not there in turns {', '.join(absent)}.")
    return lines


def _ranges(turns: Sequence[PastTurn], counts: Sequence[bool]) -> list[str]:
    ranges: list[list[int]] = []
    before = False
    for turn, counted in zip(turns, counts, strict=True):
        if counted and not before:
            ranges.append([turn.number, turn.number])
        elif counted:
            ranges[-1][1] = turn.number
        before = counted
    listed = [str(first) if first == last else f"{first}-{last}" for first, last in ranges]
    return listed if len(listed) <= MOST_RANGES else ["…", *listed[-MOST_RANGES:]]
