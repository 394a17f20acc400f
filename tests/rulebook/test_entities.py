"""Entities: normal forms that damage no name, and the titles they are taken for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mvp_site.rulebook.query_parsing import EntityNames
from mvp_site.text.names import fold, title_key, words
from mvp_site.text.spelling import VARIATIONS

from .books import titles

NORMAL = {
    "Fireball": "fireball", "  the  FIREBALL ": "fireball", "FB": "fireball", "The A": "a", "'s": "s",
    "Heroes’ Feast": "heroes' feast", "Heroes' Feast": "heroes' feast", "Thieves' Tools": "thieves' tools",
    "Tasha's Hideous Laughter": "tasha's hideous laughter", "An Invisible Stalker": "invisible stalker",
    "A Clear Path to the Target": "clear path to the target", "the goblin's": "goblin", "the goblins'": "goblins",
    "Half‑Elf": "half-elf", "**Rage**!": "rage", "[[Rage]]": "rage", "ＲＡＧＥ": "rage", "A.C.": "armor class",
    "Potion of Healing (Greater)": "potion of healing (greater)", "Antipathy/Sympathy": "antipathy/sympathy",
    "the barb": "barbarian", "KO'd": "unconscious", "arcane lock": "arcane lock", "": "", " ?! ": "",
}
TITLES = ("Fireball", "Bless", "Bane", "Rage", "Range", "Hideous Laughter", "Tiny Hut", "Warlock", "Wizard", "Heroes’ Feast",
          "Spellcasting", "Two-Weapon Fighting", "The Planes of Existence", "Goblin", "Half-Elf", "Wall of Fire", "!?")
RESOLVED = {
    "title": {"fireball": "fireball", "Fireballs": "fireball", "bless": "bless", "rage": "rage",
              "heros feast": "heroes' feast", "two weapon fighting": "two-weapon fighting"},
    "typo": {"fire-ball": "fireball", "firebal": "fireball", "halfelf": "half-elf", "wizrad": "wizard"},
    "variation": {"FB": "fireball", "crit": "critical hit"},
    "owner": {"Tasha's Hideous Laughter": "hideous laughter", "tashas hideous laughter": "hideous laughter",
              "Leomund’s Tiny Hut": "tiny hut"},
    "as given": {"wizard's spellcasting": "wizard's spellcasting", "wall of ice": "wall of ice", "": ""},
}


def normal(entity: str) -> str:
    """What it is taken for where the book has no title."""
    return EntityNames(()).resolve(entity).name


def test_normal_forms_and_the_titles_that_entities_are_taken_for() -> None:
    assert {entity: normal(entity) for entity in NORMAL} == NORMAL
    names = EntityNames(TITLES)
    for how, cases in RESOLVED.items():
        for entity, name in cases.items():
            resolved = names.resolve(entity)
            assert (resolved.given, resolved.name, resolved.how) == (entity, name, how)
    assert EntityNames(["Lock", "Warlock"]).resolve("lock").name == "lock"  # a title goes before a variation


def test_the_table_is_normal_and_says_no_thing_twice() -> None:
    for variation, name in VARIATIONS.items():
        assert fold(variation) == variation
        assert fold(name) == name
        assert name not in VARIATIONS
        assert normal(variation) == normal(name) == name


def test_words_that_the_book_knows_are_no_typo() -> None:
    known = frozenset(words("the prison of the mind"))
    assert EntityNames(["Poison"]).resolve("pioson").name == "poison"
    assert EntityNames(["Prisom"]).resolve("prison").how == "typo"
    assert EntityNames(["Prisom"], known).resolve("prison").how == "as given"


@given(st.lists(st.one_of(titles, st.text("abcdrgn ", min_size=1, max_size=9), st.sampled_from(TITLES)), max_size=12))
def test_a_title_is_never_taken_for_another(given_titles: list[str]) -> None:
    names = EntityNames(given_titles)
    for title in given_titles:
        if title_key(title):
            found = names.resolve(title)
            assert found.how == "title"
            assert title_key(found.name) == title_key(title)
