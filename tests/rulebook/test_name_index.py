"""Where names stand: as titles, in titles and in texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.rulebook.markdown import parse_rulebook
from mvp_site.rulebook.name_index import TitleIndex, WordIndex
from mvp_site.text.names import words
from tests.rulebook.small_book import TEXT

BOOK = parse_rulebook(
    "# Spells\n## Fireball\n## Delayed Blast Fireball\n## Wall of Fire\n# The Bag of Holding\n## Spells\n"
)


TITLES = TitleIndex(BOOK)


@pytest.mark.parametrize(("name", "numbers"), [
    ("fireballs", [1]), ("spells", [0, 5]), ("bag of holding", [4]), ("blast", []), ("", []),
])
def test_a_name_is_the_whole_title(name: str, numbers: list[int]) -> None:
    assert list(TITLES.titled(words(name))) == numbers


@pytest.mark.parametrize(("name", "found"), [
    ("fireball", True), ("blast fireball", True), ("fire", True),
    ("fireball blast", False), ("dragon", False), ("", False),
])
def test_a_name_is_found_inside_titles(name: str, found: bool) -> None:
    assert TITLES.contains(words(name)) is found


@pytest.mark.parametrize(("text", "names"), [
    ("can I put a fireball into the bag of holding?", ["fireball", "bag of holding"]),
    ("a delayed blast fireball, or a fireball", ["delayed blast fireball", "fireball"]),
    ("spells and spells", ["spell"]), ("nothing of it", []), ("", []),
])
def test_titles_are_found_in_words(text: str, names: list[str]) -> None:
    assert [" ".join(name) for name in TITLES.named_in(words(text))] == names


LISTED = parse_rulebook("# Lantern, hooded\n\n# Rope, hempen (50 feet)\n\n# Rope (silk)\n\n# a, b, c\n")


@pytest.mark.parametrize(("name", "found"), [
    ("hooded lantern", True), ("lantern hooded", True), ("hempen rope", True), ("rope", True),
    ("rope silk", True), ("c a", False),
])
def test_a_title_set_for_a_list_is_found_as_it_is_said(name: str, found: bool) -> None:
    assert TitleIndex(LISTED).contains(words(name)) is found


SECTIONS = parse_rulebook(TEXT)


def found(index: WordIndex, name: str) -> list[str]:
    return [SECTIONS.at(int(number)).id for number in index.mentioning(words(name))]


@pytest.mark.parametrize(("name", "ids"), [
    ("fire damage", ["spells/spell-descriptions/emberburst"]),
    ("average", ["playing/average-results"]),
    ("rage", []),
    ("hit points", ["playing/resting/short-rest", "playing/resting/long-rest"]),
    ("points hit", []),
    ("reavers", ["classes/reaver/rage", "classes/reaver/extra-attack"]),
    ("dragon", []),
    ("", []),
])
def test_a_name_is_found_by_its_whole_words_in_order(name: str, ids: list[str]) -> None:
    assert found(WordIndex.build(SECTIONS), name) == ids


def test_it_says_the_same_after_a_dump() -> None:
    built = WordIndex.build(SECTIONS)
    again = WordIndex.load(built.dump())
    for name in ("fire damage", "hit points", "rage", "a"):
        assert found(built, name) == found(again, name)
    assert "flame" in again
    assert "dragon" not in again


texts = st.lists(st.text(alphabet="ab c", max_size=12), min_size=1, max_size=6)


@given(texts, st.text(alphabet="ab ", min_size=1, max_size=4))
def test_it_agrees_with_reading_the_text(contents: list[str], name: str) -> None:
    book = parse_rulebook("\n\n".join(f"# T\n\n{content}" for content in contents))
    index = WordIndex.build(book)
    wanted = [number for number, section in enumerate(book)
              if words(name) and mentions_plainly(name, section.content)]
    assert index.mentioning(words(name)).tolist() == wanted


def mentions_plainly(name: str, text: str) -> bool:
    one, other = words(name), words(text)
    return any(other[at : at + len(one)] == one for at in range(len(other) - len(one) + 1))
