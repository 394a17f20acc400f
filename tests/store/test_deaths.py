"""A writer that is killed leaves the old state or the new one, and the campaign goes on."""

from __future__ import annotations

import json
import os
from itertools import pairwise
from typing import Any

import pytest

from .processes import SECONDS, start

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")


def deaths(*arguments: str) -> list[dict[str, Any]]:
    """What the driver says: first the state of things, then a line for each death."""
    driver = start("killed_commit", *arguments)
    said, wrong = driver.communicate(timeout=SECONDS)
    assert driver.returncode == 0, wrong
    return [json.loads(line) for line in said.splitlines()]


def check(lines: list[dict[str, Any]]) -> tuple[int, int]:
    """The number of deaths that left the old state, and of those that left the new one."""
    left = [0, 0]
    for before, after in pairwise(lines):
        n = after["n"]
        assert n in {before["n"], before["n"] + 1}, after
        assert after["version"] == n + 1, after
        assert after["turns"] == list(range(1, n + 1)), after
        assert after["before"] == list(range(n)), after
        assert after["health"] == "ok", after
        if after["died"]:
            left[n - before["n"]] += 1
        else:
            assert n == before["n"] + 1, after
    return left[0], left[1]


@pytest.mark.slow
def test_between_the_statements(url: str) -> None:
    lines = deaths(url, "statements")
    old, new = check(lines)
    assert old >= 4, lines  # before the commit, and after each statement of it
    assert new == 0
    assert not lines[-1]["died"]


@pytest.mark.slow
def test_at_any_moment(sqlite_url: str) -> None:
    check(deaths(sqlite_url, "times", "60"))
