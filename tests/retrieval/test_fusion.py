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
    assert FUSION.dense + FUSION.lexical + FUSION.hints + FUSION.topic == pytest.approx(1)
    assert Fusion(**FUSION.as_dict()) == FUSION


LANES = FUSION.dense + FUSION.lexical


@pytest.mark.parametrize(
    ("lexical", "dense", "hints", "topic", "fused"),
    [
        (1, 1, 1, 1, 1),
        (0, 0, 0, 0, 0),
        (1, 0, None, None, FUSION.lexical),
        (0, 1, None, None, FUSION.dense),
        (1, None, None, None, LANES),
        (None, 1, None, None, LANES),
        (0, 0, None, 1, FUSION.topic),
        (0, 0, 1, 1, FUSION.topic + FUSION.hints),
        (0, 0, 1, 0.5, (FUSION.topic + FUSION.hints) / 2),
        (0, 0, 1, 0, 0),
        (0, 0, 1, None, 0),
        (None, 1, 1, 1, 1),
        (1, None, 1, 1, 1),
    ],
)
def test_a_lane_that_is_missing_leaves_the_other(
    lexical: float | None,
    dense: float | None,
    hints: float | None,
    topic: float | None,
    fused: float,
) -> None:
    lanes = [None if lane is None else scores(lane) for lane in (lexical, dense, hints)]
    assert FUSION.fuse(*lanes, topic) == pytest.approx([fused], abs=1e-6)


@given(COSINES)
def test_the_scales_are_absolute_and_keep_the_order(cosines: Scores) -> None:
    """A score does not depend on its neighbours, and a larger one is never worth less."""
    for scale in (FUSION.dense_scale, FUSION.lexical_scale):
        together = scale(np.abs(cosines))
        assert np.array_equal(
            together, np.concatenate([scale(np.abs(cosines[i : i + 1])) for i in range(5)])
        )
        assert (np.diff(together[np.argsort(np.abs(cosines), kind="stable")]) >= 0).all()


@given(
    st.none() | EVIDENCE, st.none() | EVIDENCE, st.none() | EVIDENCE, st.none() | st.floats(0, 1)
)
def test_fused_evidence_stays_in_0_to_1(
    lexical: Scores | None, dense: Scores | None, hints: Scores | None, topic: float | None
) -> None:
    if lexical is None and dense is None:
        return
    fused = FUSION.fuse(lexical, dense, hints, topic)
    assert fused.dtype == np.float32
    assert (fused >= 0).all()
    assert (fused <= 1 + 1e-6).all()
