"""Filling a token budget with pieces of chunks. Pure: no I/O, no clock, no settings.

Pieces are taken by score (the ranker's, signals included) less a small price for their length. Each
costs what it really adds: its chunk's delimiters only once, an overlap only if it is not printed
yet, a cut mark where blocks are left out. A piece that does not fit is passed over for the next.
Whether anything is printed is not decided here: that goes by evidence (``archive/candidates``).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ..archive.chunks import ChunkPiece

LENGTH_PRICE: Final = 0.02
"""Score that 100 tokens of a piece must be worth."""

LEAST_SHARE: Final = 0.35
"""The share of the best printed piece's score that a piece needs, to be printed as well."""
MAX_BUDGET: Final = 1_000_000
"""No greater budget is taken."""
USUAL: Final = 1_500
"""The budget up to which that share holds; in a greater one the share is less, as a budget that
was raised is there to be spent."""
NEVER_SHARE: Final = 0.1
"""A piece with a smaller share of the best one's score is not printed in any budget."""

Form = str  # "text", "headless" or "bare": which form of a piece is printed
Place = tuple[int, int]
"""A chunk's place among those offered, a piece's in the chunk."""
Printed = Mapping[int, Sequence[int]]  # by a chunk's place, which of its pieces, ascending


@dataclass(frozen=True, slots=True)
class Offer:
    """A chunk's pieces that may be printed, each with its score.

    ``after`` is the place, among all chunks offered, of the one whose last piece ends as this
    one's first piece begins, or None.
    """

    pieces: tuple[ChunkPiece, ...]
    scores: tuple[float, ...]
    after: int | None = None


@dataclass(frozen=True, slots=True)
class Costs:
    """Tokens of what stands around pieces: the block, a passage's closing line, a cut mark."""

    block: int
    closing: int
    cut: int


@dataclass(frozen=True, slots=True)
class Filled:
    """What is printed of the offers, by their place: the pieces in order, the passage's tokens.

    ``more`` is the least budget at which the choice is another one, None where all is printed.
    """

    printed: Printed
    tokens: Mapping[int, int]
    more: int | None


def ranked(offers: Sequence[Offer]) -> list[Place]:
    """The pieces that have text, the one worth most first."""
    worth = sorted(
        (LENGTH_PRICE * piece.tokens / 100 - score, order, index)
        for order, offer in enumerate(offers)
        for index, (piece, score) in enumerate(zip(offer.pieces, offer.scores, strict=True))
        if piece.text
    )
    return [(order, index) for _, order, index in worth]


def fill(offers: Sequence[Offer], places: Sequence[Place], budget: int, costs: Costs,
         pinned: Mapping[int, Sequence[int]] | None = None) -> Filled:
    """The pieces to print of those at ``places``, which are tried in this order.

    With the ``pinned`` pieces, which are printed whatever they cost, their rendering costs at most
    ``budget``. A piece with less than :func:`least_share` of the best printed score is left out.
    """
    behind = {offer.after: order for order, offer in enumerate(offers) if offer.after is not None}
    printed: dict[int, list[int]] = {order: [*indices] for order, indices in (pinned or {}).items()}
    spent = {order: passage_cost(offers, order, printed, costs) for order in printed}
    refused: list[int] = []
    best, share = 0.0, least_share(budget)
    for order, index in places:
        if index in printed.get(order, ()):
            continue
        score = offers[order].scores[index]
        if score < share * best:
            if score >= NEVER_SHARE * best:
                enough = math.ceil(USUAL * LEAST_SHARE * best / score)
                refused.append(max(enough, budget + 1))
            continue
        before = printed.get(order)
        printed[order] = sorted([*(before or ()), index])
        # A piece changes the cost of its own chunk and of one that repeats its tail.
        changed = [place for place in (order, behind.get(order)) if place in printed]
        totals = spent | {place: passage_cost(offers, place, printed, costs) for place in changed}
        if (cost := costs.block + sum(totals.values())) <= budget:
            spent, best = totals, max(best, score)
            continue
        refused.append(cost)
        if before:
            printed[order] = before
        else:
            del printed[order]
    return Filled(printed, spent, min(refused, default=None))


def least_share(budget: int) -> float:
    """The share of the best printed score that a piece needs, within ``budget`` tokens."""
    return max(LEAST_SHARE * min(1.0, USUAL / max(budget, 1)), NEVER_SHARE)


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
    total += costs.cut * with_cuts(indices, len(pieces)).count(None)
    for index in indices:
        piece = pieces[index]
        form = form_of(piece, index, first, repeats=repeating)
        total += piece.tokens if form == "text" else getattr(piece, f"{form}_tokens")
    return total


def form_of(piece: ChunkPiece, index: int, first: int, *, repeats: bool) -> Form:
    """How a piece is printed: without the heading that its delimiter names, as the ``first``.

    Without its beginning, where it opens its chunk and ``repeats`` what is printed already; else
    whole.
    """
    if repeats and index == 0 and piece.bare_tokens:
        return "bare"
    return "headless" if index == first and piece.headless_tokens else "text"


def with_cuts(indices: Sequence[int], size: int) -> list[int | None]:
    """The printed pieces of a passage in order, with None where pieces are left out."""
    laid: list[int | None] = []
    following = 0
    for index in indices:
        laid += [index] if index == following else [None, index]
        following = index + 1
    return laid if following == size else [*laid, None]
