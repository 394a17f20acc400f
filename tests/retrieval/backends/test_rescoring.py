"""Exact scores from stored windows: the best window, the words of all of them."""

from __future__ import annotations

import numpy as np
import pytest

from mvp_site.retrieval.backends.protocol import Record, Wanted
from mvp_site.retrieval.backends.rescoring import Windows, rescored
from mvp_site.retrieval.backends.term_stats import TermStatistics
from mvp_site.retrieval.lexical import LexicalLane

EYE = np.eye(3, dtype=np.float32)
DOCUMENTS = (("fire", "fire", "cold"), ("cold",), ())
STATS = TermStatistics.of(
    Record(number, "g", terms, EYE[:1], {}) for number, terms in enumerate(DOCUMENTS)
)
ROWS = Windows(  # of passage 7 two windows, of 2 and 5 one each, in disorder
    np.asarray([7, 2, 5, 7], np.int64), EYE[[0, 1, 2, 1]], ["fire cold", "cold", "", "fire"]
)


def test_a_passage_scores_by_its_best_window_and_all_its_words() -> None:
    query = np.asarray([0.0, 0.6, 0.8], np.float32)
    found = rescored(Wanted(("g",), query, ("fire", "unseen")), STATS, ROWS)
    assert found.numbers.tolist() == [2, 5, 7]
    assert found.cosine == pytest.approx([0.6, 0.8, 0.6])
    truth = LexicalLane.build(DOCUMENTS).scores(("fire", "unseen"))[0]
    assert found.lexical == pytest.approx([truth[1], truth[2], truth[0]], abs=1e-6)
    assert (found.cosine.dtype, found.lexical.dtype) == (np.float32, np.float32)


def test_what_is_not_asked_for_is_0() -> None:
    bare = Windows(ROWS.numbers, np.empty((0,), np.float32), [])
    found = rescored(Wanted(("g",), None), STATS, bare)
    assert found.numbers.tolist() == [2, 5, 7]
    assert not found.cosine.any()
    assert not found.lexical.any()
