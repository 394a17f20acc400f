"""Canonical JSON: nothing is lost, nothing that a database refuses is written."""

from __future__ import annotations

import math
from enum import IntEnum, StrEnum
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given

from mvp_site.text.strict_json import JsonError, read_written, shown, write

from ..store.records import values


class Colour(StrEnum):
    RED = "red"


class Level(IntEnum):
    ONE = 1


def nested(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


def same(left: object, right: object) -> bool:
    """Equality that tells 1 from 1.0 and from True, and 0.0 from -0.0."""
    if type(left) is not type(right):
        return False
    if isinstance(left, float) and isinstance(right, float):
        return left == right and math.copysign(1, left) == math.copysign(1, right)
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[k], right[k]) for k in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return left == right


@pytest.mark.parametrize(("value", "text"), [
    (None, "null"), (True, "true"), (0, "0"), (-0.0, "-0.0"), (1.0, "1.0"), (0.1 + 0.2, "0.30000000000000004"), (5e-324, "5e-324"),
    (10**40, "1" + "0" * 40), ({"b": 1, "a": 2}, '{"a":2,"b":1}'), ("Ärger 🐉", '"Ärger 🐉"'), ("a\0b", '"a\\u0000b"'), ("\ud83d", '"\\ud83d"'),
    ("\ude00\ud83d", '"\\ude00\\ud83d"'), ("\\ud83d", '"\\\\ud83d"'), ("\\\ud83d", '"\\\\\\ud83d"'), ({"\ud83d": "\udfff"}, '{"\\ud83d":"\\udfff"}'),
])
def test_one_text_for_a_value_and_back(value: object, text: str) -> None:
    assert write(value, "state") == text
    assert same(read_written(text), value)


@pytest.mark.parametrize(("value", "plain"), [
    ((1, (2,)), [1, [2]]), (MappingProxyType({"a": MappingProxyType({})}), {"a": {}}), ({Colour.RED: Colour.RED}, {"red": "red"}), (Level.ONE, 1),
])
def test_what_counts_as_json(value: object, plain: object) -> None:
    assert same(read_written(write(value, "state")), plain)


@given(values)
def test_nothing_is_lost(value: object) -> None:
    assert same(read_written(write(value, "state")), value)


@pytest.mark.parametrize(("value", "message"), [
    ({"a": [1, math.nan]}, "state.a[1] cannot be stored: nan is no JSON number"), (math.inf, "state cannot be stored: inf is no JSON number"),
    ({1: 2}, "state cannot be stored: the key 1 is no string"), ({"a": {None: 2}}, "state.a cannot be stored: the key None is no string"),
    ({10**5000: 2}, "state cannot be stored: the key a value of type int is no string"),
    ({"a": {3}}, "state.a cannot be stored: set is no JSON value"), ([b"x"], "state[0] cannot be stored: bytes is no JSON value"),
    (10**300, "state cannot be stored: an integer of more than 300 digits"), ({"n": -(10**5000)}, "state.n cannot be stored: an integer of more than 300 digits"),
    (nested(201), "cannot be stored: nested deeper than 200 levels"),
], ids=shown)
def test_what_is_refused(value: object, message: str) -> None:
    with pytest.raises(JsonError) as caught:
        write(value, "state")
    assert message in str(caught.value)
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize(("text", "kind"), [
    *((text, None) for text in ("", "{", "nul", '{"a":1}x', "[" * 100_000, "9" * 302, "9" * 4000, b"{}", 7, None)), ("[]", dict), ("1", str),
])
def test_damage_and_another_kind_are_named(text: Any, kind: Any) -> None:
    with pytest.raises(JsonError, match={dict: "no JSON object", str: "no JSON string"}.get(kind, ".")):
        read_written(text, *([kind] if kind else []))
