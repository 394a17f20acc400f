"""What entries are about: invented books of several kinds, and the SRD with and without chapters."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from mvp_site.content.srd_documents import srd_documents
from mvp_site.content.types import EntityType
from mvp_site.library.book import LibraryBook, LibrarySource
from mvp_site.library.content_types import chapter_of
from mvp_site.library.contents import contents
from mvp_site.library.reading import read_file
from mvp_site.library.types import BookBlock, Bookmark, ContentsEntry, ContentType, Text
from mvp_site.rulebook.srd_book.book import chapters
from mvp_site.rulebook.srd_book.part import BookPart, written
from mvp_site.srd import load_srd

C = ContentType

BOOKS = {path.stem: path.read_text(encoding="utf-8") for path in sorted(Path(__file__).with_name("typed").glob("*.md"))}
"""Invented books of three editions; a comment behind a heading says what the entry is about."""
LABEL = re.compile(r"^#+ (.+) <!-- ([a-z ]+) -->$", re.MULTILINE)


def book(markdown: str, *, page: int = 0) -> Text:
    """The Markdown as a text; with ``page``, in pages of that many characters."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "book.md"
        path.write_text(markdown, encoding="utf-8")
        text = read_file(path)
    if not page:
        return text
    lengths = accumulate((len(block.text) for block in text.blocks), initial=0)
    blocks = tuple(replace(block, page=length // page + 1) for block, length in zip(text.blocks, lengths, strict=False))
    return replace(text, blocks=blocks, pages=blocks[-1].page or 0)


def types_of(markdown: str) -> dict[str, ContentType]:
    return {entry.title: entry.type for entry in contents(book(markdown))}


@pytest.mark.parametrize("name", BOOKS)
def test_an_entry_is_what_its_text_and_its_place_say(name: str) -> None:
    gold = dict(LABEL.findall(BOOKS[name]))
    assert len(gold) > 15
    assert types_of(BOOKS[name]).items() >= gold.items()


def test_a_title_names_a_chapter_as_a_whole() -> None:
    for title, chapter in {
        "Chapter 11: Spells": C.SPELL, "Appendix B: Monsters A–Z": C.MONSTER, "Part II – Character Classes": C.CLASS,
        "Races": C.RACE, "Origin Feats": C.FEAT, "Magic Items": C.MAGIC_ITEM, "Simple Melee Weapons": C.EQUIPMENT,
        "Magic Weapons": C.MAGIC_ITEM, "Playing the Game": C.RULE, "The Pantheon": C.LORE, "Bracers of Defense": None,
        "Monkey": None, "Giant Spider": None, "Casting Spells": None, "Classy Dressers": None, "Spellguard Shield": None,
        "": None, "Chapter 4": None,
    }.items():
        assert chapter_of(title) is chapter, title


WHOLE_CHAPTERS = {
    "Races": C.RACE, "Backgrounds": C.BACKGROUND, "Feats": C.FEAT, "Combat": C.RULE,
    "Using Ability Scores": C.RULE, "Adventuring": C.RULE, "Conditions": C.RULE,
    "Spellcasting": C.RULE, "Spell Descriptions": C.SPELL, "Running the Game": C.RULE,
    "Monsters": C.MONSTER, "Nonplayer Characters": C.MONSTER, "Magic Items": C.MAGIC_ITEM,
    "Fantasy-Historical Pantheons": C.LORE, "The Planes of Existence": C.LORE,
    "Equipment": C.EQUIPMENT,
}


def few(parts: tuple[BookPart, ...]) -> tuple[BookPart, ...]:
    """The parts, with at most 80 below each."""
    return tuple(replace(part, parts=few(part.parts[:80])) for part in parts)


@cache
def srd() -> tuple[Text, tuple[ContentsEntry, ...], tuple[ContentType | None, ...]]:
    """Much of the SRD as a text in pages, its entries, and what each is about."""
    data = load_srd()
    subclasses = {one["name"] for one in srd_documents(data)[EntityType.SUBCLASSES]}
    text = book(written(few(chapters(data))), page=3_000)
    shelved = LibraryBook(LibrarySource("srd", "SRD", "srd.md", "", "md"), text, contents(text))
    paths = [shelved.path(number) for number in range(len(shelved.entries))]
    assert len(paths) > 900
    return text, shelved.entries, tuple(
        (C.SUBCLASS if subclasses & set(names[2:]) else C.CLASS) if names[0] == "Classes"
        else WHOLE_CHAPTERS.get(names[0]) for names in paths
    )


@pytest.mark.parametrize("neutral", [False, True], ids=["chapters", "neutral chapters"])
def test_the_types_of_the_srd_are_right(neutral: bool) -> None:
    text, entries, gold = srd()
    if neutral:
        entries = contents(Text(text.title, tuple(
            BookBlock("Chapter 4", 1, block.page) if block.level == 1 else block for block in text.blocks
        ), pages=text.pages))
    pairs = [(entry, right) for entry, right in zip(entries, gold, strict=True) if right]
    total, hits = Counter(right for _, right in pairs), Counter(right for entry, right in pairs if entry.type is right)
    sure = [entry.type is right for entry, right in pairs if entry.confidence >= .9]
    assert hits.total() / total.total() >= .95
    assert sum(sure) / len(sure) >= .97
    assert min(hits[kind] / total[kind] for kind in total) >= .9
    assert all(0 < entry.confidence <= 1 for entry in entries)


def test_headings_of_one_level_are_typed_by_what_they_follow() -> None:
    flat = re.sub(r"^#+ ", "# ", BOOKS["2024"], flags=re.MULTILINE)
    found = types_of(flat)
    assert found["Slippery"] is C.RACE
    assert found["Bonus Actions"] is C.MONSTER
    assert found["Level 2: Trim the Wick"] is C.CLASS


def test_bookmarks_alone_give_types() -> None:
    text = srd()[0]
    spells = next(n for n, block in enumerate(text.blocks) if block.text == "Spell Descriptions")
    marks = tuple(
        Bookmark(block.text, 1, block.page, number)
        for number, block in enumerate(text.blocks)
        if block.level == 2 and spells < number < spells + 600
    )
    plain = tuple(BookBlock(block.text, 0, block.page) for block in text.blocks)
    found = contents(Text("SRD", plain, marks, pages=text.pages))[1:-1]
    assert len(found) > 50
    assert sum(entry.type is C.SPELL for entry in found) / len(found) >= .95


def test_page_ranges_have_the_type_of_what_fills_them() -> None:
    text, entries, gold = srd()
    plain = tuple(BookBlock(block.text, 0, block.page) for block in text.blocks)
    found = contents(Text("SRD", plain, pages=text.pages))
    assert found == contents(Text("SRD", plain, pages=text.pages))  # the same each time
    right = []
    for entry in found:
        assert entry.origin == "pages"
        filled = Counter(
            wanted for one, wanted in zip(entries, gold, strict=True)
            if wanted and not one.children and entry.start <= one.start < entry.end
        )
        if filled and filled.most_common(1)[0][1] >= .9 * filled.total():
            right.append(filled.most_common(1)[0][0] is entry.type)
    assert len(right) > 20
    assert sum(right) / len(right) >= .9
