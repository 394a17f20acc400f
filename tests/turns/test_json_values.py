"""Kinds, equality and leaves of JSON values."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.turns.json_values import has_leaf, kind_of, leaf_values, leaves, same, shown

KINDS: list[tuple[Any, str]] = [
    (None, "null"),
    (True, "bool"),
    (0, "number"),
    (10**400, "number"),
    (1.5, "number"),
    (float("nan"), "other"),
    (float("inf"), "other"),
    ("", "string"),
    ([], "list"),
    ({}, "object"),
    ((), "other"),
    (b"", "other"),
    ({1}, "other"),
]


@pytest.mark.parametrize(("value", "kind"), KINDS)
def test_kinds(value: Any, kind: str) -> None:
    assert kind_of(value) == kind


SAME: list[tuple[Any, Any, bool]] = [
    (1, 1.0, True),
    (1, True, False),
    (0, None, False),
    ("1", 1, False),
    ([1, {"a": 2}], [1.0, {"a": 2}], True),
    ([1, {"a": 1}], [1, {"a": True}], False),
    ([1], [1, 1], False),
    ({"a": 1}, {"b": 1}, False),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
    ({}, [], False),
]


@pytest.mark.parametrize(("one", "other", "equal"), SAME)
def test_sameness_is_that_of_json(one: Any, other: Any, equal: bool) -> None:
    assert same(one, other) is equal
    assert same(other, one) is equal


SHOWN: list[tuple[Any, str]] = [
    ("a\0b", "'a\\x00b'"),
    ("x" * 50, f"'{'x' * 40}…'"),
    (5, "5"),
    (10**5_000, "a number"),
    (1.5, "1.5"),
    (True, "true"),
    (None, "null"),
    ([1], "a list"),
    ({}, "an object"),
    (b"", "no JSON value"),
]


@pytest.mark.parametrize(("value", "text"), SHOWN, ids=[row[1] for row in SHOWN])
def test_a_message_shows_a_value_briefly(value: Any, text: str) -> None:
    assert shown(value) == text


def test_leaves_come_in_order_with_their_paths() -> None:
    value = {"a": {"b": 1, "c": {}, "d": {"e": [{}]}}, "f": None}
    assert list(leaves(value)) == [(("a", "b"), 1), (("a", "d", "e"), [{}]), (("f",), None)]
    assert list(leaves({})) == []


KEYS = st.sampled_from(["", "a", "b"])


@given(st.recursive(
    st.dictionaries(KEYS, st.none() | st.integers() | st.just([{"a": 1}])),
    lambda inner: st.dictionaries(KEYS, inner), max_leaves=8,
))
def test_leaves_are_found_with_and_without_paths(value: dict[str, Any]) -> None:
    found = [leaf for _, leaf in leaves(value)]
    assert sorted(map(json.dumps, found)) == sorted(map(json.dumps, leaf_values(value)))
    assert has_leaf(value) is bool(found)
