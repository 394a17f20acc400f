"""A file that cannot be read refuses itself: the scan goes on, and says which files were left out."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from mvp_site.operations.library import ListSources

from .conftest import Command, Operate

BOOK = "# Ferry\n\nThe ferry takes you over the river.\n"
NESTED = "".join(f"{'  ' * depth}- item {depth}\n" for depth in range(900))
needs_bytes = pytest.mark.skipif(sys.platform != "linux", reason="names are text here")


@needs_bytes
def test_a_name_that_is_no_text_refuses_itself(project: Path, command: Command, operate: Operate) -> None:
    books = project / "books"
    names = [b"caf\xe9.md", b"\xff\xfe.pdf", b"M\xfcnchen/city.md", b"a/b/Stra\xdfe.epub", b"link \xe9.md", b"caf\xe9.jpg"]
    for name in (b"ferry.md", *names):
        path = books / os.fsdecode(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(BOOK)
    (books / os.fsdecode(names[4])).unlink()
    (books / os.fsdecode(names[4])).symlink_to(books / "ferry.md")
    for words in (("books",), ("--json",)):
        done = command("library", "scan", *words)
        assert done.exit_code == 1
        assert done.output.count("is not UTF-8") in {5, 10}  # once or twice each, and never of the picture, which is no book
    assert [one.file for one in operate("library.list", ListSources()).sources] == ["ferry.md"]


def test_a_file_that_breaks_its_reader_refuses_itself(project: Path, command: Command, operate: Operate) -> None:
    books = project / "books"
    books.mkdir()
    for name, text in {"ferry.md": BOOK, "nested.md": NESTED, "rows.md": "# A\n\n" + "> " * 3_000 + "x\n"}.items():
        (books / name).write_text(text)
    command("library", "scan", "books")
    sources = {one.file: one for one in operate("library.list", ListSources()).sources}
    assert sources.keys() == {"ferry.md", "nested.md", "rows.md"}
    assert sources["ferry.md"].entries == 1


@needs_bytes
def test_an_entity_file_of_such_a_name_is_named_in_words(project: Path, command: Command) -> None:
    folder = project / "data/own_entities/spells"
    folder.mkdir(parents=True)
    (folder / os.fsdecode(b"caf\xe9.yaml")).write_text("name: [\n")
    done = command("entities", "build")
    assert done.exit_code == 1
    assert "spells/caf" in done.stderr


@needs_bytes
def test_a_folder_whose_name_is_no_text_is_refused_at_once(project: Path, command: Command) -> None:
    folder = project / os.fsdecode(b"B\xfccher")
    folder.mkdir()
    (folder / "ferry.md").write_text(BOOK)
    done = command("library", "scan", str(folder))
    assert (done.exit_code, "is not UTF-8" in done.stderr) == (1, True)


@needs_bytes
def test_a_prompt_file_of_such_a_name_is_named_in_words(project: Path, command: Command) -> None:
    folder = project / "prompt_archive/one"
    folder.mkdir(parents=True)
    (project / "prompt_archive/core_header.txt").write_text("You run the game.\n")
    for name in (b"inn.md", b"caf\xe9.md"):
        (folder / os.fsdecode(name)).write_text(BOOK)
    done = command("archive", "lint")
    assert (done.exit_code, "is not UTF-8: rename it" in done.output) == (1, True)
