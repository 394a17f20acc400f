"""Levels: a character's told from a spell's, in cells, titles, tags and sentences."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mvp_site.rulebook.reading.levels import (
    HIGHEST,
    cell_level,
    gained_levels,
    is_ordinal,
    ordinal,
    tag_level,
    title_level,
)


@pytest.mark.parametrize(
    ("level", "expected"),
    [(0, "cantrip"), (1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (10, "10th"), (11, "11th"), (12, "12th"),
     (13, "13th"), (20, "20th"), (21, "21st"), (23, "23rd")],
)
def test_ordinal(level: int, expected: str) -> None:
    assert ordinal(level) == expected


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("1st", 1), ("1", 1), ("**3rd**", 3), ("Level 3", 3), ("3rd level", 3), ("2nd-level", 2), ("third", 3),
        ("1st–4th", 1), ("5-10", 5), ("11th+", 11), ("17th or higher", 17), ("1st and 2nd", 1), ("1st to 3rd", 1),
        ("", None), ("—", None), ("1/4", None), ("100", None), ("31", None), ("+2", None), ("Rage", None),
        ("1st roll", None),
    ],
)
def test_cell_level(cell: str, expected: int | None) -> None:
    assert cell_level(cell) == expected


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("3rd Level: Night Sight", (3, "Night Sight")), ("Level 3: Night Sight", (3, "Night Sight")),
        ("Level 5 – Smoke", (5, "Smoke")), ("Night Sight (3rd level)", (3, "Night Sight")),
        ("Night Sight (Level 1)", (1, "Night Sight")), ("Smoke, 7th level", (7, "Smoke")), ("1st Level", (1, "")),
        ("Hit Points at 1st Level", None), ("Beyond 1st Level", None), ("1st-Level Spells", None),
        ("Level 3 Spells", None), ("Spells Known of 1st Level and Higher", None), ("Level 99: Smoke", None),
        ("Rage", None), ("", None),
    ],
)
def test_title_level(title: str, expected: tuple[int, str] | None) -> None:
    assert title_level(title) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("*3rd-level Path of Ash feature*", 3), ("_Level 6 Path of Ash Feature_", 6), ("Hexer feature, 2nd level", 2),
        ("*Path of Ash hexer feature, 17th level*", 17), ("3rd-level evocation", None), ("*2nd-level abjuration*", None),
        ("You gain a feature at 3rd level.", None), ("", None), ("feature " * 20 + "3rd level", None),
    ],
)
def test_tag_level(line: str, expected: int | None) -> None:
    assert tag_level(line) == expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Starting at 2nd level, you can burn things.", (2,)),
        ("By 7th level, you see in the dark.", (7,)),
        ("At third level you choose a path.", (3,)),
        ("Beginning when you choose this path at 3rd level, you glow.", (3,)),
        ("When you reach 4th level, and again at 8th, 12th, 16th, and 19th level, you improve.", (4, 8, 12, 16, 19)),
        ("It grants features at 3rd level and again at 6th, 10th, and 14th levels.", (3, 6, 10, 14)),
        ("The die becomes a d8 at 5th level, a d10 at 10th level, and a d12 at 15th level.", (5, 10, 15)),
        ("The spell's damage grows when you reach 5th level (2d6), 11th level (3d6), and 17th level (4d6).", (5, 11, 17)),
        ("It grows when you reach levels 5 (2d10), 11 (3d10), and 17 (4d10).", (5, 11, 17)),
        ("You burn twice at Hexer level 9 and Hexer level 17.", (9, 17)),
        ("At levels 6, 10, and 14, you glow.", (6, 10, 14)),
        ("Prerequisite: 15th level", (15,)),
        ("Prerequisites: Level 5+ Hexer", (5,)),
        ("You learn more: one 7th level spell at 13th level, and one 8th-level spell at 15th level.", (13, 15)),
        # levels of spells, slots and examples
        ("Using a spell slot of 4th level or higher, the damage grows for each slot level above 3rd.", ()),
        ("You choose a spell of 1st level or higher.", ()),
        ("You can cast each of them once at 3rd level without a slot.", ()),
        ("None of the slots can be 6th level or higher.", ()),
        ("At 1st level, you have six 1st-level hexer spells.", (1,)),
        ("For example, when you reach 6th level, you burn.", ()),
        ("Hit Points at 1st Level: 8", ()),
        ("1st level (4 slots): cold hand", ()),
        ("It is ended by a spell of 2nd level or lower.", ()),
        ("You suffer level 3 exhaustion.", ()),
        ("At 99th level you laugh.", ()),
        ("No word of it.", ()),
        ("", ()),
    ],
)
def test_gained_levels(sentence: str, expected: tuple[int, ...]) -> None:
    assert gained_levels(sentence) == expected


def test_is_ordinal() -> None:
    assert is_ordinal("3rd")
    assert is_ordinal("third")
    assert not is_ordinal("3")
    assert not is_ordinal("")


_pieces = st.sampled_from(("at", "1st", "level", "Level", "3", ",", "and", "12th", "(", ")", ":", "slot", "reach", "-", "99th"))


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(max_size=80), st.lists(_pieces, max_size=20).map(" ".join)))
def test_any_text_names_levels_or_none(text: str) -> None:
    found = [*gained_levels(text), cell_level(text), tag_level(text)]
    titled = title_level(text)
    found += [titled[0]] if titled else []
    assert all(level is None or 0 <= level <= HIGHEST for level in found)
