"""Second steps of a model: in the final call it looks up what its evidence does not tell."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from typing import Final

from ..llm.protocol import ModelTool, ToolCall
from ..text.normalising import clean
from ..text.tokens import count_tokens
from .final_prompt import evidence_block
from .types import Evidence

LOOK_UPS: Final = 2
"""The most look-ups of one answer."""
LOOKED_UP_TOKENS: Final = 1_200
"""The o200k tokens of evidence that one look-up gives at most."""
LOOK_UP_TOOL: Final = ModelTool(
    "look_up", "Search the character's sheet, the rules, past sessions and books for what the "
    "evidence does not tell, such as the rule of a spell that the sheet has.",
    {"type": "object", "required": ["query"], "additionalProperties": False,
     "properties": {"query": {"type": "string", "description": "What to look for, in few words."}}})
NO_MORE: Final = "No look-ups are left for this answer: go on with the evidence that you have."
NOTHING: Final = "Nothing more was found: go on with the evidence that you have."
UNREAD: Final = 'No look-up was made: give {"query": "what to look for"}.'
_CHARS: Final = 300


def query_of(call: ToolCall) -> str:
    """What a call looks for, '' where it is no look-up."""
    with suppress(ValueError, RecursionError):
        arguments = json.loads(call.arguments)
        if call.name == LOOK_UP_TOOL.name and isinstance(arguments, dict):
            return " ".join(clean(str(arguments.get("query") or ""))[:_CHARS].split())
    return ""


def chosen(found: Iterable[Evidence], known: Collection[str], first: int) -> list[Evidence]:
    """The likeliest of what was found that is not known, within the tokens of a look-up."""
    pieces: list[Evidence] = []
    for piece in sorted(found, key=lambda piece: (-piece.relevance, piece.id)):
        if piece.id not in known and count_tokens(
                evidence_block([*pieces, piece], (), first)) <= LOOKED_UP_TOKENS:
            pieces.append(piece)
    return pieces


def result_text(pieces: Sequence[Evidence], first: int) -> str:
    """What a look-up gives, numbered from ``first`` on."""
    return evidence_block(pieces, (), first) if pieces else NOTHING
