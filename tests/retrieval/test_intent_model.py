"""IntentModel: what a text resembles raises the passages that it calls for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.retrieval.encoder import HashingEncoder
from mvp_site.retrieval.fusion import Fusion
from mvp_site.retrieval.index import HybridIndex, Passage, VectorCache
from mvp_site.retrieval.intent_model import IntentModel, main_axes
from mvp_site.retrieval.utterances import Topic

pytestmark = pytest.mark.serving

TABLE = tuple(Topic(f"s{n:02}", (f"word{n} said", f"another word{n}"), f"rule{n} words") for n in range(20))
PASSAGES = 5


def built(called: np.ndarray | None = None, table: tuple[Topic, ...] = TABLE) -> IntentModel:
    """The hints of a table for a few passages, of which passage n has the rules words of situation n."""
    encoder = HashingEncoder()
    index = HybridIndex.build(
        [Passage(str(n), (f"Rule{n}",), f"rule{n} is this") for n in range(PASSAGES)], encoder, VectorCache(encoder)
    )
    said = encoder.encode([text for one in table for text in one.says])
    rules = encoder.encode([one.rules for one in table])
    return IntentModel.build(table, said, rules, index, Fusion(), shrinkage=1, full=0.6, called=called)


def test_a_text_in_a_players_words_hints_at_what_its_situation_calls_for() -> None:
    model, encoder = built(), HashingEncoder()
    for row in range(PASSAGES):
        shares = model.resembling(encoder.encode([f"word{row} said"])[0], 0.05)
        assert shares[0][0] == row
        assert int(model.scores(shares).argmax()) == row


def test_what_is_called_is_hinted_at_no_less() -> None:
    called = np.random.default_rng(0).random((len(TABLE), PASSAGES)).astype(np.float32)
    plain, raised = built(), built(called)
    for row in range(len(TABLE)):
        own, now = plain.scores([(row, 1.0)]), raised.scores([(row, 1.0)])
        assert now == pytest.approx(np.maximum(own, called[row]))
    assert built(np.zeros_like(called)).dump() == plain.dump()
    assert built(called).dump() != plain.dump()


def test_an_empty_table_is_hints_that_hint_at_nothing() -> None:
    empty = built(np.zeros((0, PASSAGES), np.float32), ())
    assert empty.resembling(np.ones(64, np.float32), 0.05) == []
    assert empty.scores([]).tolist() == empty.highest([]).tolist() == [0.0] * PASSAGES


CALLED = built(np.random.default_rng(1).random((len(TABLE), PASSAGES)).astype(np.float32))


@given(st.lists(st.tuples(st.integers(0, len(TABLE) - 1), st.floats(0, 1, width=32)), max_size=6))
def test_the_highest_hint_is_that_of_the_situation_worth_most(worth: list[tuple[int, float]]) -> None:
    highest = CALLED.highest(worth)
    assert highest.shape == (PASSAGES,)
    assert highest.dtype == np.float32
    assert ((highest >= 0) & (highest <= 1)).all()
    expected = np.zeros(PASSAGES, np.float32)
    for row, part in worth:
        expected = np.maximum(expected, part * CALLED.scores([(row, 1.0)]))
    assert highest == pytest.approx(expected)


@pytest.mark.parametrize("rows", [[], [3], [7, 3, 0], list(range(20))], ids=len)
def test_some_situations_for_some_passages(rows: list[int]) -> None:
    some = CALLED.only(rows, 1, 4)
    assert some.ids == tuple(TABLE[row].id for row in rows)
    for place, row in enumerate(rows):
        assert np.array_equal(some.scores([(place, 1.0)]), CALLED.scores([(row, 1.0)])[1:4])
        assert np.array_equal(some.highest([(place, 0.5)]), CALLED.highest([(row, 0.5)])[1:4])
    vector = np.ones(64, np.float32) / 8
    if rows:
        assert some.likeness(vector) == pytest.approx(CALLED.likeness(vector)[rows], abs=1e-6)
        assert sum(share for _, share in some.resembling(vector, 0.05)) <= 1 + 1e-6
    else:
        assert some.resembling(vector, 0.05) == []


@given(st.integers(1, 40), st.integers(1, 12), st.integers(1, 15), st.integers(0, 1000))
def test_the_main_axes_keep_as_much_of_the_directions_as_can_be_kept(
    situations: int, dimension: int, count: int, seed: int
) -> None:
    directions = np.random.default_rng(seed).standard_normal((situations, dimension)).astype(np.float32)
    axes = main_axes(directions, count)
    assert axes.dtype == np.float32
    assert axes.flags.c_contiguous
    assert axes.shape == (min(count, dimension), dimension)
    assert axes @ axes.T == pytest.approx(np.eye(len(axes)), abs=1e-4)
    spread = np.linalg.svd(directions.astype(np.float64), compute_uv=False)[: len(axes)]
    assert float(((directions @ axes.T) ** 2).sum()) == pytest.approx(float((spread**2).sum()), rel=1e-3)
