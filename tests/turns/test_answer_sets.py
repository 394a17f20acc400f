"""The checks against answers that were written without sight of them (``data/README.md``)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mvp_site.turns.checking import RULES, Facts, check_answer
from mvp_site.turns.types import Roll

DATA = Path(__file__).parent / "data"


def lines(name: str) -> list[dict[str, Any]]:
    text = (DATA / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.split("\n") if line]


def named(case: Mapping[str, Any], *, warned: bool = False) -> set[str]:
    """The rules that the checks find broken in a case; ``warned``: those that may be."""
    rolls = tuple(
        Roll(
            roll["id"], roll["expression"], roll["purpose"], tuple(roll["dice"]),
            roll["modifier"], roll["total"], roll.get("advantage") or "none", roll.get("target"),
            roll.get("value"), roll.get("success"),
        )
        for roll in case["rolls"]
    )
    facts = Facts(case["mode"], case["user_input"], case["state"], rolls)
    checked = check_answer(case["answer"], facts)
    places = [(found.rule, found.path or found.message) for found in checked.violations]
    assert len(set(places)) == len(places), "each fault is named once"
    assert places == sorted(places, key=lambda place: RULES.index(place[0])), "in the order of rules"
    assert all(0 < len(found.message) < 400 for found in checked.violations)
    return {found.rule for found in (checked.warnings if warned else checked.violations)}


BAD, GOOD = lines("bad_answers.jsonl"), lines("good_answers.jsonl")
MORE_BAD, MORE_GOOD = lines("more_bad_answers.jsonl"), lines("more_good_answers.jsonl")


def test_the_sets_are_as_large_as_they_should_be() -> None:
    assert [len(cases) >= least for cases, least in ((BAD, 100), (GOOD, 300), (MORE_BAD, 148), (MORE_GOOD, 150))] == [True] * 4
    assert {rule for case in BAD for rule in case["violates"]} == set(RULES)


def test_every_planted_violation_is_named() -> None:
    for case in (*BAD, *MORE_BAD):
        assert set(case["violates"]) <= named(case), (case["id"], case["why"])
        assert set(case.get("warns", ())) <= named(case, warned=True), (case["id"], case["why"])


def test_nothing_else_is_named() -> None:
    for case in MORE_BAD:
        assert named(case) <= {*case["violates"], *case.get("arguable", ())}, (case["id"], case["why"])


def test_no_good_answer_is_refused() -> None:
    assert {case["id"]: named(case) for case in (*GOOD, *MORE_GOOD) if named(case)} == {}
