"""Answer tables: what is in a cell stays in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from mvp_site.rulebook.answer_table import AnswerTable

from ..texts import SPECIAL


@pytest.mark.parametrize(("table", "expected"), [
    (AnswerTable("Prices", ("name", "cost"), (("Rope", "1 gp"),), ("a",)), "**Prices**\n\n| name | cost |\n| --- | --- |\n| Rope | 1 gp |"),
    (AnswerTable("", ("name",), (("a|b",), ("c\nd",), ("e\\|f",)), ()), "| name |\n| --- |\n| a\\|b |\n| c d |\n| e\\\\\\|f |"),
    (AnswerTable("", (), (), ()), ""),
])
def test_markdown(table: AnswerTable, expected: str) -> None:
    assert table.markdown() == expected


_cells = st.one_of(st.sampled_from(("a|b", "\\", "\\|", "|", "x\r\ny", "")), st.text(max_size=12), st.sampled_from(SPECIAL))


@given(st.lists(st.tuples(_cells, _cells), max_size=4))
def test_a_reader_of_markdown_sees_the_same_cells(rows: list[tuple[str, str]]) -> None:
    text = AnswerTable("", ("one", "two"), tuple(rows), ()).markdown()
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    assert sum(one.type in {"td_open", "th_open"} for one in tokens) == 2 * (len(rows) + 1)
