"""Gains: the sentences, tags and headings that say what comes at which level."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from mvp_site.rulebook.markdown import parse_rulebook
from mvp_site.rulebook.reading.level_gains import MAX_QUOTE, section_gains

from ..books import anything


def gains(markdown: str, title: str = "") -> list[tuple[int, str, str]]:
    sections = parse_rulebook(markdown)
    chosen = sections.titled(title)[0] if title else next(iter(sections))
    return [(gain.level, gain.name, gain.quote) for gain in section_gains(sections, chosen)]


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("# Smoke\n\nBy 7th level, you fade. Then more.", [(7, "Smoke", "By 7th level, you fade.")]),
        ("# Smoke\n\nYou fade.\nAt 9th level,\nyou fade twice.", [(9, "Smoke", "At 9th level, you fade twice.")]),
        ("# Level 3: Smoke\n\nYou fade. Then more.", [(3, "Smoke", "You fade.")]),
        ("# Smoke (3rd level)\n\nYou fade.", [(3, "Smoke", "You fade.")]),
        ("# Smoke\n\n*3rd-level Path of Ash feature*\n\nYou fade. Then more.", [(3, "Smoke", "You fade.")]),
        ("# Smoke\n\n*Hexer feature, 2nd level*\n\nAt 2nd level, you fade.", [(2, "Smoke", "At 2nd level, you fade.")]),
        ("# Path\n\n***Smoke (Level 6).*** You fade. Then more.", [(6, "Smoke", "You fade.")]),
        ("# Path\n\n**Level 6: Smoke.** You fade.", [(6, "Smoke", "You fade.")]),
        ("# Path\n\n**Level 6: Smoke**\n\nYou fade.", [(6, "Smoke", "You fade.")]),
        ("# Path\n\n**Smoke.** At 6th level, you fade.", [(6, "Path: Smoke", "At 6th level, you fade.")]),
        ("# Path\n\n- **Level 1:** Brand, Smoke\n- **Level 2:** More", [(1, "Path", "Brand, Smoke"), (2, "Path", "More")]),
        ("# Eye\n\n_Prerequisite: 9th level, Brand_\n\nYou see.", [(9, "Eye", "Prerequisite: 9th level, Brand")]),
        ("# Eye\n\n**Prerequisite:** 5th level", [(5, "Eye", "Prerequisite: 5th level")]),
        ("# Smoke\n\n```\nAt 3rd level, no.\n```", []),
        ("# Smoke\n\n| Level | x |\n|---|---|\n| at 3rd level | y |", []),
        ("# Smoke\n\nYou fade.", []),
        ("# Hit Points\n\n**Hit Points at 1st Level:** 8", []),
    ],
)
def test_gains(markdown: str, expected: list[tuple[int, str, str]]) -> None:
    assert gains(markdown) == expected


def test_a_level_of_spells_is_not_gained() -> None:
    assert gains("# Hexer Spells\n\n## 1st Level\n\n- Cold Hand", "1st Level") == []


def test_a_quote_is_short() -> None:
    ((_, _, quote),) = gains("# Smoke\n\nAt 3rd level, " + "word " * 400)
    assert len(quote) <= MAX_QUOTE + 1
    assert quote.endswith("word…")


@settings(max_examples=150, deadline=None)
@given(anything)
def test_any_book_has_gains_or_none(text: str) -> None:
    try:
        sections = parse_rulebook(text)
    except ValueError:
        return
    for section in sections:
        for gain in section_gains(sections, section):
            assert gain.level > 0
            assert gain.name
