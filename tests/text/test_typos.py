"""Misspellings: a close word of the same name, and never another name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.text.typos import Keys, closest, misspells

KEYS = ("fireball", "rage", "rogue", "ranger", "goblin", "wizard", "barbarian", "magic missile", "arcane lock",
        "wall of fire", "wall of force", "bag of holding", "level 3 spell", "bless", "cloak of protection", "poisoned")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("firebal", "fireball"), ("firebll", "fireball"), ("fierball", "fireball"), ("fireballl", "fireball"),
        ("rouge", "rogue"), ("wizrad", "wizard"), ("barbrian", "barbarian"), ("babrabian", "barbarian"),
        ("gobiln", "goblin"), ("ogblin", "goblin"), ("magic misile", "magic missile"), ("magik missile", "magic missile"),
        ("arcane lok", "arcane lock"), ("bag of holdin", "bag of holding"), ("cloack of protecion", "cloak of protection"),
        ("poisonned", "poisoned"),
    ],
)
def test_a_typo(typed: str, meant: str) -> None:
    assert closest(typed, KEYS) == meant


@pytest.mark.parametrize(
    "typed",
    [
        "range", "rag", "raged", "cage", "bane", "bles", "blesss", "ranged", "wall of ice", "wall of fore",
        "level 4 spell", "level 3", "missile", "fire ball", "wisard of oz", "boblin", "poison", "", "x",
        "mgic misile wand", "barbbrriian",
    ],
)
def test_no_typo(typed: str) -> None:
    assert closest(typed, KEYS) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("rage", "range"), ("ranger", "range"), ("bane", "bless"), ("light", "fight"), ("blight", "light"),
        ("darkness", "drakness 2"), ("giant bat", "giant rat"), ("sleep", "steep"), ("charm", "charmed"), ("jump", "lump"),
        ("haste", "taste"), ("fly", "fry"), ("slow", "show"), ("wish", "fish"), ("maze", "haze"), ("level 1", "level 2"),
    ],
)
def test_names_that_are_close_and_not_the_same(one: str, other: str) -> None:
    assert not misspells(one, other)
    assert not misspells(other, one)


def test_between_two_as_close_ones_neither_is_meant() -> None:
    assert closest("werebxar", ["werebear", "wereboar"]) is None
    assert closest("werebear", ["wereboar", "werebears"]) == "wereboar"


_word = st.text("abcdefgh", min_size=1, max_size=10)
_name = st.lists(_word, min_size=1, max_size=3).map(" ".join)


@given(_name, st.lists(_name, max_size=8, unique=True))
def test_the_answer_is_one_of_the_names_and_has_as_many_words(name: str, keys: list[str]) -> None:
    found = closest(name, [key for key in keys if key != name])
    assert found is None or (found in keys and len(found.split()) == len(name.split()))


@given(st.sampled_from(["fireball", "goblin", "wall of fire", "magic missile"]), st.data())
def test_keys_leave_out_nothing_that_is_misspelt(key: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(key) - 1))
    letter = data.draw(st.sampled_from("aeglr "))
    name = " ".join((key[:place] + letter + key[place + 1 :]).split())
    others = ("fire bolt", "hobgoblin", "magic jar", key)
    if name and name not in others:
        assert closest(name, Keys(others)) == closest(name, others)
