"""Expressions of Milvus: what clauses become, and that no text gets out of its literal."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from milvus_lite.search.filter import parse_expr

from mvp_site.retrieval.backends.milvus_filters import check, expression
from mvp_site.retrieval.backends.milvus_tags import flag_is, has_texts, text_has, text_is
from mvp_site.retrieval.filters import AnyOf, Condition, Contains, Range

COLUMNS = ("number_level",)
MANY = tuple(f"s{n}" for n in range(100))


def like(pattern: str) -> str:
    return f'tags like "{pattern}"'


@pytest.mark.parametrize(("where", "expected"), [
    ((), ""),
    ((AnyOf("level", (1.0, -2.5)),), "number_level in [1.0, -2.5]"),
    ((Range("level", 1.0, 2.0),), "number_level >= 1.0 and number_level <= 2.0"),
    ((Range("level", None, 1e300),), "number_level <= 1e+300"),
    ((AnyOf("ritual", (True,)),), like(flag_is("ritual", True))),
    ((AnyOf("ritual", (False, True)),),
     f"({like(flag_is('ritual', False))} or {like(flag_is('ritual', True))})"),
    ((AnyOf("school", ("a", "b%")),),
     f"({like(text_is('school', 'a'))} or {like(text_is('school', 'b%'))})"),
    ((AnyOf("school", MANY),), like(has_texts("school"))),
    ((Range("level", 1.0, None), Contains("classes", "a")),
     f"number_level >= 1.0 and {like(text_has('classes', 'a'))}"),
    ((AnyOf("level", (2.0, "a")),), f"(number_level in [2.0] or {like(text_is('level', 'a'))})"),
    ((AnyOf("nothing", (1.0,)),), None), ((Range("school", 0.0, 1.0),), None),
    ((AnyOf("level", ()),), None),
])
def test_expression(where: Condition, expected: str | None) -> None:
    found = expression(("spells", "feats"), where, COLUMNS)
    head = 'group in ["feats", "spells"]'
    assert found == (None if expected is None else f"{head} and {expected}" if expected else head)


def test_only_many_texts_are_left_to_check() -> None:
    exact = (AnyOf("school", ("a",)), Contains("school", "a"), AnyOf("level", (1.0,) * 100))
    assert check(exact, COLUMNS) is None
    found = check((*exact, AnyOf("school", MANY)), COLUMNS)
    assert found is not None
    assert found[1] == ["tags"]


@given(st.text(), st.lists(st.text(), min_size=1, max_size=4), st.text(min_size=1))
def test_no_text_gets_out_of_its_literal(group: str, values: list[str], part: str) -> None:
    where = (AnyOf("school", tuple(values)), Contains("classes", part))
    found = expression((group,), where, COLUMNS)
    assert found is not None
    parse_expr(found)
    bare = re.sub(r'"[^"\\\n{}]*"', "?", found)
    assert set(re.findall(r"\w+", bare)) <= {
        "group", "in", "and", "or", "like", "tags"
    }
