"""Filling the budget: evidence per token first, never over, every token accounted for."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.archive.chunks import ChunkPiece
from mvp_site.assembly.budget import Costs, Offer, cuts, fill, form_of, passage_cost

pytestmark = pytest.mark.serving

FREE = Costs(0, 0, 0)
COSTS = Costs(10, 3, 2)


def offer(order: int, index: int, evidence: float, tokens: int, headless: int = 0, bare: int = 0,
          opening: int = 0, after: tuple[int, int] | None = None) -> Offer:
    piece = ChunkPiece(("A",), "text", tokens, ((1, 1),), headless_tokens=headless, bare_tokens=bare, opening_tokens=opening)
    return Offer(order, index, evidence, piece, after)


@pytest.mark.parametrize(
    ("offers", "sizes", "budget", "costs", "printed"),
    [
        ([], [], 100, COSTS, set()),
        ([offer(0, 0, 0.5, 50)], [1], 0, COSTS, set()),
        ([offer(0, 0, 0.5, 50)], [1], 62, COSTS, set()),
        ([offer(0, 0, 0.5, 50)], [1], 63, COSTS, {(0, 0)}),
        ([offer(0, 0, 0.5, 50, opening=8)], [1], 70, COSTS, set()),
        ([offer(0, 0, 0.5, 50, opening=8)], [1], 71, COSTS, {(0, 0)}),
        ([offer(0, 0, 0.5, 50, headless=45)], [1], 58, COSTS, {(0, 0)}),
        ([offer(0, 0, 0.9, 100), offer(1, 0, 0.5, 40)], [1, 1], 60, FREE, {(1, 0)}),
        ([offer(0, 0, 0.9, 100), offer(1, 0, 0.5, 40)], [1, 1], 100, FREE, {(0, 0)}),
        ([offer(0, 0, 0.9, 100), offer(1, 0, 0.5, 40)], [1, 1], 140, FREE, {(0, 0), (1, 0)}),
        ([offer(0, 0, 0.50, 500), offer(1, 0, 0.49, 50)], [1, 1], 500, FREE, {(1, 0)}),
        ([offer(0, 0, 0.5, 50), offer(0, 1, 0.4, 50)], [2], 60, COSTS, set()),
        ([offer(0, 0, 0.5, 50), offer(0, 1, 0.4, 50)], [2], 65, COSTS, {(0, 0)}),
        ([offer(0, 0, 0.5, 50), offer(0, 1, 0.4, 50)], [2], 113, COSTS, {(0, 0), (0, 1)}),
        ([offer(0, 0, 0.5, 50), offer(1, 0, 0.4, 60, bare=20, after=(0, 0))], [1, 1], 70, FREE, {(0, 0), (1, 0)}),
        ([offer(0, 0, 0.4, 50), offer(1, 0, 0.5, 60, bare=20, after=(0, 0))], [1, 1], 70, FREE, {(0, 0), (1, 0)}),
        ([offer(0, 0, 0.4, 50), offer(1, 0, 0.5, 60, bare=20, after=(0, 0))], [1, 1], 69, FREE, {(1, 0)}),
    ],
    ids=["nothing", "no budget", "one token short", "just enough", "its tag counts", "with its tag", "headless",
         "the large gives way", "the better first", "both", "evidence per token", "a cut mark counts",
         "in part", "whole, without a mark", "overlap once", "overlap once, the later first", "not even then"],
)
def test_what_is_printed(offers: list[Offer], sizes: list[int], budget: int, costs: Costs,
                         printed: set[tuple[int, int]]) -> None:
    assert fill(offers, sizes, budget, costs).printed == printed


@pytest.mark.parametrize(
    ("indices", "size", "marks"),
    [([0], 1, 0), ([0], 2, 1), ([1], 2, 1), ([1], 3, 2), ([0, 1], 2, 0), ([0, 2], 3, 1), ([1, 3], 5, 3)],
)
def test_a_mark_stands_where_blocks_are_left_out(indices: list[int], size: int, marks: int) -> None:
    assert cuts(indices, size) == marks


@pytest.mark.parametrize(
    ("piece", "first", "printed", "form"),
    [
        (offer(1, 0, 0.5, 9), 0, set(), "text"),
        (offer(1, 0, 0.5, 9, headless=7), 0, set(), "headless"),
        (offer(1, 1, 0.5, 9, headless=7), 0, set(), "text"),
        (offer(1, 0, 0.5, 9, bare=4, after=(0, 2)), 0, set(), "text"),
        (offer(1, 0, 0.5, 9, bare=4, after=(0, 2)), 0, {(0, 2)}, "bare"),
        (offer(1, 0, 0.5, 9, bare=4), 0, {(0, 2)}, "text"),
    ],
    ids=["whole", "heading in the tag", "not the first", "neighbour left out", "neighbour printed", "no neighbour"],
)
def test_how_a_piece_is_printed(piece: Offer, first: int, printed: set[tuple[int, int]], form: str) -> None:
    assert form_of(piece, first, printed) == form


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[Offer], list[int], int, Costs]:
    tokens = st.integers(1, 400)
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=6))
    offers = []
    for order, size in enumerate(sizes):
        for index in draw(st.lists(st.integers(0, size - 1), unique=True, max_size=size)):
            whole = draw(tokens)
            overlapping = order > 0 and index == 0 and draw(st.booleans())
            offers.append(offer(
                order, index, draw(st.floats(0, 1)), whole, draw(st.sampled_from((0, max(whole - 5, 1)))),
                max(whole // 3, 1) if overlapping else 0, draw(st.integers(1, 20)),
                (order - 1, sizes[order - 1] - 1) if overlapping else None,
            ))
    costs = Costs(draw(st.integers(0, 30)), draw(st.integers(0, 5)), draw(st.integers(0, 5)))
    return offers, sizes, draw(st.integers(0, 1500)), costs


@given(cases())
def test_the_budget_holds_and_nothing_that_fits_is_left(case: tuple[Any, ...]) -> None:
    offers, sizes, budget, costs = case
    filled = fill(offers, sizes, budget, costs)
    printed = filled.printed
    by_place = {(o.order, o.index): o for o in offers}
    assert printed <= set(by_place)

    def passages(places: set[tuple[int, int]]) -> dict[int, int]:
        of = {n: [by_place[place] for place in sorted(places) if place[0] == n] for n in range(len(sizes))}
        return {n: passage_cost(held, places, sizes[n], costs) for n, held in of.items() if held}

    def cost(places: set[tuple[int, int]]) -> int:
        return costs.block + sum(passages(places).values())

    assert filled.tokens == passages(set(printed))
    assert not printed or cost(set(printed)) <= budget
    assert fill(offers[::-1], sizes, budget, costs) == filled  # the order of offers is nothing
    for place in set(by_place) - printed:
        alone = {place}
        if cost(alone) <= budget:
            assert printed  # something fitted
