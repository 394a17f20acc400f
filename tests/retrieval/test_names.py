"""Names: one form for all spellings of a word, and whole words only."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.retrieval.names import fold, singular, stands_in, title_key, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Heroes’ Feast", "heroes' feast"),
        ("  Two–Weapon\n Fighting ", "two-weapon fighting"),
        ("ＦＩＲＥ　ball", "fire ball"),
        ("“Rage”", '"rage"'),
        ("ÜBER", "über"),
        ("in\u00advisible\u200b", "invisible"),
        ("`code`", "'code'"),
        ("a\x00\ud800", "a\ufffd\ufffd"),
    ],
)
def test_fold(text: str, expected: str) -> None:
    assert fold(text) == expected


@pytest.mark.parametrize(
    ("plural", "expected"),
    [
        ("goblins", "goblin"), ("wolves", "wolf"), ("dwarves", "dwarf"), ("elves", "elf"), ("thieves", "thief"),
        ("bodies", "body"), ("torches", "torch"), ("boxes", "box"), ("axes", "axe"), ("heroes", "hero"),
        ("foes", "foe"), ("shoes", "shoe"), ("horses", "horse"), ("senses", "sense"), ("classes", "class"),
        ("dice", "die"), ("feet", "foot"), ("men", "man"), ("staves", "staff"), ("mice", "mouse"),
        # what only looks like a plural
        ("bless", "bless"), ("class", "class"), ("darkness", "darkness"), ("colossus", "colossus"),
        ("focus", "focus"), ("paralysis", "paralysis"), ("this", "this"), ("gas", "gas"), ("as", "as"), ("rage", "rage"),
    ],
)
def test_singular(plural: str, expected: str) -> None:
    assert singular(plural) == expected
    assert singular(expected) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Tasha's Hideous Laughter", "tasha hideous laughter"),
        ("Heroes' Feast", "hero feast"),
        ("half-elves", "half elf"),
        ("1st-level spells", "1st level spell"),
        ("déjà vu", "deja vu"),
        ("don't", "dont"),
        ("'quoted'", "quoted"),
        ("snake_case", "snake case"),
        ("", ""),
        ("...", ""),
    ],
)
def test_words(text: str, expected: str) -> None:
    assert " ".join(words(text)) == expected


@pytest.mark.parametrize(
    ("title", "expected"),
    [("The Order of Combat", "order of combat"), ("A", "a"), ("The", "the"), ("The A", "a"), ("An Orc", "orc"), ("!", "")],
)
def test_title_key(title: str, expected: str) -> None:
    assert title_key(title) == expected


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("b", "a b c", True), ("b c", "a b c", True), ("a c", "a b c", False), ("c b", "a b c", False),
        ("a b c d", "a b c", False), ("a a b", "a a a b", True), ("", "a", False), ("a", "", False),
    ],
)
def test_stands_in(name: str, text: str, expected: bool) -> None:
    assert stands_in(name.split(), text.split()) is expected


@given(st.text(max_size=60))
def test_folding_again_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text(st.characters(exclude_categories=("Cs",)), max_size=60))
def test_words_do_not_depend_on_case_or_spelling(text: str) -> None:
    assert words(fold(text)) == words(text)
    assert title_key(text) == " ".join(title_key(text).split())
