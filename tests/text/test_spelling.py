from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.text.spelling import Spelling

KNOWN = {"rage", "lock", "door", "of", "attack", "opportunity", "range", "the"}
TITLES = ("fireball", "goblin", "wizard", "opportunity attack", "paladin", "sorcerer")


@pytest.mark.parametrize(("said", "meant"), [
    ("what can a sorc learn?", "what can a sorcerer learn?"),
    ("the pally's rage", "the paladin rage"),
    ("a Firebal at the gobln", "a fireball at the goblin"),
    ("an attack of opportunity", "an opportunity attack"),
    ("AoO!", "opportunity attack!"),
    ("pick the lock of the door", "pick the lock of the door"),
    ("rage", "rage"), ("fire", "fire"), ("xylophone", "xylophone"), ("", ""),
])
def test_only_what_the_book_does_not_know_is_taken_for_something_else(
    said: str, meant: str
) -> None:
    text, taken = Spelling(KNOWN, TITLES).read(said)
    assert text == meant
    assert bool(taken) == (said.casefold() != meant)


@given(st.text(max_size=60))
def test_any_text_is_read(text: str) -> None:
    read, taken = Spelling(KNOWN, TITLES).read(text)
    assert len(taken) <= 8
    assert isinstance(read, str)
