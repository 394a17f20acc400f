from __future__ import annotations

import base64
import json
import zlib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.errors import RulebookQueryError
from mvp_site.rulebook.query_parsing import BookQuery
from mvp_site.rulebook.response import continuation_of, read_continuation
from mvp_site.rulebook.selection import Given

ASKED = BookQuery("q", query="q")
RELEASE = "0123456789abcdef"


@given(st.frozensets(st.integers(0, 999)), st.one_of(st.none(), st.integers(0, 999)),
       st.integers(0, 10**6))
def test_what_was_given_comes_back(numbers: frozenset[int], cut: int | None, chars: int) -> None:
    given_ = Given(numbers, cut, chars)
    assert read_continuation(continuation_of(given_, RELEASE, ASKED), RELEASE, ASKED, 1000) == given_


def packed(value: object) -> str:
    content = json.dumps(value).encode()
    return base64.urlsafe_b64encode(zlib.compress(content)).decode().rstrip("=")


GOOD = json.loads(zlib.decompress(base64.urlsafe_b64decode(
    (word := continuation_of(Given(), RELEASE, ASKED)) + "=" * (-len(word) % 4)
)))


@pytest.mark.parametrize("word", [
    "", "x", "é", "=" * 40, packed({}), packed(None), packed([]), packed(GOOD[:4]),
    packed([*GOOD[:2], ["1"], None, 0]), packed([*GOOD[:2], [True], None, 0]),
    packed([*GOOD[:2], [-1], None, 0]), packed([*GOOD[:2], [10], None, 0]),
    packed([*GOOD[:2], [], 10, 0]), packed([*GOOD[:2], [], None, -1]),
    packed([*GOOD[:2], "12", None, 0]), packed([[]] * 5), "A" * 30_000,
    base64.urlsafe_b64encode(zlib.compress(b"[" * 10**6)).decode(),
])
def test_what_is_no_continuation_is_refused(word: str) -> None:
    with pytest.raises(RulebookQueryError, match=r"continuation|built anew|another question"):
        read_continuation(word, RELEASE, ASKED, 10)


def test_it_names_its_question_and_its_rulebook() -> None:
    word = continuation_of(Given(frozenset({1})), RELEASE, ASKED)
    with pytest.raises(RulebookQueryError, match="another question"):
        read_continuation(word, RELEASE, replace(ASKED, query="other"), 10)
    with pytest.raises(RulebookQueryError, match="built anew"):
        read_continuation(word, "f" * 16, ASKED, 10)
