"""Filter strings of Marqo: what clauses become, and that no text gets out of its brackets."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.retrieval.backends.marqo_filters import filter_string
from mvp_site.retrieval.filters import AnyOf, Condition, Contains, Range

COLUMNS = ("number_level", "flag_ritual", "text_school", "texts_school", "texts_classes")
S = "\ue011"


@pytest.mark.parametrize(("where", "expected"), [
    ((), ""),
    ((AnyOf("level", (1.0,)),), "number_level:[1.0 TO 1.0]"),
    ((Range("level", -1.5, None),), "number_level:[-1.5 TO *]"),
    ((Range("level", None, 2.0),), "number_level:[* TO 2.0]"),
    ((AnyOf("ritual", (True,)),), "flag_ritual:true"),
    ((AnyOf("ritual", (False, True)),), "(flag_ritual:false OR flag_ritual:true)"),
    ((AnyOf("classes", ("a b",)),), f"texts_classes:({S}a\ue012b)"),
    ((AnyOf("school", ("a",)),), f"(text_school:({S}a) OR texts_school:({S}a))"),
    ((AnyOf("level", (1.0, 2.0, 3.0)),),
     "(number_level:[1.0 TO 1.0] OR (number_level:[2.0 TO 2.0] OR number_level:[3.0 TO 3.0]))"),
    ((Contains("school", "a"),), ""),
    ((Contains("level", "a"),), None), ((AnyOf("nothing", ("a",)),), None),
])
def test_filter_string(where: Condition, expected: str | None) -> None:
    found = filter_string(("spells",), where, COLUMNS)
    head = f"group:({S}spells)"
    assert found == (None if expected is None else f"{head} AND {expected}" if expected else head)


def test_a_long_list_is_not_a_deep_one() -> None:
    found = filter_string(("g",), (AnyOf("level", tuple(map(float, range(1000)))),), COLUMNS) or ""
    depth = deepest = 0
    for character in found:
        depth += {"(": 1, ")": -1}.get(character, 0)
        deepest = max(deepest, depth)
    assert deepest <= 12


@given(st.text(), st.lists(st.text(), min_size=1, max_size=4))
def test_no_text_gets_out_of_its_brackets(group: str, values: list[str]) -> None:
    found = filter_string((group,), (AnyOf("school", tuple(values)),), COLUMNS)
    assert found is not None
    bare = re.sub(r":\([^() :\\]+\)", "", found)
    assert set(re.findall(r"\w+", bare)) <= {"group", "AND", "OR", "text_school", "texts_school"}
