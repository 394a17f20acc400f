"""Entries of dice_rolls beside the rolls that were made."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mvp_site.turns.dice import Dice, tray_rolls
from mvp_site.turns.dice import entry as shown

from ..answers import (
    ARROW,
    DAMAGE,
    HINDERED,
    MISSING,
    SNEAK,
    STEALTH,
    SWIM,
    Turn,
    entry,
    roll,
)

TIE = roll("r1", "1d20+5", [8], 5, 13, target="DC", value=13)


def showing(*made: Any, entries: Any = None) -> Turn:
    """A turn with other rolls and their honest entries."""
    return SNEAK.rolled(*made).having("dice_rolls", [entry(one) for one in made] if entries is None else entries)


@pytest.mark.parametrize(("place", "value", "path"), [
    ("roll_id", "r7", "roll_id"), ("roll_id", "R1", "roll_id"), ("roll_id", "", "roll_id"), ("roll_id", "r2", "roll_id"), ("dice", [8, 16], "dice"), ("dice", [16], "dice"),
    ("dice", [7, 16, 3], "dice"), ("dice", [], "dice"), ("modifier", 6, "modifier"), ("modifier", -5, "modifier"), ("total", 22, "total"), ("total", 12, "total"), ("total", 10**4000, "total"), ("modifier", 1e300, "modifier"),
    ("expression", "1d20+5", "expression"), ("expression", "2d20kl1+5", "expression"), ("expression", "2d20kh1+7", "expression"), ("expression", "", "expression"), ("dice", ["7", 16], "dice"),
])
def test_a_roll_that_was_not_made_so(place: str, value: Any, path: str) -> None:
    found = SNEAK.having(f"dice_rolls/0/{place}", value).named("roll_made")
    assert f"dice_rolls.{1 if value == 'r2' else 0}.{path}" in [violation.path for violation in found]


@pytest.mark.parametrize(("place", "value"), [
    ("purpose", "Dexterity (Stealth) past the warden"), ("expression", "2D20KH1 + 5"), ("expression", "2d20kh+5"), ("expression", " 2d20kh1+5 "), ("dice", [16, 7]), ("dice", [7.0, 16]),
    ("expression", "2d20kh1+5+0"), ("modifier", 5.0), ("expression", "2d20kh1\u2009+\u20095"), ("advantage", "advantage"), ("purpose", ""), ("total", 21),
])
def test_the_same_roll_in_another_hand(place: str, value: Any) -> None:
    assert SNEAK.having(f"dice_rolls/0/{place}", value).named("roll_made") == []


def test_a_roll_used_twice_or_made_up() -> None:
    twice = SNEAK.having("dice_rolls", [entry(STEALTH), entry(STEALTH)])
    assert [violation.path for violation in twice.named("roll_made")] == ["dice_rolls.1.roll_id"]
    unmade = SNEAK.rolled()
    assert [violation.path for violation in unmade.named("roll_made")] == ["dice_rolls.0.roll_id", "dice_rolls.1.roll_id"]
    assert "made: none" in unmade.named("roll_made")[0].message


@pytest.mark.parametrize(("made", "expression"), [
    (roll("r1", "1d20", [9], 0, 9), "d20"), (roll("r1", "1d100", [41], 0, 41), "d%"), (roll("r1", "1d20+3", [9], 3, 12), "1d20 + 3"), (roll("r1", "1d8+1d6+3", [6, 4], 3, 13), "d8 + d6 + 3"),
    (roll("r1", "4d6kh3", [1, 3, 4, 6], 0, 13), "4D6 kh3"), (roll("r1", "1d20-1", [9], -1, 8), "1d20\u22121"),
])
def test_expressions_have_one_form(made: Any, expression: str) -> None:
    assert showing(made, entries=[entry(made) | {"expression": expression}]).named("roll_made") == []


@pytest.mark.parametrize(("place", "value", "path"), [
    ("target", MISSING, "target"), ("target", None, "target"), ("target", 13, "target"), ("target", "DC 13", "target"), ("target", {}, "target.kind"), ("target/kind", MISSING, "target.kind"),
    ("target/value", MISSING, "target.value"), ("target/kind", "TN", "target.kind"), ("target/kind", "dc", "target.kind"), ("target/kind", "save", "target.kind"), ("target/value", "13", "target.value"),
    ("target/value", None, "target.value"), ("target/value", 12, "target"), ("target/value", 15, "target"), ("target/kind", "AC", "target"), ("success", False, "success"), ("target/value", 22, "target"), ("target/value", 10**4000, "target"),
])
def test_a_target_that_is_wrong(place: str, value: Any, path: str) -> None:
    found = SNEAK.having(f"dice_rolls/0/{place}", value).named("roll_target")
    assert f"dice_rolls.0.{path}" in [violation.path for violation in found]


@pytest.mark.parametrize(("made", "change", "caught"), [
    (TIE, {}, False), (TIE, {"success": False}, True), (replace(TIE, dice=(7,), total=12, success=False), {}, False), (replace(TIE, dice=(7,), total=12, success=False), {"success": True}, True),
    (DAMAGE, {}, False), (DAMAGE, {"success": False}, True), (roll("r1", "1d4-5", [2], -5, -3), {}, False), (roll("r1", "1d4-5", [2], -5, -3), {"success": False}, False),
    (ARROW, {"success": False}, True), (roll("r1", "1d20-4", [20], -4, 16, target="AC", value=18), {"success": True}, False), (roll("r1", "1d20-4", [20], -4, 16, target="AC", value=18), {}, False),
    (roll("r1", "1d20+9", [1], 9, 10, target="AC", value=9), {"success": False}, False), (roll("r1", "1d20+9", [1], 9, 10, target="DC", value=9), {"success": False}, True),
    (roll("r1", "1d20-4", [20], -4, 16, target="DC", value=18), {"success": True}, True), (roll("r1", "2d20kl1+4", [20, 3], 4, 7, target="AC", value=12, advantage="disadvantage"), {"success": True}, True),
    (roll("r1", "2d20kh1+4", [20, 3], 4, 24, target="AC", value=26, advantage="advantage"), {"success": True}, False), (roll("r1", "1d20+2", [14], 2, 16), {"target": {"kind": "DC", "value": 15}}, False),
    (roll("r1", "1d20+2", [12], 2, 14), {"target": {"kind": "DC", "value": 15}}, True), (roll("r1", "1d8+3", [1], 3, 4, target="AC", value=5), {"success": True}, True),
])
def test_success_follows_from_total_and_target(made: Any, change: dict[str, Any], caught: bool) -> None:
    assert bool(showing(made, entries=[entry(made) | change]).named("roll_target")) is caught


@pytest.mark.parametrize(("made", "change", "path"), [
    (STEALTH, {"dice": [16]}, "dice"), (STEALTH, {"dice": []}, "dice"), (STEALTH, {"advantage": "none"}, "advantage"), (STEALTH, {"advantage": "disadvantage"}, "advantage"),
    (HINDERED, {"dice": [3]}, "dice"), (HINDERED, {"advantage": "advantage"}, "advantage"), (HINDERED, {"advantage": "none"}, "advantage"), (SWIM, {"advantage": "advantage"}, "advantage"),
    (SWIM, {"advantage": "disadvantage"}, "advantage"), (SWIM, {"expression": "2d20kh1+2"}, "advantage"), (DAMAGE, {"advantage": "advantage"}, "advantage"), (STEALTH, {"expression": "2d20kl1+5"}, "advantage"),
])
def test_advantage_shows_both_dice(made: Any, change: dict[str, Any], path: str) -> None:
    found = showing(made, entries=[entry(made) | change]).named("roll_dice")
    assert f"dice_rolls.0.{path}" in [violation.path for violation in found]


@pytest.mark.parametrize("made", [
    STEALTH, SWIM, HINDERED, DAMAGE, roll("r1", "2d20kh1+5+1d4", [7, 16, 3], 5, 24, advantage="advantage"), roll("r1", "4d6kh3", [1, 3, 4, 6], 0, 13), roll("r1", "2d6+3", [1, 6], 3, 10),
    roll("r1", "2d20", [1, 6], 0, 7), roll("r1", "2D20 KL1", [4, 5], 0, 4, advantage="disadvantage"), roll("r1", "2d20kh", [4, 5], 0, 5, advantage="advantage"), roll("r1", "12d20kh3", [1] * 12, 0, 3),
    roll("r1", "3d20kh1", [4, 5, 6], 0, 6, advantage="advantage"),
])
def test_a_roll_as_it_was_made_is_no_fault(made: Any) -> None:
    assert showing(made).check().violations == ()


R1, R2, R3 = (roll(f"r{n}", "1d20+5", [n], 5, n + 5, target="DC", value=13) for n in (1, 2, 3))


@pytest.mark.parametrize(("made", "shown_ids", "told"), [
    ((R1, R2, R3), "r3", "lacks r1, r2;"), ((R1, R2, R3), "r1 r2", "lacks r3;"), ((R1, R2, R3), "", "lacks r1, r2, r3;"), ((R1, R2, R3), "r1 r3", "lacks r2;"),
    ((R1, R2, R3), "r2 r1 r3", "made is r1, r2, r3"), ((R1, R2), "r2 r1", "shows r2, r1;"), ((R1,), "", "lacks r1;"), ((R1, R2, R3), "r1 r9", "lacks r2, r3;"), ((R1, R1, R2), "r1", "lacks r2;"),
    ((R1, R2, R3), "r1 r2 r3", ""), ((), "", ""), ((R1,), "r1", ""), ((R1, R2), "r1 r1 r2", ""), ((R1,), "r9", ""),
])
def test_every_roll_that_was_made_is_shown_in_order(made: tuple[Any, ...], shown_ids: str, told: str) -> None:
    ids = {one.id: one for one in (R1, R2, R3)} | {"r9": replace(R1, id="r9")}
    found = showing(*made, entries=[entry(ids[one]) for one in shown_ids.split()]).named("roll_shown")
    assert bool(found) is bool(told)
    assert all(violation.path == "dice_rolls" and told in violation.message for violation in found)


EXPRESSIONS = [
    "1d20+5", "d20", "2d20kh1+5", "2d20kl1-1", "1d8+3", "2d6", "4d6kh3", "1d100", "1d20+5+1d4", "2d20kh1+3+1d4", "1d4-5", "8d6", "1d12 + 2", "2D20KH1+1", "2d20+1",
]
TARGETS = [(None, None), ("DC", 13), ("DC", 0), ("AC", 16), ("AC", 1), ("DC", 30)]


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32), st.lists(st.tuples(st.sampled_from(EXPRESSIONS), st.sampled_from(TARGETS)), max_size=8), st.booleans())
def test_what_the_dice_give_keeps_every_rule_of_rolls(seed: int, thrown: list[Any], tray: bool) -> None:
    dice = Dice(seed)
    for expression, (kind, value) in thrown:
        dice.roll(expression, "a try", kind, value)
    entries = [shown(made) for made in dice.rolls]
    made = tray_rolls(Dice(seed), entries) if tray else dice.rolls
    turn = SNEAK.rolled(*made).having("dice_rolls", entries)
    assert turn.check().violations == ()
    if entries:
        lie = turn.having("dice_rolls/0/total", entries[0]["total"] + 1)
        cheated = tray_rolls(Dice(seed), lie.answer["dice_rolls"]) if tray else made
        assert lie.rolled(*cheated).named("roll_made")
