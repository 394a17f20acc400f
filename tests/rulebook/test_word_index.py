from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.retrieval.names import words
from mvp_site.rulebook.markdown import parse_rulebook
from mvp_site.rulebook.name_index import WordIndex
from tests.rulebook.small_book import TEXT

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
