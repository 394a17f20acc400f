"""Markdown to blocks: structure, markup, front matter."""

from __future__ import annotations

from pathlib import Path

import pytest

from mvp_site.errors import LibraryError
from mvp_site.library.readers.markdown import read_markdown
from mvp_site.library.types import Text


def read(tmp_path: Path, text: str, name: str = "old-keep_2.md") -> Text:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return read_markdown(path)


@pytest.mark.parametrize(("text", "blocks"), [
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
    ("", []),
])
def test_structure(tmp_path: Path, text: str, blocks: list[tuple[str, int]]) -> None:
    found = read(tmp_path, text).blocks
    assert [(block.text, block.level) for block in found] == blocks
    assert all(block.page is None for block in found)


@pytest.mark.parametrize(("text", "title", "audience"), [
    ("---\ntitle: A *Book*\naudience: DM\nauthor: me\n---\n# One", "A *Book*", "dm"),
    ("---\ntitle: 7\n---\nx", "7", "player"),
    ("# One\n\n## Two", "One", "player"),
    ("# One\n\n# Two", "Old Keep 2", "player"),
    ("text", "Old Keep 2", "player"),
    ("---\n\ntext after a rule", "Old Keep 2", "player"),
])
def test_title_and_audience(tmp_path: Path, text: str, title: str, audience: str) -> None:
    found = read(tmp_path, text)
    assert (found.title, found.audience, found.pages) == (title, audience, 0)


@pytest.mark.parametrize(("text", "message"), [
    ("---\naudience: dmm\n---\nx", "audience: 'dmm' is unknown; write one of player, dm, god"),
    ("---\naudiance: dm\n---\nx", "'audiance' is not read; write it audience:"),
    ("---\naudience: dm\n\nx", "line 1 begins like front matter"),
    ("audience: dm\n\nx", "line 1, 'audience: dm', seems to say who may see the file"),
    ("---\naudience:\n---\nx", "audience: says nothing"),
    ("---\ntitle: [\n---\nx", "the front matter in lines 1–3"),
])
def test_what_might_show_a_secret_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(LibraryError, match=r"old-keep_2\.md: ") as error:
        read(tmp_path, text)
    assert message in str(error.value)


def test_what_is_too_long_is_divided_and_stays_as_written(tmp_path: Path) -> None:
    found = read(tmp_path, "**word** " * 100_000).blocks
    assert max(len(block.text) for block in found) <= 20_000
    assert " ".join(block.text for block in found) == ("**word** " * 100_000).strip()
    assert read(tmp_path, "# " + "x" * 1_001).blocks[0].level == 0
    hostile = read(tmp_path, "*a*\n\n" + "[" * 200_001)
    assert hostile.blocks[0].text == "*a*"
    assert "too many brackets" in hostile.notes[0]
