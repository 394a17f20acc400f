"""What expressions come to, beside a small evaluator of our own and beside ``d20`` itself."""

from __future__ import annotations

import re
import warnings
from itertools import count
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mvp_site.errors import DiceError
from mvp_site.turns.dice import number_of
from mvp_site.turns.dice_evaluation import MAX_TOTAL, Thrown, evaluate
from mvp_site.turns.dice_expression import read_expression

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    import d20
    import d20.expression


def rolled(text: str, *numbers: int) -> Thrown:
    """What ``text`` comes to where the dice show ``numbers``, all of which are thrown."""
    source = iter(numbers)
    thrown = evaluate(read_expression(text), lambda size: next(source))
    assert next(source, None) is None
    assert thrown.dice == numbers
    return thrown


TOTALS = [
    ("1d20", (14,), 14),
    ("d20", (14,), 14),
    ("1d20+5", (14,), 19),
    ("1d20 - 5", (3,), -2),
    ("-1d4", (3,), -3),
    ("2d20kh1+5", (7, 16), 21),
    ("2d20kl1+5", (7, 16), 12),
    ("2d20pl1", (7, 16), 16),
    ("4d6kh3", (1, 6, 2, 6), 14),
    ("4d6pl1", (1, 6, 1, 6), 13),
    ("4d6k6", (1, 6, 2, 6), 12),
    ("4d6p1", (1, 6, 1, 6), 12),
    ("4d6k>2", (1, 6, 2, 3), 9),
    ("4d6p<3", (1, 6, 2, 3), 9),
    ("4d6kh1kl1", (1, 6, 2, 3), 7),
    ("3d6kh5", (1, 2, 3), 6),
    ("3d6kh0", (1, 2, 3), 0),
    ("1d20ro1", (1, 1), 1),
    ("1d20ro1", (2,), 2),
    ("4d6ro1kh3", (1, 6, 1, 2, 5, 4), 15),
    ("2d6rr<3", (2, 5, 1, 4), 9),
    ("2d6e6", (6, 1, 6, 2), 15),
    ("2d6ra6", (6, 6, 6), 18),
    ("2d6ra1ra6", (6, 1, 3), 10),
    ("1d20mi10", (3,), 10),
    ("1d20ma10", (13,), 10),
    ("2d20mi10kh1+7", (3, 12), 19),
    ("1d20mi10ro10", (3, 18), 18),
    ("(1d6+3)*2", (4,), 14),
    ("(2d6+3)/2", (1, 5), 4),
    ("(2d6+2)/2", (1, 2), 2),
    ("-(1d6)/2", (3,), -2),
    ("1d6//2", (5,), 2),
    ("1d6%4", (5,), 1),
    ("1d10/3*3", (1,), 1),
    ("1d8+2d6", (8, 1, 2), 11),
    ("(1d6,1d8)kh1+2", (2, 6), 8),
    ("(1d6,1d8,)", (2, 6), 8),
    ("(2d6,5)kl1", (1, 2), 3),
    ("((1d6+1)kh1, 9)pl1", (1,), 9),
    ("(1d6+2)k9", (1,), 0),
    ("1d100", (100,), 100),
]


@pytest.mark.parametrize(("text", "numbers", "total"), TOTALS)
def test_totals(text: str, numbers: tuple[int, ...], total: int) -> None:
    assert rolled(text, *numbers).total == total


ENDLESS = ["1d1e1", "1d1rr1", "2d6rr<7", "1d6e<7", "100d1ra1", "99d1ro1", "1d6mi1rr1"]


@pytest.mark.parametrize("text", ENDLESS)
def test_what_would_throw_without_end_is_refused(text: str) -> None:
    with pytest.raises(DiceError, match="more than 100 dice with those rerolled and added"):
        evaluate(read_expression(text), lambda size: 1)


def test_as_many_dice_as_allowed_are_thrown() -> None:
    assert evaluate(read_expression("100d6"), lambda size: size).total == 600
    assert evaluate(read_expression("50d1ro1"), lambda size: 1).total == 50


@pytest.mark.parametrize("text", ["1d6/0", "1d6//0", "1d6%0", "1d6/(1d6-1)", "(1d6/0, 9)kh1"])
def test_nothing_is_divided_by_zero(text: str) -> None:
    with pytest.raises(DiceError, match="it divides by zero; write one such as"):
        evaluate(read_expression(text), lambda size: 1)


@pytest.mark.parametrize("text", ["1d6" + "*9999" * 18, "-10000*10000*1d6", "100d1000*11"])
def test_a_total_is_bounded(text: str) -> None:
    with pytest.raises(DiceError, match="its total is beyond 1,000,000"):
        evaluate(read_expression(text), lambda size: size)
    assert evaluate(read_expression("100d1000*10"), lambda size: size).total == MAX_TOTAL


@given(many=st.integers(1, 100), size=st.integers(1, 1_000), keep=st.sampled_from(["", "kh", "kl"]),
       kept=st.integers(1, 100), modifier=st.integers(-10_000, 10_000), seed=st.integers())
def test_sums_with_keep_come_to_what_sorting_says(
    many: int, size: int, keep: str, kept: int, modifier: int, seed: int,
) -> None:
    text = f"{many}d{size}{keep}{kept if keep else ''}{modifier:+}"
    numbers = [number_of(seed, size, k) for k in range(many)]
    best = sorted(numbers, reverse=keep == "kh")[: kept if keep else many]
    assert rolled(text, *numbers).total == sum(best) + modifier
    assert read_expression(text).modifier == modifier


SELECTORS = st.builds("{}{}".format, st.sampled_from(["", "l", "h", "<", ">"]), st.integers(0, 7))
DICE = st.builds(
    "{}d{}{}".format, st.integers(1, 5), st.integers(2, 8),
    st.lists(
        st.builds("{}{}".format, st.sampled_from(["k", "p", "ro", "ra", "rr", "e"]), SELECTORS)
        | st.builds("{}{}".format, st.sampled_from(["mi", "ma"]), st.integers(0, 9)),
        max_size=3,
    ).map("".join),
)
EXPRESSIONS = st.recursive(
    DICE | st.integers(0, 30).map(str),
    lambda inner: (
        st.builds("({}{}{})".format, inner, st.sampled_from(["+", "-", "*", "//", "%", " - "]), inner)
        | st.builds("({},{})k{}".format, inner, inner, SELECTORS)
        | st.builds("-{}".format, inner)
    ),
    max_leaves=5,
)


@settings(max_examples=400)
@given(text=EXPRESSIONS, seed=st.integers(0, 2**64))
def test_means_what_the_library_means(text: str, seed: int) -> None:
    """The same numbers handed to ``d20`` give the same total, or both refuse."""
    ours, theirs = count(), count()
    try:
        thrown = evaluate(read_expression(text), lambda size: number_of(seed, size, next(ours)))
    except DiceError as error:
        refusal = str(error)
    else:
        refusal = ""
    if refusal:
        assert re.search("no dice|by zero|more than 100 dice|characters, and 100 is", refusal)
        return
    double = SimpleNamespace(randrange=lambda size: number_of(seed, size, next(theirs)) - 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(d20.expression, "random", double)
        result = d20.Roller(d20.RollContext(100)).roll(text)
    assert result.total == thrown.total
    assert next(ours) == next(theirs) == len(thrown.dice)


def test_a_total_is_rounded_down_once_at_the_end() -> None:
    assert rolled("1d6/3+1d6/3+1d6/3", 1, 1, 1).total == 1
    assert rolled("1d6/2+1d6/2", 3, 3).total == 3
