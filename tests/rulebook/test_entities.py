"""Entities: normal forms that damage no name, and the titles they are taken for."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mvp_site.errors import MvpSiteError
from mvp_site.rulebook.query_parsing import (
    MAX_ENTITIES,
    MAX_ENTITY_CHARS,
    EntityNames,
    normalise_entities,
)
from mvp_site.text.names import fold, title_key, words
from mvp_site.text.synonyms import VARIATIONS

from .books import titles

NORMAL = [
    ("Fireball", "fireball"),
    ("  the  FIREBALL ", "fireball"),
    ("Heroes’ Feast", "heroes' feast"),
    ("Heroes' Feast", "heroes' feast"),
    ("Tasha's Hideous Laughter", "tasha's hideous laughter"),
    ("Thieves' Tools", "thieves' tools"),
    ("The A", "a"),
    ("An Invisible Stalker", "invisible stalker"),
    ("A Clear Path to the Target", "clear path to the target"),
    ("the goblin's", "goblin"),
    ("the goblins'", "goblins"),
    ("Half‑Elf", "half-elf"),
    ("**Rage**!", "rage"),
    ("[[Rage]]", "rage"),
    ("Potion of Healing (Greater)", "potion of healing (greater)"),
    ("Antipathy/Sympathy", "antipathy/sympathy"),
    ("ＲＡＧＥ", "rage"),
    ("FB", "fireball"),
    ("A.C.", "armor class"),
    ("the barb", "barbarian"),
    ("KO'd", "unconscious"),
    ("arcane lock", "arcane lock"),
    ("", ""),
    (" ?! ", ""),
    ("'s", "s"),
]


def normal(entity: str) -> str:
    """What it is taken for where the book has no title."""
    return EntityNames(()).resolve(entity).name


@pytest.mark.parametrize(("entity", "expected"), NORMAL, ids=[ascii(entity) for entity, _ in NORMAL])
def test_normal_form(entity: str, expected: str) -> None:
    assert normal(entity) == expected
    assert normalise_entities([entity]) == ((expected,) if expected else ())


@given(st.one_of(st.text(max_size=40), titles, st.text("'’s .[]*_aA", max_size=12)))
def test_normalising_again_changes_nothing(entity: str) -> None:
    once = normal(entity)
    assert normal(once) == once
    assert once == fold(once)


def test_several_each_once_and_in_order() -> None:
    assert normalise_entities(["the Rage", "FB", " ", "rage", "Fireball"]) == ("rage", "fireball")


def test_too_many_or_too_long() -> None:
    with pytest.raises(MvpSiteError, match=f"10000 entities in one query; at most {MAX_ENTITIES}"):
        normalise_entities(["rage"] * 10_000)
    with pytest.raises(MvpSiteError, match="one has 201 characters"):
        normalise_entities(["x" * (MAX_ENTITY_CHARS + 1)])
    assert normalise_entities(["x" * MAX_ENTITY_CHARS] * MAX_ENTITIES) == ("x" * MAX_ENTITY_CHARS,)


def test_the_table_is_normal_and_says_no_thing_twice() -> None:
    for variation, name in VARIATIONS.items():
        assert fold(variation) == variation
        assert fold(name) == name
        assert name not in VARIATIONS
        assert normal(variation) == normal(name) == name


# --- the titles of a book -----------------------------------------------------------------------

TITLES = ("Fireball", "Bless", "Bane", "Rage", "Range", "Hideous Laughter", "Tiny Hut", "Warlock", "Wizard", "Heroes’ Feast",
          "Spellcasting", "Two-Weapon Fighting", "The Planes of Existence", "Goblin", "Half-Elf", "Wall of Fire", "!?")
RESOLVED = [
    ("fireball", "fireball", "title"),
    ("Fireballs", "fireball", "title"),
    ("fire-ball", "fireball", "typo"),
    ("firebal", "fireball", "typo"),
    ("FB", "fireball", "variation"),
    ("crit", "critical hit", "variation"),
    ("bless", "bless", "title"),
    ("rage", "rage", "title"),
    ("heros feast", "heroes' feast", "title"),
    ("two weapon fighting", "two-weapon fighting", "title"),
    ("halfelf", "half-elf", "typo"),
    ("Tasha's Hideous Laughter", "hideous laughter", "owner"),
    ("tashas hideous laughter", "hideous laughter", "owner"),
    ("Leomund’s Tiny Hut", "tiny hut", "owner"),
    ("wizard's spellcasting", "wizard's spellcasting", "as given"),
    ("wizrad", "wizard", "typo"),
    ("wall of ice", "wall of ice", "as given"),
    ("", "", "as given"),
]


@pytest.mark.parametrize(("entity", "name", "how"), RESOLVED, ids=[entity or "empty" for entity, *_ in RESOLVED])
def test_resolve(entity: str, name: str, how: str) -> None:
    found = EntityNames(TITLES).resolve(entity)
    assert (found.given, found.name, found.how) == (entity, name, how)


def test_a_title_goes_before_a_variation() -> None:
    assert EntityNames(["Lock", "Warlock"]).resolve("lock").name == "lock"


def test_words_that_the_book_knows_are_no_typo() -> None:
    known = frozenset(words("the prison of the mind"))
    assert EntityNames(["Poison"]).resolve("pioson").name == "poison"
    assert EntityNames(["Prisom"]).resolve("prison").how == "typo"
    assert EntityNames(["Prisom"], known).resolve("prison").how == "as given"


@settings(max_examples=200)
@given(st.lists(st.one_of(titles, st.text("abcdrgn ", min_size=1, max_size=9), st.sampled_from(TITLES)), max_size=12))
def test_a_title_is_never_taken_for_another(given_titles: list[str]) -> None:
    names = EntityNames(given_titles)
    for title in given_titles:
        if title_key(title):
            found = names.resolve(title)
            assert found.how == "title"
            assert title_key(found.name) == title_key(title)
