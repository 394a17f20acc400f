"""What pages draw: a prompt in its parts, tokens and scores as bars, candidates as rows. Pure.

The parts of a prompt together are the prompt, character for character. Foreign text in a prompt is
escaped, so that no line of it can pass for a delimiter.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from ..archive.delimiters import CLOSING_TAG, CONTEXT_END, GIVEN
from ..operations.prompts import visible
from ..rulebook.results import ScorePart
from ..types import AssembledTurn, DroppedChunk, RetrievedChunk

HUES: Final = 8
WIDTH: Final = 1000.0
"""Units of a bar's whole length."""

Kind = Literal["header", "history", "frame", "passage", "state", "dice_tray", "turn"]

_PART: Final = re.compile(
    rf'^(?P<frame><retrieved_context version="[^"]*">\n|{re.escape(CONTEXT_END)}\n)'
    rf'|^(?P<passage><passage id="(?P<id>[^"]*)" section="[^"]*">\n(?:.*\n)*?'
    rf"{re.escape(CLOSING_TAG)}\n)",
    re.MULTILINE,
)
_GIVEN: Final = re.compile(rf"<(?P<name>{'|'.join(GIVEN)})>\n(?:.*\n)*?</(?P=name)>\n")


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a prompt. ``number`` is a passage's place, from 1, and 0 for all else.

    ``tokens`` are what telemetry counts for the part, None where it does not count it.
    """

    kind: Kind
    text: str
    number: int = 0
    chunk_id: str = ""
    section: str = ""
    tokens: int | None = None


def segments(turn: AssembledTurn) -> tuple[Segment, ...]:
    """The parts of ``turn.prompt``, in order: header, history, passages, state, dice, the turn."""
    header, last = turn.messages[0].content, turn.messages[-1].content
    rest = turn.prompt[len(header):]
    history = rest[: len(rest) - len(last)]
    parts = [Segment("header", header, tokens=turn.telemetry["tokens"]["header"])]
    if history.strip():
        parts.append(Segment("history", history))
    else:
        parts[0] = Segment("header", header + history, tokens=parts[0].tokens)
    parts += _last_message(last, turn)
    return tuple(parts)


def _last_message(text: str, turn: AssembledTurn) -> list[Segment]:
    """The retrieved context and what follows it."""
    chunks = {chunk.id: chunk for chunk in turn.chunks}
    parts: list[Segment] = []
    at = 0
    for found in _PART.finditer(text) if turn.chunks else ():
        if found.start() != at:
            break
        at = found.end()
        if found["frame"]:
            parts.append(Segment("frame", found["frame"]))
            if found["frame"].startswith("</"):
                break
            continue
        chunk = chunks.get(html.unescape(found["id"]))
        parts.append(Segment(
            "passage", found["passage"], sum(p.kind == "passage" for p in parts) + 1,
            chunk.id if chunk else found["id"], chunk.section if chunk else "",
            chunk.tokens if chunk else None,
        ))
    while (given := _GIVEN.match(text, at)) is not None:
        at = given.end()
        parts.append(Segment("state" if given["name"] == "state" else "dice_tray", given[0]))
    if at < len(text):
        parts.append(Segment("turn", text[at:]))
    return parts


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
    """What a turn costs beside what the whole archive would cost; ``pieces`` are the turn's."""

    sent: int
    everything: int
    retrieved: int
    budget: int
    pieces: tuple[Slice, ...]

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

    chunk: RetrievedChunk | DroppedChunk
    number: int = 0
    source: str = ""


def hue_of(number: int) -> int:
    """The colour of the passage at a place of the prompt, 1 to :data:`HUES`; 0 for none."""
    return (number - 1) % HUES + 1 if number else 0


def token_figure(turn: AssembledTurn, parts: Sequence[Segment]) -> TokenFigure | None:
    """The figure of ``turn``, or None where telemetry knows no costs (there is no index)."""
    tokens = turn.telemetry["tokens"]
    if tokens["header"] is None or tokens["archive"] is None:
        return None
    header, retrieved = int(tokens["header"]), int(tokens["retrieved"])
    pieces = [("header", 0, header, "part-0", "Core header")]
    pieces += [
        ("passage", part.number, part.tokens or 0, f"part-{place}", part.chunk_id)
        for place, part in enumerate(parts) if part.kind == "passage"
    ]
    sent = header + retrieved
    frame = sent - sum(piece[2] for piece in pieces)
    if frame > 0:
        pieces.append(("frame", 0, frame, "", "Delimiters"))
    slices: list[Slice] = []
    at = 0.0
    for kind, number, count, anchor, label in pieces:
        width = WIDTH * count / sent if sent else 0.0
        slices.append(Slice(
            hue_of(number), round(at, 2), round(width, 2), kind, number, count, anchor, label
        ))
        at += width
    return TokenFigure(
        sent, header + int(tokens["archive"]), retrieved, int(tokens["budget"]), tuple(slices)
    )


def candidates(turn: AssembledTurn, *, entitled: bool) -> list[Candidate]:
    """Every candidate that the caller may know of, the best first."""
    rows = [
        Candidate(chunk, number, _source(chunk) if entitled else "")
        for number, chunk in enumerate(turn.chunks, 1)
    ]
    rows += [Candidate(chunk) for chunk in visible(turn.dropped, entitled=entitled)]
    return sorted(rows, key=lambda row: (-row.chunk.score, row.chunk.id))


def _source(chunk: RetrievedChunk) -> str:
    spans = ", ".join(f"{a}–{b}" if a != b else str(a) for a, b in chunk.lines)
    return f"{chunk.file}:{spans}" if spans else chunk.file


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
