"""Names that are misspelt ones of others, found without comparing all pairs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.text.typos import Misspellings, closest, misspells, within

pytestmark = pytest.mark.serving

WORDS = st.text("abens", min_size=2, max_size=5) | st.text("abr", min_size=8, max_size=11) | st.sampled_from(
    ["brannoc", "branoc", "brannocks", "ashdown", "ashdwon", "ashdown", "ashen", "keep", "kepe", "lok", "lock", "arcane", "of", "the", "3rd", "sergeant", "seargeant", "sergent", "sergeants"])
NAMES = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)


@given(st.lists(NAMES, min_size=2, max_size=40, unique=True))
def test_as_all_pairs_compared(names: list[str]) -> None:
    index = Misspellings(names)
    for name in names:
        others = [other for other in names if other != name]
        assert {*index.near(name)} >= {other for other in within(name, others) if misspells(name, other)}
        assert closest(name, index.near(name)) == closest(name, others)


def test_what_is_near_nothing_is_compared_with_nothing() -> None:
    index = Misspellings([f"the {letter * 6} of {letter * 7}" for letter in "abcdefgh"])
    assert not any(index.near(f"the {letter * 6} of {letter * 7}") for letter in "abcdefgh")
