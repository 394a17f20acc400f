"""Parts: headings in text become parts, and what is written parses into the same tree."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mvp_site.rulebook.markdown import parse_rulebook
from mvp_site.rulebook.srd_book.part import Part, part, written

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


words = st.text("abc", min_size=1, max_size=6)
trees = st.recursive(
    st.builds(Part, words, st.lists(words, max_size=2).map(tuple)),
    lambda below: st.builds(
        Part, words, st.lists(words, max_size=2).map(tuple), st.lists(below, max_size=3).map(tuple)
    ),
    max_leaves=12,
)


def depth(one: Part) -> int:
    return 1 + max(map(depth, one.parts), default=0)


def shape(one: Part) -> tuple[object, ...]:
    return (one.title, "\n\n".join(one.blocks), tuple(map(shape, one.parts)))


@settings(deadline=None)
@given(st.lists(trees.filter(lambda one: depth(one) <= 6), min_size=1, max_size=3))
def test_a_written_tree_parses_into_itself(parts: list[Part]) -> None:
    found = parse_rulebook(written(parts))

    def read(number: int) -> tuple[object, ...]:
        section = list(found)[number]
        below = tuple(read(found.number(child)) for child in section.children_ids)
        return (section.title, section.content, below)

    roots = tuple(read(found.number(root.id)) for root in found.roots)
    assert roots == tuple(map(shape, parts))
