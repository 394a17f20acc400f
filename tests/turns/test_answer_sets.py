"""The checks against answers that were written without sight of them (``data/README.md``)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from mvp_site.turns.contract import RULES, Facts, check
from mvp_site.turns.types import Roll

DATA = Path(__file__).parent / "data"


def lines(name: str) -> list[dict[str, Any]]:
    text = (DATA / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.split("\n") if line]


def named(case: Mapping[str, Any]) -> set[str]:
    """The rules that the checks find broken in a case."""
    rolls = tuple(
        Roll(
            roll["id"], roll["expression"], roll["purpose"], tuple(roll["dice"]),
            roll["modifier"], roll["total"], roll.get("advantage") or "none", roll.get("target"),
            roll.get("value"), roll.get("success"),
        )
        for roll in case["rolls"]
    )
    facts = Facts(case["mode"], case["user_input"], case["state"], rolls)
    return {violation.rule for violation in check(case["answer"], facts).violations}


BAD, GOOD = lines("bad_answers.jsonl"), lines("good_answers.jsonl")


def test_the_sets_are_as_large_as_they_should_be() -> None:
    assert len(BAD) >= 100
    assert len(GOOD) >= 300
    assert {case["mode"] for case in GOOD} == {"story", "dm", "god"}
    assert {rule for case in BAD for rule in case["violates"]} == {rule.name for rule in RULES}


@pytest.mark.parametrize("case", BAD, ids=[case["id"] for case in BAD])
def test_every_planted_violation_is_named(case: dict[str, Any]) -> None:
    assert set(case["violates"]) <= named(case), case["why"]


@pytest.mark.parametrize("case", GOOD, ids=[case["id"] for case in GOOD])
def test_no_good_answer_is_refused(case: dict[str, Any]) -> None:
    assert named(case) == set()
