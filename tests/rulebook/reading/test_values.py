"""Values: the number a text says in the unit of its field, and the parts that it lists."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.rulebook.reading.values import atoms, is_true, number, value_key


@pytest.mark.parametrize(
    ("text", "field", "expected"),
    [
        ("1,500 gp", "cost", 150_000), ("5 SP", "cost", 50), ("7 cp", "cost", 7), ("2 pp", "cost", 2_000), ("1 ep", "cost", 50),
        ("15", "cost", 1_500), ("25+ GP", "cost", 2_500), ("5 gp per day", "cost", 500), ("0.8 gp", "cost", 80), ("3 gold pieces", "cost", 300),
        ("free", "cost", 0), ("—", "cost", None), ("no price of its own", "cost", None),
        ("3 lb.", "weight", 3), ("1/4 lb.", "weight", 0.25), ("½ lb.", "weight", 0.5), ("1½ lb.", "weight", 1.5), ("1 1/2 lb.", "weight", 1.5), ("8 oz.", "weight", 0.5),
        ("1/4", "challenge rating", 0.25), ("½", "challenge rating", 0.5), ("5 (1,800 XP)", "challenge rating", 5), ("0", "challenge rating", 0),
        ("3rd", "level", 3), ("level 3", "level", 3), ("Cantrip", "level", 0), ("9", "level", 9),
        ("45 (6d10 + 12)", "hit points", 45), ("13 (natural armor)", "armor class", 13), ("11 + Dex modifier", "armor class", 11), ("+2", "armor class", 2), ("6 (−2)", "strength", 6),
        ("120 feet", "range", 120), ("1 mile", "range", 5280), ("Self (15-foot cone)", "range", None), ("Touch", "range", None),
        ("30 ft., fly 60 ft.", "speed", 30), ("Concentration, up to 1 minute", "duration", 1), ("8 hours", "duration", 480), ("1 action", "casting time", None),
        ("Large", "size", 4), ("very rare (+3)", "rarity", 4), ("rarity varies", "rarity", None),
        ("-5", "", -5), ("−5", "", -5), ("1/0", "", None), ("", "", None), ("no number", "", None),
    ],
)
def test_number(text: str, field: str, expected: float | None) -> None:
    found = number(text, field)
    assert found is None if expected is None else found == pytest.approx(expected)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("Finesse, light, thrown (range 20/60)", ("finesse", "light", "thrown")),
        ("30 ft., fly 60 ft. (hover)", ("fly", "hover")),
        ("Concentration, up to 1 minute", ("concentration", "up to minute")),
        ("1 bonus action", ("bonus action",)),
        ("1 minute or Ritual", ("minute", "ritual")),
        ("humanoid (elf, shapechanger)", ("humanoid", "elf", "shapechanger")),
        ("1d8 slashing", ("slashing",)), ("2d6 + 3 cold", ("cold",)),
        ("uncommon (+1), rare (+2), or very rare (+3)", ("uncommon", "rare", "very rare")),
        ("Con +6, Int +8", ("con", "int")),
        ("—", ()), ("", ()), ("12", ()),
    ],
)
def test_atoms(value: str, expected: tuple[str, ...]) -> None:
    assert atoms(value) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Yes", True), ("required by a warden", True), ("Yes, by a warden", True), ("no", False), ("—", False), ("", False), ("evocation", None)],
)
def test_is_true(text: str, expected: bool | None) -> None:
    assert is_true(text) is expected


@given(st.text(max_size=80), st.sampled_from(("cost", "weight", "level", "range", "duration", "size", "hit points", "")))
def test_any_text_is_read(text: str, field: str) -> None:
    found = number(text, field)
    assert found is None or math.isfinite(found)
    assert all(atoms(text))
    assert is_true(text) in {True, False, None}
    assert all(value_key(text))


@given(st.integers(0, 10**9), st.sampled_from(("cp", "sp", "gp", "pp")))
def test_a_price_is_read_with_or_without_commas(amount: int, coin: str) -> None:
    assert number(f"{amount} {coin}", "cost") == number(f"{amount:,} {coin.upper()}", "cost") is not None
