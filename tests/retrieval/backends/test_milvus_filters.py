"""Expressions of Milvus: patterns of tags find what a field says and nothing that another field or
two texts say, and no text gets out of its literal."""

from __future__ import annotations

import re
from itertools import product
from string import ascii_letters, digits

from hypothesis import example, given
from hypothesis import strategies as st
from milvus_lite.search.filter import parse_expr

from mvp_site.retrieval.backends.milvus_filters import (
    ENTRY,
    check,
    expression,
    field_code,
    tags,
    texts_in,
)
from mvp_site.retrieval.backends.plain import plain
from mvp_site.retrieval.collection import Value
from mvp_site.retrieval.filters import AnyOf, Clause, Contains, FieldKind

from .passages import HOSTILE

COLUMNS = ("number_level",)
MANY = tuple(f"s{n}" for n in range(100))
NAMES = ("a", "b", "ab", "a_b", "text", "t", "ta", "A")
TEXTS = st.one_of(
    st.text(st.sampled_from("ab_%\ue000\ue001\ue011\ue013\ue014\ue100\uf8ff"), max_size=5),
    st.text(max_size=5), st.sampled_from(HOSTILE),
)
VALUES = st.one_of(TEXTS, st.lists(TEXTS, max_size=4).map(tuple), st.booleans(), st.just(1.0))


def pattern(clause: Clause) -> str:
    """What a clause on texts or one flag asks of tags."""
    found = re.fullmatch(r'number >= 0 and tags like "%(.*)%"', str(expression(None, (clause,), ())))
    assert found is not None
    return found[1]


def text_is(field: str, text: str) -> str:
    return pattern(AnyOf(field, (text,)))


def text_has(field: str, part: str) -> str:
    return pattern(Contains(field, part))


def flag_is(field: str, flag: bool) -> str:
    return pattern(AnyOf(field, (flag,)))


def has_texts(field: str) -> str:
    return pattern(AnyOf(field, MANY))


def test_only_many_texts_are_left_to_check() -> None:
    exact = (AnyOf("school", ("a",)), Contains("school", "a"), AnyOf("level", (1.0,) * 100))
    assert check(exact, COLUMNS) is None
    found = check((*exact, AnyOf("school", (*MANY, True))), COLUMNS)
    assert found is not None
    assert found[1] == ["tags"]
    for value, held in (("s7", True), (("x", "s9"), True), ("x", False), (True, True), (False, False)):
        assert found[0]({"tags": stored({"school": value})}) is held


@given(st.text(), st.lists(st.text(), min_size=1, max_size=4), st.text(min_size=1))
def test_no_text_gets_out_of_its_literal(group: str, values: list[str], part: str) -> None:
    where = (AnyOf("school", tuple(values)), Contains("classes", part))
    found = expression((group,), where, COLUMNS)
    assert found is not None
    parse_expr(found)
    bare = re.sub(r'"[^"\\\n{}]*"', "?", found)
    assert set(re.findall(r"\w+", bare)) <= {"group", "in", "and", "or", "like", "tags"}


def stored(fields: dict[str, Value]) -> str:
    return "".join(tags(fields).values()) + ENTRY


def like(pattern: str, text: str) -> bool:
    parts = (re.escape(part) for part in pattern.split("%"))
    return re.search(".*".join(parts), text, re.DOTALL) is not None


@given(st.dictionaries(st.sampled_from(NAMES), VALUES), st.sampled_from(NAMES), TEXTS)
@example({"a": ("x", "y"), "ab": "z"}, "a", "xy")
@example({"a": ("x",), "b": "y"}, "a", "y")
@example({"a": True}, "a", "1")
@example({"a": ("", "a")}, "a", "")
def test_patterns_say_what_the_fields_say(fields: dict[str, Value], name: str, text: str) -> None:
    row, value = stored(fields), fields.get(name)
    held = value if isinstance(value, tuple) else (value,) if isinstance(value, str) else ()
    assert like(text_is(name, text), row) is (text in held)
    assert like(text_has(name, text), row) is any(text in one for one in held)
    assert like(has_texts(name), row) is bool(held)
    assert texts_in(row, name) == [plain(one) for one in held]
    for flag in (True, False):
        assert like(flag_is(name, flag), row) is (value is flag)


def test_codes_are_one_to_one_and_never_in_a_text() -> None:
    names = ["".join(name) for name in product(ascii_letters, digits + "_aZ", ("", "a", "_"))]
    codes = {field_code(name, kind) for name in names for kind in (FieldKind.TEXT, FieldKind.FLAG)}
    assert len(codes) == 2 * len(set(names))
    private = set("".join(codes))
    assert not private & set(plain("".join(private)))
