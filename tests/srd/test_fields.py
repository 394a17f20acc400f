"""Text in blocks, and printed lengths."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.srd.parsing.fields import blocks, number, paragraphs
from mvp_site.srd.raw import Tables
from mvp_site.srd.values import Kind

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


def test_a_reference_to_nothing() -> None:
    from mvp_site.srd.parsing.fields import References

    tables: Tables = {kind: {} for kind in Kind}
    tables[Kind.WEAPONS]["club"] = {"name": "Club"}
    references = References(tables)
    assert references.at("/api/2014/equipment/club").kind is Kind.WEAPONS
    for address in ("/api/spells/light", "light"):
        with pytest.raises(LookupError):
            references.at(address)
