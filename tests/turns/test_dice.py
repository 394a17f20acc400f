"""The dice of a turn: streams, rolls, replays, the tray, and the model's tool."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.errors import DiceError
from mvp_site.llm.protocol import ToolCall
from mvp_site.turns.dice import MAX_ROLLS, Dice, answer_call, entry, number_of, tray_rolls
from mvp_site.turns.dice_expression import EXAMPLE, evaluate, read_expression
from mvp_site.turns.tools import described

read_expression("1d20")  # builds the grammar, so that no property is charged for it

SIZES = st.sampled_from([4, 6, 8, 10, 12, 20, 100, 7])
ENTRY_FIELDS = {
    "roll_id", "purpose", "expression", "dice", "modifier", "total", "advantage", "target", "success",
}


def test_numbers_are_those_of_the_documented_hash() -> None:
    """Whoever changes these numbers makes every stored turn unrepeatable."""
    assert [number_of(7, 20, k) for k in range(12)] == [12, 6, 15, 15, 2, 13, 14, 1, 1, 7, 15, 6]
    digest = sha256(b"mvp-site dice 1:7:20:3:0").digest()
    assert number_of(7, 20, 3) == int.from_bytes(digest[:8], "big") % 20 + 1


# Critical values of chi-square at 0.001; the seeds are fixed, so the outcome is as well.
FAIRNESS = [(2, 10.83), (6, 20.52), (20, 43.82), (100, 148.2)]


@pytest.mark.parametrize(("size", "critical"), FAIRNESS)
def test_numbers_are_evenly_spread(size: int, critical: float) -> None:
    throws = 200 * size
    along = [number_of(11, size, k) for k in range(throws)]
    across = [number_of(seed, size, 0) for seed in range(throws)]
    for numbers in (along, across):
        counts = Counter(numbers)
        assert set(counts) == set(range(1, size + 1))
        assert sum((counts[n] - 200) ** 2 / 200 for n in range(1, size + 1)) < critical


@given(st.integers(), st.lists(SIZES, max_size=29))
def test_a_size_has_the_same_numbers_whatever_is_thrown_in_between(
    seed: int, sizes: list[int],
) -> None:
    dice = Dice(seed)
    thrown: dict[int, list[int]] = {}
    for size in sizes:
        thrown.setdefault(size, []).extend(dice.roll(f"1d{size}").dice)
    for size, numbers in thrown.items():
        alone = Dice(seed).roll(f"{len(numbers)}d{size}")
        assert alone.dice == tuple(numbers)
        assert all(1 <= number <= size for number in numbers)


def test_a_refused_roll_takes_no_number() -> None:
    dice = Dice(7)
    for expression in ("1d20+60d1+60d1", "1d20/0", "1d20+", "1d20*10000*10000"):
        with pytest.raises(DiceError):
            dice.roll(expression)
    assert dice.roll("1d20") == Dice(7).roll("1d20")


def test_rolls_of_a_turn_are_limited() -> None:
    dice = Dice(1)
    for _ in range(MAX_ROLLS):
        dice.roll("1d20")
    with pytest.raises(DiceError, match="30 rolls were made, and that is the most for one turn"):
        dice.roll("1d20")


def claimed(*expressions: str, **fields: Any) -> list[dict[str, Any]]:
    """Entries as a model writes them, numbers left out."""
    return [
        {"expression": text, "purpose": "Stealth", "target": {"kind": "DC", "value": 13}, **fields}
        for text in expressions
    ]


@given(st.integers(), st.lists(st.sampled_from(["1d20", "2d20kh1+5", "2d6", "1d6ro1", "8d8"])))
def test_tray_rolls_are_what_the_tool_would_have_rolled(seed: int, expressions: list[str]) -> None:
    dice = Dice(seed)
    expected = tuple(dice.roll(text, "Stealth", "DC", 13) for text in expressions[:MAX_ROLLS])
    assert tray_rolls(dice, claimed(*expressions)) == expected
    assert dice.rolls == expected
    assert tray_rolls(Dice(seed), [entry(roll) for roll in expected]) == expected


BAD_ENTRIES: list[Any] = [
    None, 3, "1d20", [], {}, {"expression": 20}, {"expression": None}, {"expression": "1d20+"},
    {"expression": "999999d999999"}, {"expression": "60d1+60d1"}, {"expression": "\ud800"},
]


@pytest.mark.parametrize("bad", BAD_ENTRIES)
def test_a_bad_entry_makes_no_roll_and_takes_no_number(bad: Any) -> None:
    good = claimed("1d20", "1d20")
    first, second = tray_rolls(Dice(7), good)
    assert tray_rolls(Dice(7), [good[0], bad, good[1]]) == (first, replace(second, id="r3"))


BAD_FIELDS: list[tuple[dict[str, Any], tuple[str, Any, Any]]] = [
    *(({"target": target}, ("Stealth", None, None)) for target in (
        None, "DC 13", {"kind": "XX", "value": 13}, {"kind": "DC", "value": "13"}, {"kind": "DC", "value": 1e400}, {"kind": ["DC"], "value": 13}, {"kind": "DC", "value": 0})),
    ({"target": {"kind": "AC", "value": 13}}, ("Stealth", "AC", 13)), ({"purpose": 5}, ("", "DC", 13)),
]


@pytest.mark.parametrize(("fields", "read"), BAD_FIELDS)
def test_an_entry_with_a_bad_purpose_or_target_still_rolls(
    fields: dict[str, Any], read: tuple[str, Any, Any],
) -> None:
    roll, after = tray_rolls(Dice(7), [*claimed("1d20", **fields), *claimed("1d20")])
    assert (roll.purpose, roll.target, roll.value) == read
    assert (roll.dice, after.dice) == ((12,), (6,))


def call(arguments: str) -> ToolCall:
    return ToolCall("call_1", "roll_dice", arguments)


CALLS: list[tuple[dict[str, Any], Sequence[Any]]] = [
    ({"dc": 13}, ("DC", 13, True)), ({"dc": 18}, ("DC", 18, False)), ({"ac": 17}, ("AC", 17, True)), ({"dc": 15.0}, ("DC", 15, True)),
    ({"dc": None, "ac": 15}, ("AC", 15, True)), ({}, ("DC", 0, True)), ({"dc": 0}, ("DC", 0, True)),
]


@pytest.mark.parametrize(("arguments", "target"), CALLS)
def test_a_call_gives_the_entry(arguments: dict[str, Any], target: Sequence[Any]) -> None:
    dice, arguments = Dice(7), {"expression": "2d20kh1+5", "purpose": "Stealth", **arguments}
    result = answer_call(dice, call(json.dumps(arguments)))
    kind, value, success = target
    assert json.loads(result.content) == {
        "roll_id": "r1", "purpose": "Stealth", "expression": "2d20kh1+5", "dice": [12, 6],
        "modifier": 5, "total": 17, "advantage": "advantage",
        "target": {"kind": kind, "value": value}, "success": success,
    }
    assert json.loads(result.content) == entry(dice.rolls[0])
    jsonschema.validate(
        {name: value for name, value in arguments.items() if value is not None},
        dict(described("roll_dice").parameters),
    )


BAD_CALLS = [
    ("", "is not JSON"), ("{", "is not JSON"), ("[" * 1_999, "the text of the arguments is"), ('{"expression": "1d20", "dc": NaN}', "is not JSON: NaN"),
    ('{"expression": "1d20"}' + " " * 2_000, "the arguments are longer than 2,000 characters"),
    ("null", "is null; it must be a JSON object"), ("[]", "is a list"), ('"1d20"', "is a string"),
    ("{}", "'expression' is a required"), ('{"expression": null, "purpose": "x"}', "'expression' is a required"),
    ('{"expression": 20}', "expression: 20 is not of type 'string'"), ('{"expression": ["1d20"]}', "expression: ['1d20'] is not"),
    ('{"expression": "1d20", "purpose": {}}', "purpose: {} is not of type 'string'"), ('{"expression": "1d20", "dc": "15"}', "dc: '15' is not of type 'integer'"),
    ('{"expression": "1d20", "dc": true}', "dc: True is not"), ('{"expression": "1d20", "dc": 12.5}', "dc: 12.5 is not of type 'integer'"),
    ('{"expression": "1d20", "dc": 1e999}', "a number that is too large"), ('{"expression": "1d20", "ac": -3}', "ac: -3 is less than the minimum"),
    ('{"expression": "1d20", "ac": 1001}', "ac: 1001 is greater than the maximum of 1000"), ('{"expression": "1d20", "ac": %s}' % ("9" * 1_900), "ac: 999"),
    ('{"expression": "1d20", "dc": 15, "ac": 15}', "both dc and ac are given"), ('{"expression": "1d20", "modifier": 5}', "'modifier' was unexpected"),
    ('{"expression": ""}', "nothing to roll"), ('{"expression": "999999d999999"}', "and 1 to 1,000 can be rolled"),
    ('{"expression": "1d20>15"}', "give a DC or AC"), ('{"expression": "60d1+60d1"}', "120 dice, and 100 is the most"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD_CALLS, ids=[row[1] for row in BAD_CALLS])
def test_a_bad_call_gets_told_what_was_wrong(arguments: str, message: str) -> None:
    dice = Dice(7)
    result = answer_call(dice, call(arguments))
    assert result.call_id == "call_1"
    assert result.content.startswith("No roll was made: ")
    assert message in result.content
    assert len(result.content) < 400
    assert not dice.rolls


@given(st.text(max_size=60) | st.dictionaries(
    st.sampled_from(["expression", "purpose", "dc", "ac", "x"]),
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.just("1d20"),
).map(json.dumps))
def test_no_call_raises(arguments: str) -> None:
    content = answer_call(Dice(1), call(arguments)).content
    content.encode("utf-8")
    assert content.startswith("No roll was made") or set(json.loads(content)) == ENTRY_FIELDS


# --- expressions ---------------------------------------------------------------------------------


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
