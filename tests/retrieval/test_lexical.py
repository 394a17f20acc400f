"""The lexical lane: BM25 as a part of the query's weight, the same bytes every time."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.retrieval.lexical import MAX_QUERY_TERMS, LexicalLane
from mvp_site.text.normalising import terms

pytestmark = pytest.mark.serving

TEXTS = [
    "A foe of CR 1/4 is worth fifty points",
    "A creature that falls takes damage for every ten feet",
    "The harbour master keeps the true ledger under a flagstone",
    "Write __DELETE__ as the value of a key in state_updates",
    "The harbour floods at spring tide; nobody is in the harbour then",
]
DOCUMENTS = [terms(text) for text in TEXTS]
TERM = st.sampled_from("abcdefgh")
CORPUS = st.lists(st.lists(TERM, max_size=12), min_size=1, max_size=8).filter(any)


@pytest.fixture(scope="module")
def lane() -> LexicalLane:
    return LexicalLane.build(DOCUMENTS)


def test_the_score_is_bm25_over_the_weight_of_the_query() -> None:
    """Worked by hand: Lucene's BM25, k1 1.2 and b .75, over three passages of length 2, 1, 1."""
    lane = LexicalLane.build([["x", "y"], ["y"], ["z"]])
    scores, known = lane.scores(["x", "never"])
    idf_x, idf_never = math.log1p(2.5 / 1.5), math.log1p(3.5 / 0.5)
    tf = 1 / (1 + 1.2 * (0.25 + 0.75 * 2 / (4 / 3)))
    assert known == pytest.approx(idf_x / (idf_x + idf_never))
    assert scores == pytest.approx([idf_x * tf / (idf_x + idf_never), 0, 0])


@given(CORPUS, st.lists(TERM | st.just("unseen")))
def test_scores_are_in_0_to_1_and_unseen_words_lower_them(
    corpus: list[list[str]], query: list[str]
) -> None:
    lane = LexicalLane.build(corpus)
    scores, known = lane.scores(query)
    assert ((scores >= 0) & (scores < 1)).all()
    assert 0 <= known <= 1 + 1e-9
    lower, less = lane.scores([*query, "a word that nobody wrote"])
    assert (lower[scores > 0] < scores[scores > 0]).all()
    assert not lower[scores == 0].any()
    assert less < known if known else less == 0
    files = lane.dump()
    loaded = LexicalLane.load(files, len(corpus))
    assert loaded.dump() == files
    assert (loaded.scores(query)[0].tolist(), loaded.scores(query)[1]) == (scores.tolist(), known)


def test_a_long_query_is_read_up_to_its_limit(lane: LexicalLane) -> None:
    padding = [f"pad{number}" for number in range(MAX_QUERY_TERMS)]
    assert lane.scores([*padding, "harbour"])[1] == 0
    assert lane.scores([*padding[1:], "harbour"])[1] > 0
    assert lane.scores(["harbour"] * MAX_QUERY_TERMS + ["ledger"])[0][2] > 0
