"""Columns: a filter over a part of the passages is that part of the filter over all."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.retrieval.columns import Columns
from mvp_site.retrieval.filters import AnyOf, Clause, Contains, Field, FieldKind, Range

pytestmark = pytest.mark.serving

TEXT = st.sampled_from(["fire", "fire bolt", "ice", ""])
ROW = st.fixed_dictionaries({}, optional={
    "level": st.integers(-2, 3) | st.just(0.5), "ritual": st.booleans(), "school": TEXT,
    "classes": st.lists(TEXT, max_size=3).map(tuple),
    "odd": st.booleans() | st.just(1.0) | TEXT,
})
CLAUSES: tuple[Clause, ...] = (
    AnyOf("level", (0.5, 2.0)), Range("level", -1.0, 1.0), Range("level", None, 0.0),
    AnyOf("ritual", (False,)), AnyOf("school", ("fire", "ice")), Contains("school", "fire"),
    AnyOf("classes", ("",)), Contains("classes", "bolt"), AnyOf("odd", (True, "ice")),
    AnyOf("odd", (1.0,)), AnyOf("nothing", ("fire",)), Range("school", 0.0, 1.0),
)


def holds(row: dict[str, object], clause: Clause) -> bool:
    """What a clause means, the slow way."""
    value = row.get(clause.field)
    several = value if isinstance(value, tuple) else (value,)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    match clause:
        case AnyOf(_, values):
            return any(
                one == wanted for one in several for wanted in values
                if isinstance(one, bool) == isinstance(wanted, bool) and one is not None
            )
        case Range(_, low, high):
            return number and (low is None or value >= low) and (high is None or value <= high)
        case Contains(_, part):
            return any(isinstance(one, str) and part in one for one in several)


@given(st.lists(ROW, max_size=9), st.data())
def test_a_mask_of_a_part_is_the_definition(rows: list[dict[str, object]],
                                            data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(rows)))
    end = data.draw(st.integers(start, len(rows)))
    columns = Columns(rows)
    for clause in CLAUSES:
        expected = [holds(row, clause) for row in rows]
        assert columns.mask((clause,)).tolist() == expected
        assert columns.mask((clause,), start, end).tolist() == expected[start:end]


@given(st.lists(ROW, min_size=1, max_size=9), st.data())
def test_counts_of_a_part_are_the_definition(rows: list[dict[str, object]],
                                             data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(rows)))
    mask = np.asarray(
        [data.draw(st.booleans()) for _ in rows[start:]], np.bool_
    )
    counts = Columns(rows).counts(Field("classes", FieldKind.TEXTS), mask, start)
    chosen = [row for row, held in zip(rows[start:], mask, strict=True) if held]
    texts = {text for row in rows for text in row.get("classes", ())}
    found = {text: sum(text in row.get("classes", ()) for row in chosen) for text in texts}
    assert counts == {text: count for text, count in found.items() if count}
