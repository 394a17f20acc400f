"""Filling a token budget with pieces of chunks. Pure: no I/O, no clock, no settings.

Pieces are taken by evidence less a small price for their length (evidence per token, not evidence
alone), each with what it really adds: a chunk's delimiters once, an overlap that is printed
already not again, a cut mark where blocks are left out. What does not fit gives way to what does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from ..archive.chunks import ChunkPiece

LENGTH_PRICE: Final = 0.02
"""Evidence that 100 tokens of a piece must be worth."""

Form = str  # "text", "headless" or "bare": which form of a piece is printed
Place = tuple[int, int, int]
"""A chunk's place among those offered, a piece's in the chunk, the fewest tokens that it adds."""
Printed = Mapping[int, Sequence[int]]  # by a chunk's place, which of its pieces, ascending


@dataclass(frozen=True, slots=True)
class Offer:
    """A chunk's pieces that may be printed, each with its evidence.

    ``after`` is the place, among all chunks offered, of the one whose last piece ends as this
    one's first piece begins, or None.
    """

    pieces: tuple[ChunkPiece, ...]
    evidence: tuple[float, ...]
    after: int | None = None


@dataclass(frozen=True, slots=True)
class Costs:
    """Tokens of what stands around pieces: the block, a passage's closing line, a cut mark."""

    block: int
    closing: int
    cut: int


@dataclass(frozen=True, slots=True)
class Filled:
    """What is printed of the offers, by their place: the pieces in order, the passage's tokens."""

    printed: Printed
    tokens: Mapping[int, int]


def ranked(offers: Sequence[Offer], least: float, costs: Costs) -> list[Place]:
    """The pieces that may be printed, the one worth most first.

    Pieces of less evidence than ``least``, and those without text, may not.
    """
    worth = sorted([
        (LENGTH_PRICE * piece.tokens / 100 - evidence, order, index)
        for order, offer in enumerate(offers)
        for index, (piece, evidence) in enumerate(zip(offer.pieces, offer.evidence, strict=True))
        if evidence >= least and piece.text
    ])
    pieces = [offers[order].pieces[index] for _, order, index in worth]
    # At best a piece closes a cut and takes over a longer opening.
    slack = costs.cut + max([piece.opening_tokens for piece in pieces], default=0)
    return [
        (order, index, _least(piece) - slack)
        for (_, order, index), piece in zip(worth, pieces, strict=True)
    ]


def fill(offers: Sequence[Offer], places: Sequence[Place], budget: int, costs: Costs) -> Filled:
    """The pieces to print of those at ``places``, which are asked in their order.

    A choice whose rendering costs at most ``budget``.
    """
    repeating = {o.after: order for order, o in enumerate(offers) if o.after is not None}
    printed: dict[int, list[int]] = {}
    spent: dict[int, int] = {}
    total = costs.block
    for order, index, adds in places:
        ends = order in repeating and index == len(offers[order].pieces) - 1
        if not ends and total + adds > budget:
            continue
        before = printed.get(order)
        printed[order] = sorted([*before, index]) if before else [index]
        # A piece changes the cost of its own chunk and of one that repeats its tail.
        cost = passage_cost(offers, order, printed, costs)
        new_total = total + cost - spent.get(order, 0)
        behind = repeating[order] if ends and repeating[order] in printed else None
        if behind is not None:
            cost_behind = passage_cost(offers, behind, printed, costs)
            new_total += cost_behind - spent[behind]
        if new_total <= budget:
            total, spent[order] = new_total, cost
            if behind is not None:
                spent[behind] = cost_behind
        elif before:
            printed[order] = before
        else:
            del printed[order]
    return Filled(printed, spent)


def repeats(offers: Sequence[Offer], place: int, printed: Printed) -> bool:
    """Whether a chunk's first piece begins with what ends another that is printed too."""
    after = offers[place].after
    return (
        after is not None and after in printed
        and printed[after][-1] == len(offers[after].pieces) - 1
    )


def passage_cost(offers: Sequence[Offer], place: int, printed: Printed, costs: Costs) -> int:
    """The tokens of the passage of a chunk of which some pieces are printed."""
    pieces, indices = offers[place].pieces, printed[place]
    first = indices[0]
    repeating = repeats(offers, place, printed)
    total = pieces[first].opening_tokens + costs.closing
    if len(indices) < len(pieces):
        total += costs.cut * cuts(indices, len(pieces))
    for index in indices:
        piece = pieces[index]
        form = form_of(piece, index, first, repeats=repeating)
        total += (
            piece.headless_tokens if form == "headless"
            else piece.bare_tokens if form == "bare" else piece.tokens
        )
    return total


def form_of(piece: ChunkPiece, index: int, first: int, *, repeats: bool) -> Form:
    """How a piece is printed: without the heading that its delimiter names, as the ``first``.

    Without its beginning, where it opens its chunk and ``repeats`` what is printed already; else
    whole.
    """
    if repeats and index == 0 and piece.bare_tokens:
        return "bare"
    return "headless" if index == first and piece.headless_tokens else "text"


def cuts(indices: Sequence[int], size: int) -> int:
    """How many cut marks a passage has: before, between and after the printed pieces."""
    marks = (indices[0] > 0) + (indices[-1] < size - 1)
    if indices[-1] - indices[0] >= len(indices):
        marks += sum(b != a + 1 for a, b in pairwise(indices))
    return marks


def _least(piece: ChunkPiece) -> int:
    """The tokens of the shortest form that the piece has."""
    return min(
        piece.tokens, piece.headless_tokens or piece.tokens, piece.bare_tokens or piece.tokens
    )
