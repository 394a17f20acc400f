"""Books as other tools wrote them: Homebrewery, Word without styles, vaults; and what they keep for the game master."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mvp_site.library.book import LibraryBook, LibrarySource
from mvp_site.library.contents import contents
from mvp_site.library.extraction import extract
from mvp_site.library.reading import read_file
from mvp_site.operations.library import AskBooks, ListSources
from mvp_site.operations.requests import Nothing
from tests.texts import case_text

from .conftest import CASES, Operate, write

BOOKS = CASES / "books"
LEGACY = case_text("homebrewery_legacy.md")


@pytest.fixture
def ask(shared: Operate, shared_project: Path) -> Any:
    """Scans a folder and gives what asks it."""
    def scanned(files: dict[str, Any]) -> Any:
        write(shared_project / "data/books", files)
        shared("library.scan", Nothing())
        return lambda query, audience="player", **more: shared("library.ask", AskBooks(query, audience=audience, **more), audience != "player").results
    return scanned


def test_a_stat_block_of_homebrewery_is_read(tmp_path: Path) -> None:
    def block(path: Path, name: str) -> Any:
        text = read_file(path)
        entries = contents(text)
        book = LibraryBook(LibrarySource("x", text.title, path.name, "", "md"), text, entries)
        assert [part for one in text.blocks for part in ("}}", "{{", "::", "\\page", "<div") if part in one.text] == []
        return next(extract(book, entry, entry.type).document for entry in entries if entry.title == name)

    today = block(BOOKS / "homebrewery_v3_stats/brew.md", "Aldo Brann")
    assert [today[key] for key in ("armor_class", "hit_points", "walk", "challenge_rating", "type")] == [18, 97, 30, 4, "humanoid"]
    assert today["actions"][0]["name"] == "Ladle"
    (tmp_path / "legacy.md").write_text(LEGACY, "utf-8")
    before = block(tmp_path / "legacy.md", "Bog Witch")
    assert [before[key] for key in ("armor_class", "hit_points", "walk", "challenge_rating", "type")] == [15, 52, 30, 3, "fey"]
    assert (before["special_abilities"][0]["name"], before["actions"][0]["name"]) == ("Reed Walk", "Sickle")


def test_bold_lines_of_a_word_file_are_headings_and_questions_find_them(ask: Any) -> None:
    asked = ask({"bold.docx": (BOOKS / "docx_bold_headings/bold_only.docx").read_bytes()})
    assert asked("Night work: nobody grinds after the bell?")[0].title == "Night work"


def test_a_title_in_a_foreign_question_stands_first(ask: Any) -> None:
    asked = ask({"hechizos.md": (BOOKS / "foreign_question/hechizos.md").read_text("utf-8")})
    assert [asked(f"¿Qué hace el hechizo {name}?")[0].title for name in ("Garrafax", "Dolmira")] == ["Garrafax", "Dolmira"]


@pytest.mark.parametrize(("text", "title"), [
    ((BOOKS / "stray_h1_title/Ferrywright.md").read_text("utf-8"), "Ferrywright"), ("## A\n\nText.\n\n# Credits\n\nUs.\n", "Ferrywright"),
    ("# The Book\n\n## A\n\nText.\n", "The Book"), ("# ![[cover.png]]\n\n## A\n\nText.\n", "Ferrywright"), ("# One\n\nText.\n\n# Two\n\nText.\n", "Ferrywright"),
])
def test_the_title_of_a_book(tmp_path: Path, text: str, title: str) -> None:
    (tmp_path / "Ferrywright.md").write_text(text, "utf-8")
    assert read_file(tmp_path / "Ferrywright.md").title == title


@pytest.mark.parametrize("secret", ["%% zanzibar waits %%", "> [!info] Weir\n> > [!gm] Truth\n> > zanzibar waits", "He smiles.%%\nzanzibar waits\n%%", "<details><summary>Weir</summary>\n%%zanzibar waits%%\n</details>", "> [!gm] Truth\n> zanzibar waits", "<details><summary>For the GM</summary>\n\nzanzibar waits\n\n</details>",
                                    "## Secretos del máster\n\nzanzibar waits\n\n### Más\n\nzanzibar waits", "<!-- DM: zanzibar waits -->"])
def test_what_a_vault_marks_is_a_source_for_the_game_master(ask: Any, shared: Operate, secret: str) -> None:
    asked = ask({"mill.md": f"# The Mill\n\nThe miller bakes rye bread for [[People/Edda Crane|Edda]].\n\n{secret}\n\n## The Weir\n\nEels live here.\n"})
    shown = asked("zanzibar waits at the mill"), asked("who gets rye bread of the miller?")
    assert "zanzibar" not in str(shown)
    assert "for Edda." in str(shown)
    assert "zanzibar waits" in str(asked("zanzibar waits at the mill", "dm"))
    assert "Eels" in str(asked("what lives in the weir?"))
    [public] = [one for one in shared("library.list", ListSources()).sources if one.file == "mill.md" and one.audience == "player"]
    assert "a source of its own, for dm" in public.notes[0]
