"""State updates: what is wrong with one, and the state after it, merged leaf by leaf.

An update is nested like the state. Its leaves (numbers, strings, booleans, ``null`` and lists)
replace what stands at their paths, objects that are missing on the way are made, ``"__DELETE__"``
removes a leaf, an entity or a record. An empty object changes nothing where an object stands, and
no branch; where nothing stands in a branch, it stands there afterwards.

An entity is an object under a key of the documented form, wherever it stands. A record is an object
in a map that comes and goes key by key (``world_data.scheduled_events.torch_burns_out``): one whose
parent is neither a branch nor an entity.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Final, Literal

from ..archive.state_leaves import KINDS, LeafTable, StateLeaf
from ..errors import StateUpdateError
from ..text.json_values import at, leaves, mapping, same
from ..text.strict_json import named, short
from ..types import BRANCHES
from .clock import UNITS

ProblemKind = Literal["state_branch", "state_delete", "state_type", "state_name"]

DELETE: Final = "__DELETE__"
MAX_DEPTH: Final = 32
MAX_LEAVES: Final = 10_000
MAX_NAMED: Final = 100
RECORDS: Final = ("npc_data", "location_data", "item_data", "faction_data", "quest_data")
PC: Final = "player_character_data"
PLACE: Final = ("world_data", "current_location_id")
REWRITTEN_LEAVES: Final = 4
REWRITTEN_ENTITY_LEAVES: Final = 3
_ENTITY_ID: Final = re.compile(r"(pc|npc|loc|item|faction|quest)_[a-z0-9_]+_[0-9]{3}")


@dataclass(frozen=True, slots=True)
class Problem:
    """Why an update cannot be applied: the rule, the dotted path, and what mends it.

    ``leaf`` is the path that was meant, where another was written.
    """

    kind: ProblemKind
    path: str
    message: str
    leaf: str = ""


def is_entity_id(key: str) -> bool:
    """Whether ``key`` has the form of an id, such as ``npc_gate_sergeant_001``."""
    return _ENTITY_ID.fullmatch(key) is not None


def party_place(state: Mapping[str, Any]) -> str:
    """Where the state says that the party is: an id, or whatever else stands there; else ''."""
    value = at(state, *PLACE)
    return value if isinstance(value, str) else ""


def known_as(state: Mapping[str, Any], value: str) -> str:
    """The id of the location that ``value`` is the id or the name of; '' where none is known."""
    if is_entity_id(value):
        return value if value.startswith("loc_") else ""
    text = value.strip().casefold()
    return next((key for key, location in mapping(state, "location_data").items()
                 if text and text in (key.casefold(), str(at(location, "name") or "").casefold())
                 ), "")


def apply_state_updates(state: Mapping[str, Any], updates: Mapping[str, Any]) -> dict[str, Any]:
    """The state after ``updates``; see :func:`merged`.

    Raises:
        StateUpdateError: with the first of :func:`update_problems`; nothing was applied.
    """
    for problem in update_problems(state, updates):
        raise StateUpdateError(problem.message, problem.path)
    return merged(state, updates)


def merged(state: Mapping[str, Any], updates: Mapping[str, Any]) -> dict[str, Any]:
    """The state with what of ``updates`` fits it. Neither argument is changed.

    The result shares with ``state`` what the update does not touch, and nothing that could be
    changed with ``updates``.
    """
    return _merged(state, {key: value for key, value in updates.items() if value != {}})


def _merged(state: Mapping[str, Any], updates: Mapping[str, Any]) -> dict[str, Any]:
    result = dict(state)
    for key, value in updates.items():
        old = result.get(key)
        if isinstance(value, Mapping):
            if isinstance(old, Mapping | None):
                result[key] = _merged(old or {}, value)
        elif value == DELETE:
            result.pop(key, None)
        elif not isinstance(old, Mapping):
            result[key] = deepcopy(value)
    return result


def changes(base: Mapping[str, Any], state: Mapping[str, Any]) -> dict[str, Any] | None:
    """The update that makes ``state`` of ``base``, with nothing but what differs.

    None where no update can say it, as of an object in place of a number.
    """
    update = _changes(base, state)
    return update if same(merged(base, update), state) else None


def _changes(base: Mapping[str, Any], state: Mapping[str, Any]) -> dict[str, Any]:
    update: dict[str, Any] = {key: DELETE for key in base if key not in state}
    for key, value in state.items():
        old = base.get(key)
        if key not in base:
            update[key] = value
        elif isinstance(value, Mapping) and isinstance(old, Mapping):
            if inner := _changes(old, value):
                update[key] = inner
        elif not same(old, value):
            update[key] = value
    return update


def update_problems(state: Mapping[str, Any], updates: Mapping[str, Any]) -> tuple[Problem, ...]:
    """Everything that is wrong with ``updates`` on ``state``: empty exactly where it applies.

    What is no JSON, nested deeper than ``MAX_DEPTH`` or of more than ``MAX_LEAVES`` values (those
    in lists count) is of kind ``state_type``, and nothing else is then looked at.

    An object written again is a problem too, though to apply it would do no harm: one with at
    least ``REWRITTEN_LEAVES`` leaves, every one of which is written, more than half of them with
    the value they have. Of such objects within each other the outermost is named. A date (year …
    microsecond, or some of these units) is one value and counts as one leaf.
    """
    return tuple(_beyond(updates)) or (*_misfits(state, updates, ""),
                                       *_rewritten(state, updates, ""))


def leaf_problems(state: Mapping[str, Any], updates: Mapping[str, Any], table: LeafTable,
                  ) -> tuple[Problem, ...]:
    """What in ``updates`` goes by another name than ``table`` has, or begins with another type.

    A name or type that records of the state have, and the table's nowhere, is the campaign's own.
    A state whose player character has nothing that the table says it always has is another game's.
    """
    problems: dict[tuple[str, ...], Problem] = {}
    if mapping(state, PC) and not any(
            leaf.kept and leaf.path[0] == PC and at(state, *leaf.path) is not None
            for leaf in table.leaves):
        return ()
    for path, value in leaves(updates):
        match = table.match(path)
        if len(problems) == MAX_NAMED:
            break
        if match is None or match.written in problems or value == DELETE:
            continue
        written, own, kind = ".".join(match.written), ".".join(match.own), KINDS[match.leaf.type]
        if match.own != match.written:
            if (_kinds(state, match.own, match.leaf)
                    or not _kinds(state, match.written, match.leaf)):
                problems[match.written] = Problem("state_name", written, f"{written} is another "
                                                  f"name for {own}; write {own}", own)
        elif (match.written == path and value is not None and named(value) != kind
                and at(state, *path) is None
                and named(value) not in _kinds(state, path, match.leaf)):
            problems[path] = Problem("state_type", written, f"{written} is {kind} and gets "
                                     f"{named(value)}; keep the type of a leaf")
    return tuple(problems.values())


def _kinds(state: Mapping[str, Any], path: tuple[str, ...], leaf: StateLeaf) -> set[str]:
    """The kinds of value that stand at the same place of any record, under any key that is free."""
    fights = path[:2] == ("combat_state", "combatants")
    base = 3 if fights else 2 if path[0] in RECORDS else 1
    maps = (*((branch,) for branch in RECORDS), ("combat_state", "combatants"))
    records = [record for place in maps for record in mapping(state, *place).values()]
    records += [mapping(state, branch) for branch in (PC, path[0])]
    keys = [own if own == "*" else key for own, key in zip_longest(leaf.path, path)]
    return {named(value) for record in records
            for value in _standing(record, keys[base : len(path)]) if value is not None}


def _standing(value: Any, keys: Sequence[str | None]) -> Iterator[Any]:
    """What stands at a path below ``value``, in which "*" is any key."""
    if not keys:
        yield value
    elif isinstance(value, Mapping):
        for key in value if keys[0] == "*" else keys[:1]:
            yield from _standing(value.get(key), keys[1:])


def _beyond(updates: Mapping[str, Any]) -> Iterator[Problem]:
    """What makes ``updates`` too large or too deep; "__DELETE__" in a list as well."""
    pending: list[tuple[str, Any, int, bool]] = [("", updates, 0, False)]
    ends = 0
    while pending:
        path, value, depth, listed = pending.pop()
        if depth > MAX_DEPTH:
            yield Problem("state_type", path, f"the update is nested deeper than {MAX_DEPTH} levels"
                          "; the state has no place that deep")
            return
        below: list[tuple[str, Any, int, bool]] = []
        if isinstance(value, Mapping):
            below = [(_below(path, key), value[key], depth + 1, listed) for key in value]
        elif isinstance(value, list):
            below = [(f"{path}[{i}]", item, depth + 1, True) for i, item in enumerate(value)]
        pending.extend(reversed(below))
        ends += not below
        if ends > MAX_LEAVES:
            yield Problem("state_type", path, f"the update holds more than {MAX_LEAVES:,} values; "
                          "write only the leaves that change")
            return
        if listed and value == DELETE:
            yield Problem("state_delete", path, f'{path} is "{DELETE}" inside a list, which is one '
                          "leaf; write the list anew without the element")


def _misfits(state: Mapping[str, Any], updates: Mapping[str, Any], path: str) -> Iterator[Problem]:
    """What in ``updates`` does not fit what stands in ``state``."""
    for key, value in updates.items():
        old, sub = state.get(key), _below(path, key)
        if not path and key not in BRANCHES:
            yield Problem("state_branch", key, f"{short(key)} is no branch of the state; it has "
                          f"{', '.join(BRANCHES)}")
        elif not path and not isinstance(value, Mapping):
            yield Problem("state_branch", key, f"{key} is a branch and gets {short(value)}; a "
                          "branch is never replaced or deleted, so write the leaves in it that "
                          "change")
        elif value == DELETE and key not in state:
            yield Problem("state_delete", sub, f"{sub} does not exist, so it cannot be deleted; "
                          "check the path and the id")
        elif isinstance(value, Mapping) and isinstance(old, Mapping | None):
            yield from _misfits(old or {}, value, sub)
        elif isinstance(old, Mapping):
            yield from _over_object(key, value, sub)
        elif value not in (None, DELETE) and old is not None and named(old) != named(value):
            yield Problem("state_type", sub, f"{sub} is {named(old)} and gets {named(value)}; "
                          "keep the type of a leaf")


def _over_object(key: str, value: Any, path: str) -> Iterator[Problem]:
    """What is wrong with a leaf's value, or a deletion, where an object stands."""
    keys = path.split(".")
    if value == DELETE:
        # A record is one of a map: neither a branch nor a part of an entity.
        if not is_entity_id(key) and (len(keys) <= 2 or is_entity_id(keys[-2])):
            yield Problem("state_branch", path, f"{path} is an object and neither an entity nor a "
                          "record of a map, so it cannot be deleted; delete its leaves, or "
                          "entities and records in it")
    elif is_entity_id(key) and value is not None:
        yield Problem("state_type", path, f"{path} is an entity and gets {short(value)}; write its "
                      f'leaves, or delete it with "{DELETE}"')
    else:
        yield Problem("state_branch", path, f"{path} is an object and gets {short(value)}; write "
                      "the leaves in it that change")


def _rewritten(state: Mapping[str, Any], updates: Mapping[str, Any], path: str,
               ) -> Iterator[Problem]:
    """The objects that are written again for the most part as they were."""
    for key, value in updates.items():
        old, below = state.get(key), _below(path, key)
        if not isinstance(old, Mapping) or not isinstance(value, Mapping) or _is_date(old):
            continue
        had, has = dict(_values(old)), dict(_values(value))
        wraps = len(old) == 1 and all(isinstance(only, Mapping) for only in old.values())
        unchanged = sum(same(leaf, has[place]) for place, leaf in had.items() if place in has)
        least = REWRITTEN_ENTITY_LEAVES if is_entity_id(key) else REWRITTEN_LEAVES
        if (len(had) >= least and 2 * unchanged > len(had) and not wraps
                and had.keys() <= has.keys()):
            yield Problem(
                "state_branch", below, f"{below} is written again whole, though {unchanged} of its "
                f"{len(had)} leaves stay as they were; write only those that change",
            )
        else:
            yield from _rewritten(old, value, below)


def _values(record: Mapping[str, Any], place: tuple[str, ...] = (),
            ) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The leaves of a record, a date among them as one."""
    for key, value in record.items():
        if isinstance(value, Mapping) and not _is_date(value):
            yield from _values(value, (*place, key))
        else:
            yield (*place, key), value


def _is_date(value: Mapping[str, Any]) -> bool:
    return bool(value) and value.keys() <= {*UNITS}


def _below(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key
