from __future__ import annotations

import pytest

from mvp_site.rulebook.markdown import parse_rulebook
from mvp_site.rulebook.reading.formulas import formula_sections


@pytest.mark.parametrize("text", [
    "**Save DC** = 8 + your bonus", "The DC equals 8 + the caster's modifier.",
    "You carry your score multiplied by 15.", "Your total is equal to half your level.",
    "Add your Strength modifier to the roll.", "10 + your Wisdom modifier",
])
def test_a_formula_in_signs_or_words_is_seen(text: str) -> None:
    assert formula_sections(parse_rulebook(f"# A\n\nNothing.\n\n# B\n\n{text}\n")) == (1,)


@pytest.mark.parametrize("text", [
    "All are equal.", "He was half dead, twice.", "| a | b |\n|---|---|\n| 1 | 2 |", "x = y",
    "Add a pinch of salt to the soup.",
])
def test_what_is_none_is_not(text: str) -> None:
    assert formula_sections(parse_rulebook(f"# A\n\n{text}\n")) == ()
