"""Names: how a query that is one is told from one that is not, however it is written."""

from __future__ import annotations

import pytest

from mvp_site.entities.names import EXACT, NameIndex
from mvp_site.text.names import words

SPELLS = ("Arc of Winter", "Ember Lash", "Ember Storm", "Ghostwalk", "Moth-Light", "Night's Bargain", "Storm Ward")
GEAR = ("Ember Storm", "Knives, throwing", "Lantern, hooded", "Rope, silken (50 feet)", "Wolf's Tooth")
INDEX = NameIndex((*SPELLS, *GEAR), {"spells": (0, 7), "equipment": (7, 12)})


def best(query: str, group: str = "spells", *, unknown: bool = False) -> list[str]:
    """The names that match best, in the order of the alphabet."""
    found = INDEX.matches(words(query), group, unknown=unknown)
    high = max((match for match in found.values()), default=1.0)
    return sorted((*SPELLS, *GEAR)[number] for number, match in found.items() if match == high)


@pytest.mark.parametrize(("query", "group", "name"), [
    ("Ember Lash", "spells", "Ember Lash"), ("ember LASH", "spells", "Ember Lash"),
    ("ember lashes", "spells", "Ember Lash"), ("emberlash", "spells", "Ember Lash"),
    ("ghost walk", "spells", "Ghostwalk"), ("moth light", "spells", "Moth-Light"),
    ("mothlight", "spells", "Moth-Light"), ("night's bargain", "spells", "Night's Bargain"),
    ("nights bargain", "spells", "Night's Bargain"), ("night’s bargains", "spells", "Night's Bargain"),
    ("hooded lantern", "equipment", "Lantern, hooded"), ("lantern hooded", "equipment", "Lantern, hooded"),
    ("Lantern, hooded", "equipment", "Lantern, hooded"), ("hooded lanterns", "equipment", "Lantern, hooded"),
    ("throwing knife", "equipment", "Knives, throwing"), ("silken rope", "equipment", "Rope, silken (50 feet)"),
    ("Rope, silken (50 feet)", "equipment", "Rope, silken (50 feet)"),
    ("wolves tooth", "equipment", "Wolf's Tooth"), ("ember storm", "equipment", "Ember Storm"),
])
def test_a_name_however_it_is_written(query: str, group: str, name: str) -> None:
    assert best(query, group) == [name]
    scores = INDEX.matches(words(query), group, unknown=False)
    assert max(match for match in scores.values()) == EXACT


@pytest.mark.parametrize(("query", "name"), [
    ("storm ember", "Ember Storm"), ("lash of ember", "Ember Lash"), ("what is the ember lash", "Ember Lash"),
    ("winter arc", "Arc of Winter"), ("bargain night", "Night's Bargain"), ("the arc of the winter", "Arc of Winter"),
])
def test_word_order_and_words_that_tell_nothing(query: str, name: str) -> None:
    assert best(query) == [name]


@pytest.mark.parametrize(("query", "names"), [
    ("tell me about ember lash please", ["Ember Lash"]), ("is ember storm better than ember lash", ["Ember Lash", "Ember Storm"]),
    ("ember", []), ("xyzzy", []), ("", []), ("of the", []), ("lantern", []),
])
def test_names_within_a_query_and_what_is_none(query: str, names: list[str]) -> None:
    found = INDEX.matches(words(query), "spells", unknown=False)
    assert sorted(SPELLS[number] for number in found) == names
    assert all(0 < match < EXACT for match in found.values())


@pytest.mark.parametrize(("query", "name"), [
    ("embre lsh", "Ember Lash"), ("gostwalk", "Ghostwalk"), ("ghostwlk", "Ghostwalk"),
    ("arc off wintre", "Arc of Winter"), ("nigth barqain", "Night's Bargain"),
])
def test_a_misspelt_name_is_the_nearest_but_never_sure(query: str, name: str) -> None:
    assert best(query, unknown=True)[:1] == [name]
    found = INDEX.matches(words(query), "spells", unknown=True)
    assert max(match for match in found.values()) < EXACT
    assert not INDEX.matches(words("quartz"), "spells", unknown=True)


def test_where_names_stand() -> None:
    said = words("cast ember storm or a hooded lantern at the ember lash")
    spells = [" ".join(said[start:end]) for start, end in INDEX.named_in(said, ("spells",))]
    assert spells == ["ember storm", "ember lash"]
    both = INDEX.named_in(said, ("spells", "equipment"))
    assert [" ".join(said[start:end]) for start, end in both] == ["ember storm", "hooded lantern", "ember lash"]


def test_of_names_with_the_same_words_in_the_singular_the_one_spelt_so_is_meant() -> None:
    index = NameIndex(["Poison", "Poisons"], {"rules": (0, 2)})
    for number, text in enumerate(("poison", "poisons")):
        found = index.matches(words(text), "rules", unknown=False, text=text)
        assert found[number] == EXACT
        assert found[1 - number] < EXACT
