"""Lettering: text as a reader takes it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.turns.lettering import plain

ODD = st.text(st.one_of(
    st.sampled_from("aeinrt \n\t.-'"), st.characters(min_codepoint=0x80, max_codepoint=0x2FFF),
    st.characters(min_codepoint=0x1D400, max_codepoint=0x1F1FF), st.characters(),
), max_size=40)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("", ""),
        ("plain words", "plain words"),
        ("ＩＮＦＪ", "INFJ"),
        ("𝕀𝕟𝕗𝕛", "Infj"),
        ("сhаоtіс", "chaotic"),
        ("e\u0301vi\u0308l, évïl", "evil, evil"),
        ("law\u200bful\u00ad good", "lawful good"),
        ("a — b – c", "a - b - c"),
        ("“so,” she says… and isn’t", "“so,” she says... and isn't"),
        ("one  two\t\tthree\tfour", "one two three four"),
        ("one \n\n  two\n", "one\ntwo\n"),
        ("a\u2003b\u3000c", "a b c"),
        ("bell\x07s and \x00 whistles", "bells and whistles"),
        ("\U0001f174\U0001f175", "EF"),
    ],
)
def test_how_it_is_read(text: str, read: str) -> None:
    assert plain(text) == read


@given(ODD)
def test_what_was_read_reads_as_itself(text: str) -> None:
    assert plain(plain(text)) == plain(text)


def test_long_runs_are_read() -> None:
    assert plain("е" * 10_000) == "e" * 10_000
    assert plain("a" + "\u0301" * 200_000 + "b") == "ab"
