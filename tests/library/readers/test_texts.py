"""Markdown and plain text to blocks: structure, encodings, pages, front matter."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

import pytest

from mvp_site.errors import LibraryError
from mvp_site.library.reading import read_file
from mvp_site.library.types import BookBlock, Text

LONG = "The keep stands on a hill above the river, and nobody has gone there"
MARKDOWN: list[tuple[str, list[tuple[str, int]]]] = [
    ("# The *Keep* {#keep}\n\nA\nb.", [("The Keep", 1), ("A b.", 0)]),
    ("Keep\n====\n\nRooms\n---", [("Keep", 1), ("Rooms", 2)]),
    ("- one\n  - **two** `2`\n- three", [("one", 0), ("two 2", 0), ("three", 0)]),
    ("1. a\n\n   b\n2. c", [("a", 0), ("b", 0), ("c", 0)]),
    ("> quote\n> # no chapter", [("quote", 0), ("no chapter", 0)]),
    ("|a|b|\n|-|-|\n|1<br>2|**3**|", [("a | b\n1 2 | 3", 0)]),
    ("```\ncode *x*\n# y\n```", [("code *x* # y", 0)]),
    ("<div>a &amp; <!-- unseen --> b</div>", [("a & b", 0)]),
    ("[see][1] ![map](m.png)\n\n[1]: http://x", [("see map", 0)]),
    ("a\x07b\u00adc\x00d", [("abc d", 0)]),
    ("**AC** 1  \n**HP** 2\\\n*a<br>b*", [("AC 1", 0), ("HP 2", 0), ("a", 0), ("b", 0)]),
    ("a  \nb", [("a", 0), ("b", 0)]),
    ("#\n\nx", [("x", 0)]),
]
PLAIN: list[tuple[str, list[tuple[str, int]]]] = [
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
]


def read(tmp_path: Path, content: str | bytes, name: str = "old-keep_2.md") -> Text:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_file(path)


@pytest.mark.parametrize(("name", "cases"), [("old-keep_2.md", MARKDOWN), ("notes.txt", PLAIN)])
def test_structure(tmp_path: Path, name: str, cases: list[tuple[str, list[tuple[str, int]]]]) -> None:
    for text, blocks in cases:
        found = read(tmp_path, text, name)
        assert [(block.text, block.level) for block in found.blocks] == blocks
        assert (found.pages, {block.page for block in found.blocks}) == (0, {None})


def test_encodings_and_pages(tmp_path: Path) -> None:
    said = "naïve “dragon”"
    for content in (said.encode(), codecs.BOM_UTF8 + said.encode(), said.encode("utf-16"), codecs.BOM_UTF16_BE + said.encode("utf-16-be")):
        assert read(tmp_path, content, "a.txt") == Text("A", (BookBlock(said),))
    guessed = read(tmp_path, said.encode("cp1252"), "a.txt")
    assert guessed.blocks[0].text == said
    assert "read as cp1252" in guessed.notes[0]
    paged = read(tmp_path, b"one\n\ftwo\n\n\fthree\n\f\n", "a.txt")
    assert [(block.text, block.page) for block in paged.blocks] == [("one", 1), ("two", 2), ("three", 3)]
    assert paged.pages == 3


def test_title_and_audience(tmp_path: Path) -> None:
    for text, title, audience in (
        ("---\ntitle: A *Book*\naudience: DM\nauthor: me\n---\n# One", "A *Book*", "dm"), ("---\ntitle: 7\n---\nx", "7", "player"),
        ("# One\n\n## Two", "One", "player"), ("# One\n\n# Two", "Old Keep 2", "player"), ("text", "Old Keep 2", "player"),
        ("---\n\ntext after a rule", "Old Keep 2", "player"),
    ):
        found = read(tmp_path, text)
        assert (found.title, found.audience, found.pages) == (title, audience, 0)
    found = read(tmp_path, "---\naudience: dm\ntitle: Secrets\n---\nx", "a.txt")
    assert (found.title, found.audience, found.blocks[0].text) == ("Secrets", "dm", "x")


@pytest.mark.parametrize("name", ["old-keep_2.md", "old-keep_2.txt"])
def test_what_might_show_a_secret_is_refused(tmp_path: Path, name: str) -> None:
    for text, message in {
        "---\naudience: dmm\n---\nx": "audience: 'dmm' is unknown; write one of player, dm, god",
        "---\naudiance: dm\n---\nx": "'audiance' is not read; write it audience:", "---\naudience:\n---\nx": "audience: says nothing",
        "---\naudience: dm\n\nx": "line 1 begins like front matter", "---\ntitle: [\n---\nx": "the front matter in lines 1–3",
        "audience: dm\n\nx": "line 1, 'audience: dm', seems to say who may see the file",
    }.items():
        with pytest.raises(LibraryError, match=rf"old-keep_2\.\w+: .*{re.escape(message)}"):
            read(tmp_path, text, name)


def test_what_is_too_long_is_divided_and_stays_as_written(tmp_path: Path) -> None:
    found = read(tmp_path, "**word** " * 100_000).blocks
    assert max(len(block.text) for block in found) <= 20_000
    assert " ".join(block.text for block in found) == ("**word** " * 100_000).strip()
    assert read(tmp_path, "# " + "x" * 1_001).blocks[0].level == 0
    hostile = read(tmp_path, "*a*\n\n" + "[" * 200_001)
    assert hostile.blocks[0].text == "*a*"
    assert "too many brackets" in hostile.notes[0]
