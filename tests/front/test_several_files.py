"""Several files taken at once: a bad file refuses itself alone, and all that are refused are listed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mvp_site import Settings, build_entities
from mvp_site.errors import SessionsError
from mvp_site.operations.sessions import FileText, ImportFiles, ListDocuments

from .conftest import CASES, Command, Operate

GOOD = "# Session 5\n\nThe toll keeper took the mule."
BAD = {"a diary.md": "We met.", "other diary.md": "We ate.", "again.md": "# Session 5\n\nTwice."}


def test_the_operation_keeps_what_it_can_and_lists_the_rest(operate: Operate) -> None:
    files = [FileText("five.md", GOOD), *(FileText(*one) for one in BAD.items()), FileText("long.md", "# Session 6\n" + "word " * 300_000)]
    found = operate("sessions.import", ImportFiles("c", tuple(files)))
    assert [one.id for one in found.documents] == ["session-5"]
    assert [one.file for one in found.refused] == [*BAD, "long.md"]
    for one in found.refused:
        assert one.file in one.reason
    assert [one.id for one in operate("sessions.list", ListDocuments("c")).documents] == ["session-5"]


def test_where_all_are_refused_the_error_lists_each(operate: Operate) -> None:
    names = [f"diary {letter}.md" for letter in "abcdefghijklmnopqrstuvwxyz"]
    with pytest.raises(SessionsError) as raised:
        operate("sessions.import", ImportFiles("c", tuple(FileText(name, "We met.") for name in names)))
    assert [name for name in names if name not in str(raised.value)] == []



def test_the_command_line_lists_them_and_does_not_end_well(project: Path, command: Command) -> None:
    folder = project / "vault"
    (folder / "old").mkdir(parents=True)
    for name, text in BAD.items():
        (folder / name).write_text(text, "utf-8")
    (folder / "0 five.md").write_text(GOOD, "utf-8")
    (folder / "latin.md").write_bytes("# Session 7\n\nCafé.".encode("latin-1"))
    (folder / "old" / "again.md").write_text("# Session 5\n\nThrice.", "utf-8")
    result = command("sessions", "import", "c", "vault")
    assert result.exit_code == 1
    assert "imported Session 5" in result.stdout
    for name in (*BAD, "latin.md", "old/again.md"):
        assert name in result.stderr
    found = json.loads(command("sessions", "import", "c", "vault", "--json").stdout)
    assert [one["id"] for one in found["documents"]] == ["session-5"]
    assert len(found["refused"]) == 5


def test_a_diary_without_numbers_has_every_file_listed(command: Command) -> None:
    result = command("sessions", "import", "c", str(CASES / "books" / "date_titled_notes"))
    assert result.exit_code == 1
    for path in (CASES / "books" / "date_titled_notes").glob("*.md"):
        assert path.name in result.stderr


def test_a_prompt_folder_leaves_out_what_is_no_text_and_says_so(project: Path, command: Command) -> None:
    folder = project / "prompts"
    folder.mkdir()
    (folder / "rules.md").write_text("# Rules\n\nRoll the dice.\n", "utf-8")
    for name in ("empty.md", "zero.txt"):
        (folder / name).write_bytes(b"")
    result = command("archive", "import", "prompts", "--into", "archive", "--yes")
    assert result.exit_code == 1
    assert (project / "archive" / "prompts" / "rules.md").is_file()
    for name in ("empty.md", "zero.txt"):
        assert f"refused: {name}" in result.stderr
    assert [one["file"] for one in json.loads(command("archive", "import", "prompts", "--json").stdout)["refused"]] == ["empty.md", "zero.txt"]


def test_entities_of_other_files_are_built(project: Path, command: Command) -> None:
    folder = project / "own" / "spells"
    folder.mkdir(parents=True)
    (folder / "good.yaml").write_text("name: Oddly Wet Lance\nlevel: 1\nschool: evocation\ndesc: Wet.\n", "utf-8")
    (folder / "broken.json").write_text("{", "utf-8")
    (folder / "wrong.yaml").write_text("name: Wrong\nlevel: many\n", "utf-8")
    (folder / "z again.yaml").write_text("name: Oddly Wet Lance\nlevel: 2\nschool: evocation\ndesc: Wet.\n", "utf-8")
    (project / "own" / "nonsense").mkdir()
    result = command("entities", "build", "--folder", "own")
    assert result.exit_code == 1
    for name in ("spells/broken.json", "spells/wrong.yaml", "spells/z again.yaml", "nonsense"):
        assert name in result.stderr
    assert command("entities", "show", "spells", "oddly-wet-lance").exit_code == 0
    assert [one.file for one in build_entities(Settings(), [folder.parent]).refused] == [
        "nonsense/", "spells/broken.json", "spells/wrong.yaml", "spells/z again.yaml"]


def test_a_scan_that_left_a_book_out_does_not_end_well(project: Path, command: Command) -> None:
    folder = project / "books"
    folder.mkdir()
    (folder / "good.md").write_text("# The Bell\n\nIt rings at dusk, and the whole town hears it.\n", "utf-8")
    (folder / "bad.epub").write_bytes(b"no zip")
    result = command("library", "scan", "books")
    assert (result.exit_code, "bad.epub" in result.stderr, "1 new" in result.stdout or "2 new" in result.stdout) == (1, True, True)
    (folder / "bad.epub").unlink()
    assert command("library", "scan").exit_code == 0
