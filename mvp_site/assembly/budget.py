"""Filling a token budget with pieces of chunks. Pure: no I/O, no clock, no settings.

Pieces are taken by evidence less a small price for their length (evidence per token, not evidence
alone), each with what it really adds: a chunk's delimiters once, an overlap that is printed
already not again, a cut mark where blocks are left out. What does not fit gives way to what does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

LENGTH_PRICE: Final = 0.02
"""Evidence that 100 tokens of a piece must be worth."""

Form = str  # "text", "headless" or "bare": which form of a piece is printed


@dataclass(frozen=True, slots=True)
class Offer:
    """A piece that may be printed. ``tokens`` by form; 0 where the form does not apply.

    ``order`` is its chunk's place among the chunks offered, ``index`` its place in the chunk.
    ``after`` is the piece whose tail it repeats, as (order, index), or None.
    """

    order: int
    index: int
    evidence: float
    text_tokens: int
    headless_tokens: int
    bare_tokens: int
    opening_tokens: int
    after: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Costs:
    """Tokens of what stands around pieces: the block, a passage's closing line, a cut mark."""

    block: int
    closing: int
    cut: int


def fill(offers: Sequence[Offer], sizes: Sequence[int], budget: int, costs: Costs,
         price: float = LENGTH_PRICE) -> set[tuple[int, int]]:
    """The pieces to print, as (order, index): a set whose rendering costs at most ``budget``.

    ``sizes[order]`` is how many pieces the chunk has in all.
    """
    by_place = {(offer.order, offer.index): offer for offer in offers}
    ranked = sorted(
        offers, key=lambda o: (-(o.evidence - price * o.text_tokens / 100), o.order, o.index)
    )
    repeats: dict[tuple[int, int], list[Offer]] = {}
    for offer in offers:
        if offer.after is not None:
            repeats.setdefault(offer.after, []).append(offer)
    printed: set[tuple[int, int]] = set()
    spent = dict.fromkeys((offer.order for offer in offers), 0)
    slack = costs.cut + max((offer.opening_tokens for offer in offers), default=0)
    total = costs.block
    for offer in ranked:
        place = (offer.order, offer.index)
        least = min(t for t in (offer.text_tokens, offer.headless_tokens, offer.bare_tokens) if t)
        if place not in repeats and total + least - slack > budget:
            continue  # at best it closes a cut and takes over a longer opening
        printed.add(place)
        # A piece changes the cost of its own chunk and of one that repeats its tail.
        touched = {offer.order} | {
            o.order for o in repeats.get(place, ()) if (o.order, o.index) in printed
        }
        changed = {
            order: passage_cost(order, printed, by_place, sizes[order], costs) for order in touched
        }
        new_total = total + sum(changed[o] - spent[o] for o in touched)
        if new_total <= budget:
            total = new_total
            spent.update(changed)
        else:
            printed.remove(place)
    return printed


def passage_cost(order: int, printed: set[tuple[int, int]],
                 by_place: dict[tuple[int, int], Offer], size: int, costs: Costs) -> int:
    """The tokens of one chunk's passage as it is rendered with ``printed``."""
    indices = sorted(index for o, index in printed if o == order)
    if not indices:
        return 0
    total = by_place[order, indices[0]].opening_tokens + costs.closing
    total += costs.cut * cuts(indices, size)
    for index in indices:
        offer = by_place[order, index]
        total += {
            "text": offer.text_tokens, "headless": offer.headless_tokens, "bare": offer.bare_tokens,
        }[form_of(offer, indices[0], printed)]
    return total


def form_of(offer: Offer, first: int, printed: set[tuple[int, int]]) -> Form:
    """How a piece is printed.

    Without the heading that its delimiter names, or without the tail of a neighbour that is
    printed too, or whole.
    """
    if offer.bare_tokens and offer.after in printed:
        return "bare"
    if offer.index == first and offer.headless_tokens:
        return "headless"
    return "text"


def cuts(indices: Sequence[int], size: int) -> int:
    """How many cut marks a passage has: before, between and after the printed pieces."""
    inner = sum(b != a + 1 for a, b in pairwise(indices))
    return inner + (indices[0] > 0) + (indices[-1] < size - 1)
