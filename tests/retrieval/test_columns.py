"""Columns: a filter's mask and a field's counts are what a look at each row would give."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.retrieval.collection import IndexedPassage, Value
from mvp_site.retrieval.columns import Columns
from mvp_site.retrieval.filters import (
    AnyOf,
    Condition,
    Contains,
    FieldKind,
    FilterField,
    Range,
    parse_filters,
)

from .backends.passages import fulfils as passage_fulfils
from .test_filters import HOSTILE

pytestmark = pytest.mark.serving

FIELDS = (
    FilterField("level", FieldKind.NUMBER), FilterField("ritual", FieldKind.FLAG), FilterField("school", FieldKind.TEXT),
    FilterField("classes", FieldKind.TEXTS),
)
ROWS: tuple[Mapping[str, Value], ...] = (
    {"level": 3.0, "ritual": True, "school": "evocation", "classes": ("wizard", "sorcerer")},
    {"level": 0.0, "ritual": False, "school": "", "classes": ()},
    {"level": math.nan, "school": "evo", "classes": ("wizard", "wizard")},
    {},
    {"level": -1.5, "ritual": True, "classes": ("cleric",), "kind": 1.0},
    {"level": 3.0, "kind": "1.0"},
    {"kind": True}, {"kind": ("1.0", "")},
)


def fulfils(row: Mapping[str, Value], where: Condition) -> bool:
    """Whether one row fulfils every clause, from the definitions; NaN is no number."""
    held = {name: value for name, value in row.items() if value == value}  # noqa: PLR0124
    return passage_fulfils(IndexedPassage(0, "", (), np.empty(0, np.float32), held), ("",), where)


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ((), [0, 1, 2, 3, 4, 5, 6, 7]),
        ((AnyOf("level", (3.0,)),), [0, 5]),
        ((AnyOf("level", (-1.5, 0.0)),), [1, 4]),
        ((AnyOf("level", (-0.0,)),), [1]),
        ((Range("level", 0.0, 3.0),), [0, 1, 5]),
        ((Range("level", None, -1.0),), [4]),
        ((Range("level", None, None),), [0, 1, 4, 5]),
        ((AnyOf("ritual", (True,)),), [0, 4]),
        ((AnyOf("ritual", (False,)),), [1]),
        ((AnyOf("ritual", (False, True)),), [0, 1, 4]),
        ((AnyOf("school", ("evo",)),), [2]),
        ((AnyOf("school", ("",)),), [1]),
        ((Contains("school", "evo"),), [0, 2]),
        ((AnyOf("classes", ("cleric", "wizard")),), [0, 2, 4]),
        ((Contains("classes", "r"),), [0, 2, 4]),
        ((Contains("classes", "wizardsorcerer"),), []),
        ((AnyOf("classes", ("wizard",)), Range("level", 1.0, None)), [0]),
        ((AnyOf("level", (3.0,)), AnyOf("level", (0.0,))), []),
        ((AnyOf("kind", (1.0,)),), [4]),
        ((AnyOf("kind", ("1.0",)),), [5, 7]),
        ((AnyOf("kind", (True,)),), [6]),
        ((AnyOf("kind", (True, 1.0, "")),), [4, 6, 7]),
        ((AnyOf("nothing", ("a", 1.0, True)),), []),
        ((Range("nothing", 0.0, None),), []),
        ((Contains("nothing", "a"),), []),
    ],
    ids=str,
)
def test_mask(where: Condition, expected: list[int]) -> None:
    columns = Columns(ROWS)
    assert np.flatnonzero(columns.mask(where)).tolist() == expected
    assert np.flatnonzero(columns.mask(where, 2, 6)).tolist() == [n - 2 for n in expected if 2 <= n < 6]
    assert [n for n, row in enumerate(ROWS) if fulfils(row, where)] == expected


@pytest.mark.parametrize(
    ("field", "start", "expected"),
    [
        ("level", 0, {-1.5: 1, 0.0: 1, 3.0: 2}),
        ("ritual", 0, {False: 1, True: 2}),
        ("school", 0, {"": 1, "evo": 1, "evocation": 1}),
        ("classes", 0, {"cleric": 1, "sorcerer": 1, "wizard": 2}),
        ("classes", 2, {"cleric": 1, "wizard": 1}),
        ("level", 5, {3.0: 1}),
        ("ritual", 5, {}),
    ],
)
def test_counts(field: str, start: int, expected: dict[Any, int]) -> None:
    one = next(known for known in FIELDS if known.name == field)
    every = np.ones(len(ROWS) - start, np.bool_)
    counted = Columns(ROWS).counts(one, every, start)
    assert counted == expected
    assert [type(value) for value in counted] == [type(value) for value in expected]
    assert list(counted) == sorted(counted)
    assert Columns(ROWS).counts(one, ~every, start) == {}
    assert Columns([{}] * len(ROWS)).counts(one, every, start) == {}


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text)[:30])
def test_hostile_texts_match_nothing_but_themselves(text: str) -> None:
    for filters in ({"school": text}, {"classes": text}, {"school": {"contains": text}}, {"classes": [text, text]}):
        where = parse_filters(filters, FIELDS, "spells")
        assert not Columns(ROWS).mask(where).any()
        own = {where[0].field: getattr(where[0], "part", None) or where[0].values}  # type: ignore[union-attr]
        assert Columns([*ROWS, own]).mask(where).tolist() == [False] * len(ROWS) + [True]


NAMES = st.sampled_from(["a", "b", "c"])
TEXTS = st.text("ab'\x00\ud800", max_size=3)
NUMBERS = st.integers(-2, 2).map(float) | st.sampled_from([math.inf, -math.inf, 0.5, -0.0])
FIELD_VALUES = st.booleans() | NUMBERS | st.just(math.nan) | TEXTS | st.lists(TEXTS, max_size=3).map(tuple)
TABLES = st.lists(st.dictionaries(NAMES, FIELD_VALUES), max_size=8)
CLAUSES = (
    st.builds(AnyOf, NAMES, st.lists(st.booleans() | NUMBERS | TEXTS, max_size=3).map(tuple))
    | st.builds(Range, NAMES, st.none() | NUMBERS, st.none() | NUMBERS)
    | st.builds(Contains, NAMES, TEXTS.filter(bool))
)
CONDITIONS = st.lists(CLAUSES, max_size=3).map(tuple)


@given(TABLES, CONDITIONS, st.data())
def test_a_mask_is_what_a_look_at_each_row_gives(rows: list[dict[str, Value]], where: Condition, data: st.DataObject) -> None:
    expected = [fulfils(row, where) for row in rows]
    columns = Columns(rows)
    assert columns.mask(where).tolist() == expected
    start = data.draw(st.integers(0, len(rows)))
    end = data.draw(st.integers(start, len(rows)))
    assert columns.mask(where, start, end).tolist() == expected[start:end]


@given(TABLES, NAMES, st.sampled_from(FieldKind), st.data())
def test_counts_are_those_of_the_rows(rows: list[dict[str, Value]], name: str, kind: FieldKind, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(rows)))
    mask = data.draw(st.lists(st.booleans(), max_size=len(rows) - start))
    kinds = {FieldKind.FLAG: bool, FieldKind.NUMBER: float}
    expected: Counter[Value] = Counter()
    for row, counted in zip(rows[start:], mask, strict=False):
        held = row.get(name, ())
        values = held if isinstance(held, tuple) else (held,)
        expected.update({v for v in values if counted and type(v) is kinds.get(kind, str) and not (isinstance(v, float) and math.isnan(v))})
    assert Columns(rows).counts(FilterField(name, kind), np.asarray(mask, np.bool_), start) == expected
