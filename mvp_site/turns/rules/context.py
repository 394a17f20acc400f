"""What a rule looks at, and what a rule is.

A rule reads a :class:`Context` and yields violations. It meets answers that break other rules as
well, so whatever it reads may be missing or of a wrong type; the methods here give nothing then.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Final, NamedTuple

from ...types import Mode
from ..routing import is_deep_think
from ..state import DELETE, Problem, is_entity_id
from ..types import Roll, Violation

Check = Callable[["Context"], Iterator[Violation]]
QUOTED_CHARS: Final = 80
MOST: Final = 10**15
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_LONGEST_KEY: Final = 60
PC: Final = "player_character_data"
RECORDS: Final = ("npc_data", "location_data", "item_data", "faction_data", "quest_data")


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a turn apart from its answer.

    ``state`` is the one before the turn; ``rolls`` are those that were really made.
    """

    mode: Mode
    user_input: str
    state: Mapping[str, Any]
    rolls: tuple[Roll, ...] = ()

    @property
    def deep_think(self) -> bool:
        """Whether this is a story turn that only thinks."""
        return is_deep_think(self.mode, self.user_input)


@dataclass(frozen=True, slots=True)
class Rule:
    """A named check; ``header`` quotes the line of the core header that tells the model of it."""

    name: str
    header: str
    check: Check


class Choice(NamedTuple):
    """A choice of the planning block as it was written."""

    key: str
    fields: Mapping[str, Any]


class Entry(NamedTuple):
    """An entry of ``dice_rolls``, with its place in the list."""

    place: int
    fields: Mapping[str, Any]

    def path(self, field: str) -> str:
        """The path of one of its fields."""
        return path("dice_rolls", self.place, field)


@dataclass(frozen=True)  # without slots: what is worked out once is kept
class Context:
    """One answer, taken apart.

    ``answer`` is None where it did not parse. ``frame``, ``shape`` and ``problems`` are what was
    found of the text around it, by the schema, and in its update.
    """

    facts: Facts
    answer: Mapping[str, Any] | None
    frame: tuple[Violation, ...] = ()
    shape: tuple[Violation, ...] = ()
    problems: tuple[Problem, ...] = ()

    def text(self, field: str) -> str:
        """The string in a field of the answer; empty where there is none."""
        value = (self.answer or {}).get(field)
        return value if isinstance(value, str) else ""

    @cached_property
    def updates(self) -> Mapping[str, Any]:
        """``state_updates``; empty where that is no object."""
        return mapping(self.answer, "state_updates")

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        """The choices that are objects."""
        found = mapping(self.answer, "planning_block", "choices")
        return tuple(Choice(key, choice) for key, choice in found.items()
                     if isinstance(choice, Mapping))

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """The entries of ``dice_rolls`` that are objects."""
        found = (self.answer or {}).get("dice_rolls")
        listed = found if isinstance(found, list) else []
        return tuple(Entry(place, entry) for place, entry in enumerate(listed)
                     if isinstance(entry, Mapping))

    @cached_property
    def after(self) -> Mapping[str, Any]:
        """The state after the update, without those parts of it that cannot be applied."""
        return _merged(self.facts.state, self.updates)

    def known(self, *place: str) -> Any:
        """The value at a path of the state after the turn; None where there is none."""
        return at(self.after, *place)


def at(value: object, *place: str) -> Any:
    """What stands at a path below ``value``; None where the path ends before."""
    for key in place:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def mapping(value: object, *place: str) -> Mapping[str, Any]:
    """The object at a path below ``value``; an empty one where there is none."""
    found = at(value, *place)
    return found if isinstance(found, Mapping) else {}


def characters(state: Mapping[str, Any]) -> dict[tuple[str, ...], Mapping[str, Any]]:
    """The player's character by its path; where several stand under ids of their own, each."""
    branch = mapping(state, PC)
    listed: dict[tuple[str, ...], Mapping[str, Any]] = {
        (PC, key): record for key, record in branch.items()
        if is_entity_id(key) and isinstance(record, Mapping)
    }
    return listed or {(PC,): branch}


def number(value: object) -> int | float | None:
    """``value`` where it is a number, cut at ``MOST``: sums stay finite. ``true`` is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return max(-MOST, min(MOST, value))


def path(*parts: str | int) -> str:
    """A dotted path, each part short and printable."""
    return ".".join(part if part.isprintable() and len(part) <= QUOTED_CHARS
                    else quoted(part) for part in map(str, parts))


def quoted(text: str) -> str:
    """The beginning of ``text`` in quotation marks, on one line, at most 80 characters of it."""
    return repr(text if len(text) <= QUOTED_CHARS else f"{text[: QUOTED_CHARS - 1]}…")


def around(text: str, start: int, end: int) -> str:
    """What stands at a place of ``text`` with a little of what is beside it, in quotation marks."""
    margin = max(0, QUOTED_CHARS - (end - start)) // 3
    return quoted(text[max(0, start - margin) : end + margin].strip())


@lru_cache(maxsize=4096)
def key_words(key: str) -> tuple[str, ...]:
    """The words of ``hit_dice``, ``hitDice`` or ``Hit Dice`` in small letters; ``L1`` has two.

    Of a key that is longer than a field's name only the beginning is read.
    """
    return tuple(word.lower() for word in _WORD.findall(key[:_LONGEST_KEY]))


def path_words(place: Iterable[str]) -> str:
    """The words of all names on a path: ``hp current`` of ``hp_current`` and of ``hp.current``."""
    return " ".join(word for key in place for word in key_words(key))


def _merged(state: Mapping[str, Any], updates: Mapping[str, Any]) -> dict[str, Any]:
    """``state`` with ``updates``, whatever in them fits it."""
    result = dict(state)
    for key, value in updates.items():
        old = result.get(key)
        if isinstance(value, Mapping):
            if old is None or isinstance(old, Mapping):
                result[key] = _merged(old or {}, value)
        elif value == DELETE:
            result.pop(key, None)
        elif not isinstance(old, Mapping):
            result[key] = value
    return result
