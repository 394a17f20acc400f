"""Text analysis: tokens kept whole and in parts, normalisation, broken characters."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.text.normalising import clean, normalise, terms

pytestmark = pytest.mark.serving

ANY_TEXT = st.text(st.characters(exclude_categories=()))  # lone surrogates and NULs included

WHOLE_AND_PARTS = [
    ("CR 1/4", {"cr=1/4", "1/4", "cr", "1", "4"}), ("Challenge Rating: 1/4", {"cr=1/4", "1/4", "1", "4"}), ("challenge of 5", {"cr=5"}),
    ("CR=13", {"cr=13", "cr", "13"}), ("level 3", {"level=3", "level", "3"}), ("lvl. 3", {"3"}), ("a 3rd-level slot", {"level=3"}),
    ("DC 15", {"dc=15", "dc", "15"}), ("AC of 18", {"ac=18", "ac", "18"}), ("tier 2", {"tier=2"}), ("1d20+5", {"1d20+5", "1d20", "5"}),
    ("roll 2D6", {"2d6"}), ("d100", {"d100"}), ("god:return_story", {"god:return_story", "god", "return", "stori"}),
    ("GOD:RETURN_STORY", {"god:return_story"}), ("state_updates", {"state_updates", "state", "updat"}), ("__DELETE__", {"__delete__", "delet"}),
    ("world_data.npc_data.marrek", {"world_data.npc_data.marrek", "marrek", "npc"}), ("hit-and-run", {"hit-and-run", "hit", "run"}),
]


@pytest.mark.parametrize(("words", "expected"), WHOLE_AND_PARTS)
def test_meaningful_tokens_stand_whole_and_in_parts(words: str, expected: set[str]) -> None:
    assert expected <= set(terms(words))


@pytest.mark.parametrize(("words", "expected"), [
    ("", []), (" \t\n ", []), ("the of and", []), ("Goblins", ["goblin"]), ("the goblin's cave", ["goblin", "cave"]),
    ("the goblin’s cave", ["goblin", "cave"]), ("I", []), ("x 7", ["7"]), ("ﬁre ＦＩＲＥ", ["fire", "fire"]), ("Straße", ["strass"]),
    ("running runs", ["run", "run"]),
])
def test_plain_words_are_folded_and_stemmed(words: str, expected: list[str]) -> None:
    assert terms(words) == expected


@pytest.mark.parametrize(("broken", "cleaned"), [
    ("a\0b", "a\ufffdb"), ("a\ud800b", "a\ufffdb"), ("\udfff", "\ufffd"), ("\ud83d\ude00", "\ufffd\ufffd"), ("😀", "😀"),
], ids=ascii)
def test_clean_replaces_what_cannot_be_encoded(broken: str, cleaned: str) -> None:
    assert clean(broken) == cleaned


@given(ANY_TEXT)
def test_clean_text_encodes_and_stays_as_it_is(words: str) -> None:
    assert clean(words).encode().decode() == clean(words)
    assert clean(clean(words)) == clean(words)
    assert len(clean(words)) == len(words)


@pytest.mark.slow
def test_normalise_is_idempotent_for_every_character() -> None:
    once = [normalise(chr(point)) for point in range(sys.maxunicode + 1)]
    assert [f"U+{ord(c[0]):04X}" for c in once if c and normalise(c) != c] == []


@given(ANY_TEXT)
def test_terms_of_any_text_encode_and_ignore_case_and_space(words: str) -> None:
    found = terms(words)
    assert all(term and term.encode() for term in found)
    assert found == terms(normalise(words)) == terms(f"  {words}\n")


@pytest.mark.timeout(10)
@pytest.mark.parametrize("run", ["a7", "ab-"])
def test_a_megabyte_without_a_space_is_read_in_linear_time(run: str) -> None:
    """A pasted base64 image is one such word; the time limit only ends a quadratic scan."""
    assert terms(run * (1_000_000 // len(run)))
