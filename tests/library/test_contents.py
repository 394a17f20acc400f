"""The table of contents: its source, its tree, its spans and its pages."""

from __future__ import annotations

import pytest

from mvp_site.library import contents as module
from mvp_site.library.contents import BLOCKS_A_PART, DEEPEST, contents
from mvp_site.library.types import BookBlock, Bookmark, ContentsEntry, Text

PROSE = "Thirteen plain words stand here so that this is a text and no title."


def paged(*pages: tuple[BookBlock | str, ...], marks: tuple[Bookmark, ...] = (),
          labels: tuple[str, ...] = ()) -> Text:
    """Blocks page by page; a string is a paragraph."""
    blocks = tuple(
        BookBlock(one, 0, number) if isinstance(one, str) else BookBlock(one.text, one.level, number)
        for number, page in enumerate(pages, 1) for one in page
    )
    return Text("The Book", blocks, marks, pages=len(pages), labels=labels)


def heading(text: str, level: int = 1) -> BookBlock:
    return BookBlock(text, level)


def tree(entries: tuple[ContentsEntry, ...]) -> list[tuple[int, str]]:
    return [(entry.level, entry.title) for entry in entries]


def test_a_long_bookmark_gets_the_headings_in_it() -> None:
    below = (heading("Air", 2), PROSE, heading("Fire", 2), PROSE, heading("Ash", 4), PROSE)
    first, last = (heading("Spells"), PROSE), (heading("End"), PROSE)
    for spells, titles in ((((*first, *below),), []), ((first, below), [(2, "Air"), (2, "Fire"), (3, "Ash")])):
        found = contents(paged(*spells, last, marks=(Bookmark("Spells", 1, 0), Bookmark("End", 1, 8))))
        assert tree(found) == [(1, "Spells"), *titles, (1, "End")]
        assert [entry.origin for entry in found] == ["bookmark", *("heading" for _ in titles), "bookmark"]


def test_spans_pages_and_family() -> None:
    text = paged(
        (heading("Monsters"), PROSE), (heading("Crab", 2), PROSE, heading("Actions", 3), PROSE),
        (PROSE, heading("Eel", 2), PROSE, heading("Actions", 3), PROSE), (PROSE,),
        labels=("i", "ii", "", "1"),
    )
    found = contents(text)
    assert [(entry.title, entry.start, entry.own_end, entry.end) for entry in found] == [
        ("Monsters", 0, 2, 12), ("Crab", 2, 4, 7), ("Actions", 4, 7, 7), ("Eel", 7, 9, 12),
        ("Actions", 9, 12, 12),
    ]
    assert [(entry.page, entry.end_page, entry.label) for entry in found] == [
        (1, 4, "i"), (2, 3, "ii"), (2, 3, "ii"), (3, 4, "3"), (3, 4, "3"),
    ]
    assert [(entry.parent, entry.children) for entry in found] == [(None, (1, 3)), (0, (2,)), (1, ()), (0, (4,)), (3, ())]


def test_text_before_the_first_entry_has_one() -> None:
    late = (heading("Spells", 2), PROSE, heading("End"), PROSE)
    assert tree(contents(paged((PROSE,), late))) == [(1, "The Book"), (1, "Spells"), (1, "End")]
    assert tree(contents(paged(("By A. Scribe",), late))) == [(1, "Spells"), (1, "End")]


def test_page_ranges_where_there_is_nothing_else() -> None:
    text = paged(*[(PROSE,)] * 10, *[()] * 10, *[(PROSE, PROSE)] * 3)
    assert [(one.title, one.start, one.end, one.page, one.end_page, one.origin)
            for one in contents(text)] == [
        ("Pages 1–10", 0, 10, 1, 10, "pages"), ("Pages 21–23", 10, 16, 21, 23, "pages"),
    ]


def test_parts_where_there_are_no_pages() -> None:
    for blocks, titles in ((0, []), (1, ["The Book"]), (BLOCKS_A_PART, ["The Book"]),
                           (BLOCKS_A_PART + 1, ["Part 1 of 2", "Part 2 of 2"])):
        found = contents(Text("The Book", (BookBlock(PROSE),) * blocks))
        assert [entry.title for entry in found] == titles
        assert all(entry.page is None and entry.label == "" for entry in found)


def test_a_printed_table_of_contents_is_no_contents() -> None:
    listed = tuple(heading(f"{name} {'.' * 20} {n}", 2)
                   for n, name in enumerate(("Air", "Fire", "Ash", "Mud", "Eel", "Crab"), 2))
    index = tuple(f"{name}, {n}" for n, name in enumerate(("air", "fire", "ash", "mud"), 2))
    text = paged(
        (heading("Contents"), *listed),
        (heading("Air", 2), PROSE, heading("Fire", 2), PROSE),
        (heading("Index"), heading("A", 2), *index, heading("B", 2), *index),
    )
    assert tree(contents(text)) == [(1, "Contents"), (2, "Air"), (2, "Fire"), (1, "Index")]


def test_hostile_outlines_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_ENTRIES", 10)
    deep = tuple(Bookmark(f"Deep {n}", n, 0) for n in range(1, 200))
    assert max(entry.level for entry in contents(paged((PROSE,), marks=deep))) <= DEEPEST
    wide = paged(*[(heading("Part", 1 + n % 3), PROSE) for n in range(24)])
    assert [entry.level for entry in contents(wide)] == [1] * 8
    lost = (Bookmark("Nowhere", 1, 99), Bookmark(" ", 1, 0), Bookmark("Back", 0, -4))
    assert tree(contents(paged((PROSE,), marks=lost))) == [(1, "Back")]
    assert tree(contents(paged((heading("Spells"), PROSE), marks=lost[:2]))) == [(1, "Spells")]
