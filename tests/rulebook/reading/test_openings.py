"""Openings: the first line of an entry by its form, and no other line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.rulebook.reading.openings import is_sure, read_opening


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("*3rd-level evocation*", {"level": "3rd", "school": "evocation", "ritual": "no"}),
        ("_2nd-level divination (ritual)_", {"level": "2nd", "school": "divination", "ritual": "yes"}),
        ("*Level 2 Abjuration (Warden, Mage)*", {"level": "2", "school": "abjuration", "ritual": "no", "classes": "Warden, Mage"}),
        ("1st-level illusion (ritual) (Bard)", {"level": "1st", "school": "illusion", "ritual": "yes", "classes": "Bard"}),
        ("*Evocation cantrip*", {"level": "cantrip", "school": "evocation", "ritual": "no"}),
        ("Cantrip, evocation", {"level": "cantrip", "school": "evocation", "ritual": "no"}),
        ("*Small humanoid (goblinoid), neutral evil*", {"size": "Small", "type": "humanoid (goblinoid)", "alignment": "neutral evil"}),
        ("*Medium or Small Humanoid, Neutral*", {"size": "Medium or Small", "type": "Humanoid", "alignment": "Neutral"}),
        ("*Medium swarm of Tiny beasts, unaligned*", {"size": "Medium", "type": "swarm of Tiny beasts", "alignment": "unaligned"}),
        ("Medium humanoid (elf, any race), neutral good (50%) or neutral evil (50%)",
         {"size": "Medium", "type": "humanoid (elf, any race)", "alignment": "neutral good (50%) or neutral evil (50%)"}),
        ("Large ooze", {"size": "Large", "type": "ooze"}),
        ("*Wondrous item, rare (requires attunement by a bard, cleric, or druid)*",
         {"type": "Wondrous item", "rarity": "rare", "attunement": "required by a bard, cleric, or druid"}),
        ("Armor (medium or heavy, but not hide), uncommon", {"type": "Armor (medium or heavy, but not hide)", "rarity": "uncommon", "attunement": "no"}),
        ("*Weapon (any sword), uncommon (+1), rare (+2), or very rare (+3)*",
         {"type": "Weapon (any sword)", "rarity": "uncommon (+1), rare (+2), or very rare (+3)", "attunement": "no"}),
        ("Ring, very rare (requires attunement under a new moon)", {"type": "Ring", "rarity": "very rare", "attunement": "required under a new moon"}),
        ("Potion, rarity varies", {"type": "Potion", "rarity": "rarity varies", "attunement": "no"}),
        ("Rare wondrous item", {"type": "wondrous item", "rarity": "rare", "attunement": "no"}),
        # sentences that only begin like one
        ("3rd-level Champion feature", {}), ("You gain a 3rd-level spell", {}), ("Large creatures can move, but any creature may", {}),
        ("Huge or smaller", {}), ("Most items, which are common, are found", {}), ("about events, legendary people", {}), ("Common races", {}), ("", {}), ("*", {}),
    ],
)
def test_read_opening(line: str, expected: dict[str, str]) -> None:
    assert dict(read_opening(line)) == expected


@pytest.mark.parametrize(
    ("line", "sure"),
    [("3rd-level evocation", True), ("3rd-level chronomancy", False), ("Large ooze", False), ("Large ooze, unaligned", True), ("Ring, rare", True), ("rarity, common", False)],
)
def test_a_form_that_other_lines_may_have_is_not_sure(line: str, sure: bool) -> None:
    assert is_sure(read_opening(line)) is sure


@given(st.text(max_size=250))
def test_any_line_is_read(line: str) -> None:
    assert all(name and value for name, value in read_opening(line))
