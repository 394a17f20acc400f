"""Turns of the store as pages show them, whatever is in them."""

from typing import Any

import pytest

from mvp_site.web.records import shaped

SHAPE = {"name": "", "parts": [{"id": "", "size": 0.0}], "counts": {"*": 0}}


@pytest.mark.parametrize(("value", "found"), [
    (None, {"name": "", "parts": [], "counts": {}}),
    ({"name": 3, "parts": {}, "counts": [1]}, {"name": "", "parts": [], "counts": {}}),
    ({"name": "a", "parts": ["z", {"id": "b", "size": 2}, 7, {}], "more": 1},
     {"name": "a", "parts": [{"id": "b", "size": 2.0}, {"id": "", "size": 0.0}], "counts": {}}),
    ({"counts": {"a": 1, "b": "x", 3: 4}}, {"name": "", "parts": [], "counts": {"a": 1, "b": 0, "3": 4}}),
])
def test_a_value_is_read_into_its_shape(value: Any, found: dict[str, Any]) -> None:
    assert shaped(value, SHAPE) == found
