"""The scores of passages alone are those that both lanes give them among all."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.errors import CorruptIndexError
from mvp_site.retrieval.backends.plain import word
from mvp_site.retrieval.backends.term_stats import (
    FILES,
    TermStatistics,
    lexical_scores,
    query_terms,
    rescored,
)
from mvp_site.retrieval.collection import IndexedPassage, Query
from mvp_site.retrieval.lexical import MAX_QUERY_TERMS, LexicalLane

EYE = np.eye(3, dtype=np.float32)
TERM = st.sampled_from(["fire", "x", "level=3", "cold", "é", "1d20+5", "a", "b"])
DOCUMENTS = st.lists(st.lists(TERM, max_size=12), min_size=1, max_size=10)


def of(documents: list[list[str]], windows: int = 1) -> TermStatistics:
    vectors = np.ones((windows, 2), np.float32)
    return TermStatistics.of(
        IndexedPassage(n, "g", tuple(terms), vectors, {}) for n, terms in enumerate(documents)
    )


def test_a_passage_scores_by_its_best_window_and_all_its_words() -> None:
    documents = [["fire", "fire", "cold"], ["cold"], []]
    rows = [  # of passage 7 two windows, of 2 and 5 one each, in disorder
        {"number": number, "vector": EYE[axis], "terms": words}
        for number, axis, words in ((7, 0, "fire cold"), (2, 1, "cold"), (5, 2, None), (7, 1, "fire"))
    ]
    query = np.asarray([0.0, 0.6, 0.8], np.float32)
    found = rescored(Query(("g",), query, ("fire", "unseen")), of(documents), rows)
    assert found.numbers.tolist() == [2, 5, 7]
    assert found.cosine == pytest.approx([0.6, 0.8, 0.6])
    truth = LexicalLane.build(documents).scores(("fire", "unseen"))[0]
    assert found.lexical == pytest.approx([truth[1], truth[2], truth[0]], abs=1e-6)
    assert (found.cosine.dtype, found.lexical.dtype) == (np.float32, np.float32)
    for wanted, given_rows in ((Query(("g",), None), rows), (Query(("g",), query, ("fire",)), [])):
        found = rescored(wanted, of(documents), given_rows)
        assert len(found.numbers) == len({row["number"] for row in given_rows})
        assert not found.cosine.any()
        assert not found.lexical.any()


@given(DOCUMENTS, st.lists(st.one_of(TERM, st.just("unseen")), max_size=8))
def test_scores_are_those_of_the_lexical_lane(documents: list[list[str]], query: list[str]) -> None:
    words = [[word(term) for term in terms] for terms in documents]
    found = lexical_scores(of(documents), query, words)
    assert found.dtype == np.float32
    assert found == pytest.approx(LexicalLane.build(documents).scores(query)[0], abs=1e-5)


def test_a_long_query_is_cut_where_the_lane_cuts_it() -> None:
    documents = [["fire", "cold"], ["cold"]]
    query = [f"w{n}" for n in range(MAX_QUERY_TERMS - 1)] + ["fire", "cold"]
    words = [[word(term) for term in terms] for terms in documents]
    assert query_terms(query)[-1] == "fire"
    assert lexical_scores(of(documents), query, words) == pytest.approx(
        LexicalLane.build(documents).scores(query)[0], abs=1e-6
    )


@given(DOCUMENTS, st.integers(0, 10), st.integers(1, 4), st.integers(1, 4))
def test_parts_add_up_and_are_dumped_and_loaded(documents: list[list[str]], cut: int, first: int, second: int) -> None:
    both = of(documents[:cut], first) + of(documents[cut:], second)
    whole = of(documents)
    assert (both.passages, both.length) == (whole.passages, whole.length)
    assert both.frequencies == whole.frequencies
    parts = [windows for windows, part in ((first, documents[:cut]), (second, documents[cut:])) if part]
    assert both.most_windows == max(parts)
    files = both.dump()
    assert set(files) == set(FILES)
    assert TermStatistics.load(files) == both
    assert TermStatistics.load(files).dump() == files


@pytest.mark.parametrize("content", [
    b"", b"{}", b"[]", b"\xff", b"null", b'{"passages": "x"}', None,
    json.dumps({"passages": 1, "length": 1, "most_windows": 1, "frequencies": [1]}).encode(),
])
def test_a_damaged_file_names_the_build(content: bytes | None) -> None:
    with pytest.raises(CorruptIndexError, match="mvp-site entities build"):
        TermStatistics.load({} if content is None else {FILES[0]: content})
