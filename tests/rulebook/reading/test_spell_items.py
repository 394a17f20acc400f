"""The lines of spell lists: levels, owners and names."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mvp_site.rulebook.reading.spell_items import (
    Listed,
    level_label,
    list_owner,
    listed_spells,
    mended,
    names_owners,
    split_names,
)

from ..books import anything

KNOWN = frozenset({"big fire", "cold hand", "warm hand", "light dark", "sleep and dream"})


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Cantrips (0 Level)", (0, "")), ("Cantrips", (0, "")), ("0 Level", (0, "")), ("1st Level", (1, "")), ("3rd", (3, "")),
        ("2nd-level spells", (2, "")), ("Fourth Level", (4, "")), ("Level 2 Hexer Spells", (2, "hexer")),
        ("Cantrips (Level 0 Hexer Spells)", (0, "hexer")), ("Hexer Cantrips", (0, "hexer")), ("Spells (2nd Level)", (2, "")),
        ("Hexer Spells, 1st Level", (1, "hexer")), ("**1st Level:**", (1, "")),
        ("Big Fire", None), ("At 2nd level and again at 6th level", None), ("x" * 99, None), ("", None),
    ],
)
def test_level_label(title: str, expected: tuple[int, str] | None) -> None:
    assert level_label(title) == expected


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Hexer Spells", "Hexer"), ("The Hexer Spell List", "Hexer"), ("Hexer's Spell List", "Hexer"), ("Spell List: Hexer", "Hexer"),
        ("Spells (Hexer)", "Hexer"), ("Spell List for the Hexer", "Hexer"), ("Hexer Spells by Level", "Hexer"),
        ("Blood Hexer Spells", "Blood Hexer"), ("Hexer Spell List (Core)", "Hexer"), ("HEXER SPELLS", "HEXER"),
        ("Spell Lists", ""), ("Spells", ""), ("Oath Spells", ""), ("Domain Spells", ""), ("Expanded Spell List", ""),
        ("Class Spell Lists", ""), ("Ritual Spells", ""), ("Spells by Level", ""),
        ("Big Fire", None), ("Spell Descriptions", None), ("Spellcasting", None), ("", None), ("x spells " * 30, None),
    ],
)
def test_list_owner(title: str, expected: str | None) -> None:
    assert list_owner(title) == expected


def test_names_owners() -> None:
    assert names_owners("Spell Lists")
    assert names_owners("Spells by Class")
    assert not names_owners("Spells")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("- Big Fire\n- Cold Hand", [("Big Fire", 2), ("Cold Hand", 2)]),
        ("* *Big Fire*\n+ **Cold Hand**\n1. [Warm Hand](/x)", [("Big Fire", 2), ("Cold Hand", 2), ("Warm Hand", 2)]),
        ("- [[Big Fire]]\n- [[spells/cold|Cold Hand]]", [("Big Fire", 2), ("Cold Hand", 2)]),
        ("[Big Fire](/a)   \n[Cold Hand](/b)   \n \n", [("Big Fire", 2), ("Cold Hand", 2)]),
        ("Big Fire, *cold hand*, and Warm Hand", [("Big Fire", 2), ("cold hand", 2), ("Warm Hand", 2)]),
        ("<ul>\n<li>Big Fire</li><li>Cold Hand</li>\n</ul>", [("Big Fire", 2), ("Cold Hand", 2)]),
        ("<ul><li>Big Fire</li></ul>#### 3rd Level\n\n<li>Cold Hand", [("Big Fire", 2), ("Cold Hand", 3)]),
        ("- Big Fire (ritual)\n- Cold Hand*\n- Warm Hand – it warms\n- Light/Dark: it shines", [("Big Fire", 2), ("Cold Hand", 2), ("Warm Hand", 2), ("Light/Dark", 2)]),
        ("- Big Fire (3rd-level evocation (ritual))", [("Big Fire", 3)]),
        ("**1st Level**\n\n- Cold Hand\n\n**3rd Level**\n\n- Big Fire", [("Cold Hand", 1), ("Big Fire", 3)]),
        ("**Cantrips (0 Level):** cold hand\n**1st Level:** big fire, warm hand.", [("cold hand", 0), ("big fire", 1), ("warm hand", 1)]),
        ("1st level: cold hand.\n\n***3rd level.*** Big Fire", [("cold hand", 1), ("Big Fire", 3)]),
        ("> - Big Fire", [("Big Fire", 2)]),
        ("- Sleep and Dream\n- cold hand and warm hand", [("Sleep and Dream", 2), ("cold hand", 2), ("warm hand", 2)]),
        ("Hexers know many spells. They use them well.\n\n- Big Fire", [("Big Fire", 2)]),
        ("These are the names of those that anyone may learn, if they ask", []),
        ("- You gain it whenever you wish, but it costs you.", []),
        ("```\n- Big Fire\n```", []),
        ("| Spell |\n|---|\n| Big Fire |", []),
        ("", []),
    ],
)
def test_listed_spells(content: str, expected: list[tuple[str, int]]) -> None:
    assert [(item.name, item.level) for item in listed_spells(content, 2, owned=False, known=KNOWN)] == expected


def test_a_line_in_bold_names_the_owner() -> None:
    content = "**Hexer Spells**\n\n**1st Level**\n\nCold Hand\n\n**Singer**\n\n- Big Fire"
    assert list(listed_spells(content, None, owned=True, known=KNOWN)) == [
        Listed("Cold Hand", 1, "Hexer", sure=True), Listed("Big Fire", None, "Singer", sure=False),
    ]


def test_names_that_no_book_describes() -> None:
    assert [item.name for item in listed_spells("- Ash Bolt\n- Odd Thing", None, owned=False, known=())] == ["Ash Bolt", "Odd Thing"]
    assert split_names("a, b; and c", ()) == [("a", None), ("b", None), ("c", None)]


def test_a_name_that_was_cut_in_two_is_mended() -> None:
    items = [Listed(name, level, "", sure=True) for name, level in (("Big", 3), ("Fire", 3), ("Cold", 1), ("Hand", 2), ("Warm Hand", 2))]
    assert [(item.name, item.level) for item in mended(items, KNOWN)] == [("Big Fire", 3), ("Cold", 1), ("Hand", 2), ("Warm Hand", 2)]


@settings(max_examples=150, deadline=None)
@given(st.one_of(anything, st.text(alphabet="ab, .:;()[]*_#-<li>|0123\n", max_size=200)), st.booleans())
def test_any_text_is_read(text: str, owned: bool) -> None:
    for item in listed_spells(text, None, owned=owned, known=KNOWN):
        assert item.level is None or 0 <= item.level <= 9
    level_label(text)
    list_owner(text)
