"""Near-duplicates are those that a comparison of all pairs finds."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from mvp_site.archive.duplicates import near_duplicates

BOUND = 0.85
_LINES = st.lists(st.sampled_from([f"line {number} says what it says of number {number}" for number in range(6)]), min_size=1, max_size=12)
_TEXTS = st.one_of(_LINES.map("\n".join), st.text("ab cé", max_size=12), st.just(" ".join(f"w{number}" for number in range(60))),
                   st.integers(0, 59).map(lambda at: " ".join("other" if at == number else f"w{number}" for number in range(60))))


def runs(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", text.casefold())
    return set(zip(words, words[1:], words[2:], strict=False))


@given(st.lists(_TEXTS, max_size=12))
def test_as_all_pairs_compared(texts: list[str]) -> None:
    firsts = near_duplicates(texts, texts, BOUND)
    for number, text in enumerate(texts):
        alike = [at for at in range(number) if firsts[at] < 0 and (
            texts[at] == text or (runs(text) and len(runs(text) & runs(texts[at])) / len(runs(text) | runs(texts[at])) >= BOUND))]
        assert firsts[number] == min(alike, default=-1)


def test_what_is_rare_is_compared_with_little() -> None:
    """A thousand texts with one foreword: none is another's duplicate, whatever they share."""
    foreword = " ".join(f"as{number}" for number in range(80))
    texts = [f"{foreword} {' '.join(f'n{number}x{word}' for word in range(40))}" for number in range(1_000)]
    assert set(near_duplicates(texts, texts, BOUND)) == {-1}
