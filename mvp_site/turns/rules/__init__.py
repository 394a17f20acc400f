"""Rules of the response contract, each a named check of one answer, in the order of reports."""

from __future__ import annotations

from typing import Final

from .context import Context, Facts, Rule
from .frame import FRAME_RULES
from .prose import NARRATIVE_DEBUG
from .ranges import STATE_RANGE
from .references import STATE_PLAYER, STATE_REFERENCE
from .rests import REST_TIME
from .rolls import ROLL_DICE, ROLL_MADE, ROLL_SHOWN, ROLL_TARGET
from .shape import CHOICE_KEYS, MODE_FIELDS, SCHEMA
from .sheet import HALF_CASTER, SESSION_HEADER
from .status import STATUS_LINE
from .terms import INTERNAL_TERMS
from .times import DEEP_THINK, TIME_FORWARD
from .travel import TRAVEL_TIME
from .updates import ENTITY_IDS, STATE_BRANCH, STATE_DELETE, STATE_TYPE

RULES: Final = (
    *FRAME_RULES, SCHEMA, MODE_FIELDS, CHOICE_KEYS, INTERNAL_TERMS, NARRATIVE_DEBUG, TIME_FORWARD,
    DEEP_THINK, STATE_BRANCH, STATE_DELETE, STATE_TYPE, STATE_REFERENCE, STATE_PLAYER, STATE_RANGE,
    ENTITY_IDS, TRAVEL_TIME, REST_TIME, SESSION_HEADER, STATUS_LINE, HALF_CASTER, ROLL_MADE,
    ROLL_SHOWN, ROLL_TARGET, ROLL_DICE,
)

__all__ = ["FRAME_RULES", "RULES", "Context", "Facts", "Rule"]
