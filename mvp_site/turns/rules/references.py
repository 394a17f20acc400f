"""References: what a story turn deletes is named nowhere afterwards, and somebody is left to play.

Only what the turn itself deletes is looked for, so a state whose references led nowhere before goes
on. God may delete what it likes but the player's character.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ..state import DELETE, is_entity_id
from ..types import Violation
from .context import PC, RECORDS, Context, Rule, at, characters, key_words, mapping, path, quoted
from .travel import given_places, known_as

_ID: Final = ("id", "entity_id", "character_id", "pc_id")
_SEVERAL: Final = 2
# A list of the slain may name whom no record has any more
_PAST: Final = frozenset({
    "slain", "dead", "killed", "fallen", "defeated", "destroyed", "deleted", "removed", "lost",
    "gone", "used", "spent", "former", "past", "history", "log", "met", "last", "previous",
})


def _state_reference(context: Context) -> Iterator[Violation]:
    if context.facts.mode == "god":
        return
    gone = _deleted(context)
    for key in _stood_in(context, gone):
        yield Violation("state_reference", path("state_updates", *gone[key]), "is the place where "
                        "the party stands; write where it goes, or keep the place")
    named: dict[str, list[str]] = {}
    for place, key in _pointers(context.after, gone) if gone else ():
        named.setdefault(key, []).append(path(*place))
    for key, places in named.items():
        yield Violation("state_reference", path("state_updates", *gone[key]), "is deleted and "
                        f"still named at {quoted(', '.join(places))}; clear what names it in the "
                        "same update, or keep the record")
    for branch in RECORDS:
        if not gone.keys().isdisjoint(held := mapping(context.facts.state, branch)) and (
                len(held) >= _SEVERAL and not mapping(context.after, branch)):
            yield Violation("state_reference", path("state_updates", branch), f"all {len(held)} "
                            f"records of {branch} are deleted; keep those that the story did not "
                            "use up (the dead keep their record, with a status)")


def _deleted(context: Context) -> dict[str, tuple[str, str]]:
    """The ids whose record the update deletes, with its path; one that moves branch is kept."""
    gone = {
        key: (branch, key) for branch in (*RECORDS, PC)
        for key, value in mapping(context.updates, branch).items()
        if value == DELETE and is_entity_id(key)
        and isinstance(at(context.facts.state, branch, key), Mapping)
    }
    return {key: place for key, place in gone.items()
            if not any(key in mapping(context.after, branch) for branch in (*RECORDS, PC))}


def _stood_in(context: Context, gone: Mapping[str, Any]) -> Iterator[str]:
    """The deleted places that the party stood in and has not left for another."""
    there = given_places(context.after)
    for place, here in given_places(context.facts.state).items():
        key = known_as(context.facts.state, here)
        if key in gone and (place not in there or there[place] == here):
            yield key


def _pointers(state: Mapping[str, Any], gone: Mapping[str, Any],
              ) -> Iterator[tuple[tuple[str, ...], str]]:
    """Each path of a state that names one of ``gone``, as a key, a value or an item of a list."""
    pending: list[tuple[tuple[str, ...], Any]] = [((), state)]
    while pending:
        place, value = pending.pop()
        if isinstance(value, Mapping):
            for key in reversed(list(value)):
                if is_entity_id(key) or _PAST.isdisjoint(key_words(key)):
                    pending.append(((*place, key), value[key]))
                    if key in gone:
                        yield (*place, key), key
        elif isinstance(value, list):
            pending.extend((place, item) for item in reversed(value))
        elif isinstance(value, str) and value in gone:
            yield place, value


def _state_player(context: Context) -> Iterator[Violation]:
    for place, record in characters(context.facts.state).items():
        kept = at(context.after, *place)
        for name in _ID if isinstance(kept, Mapping) else ():
            had, has = record.get(name), kept.get(name)
            mended = not is_entity_id(str(had)) and is_entity_id(str(has))
            if isinstance(had, str) and has != had and not mended:
                yield Violation("state_player", path("state_updates", *place, name), "goes or "
                                f"changes; the player's character keeps its id, {quoted(had)}")
    if mapping(context.facts.state, PC) and not mapping(context.after, PC) and not context.problems:
        yield Violation("state_player", path("state_updates", PC), "the player's character is "
                        "deleted; keep the record, with a status")


STATE_REFERENCE: Final = Rule("state_reference", "clear what names it", _state_reference)
STATE_PLAYER: Final = Rule("state_player", "Never rename or reuse one.", _state_player)
