from __future__ import annotations

import pytest

from mvp_site.retrieval.names import words
from mvp_site.rulebook.markdown import parse_rulebook
from mvp_site.rulebook.name_index import TitleIndex

BOOK = parse_rulebook("""\
# Spells

## Fireball

## Delayed Blast Fireball

## Wall of Fire

# The Bag of Holding

## Spells
""")


@pytest.fixture(scope="module")
def titles() -> TitleIndex:
    return TitleIndex(BOOK)


@pytest.mark.parametrize(("name", "numbers"), [
    ("fireballs", [1]), ("spells", [0, 5]), ("bag of holding", [4]), ("blast", []), ("", []),
])
def test_a_name_is_the_whole_title(titles: TitleIndex, name: str, numbers: list[int]) -> None:
    assert list(titles.titled(words(name))) == numbers


@pytest.mark.parametrize(("name", "found"), [
    ("fireball", {1: 1.0, 2: 1 / 3}), ("blast fireball", {2: 2 / 3}), ("fire", {3: 1 / 3}),
    ("fireball blast", {}), ("dragon", {}), ("", {}),
])
def test_a_name_is_found_inside_titles(
    titles: TitleIndex, name: str, found: dict[int, float]
) -> None:
    assert dict(titles.containing(words(name))) == found


@pytest.mark.parametrize(("text", "names"), [
    ("can I put a fireball into the bag of holding?", ["fireball", "bag of holding"]),
    ("a delayed blast fireball, or a fireball", ["delayed blast fireball", "fireball"]),
    ("spells and spells", ["spell"]), ("nothing of it", []), ("", []),
])
def test_titles_are_found_in_words(titles: TitleIndex, text: str, names: list[str]) -> None:
    assert [" ".join(name) for name in titles.named_in(words(text))] == names


LISTED = parse_rulebook("# Lantern, hooded\n\n# Rope, hempen (50 feet)\n\n# Rope (silk)\n\n# a, b, c\n")


@pytest.mark.parametrize(("name", "found"), [
    ("hooded lantern", {0: 1.0}), ("lantern hooded", {0: 1.0}), ("hempen rope", {1: 1.0}),
    ("rope", {1: 0.5, 2: 1.0}), ("rope silk", {2: 1.0}), ("c a", {}),
])
def test_a_title_set_for_a_list_is_found_as_it_is_said(name: str, found: dict[int, float]) -> None:
    assert dict(TitleIndex(LISTED).containing(words(name))) == found
