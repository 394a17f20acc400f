"""Dice expressions: what they mean, how they are refused, and what they come to."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.errors import DiceError
from mvp_site.turns.dice import number_of
from mvp_site.turns.dice_expression import EXAMPLE, evaluate, read_expression


def rolled(text: str, *numbers: int) -> int:
    """The total that ``text`` comes to where the dice show ``numbers``, all of which are thrown."""
    source = iter(numbers)
    dice, total = evaluate(read_expression(text), lambda size: next(source))
    assert next(source, None) is None
    assert dice == numbers
    return total


@pytest.mark.parametrize(("text", "advantage"), [
    ("1d20", "none"), ("2d20", "none"), ("2d20kh1", "advantage"), ("2d20kl1", "disadvantage"), ("2d20kh+3", "advantage"),
    ("3d20kh1", "advantage"), ("2d20kh2", "none"), ("2d20ro1kh1", "advantage"), ("2d20mi10kh1+7", "advantage"),
    ("2d20kh1+1d4", "advantage"), ("5+2d20kl1", "disadvantage"), ("2d20kh1+2d20kl1", "none"), ("2d12kh1", "none"),
    ("1d20kh1", "none"), (" 2D20KH1 + 5", "advantage"),
])
def test_advantage_is_one_of_several_d20s_kept(text: str, advantage: str) -> None:
    assert read_expression(text).advantage == advantage


REFUSED = [
    ("", "nothing to roll"), (" \t ", "nothing to roll"), ("\0", r"it cannot be read from '\x00' on"),
    ("４d6", r"it cannot be read from '\uff14d6' on"), ("1d٦", "it cannot be read from '"), ("1d20−1", r"from '\u22121'"),
    ("1d20 [fire]", "from '[fire]' on"), ("1d20;1d20", "from ';1d20' on"), ("hello", "from 'hello' on"), ("1d20+5 adv", "from 'adv' on"),
    ("1d20 5", "from '5' on"), ("9**9", "from '**9' on"), ("1d20+", "it cannot be read"), ("(1d6+3)*2", "from '(1d6+3)*2' on"),
    ("1d6/2", "from '/2' on"), ("1d20>=15", "from '>=15' on: it may add whole numbers and dice with kh, kl, ro or mi; give a DC or AC"), ("d", "it cannot be read"), ("1d%", "it cannot be read"),
    ("1d6rr1", "'rr1' cannot be done to dice"), ("4d6e6", "'e6' cannot be done to dice"), ("4d6kh3p1", "'p1' cannot be done"),
    ("5", "no dice in it"), ("20+5", "no dice in it"), ("0d6", "0 dice, and 1 is the least"),
    ("1d0", "a die of 0 sides, and 1 to 1,000 can be rolled"), ("1d1001", "a die of 1,001 sides, and 1 to 1,000"),
    ("101d6", "101 dice, and 100 is the most"), ("60d6+41d8", "101 dice, and 100 is the most"),
    ("999999d6", "999,999 dice, and 100 is the most"), ("1d6kh10001", "the number 10,001"), ("1d20+10001", "the number 10,001, and 10,000 is the most"),
    ("1d20-6000-6000", "its modifier is -12,000, and 10,000 is the most"),
    ("1d20" + "a" * 90 + "(", "cannot be done to dice"), ("1" * 101, "101 characters, and 100 is the most"), ("(" * 1_000_000, "1,000,000 characters, and 100 is the most"),
]


@pytest.mark.parametrize(("text", "message"), REFUSED, ids=[repr(row[0][:20]) for row in REFUSED])
def test_refused_with_the_expression_the_limit_and_a_good_one(text: str, message: str) -> None:
    with pytest.raises(DiceError) as caught:
        read_expression(text)
    assert message in str(caught.value)
    assert f"dice expression {text[:40]!a}"[:-1] in str(caught.value)
    assert str(caught.value).endswith(f"write one such as {EXAMPLE}")
    assert len(str(caught.value)) < 600


@given(st.text("0123456789d+-khlromi<> ", max_size=120) | st.text(max_size=120))
def test_any_text_is_read_or_refused_and_what_is_read_ends(text: str) -> None:
    with suppress(DiceError):
        expression = read_expression(text)
        dice, _ = evaluate(expression, lambda size: 1)
        assert 1 <= len(dice) <= 1_000


@pytest.mark.parametrize(("text", "numbers", "total"), [
    ("1d20", (14,), 14), ("d20", (14,), 14), ("1d20+5", (14,), 19), ("1d20 - 5", (3,), -2), ("-1d4", (3,), -3),
    ("2d20kh1+5", (7, 16), 21), ("2d20kl1+5", (7, 16), 12), ("4d6kh3", (1, 6, 2, 6), 14), ("4d6kh1kl1", (1, 6, 2, 3), 6),
    ("3d6kh5", (1, 2, 3), 6), ("3d6kh0", (1, 2, 3), 0), ("1d20ro1", (1, 1), 1), ("1d20ro1", (2,), 2),
    ("4d6ro1kh3", (1, 6, 1, 2, 5, 4), 15), ("2d6ro<3", (1, 5, 6), 11), ("1d20mi10", (3,), 10),
    ("2d20mi10kh1+7", (3, 12), 19), ("1d8+2d6", (8, 1, 2), 11), ("1d100", (100,), 100),
])
def test_totals(text: str, numbers: tuple[int, ...], total: int) -> None:
    assert rolled(text, *numbers) == total


@given(many=st.integers(1, 100), size=st.integers(1, 1_000), keep=st.sampled_from(["", "kh", "kl"]),
       kept=st.integers(1, 100), modifier=st.integers(-10_000, 10_000), seed=st.integers())
def test_sums_with_keep_come_to_what_sorting_says(
    many: int, size: int, keep: str, kept: int, modifier: int, seed: int,
) -> None:
    text = f"{many}d{size}{keep}{kept if keep else ''}{modifier:+}"
    numbers = [number_of(seed, size, k) for k in range(many)]
    best = sorted(numbers, reverse=keep == "kh")[: kept if keep else many]
    assert rolled(text, *numbers) == sum(best) + modifier
    assert read_expression(text).modifier == modifier
