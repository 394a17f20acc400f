"""Rules of the response contract: their names, in the order of reports, and the checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from ..types import Violation
from .context import Context, Facts
from .frame import fences
from .prose import narrative_debug
from .ranges import state_range
from .records import entity_ids, state_player, state_reference, state_updates
from .rests import rest_time
from .rolls import roll_dice, roll_made, roll_shown, roll_target
from .sheet import half_caster, session_header, status_line
from .terms import internal_terms
from .times import deep_think, time_forward
from .travel import travel_time


class Rule(NamedTuple):
    """A rule's name, and a quotation of the line of the core header that tells the model of it."""

    name: str
    header: str


RULES: Final = tuple(Rule(*row) for row in (
    ("mode_line", "The mode line is `[Mode: STORY MODE]`"),
    ("outside_json", "text before, between or after these two"),
    ("code_fence", "markdown code fences"),
    ("json", "then exactly one JSON object"),
    ("schema", "Fields, all required unless noted"),
    ("mode_fields", "- `god_mode_response`: the answer in God; empty elsewhere."),
    ("choice_keys", "Keys are snake_case (`^[a-z][a-z0-9_]*$`; God: `^god:[a-z][a-z0-9_]*$`)"),
    ("internal_terms", "Myers-Briggs types, Big Five terms and alignments are INTERNAL ONLY"),
    ("narrative_debug",
     "in Story, state, debug notes, dice maths or rules talk inside `narrative`"),
    ("time_forward", "only goes forward in Story; only an explicit God command moves it back"),
    ("deep_think", "Deep think: input that starts `think:`"),
    ("state_branch", "only changed leaves, under their existing names, never a whole branch"),
    ("state_delete", '`"__DELETE__"` removes a leaf or an entity, never a branch'),
    ("state_type", "A leaf keeps its type"),
    ("state_reference", "clear what names it"),
    ("state_player", "Never rename or reuse one."),
    ("state_range", "A leaf keeps its type and range."),
    ("entity_ids", "Ids: `^(pc|npc|loc|item|faction|quest)_[a-z0-9_]+_[0-9]{3}$`"),
    ("travel_time", "travel by pace and distance"),
    ("rest_time", "a short rest 1 hour, a long rest 8 hours"),
    ("session_header", "`session_header`: four lines"),
    ("status_line", "show `?` for what they lack, never guess"),
    ("half_caster", "A level 1 half-caster (paladin, ranger) shows `No Spells Yet (Level 2+)`"),
    ("roll_made", "Never invent, reuse or alter a number."),
    ("roll_shown", "Show every roll, in order."),
    ("roll_target", "Always show the DC or AC"),
    ("roll_dice", "with advantage or disadvantage show both dice"),
))
CHECKS: Final[tuple[Callable[[Context], Iterator[Violation]], ...]] = (
    fences, internal_terms, narrative_debug, time_forward, deep_think, state_updates,
    state_reference, state_player, state_range, entity_ids, travel_time, rest_time, session_header,
    status_line, half_caster, roll_made, roll_shown, roll_target, roll_dice,
)

__all__ = ["CHECKS", "RULES", "Context", "Facts", "Rule"]
