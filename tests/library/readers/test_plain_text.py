"""Plain text to blocks: encodings, pages, wrapped lines, headings."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

from mvp_site.errors import LibraryError
from mvp_site.library.readers.plain_text import read_plain_text
from mvp_site.library.types import Text


def read(tmp_path: Path, content: bytes) -> Text:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    return read_plain_text(path)


@pytest.mark.parametrize(("content", "noted"), [
    ("naïve “dragon”".encode(), False),
    (codecs.BOM_UTF8 + "naïve “dragon”".encode(), False),
    ("naïve “dragon”".encode("utf-16"), False),
    (codecs.BOM_UTF16_BE + "naïve “dragon”".encode("utf-16-be"), False),
    ("naïve “dragon”".encode("cp1252"), True),
])
def test_encodings(tmp_path: Path, content: bytes, noted: bool) -> None:
    found = read(tmp_path, content)
    assert [block.text for block in found.blocks] == ["naïve “dragon”"]
    assert [note for note in found.notes if "Windows-1252" in note] == list(found.notes)
    assert bool(found.notes) is noted


LONG = "The keep stands on a hill above the river, and nobody has gone there"


@pytest.mark.parametrize(("text", "blocks"), [
    (f"{LONG}\nsince the war.", [(f"{LONG} since the war.", 0)]),
    (f"{LONG}\nOgres drove them out.", [(f"{LONG} Ogres drove them out.", 0)]),
    ("Armor Class 15\nHit Points 20", [("Armor Class 15", 0), ("Hit Points 20", 0)]),
    ("one\r\n\r\ntwo", [("one", 0), ("two", 0)]),
    ("- one\n- two\n  more", [("- one", 0), ("- two more", 0)]),
    ("The Keep\n========\nold", [("The Keep", 1), ("old", 0)]),
    ("before\nRooms\n-----\n\nx", [("before", 0), ("Rooms", 2), ("x", 0)]),
    ("Name  Cost\n----------\nDagger  2", [("Name Cost", 0), ("----------", 0), ("Dagger 2", 0)]),
    ("Chapter 3\n\nx", [("Chapter 3", 1), ("x", 0)]),
    ("CHAPTER IV: THE KEEP\n\nx", [("CHAPTER IV: THE KEEP", 1), ("x", 0)]),
    ("Appendix B\nMonsters\n\nx", [("Appendix B Monsters", 1), ("x", 0)]),
    ("Chapter 3 is where we met the ogre.", [("Chapter 3 is where we met the ogre.", 0)]),
    ("1.2 Rooms\n\n1.2.3 Doors", [("1.2 Rooms", 2), ("1.2.3 Doors", 3)]),
    ("THE KEEP\n\nx", [("THE KEEP", 2), ("x", 0)]),
    ("RUN!\n\nAC 15\n\nXX\n\n12", [("RUN!", 0), ("AC 15", 0), ("XX", 0), ("12", 0)]),
    ("1. Go north.", [("1. Go north.", 0)]),
    ("A\tB\n1\t2", [("A | B\n1 | 2", 0)]),
    ("| A | B |\n|---|---|\n| 1 | 2 |", [("A | B\n1 | 2", 0)]),
])
def test_structure(tmp_path: Path, text: str, blocks: list[tuple[str, int]]) -> None:
    found = read(tmp_path, text.encode())
    assert [(block.text, block.level) for block in found.blocks] == blocks
    assert found.pages == 0
    assert {block.page for block in found.blocks} == {None}


def test_form_feeds_part_pages(tmp_path: Path) -> None:
    found = read(tmp_path, b"one\n\ftwo\n\n\fthree\n\f\n")
    assert [(block.text, block.page) for block in found.blocks] == [("one", 1), ("two", 2), ("three", 3)]
    assert found.pages == 3


def test_front_matter_is_read_as_in_markdown(tmp_path: Path) -> None:
    found = read(tmp_path, b"---\naudience: dm\ntitle: Secrets\n---\nx")
    assert (found.title, found.audience, found.blocks[0].text) == ("Secrets", "dm", "x")
    with pytest.raises(LibraryError, match="seems to say who may see the file"):
        read(tmp_path, b"Audience: DM\n\nx")
