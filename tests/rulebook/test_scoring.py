from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.rulebook.scoring import lifted_to_parents


@given(st.lists(st.tuples(st.floats(0, 1, width=32), st.integers(0, 30)), min_size=1, max_size=30))
def test_evidence_climbs_to_the_top(found: list[tuple[float, int]]) -> None:
    scores = np.asarray([score for score, _ in found], np.float32)
    parents = [None if back >= number else back for number, (_, back) in enumerate(found)]
    lifted = lifted_to_parents(scores, parents, 0.5)
    for number, score in enumerate(scores):
        below = [(score + lifted[child]) / 2 for child, parent in enumerate(parents) if parent == number]
        assert lifted[number] == pytest.approx(max([score, *below]))
