"""Values that cross package borders: messages, retrieved chunks, the assembled turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, get_args

from .errors import MvpSiteError

Mode = Literal["story", "dm", "god"]
Audience = Literal["player", "dm", "god"]
Role = Literal["system", "user", "assistant"]
SparseReason = Literal[
    "empty_query", "no_index", "no_hits", "below_floor", "filtered", "lane_failure"
]
DropReason = Literal[
    "below_floor", "over_budget", "outranked", "duplicate", "mode", "audience", "redacted", "unless"
]

MODES: Final = get_args(Mode)
AUDIENCES: Final[tuple[Audience, ...]] = get_args(Audience)
DOMAINS: Final = ("schema", "safety", "mechanics", "narrative", "worldgen", "examples")
BRANCHES: Final = (
    "player_character_data", "npc_data", "location_data", "item_data", "faction_data",
    "quest_data", "combat_state", "world_data", "custom_campaign_state",
)
"""Of the state of a campaign."""
CHUNK_MODES: Final = ("story", "dm", "god", "general")


def audiences_of(audience: Audience, error: type[MvpSiteError]) -> tuple[Audience, ...]:
    """The audiences whose matter an audience may see, its own last.

    Raises:
        MvpSiteError: ``error``, where it is none; lists those that there are.
    """
    if audience not in AUDIENCES:
        raise error(
            f"unknown audience {audience!r:.40}; the audiences are {', '.join(AUDIENCES)}")
    return AUDIENCES[: AUDIENCES.index(audience) + 1]


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
class StateMessage(Message):
    """A message of a history that holds the game's state at that place, or what has changed."""

    element: Literal["state", "state_changes"] = "state"


@dataclass(frozen=True, slots=True)
class AnswerMessage(Message):
    """An answer in a history, and what the player read of it: that alone is searched with."""

    narrative: str = ""


@dataclass(frozen=True, slots=True)
class RetrievedChunk:
    """A chunk as it stands in the prompt.

    ``text`` is what was printed, ``lines`` the 1-based inclusive line spans of the source file
    it covers, ``tokens`` its o200k tokens with its delimiters. ``domain`` and ``mode`` are None
    where neither the author nor the text says them. ``score`` is the evidence, ``lexical_score``
    and ``dense_score`` are those of the best piece; all in [0, 1]. ``partial`` says that some of
    the chunk's blocks were left out; of those that were printed, ``section`` is the first one's
    heading path, ``best_section`` that of the one ranked best, ``sections`` are those of all, in
    order. ``pinned`` says that the caller asked for it by name.
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
    best_section: str = ""
    sections: tuple[str, ...] = ()
    pinned: bool = False


@dataclass(frozen=True, slots=True)
class DroppedChunk:
    """A candidate that is not in the prompt, and the reason (design 1, telemetry).

    Scores are as in :class:`RetrievedChunk`. ``section`` is the heading path of the best piece, ''
    where it is withheld.
    """

    id: str
    reason: DropReason
    score: float
    lexical_score: float = 0.0
    dense_score: float = 0.0
    section: str = ""


@dataclass(frozen=True, slots=True)
class Considered:
    """Why a candidate ranks as it does, and what kept it from being printed.

    ``words`` are those of the turn that it has; ``when`` is the author's line that the turn is
    nearest to, '' where it is nearer to the text. ``called`` is what it ranks the better by that
    the account's utterance calls for it, and ``by_state`` says that the game's state brought it.
    ``needs`` is the least budget above the turn's at which it is printed, None where there is none
    or it is printed; ``twin`` the candidate that says the same, of a duplicate.
    """

    id: str
    section: str
    text: str
    words: tuple[str, ...] = ()
    when: str = ""
    called: float = 0.0
    by_state: bool = False
    needs: int | None = None
    twin: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """What is printed with a budget of ``tokens`` and more, up to the next step: ids, by order."""

    tokens: int
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Account:
    """How a turn's passages were chosen: each candidate, and what every budget prints.

    ``utterance`` is what the turn is most like of what people say at the table, '' for nothing,
    and ``means`` the words of rules that this calls for.
    """

    candidates: tuple[Considered, ...] = ()
    steps: tuple[Step, ...] = ()
    utterance: str = ""
    means: str = ""


@dataclass(frozen=True, slots=True)
class MissedBar:
    """What kept a passage from being printed: the ``value`` it has, and the one that is ``needed``.

    ``bar``: ``floor`` (of evidence, for the turn's best), ``candidates`` and ``share`` (of score),
    ``budget`` (of tokens); ``audience``, ``mode``, ``scope``, ``duplicate`` (of whom),
    ``redacted``, or why the whole turn is sparse.
    """

    bar: str
    value: float | str
    needed: float | str


@dataclass(frozen=True, slots=True)
class MissingWords:
    """Words of a passage that the turn lacks, and where the passage stands with them.

    ``rank`` and ``score`` are those it would have, ``printed`` whether that brings it.
    """

    words: tuple[str, ...]
    rank: int
    score: float
    printed: bool


@dataclass(frozen=True, slots=True)
class WhenLine:
    """A line for the front matter of ``file``, under ``when:`` and ``heading``."""

    file: str
    heading: str
    line: str


@dataclass(frozen=True, slots=True)
class Why:
    """Where a passage of the archive stands for a turn, and what would have brought it.

    ``rank`` is its chunk's among the ``ranked`` that the turn might print, from 1; None where it is
    none of them. The first ``candidates`` are filled into the budget. ``score`` is the sum of its
    ``parts``, by name; ``evidence`` is what the floor is held against. ``words`` are those of the
    turn that it has, ``when`` the author's line that the turn is nearest to, '' where it is nearer
    to the text. ``missing`` and ``line`` are there where a bar was ``missed`` that they lift it
    over.
    """

    id: str
    file: str
    section: str
    printed: bool
    rank: int | None = None
    ranked: int = 0
    candidates: int = 0
    score: float = 0.0
    evidence: float = 0.0
    parts: Mapping[str, float] = field(default_factory=dict)
    words: tuple[str, ...] = ()
    when: str = ""
    missed: tuple[MissedBar, ...] = ()
    missing: tuple[MissingWords, ...] = ()
    line: WhenLine | None = None


@dataclass(frozen=True, slots=True)
class PromptSegment:
    """A part of a prompt with its delimiters; the texts of all of them are the prompt.

    What stands around the passages is a ``frame``. ``id`` is a passage's. ``tokens`` are the o200k
    tokens of header and passages, and None for what nobody counts while a turn is assembled.
    """

    kind: Literal["header", "contents", "mode", "history", "frame", "passage", "state",
                  "state_changes", "secret_notes", "dice_tray", "turn"]
    text: str
    id: str = ""
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class AssembledTurn:
    """What one turn sends to the model, and the account of how it was chosen.

    ``prompt``, ``messages`` and ``segments`` hold the same content; ``messages[0]`` is the core
    header, byte for byte. ``telemetry`` is one JSON object (schema in ``docs/telemetry.md``).
    ``account`` is there where it was asked for and there is an index.
    """

    prompt: str
    messages: tuple[Message, ...]
    chunks: tuple[RetrievedChunk, ...]
    dropped: tuple[DroppedChunk, ...]
    retrieval_sparse: bool
    sparse_reason: SparseReason | None
    telemetry: Mapping[str, Any]
    account: Account | None = None
    segments: tuple[PromptSegment, ...] = ()


@dataclass(frozen=True, slots=True)
class SystemText:
    """What of a turn is the system's: the core header, byte for byte, and the passages behind it.

    ``messages`` are its parts, the first with the breakpoint of a prompt cache; ``turn`` is all
    that was assembled, with telemetry and ledger.
    """

    text: str
    messages: tuple[Message, ...]
    turn: AssembledTurn


@dataclass(frozen=True, slots=True)
class RefusedFile:
    """A file that was left out of what was taken, and why; the reason names it too."""

    file: str
    reason: str
