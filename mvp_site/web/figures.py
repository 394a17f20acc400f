"""What pages draw: a prompt in its parts, tokens and scores as bars, candidates as rows. Pure.

The parts of a prompt together are the prompt, character for character.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, Literal

from ..operations.prompts import Assembled, PlayerAssembled, PlayerChunk
from ..rulebook.results import ScorePart
from ..text.tokens import count_tokens
from ..types import AssembledTurn, Considered, DroppedChunk, RetrievedChunk

HUES: Final = 8
WIDTH: Final = 1000.0
"""Units of a bar's whole length."""

Prompt = AssembledTurn | Assembled | PlayerAssembled
"""A turn as it was assembled, or as who asked for it may see it."""

NAMES: Final[dict[str, tuple[str, str]]] = {
    "header": ("H", "Core header"), "contents": ("C", "Contents"), "mode": ("M", "Mode header"),
    "history": ("…", "History"), "state": ("S", "The state"),
    "state_changes": ("S", "What has changed in the state"), "secret_notes": ("N", "Secret notes"),
    "dice_tray": ("D", "The dice tray"), "turn": ("T", "The turn"), "tool": ("⚒", "Tools"),
}
"""The parts that are no passages: their badges and what they are called."""


@dataclass(frozen=True, slots=True)
class PromptPart:
    """A part of a prompt. ``number`` is a passage's place, from 1, and 0 for all else.

    ``tokens`` are what telemetry counts for the part, None where it does not count it.
    """

    kind: str
    text: str
    number: int = 0
    chunk_id: str = ""
    section: str = ""
    tokens: int | None = None


def parts_of(turn: AssembledTurn) -> tuple[PromptPart, ...]:
    """The parts of ``turn.prompt``, in order: header, history, passages, state, dice, the turn."""
    sections = {chunk.id: chunk.section for chunk in turn.chunks}
    parts: list[PromptPart] = []
    for segment in turn.segments:
        tokens = segment.tokens
        if tokens is None and segment.kind not in {"header", "frame"}:
            tokens = count_tokens(segment.text)
        number = 1 + sum(part.number > 0 for part in parts) if segment.kind == "passage" else 0
        parts.append(PromptPart(segment.kind, segment.text, number, segment.id,
                                sections.get(segment.id, ""), tokens))
    return tuple(parts)


def tool_part(tokens: int) -> tuple[PromptPart, ...]:
    """What was sent beside the prompt, the tools that the model may call, where there were any."""
    return (PromptPart("tool", "", tokens=tokens),) if tokens else ()


@dataclass(frozen=True, slots=True)
class Slice:
    """A piece of a bar, in units of :data:`WIDTH`, or of a score's, which may take from it."""

    hue: int
    start: float
    width: float
    kind: str = ""
    number: int = 0
    tokens: int = 0
    anchor: str = ""
    label: str = ""


@dataclass(frozen=True, slots=True)
class TokenFigure:
    """What a turn costs beside what the whole archive would cost; ``pieces`` are the turn's.

    ``sent`` are the tokens of all pieces, ``everything`` with the archive in place of passages.
    """

    sent: int
    everything: int
    retrieved: int
    budget: int
    pieces: tuple[Slice, ...]

    @property
    def share(self) -> float:
        """What is sent, as a share of everything."""
        return self.sent / self.everything if self.everything else 1.0


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """A row of the list. ``number`` is its place in the prompt, 0 where it was dropped.

    ``why`` is what the account says of it, where there is one.
    """

    chunk: RetrievedChunk | PlayerChunk | DroppedChunk
    number: int = 0
    source: str = ""
    why: Considered | None = None


@dataclass(frozen=True, slots=True)
class BudgetChange:
    """A budget from which on other passages are printed: who ``comes`` and who ``goes``.

    ``where`` says whether it is ``less`` than this turn's, ``more``, or the step it is ``here`` on.
    """

    tokens: int
    comes: tuple[str, ...]
    goes: tuple[str, ...]
    where: Literal["less", "here", "more"]


def hue_of(number: int) -> int:
    """The colour of the passage at a place of the prompt, 1 to :data:`HUES`; 0 for none."""
    return (number - 1) % HUES + 1 if number else 0


def token_figure(turn: Prompt, parts: Sequence[PromptPart]) -> TokenFigure | None:
    """The figure of ``turn``, or None where telemetry knows no costs (there is no index)."""
    tokens = turn.telemetry["tokens"]
    if tokens["header"] is None or tokens["archive"] is None:
        return None
    retrieved = int(tokens["retrieved"])
    pieces = [
        (part.kind, part.number, part.tokens, f"part-{place}", part.chunk_id or NAMES[part.kind][1])
        for place, part in enumerate(parts) if part.tokens is not None
    ]
    frame = retrieved - sum(count for kind, _, count, _, _ in pieces if kind == "passage")
    if frame > 0:
        first = next((at for at, piece in enumerate(pieces) if piece[0] == "passage"), 1)
        pieces.insert(first, ("frame", 0, frame, "", "Delimiters"))
    sent = sum(piece[2] for piece in pieces)
    unit = WIDTH / sent if sent else 0.0
    ends = accumulate(piece[2] for piece in pieces)
    slices = [
        Slice(hue_of(number), round((end - count) * unit, 2), round(count * unit, 2), kind, number,
              count, anchor, label)
        for end, (kind, number, count, anchor, label) in zip(ends, pieces, strict=True)
    ]
    return TokenFigure(
        sent, sent - retrieved + int(tokens["archive"]), retrieved, int(tokens["budget"]),
        tuple(slices),
    )


def candidates(turn: Prompt) -> list[CandidateRow]:
    """Every candidate of ``turn``, the best first."""
    why = {candidate.id: candidate for candidate in turn.account.candidates} if turn.account else {}
    printed: Sequence[RetrievedChunk | PlayerChunk] = turn.chunks
    rows = [
        CandidateRow(chunk, number, _source(chunk), why.get(chunk.id))
        for number, chunk in enumerate(printed, 1)
    ]
    rows += [CandidateRow(chunk, why=why.get(chunk.id)) for chunk in turn.dropped]
    return sorted(rows, key=lambda row: (-row.chunk.score, row.chunk.id))


def _source(chunk: RetrievedChunk | PlayerChunk) -> str:
    if not isinstance(chunk, RetrievedChunk):
        return ""
    spans = ", ".join(f"{a}–{b}" if a != b else str(a) for a, b in chunk.lines)
    return f"{chunk.file}:{spans}" if spans else chunk.file


def changes(turn: Prompt) -> tuple[BudgetChange, ...]:
    """The budgets at which something changes: all of them, from none on."""
    steps = turn.account.steps if turn.account else ()
    reached = max((place for place, step in enumerate(steps)
                if step.tokens <= turn.telemetry["tokens"]["budget"]), default=0)
    before = ((), *(step.ids for step in steps))
    return tuple(
        BudgetChange(
            step.tokens, tuple(id_ for id_ in step.ids if id_ not in ids),
            tuple(id_ for id_ in ids if id_ not in step.ids),
            "here" if place == reached else "less" if place < reached else "more",
        )
        for place, (step, ids) in enumerate(zip(steps, before, strict=False))
    )


def score_bars(scores: Sequence[Sequence[ScorePart]],
               ) -> tuple[dict[str, int], list[tuple[float, list[Slice]]]]:
    """The colour of each part's name; and a bar for each score, all on one scale.

    A bar is where it begins, and its parts on end: what adds to the right, what takes to the left.
    """
    names = dict.fromkeys(part.name for parts in scores for part in parts)
    hues = {name: hue_of(place) for place, name in enumerate(names, 1)}
    low = min((sum(min(part.value, 0.0) for part in parts) for parts in scores), default=0.0)
    high = max((sum(max(part.value, 0.0) for part in parts) for parts in scores), default=0.0)
    unit = WIDTH / (high - low) if high > low else 0.0
    bars: list[tuple[float, list[Slice]]] = []
    for parts in scores:
        right = left = abs(low) * unit
        slices = []
        for part in parts:
            width = abs(part.value) * unit
            takes = part.value < 0
            left -= width if takes else 0.0
            slices.append(Slice(hues[part.name], round(left if takes else right, 2),
                                round(width, 2), "takes" if takes else ""))
            right += 0.0 if takes else width
        bars.append((round(abs(low) * unit, 2), slices))
    return hues, bars
