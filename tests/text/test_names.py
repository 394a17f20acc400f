"""Names: one form for all spellings of a word, and whole words only."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.text.names import fold, names_of, singular, title_key, word_spans, words


@pytest.mark.parametrize(("plural", "expected"), [
    ("goblins", "goblin"), ("wolves", "wolf"), ("dwarves", "dwarf"), ("elves", "elf"), ("thieves", "thief"),
    ("bodies", "body"), ("torches", "torch"), ("boxes", "box"), ("axes", "axe"), ("heroes", "hero"),
    ("foes", "foe"), ("shoes", "shoe"), ("horses", "horse"), ("senses", "sense"), ("classes", "class"),
    ("dice", "die"), ("feet", "foot"), ("men", "man"), ("staves", "staff"), ("mice", "mouse"),
    # what only looks like a plural
    ("bless", "bless"), ("class", "class"), ("darkness", "darkness"), ("colossus", "colossus"),
    ("focus", "focus"), ("paralysis", "paralysis"), ("this", "this"), ("gas", "gas"), ("as", "as"), ("rage", "rage"),
])
def test_singular(plural: str, expected: str) -> None:
    assert singular(plural) == expected
    assert singular(expected) == expected


@pytest.mark.parametrize("title", ["a" + " " * 100_000 + "b", "a," + " " * 100_000 + ",", "a," * 50_000, "(" * 100_000, "( " * 50_000])
def test_the_names_of_a_hostile_title_do_not_take_forever(title: str) -> None:
    assert 1 <= len(names_of(title)) <= 3


@given(st.text(max_size=40) | st.text("ab ,()-'", max_size=20))
def test_names_are_some_and_none_twice(title: str) -> None:
    names = names_of(title)
    assert len(set(names)) == len(names) >= 1
    assert all(names) or names == ((),)
    assert " ".join(names[0]) == title_key(title) or not title_key(title)


@given(st.text(max_size=60) | st.text("aàéßǆİıΣς'’ʼ\u0301\u0345ŉﬁ½ ", max_size=20))
def test_word_spans_are_the_words_of_the_text(text: str) -> None:
    folded = fold(text)
    spans = word_spans(folded)
    assert tuple(word for word, _, _ in spans) == words(text)
    ends = [0, *(place for _, start, end in spans for place in (start, end))]
    assert ends == sorted(ends)
    assert all(words(folded[start:end])[0] == word for word, start, end in spans)
