"""Filling a token budget with pieces of chunks. Pure: no I/O, no clock, no settings.

Pieces are taken by evidence less a small price for their length (evidence per token, not evidence
alone), each with what it really adds: a chunk's delimiters once, an overlap that is printed
already not again, a cut mark where blocks are left out. What does not fit gives way to what does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter
from typing import Final

from ..archive.chunks import ChunkPiece

LENGTH_PRICE: Final = 0.02
"""Evidence that 100 tokens of a piece must be worth."""

Form = str  # "text", "headless" or "bare": which form of a piece is printed
Place = tuple[int, int]
"""A chunk's place among the chunks offered, and a piece's place in the chunk."""
_index = attrgetter("index")


@dataclass(frozen=True, slots=True)
class Offer:
    """A piece that may be printed: ``order`` is its chunk's place, ``index`` its own in the chunk.

    ``after`` is the piece whose tail it repeats, or None; no two repeat the same.
    """

    order: int
    index: int
    evidence: float
    piece: ChunkPiece
    after: Place | None = None


@dataclass(frozen=True, slots=True)
class Costs:
    """Tokens of what stands around pieces: the block, a passage's closing line, a cut mark."""

    block: int
    closing: int
    cut: int


@dataclass(frozen=True, slots=True)
class Filled:
    """The pieces to print, as (order, index), and the tokens of each chunk's passage."""

    printed: Set[Place]
    tokens: Mapping[int, int]


def fill(offers: Sequence[Offer], sizes: Sequence[int], budget: int, costs: Costs,
         price: float = LENGTH_PRICE) -> Filled:
    """The pieces to print: a set whose rendering costs at most ``budget``.

    ``sizes[order]`` is how many pieces the chunk has in all.
    """
    ranked = sorted(
        offers, key=lambda o: (price * o.piece.tokens / 100 - o.evidence, o.order, o.index)
    )
    repeats = {offer.after: offer for offer in offers if offer.after is not None}
    printed: set[Place] = set()
    passages: dict[int, list[Offer]] = {}
    spent: dict[int, int] = {}
    slack = costs.cut + max((offer.piece.opening_tokens for offer in offers), default=0)
    total = costs.block
    for offer in ranked:
        order, place = offer.order, (offer.order, offer.index)
        if place not in repeats and total + _least(offer.piece) - slack > budget:
            continue  # at best it closes a cut and takes over a longer opening
        printed.add(place)
        # A piece changes the cost of its own chunk and of one that repeats its tail.
        passage = [*passages.get(order, ()), offer]
        passage.sort(key=_index)
        changed = {order: passage_cost(passage, printed, sizes[order], costs)}
        after = repeats.get(place)
        if after is not None and after.order != order and (after.order, after.index) in printed:
            changed[after.order] = passage_cost(
                passages[after.order], printed, sizes[after.order], costs
            )
        new_total = total + sum(cost - spent.get(o, 0) for o, cost in changed.items())
        if new_total <= budget:
            total = new_total
            spent.update(changed)
            passages[order] = passage
        else:
            printed.remove(place)
    return Filled(printed, spent)


def passage_cost(offers: Sequence[Offer], printed: Set[Place], size: int, costs: Costs) -> int:
    """The tokens of a passage of these pieces of one chunk, in order, with all that is printed.

    ``size`` is how many pieces the chunk has in all.
    """
    first = offers[0].index
    total = offers[0].piece.opening_tokens + costs.closing
    if len(offers) < size:
        total += costs.cut * cuts([offer.index for offer in offers], size)
    for offer in offers:
        total += _tokens(offer.piece, form_of(offer, first, printed))
    return total


def _tokens(piece: ChunkPiece, form: Form) -> int:
    if form == "text":
        return piece.tokens
    return piece.bare_tokens if form == "bare" else piece.headless_tokens


def _least(piece: ChunkPiece) -> int:
    """The tokens of the shortest form that the piece has."""
    return min(
        piece.tokens, piece.headless_tokens or piece.tokens, piece.bare_tokens or piece.tokens
    )


def form_of(offer: Offer, first: int, printed: Set[Place]) -> Form:
    """How a piece is printed.

    Without the heading that its delimiter names, or without the tail of a neighbour that is
    printed too, or whole.
    """
    if offer.piece.bare_tokens and offer.after in printed:
        return "bare"
    if offer.index == first and offer.piece.headless_tokens:
        return "headless"
    return "text"


def cuts(indices: Sequence[int], size: int) -> int:
    """How many cut marks a passage has: before, between and after the printed pieces."""
    inner = sum(b != a + 1 for a, b in pairwise(indices))
    return inner + (indices[0] > 0) + (indices[-1] < size - 1)
