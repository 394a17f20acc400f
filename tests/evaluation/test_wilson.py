"""Wilson's interval: values from the formula's own literature, and what holds for any counts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.evaluation.wilson import Share, share


@pytest.mark.parametrize(
    ("count", "of", "low", "high"),
    [
        (0, 0, 0.0, 1.0),
        (0, 1, 0.0, 0.793),
        (1, 1, 0.207, 1.0),
        (0, 72, 0.0, 0.051),
        (72, 72, 0.949, 1.0),
        (10, 20, 0.299, 0.701),
        (81, 263, 0.255, 0.366),  # R. G. Newcombe, Statistics in Medicine 17 (1998), table I
        (15, 148, 0.062, 0.160),  # the same
        (1, 29, 0.006, 0.172),  # the same
    ],
)
def test_known_intervals(count: int, of: int, low: float, high: float) -> None:
    found = share(count, of)
    assert (found.count, found.of) == (count, of)
    assert found.low == pytest.approx(low, abs=5e-4)
    assert found.high == pytest.approx(high, abs=5e-4)


@given(st.integers(0, 500).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))))
def test_the_interval_holds_the_share_and_mirrors(counts: tuple[int, int]) -> None:
    count, of = counts
    found, other = share(count, of), share(of - count, of)
    assert 0 <= found.low <= found.high <= 1
    if of:
        assert found.low <= count / of <= found.high
    assert found.low == pytest.approx(1 - other.high, abs=1e-12)


def test_more_turns_say_more() -> None:
    widths = [found.high - found.low for found in (share(n // 4, n) for n in (4, 20, 72, 400))]
    assert widths == sorted(widths, reverse=True)
    assert share(3, 4) == Share(3, 4, pytest.approx(0.3006, abs=1e-3), pytest.approx(0.9544, abs=1e-3))  # type: ignore[arg-type]
