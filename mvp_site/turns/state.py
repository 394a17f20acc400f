"""State updates: what is wrong with one, and the state after it, merged leaf by leaf.

An update is nested like the state. Its leaves (numbers, strings, booleans, ``null`` and lists)
replace what stands at their paths, objects that are missing on the way are made, ``"__DELETE__"``
removes a leaf, an entity or a record. An empty object has no leaf and so changes nothing.

An entity is an object under a key of the documented form, wherever it stands. A record is an object
in a map that comes and goes key by key (``world_data.scheduled_events.torch_burns_out``): one whose
parent is neither a branch nor an entity.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from ..errors import StateUpdateError
from .clock import UNITS
from .json_values import has_leaf, kind_of, leaf_values, named, same, shown

ProblemKind = Literal["state_branch", "state_delete", "state_type"]

BRANCHES: Final = (
    "player_character_data", "npc_data", "location_data", "item_data", "faction_data",
    "quest_data", "combat_state", "world_data", "custom_campaign_state",
)
DELETE: Final = "__DELETE__"
MAX_DEPTH: Final = 32
MAX_LEAVES: Final = 10_000
REWRITTEN_LEAVES: Final = 4
REWRITTEN_ENTITY_LEAVES: Final = 3
_ENTITY_ID: Final = re.compile(r"(pc|npc|loc|item|faction|quest)_[a-z0-9_]+_[0-9]{3}")


@dataclass(frozen=True, slots=True)
class Problem:
    """Why an update cannot be applied: the rule, the dotted path, and what mends it."""

    kind: ProblemKind
    path: str
    message: str


def is_entity_id(key: str) -> bool:
    """Whether ``key`` has the form of an id, such as ``npc_gate_sergeant_001``."""
    return _ENTITY_ID.fullmatch(key) is not None


def apply_state_updates(state: Mapping[str, Any], updates: Mapping[str, Any]) -> dict[str, Any]:
    """The state after ``updates``. Neither argument is changed.

    The result shares with ``state`` what the update does not touch, and nothing that could be
    changed with ``updates``.

    Raises:
        StateUpdateError: with the first of :func:`update_problems`; nothing was applied.
    """
    for problem in update_problems(state, updates):
        raise StateUpdateError(problem.message, problem.path)
    return _merged(state, updates)


def update_problems(state: Mapping[str, Any], updates: Mapping[str, Any]) -> tuple[Problem, ...]:
    """Everything that is wrong with ``updates`` on ``state``: empty exactly where it applies.

    What is no JSON, nested deeper than ``MAX_DEPTH`` or of more than ``MAX_LEAVES`` values (those
    in lists count) is of kind ``state_type``, and nothing else is then looked at.

    An object written again is a problem too, though to apply it would do no harm: one with at
    least ``REWRITTEN_LEAVES`` leaves, every one of which is written, more than half of them with
    the value they have. Of such objects within each other the outermost is named. A date (year …
    microsecond, or some of these units) is one value and counts as one leaf.
    """
    if kind_of(updates) != "object":
        return (Problem("state_branch", "", f"the update is {named(kind_of(updates))}; it must be "
                        "an object, nested like the state"),)
    if found := tuple(_not_plain(updates)):
        return found
    walk = _Walk()
    walk.enter(state, updates, "")
    return (*walk.problems, *walk.rewritten)


def _not_plain(updates: Mapping[str, Any]) -> Iterator[Problem]:
    """What makes ``updates`` too large, too deep or no JSON; "__DELETE__" in a list as well."""
    pending: list[tuple[str, Any, int, bool]] = [("", updates, 0, False)]
    ends = 0
    while pending:
        path, value, depth, listed = pending.pop()
        if depth > MAX_DEPTH:
            yield Problem("state_type", path, f"the update is nested deeper than {MAX_DEPTH} levels"
                          "; the state has no place that deep")
            return
        if isinstance(value, Mapping) and value:
            for key in value:
                if not isinstance(key, str):
                    yield Problem("state_type", _below(path, shown(key)),
                                  f"the key {shown(key)} in {path or 'the update'} is no string")
            pending.extend((_below(path, key), value[key], depth + 1, listed)
                           for key in reversed(list(value)) if isinstance(key, str))
            continue
        if isinstance(value, list) and value:
            pending.extend((f"{path}[{i}]", value[i], depth + 1, True)
                           for i in reversed(range(len(value))))
            continue
        ends += 1
        if ends > MAX_LEAVES:
            yield Problem("state_type", path, f"the update holds more than {MAX_LEAVES:,} values; "
                          "write only the leaves that change")
            return
        if kind_of(value) == "other":
            yield Problem("state_type", path, f"{path} gets {_odd(value)}, which JSON does not "
                          "have; write a finite number, a string, true, false, null or a list")
        elif listed and isinstance(value, str) and value == DELETE:
            yield Problem("state_delete", path, f'{path} is "{DELETE}" inside a list, which is one '
                          "leaf; write the list anew without the element")


class _Walk:
    """One pass over state and update side by side; gathers problems as it goes."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.rewritten: list[Problem] = []

    def enter(self, state: Mapping[str, Any], updates: Mapping[str, Any], path: str) -> _Tally:
        """Gather what is wrong below ``path``; the count of how much of ``state`` is written."""
        tally = _Tally()
        outer = len(self.rewritten)
        for key, value in updates.items():
            if not path and (problem := _branch_problem(key, value)):
                self.problems.append(problem)
            else:
                tally.add(self._check(state, key, value, _below(path, key)))
        tally.all &= all(key in updates or not has_leaf(state[key]) for key in state)
        if state and all(key in UNITS for key in state):
            return _Tally(tally.all, 1, int(tally.unchanged == tally.leaves))
        # An object that only wraps another one is not named in its stead.
        wraps = len(state) == 1 and all(isinstance(value, Mapping) for value in state.values())
        is_entity = is_entity_id(path.rpartition(".")[2])
        least = REWRITTEN_ENTITY_LEAVES if is_entity else REWRITTEN_LEAVES
        if path and not wraps and tally.says_rewritten(least):
            self.rewritten[outer:] = [Problem(
                "state_branch", path, f"{path} is written again whole, though {tally.unchanged} of "
                f"its {tally.leaves} leaves stay as they were; write only those that change",
            )]
        return tally

    def _check(self, state: Mapping[str, Any], key: str, value: Any, path: str) -> _Tally:
        """Gather what is wrong with one member of an update, and all below it."""
        if key not in state and value == DELETE:
            self._add("state_delete", path, f"{path} does not exist, so it cannot be deleted; "
                      "check the path and the id")
        elif isinstance(value, Mapping) and isinstance(old := state.get(key, {}), Mapping | None):
            return self.enter(old or {}, value, path)
        elif key in state and isinstance(state[key], Mapping):
            return self._over_object(key, state[key], value, path)
        elif key in state:
            return self._over_leaf(state[key], value, path)
        return _Tally()

    def _over_object(self, key: str, old: Mapping[str, Any], value: Any, path: str) -> _Tally:
        """Gather what is wrong with a leaf's value, or a deletion, where an object stands."""
        count = sum(1 for _ in leaf_values(old))
        if value == DELETE and (is_entity_id(key) or _is_record(path)):
            return _Tally(leaves=count)
        if value == DELETE:
            self._add("state_branch", path, f"{path} is an object and neither an entity nor a "
                      "record of a map, so it cannot be deleted; delete its leaves, or entities "
                      "and records in it")
        elif is_entity_id(key) and value is not None:
            self._add("state_type", path, f"{path} is an entity and gets {shown(value)}; write its "
                      f'leaves, or delete it with "{DELETE}"')
        else:
            self._add("state_branch", path, f"{path} is an object and gets {shown(value)}; write "
                      "the leaves in it that change")
        return _Tally(leaves=count)

    def _over_leaf(self, old: Any, value: Any, path: str) -> _Tally:
        """Gather what is wrong with a value where a leaf stands."""
        had, gets = kind_of(old), kind_of(value)
        if value != DELETE and had != gets and not {had, gets} & {"null", "other"}:
            self._add("state_type", path, f"{path} is {named(had)} and gets {named(gets)}; keep "
                      "the type of a leaf")
        return _Tally(leaves=1, unchanged=int(same(old, value)))

    def _add(self, kind: ProblemKind, path: str, message: str) -> None:
        self.problems.append(Problem(kind, path, message))


@dataclass(slots=True)
class _Tally:
    """How much of an object an update writes: all of its leaves, how many, how many unchanged."""

    all: bool = True
    leaves: int = 0
    unchanged: int = 0

    def add(self, other: _Tally) -> None:
        """Count what lies below as well."""
        self.all &= other.all
        self.leaves += other.leaves
        self.unchanged += other.unchanged

    def says_rewritten(self, least: int) -> bool:
        """Whether this is an object written again for the most part as it was."""
        return self.all and self.leaves >= least and 2 * self.unchanged > self.leaves


def _branch_problem(key: str, value: object) -> Problem | None:
    """What is wrong with a member at the top of an update."""
    if key not in BRANCHES:
        return Problem("state_branch", key, f"{shown(key)} is no branch of the state; it has "
                       f"{', '.join(BRANCHES)}")
    if not isinstance(value, Mapping):
        return Problem("state_branch", key, f"{key} is a branch and gets {shown(value)}; a branch "
                       "is never replaced or deleted, so write the leaves in it that change")
    return None


def _is_record(path: str) -> bool:
    """Whether the object at ``path`` is one of a map of records."""
    keys = path.split(".")
    return len(keys) > 2 and not is_entity_id(keys[-2])


def _merged(state: Mapping[str, Any], updates: Mapping[str, Any]) -> dict[str, Any]:
    """``state`` with an update that has no problem; objects on its paths are new ones."""
    result = dict(state)
    for key, value in updates.items():
        if isinstance(value, Mapping):
            if has_leaf(value):
                below = state.get(key)
                result[key] = _merged(below if isinstance(below, Mapping) else {}, value)
        elif value == DELETE:
            del result[key]
        else:
            result[key] = _copied(value)
    return result


def _copied(value: Any) -> Any:
    """``value`` with lists and objects of its own."""
    if isinstance(value, list):
        return [_copied(item) for item in value]
    if isinstance(value, Mapping):
        return {key: _copied(item) for key, item in value.items()}
    return value


def _below(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _odd(value: object) -> str:
    return repr(value) if isinstance(value, float) else f"a Python {type(value).__name__}"
