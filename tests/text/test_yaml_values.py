"""YAML that people write: what is read, and what is refused, at every level and at once."""

from __future__ import annotations

import re

import pytest
from hypothesis import given

from mvp_site.text.yaml_values import YamlError, read_yaml

from ..texts import any_text

BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(f"{b}: &{b} [{', '.join(['*' + a] * 10)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True))


@pytest.mark.parametrize(("text", "message"), [
    ("a: 1\na: 2\n", 'line 2: the key "a" is there twice in one object; keep one'),
    ("a:\n  b:\n  - c: 1\n    c: 1\n", 'line 4: the key "c" is there twice in one object; keep one'),
    ("{a: {b: 1, b: 2}}", 'the key "b" is there twice'), ("'a': 1\n\"a\": 2\n", 'the key "a" is there twice'),
    ("<<: {a: 1}\nb: 2\n", "line 1: the merge key << is not taken; write its keys out"),
    ("a: &x {b: 1}\nc: *x\n", "line 2: the alias *x is not taken; write its value out"),
    (BOMB, "line 2: the alias *a is not taken"), ("? *x\n: 1\n", "the alias *x is not taken"),
    ("? {a: 1}\n: 2\n", "line 1: a key must be a text"), ("!!binary a: 1\n", "line 1: the tag tag:yaml.org,2002:binary is not taken; write plain values"),
    ("!!int [1]", "the tag tag:yaml.org,2002:int is not taken"), ("[" * 100_000, "line 1: nested too deeply"), ("- " * 100_000, "line 1: nested too deeply"),
    ("a: b: c\n", "is not YAML: mapping values are not allowed"), ("a: \ud800\n", "is not YAML: "), ("a: \x00\n", "is not YAML: "),
], ids=lambda text: text[:20].encode("ascii", "backslashreplace").decode())
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(YamlError, match=re.escape(message)):
        read_yaml(text)


@given(any_text)
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        assert isinstance(read_yaml(text), list)
    except YamlError as error:
        assert str(error)  # noqa: PT017 - whether it raises is the text's affair
