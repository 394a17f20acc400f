"""Updates: what :mod:`mvp_site.turns.state` refuses, and ids that are none or nobody's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import islice
from typing import Any, Final

from ..state import ProblemKind, is_entity_id
from ..types import Violation
from .context import RECORDS, Check, Context, Rule, mapping, path, quoted

_SHOWN: Final = 20
_ID_IN_TEXT: Final = re.compile(
    r"(?<![a-z0-9_])(?:pc|npc|loc|item|faction|quest)_[a-z0-9_]+_[0-9]{3}(?![a-z0-9_])"
)


def _problems(kind: ProblemKind, context: Context) -> Iterator[Violation]:
    found = (problem for problem in context.problems if problem.kind == kind)
    for problem in islice(found, _SHOWN):
        place = f"state_updates.{problem.path}" if problem.path else "state_updates"
        yield Violation(kind, place, problem.message)


def _entity_ids(context: Context) -> Iterator[Violation]:
    for violation in context.shape:
        if violation.rule == "entity_ids" and violation.path.startswith("entities_mentioned"):
            yield violation
    for branch in RECORDS:
        known = mapping(context.facts.state, branch)
        for key in mapping(context.updates, branch):
            # A record that the state has under an odd key is written where it is.
            if not is_entity_id(key) and key not in known:
                yield Violation("entity_ids", path("state_updates", branch, key), f"{quoted(key)} "
                                "is no id; an id is a kind, a name and three digits, as "
                                "npc_gate_sergeant_001")
    mentioned = (context.answer or {}).get("entities_mentioned")
    if not isinstance(mentioned, list) or not mentioned or not context.facts.state:
        return
    known_ids = _ids(context.facts.state) | _ids(context.updates)
    # A state that does not say which id the player's character has cannot say which it has not.
    any_pc = not any(known.startswith("pc_") for known in known_ids)
    for index, entity in enumerate(mentioned):
        if isinstance(entity, str) and is_entity_id(entity) and entity not in known_ids:
            if any_pc and entity.startswith("pc_"):
                continue
            yield Violation("entity_ids", path("entities_mentioned", index), f"{quoted(entity)} "
                            "stands neither in the state nor in state_updates; name what exists, "
                            "or create it")


def _ids(value: Mapping[str, Any]) -> frozenset[str]:
    """Every id in an object: as a key, as a value, or within a text of it."""
    found: set[str] = set()
    pending: list[Any] = [value]
    while pending:
        part = pending.pop()
        if isinstance(part, Mapping):
            found.update(part.keys())
            pending.extend(part.values())
        elif isinstance(part, list):
            pending.extend(part)
        elif isinstance(part, str):
            found.update(_ID_IN_TEXT.findall(part))
    return frozenset(found)


def _of(kind: ProblemKind) -> Check:
    return partial(_problems, kind)


STATE_BRANCH: Final = Rule(
    "state_branch", "only changed leaves, under their existing names, never a whole branch",
    _of("state_branch"),
)
STATE_DELETE: Final = Rule(
    "state_delete", "`\"__DELETE__\"` removes a leaf or an entity, never a branch",
    _of("state_delete"),
)
STATE_TYPE: Final = Rule("state_type", "A leaf keeps its type", _of("state_type"))
ENTITY_IDS: Final = Rule(
    "entity_ids", "Ids: `^(pc|npc|loc|item|faction|quest)_[a-z0-9_]+_[0-9]{3}$`", _entity_ids
)
