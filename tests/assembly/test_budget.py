"""Filling the budget: evidence per token first, never over, every token accounted for."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.archive.chunks import ChunkPiece
from mvp_site.assembly.budget import Costs, Offer, fill, passage_cost, ranked

pytestmark = pytest.mark.serving

FREE = Costs(0, 0, 0)
COSTS = Costs(10, 3, 2)


def piece(tokens: int, headless: int = 0, bare: int = 0, opening: int = 0, text: str = "text") -> ChunkPiece:
    return ChunkPiece(("A",), text, tokens, ((1, 1),), headless_tokens=headless, bare_tokens=bare, opening_tokens=opening)


def offer(*pieces: tuple[float, ChunkPiece], after: int | None = None) -> Offer:
    return Offer(tuple(held for _, held in pieces), tuple(evidence for evidence, _ in pieces), after)


TWO = [offer((0.9, piece(100))), offer((0.5, piece(40)))]
IN_PARTS = [offer((0.5, piece(50)), (0.4, piece(50)))]
OVERLAP_FIRST = [offer((0.4, piece(50))), offer((0.5, piece(60, bare=20)), after=0)]


@pytest.mark.parametrize(("offers", "budget", "costs", "printed"), [
    ([], 100, COSTS, {}), ([offer((0.5, piece(50)))], 62, COSTS, {}), ([offer((0.5, piece(50)))], 63, COSTS, {0: [0]}),
    ([offer((0.5, piece(50, opening=8)))], 71, COSTS, {0: [0]}), ([offer((0.5, piece(50, headless=45)))], 58, COSTS, {0: [0]}),
    (TWO, 60, FREE, {1: [0]}), (TWO, 140, FREE, {0: [0], 1: [0]}), ([offer((0.50, piece(500))), offer((0.49, piece(50)))], 500, FREE, {1: [0]}),
    (IN_PARTS, 65, COSTS, {0: [0]}), (IN_PARTS, 113, COSTS, {0: [0, 1]}), (OVERLAP_FIRST, 70, FREE, {0: [0], 1: [0]}), (OVERLAP_FIRST, 69, FREE, {1: [0]}),
    ([offer((0.4, piece(50)), (0.9, piece(50, text="")))], 500, COSTS, {0: [0]}),
    ([offer((0.2, piece(50))), offer((0.81, piece(50)), (0.41, piece(50)))], 500, COSTS, {1: [0, 1]}), ([offer((0.2, piece(50))), offer((0.81, piece(500)))], 100, COSTS, {0: [0]}),
], ids=["nothing", "one token short", "just enough", "with its tag", "headless", "the large gives way", "both", "evidence per token", "in part", "whole, without a mark",
        "overlap once, the later first", "not even then", "nothing without text", "little beside the best", "the best has no room"])
def test_what_is_printed(offers: list[Offer], budget: int, costs: Costs, printed: dict[int, list[int]]) -> None:
    assert fill(offers, ranked(offers), budget, costs).printed == printed


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[Offer], int, Costs]:
    offers = []
    for order, size in enumerate(draw(st.lists(st.integers(1, 4), min_size=1, max_size=6))):
        overlapping = order > 0 and draw(st.booleans())
        pieces = []
        for index in range(size):
            whole = draw(st.integers(1, 400))
            pieces.append((draw(st.floats(0, 1)), piece(
                whole, draw(st.sampled_from((0, max(whole - 5, 1)))),
                max(whole // 3, 1) if overlapping and index == 0 else 0, draw(st.integers(1, 20)),
            )))
        offers.append(offer(*pieces, after=order - 1 if overlapping else None))
    costs = Costs(draw(st.integers(0, 30)), draw(st.integers(0, 5)), draw(st.integers(0, 5)))
    return offers, draw(st.integers(0, 1500)), costs


@given(cases())
def test_the_budget_holds_and_nothing_that_fits_is_left(case: tuple[Any, ...]) -> None:
    offers, budget, costs = case
    filled = fill(offers, ranked(offers), budget, costs)
    assert filled.tokens == {order: passage_cost(offers, order, filled.printed, costs) for order in filled.printed}
    for indices in filled.printed.values():
        assert indices
        assert list(indices) == sorted(set(indices))
    assert not filled.printed or costs.block + sum(filled.tokens.values()) <= budget
    for order, held in enumerate(offers):
        for index in range(len(held.pieces)):
            alone = costs.block + passage_cost(offers, order, {order: [index]}, costs)
            if alone <= budget:
                assert filled.printed  # something fitted
