"""What the inspector draws: tokens as bars, candidates as rows. Numbers only, no markup. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ..operations.prompts import visible
from ..types import AssembledTurn
from .segments import Segment

HUES: Final = 8
WIDTH: Final = 1000.0
"""Units of a bar's whole length."""

WHY_DROPPED: Final[Mapping[str, str]] = {
    "below_floor": "Under the floor",
    "over_budget": "No room in the budget",
    "outranked": "Others were better",
    "duplicate": "Says what another says",
    "audience": "Hidden from this audience",
    "redacted": "Withheld by a redactor",
}
WHY_SPARSE: Final[Mapping[str, str]] = {
    "empty_query": "the turn has no text",
    "no_index": "no index is in service",
    "no_hits": "no passage has any evidence",
    "below_floor": "passages have evidence, but none enough",
    "filtered": "passages have enough evidence, but none may be printed for this audience and "
                "budget",
    "lane_failure": "both retrieval lanes failed",
}


@dataclass(frozen=True, slots=True)
class Slice:
    """A piece of a bar, in units of :data:`WIDTH`; ``hue`` is 0 for what is no passage."""

    kind: str
    number: int
    hue: int
    tokens: int
    start: float
    width: float
    anchor: str = ""
    label: str = ""


@dataclass(frozen=True, slots=True)
class TokenFigure:
    """What a turn costs beside what the whole archive would cost.

    ``turn`` are the pieces on the archive's scale, ``enlarged`` the same over the whole length.
    """

    sent: int
    everything: int
    header: int
    retrieved: int
    budget: int
    turn: tuple[Slice, ...]
    enlarged: tuple[Slice, ...]

    @property
    def share(self) -> float:
        """What is sent, as a share of everything."""
        return self.sent / self.everything if self.everything else 1.0

    @property
    def used(self) -> float:
        """The share of the budget that is used."""
        return min(1.0, self.retrieved / self.budget) if self.budget else 0.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A row of the table. ``number`` is its place in the prompt, 0 where it was dropped."""

    id: str
    number: int
    hue: int
    outcome: str
    score: float
    lexical: float
    dense: float
    section: str = ""
    tokens: int | None = None
    partial: bool = False
    source: str = ""

    @property
    def printed(self) -> bool:
        """Whether it stands in the prompt."""
        return self.number > 0


def hue_of(number: int) -> int:
    """The colour of the passage at a place of the prompt, 1 to :data:`HUES`."""
    return (number - 1) % HUES + 1 if number else 0


def token_figure(turn: AssembledTurn, parts: Sequence[Segment]) -> TokenFigure | None:
    """The figure of ``turn``, or None where telemetry knows no costs (there is no index)."""
    tokens = turn.telemetry["tokens"]
    if tokens["header"] is None or tokens["archive"] is None:
        return None
    header, retrieved = int(tokens["header"]), int(tokens["retrieved"])
    sent, everything = header + retrieved, header + int(tokens["archive"])
    pieces = [("header", 0, header, "part-0", "Core header")]
    pieces += [
        ("passage", part.number, part.tokens or 0, f"part-{place}", part.chunk_id)
        for place, part in enumerate(parts) if part.kind == "passage"
    ]
    frame = retrieved - sum(piece[2] for piece in pieces[1:])
    if frame > 0:
        pieces.append(("frame", 0, frame, "", "Delimiters"))
    return TokenFigure(
        sent, everything, header, retrieved, int(tokens["budget"]),
        _slices(pieces, max(everything, sent)), _slices(pieces, sent),
    )


def _slices(pieces: Sequence[tuple[str, int, int, str, str]], whole: int) -> tuple[Slice, ...]:
    found: list[Slice] = []
    at = 0.0
    for kind, number, tokens, anchor, label in pieces:
        width = WIDTH * tokens / whole if whole else 0.0
        found.append(Slice(
            kind, number, hue_of(number), tokens, round(at, 2), round(width, 2), anchor, label
        ))
        at += width
    return tuple(found)


def candidates(turn: AssembledTurn, *, entitled: bool) -> list[Candidate]:
    """Every candidate that the caller may know of, the best first."""
    rows = [
        Candidate(
            chunk.id, number, hue_of(number), "Printed in part" if chunk.partial else "Printed",
            chunk.score, chunk.lexical_score, chunk.dense_score, chunk.section, chunk.tokens,
            chunk.partial, _source(chunk.file, chunk.lines) if entitled else "",
        )
        for number, chunk in enumerate(turn.chunks, 1)
    ]
    rows += [
        Candidate(
            chunk.id, 0, 0, WHY_DROPPED.get(chunk.reason, chunk.reason), chunk.score,
            chunk.lexical_score, chunk.dense_score,
        )
        for chunk in visible(turn.dropped, entitled=entitled)
    ]
    return sorted(rows, key=lambda row: (-row.score, row.id))


def _source(file: str, lines: Sequence[tuple[int, int]]) -> str:
    spans = ", ".join(f"{first}–{last}" if first != last else str(first) for first, last in lines)
    return f"{file}:{spans}" if spans else file
