"""Parts: headings in text become parts, and what is written parses into the same tree."""

from __future__ import annotations

import pytest

from mvp_site.rulebook.srd_book.part import BookPart, part, written
from mvp_site.rulebook.srd_book.words import facts, table

LEAF = BookPart("Leaf", ("words",))


@pytest.mark.parametrize(
    ("text", "blocks", "parts"),
    [
        ((), (), ()),
        (("a", "", "b"), ("a", "b"), ()),
        (("a\n- one\n- two",), ("a\n- one\n- two",), ()),
        (("a", "## T", "b"), ("a",), (BookPart("T", ("b",)),)),
        (("## T\nb",), (), (BookPart("T", ("b",)),)),
        (("a\n### T ###\nb\n\nc",), ("a",), (BookPart("T", ("b\n\nc",)),)),
        (("## T", "#### U", "b", "### V"), (), (BookPart("T", (), (BookPart("U", ("b",)),)),)),
        (("# T\n## U\nb",), (), (BookPart("T", (), (BookPart("U", ("b",)),)),)),
        (("#no", "####### no"), ("#no", "####### no"), ()),
        ((LEAF, "a", BookPart("Empty")), ("a",), (LEAF,)),
    ],
)
def test_headings_in_a_text_open_parts(
    text: tuple[str | BookPart, ...], blocks: tuple[str, ...], parts: tuple[BookPart, ...]
) -> None:
    assert part("A", text) == BookPart("A", blocks, parts)


def test_a_heading_reaches_as_far_as_its_text() -> None:
    made = part("A spell", "*line*", ("It burns.", "# Below", "More."), "Behind it.", LEAF)
    assert made == BookPart("A spell", ("*line*", "It burns.", "Behind it."), (BookPart("Below", ("More.",)), LEAF))


def test_a_part_is_written_as_deep_as_it_stands() -> None:
    tree = BookPart("A", ("one", "two"), (BookPart("B", parts=(LEAF,)), LEAF))
    assert written([tree, LEAF]) == (
        "# A\n\none\n\ntwo\n\n## B\n\n### Leaf\n\nwords\n\n## Leaf\n\nwords\n\n# Leaf\n\nwords\n"
    )


def test_no_heading_is_deeper_than_markdown_has() -> None:
    tree = LEAF
    for _ in range(8):
        tree = BookPart("Above", parts=(tree,))
    assert written([tree]).count("####### ") == 0


def test_a_table_escapes_bars_and_what_is_empty_is_nothing() -> None:
    assert table(("a", "b"), [("1|2", "3")]) == "| a | b |\n|---|---|\n| 1\\|2 | 3 |"
    assert table(("a",), []) == ""
    assert facts({"Range": "Touch", "Save": ""}) == ["**Range:** Touch"]
