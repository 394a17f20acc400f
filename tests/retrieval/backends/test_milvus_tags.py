"""Tags: patterns find what a field says, and nothing that another field or two texts say."""

from __future__ import annotations

import re
from itertools import product
from string import ascii_letters, digits

from hypothesis import example, given
from hypothesis import strategies as st

from mvp_site.retrieval.backends.milvus_tags import (
    ENTRY,
    field_code,
    flag_in,
    flag_is,
    has_texts,
    tags,
    text_has,
    text_is,
    texts_in,
)
from mvp_site.retrieval.backends.plain import plain
from mvp_site.retrieval.backends.protocol import Value
from mvp_site.retrieval.filters import FieldKind

from .passages import HOSTILE

NAMES = ("a", "b", "ab", "a_b", "text", "t", "ta", "A")
TEXTS = st.one_of(
    st.text(st.sampled_from("ab_%\ue000\ue001\ue011\ue013\ue014\ue100\uf8ff"), max_size=5),
    st.text(max_size=5), st.sampled_from(HOSTILE),
)
VALUES = st.one_of(TEXTS, st.lists(TEXTS, max_size=4).map(tuple), st.booleans(), st.just(1.0))
FIELDS = st.dictionaries(st.sampled_from(NAMES), VALUES)


def stored(fields: dict[str, Value]) -> str:
    return "".join(tags(fields).values()) + ENTRY


def like(pattern: str, text: str) -> bool:
    parts = (re.escape(part) for part in pattern.split("%"))
    return re.fullmatch(".*".join(parts), text, re.DOTALL) is not None


def texts_of(value: Value | None) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else (value,) if isinstance(value, str) else ()


@given(FIELDS, st.sampled_from(NAMES), TEXTS)
@example({"a": ("x", "y"), "ab": "z"}, "a", "xy")
@example({"a": ("x",), "b": "y"}, "a", "y")
@example({"a": True}, "a", "1")
@example({"a": ("", "a")}, "a", "")
def test_patterns_say_what_the_fields_say(fields: dict[str, Value], name: str, text: str) -> None:
    row, held = stored(fields), texts_of(fields.get(name))
    assert like(text_is(name, text), row) is (text in held)
    assert like(text_has(name, text), row) is any(text in one for one in held)
    assert like(has_texts(name), row) is bool(held)
    assert texts_in(row, name) == [plain(one) for one in held]
    for flag in (True, False):
        assert like(flag_is(name, flag), row) is flag_in(row, name, flag) is (
            fields.get(name) is flag
        )


def test_codes_are_one_to_one_and_never_in_a_text() -> None:
    names = ["".join(name) for name in product(ascii_letters, digits + "_aZ", ("", "a", "_"))]
    codes = {field_code(name, kind) for name in names for kind in (FieldKind.TEXT, FieldKind.FLAG)}
    assert len(codes) == 2 * len(set(names))
    private = set("".join(codes))
    assert not private & set(plain("".join(private)))
