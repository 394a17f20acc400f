from __future__ import annotations

from dataclasses import replace

from mvp_site.library.book import LibraryBook, LibrarySource
from mvp_site.library.contents import contents
from mvp_site.library.extraction import Extracted, extract
from mvp_site.library.types import BookBlock, ContentType, Text

WATERS = Text("Waters", (
    BookBlock("Spells", 1, 1), BookBlock("Wet Blast", 2, 2), BookBlock("3rd-level evocation", 0, 2),
    BookBlock("Casting Time: 1 action Range: 60 feet Components: V, S Duration: 1 round", 0, 2),
    BookBlock("It takes 3d6 cold damage.", 0, 2),
    BookBlock("Diver", 1, 4), BookBlock("Hit Dice: 1d8 per diver level", 0, 4), BookBlock("Level | Features\n1st | Deep Breath", 0, 4),
    BookBlock("Deep Breath", 2, 4), BookBlock("You hold your breath.", 0, 4),
), pages=4)


def read(title: str, type_: ContentType, source: str = "Waters", labels: tuple[str, ...] = ()) -> Extracted:
    text = replace(WATERS, labels=labels)
    book = LibraryBook(LibrarySource("waters", source, "waters.md", "", "md"), text, contents(text))
    return extract(book, next(entry for entry in book.entries if entry.title == title), type_)


def test_an_entity_cites_the_page_as_it_is_printed_and_a_class_brings_its_features() -> None:
    found = read("Wet Blast", ContentType.SPELL, "Deep Waters", ("xi", "xii", "xiii", "xiv"))
    assert (found.document["level"], found.document["damage_type"], found.confidence) == (3, ["Cold"], 1.0)
    assert (found.page, found.document["page"], found.document["document"]) == ("xii", "xii", "Deep Waters")
    assert read("Wet Blast", ContentType.SPELL, "SRD 5.1").document["document"] == "SRD 5.1 (book)"
    (feature,) = read("Diver", ContentType.CLASS).features
    assert (feature["name"], feature["level"], feature["page"], feature["document"]) == ("Deep Breath", 1, "4", "Waters")
