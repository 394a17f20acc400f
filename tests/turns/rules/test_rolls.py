"""Entries of dice_rolls beside the rolls that were made."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mvp_site.turns.dice import Dice, entry, tray_rolls

from ..answers import (
    ARROW,
    DAMAGE,
    SNEAK,
    Turn,
    roll,
)

TIE = roll("r1", "1d20+5", [8], 5, 13, target="DC", value=13)


def showing(*made: Any, entries: Any = None) -> Turn:
    """A turn with other rolls and their honest entries."""
    return SNEAK.rolled(*made).having("dice_rolls", [entry(one) for one in made] if entries is None else entries)


@pytest.mark.parametrize(("place", "value"), [
    ("purpose", "Dexterity (Stealth) past the warden"), ("expression", "2D20KH1 + 5"), ("expression", "2d20kh+5"), ("expression", " 2d20kh1+5 "), ("dice", [16, 7]), ("dice", [7.0, 16]),
    ("expression", "2d20kh1+5+0"), ("modifier", 5.0), ("expression", "2d20kh1\u2009+\u20095"), ("advantage", "advantage"), ("purpose", ""), ("total", 21),
])
def test_the_same_roll_in_another_hand(place: str, value: Any) -> None:
    assert SNEAK.having(f"dice_rolls/0/{place}", value).named("roll_made") == []


@pytest.mark.parametrize(("made", "expression"), [
    (roll("r1", "1d20", [9], 0, 9), "d20"), (roll("r1", "1d100", [41], 0, 41), "d%"), (roll("r1", "1d20+3", [9], 3, 12), "1d20 + 3"), (roll("r1", "1d8+1d6+3", [6, 4], 3, 13), "d8 + d6 + 3"),
    (roll("r1", "4d6kh3", [1, 3, 4, 6], 0, 13), "4D6 kh3"), (roll("r1", "1d20-1", [9], -1, 8), "1d20\u22121"),
])
def test_expressions_have_one_form(made: Any, expression: str) -> None:
    assert showing(made, entries=[entry(made) | {"expression": expression}]).named("roll_made") == []


@pytest.mark.parametrize("expression", ["1d20+5 with advantage", "d20 at disadvantage", "1d20 adv", "d20 dis + 2"])
def test_a_roll_as_people_write_it_is_shown_as_it_was_made(expression: str) -> None:
    dice = Dice(7)
    made = dice.roll(expression, "Stealth", "DC", 13)
    turn = showing(made)
    assert [turn.named(rule) for rule in ("roll_made", "roll_dice", "roll_target")] == [[], [], []]


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


R1, R2, R3 = (roll(f"r{n}", "1d20+5", [n], 5, n + 5, target="DC", value=13) for n in (1, 2, 3))


EXPRESSIONS = [
    "1d20+5", "d20", "2d20kh1+5", "2d20kl1-1", "1d8+3", "2d6", "4d6kh3", "1d100", "1d20+5+1d4", "2d20kh1+3+1d4", "1d4-5", "8d6", "1d12 + 2", "2D20KH1+1", "2d20+1",
]
TARGETS = [(None, None), ("DC", 13), ("DC", 0), ("AC", 16), ("AC", 1), ("DC", 30)]


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32), st.lists(st.tuples(st.sampled_from(EXPRESSIONS), st.sampled_from(TARGETS)), max_size=8), st.booleans())
def test_what_the_dice_give_keeps_every_rule_of_rolls(seed: int, thrown: list[Any], tray: bool) -> None:
    dice = Dice(seed)
    for expression, (kind, value) in thrown:
        dice.roll(expression, "a try", kind, value)
    entries = [entry(made) for made in dice.rolls]
    made = tray_rolls(Dice(seed), entries) if tray else dice.rolls
    turn = SNEAK.rolled(*made).having("dice_rolls", entries)
    assert turn.check().violations == ()
    if entries:
        lie = turn.having("dice_rolls/0/total", entries[0]["total"] + 1)
        cheated = tray_rolls(Dice(seed), lie.answer["dice_rolls"]) if tray else made
        assert lie.rolled(*cheated).named("roll_made")
