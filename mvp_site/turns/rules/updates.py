"""Updates: what a turn writes into the state, what it deletes, and what it leaves behind.

What a story turn deletes is named nowhere afterwards, and somebody is left to play. Only what the
turn itself deletes is looked for, so a state whose references led nowhere before goes on. God may
delete what it likes but the player's character. The numbers of a sheet stay what a sheet can hold:
only what the turn writes is judged, and only where it makes or worsens the fault.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ...archive.state_leaves import StateLeaf
from ...text.json_values import MOST, at, leaves, mapping, number, parts
from ...text.strict_json import short
from ..state import DELETE, PC, RECORDS, is_entity_id, known_as, party_place
from ..types import Hint, Violation
from .context import Context, path, quoted

_SEVERAL: Final = 2


def state_updates(context: Context) -> Iterator[Violation]:
    """What :mod:`mvp_site.turns.state` refuses."""
    for problem in context.problems:
        place = f"state_updates.{problem.path}" if problem.path else "state_updates"
        yield Violation(problem.kind, place, problem.message)


def state_name(context: Context) -> Iterator[Violation]:
    """Leaves that neither the state nor its table has, where each new one is a fact kept twice.

    So may be what a new record lacks: it is told elsewhere, or nowhere.
    """
    for place, value in leaves(context.updates):
        if (place[0] not in (PC, "world_data") or value == DELETE
                or at(context.facts.state, *place) is not None):
            continue
        match = context.leaves.match(place)
        if match is None or (match.leaf.type != "map" and len(match.written) < len(place)):
            yield Hint("state_name", path("state_updates", *place), "is a new leaf, of no name "
                       "that the state's schema has")
    for branch, key, record in _written(context):
        records = mapping(context.facts.state, branch)
        missing = [
            leaf.path[-1] for leaf in context.leaves.leaves
            if leaf.required and leaf.path[:-1] == (branch, "*")
            and key not in records and leaf.path[-1] not in record
            # Records of a state that have it nowhere are of another schema.
            and (not records or any(leaf.path[-1] in mapping(records, other) for other in records))
        ]
        if missing:
            yield Hint("state_name", path("state_updates", branch, key), "is a new record without "
                       f"{', '.join(missing)}")


def _written(context: Context) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """The records that the turn writes: branch, id and leaves."""
    for branch in RECORDS:
        for key, record in mapping(context.updates, branch).items():
            if isinstance(record, Mapping) and is_entity_id(key):
                yield branch, key, record


def entity_ids(context: Context) -> Iterator[Violation]:
    """Ids that are none, and ids that nobody has; places without a record are a hint."""
    for branch in RECORDS:
        known = mapping(context.facts.state, branch)
        for key in mapping(context.updates, branch):
            # A record that the state has under an odd key is written where it is.
            if not is_entity_id(key) and key not in known:
                yield Violation("entity_ids", path("state_updates", branch, key), f"{quoted(key)} "
                                "is no id; an id is a kind, a name and three digits, as "
                                "npc_gate_sergeant_001")
    locations = mapping(context.after, "location_data")
    for branch, key, record in _written(context):
        where = record.get("location_id")
        if locations and isinstance(where, str) and known_as(context.after, where) not in locations:
            yield Hint("entity_ids", path("state_updates", branch, key, "location_id"),
                       f"{quoted(where)} is no place that the state has a record of")
    mentioned = context.listed("entities_mentioned")
    if not (mentioned and context.facts.state and context.settled()):
        return  # what an update would have created is not known
    known_ids = _ids(context.facts.state) | _ids(context.updates)
    # A state that does not say which id the player's character has cannot say which it has not.
    any_pc = not any(known.startswith("pc_") for known in known_ids)
    for index, entity in enumerate(mentioned):
        if (isinstance(entity, str) and is_entity_id(entity) and entity not in known_ids
                and not (any_pc and entity.startswith("pc_"))):
            yield Violation("entity_ids", path("entities_mentioned", index), f"{quoted(entity)} "
                            "stands neither in the state nor in state_updates; name what exists, "
                            "or create it")


def _ids(value: Mapping[str, Any]) -> set[str]:
    """Every id in an object, as a key or as a value."""
    return {text for part in parts(value)
            for text in (part if isinstance(part, Mapping) else (part,))
            if isinstance(text, str) and is_entity_id(text)}


def state_reference(context: Context) -> Iterator[Violation]:
    """What the update deletes and the state still names, or cannot do without."""
    lost = {} if context.facts.mode == "god" else _deleted(context)
    if not lost:
        return
    before, now = party_place(context.facts.state), party_place(context.after)
    if (key := known_as(context.facts.state, before)) in lost and now in ("", before):
        yield Violation("state_reference", path("state_updates", *lost[key]), "is the place where "
                        "the party stands; write where it goes, or keep the place")
    named: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for place, leaf in leaves(context.after):
        texts = (part for part in parts(leaf) if isinstance(part, str))
        for key in (key for key in (*place, *texts) if key in lost):
            end = place.index(key) + 1 if key in place else len(place)
            named[key].setdefault(path(*place[:end]))
    for key, places in named.items():
        yield Violation("state_reference", path("state_updates", *lost[key]), "is deleted and "
                        f"still named at {quoted(', '.join(places))}; clear what names it in the "
                        "same update, or keep the record")
    for branch in RECORDS:
        records = mapping(context.facts.state, branch)
        if (len(records) >= _SEVERAL and not lost.keys().isdisjoint(records)
                and not mapping(context.after, branch)):
            yield Violation("state_reference", path("state_updates", branch), f"all {len(records)} "
                            f"records of {branch} are deleted; keep those that the story did not "
                            "use up (the dead keep their record, with a status)")


def _deleted(context: Context) -> dict[str, tuple[str, str]]:
    """The ids whose record the update deletes, with its path; one that moves branch is kept."""
    return {
        key: (branch, key) for branch in RECORDS
        for key, value in mapping(context.updates, branch).items()
        if value == DELETE and is_entity_id(key)
        and isinstance(at(context.facts.state, branch, key), Mapping)
        and not any(key in mapping(context.after, other) for other in RECORDS)
    }


def state_player(context: Context) -> Iterator[Violation]:
    """The player's character is there, and keeps its id."""
    before, after = mapping(context.facts.state, PC), mapping(context.after, PC)
    had, has = before.get("id"), after.get("id")
    mended = not is_entity_id(str(had)) and is_entity_id(str(has))
    if after and isinstance(had, str) and has != had and not mended:
        yield Violation("state_player", path("state_updates", PC, "id"), "goes or changes; the "
                        f"player's character keeps its id, {quoted(had)}")
    if before and not after and not context.problems:
        yield Violation("state_player", path("state_updates", PC), "the player's character is "
                        "deleted; keep the record, with a status")


def state_range(context: Context) -> Iterator[Violation]:
    """The numbers that a turn writes are those that a sheet can hold."""
    state = context.facts.state
    for place, value in leaves(context.updates):
        if _huge(value) and not _huge(at(state, *place)):
            yield Violation("state_range", path("state_updates", *place), "is a number beyond "
                            f"{MOST:,}; write one that the game can have")
        match = context.leaves.match(place)
        if match is None or len(match.written) < len(place):
            continue
        has = at(context.after, *match.own) if value == DELETE else value
        if wrong := _wrong(match.leaf, at(state, *place), has):
            yield Violation("state_range", path("state_updates", *place), wrong)
    others = ((*branch, key) for branch in (("npc_data",), ("combat_state", "combatants"))
              for key in mapping(context.updates, *branch))
    for place in ((PC,), *others):
        before, after = mapping(state, *place), mapping(context.after, *place)
        over = _excess(after)
        if over > max(0, _excess(before)) and "count" not in after:  # a group's are many
            yield Violation("state_range", path("state_updates", *place, "hp_current"),
                            f"is {over:g} above the most hit points; raise the maximum, or write "
                            "no more than it")


def _wrong(leaf: StateLeaf, had: Any, has: Any) -> str:
    """What is wrong with a leaf's new value beside the old one; '' where nothing is."""
    before, after = number(had), number(has)
    if after is None:
        removed = has is None and before is not None and leaf.kept and leaf.path[0] == PC
        return f"is {short(had)} and goes; the player's character always has it" if removed else ""
    low, high = leaf.least, leaf.most
    if low is None and high is None:
        return ""
    if leaf.type == "integer" and after % 1 and not (before or 0) % 1:
        return f"is {short(has)}, and must be a whole number"
    if low is not None and after < low and (before is None or after < before):
        return f"is {short(has)}; the least it can be is {low}"
    # What is or begins beyond it is another game's
    if high is not None and before is not None and after > high >= before:
        return f"is {short(has)}; the most it can be is {high}"
    return ""


def _excess(record: Mapping[str, Any]) -> float:
    """By how much hit points are above their maximum and the temporary ones; below 0 if not."""
    current, most, more = (number(record.get(name)) for name in ("hp_current", "hp_max", "hp_temp"))
    return current - most - max(0, more or 0) if current is not None and most is not None else 0


def _huge(value: object) -> bool:
    """Whether a leaf is or holds a number that no game counts to."""
    return any(isinstance(part, int | float) and abs(part) > MOST for part in parts(value))
