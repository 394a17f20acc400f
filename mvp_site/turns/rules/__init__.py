"""Rules of the response contract: their names, and the checks.

Each module words the violations of its own rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from ..types import Violation
from .context import Context, Facts
from .frame import fences
from .prose import internal_terms, narrative_debug
from .rolls import roll_dice, roll_made, roll_shown, roll_target
from .sheet import half_caster, place, resources, session_header, status_line
from .times import deep_think, rest_time, time_forward, travel_time
from .updates import (
    entity_ids,
    state_name,
    state_player,
    state_range,
    state_reference,
    state_updates,
)

RULES: Final = (
    "mode_line", "outside_json", "code_fence", "json", "schema", "mode_fields", "choice_keys",
    "internal_terms", "narrative_debug", "time_forward", "deep_think", "state_branch",
    "state_delete", "state_type", "state_name", "state_reference", "state_player", "state_range",
    "entity_ids", "travel_time", "rest_time", "session_header", "status_line", "half_caster",
    "roll_made", "roll_shown", "roll_target", "roll_dice",
)
"""The names, in the order of reports."""
CHECKS: Final[tuple[Callable[[Context], Iterator[Violation]], ...]] = (
    fences, internal_terms, narrative_debug, time_forward, deep_think, state_updates,
    state_name, state_reference, state_player, state_range, entity_ids, travel_time, rest_time,
    session_header,
    status_line, resources, place, half_caster, roll_made, roll_shown, roll_target, roll_dice,
)

__all__ = ["CHECKS", "RULES", "Context", "Facts"]
