"""Dice expressions: what they mean, how they are refused, and what they come to."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mvp_site.errors import DiceError
from mvp_site.turns.dice import number_of
from mvp_site.turns.dice_expression import (
    EXAMPLE,
    MAX_DEPTH,
    MAX_TOTAL,
    evaluate,
    read_expression,
)

read_expression("1d20")  # builds the grammar, so that no property is charged for it

def rolled(text: str, *numbers: int) -> int:
    """The total that ``text`` comes to where the dice show ``numbers``, all of which are thrown."""
    source = iter(numbers)
    dice, total = evaluate(read_expression(text), lambda size: next(source))
    assert next(source, None) is None
    assert dice == numbers
    return total


MODIFIERS = [
    ("1d20", 0), ("1d20+5", 5), ("1d20-5", -5), ("5+1d20", 5), ("-1+1d20", -1), ("- - 1 + 1d20", 1), ("1d20 + 5 - 2", 3),
    ("1d20-(3-1)", -2), ("2d20kh1+5", 5), ("1d8+1d6+3", 3), ("1d8-1d4+3", 3), ("(1d8+3)", 3), ("4d6kh3", 0),
    ("(1d6+3)*2", 0), ("1d6*2+3", 0), ("1d6/2", 0), ("(1d6,2)+3", 0), ("(1d6+2)kh1+3", 0), ("1d20+10000", 10_000),
]


@pytest.mark.parametrize(("text", "modifier"), MODIFIERS)
def test_modifier_is_the_constant_of_a_plain_sum(text: str, modifier: int) -> None:
    assert read_expression(text).modifier == modifier


ADVANTAGES = [
    ("1d20", "none"), ("2d20", "none"), ("2d20kh1", "advantage"), ("2d20kl1", "disadvantage"), ("2d20pl1", "advantage"),
    ("2d20ph1+3", "disadvantage"), ("3d20kh1", "advantage"), ("3d20pl2", "advantage"), ("3d20pl1", "none"),
    ("2d20kh2", "none"), ("2d20kh1kl1", "none"), ("2d20ro1kh1", "advantage"), ("2d20mi10kh1+7", "advantage"),
    ("2d20kh1+1d4", "advantage"), ("5+2d20kl1", "disadvantage"), ("(2d20kh1)", "advantage"), ("(2d20)kh1", "advantage"),
    ("2d20kh1+2d20kh1", "advantage"), ("2d20kh1+2d20kl1", "none"), ("2d12kh1", "none"), ("1d20kh1", "none"),
    ("1d20 adv", "advantage"), ("1d20+5 advantage", "advantage"), ("d20 adv + 5", "advantage"),
    ("1d20+5 with advantage", "advantage"), ("1d20 dis", "disadvantage"), ("1D20+5 DISADVANTAGE", "disadvantage"),
    ("1d20 at disadvantage - 1", "disadvantage"),
]


@pytest.mark.parametrize(("text", "advantage"), ADVANTAGES)
def test_advantage_is_one_of_several_d20s_kept(text: str, advantage: str) -> None:
    assert read_expression(text).advantage == advantage


@pytest.mark.parametrize("text", ["1d20+5 adv", "d20 adv +5", "2D20KH1 + 5", " 2d20kh1+5"])
def test_words_and_capitals_are_another_way_to_write_the_same(text: str) -> None:
    read = read_expression(text)
    assert read.text == text, "the text stays as it was written"
    assert (read.modifier, read.advantage) == (5, "advantage")
    assert rolled(text, 7, 16) == 21


REFUSED = [
    ("", "nothing to roll"), (" \t ", "nothing to roll"), ("\0", r"the character '\x00' has no meaning"),
    ("1d20\0", r"the character '\x00' has no meaning"), ("４d6", r"the character '\uff14' has no meaning"),
    ("1d٦", r"the character '\u0666' has no meaning"), ("1d20−1", r"the character '\u2212' has no meaning"),
    ("\ud800", r"the character '\ud800' has no meaning"), ("1d20\n+5", r"the character '\n' has no meaning"),
    ("1d20 [fire]", "the character '[' has no meaning"), ("1d20 # to hit", "the character '#' has no meaning"),
    ("1d20;1d20", "the character ';' has no meaning"), ("hello", "cannot be read at character 1"),
    ("1d20 5", "cannot be read at character 6"), ("9**9", "cannot be read at character 3"), ("1d20+", "cannot be read at"),
    ("(1d20", "cannot be read at"), ("1d20)", "cannot be read at character 5"),
    ("1d20 with luck", "cannot be read at character 6"), ("11d20 adv", "cannot be read at character 7"),
    ("d", "cannot be read at"), ("1d-6", "cannot be read at"), ("(1d6)rr1", "cannot be read at"), ("5", "no dice in it"),
    ("20+5", "no dice in it"), ("()", "no dice in it"), ("0d6", "0 dice, and 1 is the least"),
    ("1d0", "a die of 0 sides, and 1 to 1,000 can be rolled"), ("1d1001", "a die of 1,001 sides, and 1 to 1,000"),
    ("1d%", "d% is written d100"), ("101d6", "101 dice, and 100 is the most"),
    ("60d6+41d8", "101 dice, and 100 is the most"), ("999999d999999", "999,999"),
    ("1d20+10001", "the number 10,001, and 10,000 is the most"),
    ("1d20+6000+6000", "its modifier is 12,000, and 10,000 is the most"),
    ("1d20-6000-6000", "its modifier is -12,000, and 10,000 is the most"),
    ("1d20mi10001", "the number 10,001, and 10,000 is the most"), ("1d20mil5", "mi takes a number, as in 1d20mi10"),
    ("1d20mah5", "ma takes a number, as in 1d20ma10"), ("1d6*1.5", "1.5 is no whole number"),
    ("1d20>=15", "the comparison >= is not rolled; give a DC or AC"), ("1d20==20", "the comparison == is not rolled"),
    ("(" * 11 + "1d6" + ")" * 11, f"parentheses more than {MAX_DEPTH} deep"),
    ("(" * 100, f"parentheses more than {MAX_DEPTH} deep"), ("1" * 101, "101 characters, and 100 is the most"),
    ("(" * 1_000_000, "1,000,000 characters, and 100 is the most"),
]


@pytest.mark.parametrize(("text", "message"), REFUSED, ids=[repr(row[0][:20]) for row in REFUSED])
def test_refused_with_the_expression_the_limit_and_a_good_one(text: str, message: str) -> None:
    with pytest.raises(DiceError) as caught:
        read_expression(text)
    assert message in str(caught.value)
    assert f"dice expression {text[:40]!a}"[:-1] in str(caught.value)
    assert str(caught.value).endswith(f"write one such as {EXAMPLE}")
    assert len(str(caught.value)) < 600


@settings(max_examples=300)
@given(st.text("0123456789d+-*/%().,kphlroaemi<>= ", max_size=120) | st.text(max_size=120))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(DiceError):
        read = read_expression(text)
        assert read.text == text
        assert abs(read.modifier) <= 10_000


def test_reading_warns_of_nothing_and_leaves_the_filters_alone() -> None:
    code = (
        "import warnings; before = list(warnings.filters)\n"
        "from mvp_site.turns.dice_expression import read_expression\n"
        "import sys; assert 'd20' not in sys.modules\n"
        "read_expression('1d20+5'); assert 'd20' in sys.modules\n"
        "assert warnings.filters == before"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


# What comes of them

TOTALS = [
    ("1d20", (14,), 14), ("d20", (14,), 14), ("1d20+5", (14,), 19), ("1d20 - 5", (3,), -2), ("-1d4", (3,), -3),
    ("2d20kh1+5", (7, 16), 21), ("2d20kl1+5", (7, 16), 12), ("2d20pl1", (7, 16), 16), ("4d6kh3", (1, 6, 2, 6), 14),
    ("4d6pl1", (1, 6, 1, 6), 13), ("4d6k6", (1, 6, 2, 6), 12), ("4d6p1", (1, 6, 1, 6), 12), ("4d6k>2", (1, 6, 2, 3), 9),
    ("4d6p<3", (1, 6, 2, 3), 9), ("4d6kh1kl1", (1, 6, 2, 3), 7), ("3d6kh5", (1, 2, 3), 6), ("3d6kh0", (1, 2, 3), 0),
    ("1d20ro1", (1, 1), 1), ("1d20ro1", (2,), 2), ("4d6ro1kh3", (1, 6, 1, 2, 5, 4), 15), ("2d6rr<3", (2, 5, 1, 4), 9),
    ("2d6e6", (6, 1, 6, 2), 15), ("2d6ra6", (6, 6, 6), 18), ("2d6ra1ra6", (6, 1, 3), 10), ("1d20mi10", (3,), 10),
    ("1d20ma10", (13,), 10), ("2d20mi10kh1+7", (3, 12), 19), ("1d20mi10ro10", (3, 18), 18), ("(1d6+3)*2", (4,), 14),
    ("(2d6+3)/2", (1, 5), 4), ("(2d6+2)/2", (1, 2), 2), ("-(1d6)/2", (3,), -2), ("1d6//2", (5,), 2), ("1d6%4", (5,), 1),
    ("1d10/3*3", (1,), 1), ("1d8+2d6", (8, 1, 2), 11), ("(1d6,1d8)kh1+2", (2, 6), 8), ("(1d6,1d8,)", (2, 6), 8),
    ("(2d6,5)kl1", (1, 2), 3), ("((1d6+1)kh1, 9)pl1", (1,), 9), ("(1d6+2)k9", (1,), 0), ("1d100", (100,), 100),
]


@pytest.mark.parametrize(("text", "numbers", "total"), TOTALS)
def test_totals(text: str, numbers: tuple[int, ...], total: int) -> None:
    assert rolled(text, *numbers) == total


ENDLESS = ["1d1e1", "1d1rr1", "2d6rr<7", "1d6e<7", "100d1ra1", "99d1ro1", "1d6mi1rr1"]


@pytest.mark.parametrize("text", ENDLESS)
def test_what_would_throw_without_end_is_refused(text: str) -> None:
    with pytest.raises(DiceError, match="more than 100 dice with those rerolled and added"):
        evaluate(read_expression(text), lambda size: 1)


@pytest.mark.parametrize("text", ["1d6/0", "1d6//0", "1d6%0", "1d6/(1d6-1)", "(1d6/0, 9)kh1"])
def test_nothing_is_divided_by_zero(text: str) -> None:
    with pytest.raises(DiceError, match="it divides by zero; write one such as"):
        evaluate(read_expression(text), lambda size: 1)


@pytest.mark.parametrize("text", ["1d6" + "*9999" * 18, "-10000*10000*1d6", "100d1000*11"])
def test_a_total_is_bounded(text: str) -> None:
    with pytest.raises(DiceError, match="its total is beyond 1,000,000"):
        evaluate(read_expression(text), lambda size: size)
    assert evaluate(read_expression("100d1000*10"), lambda size: size)[1] == MAX_TOTAL


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
