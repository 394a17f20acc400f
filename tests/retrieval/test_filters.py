"""Filters: what callers may ask of fields, what it becomes, and what they are told otherwise."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.errors import FilterError
from mvp_site.retrieval.filters import (
    MAX_VALUES,
    AnyOf,
    Condition,
    Contains,
    FieldKind,
    FilterField,
    Range,
    as_filters,
    fold,
    parse_filters,
)

pytestmark = pytest.mark.serving

FIELDS = (
    FilterField("level", FieldKind.NUMBER, "0 to 9", ("lvl",)),
    FilterField("ritual", FieldKind.FLAG),
    FilterField("school", FieldKind.TEXT),
    FilterField("classes", FieldKind.TEXTS, also=("class",)),
)
HUGE = 10**400
UNPRINTABLE = 10**5000
DEEP: list[Any] = []
for _ in range(100_000):
    DEEP = [DEEP]
HOSTILE = (
    "'", '"', "\\", "' or 1==1", '") or (1==1', "{}", "{x}", "{{", "%s", "$where", "*", "\x00", "\ud800",
    "\udfff\ud800", "\u202e", "a\nb", "; drop table spells; --", "../../etc/passwd", "x" * 100_000,
    "' or " * 20_000, "\x00" * 100_000,
)


def parsed(filters: Any) -> Condition:
    return parse_filters(filters, FIELDS, "spells")


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (None, ()),
        ({}, ()),
        ({"level": 3}, (AnyOf("level", (3.0,)),)),
        ({"level": -0.5}, (AnyOf("level", (-0.5,)),)),
        ({"level": [3, 1, 3.0]}, (AnyOf("level", (1.0, 3.0)),)),
        ({"level": {2, 1}}, (AnyOf("level", (1.0, 2.0)),)),
        ({"level": {"min": 5, "max": 6}}, (Range("level", 5.0, 6.0),)),
        ({"level": {"min": 5}}, (Range("level", 5.0, None),)),
        ({"level_min": 5, "level_max": 6}, (Range("level", 5.0, 6.0),)),
        ({"level_min": 5, "lvl_min": 7}, (Range("level", 7.0, None),)),
        ({"level": {"min": 1, "max": 9}, "level_max": 4}, (Range("level", 1.0, 4.0),)),
        ({"level": [1, 3], "level_min": 2}, (AnyOf("level", (1.0, 3.0)), Range("level", 2.0, None))),
        ({"ritual": [True, False]}, (AnyOf("ritual", (False, True)),)),
        ({"school": " EVOCATION "}, (AnyOf("school", ("evocation",)),)),
        ({"school": ("b", "a", "B")}, (AnyOf("school", ("a", "b")),)),
        ({"school": {"contains": "Bonus-Action"}}, (Contains("school", "bonus action"),)),
        ({"class": "Wizard"}, (AnyOf("classes", ("wizard",)),)),
        ({"classes": {"contains": "iz"}}, (Contains("classes", "iz"),)),
    ],
    ids=repr,
)
def test_what_filters_become(filters: Any, expected: Condition) -> None:
    assert parsed(filters) == expected
    assert parsed(as_filters(expected)) == expected


@pytest.mark.parametrize(
    ("filters", "told"),
    [
        ([], 'filters must be a mapping from field to value, not list: for example {"level": 3}'),
        ({3: 3}, "a filter's name must be a text, not 3"),
        ({"levle": 3}, "spells have no field 'levle': did you mean 'level' or 'lvl'? they have level, ritual, school, classes"),
        ({"": 3}, "spells have no field '': they have level, ritual, school, classes"),
        ({"q" * 100_000: 3}, f"spells have no field '{'q' * 60}': they have level, ritual, school, classes"),
        ({"\ud800\x00": 3}, "spells have no field '\\ud800\\x00': they have level, ritual, school, classes"),
        ({"level": "3"}, "level of spells is a number (0 to 9), which '3' is not"),
        ({"level": float("nan")}, "level of spells is a number (0 to 9), which nan is not"),
        ({"level": []}, "level of spells is a number (0 to 9), which [] is not: an empty list asks for nothing: give a value"),
        ({"level": {}}, 'level of spells is a number (0 to 9), which {} is not: write {"min": …, "max": …} or {"contains": …}'),
        ({"level": {"min": None}}, "level of spells is a number (0 to 9), which {'min': None} is not: give \"min\", \"max\" or both"),
        ({"level": {"min": 1, "x": 2}}, "level of spells is a number (0 to 9), which {'min': 1, 'x': 2} is not: write {\"min\": …, \"max\": …} or {\"contains\": …}"),
        ({"level": {"contains": "3"}}, "level of spells is a number (0 to 9), which {'contains': '3'} is not: only texts contain something"),
        ({"level": {"min": 6, "max": 5}}, "level: min 6 is greater than max 5"),
        ({"ritual": 1}, "ritual of spells is true or false, which 1 is not"),
        ({"school": 3}, "school of spells is a text, which 3 is not"),
        ({"school_min": 3}, "school of spells is a text, which {'min': 3} is not: only numbers have a range"),
        ({"school": {"contains": " - "}}, "school of spells is a text, which ' - ' is not: \"contains\" asks for a part of the text"),
        ({"classes": [None]}, "classes of spells is several texts, which None is not"),
        ({"level": 1, "lvl": 1}, "spells: level is asked for twice under several of its names"),
        ({"school": ["a"] * (MAX_VALUES + 1)}, "school: 1001 values, at most 1000 are taken"),
    ],
    ids=lambda value: value[:60] if isinstance(value, str) else "",
)
def test_what_callers_are_told(filters: Any, told: str) -> None:
    with pytest.raises(FilterError, match=f"^{re.escape(told)}$"):
        parsed(filters)


@pytest.mark.parametrize(("filters", "told"), [
    ({"level": HUGE}, f"which 1{'0' * 79}… is not"), ({"level_min": -HUGE}, f"which -1{'0' * 78}… is not"),
    ({UNPRINTABLE: 1}, "a filter's name must be a text, not a value of type int"),
    ({"level": {"max": DEEP}}, "which a value of type list is not"),
], ids=["huge", "bound", "name", "deep"])
def test_what_callers_are_told_of_values_without_form(filters: Any, told: str) -> None:
    with pytest.raises(FilterError, match=re.escape(told)):
        parsed(filters)


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text)[:30])
def test_hostile_texts_are_texts(text: str) -> None:
    assert parsed({"school": text}) == (AnyOf("school", (fold(text),)),)
    assert parsed({"classes": {"contains": text}}) == (Contains("classes", fold(text)),)
    for filters in ({"level": text}, {"ritual": text}, {text: 1}, {"level": {text: 1}}, {"level": {"min": text}}):
        with pytest.raises(FilterError) as raised:
            parsed(filters)
        assert len(str(raised.value)) < 400
        assert str(raised.value).replace("…", "").isprintable()


NAMES = st.sampled_from(["level", "lvl", "level_min", "level_max", "ritual", "school", "classes", "class", "min", "max", "contains"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.just(HUGE) | st.floats() | st.text(max_size=5) | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES | st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(JSON | st.dictionaries(NAMES, JSON, max_size=4))
def test_any_json_is_read_or_refused(filters: Any) -> None:
    told = ""
    try:
        condition = parsed(filters)
    except FilterError as error:
        told = str(error)
    if told:
        assert told.encode()
    else:
        assert filters is None or isinstance(filters, dict)
        assert parsed(as_filters(condition)) == condition
