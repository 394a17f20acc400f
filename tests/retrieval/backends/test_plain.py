"""The code of texts: one to one, parts stay parts, and nothing in it that an engine reads."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mvp_site.errors import BackendError
from mvp_site.retrieval.backends.plain import SEPARATOR, SPACE, column, plain, word
from mvp_site.retrieval.filters import FieldKind

from .passages import HOSTILE

READ = set("\"'`\\%_{}()[]<>*?:;$&|^~!=+/#@\n\r\t\0\u2028")
TEXTS = st.text(st.one_of(st.characters(), st.sampled_from("\"'\\%_{}\n\ue000\ue001\ue002a b")))


@given(TEXTS)
@example("".join(HOSTILE))
def test_nothing_that_an_engine_reads_is_left(text: str) -> None:
    assert not READ & set(plain(text))
    assert SEPARATOR not in plain(text)
    assert SPACE not in plain(text)
    plain(text).encode()  # lone surrogates would not pass


@given(TEXTS, TEXTS)
@example("\ue001", "\ue000")
@example("%", "\ue000\ue001\ue001\ue003\ue006")
def test_it_is_one_to_one(one: str, other: str) -> None:
    assert (plain(one) == plain(other)) is (one == other)


@given(TEXTS, TEXTS, TEXTS)
@example("\ue000", "\ue001", "%")
def test_a_part_stays_a_part_and_nothing_else_becomes_one(before: str, part: str, after: str) -> None:
    assert plain(part) in plain(before + part + after)
    assert (plain(part) in plain(before + after)) is (part in before + after)


@given(st.text(), st.text())
def test_words_are_latin_and_one_to_one(one: str, other: str) -> None:
    assert word(one).isascii()
    assert word(one).isalnum()
    assert word(one) == word(one).lower()
    assert (word(one) == word(other)) is (one == other)


@pytest.mark.parametrize("name", ["", "1st", "a b", "a-b", 'x" or true', "é", "a" * 101, "_a", "a\n"])
def test_not_every_name_is_a_column(name: str) -> None:
    with pytest.raises(BackendError, match="letters, digits and underscores"):
        column(name, FieldKind.TEXT)
