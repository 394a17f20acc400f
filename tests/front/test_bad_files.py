"""A bad file or record refuses itself alone: the others are taken, all that are refused are listed, and nothing hides the SRD's unasked."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from mvp_site.errors import MvpSiteError, SessionsError
from mvp_site.operations.entities import EntityReference
from mvp_site.operations.library import ListSources
from mvp_site.operations.sessions import FileText, ImportFiles, ListDocuments

from .conftest import CASES, Command, Operate, write, write_prompts

GOOD = "# Session 5\n\nThe toll keeper took the mule."
BAD = {"a diary.md": "# Session 1.10\n\nWe met.", "other diary.md": "# Sessions 3 and 4\n\nWe ate.", "again.md": "# Session 5\n\nTwice."}


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
        operate("sessions.import", ImportFiles("c", tuple(FileText(name, "# Session -2\n\nWe met.") for name in names)))
    assert [name for name in names if name not in str(raised.value)] == []


def test_the_command_line_lists_them_and_does_not_end_well(project: Path, command: Command) -> None:
    write(project / "vault", {**BAD, "0 five.md": GOOD, "mangled.md": "# Session 7\n\nCafÃ©.", "old/again.md": "# Session 5\n\nThrice."})
    result = command("sessions", "import", "c", "vault")
    assert result.exit_code == 1
    assert "imported Session 5" in result.stdout
    for name in (*BAD, "mangled.md", "old/again.md"):
        assert name in result.stderr
    found = json.loads(command("sessions", "import", "c", "vault", "--json").stdout)
    assert [one["id"] for one in found["documents"]] == ["session-5"]
    assert len(found["refused"]) == 5


def test_a_prompt_folder_leaves_out_what_is_no_text_and_says_so(project: Path, command: Command) -> None:
    write(project / "prompts", {"rules.md": "# Tides\n\nThe tide comes twice a day.\n", "empty.md": b"", "zero.txt": b""})
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
NESTED = "".join(f"{'  ' * depth}- item {depth}\n" for depth in range(300))
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


OWN_FOLDER = "data/own_entities"
OWN = {
    "spells": {"name": "Ember Lash", "level": 7, "school": "Evocation", "desc": "A far longer whip."},
    "monsters": {"name": "Ash Wyrm", "armor_class": 9, "hit_points": 4, "type": "dragon"},
    "magic-items": {"name": "Singing Blade", "rarity": "common", "desc": "It hums."}, "conditions": {"name": "Rooted", "desc": "You may not move."},
}
"""Whole entities with the names of the SRD's."""
FOREIGN: list[tuple[str, dict[str, Any]]] = [
    ("monsters", {"type": "npc", "system": {"abilities": {}, "details": {"cr": 3}}}), ("monsters", {"type": "dragon", "cr": 13}), ("monsters", {"type": "npc", "items": [], "data": {"attributes": {}}}),
    ("monsters", {"type": "vehicle", "items": [], "system": {"attributes": {"hp": {"value": 3}}}}), ("rules", {"type": "text", "pages": [{"text": {"content": "x"}}]}),
]


def shown(operate: Operate, type_: str, slug: str) -> Any:
    try:
        return operate("entities.show", EntityReference(type_, slug)).entity
    except MvpSiteError:
        return None


@pytest.mark.parametrize(("type_", "fields"), FOREIGN)
def test_a_record_that_lacks_what_its_type_needs_is_refused(project: Path, command: Command, operate: Operate, type_: str, fields: dict[str, Any]) -> None:
    shadow = (CASES / "books/own_fvtt_shadow/monsters/owlbear.yml").read_text().replace("Owlbear", "Ash Wyrm")
    write(project / OWN_FOLDER, {f"{type_}/theirs.json": {"name": "Zork", **fields}, "spells/good.yaml": "name: Fine\nlevel: 2\n", "monsters/owlbear.yml": shadow})
    done = command("entities", "build")
    assert "monsters/owlbear.yml: Ash Wyrm: slug: \"ash-wyrm\" is the SRD's; write replaces: true" in done.stderr
    assert shown(operate, "monsters", "ash-wyrm")["document"] == "SRD 5.1"
    assert (done.exit_code, f"{type_}/theirs.json: Zork" in done.stderr) == (1, True)
    assert shown(operate, type_, "zork") is None
    assert shown(operate, "spells", "fine")["level"] == 2


@pytest.mark.parametrize("type_", OWN)
@pytest.mark.parametrize("replaces", [None, False, True])
def test_nothing_replaces_an_entity_of_the_srd_unless_it_says_so(project: Path, command: Command, operate: Operate, type_: str, replaces: bool | None) -> None:
    said = {} if replaces is None else {"replaces": replaces}
    write(project / OWN_FOLDER, {f"{type_}/own.json": [{**OWN[type_], **said}, {**OWN[type_], "name": "Another"}]})
    done = command("entities", "build")
    assert (done.exit_code, "replaces: true" in done.stderr) == ((0, False) if replaces else (1, True))
    entity = shown(operate, type_, OWN[type_]["name"].lower().replace(" ", "-"))
    assert entity["document"] == ("own entities" if replaces else "SRD 5.1")
    assert entity.get("shadows") == ("SRD 5.1" if replaces else None)
    assert shown(operate, type_, "another")["document"] == "own entities"


def test_every_bad_file_is_named_and_the_others_are_built(project: Path, command: Command, operate: Operate) -> None:
    write(project / OWN_FOLDER, {
        "spells/a.json": "{", "spells/b.yaml": "name: [", "spells/c.json": [{"name": f"Bad {n}"} for n in range(30)],
        "spells/d.txt": "text", "hats/e.json": {"name": "Hat"}, "monsters/f.json": {"name": "Wyrm", "ac": "high", "hp": 3},
        "spells/good.json": {"name": "Fine", "level": 2},
    })
    done = command("entities", "build", "--json")
    assert done.exit_code == 1
    for name in ("spells/a.json", "spells/b.yaml", "spells/c.json", "spells/d.txt", "hats/", "monsters/f.json"):
        assert name in done.stderr
    assert done.stderr.count("spells/c.json") == 11
    assert json.loads(done.stdout)["types"]["spells"] == 11
    assert shown(operate, "spells", "fine") is not None
