"""Ids: by place in the tree, all different, of bounded length."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.rulebook.ids import MAX_ID, MAX_SLUG, bounded, section_ids, slug

from .books import titles


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Rage", "rage"),
        ("Heroes’ Feast", "heroes-feast"),
        ("Two-Weapon  Fighting!", "two-weapon-fighting"),
        ("Über Größe", "über-größe"),
        ("龍の怒り", "龍の怒り"),
        ("", "untitled"),
        ("x" * 64, "x" * 64),
    ],
)
def test_slug(title: str, expected: str) -> None:
    assert slug(title) == expected


@pytest.mark.parametrize("title", ["!?", "🐉", "🏳️‍🌈", "***", "_"])
def test_a_title_without_letters_has_a_slug_of_its_own(title: str) -> None:
    assert slug(title).startswith("untitled-")
    assert slug(title) != slug(f"{title}{title}")


def test_a_long_title_is_cut_and_still_told_apart() -> None:
    one, other = slug("word " * 100), slug("word " * 99 + "end")
    assert one != other
    assert max(len(one), len(other)) <= MAX_SLUG
    assert bounded("x" * 300, 300) == "x" * 300


# Each case: (title, number of the parent, anchor) a section; then the ids.
Row = tuple[str, int | None, str | None]
CASES: dict[str, tuple[list[Row], list[str]]] = {
    "path": ([("Classes", None, None), ("Bard", 0, None), ("Spells", 1, None)],
             ["classes", "classes/bard", "classes/bard/spells"]),
    "one title under two parents": (
        [("Bard", None, None), ("Features", 0, None), ("Monk", None, None), ("Features", 2, None)],
        ["bard", "bard/features", "monk", "monk/features"]),
    "siblings of one title": (
        [("A", None, None), ("B", 0, None), ("B", 0, None), ("C", 2, None), ("B!", 0, None)],
        ["a", "a/b", "a/b-2", "a/b-2/c", "a/b-3"]),
    "a title that looks like a second one": (
        [("B", None, None), ("B", None, None), ("B 2", None, None), ("B", None, None)],
        ["b", "b-2", "b-2-2", "b-3"]),
    "a title that looks like a second one and stands before it": (
        [("B", None, None), ("B 2", None, None), ("B", None, None)], ["b", "b-2", "b-3"]),
    "anchor": ([("Rage", None, "fury"), ("Uses", 0, None)], ["fury", "fury/uses"]),
    "an anchor twice": ([("A", None, "x"), ("B", None, "x"), ("C", None, "x-2"), ("D", None, "x")],
                        ["x", "x-3", "x-2", "x-4"]),
    "an anchor has the first claim": ([("Rage", None, None), ("Fury", None, "rage")], ["rage-2", "rage"]),
    "an anchor like a path": ([("A", None, None), ("B", 0, None), ("C", None, "a/b")], ["a", "a/b-2", "a/b"]),
    "an anchored one is not counted among its siblings": (
        [("A", None, None), ("A", None, "x"), ("A", None, None)], ["a", "x", "a-2"]),
}


@pytest.mark.parametrize(("rows", "expected"), CASES.values(), ids=CASES)
def test_section_ids(rows: list[Row], expected: list[str]) -> None:
    names, parents, anchors = zip(*rows, strict=True) if rows else ((), (), ())
    assert section_ids(names, parents, anchors) == expected


def test_the_preface_takes_no_heading_s_id() -> None:
    assert section_ids(["Preface", "Preface"], [None, None], [None, None], preface=True) == ["_preface", "preface"]
    assert section_ids(["Preface", "A"], [None, None], [None, "_preface"], preface=True) == ["_preface-2", "_preface"]


_rows = st.lists(
    st.tuples(st.one_of(titles, st.sampled_from("abc"), st.text(max_size=8)), st.integers(0, 3),
              st.sampled_from((None, None, None, "a", "b", "a-2", "a/b", "x" * 400))),
    max_size=25,
)


@given(_rows, st.booleans())
def test_ids_are_unique_and_bounded(rows: list[tuple[str, int, str | None]], preface: bool) -> None:
    parents = [None if back == 0 or number < back else number - back for number, (_, back, _) in enumerate(rows)]
    ids = section_ids([row[0] for row in rows], parents, [row[2] for row in rows], preface)
    assert len(set(ids)) == len(ids) == len(rows)
    assert all(ids)
    assert all(len(name) <= MAX_ID + 12 for name in ids)
    for name, parent, (_, _, anchor) in zip(ids, parents, rows, strict=True):
        if parent is not None and not anchor and len(ids[parent]) < MAX_ID - MAX_SLUG - 12:
            assert name.startswith(f"{ids[parent]}/")
