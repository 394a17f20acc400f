"""Label lines in their spellings, and what only resembles one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.rulebook.reading.labels import MAX_VALUE, read_line, read_stats, read_unmarked

from ...texts import lines as odd_lines


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        *((line, (("Range", "60 feet"),)) for line in (
            "**Range:** 60 feet", "**Range**: 60 feet", "**Range** 60 feet", "- **Range:** 60 feet", "* **Range:** 60 feet", "> - **Range:** 60 feet  ", "__Range:__ 60 feet",
            "***Range:*** 60 feet", "*Range:* 60 feet", "<b>Range:</b> 60 feet", "<strong>Range</strong>: 60 feet", "**Range: 60 feet**", "Range: 60 feet", "*Range: 60 feet*", "**Range:** 60 *feet*\\",
        )),
        ("**HP** 39 (6d8 + 12) **Speed** 30 ft.", (("HP", "39 (6d8 + 12)"), ("Speed", "30 ft."))),
        ("Range: 60 ft | Duration: 1 hour", (("Range", "60 ft"), ("Duration", "1 hour"))),
        ("**Spell save DC** = 8 + your bonus", (("Spell save DC", "8 + your bonus"),)),
        ("**Favoured Terrain:** bog", (("Favoured Terrain", "bog"),)),
        # sentences
        ("**Hit points** are what keeps you alive", ()), ("**Note** that it rains", ()), ("Note: it rains", ()), ("At will: *light*", ()), ("The **range** is 5 feet", ()),
        ("snake_case: x", ()), ("***", ()), ("**:** x", ()), ("a" * 5000, ()),
    ],
)
def test_labels(line: str, expected: tuple[tuple[str, str], ...]) -> None:
    assert read_line(line).labels == expected


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("***Keen Smell.*** The wolf smells.", "Keen Smell"), ("***Keen Smell***. The wolf smells.", "Keen Smell"), ("**_Keen Smell._** The wolf smells.", "Keen Smell"),
        ("*Keen Smell.* The wolf smells.", "Keen Smell"), ("***Sting.** Melee Weapon Attack:* +5", "Sting"), ("*Sting. Melee Attack Roll:* +5", "Sting"),
    ],
)
def test_a_name_that_runs_into_its_text_is_a_trait(line: str, name: str) -> None:
    found = read_line(line)
    assert found.trait is not None
    assert found.trait[0] == name
    assert found.labels == ()


def test_a_label_may_stand_alone() -> None:
    assert read_line("**Casting Time:**").open_label == "Casting Time"
    assert read_line("Casting Time:").open_label == "Casting Time"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("AC 15 HP 52 (8d8 + 16)", (("AC", "15"), ("HP", "52 (8d8 + 16)"))), ("AC 15 | Speed 30ft", (("AC", "15"), ("Speed", "30ft"))),
        ("Initiative −1 (9)", (("Initiative", "−1 (9)"),)), ("The AC of it", ()), ("", ()),
    ],
)
def test_stats(text: str, expected: tuple[tuple[str, str], ...]) -> None:
    assert read_stats(text) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Damage Immunities fire, poison", ("Damage Immunities", "fire, poison")), ("Senses darkvision 60 ft.", ("Senses", "darkvision 60 ft.")),
        ("Speed is life", None), ("Speed", None), ("STR DEX CON INT WIS CHA", None), ("The senses", None), ("", None),
    ],
)
def test_unmarked(line: str, expected: tuple[str, str] | None) -> None:
    assert read_unmarked(line) == expected


@given(st.one_of(odd_lines, st.text(alphabet="*_: .aB|<>b/\\", max_size=60)))
def test_any_line_is_read(line: str) -> None:
    found = read_line(line)
    for label, value in found.labels:
        assert label.strip()
        assert 0 < len(value) <= MAX_VALUE
    read_stats(line)
    read_unmarked(line)
