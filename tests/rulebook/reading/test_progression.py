"""Progressions: the level table of a class, the steps of a feature."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from mvp_site.errors import CorruptIndexError
from mvp_site.rulebook.answer_table import AnswerTable
from mvp_site.rulebook.markdown import parse_rulebook
from mvp_site.rulebook.reading.levels import ordinal
from mvp_site.rulebook.reading.progression import MAX_GAINS, Progressions
from mvp_site.rulebook.reading.tables import section_tables
from mvp_site.rulebook.sections import Sections

from ..books import anything

ROWS = "\n".join(f"| {ordinal(n)} | +2 | {'Brand' if n == 1 else '-'} |" for n in range(1, 21))
LEVELS = f"| Level | Proficiency Bonus | Features |\n|---|---|---|\n{ROWS}\n"
STEPS = "Starting at 3rd level, you see. At 9th level, you see farther."

SETEXT = f"""Hexer
=====

Class Features
--------------

#### The Hexer

{LEVELS}
### Brand

You brand.

### Night Sight

{STEPS}

### Path of Ash

Choose it.

#### Smoke

*3rd-level Path of Ash feature*

You fade.

#### Path Spells

| Hexer Level | Spells |
|---|---|
| 3rd | cold hand |
| 5th | warm hand |

Singer
======

Class Features
--------------

#### The Singer

{LEVELS}
### Low Song

By 7th level, you hum.
"""
NESTED = f"""# Classes

Pick one.

## Hexer

**The Hexer**

{LEVELS}
### Brand

You brand.

## Singer

### Singer Table

{LEVELS}
# Combat

## Cover

Walls help.
"""
FLAT = f"""# Hexer

Text.

# The Hexer Table

{LEVELS}
# Brand

You brand.

# Singer

Text.

# Table: Singer Features

{LEVELS}
"""


def built(markdown: str) -> tuple[Sections, Progressions]:
    sections = parse_rulebook(markdown)
    return sections, Progressions.build(sections)


def found(markdown: str, section_id: str) -> tuple[AnswerTable, ...]:
    return built(markdown)[1].tables(section_id)


@pytest.mark.parametrize(
    ("markdown", "section_id", "title", "rows"),
    [
        # a class, its parts, and what it gives
        (SETEXT, "hexer", "The Hexer", 20),
        (SETEXT, "singer", "The Singer", 20),
        (SETEXT, "hexer/class-features", "The Hexer", 20),
        (SETEXT, "hexer/class-features/the-hexer", "The Hexer", 20),
        (SETEXT, "hexer/class-features/brand", "The Hexer", 20),
        (SETEXT, "hexer/class-features/night-sight", "Night Sight: gained by level", 2),
        (SETEXT, "hexer/class-features/path-of-ash", "Path of Ash: gained by level", 3),
        (SETEXT, "hexer/class-features/path-of-ash/smoke", "Smoke: gained by level", 1),
        (SETEXT, "hexer/class-features/path-of-ash/path-spells", "Path Spells", 2),
        (SETEXT, "singer/class-features/low-song", "Low Song: gained by level", 1),
        (NESTED, "classes/hexer", "The Hexer", 20),
        (NESTED, "classes/hexer/brand", "The Hexer", 20),
        (NESTED, "classes/singer", "Singer Table", 20),
        (FLAT, "hexer", "The Hexer Table", 20),
        (FLAT, "singer", "Table: Singer Features", 20),
    ],
)
def test_the_best_table(markdown: str, section_id: str, title: str, rows: int) -> None:
    sections, progressions = built(markdown)
    answer = progressions.of(section_id)
    assert answer is not None
    assert (answer.title, len(answer.rows)) == (title, rows)
    assert answer.section_ids
    assert all(place in sections for place in answer.section_ids)
    assert all(len(row) == len(answer.columns) for row in answer.rows)


@pytest.mark.parametrize(
    ("markdown", "section_id"),
    [(NESTED, "classes"), (NESTED, "combat"), (NESTED, "combat/cover"), (FLAT, "brand"), (NESTED, "no such section")],
)
def test_what_has_no_levels(markdown: str, section_id: str) -> None:
    assert found(markdown, section_id) == ()


def test_the_whole_table_is_given() -> None:
    (answer,) = found(SETEXT, "hexer")
    assert answer.columns == ("Level", "Proficiency Bonus", "Features")
    assert answer.rows[0] == ("1st", "+2", "Brand")
    assert answer.rows[19] == ("20th", "+2", "-")


def test_steps_are_in_the_order_of_levels() -> None:
    (answer,) = found(SETEXT, "hexer/class-features/path-of-ash")
    assert answer.rows == (
        ("3rd", "Smoke", "You fade."),
        ("3rd", "Path Spells", "Spells: cold hand"),
        ("5th", "Path Spells", "Spells: warm hand"),
    )


def test_a_feature_that_grows_brings_the_table_that_names_it() -> None:
    markdown = SETEXT.replace("You brand.", "It hurts at 5th level, and more at 11th level.")
    assert [answer.title for answer in found(markdown, "hexer/class-features/brand")] == [
        "Brand: gained by level", "The Hexer",
    ]


def test_a_class_without_a_table_tells_its_steps() -> None:
    markdown = "# Hexer\n\n## Level 1: Brand\n\nYou brand.\n\n## Level 2: Smoke\n\nYou fade.\n"
    (answer,) = found(markdown, "hexer")
    assert answer.rows == (("1st", "Brand", "You brand."), ("2nd", "Smoke", "You fade."))


def test_a_long_table_without_features_is_given_whole() -> None:
    rows = "\n".join(f"| {ordinal(n)} | 2 |" for n in range(1, 21))
    (answer,) = found(f"# Many Classes\n\n## Slots\n\n| Level | Slots |\n|---|---|\n{rows}\n", "many-classes")
    assert (answer.title, len(answer.rows)) == ("Slots", 20)


def test_a_chapter_of_very_many_steps_has_none() -> None:
    parts = "".join(f"## Part {n}\n\nAt 3rd level, you gain it.\n\n" for n in range(MAX_GAINS + 1))
    assert found(f"# Chapter\n\n{parts}", "chapter") == ()


def test_a_class_is_not_looked_up_from_far() -> None:
    markdown = f"# Book\n\n## Cover\n\nWalls.\n\n## Part\n\n### Hexer\n\n#### Features\n\n##### Table\n\n{LEVELS}"
    assert found(markdown, "book/cover") == ()
    assert len(found(markdown, "book/part/hexer/features")) == 1


def test_class_names() -> None:
    assert built(SETEXT)[1].class_names() == ("Hexer", "Singer")
    assert built(FLAT)[1].class_names() == ("Hexer", "Singer")
    advancement = "# Character Advancement\n\n| Level | XP | Proficiency Bonus |\n|---|---|---|\n" + ROWS
    assert built(advancement)[1].class_names() == ()


def test_tables_may_be_handed_in() -> None:
    sections = parse_rulebook(SETEXT)
    assert Progressions.build(sections, section_tables(sections)).dump() == Progressions.build(sections).dump()


def test_dump_and_load() -> None:
    sections, progressions = built(SETEXT)
    again = Progressions.load(progressions.dump(), sections)
    assert again.dump() == progressions.dump()
    assert all(again.tables(section.id) == progressions.tables(section.id) for section in sections)


@pytest.mark.parametrize(
    "data",
    [b"", b"[]", b"{}", b"\xff", b'{"tables": [[1]], "gains": []}', b'{"tables": [], "gains": [["nowhere", 1, "a", "b"]]}',
     b'{"tables": [["hexer", "t", "n", [], [], 9]], "gains": []}'],
)
def test_damaged_data_is_refused(data: bytes) -> None:
    with pytest.raises(CorruptIndexError, match=r"level tables of the rulebook cannot be read .* rulebook build"):
        Progressions.load(data, parse_rulebook(SETEXT))


@settings(max_examples=150, deadline=None)
@given(anything)
def test_any_book_is_read(text: str) -> None:
    try:
        sections = parse_rulebook(text)
    except ValueError:
        return
    progressions = Progressions.build(sections)
    for section in sections:
        for answer in progressions.tables(section.id):
            assert answer.rows
            assert all(len(row) == len(answer.columns) for row in answer.rows)
