"""Token counts: o200k, plain text only, and a bound on what a text adds to a prompt."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.text.tokens import count_tokens, printed_tokens

pytestmark = pytest.mark.serving

PIECES = [
    "\n",
    "\n\n",
    " ",
    "  ",
    "\t",
    "\r",
    "\x0b",
    "\u2028",
    "/",
    "\\",
    "'s",
    "a",
    "A",
    "1",
    "*/",
    "é",
    "\0",
]
TEXT = st.text(st.characters(exclude_categories=())) | st.lists(st.sampled_from(PIECES)).map(
    "".join
)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("hello", 1), ("hello world", 2), ("<|endoftext|>", 7), ("\ud800", 1), ("\0", 1)],
    ids=ascii,
)
def test_counts(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens


@pytest.mark.parametrize(
    "text",
    ["a" * 3_000_000, "The goblin king counts. " * 100_000, "1\n" * 300_000],
    ids=["one word", "prose", "many tokens"],
)
def test_text_of_any_size_is_counted(text: str) -> None:
    """An archive file may have 16 MiB, and its tokens are counted as a whole."""
    assert count_tokens(text) > 100_000


@given(st.lists(TEXT.map(lambda text: text.lstrip("\r\n")), max_size=5))
def test_lines_never_add_more_than_their_own_count(texts: list[str]) -> None:
    """Printed text opens with no line end; one that does can add a token more."""
    printed = "".join(f"{text}\n" for text in texts if text)
    assert count_tokens(printed) <= sum(map(printed_tokens, texts))
