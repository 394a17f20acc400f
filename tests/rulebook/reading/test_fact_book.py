"""The book of facts: names, and the form in an index release."""

from __future__ import annotations

import json

import pytest

from mvp_site.errors import CorruptIndexError
from mvp_site.rulebook.markdown import parse_rulebook
from mvp_site.rulebook.reading.fact_book import FactBook

from ..fact_styles import SETEXT, STYLES

BOOK = """\
# Shop

| Item | Cost |
|---|---|
| Rope, silk (50 feet) | 10 gp |
| Torch | 1 cp |

# Torch

**Cost:** 1 cp
"""


@pytest.fixture(scope="module")
def book() -> FactBook:
    return FactBook.build(parse_rulebook(BOOK))


@pytest.mark.parametrize("name", ["Rope, silk (50 feet)", "silk rope", "Silk Ropes", "the silk rope", "rope, silk"])
def test_a_row_goes_by_several_names(book: FactBook, name: str) -> None:
    assert [facts.name for facts in book.named(name)] == ["Rope, silk (50 feet)"]


def test_a_section_comes_before_a_row(book: FactBook) -> None:
    assert [facts.origin for facts in book.named("torches")] == ["section", "row"]
    assert [book.section(facts).title for facts in book.named("torch")] == ["Torch", "Shop"]


def test_what_is_not_there(book: FactBook) -> None:
    assert book.named("dragon") == ()
    assert book.named("") == ()
    assert book.named("***") == ()


@pytest.mark.parametrize("style", STYLES)
def test_what_is_dumped_is_loaded(style: str) -> None:
    sections = parse_rulebook(STYLES[style])
    book = FactBook.build(sections)
    held = book.dump()
    loaded = FactBook.load(held, sections)
    assert loaded.facts == book.facts
    assert loaded.dump() == held == FactBook.build(sections).dump()


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda held: held[: len(held) // 2], "cannot be read"),
        (lambda held: held[: held.rindex(b"\n", 0, len(held) - 1) + 1], "stands over"),
        (lambda held: b"", "not enough values"),
        (lambda held: b"[]", "stands over"),
        (lambda held: b"\xff\n" + held, "cannot be read"),
        (lambda held: held.replace(b'"row"', b'"column"'), "no origin 'column'"),
        (lambda held: held.replace(b'"shop"', b'"shopping"'), "'shopping' is not there"),
        (lambda held: held.replace(b'"1 cp"', b"1"), "is no text"),
        (lambda held: held.replace(b'[["cost"', b'{"a":[["cost"'), "cannot be read"),
    ],
)
def test_a_spoilt_dump_is_told(book: FactBook, spoil, told: str) -> None:
    sections = parse_rulebook(BOOK)
    with pytest.raises(CorruptIndexError, match=told) as caught:
        FactBook.load(spoil(book.dump()), sections)
    assert "mvp-site rulebook build" in str(caught.value)


def test_a_line_is_json(book: FactBook) -> None:
    head, *lines = book.dump().decode().splitlines()
    assert json.loads(head) == {"version": 1, "facts": len(lines)}
    assert json.loads(lines[0]) == ["Rope, silk (50 feet)", "shop", "row", "Shop", "", [["cost", "10 gp"]], []]


def test_spells_without_classes_get_those_whose_lists_they_are_in() -> None:
    book = FactBook.build(parse_rulebook(SETEXT))
    assert "Hedge Mage" in book.named("ember lance")[0].get("classes")
    assert book.named("pale spark")[0].get("classes") == "Hedge Mage"
