"""Parts: headings in text become parts, and what is written parses into the same tree."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mvp_site.rulebook.markdown import parse_rulebook
from mvp_site.rulebook.srd_book.part import (
    Part,
    part_of,
    split_at_headings,
    without_empty,
    written,
)

LEAF = Part("Leaf", ("words",))


@pytest.mark.parametrize(
    ("text", "blocks", "parts"),
    [
        ((), (), ()),
        (("a", "b"), ("a", "b"), ()),
        (("a\n- one\n- two",), ("a\n- one\n- two",), ()),
        (("| a |\n|---|\n| b |",), ("| a |\n|---|\n| b |",), ()),
        (("a", "## T", "b"), ("a",), (Part("T", ("b",)),)),
        (("## T\nb",), (), (Part("T", ("b",)),)),
        (("a\n### T ###\nb\n\nc",), ("a",), (Part("T", ("b\n\nc",)),)),
        (("## T", "#### U", "b", "### V"), (), (Part("T", (), (Part("U", ("b",)), Part("V"))),)),
        (("### T", "## U"), (), (Part("T"), Part("U"))),
        (("# T\n## U\nb",), (), (Part("T", (), (Part("U", ("b",)),)),)),
        (("#no", "####### no"), ("#no", "####### no"), ()),
    ],
)
def test_headings_in_a_text_open_parts(
    text: tuple[str, ...], blocks: tuple[str, ...], parts: tuple[Part, ...]
) -> None:
    assert split_at_headings(text) == (blocks, parts)


def test_our_own_blocks_stand_before_the_text() -> None:
    part = part_of("A spell", ("It burns.", "# Below", "More."), ("*line*",))
    assert part == Part("A spell", ("*line*", "It burns."), (Part("Below", ("More.",)),))


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


@pytest.mark.parametrize(
    ("part", "kept"),
    [
        (Part("A"), ()),
        (Part("A", parts=(Part("B"),)), ()),
        (Part("A", ("",)), ()),
        (Part("A", ("x", "")), (Part("A", ("x",)),)),
        (Part("A", parts=(Part("B"), LEAF)), (Part("A", parts=(LEAF,)),)),
    ],
)
def test_what_is_empty_is_left_out(part: Part, kept: tuple[Part, ...]) -> None:
    assert without_empty([part]) == kept


words = st.text("abc", min_size=1, max_size=6)
trees = st.recursive(
    st.builds(Part, words, st.lists(words, max_size=2).map(tuple)),
    lambda below: st.builds(
        Part, words, st.lists(words, max_size=2).map(tuple), st.lists(below, max_size=3).map(tuple)
    ),
    max_leaves=12,
)


def depth(part: Part) -> int:
    return 1 + max(map(depth, part.parts), default=0)


def shape(part: Part) -> tuple[object, ...]:
    return (part.title, "\n\n".join(part.blocks), tuple(map(shape, part.parts)))


@settings(deadline=None)
@given(st.lists(trees.filter(lambda part: depth(part) <= 6), min_size=1, max_size=3))
def test_a_written_tree_parses_into_itself(parts: list[Part]) -> None:
    found = parse_rulebook(written(parts))

    def read(number: int) -> tuple[object, ...]:
        section = list(found)[number]
        below = tuple(read(found.number(child)) for child in section.children_ids)
        return (section.title, section.content, below)

    roots = tuple(read(found.number(root.id)) for root in found.roots)
    assert roots == tuple(map(shape, parts))


@given(st.lists(st.one_of(words, st.builds("{} {}".format, st.sampled_from(["#", "##", "####"]), words))))
def test_a_text_loses_no_line(blocks: list[str]) -> None:
    opening, parts = split_at_headings(blocks)

    def lines(part: Part) -> list[str]:
        return [part.title, *part.blocks, *(line for one in part.parts for line in lines(one))]

    assert [block.lstrip("# ") for block in blocks] == [
        *opening, *(line for part in parts for line in lines(part))
    ]
