"""The server under many clients: what is told of a run."""

from __future__ import annotations

import pytest
from benchmarks import serving

from mvp_site.web.app import CONFIG


@pytest.mark.parametrize(("waits", "failed", "refused", "reached"), [
    ((0.01, 0.02, 0.9), 0, 0, [True, True]), ((0.01,) * 200 + (1.1,), 0, 0, [False, True]), ((0.01, 0.02), 1, 0, [False, True]), ((0.01,), 0, 1, [True, False]),
])
def test_every_answer_and_every_probe_counts(waits: tuple[float, ...], failed: int, refused: int, reached: list[bool]) -> None:
    opened = {"half-open": {"opened": 400}, "bodies full of <": {"503": 1_200, "200": 7}}
    run = serving.Serving(60, {"half-open": 4, "bodies full of <": 46}, waits, failed, opened, (0.1, 0.2), refused, "mvp-site serve", "the pattern is `a`")
    assert [value <= bound for *_, value, _, bound, _, _ in serving.lines(run)] == reached
    assert f"`/healthz` was asked {len(waits)} times" in serving.section(run)


def test_its_bodies_are_the_largest_that_the_app_takes() -> None:
    assert serving.BODY <= len(serving._FLOOD) < CONFIG["MAX_CONTENT_LENGTH"]
    assert sum(count for count, _ in serving.KINDS.values()) == 50
