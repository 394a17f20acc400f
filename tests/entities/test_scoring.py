"""Scores: in (0, 1], never falling where evidence grows, sure of a name; and what is kept of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as deadline
from hypothesis import strategies as st

from mvp_site.content.types import EntityType
from mvp_site.entities.calls import Calls, Expanded
from mvp_site.entities.names import EXACT
from mvp_site.entities.query_parsing import Asked
from mvp_site.entities.scoring import score
from mvp_site.entities.weights import CUT
from mvp_site.retrieval.collection import Hits, Scores
from mvp_site.retrieval.filters import AnyOf, Condition
from mvp_site.retrieval.utterances import Topic

from .small_stock import small_index

S = EntityType.SPELLS
SAID = Expanded(np.zeros(64, np.float32), np.zeros(100, np.float32), 1.0)


def scored(cosine: list[float], lexical: list[float] | None = None, matches: dict[int, float] | None = None, *,
           stated: Condition = (), bound: bool = False, unknown: float = 0.0) -> Scores:
    """The scores of the first spells with those lanes."""
    found = Hits(np.arange(len(cosine)), np.array(cosine, np.float32),
                       np.array(lexical or [0.0] * len(cosine), np.float32))
    asked = Asked(S, "text", ("text",), ("text",), stated, unknown, bound)
    return score(small_index()._now().release, asked, found, SAID, matches or {})


LANES = st.lists(st.tuples(st.floats(-1, 1, width=32), st.floats(0, 0.875, width=32)), min_size=1, max_size=10)


@deadline(max_examples=200, deadline=None)
@given(LANES, st.dictionaries(st.integers(0, 40), st.floats(0.01, 1), max_size=4),
       st.sampled_from([0.0, 0.3, 1.0]))
def test_scores_are_in_bounds_and_a_name_is_sure(lanes: list[tuple[float, float]], matches: dict[int, float],
                                                 unknown: float) -> None:
    found = scored([a for a, _ in lanes], [b for _, b in lanes], matches, unknown=unknown)
    assert np.isfinite(found).all()
    assert (found > 0).all()
    assert (found <= 1).all()
    for number, match in matches.items():
        if number < len(lanes) and match == EXACT:
            assert found[number] == 1


@deadline(max_examples=100, deadline=None)
@given(LANES)
def test_more_evidence_in_both_lanes_is_never_worth_less(lanes: list[tuple[float, float]]) -> None:
    scores = scored([a for a, _ in lanes], [b for _, b in lanes])
    for one, (cosine, lexical) in enumerate(lanes):
        for other, (less, said) in enumerate(lanes):
            if cosine >= less and lexical >= said:
                assert scores[one] >= scores[other] - 1e-6


def test_what_breaks_what_is_stated_loses_unless_it_binds() -> None:
    store = small_index()._now().release.document_store
    levels = [store.entries[number][1]["level"] for number in range(3)]
    kept = levels.index(levels[0])
    clause = AnyOf("level", (float(levels[0]),))
    found = scored([0.5, 0.5, 0.5], stated=(clause,))
    for number, level in enumerate(levels):
        assert (found[number] == found[kept]) == (level == levels[0])
        assert found[number] <= found[kept]
    assert len(set(scored([0.5, 0.5, 0.5], stated=(clause,), bound=True).tolist())) == 1


def test_what_no_text_knows_is_refused_and_a_name_is_not() -> None:
    plain, refused = (scored([0.3, 0.2], unknown=part) for part in (0.0, 1.0))
    assert (refused < CUT).all()
    assert (refused < plain).all()
    assert scored([0.3, 0.2], matches={1: EXACT}, unknown=1.0).tolist() == [refused[0], 1.0]


def test_utterances_call_for_entities_by_name() -> None:
    table = (Topic("a", ("x",), "ember lash, frost veil; lantern"), Topic("b", ("y",), "shuttered lantern or ember lash"),
             Topic("c", ("z",), "nothing of the kind, ..., "))
    calls = Calls.build(table, ("Ember Lash", "Frost Veil", "Lantern, shuttered", "???"))
    for one in (calls, Calls.load(calls.dump(), 4)):
        assert one.called([(0, 0.5)]).tolist() == [0.5, 0.5, 0, 0]
        assert one.called([(0, 0.5), (1, 0.5), (2, 1.0)]).tolist() == [0.75, 0.5, 0.5, 0]
        assert one.alike(3, 0, 4, np.ones(4, np.float32)) is None
        alike = one.alike(1, 0, 4, np.full(4, 0.2, np.float32))
        assert alike is not None
        assert alike == pytest.approx([0.5**0.5, 1, 0, 0.1])
