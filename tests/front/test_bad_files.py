"""A bad file refuses itself alone: the others are taken, and all that are refused are listed."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from mvp_site.errors import SessionsError
from mvp_site.operations.library import ListSources
from mvp_site.operations.sessions import FileText, ImportFiles, ListDocuments

from .conftest import CASES, Command, Operate, write, write_prompts

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
    names = [path.name for path in (CASES / "books" / "date_titled_notes").glob("*.md")] + [f"diary {letter}.md" for letter in "abcdefghijklmnopqrstuvwxyz"]
    with pytest.raises(SessionsError) as raised:
        operate("sessions.import", ImportFiles("c", tuple(FileText(name, "We met.") for name in names)))
    assert [name for name in names if name not in str(raised.value)] == []


def test_the_command_line_lists_them_and_does_not_end_well(project: Path, command: Command) -> None:
    write(project / "vault", {**BAD, "0 five.md": GOOD, "latin.md": "# Session 7\n\nCafé.".encode("latin-1"), "old/again.md": "# Session 5\n\nThrice."})
    result = command("sessions", "import", "c", "vault")
    assert result.exit_code == 1
    assert "imported Session 5" in result.stdout
    for name in (*BAD, "latin.md", "old/again.md"):
        assert name in result.stderr
    found = json.loads(command("sessions", "import", "c", "vault", "--json").stdout)
    assert [one["id"] for one in found["documents"]] == ["session-5"]
    assert len(found["refused"]) == 5


def test_a_prompt_folder_leaves_out_what_is_no_text_and_says_so(project: Path, command: Command) -> None:
    write(project / "prompts", {"rules.md": "# Rules\n\nRoll the dice.\n", "empty.md": b"", "zero.txt": b""})
    result = command("archive", "import", "prompts", "--into", "archive", "--yes")
    assert result.exit_code == 1
    assert (project / "archive" / "prompts" / "rules.md").is_file()
    for name in ("empty.md", "zero.txt"):
        assert f"refused: {name}" in result.stderr
    assert [one["file"] for one in json.loads(command("archive", "import", "prompts", "--json").stdout)["refused"]] == ["empty.md", "zero.txt"]


def test_a_scan_that_left_a_book_out_does_not_end_well(project: Path, command: Command) -> None:
    folder = write(project / "books", {"good.md": "# The Bell\n\nIt rings at dusk, and the whole town hears it.\n", "bad.epub": b"no zip"})
    result = command("library", "scan", "books")
    assert (result.exit_code, "bad.epub" in result.stderr, "1 new" in result.stdout or "2 new" in result.stdout) == (1, True, True)
    (folder / "bad.epub").unlink()
    assert command("library", "scan").exit_code == 0


BOOK = "# Ferry\n\nThe ferry takes you over the river.\n"
NESTED = "".join(f"{'  ' * depth}- item {depth}\n" for depth in range(900))
needs_bytes = pytest.mark.skipif(sys.platform != "linux", reason="names are text here")


@needs_bytes
def test_a_name_that_is_no_text_refuses_itself(project: Path, command: Command, operate: Operate) -> None:
    books = project / "books"
    names = [b"caf\xe9.md", b"\xff\xfe.pdf", b"M\xfcnchen/city.md", b"a/b/Stra\xdfe.epub", b"link \xe9.md", b"caf\xe9.jpg"]
    write(books, {os.fsdecode(name): BOOK for name in (b"ferry.md", *names)})
    (books / os.fsdecode(names[4])).unlink()
    (books / os.fsdecode(names[4])).symlink_to(books / "ferry.md")
    for words in (("books",), ("--json",)):
        done = command("library", "scan", *words)
        assert done.exit_code == 1
        assert done.output.count("is not UTF-8") in {5, 10}  # once or twice each, and never of the picture, which is no book
    assert [one.file for one in operate("library.list", ListSources()).sources] == ["ferry.md"]


def test_a_file_that_breaks_its_reader_refuses_itself(project: Path, command: Command, operate: Operate) -> None:
    write(project / "books", {"ferry.md": BOOK, "nested.md": NESTED, "rows.md": "# A\n\n" + "> " * 3_000 + "x\n"})
    command("library", "scan", "books")
    sources = {one.file: one for one in operate("library.list", ListSources()).sources}
    assert sources.keys() == {"ferry.md", "nested.md", "rows.md"}
    assert sources["ferry.md"].entries == 1


@needs_bytes
def test_an_entity_file_of_such_a_name_is_named_in_words(project: Path, command: Command) -> None:
    write(project / "data/own_entities/spells", {os.fsdecode(b"caf\xe9.yaml"): "name: [\n"})
    done = command("entities", "build")
    assert done.exit_code == 1
    assert "spells/caf" in done.stderr


@needs_bytes
def test_a_folder_whose_name_is_no_text_is_refused_at_once(project: Path, command: Command) -> None:
    folder = write(project / os.fsdecode(b"B\xfccher"), {"ferry.md": BOOK})
    done = command("library", "scan", str(folder))
    assert (done.exit_code, "is not UTF-8" in done.stderr) == (1, True)


@needs_bytes
def test_a_prompt_file_of_such_a_name_is_named_in_words(project: Path, command: Command) -> None:
    write(write_prompts(project), {os.fsdecode(b"v1/caf\xe9.md"): BOOK})
    done = command("archive", "lint")
    assert (done.exit_code, "is not UTF-8: rename it" in done.output) == (1, True)
