"""Parts: headings in text become parts, and what is written parses into the same tree."""

from __future__ import annotations

import pytest

from mvp_site.rulebook.srd_book.part import Part, part, written
from mvp_site.rulebook.srd_book.words import facts, table

LEAF = Part("Leaf", ("words",))


@pytest.mark.parametrize(
    ("text", "blocks", "parts"),
    [
        ((), (), ()),
        (("a", "", "b"), ("a", "b"), ()),
        (("a\n- one\n- two",), ("a\n- one\n- two",), ()),
        (("a", "## T", "b"), ("a",), (Part("T", ("b",)),)),
        (("## T\nb",), (), (Part("T", ("b",)),)),
        (("a\n### T ###\nb\n\nc",), ("a",), (Part("T", ("b\n\nc",)),)),
        (("## T", "#### U", "b", "### V"), (), (Part("T", (), (Part("U", ("b",)),)),)),
        (("# T\n## U\nb",), (), (Part("T", (), (Part("U", ("b",)),)),)),
        (("#no", "####### no"), ("#no", "####### no"), ()),
        ((LEAF, "a", Part("Empty")), ("a",), (LEAF,)),
    ],
)
def test_headings_in_a_text_open_parts(
    text: tuple[str | Part, ...], blocks: tuple[str, ...], parts: tuple[Part, ...]
) -> None:
    assert part("A", text) == Part("A", blocks, parts)


def test_a_heading_reaches_as_far_as_its_text() -> None:
    made = part("A spell", "*line*", ("It burns.", "# Below", "More."), "Behind it.", LEAF)
    assert made == Part("A spell", ("*line*", "It burns.", "Behind it."), (Part("Below", ("More.",)), LEAF))


def test_a_part_is_written_as_deep_as_it_stands() -> None:
    tree = Part("A", ("one", "two"), (Part("B", parts=(LEAF,)), LEAF))
    assert written([tree, LEAF]) == (
        "# A\n\none\n\ntwo\n\n## B\n\n### Leaf\n\nwords\n\n## Leaf\n\nwords\n\n# Leaf\n\nwords\n"
    )


def test_no_heading_is_deeper_than_markdown_has() -> None:
    tree = LEAF
    for _ in range(8):
        tree = Part("Above", parts=(tree,))
    assert written([tree]).count("####### ") == 0


def test_a_table_escapes_bars_and_what_is_empty_is_nothing() -> None:
    assert table(("a", "b"), [("1|2", "3")]) == "| a | b |\n|---|---|\n| 1\\|2 | 3 |"
    assert table(("a",), []) == ""
    assert facts({"Range": "Touch", "Save": ""}) == ["**Range:** Touch"]
