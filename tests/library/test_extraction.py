from __future__ import annotations

from typing import Any

import pytest

from mvp_site.content.own_files import checked
from mvp_site.content.types import EntityType
from mvp_site.library.extraction import extract
from mvp_site.library.types import BookBlock, ContentsEntry, ContentType, Text

BOOK = Text("Waters", (
    BookBlock("Spells", 1, 1), BookBlock("Wet Blast", 2, 2), BookBlock("3rd-level evocation", 0, 2),
    BookBlock("Casting Time: 1 action Range: 60 feet Components: V, S Duration: 1 round", 0, 2),
    BookBlock("It takes 3d6 cold damage.", 0, 2),
    BookBlock("Diver", 1, 4), BookBlock("Hit Dice: 1d8 per diver level", 0, 4), BookBlock("Level | Features\n1st | Deep Breath", 0, 4),
    BookBlock("Deep Breath", 2, 4), BookBlock("You hold your breath.", 0, 4),
))


def entry(title: str, type_: ContentType, label: str = "") -> ContentsEntry:
    start = next(at for at, block in enumerate(BOOK.blocks) if block.text == title and block.level)
    level = BOOK.blocks[start].level
    end = next((at for at in range(start + 1, len(BOOK.blocks)) if 0 < BOOK.blocks[at].level <= level), len(BOOK.blocks))
    page = BOOK.blocks[start].page
    return ContentsEntry(title, level, start, end, end, page, page, label, type_, 1.0, "heading")


@pytest.mark.parametrize(("title", "type_", "kind"), [
    ("Wet Blast", ContentType.SPELL, EntityType.SPELLS), ("Wet Blast", ContentType.EQUIPMENT, EntityType.EQUIPMENT),
    ("Spells", ContentType.LORE, EntityType.RULES), ("Spells", ContentType.ADVENTURE, EntityType.RULES),
    ("Diver", ContentType.CLASS, EntityType.CLASSES), ("Diver", ContentType.SUBCLASS, EntityType.SUBCLASSES),
])
def test_every_type_of_entry_becomes_a_valid_entity(title: str, type_: ContentType, kind: EntityType, tmp_path: Any) -> None:
    found = extract(BOOK, entry(title, type_), type_)
    assert (found.type, found.document["name"], found.document["document"]) == (kind, title, "Waters")
    assert checked(kind, {**found.document, "extracted": {"source": "waters"}}, tmp_path)[1] == []


def test_an_entity_cites_the_page_as_it_is_printed() -> None:
    found = extract(BOOK, entry("Wet Blast", ContentType.SPELL, "xii"), ContentType.SPELL, source="Deep Waters")
    assert (found.document["level"], found.document["damage_type"], found.confidence) == (3, ["Cold"], 1.0)
    assert (found.page, found.document["page"], found.document["document"]) == ("xii", "xii", "Deep Waters")
    assert extract(BOOK, entry("Wet Blast", ContentType.SPELL), ContentType.SPELL, source="SRD 5.1").document["document"] == "SRD 5.1 (book)"


def test_a_class_brings_its_features() -> None:
    found = extract(BOOK, entry("Diver", ContentType.CLASS), ContentType.CLASS)
    assert [(one["name"], one["level"], one["page"], one["document"]) for one in found.features] == [("Deep Breath", 1, "4", "Waters")]
