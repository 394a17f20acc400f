"""Values that cross package borders: messages, retrieved chunks, the assembled turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

Mode = Literal["story", "dm", "god"]
Audience = Literal["player", "dm", "god"]
Role = Literal["system", "user", "assistant"]
SparseReason = Literal[
    "empty_query", "no_index", "no_hits", "below_floor", "filtered", "lane_failure"
]
DropReason = Literal["below_floor", "over_budget", "duplicate", "audience", "redacted"]

MODES: Final = ("story", "dm", "god")
AUDIENCES: Final = ("player", "dm", "god")
DOMAINS: Final = ("schema", "safety", "mechanics", "narrative", "worldgen", "examples")
BRANCHES: Final = (
    "player_character_data", "npc_data", "location_data", "item_data", "faction_data",
    "quest_data", "combat_state", "world_data", "custom_campaign_state",
)
"""Of the state of a campaign."""
CHUNK_MODES: Final = ("story", "dm", "god", "general")


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation.

    ``breakpoint`` marks the end of a prefix that stays the same from turn to turn, so that a
    provider's prompt cache can be told where to cut; callers need not set it.
    """

    role: Role
    content: str
    breakpoint: bool = False


@dataclass(frozen=True, slots=True)
class RetrievedChunk:
    """A chunk as it stands in the prompt.

    ``text`` is what was printed, ``lines`` the 1-based inclusive line spans of the source file
    it covers, ``tokens`` its o200k tokens with its delimiters. ``domain`` and ``mode`` are None
    where neither the author nor the text says them. Scores are as in :class:`DroppedChunk`;
    ``partial`` says that some of the chunk's blocks were left out.
    """

    id: str
    text: str
    file: str
    section: str
    domain: str | None
    mode: str | None
    tokens: int
    score: float
    lexical_score: float
    dense_score: float
    audience: str = "player"
    version: str = ""
    lines: tuple[tuple[int, int], ...] = ()
    partial: bool = False


@dataclass(frozen=True, slots=True)
class DroppedChunk:
    """A candidate that is not in the prompt, and the reason (design 1, telemetry).

    ``score`` is its evidence, ``lexical_score`` and ``dense_score`` are those of its
    best piece; all in [0, 1].
    """

    id: str
    reason: DropReason
    score: float
    lexical_score: float = 0.0
    dense_score: float = 0.0


@dataclass(frozen=True, slots=True)
class AssembledTurn:
    """What one turn sends to the model, and the account of how it was chosen.

    ``prompt`` and ``messages`` hold the same content; ``messages[0]`` is the core header, byte
    for byte. ``telemetry`` is one JSON object (schema in ``docs/telemetry.md``).
    """

    prompt: str
    messages: tuple[Message, ...]
    chunks: tuple[RetrievedChunk, ...]
    dropped: tuple[DroppedChunk, ...]
    retrieval_sparse: bool
    sparse_reason: SparseReason | None
    telemetry: Mapping[str, Any]
