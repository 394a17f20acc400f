"""The server under many clients: what is told of a run."""

from __future__ import annotations

from typing import Any

import pytest


def served(waits: tuple[float, ...], failed: int = 0, refused: int = 0) -> Any:
    from benchmarks.serving import Serving

    return Serving(60, {"half-open": 4, "bodies full of <": 46}, waits, failed,
                   {"half-open": {"opened": 400}, "bodies full of <": {"503": 1_200, "200": 7}}, (0.1, 0.2), refused, "mvp-site serve", "the pattern is `a`")  # fmt: skip


@pytest.mark.parametrize(("waits", "failed", "reached"), [
    ((0.01, 0.02, 0.9), 0, True), ((0.01,) * 200 + (1.1,), 0, False), ((0.01, 0.02), 1, False),
])
def test_every_answer_counts(waits: tuple[float, ...], failed: int, reached: bool) -> None:
    from benchmarks.serving import lines

    (*_, value, _, bound, _, _), _ = lines(served(waits, failed))
    assert (value <= bound) is reached


def test_no_probe_may_be_refused() -> None:
    from benchmarks.serving import lines

    for refused in (0, 1):
        _, (_, told, _, value, _, bound, _, _) = lines(served((0.01,), 0, refused))
        assert (value <= bound) is (refused == 0)
        assert told == f"{refused} of 2"


def test_what_the_docs_say_of_it() -> None:
    from benchmarks.serving import section

    told = section(served((0.01, 0.02, 0.9)))
    assert "`mvp-site serve` as a process" in told
    assert "and the pattern is `a`" in told
    assert "`/livez` was asked 2 times" in told
    assert "`/healthz` was asked 3 times" in told
    assert "0.020 s in the median, 0.882 s at the 99th percentile, 0.900 s at the slowest. 409" in told
    assert "| half-open | 4 | opened: 400 |\n| bodies full of `<` | 46 | 200: 7, 503: 1,200 |" in told
    assert "1 of them failed" in section(served((0.01,), 1))


def test_its_bodies_are_the_largest_that_the_app_takes() -> None:
    from benchmarks import serving

    from mvp_site.web.app import CONFIG

    assert serving.BODY <= len(serving._FLOOD) < CONFIG["MAX_CONTENT_LENGTH"]
    assert sum(count for count, _ in serving.KINDS.values()) == 50


@pytest.mark.parametrize("make", ["swelling", "slow"])
def test_hostile_books_are_small(make: str) -> None:
    from benchmarks import hostile_pdf

    assert len(getattr(hostile_pdf, make)()) < 10_000
