"""Fusion: a convex combination on absolute scales."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from mvp_site.retrieval.fusion import Fusion

pytestmark = pytest.mark.serving

FUSION = Fusion()
EVIDENCE = hnp.arrays(np.float32, 5, elements=st.floats(0, 1, width=32))
COSINES = hnp.arrays(np.float32, 5, elements=st.floats(-1, 1, width=32))
Scores = npt.NDArray[np.float32]


def scores(*values: float) -> Scores:
    return np.asarray(values, np.float32)


def test_the_weights_are_convex_and_survive_the_manifest() -> None:
    assert FUSION.dense + FUSION.lexical == pytest.approx(1)


@pytest.mark.parametrize(
    ("lexical", "dense", "score"),
    [(1, 1, 1), (0, 0, 0), (1, 0, FUSION.lexical), (0, 1, FUSION.dense), (0.5, None, 0.5), (None, 0.5, 0.5)],
)
def test_a_lane_that_is_missing_leaves_the_other(lexical: float | None, dense: float | None, score: float) -> None:
    lanes = [None if lane is None else scores(lane) for lane in (lexical, dense)]
    assert FUSION.fuse(*lanes) == pytest.approx([score], abs=1e-6)


@given(COSINES)
def test_the_scales_are_absolute_and_keep_the_order(cosines: Scores) -> None:
    """A score does not depend on its neighbours, and a larger one is never worth less."""
    for scale in (FUSION.dense_scale, FUSION.lexical_scale):
        together = scale(np.abs(cosines))
        assert np.array_equal(
            together, np.concatenate([scale(np.abs(cosines[i : i + 1])) for i in range(5)])
        )
        assert (np.diff(together[np.argsort(np.abs(cosines), kind="stable")]) >= 0).all()


@given(st.none() | EVIDENCE, st.none() | EVIDENCE, st.none() | st.floats(0, 1))
def test_scores_and_evidence_stay_in_0_to_1(
    lexical: Scores | None, dense: Scores | None, topic: float | None
) -> None:
    if lexical is None and dense is None:
        return
    fused = FUSION.fuse(lexical, dense)
    evidence = FUSION.evidence(fused, topic)
    for found in (fused, evidence):
        assert found.dtype == np.float32
        assert ((found >= 0) & (found <= 1 + 1e-6)).all()
    # The topic is the same for all passages: it moves none before another.
    assert (np.diff(evidence[np.argsort(fused, kind="stable")]) >= 0).all()
    lifted = fused if topic is None else np.minimum(topic, FUSION.topic_most * fused)
    expected = (1 - FUSION.topic) * fused + FUSION.topic * lifted
    assert evidence == pytest.approx(expected, abs=1e-6)
