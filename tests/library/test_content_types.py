"""What entries are about: invented books of several kinds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mvp_site.library.contents import contents
from mvp_site.library.reading import read_file
from mvp_site.library.types import ContentType

C = ContentType

BOOKS = {path.stem: path.read_text(encoding="utf-8") for path in sorted(Path(__file__).with_name("typed").glob("*.md"))}
"""Invented books of three editions; a comment behind a heading says what the entry is about."""
LABEL = re.compile(r"^#+ (.+) <!-- ([a-z ]+) -->$", re.MULTILINE)


def types_of(markdown: str, folder: Path) -> dict[str, ContentType]:
    path = folder / "book.md"
    path.write_text(markdown, encoding="utf-8")
    return {entry.title: entry.type for entry in contents(read_file(path))}


@pytest.mark.parametrize("name", BOOKS)
def test_an_entry_is_what_its_text_and_its_place_say(name: str, tmp_path: Path) -> None:
    gold = dict(LABEL.findall(BOOKS[name]))
    assert len(gold) > 15
    assert types_of(BOOKS[name], tmp_path).items() >= gold.items()


def test_headings_of_one_level_are_typed_by_what_they_follow(tmp_path: Path) -> None:
    flat = re.sub(r"^#+ ", "# ", BOOKS["2024"], flags=re.MULTILINE)
    found = types_of(flat, tmp_path)
    assert found["Slippery"] is C.RACE
    assert found["Bonus Actions"] is C.MONSTER
    assert found["Level 2: Trim the Wick"] is C.CLASS
