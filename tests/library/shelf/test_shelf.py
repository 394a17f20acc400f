import os
from dataclasses import replace
from pathlib import Path

import pypdfium2
import pytest

from mvp_site.library.types import ContentType

from . import SMALL, ShelfBook, build_shelf
from .chromium_book import CHROMIUM, squeezed

PDFS = ("spells", "creatures", "options")


@pytest.fixture(scope="module")
def books(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ShelfBook]:
    extent = replace(SMALL, keys=(*PDFS, "rules", "kit", "hollowmere"))
    return {book.key: book for book in build_shelf(tmp_path_factory.mktemp("shelf"), extent)}


def _pages_of(book: ShelfBook) -> list[str]:
    with pypdfium2.PdfDocument(book.path) as pdf:
        return [page.get_textpage().get_text_range() for page in pdf]


def _hold(book: ShelfBook) -> None:
    pages = [squeezed(page) for page in _pages_of(book)]
    assert len(pages) == book.pages
    for place in book.places:
        assert place.page is not None
        assert place.end_page is not None
        assert place.page <= place.end_page <= book.pages
        assert squeezed(place.title) in pages[place.page - 1], place


@pytest.mark.parametrize("key", PDFS)
def test_each_title_stands_on_the_page_that_the_truth_names(
    books: dict[str, ShelfBook], key: str,
) -> None:
    _hold(books[key])


@pytest.mark.skipif(not CHROMIUM.exists(), reason=f"there is no {CHROMIUM}: apt-get install chromium")
def test_a_browser_prints_each_title_on_its_page(tmp_path: Path) -> None:
    book, = build_shelf(tmp_path, replace(SMALL, keys=("treasury",)))
    _hold(book)
    with pypdfium2.PdfDocument(book.path) as pdf:
        assert not list(pdf.get_toc())


@pytest.mark.skipif(not CHROMIUM.exists(), reason=f"there is no {CHROMIUM}: apt-get install chromium")
@pytest.mark.skipif("SHELF_SRD_5_2" not in os.environ,
                    reason="SHELF_SRD_5_2 names no folder of the SRD 5.2 as Markdown files")
def test_a_large_book_by_others_has_its_titles_on_their_pages(tmp_path: Path) -> None:
    book, = build_shelf(tmp_path, replace(SMALL, keys=("srd_5_2",)),
                        Path(os.environ["SHELF_SRD_5_2"]))
    _hold(book)


def test_front_matter_makes_printed_pages_differ_from_counted_ones(
    books: dict[str, ShelfBook],
) -> None:
    first = books["options"].places[0]
    assert first.page is not None
    assert (first.printed, first.page > 1) == ("1", True)
    assert "1" in _pages_of(books["options"])[first.page - 1].splitlines()


def test_bookmarks_lead_where_the_truth_says(books: dict[str, ShelfBook]) -> None:
    for key in PDFS:
        with pypdfium2.PdfDocument(books[key].path) as pdf:
            marks = [(mark.get_title(), dest.get_index()) for mark in pdf.get_toc()
                     if (dest := mark.get_dest()) is not None]
        assert marks == [(one.title, (one.page or 0) - 1) for one in books[key].places
                         if one.bookmarked]


@pytest.mark.parametrize("key", ["rules", "kit", "hollowmere"])
def test_books_without_pages_have_places_without_pages(
    books: dict[str, ShelfBook], key: str,
) -> None:
    assert books[key].path.stat().st_size
    assert {(one.page, one.printed) for one in books[key].places} == {(None, "")}


def test_the_setting_has_lore_and_an_adventure(books: dict[str, ShelfBook]) -> None:
    types = [one.type for one in books["hollowmere"].places]
    assert len(types) >= 25
    assert set(types) == {ContentType.LORE, ContentType.ADVENTURE}
