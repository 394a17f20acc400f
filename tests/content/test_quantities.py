"""Numbers with their nouns and units, and what bounds them on either side."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import settings as deadline
from hypothesis import strategies as st

from mvp_site.content.constraints.quantities import MOST, STEP, patterns, quantities
from mvp_site.retrieval.filters import AnyOf, Clause, Range
from mvp_site.retrieval.names import fold

POUNDS = patterns(r"(?:pounds?|lbs?)")


def read(text: str, *, worth: float = 1.0, whole: bool = False) -> Clause | None:
    """The longest quantity that is read."""
    found = list(quantities(fold(text), "weight", POUNDS, worth=worth, whole=whole))
    return max(found, key=lambda one: one.end - one.start).clause if found else None


def exactly(*values: float) -> Clause:
    return AnyOf("weight", values)


def between(low: float | None, high: float | None) -> Clause:
    return Range("weight", low, high)


@pytest.mark.parametrize(("text", "clause"), [
    ("3 pounds", exactly(3)), ("3lbs", exactly(3)), ("3-pound", exactly(3)), ("pounds: 3", exactly(3)),
    ("three pounds", exactly(3)), ("twenty pounds", exactly(20)), ("2.5 lb", exactly(2.5)),
    ("1,200 lb", exactly(1200)), ("1/2 pound", exactly(0.5)), ("½ pound", exactly(0.5)),
    ("¼ lb", exactly(0.25)), ("half a pound", exactly(0.5)), ("one quarter pound", exactly(0.25)),
    ("one eighth pound", exactly(0.125)), ("pounds of 4", exactly(4)), ("pounds = 4", exactly(4)),
    ("3 or 4 lb", exactly(3, 4)), ("4 or 3 lb", exactly(3, 4)), ("2, 3 or 4 lb", exactly(2, 3, 4)),
    ("2, 3, and 4 lb", exactly(2, 3, 4)), ("pounds 2 or pounds 7", exactly(2, 7)),
    ("3 to 4 lb", between(3, 4)), ("3-4 lb", between(3, 4)), ("4–3 lb", between(3, 4)),
    ("between 3 and 4 lb", between(3, 4)), ("between three and four pounds", between(3, 4)),
    ("from 3 to 4 pounds", between(3, 4)), ("pounds between 3 and 4", between(3, 4)),
    ("3 through 4 lb", between(3, 4)), ("second and third pound", between(2, 3)),
    ("at least 3 lb", between(3, None)), ("no less than 3 lb", between(3, None)),
    ("3 lb or more", between(3, None)), ("3 or more lb", between(3, None)), ("3+ lb", between(3, None)),
    (">= 3 lb", between(3, None)), ("3 lb and up", between(3, None)), ("minimum of 3 lb", between(3, None)),
    ("at most 3 lb", between(None, 3)), ("up to 3 lb", between(None, 3)), ("≤ 3 lb", between(None, 3)),
    ("3 lb or less", between(None, 3)), ("no more than 3 lb", between(None, 3)),
    ("over 3 lb", between(3 + STEP, None)), ("more than 3 lb", between(3 + STEP, None)),
    ("> 3 lb", between(3 + STEP, None)), ("heavier than 3 lb", between(3 + STEP, None)),
    ("under 3 lb", between(None, 3 - STEP)), ("less than 3 lb", between(None, 3 - STEP)),
    ("lighter than 3 lb", between(None, 3 - STEP)),
    ("pounds", None), ("3", None), ("a3 pounds", None), ("3 poundsworth", None), ("3 impounds", None),
    ("", None), ("one poundage", None), (f"{'9' * 400} lb", None), (f"{MOST * 10:.0f} lb", None),
])
def test_readings(text: str, clause: Clause | None) -> None:
    assert read(text) == clause


def test_a_whole_number_s_next_one_is_one_away() -> None:
    assert read("over 3 lb", whole=True) == between(4, None)
    assert read("under 3 lb", whole=True) == between(None, 2)


def test_a_unit_is_worth_what_it_is_worth() -> None:
    assert read("3 lb", worth=0.1) == exactly(0.3)
    assert read("between 5 and 15 lb", worth=0.01) == between(0.05, 0.15)
    assert read("5 or 15 lb", worth=0.01) == exactly(0.05, 0.15)


def test_two_things_are_not_one_list() -> None:
    assert read("pounds 15 and 100 hit points") == exactly(15)


def test_where_it_stands() -> None:
    text = "a rope of at least 3 lb for him"
    said = max(quantities(text, "weight", POUNDS), key=lambda one: one.end - one.start)
    assert text[said.start : said.end] == "at least 3 lb"


PIECES = st.sampled_from(["1", "2/0", "⁄", "3rd", "one", "half", "to", "or", "and", "between", "-", ",", "+",
                          "lb", "pounds", "over", "at least", "under", "or more", "9" * 30, "1,000", "٣"])


@deadline(max_examples=150, deadline=None)
@given(st.lists(PIECES, max_size=20).map(" ".join) | st.text(max_size=60))
def test_whatever_is_said_a_clause_is_sound(text: str) -> None:
    for said in quantities(fold(text), "weight", POUNDS):
        assert 0 <= said.start < said.end <= len(fold(text))
        match said.clause:
            case Range(_, low, high):
                assert low is not None or high is not None
                assert low is None or high is None or low <= high
            case AnyOf(_, values):
                assert values == tuple(sorted(set(values)))
                assert max(map(float, values)) <= MOST
