"""Cells of the data: text in blocks, printed lengths, and references that are looked up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.srd.cells import blocks, number, paragraphs
from mvp_site.srd.links import Linked
from mvp_site.srd.raw import Tables
from mvp_site.srd.values import Kind, Ref

PARAGRAPHS = [
    (None, ()),
    ("", ()),
    ([], ()),
    (["one", "two"], ("one", "two")),
    ("one\ntwo\n\nthree", ("one", "two", "three")),
    (["  one  ", "", "   "], ("one",)),
    (["| a | b |", "|---|---|", "| 1 | 2 |", "after"], ("| a | b |\n|---|---|\n| 1 | 2 |", "after")),
    (["| a |", "|---|", "| 1 |", "| b |", "| :-- |", "| 2 |"], ("| a |\n|---|\n| 1 |", "| b |\n| :-- |\n| 2 |")),
    (["choose:", "- one", "- two", "end"], ("choose:", "- one\n- two", "end")),
    (["- one", "| a |"], ("- one", "| a |")),
    (["1. one", "2. two"], ("1. one\n2. two",)),
]


@pytest.mark.parametrize(("text", "found"), PARAGRAPHS)
def test_paragraphs(text: str | list[str] | None, found: tuple[str, ...]) -> None:
    assert paragraphs(text) == found


@given(st.lists(st.text(alphabet="ab |-#\n", max_size=20), max_size=8))
def test_no_words_are_lost(texts: list[str]) -> None:
    found = paragraphs(texts)
    assert " ".join("\n".join(found).split()) == " ".join("\n".join(texts).split())
    assert all(block.strip() == block != "" for block in found)


def test_blocks_keep_their_lines() -> None:
    assert blocks("# A\n\n| a |\n|---|\n\n\n  two\nlines\n") == ("# A", "| a |\n|---|", "  two\nlines")


@pytest.mark.parametrize(("cell", "feet"), [("30 ft.", 30), (None, 0), ("", 0), ("120 ft. (blind)", 120), ("none", 0)])
def test_numbers(cell: str | None, feet: int) -> None:
    assert number(cell) == feet


def test_references_are_looked_up() -> None:
    tables: Tables = {kind: {} for kind in Kind}
    tables[Kind.WEAPONS]["club"] = {"name": "Club"}
    linked, club = Linked(tables), Ref(Kind.WEAPONS, "club", "Club")
    assert linked.row({"a": ["equipment/club", "weapons/club"], "b": "and/or"}) == {"a": [club], "b": "and/or"}
    with pytest.raises(LookupError, match="no record spells/light"):
        linked.row(["spells/light"])
