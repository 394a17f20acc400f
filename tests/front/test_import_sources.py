"""What import reads, and what it refuses: JSON by its content, links by where they lead."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mvp_site.errors import ArchiveError
from mvp_site.operations.importing import ImportReport, ImportRequest

from .conftest import CASES, Command, Operate, write

NOVELAI = CASES / "prompts/novelai_suffixes"
LORE = "The ferry bell rings twice for strangers."
WORLD = {"key": ["ferry"], "keysecondary": [], "comment": "Ferry", "content": LORE, "constant": False}
KOBOLD = {"gamestarted": True, "prompt": "You stand at the ferry landing in the rain.", "memory": "It rains on this side.", "authorsnote": "",
          "actions": ["You wait for the ferry and it comes."], "worldinfo": [WORLD]}
CARD = {"name": "Orle", "description": "A court of clocks and whispers.", "personality": "", "first_mes": "The clocks of Orle strike all at once."}


def proposed(operate: Operate, path: Path) -> ImportReport:
    report: ImportReport = operate("archive.import", ImportRequest(str(path), version="v1"))
    return report


@pytest.mark.parametrize("suffix", [".json", ".txt", ".lorebook", ""])
@pytest.mark.parametrize(("value", "said"), [
    ({"type": "risu", "ver": 1, "data": [WORLD]}, "a RisuAI lorebook"), ({"kind": "memory", "name": "M", "entries": [{"name": "Bell", "keywords": ["bell"], "entry": LORE}]}, "an Agnai memory book"),
    ([{"role": "system", "content": LORE}], "a chat"), ({"title": "My notes", "pages": [LORE, LORE]}, "the keys title, pages"), ({}, "an empty object"),
])
def test_json_of_another_kind_is_refused_by_its_content(operate: Operate, project: Path, value: Any, said: str, suffix: str) -> None:
    (project / f"source{suffix}").write_text(json.dumps(value, indent=1))
    with pytest.raises(ArchiveError) as refused:
        proposed(operate, project / f"source{suffix}")
    assert said in str(refused.value)


@pytest.mark.parametrize("suffix", [".json", ".txt", ".lorebook", ""])
@pytest.mark.parametrize(("value", "format_"), [
    (json.loads((NOVELAI / "book.lorebook").read_text("utf-8")), "a NovelAI lorebook"), (json.loads((NOVELAI / "tale.scenario").read_text("utf-8")), "a NovelAI scenario"),
    ({"storyContainerVersion": 1, "metadata": {"title": "T"}, "content": {"story": {}, "lorebook": json.loads((NOVELAI / "book.lorebook").read_text("utf-8"))}}, "a NovelAI story"),
    (KOBOLD, "a save of KoboldAI"), ({**KOBOLD, "entries": []}, "a save of KoboldAI"), ([{"keys": "ferry, bell", "value": LORE, "title": "Bell"}], "a list of story cards"),
])
def test_json_is_read_by_its_content_and_none_of_its_machinery_is_printed(operate: Operate, project: Path, value: Any, format_: str, suffix: str) -> None:
    (project / f"source{suffix}").write_text(json.dumps(value, indent=1))
    report = proposed(operate, project / f"source{suffix}")
    assert any(note.startswith(f"it is {format_}") for note in report.notes)
    assert LORE in report.diff
    assert not any(mark in report.header for mark in "{}")


@pytest.mark.parametrize("value", [
    {**CARD, "world_info": [WORLD]}, {**CARD, "character_book": {"entries": [WORLD]}, "extensions": {"lore": {"a": {"keys": "bell", "entry": LORE}}}},
])
def test_lore_where_no_import_reads_it_is_refused(operate: Operate, project: Path, value: Any) -> None:
    (project / "card.json").write_text(json.dumps(value))
    with pytest.raises(ArchiveError, match="has lore at"):
        proposed(operate, project / "card.json")


@pytest.mark.parametrize("name", ["pasted.txt", "book.lorebook", "world.json", "world"])
def test_a_lorebook_is_read_whatever_its_suffix(operate: Operate, project: Path, name: str) -> None:
    (project / name).write_text((NOVELAI / "pasted.txt").read_text("utf-8"))
    report = proposed(operate, project / name)
    assert report.kind == "lorebook"
    assert "elf.md" in report.tokens


@pytest.mark.parametrize("text", [
    "{{char}} is the herald of Orle.\n", "[Style: terse]\nThe court has clocks.\n", '{"scene": "text"}\n\nAnswer with one object as above, always.\n',
    '{"scene": <what happens>}\nAnswer so.\n', "{a} and {b}\n",
])
def test_prose_that_begins_with_a_brace_is_a_prompt(operate: Operate, project: Path, text: str) -> None:
    (project / "prompt.txt").write_text(text)
    assert proposed(operate, project / "prompt.txt").kind == "prompt"


@pytest.mark.parametrize(("name", "text"), [("a.story", '{"storyContainerVersion": 1, "content": {"a": }}'), ("chat.txt", '{"name": "a"}\n{"mes": "b"}\n')])
def test_damaged_json_and_json_lines_are_refused(operate: Operate, project: Path, name: str, text: str) -> None:
    (project / name).write_text(text)
    with pytest.raises(ArchiveError, match="is not JSON"):
        proposed(operate, project / name)


def test_a_folder_has_the_lorebooks_in_it_too(operate: Operate, project: Path) -> None:
    report = proposed(operate, write(project / "source", {"rules.md": "# Rules\n\nNever speak for the player.\n", "save.txt": KOBOLD, "lore/mill.json": {"entries": [
        {"key": ["mill"], "comment": "Mill", "content": "It turns backwards.", "order": 7}, {"key": ["x"], "content": "Off.", "disable": True}]}, "package.json": {"name": "x"}, "broken.json": "{"}))
    assert (report.refused, report.kind) == ((), "prompt")
    assert {"lore/mill/mill.md", "imported.yaml"} <= {*report.tokens}
    assert "Never speak" in report.header
    assert all(text in report.diff for text in ("It turns backwards.", "I ask about mill", "ferry"))
    assert "left out, as no Markdown or plain text: 2 files (broken.json, package.json)" in report.notes
    assert "content" in {use.field for use in report.fields}


def test_the_command_says_what_it_looks_like(command: Command) -> None:
    for words in (("archive", "import"), ("init", "game", "--from")):
        write(Path(), {"book.json": {"type": "risu", "ver": 1, "data": [WORLD]}})
        shown = command(*words, "book.json")
        assert shown.exit_code == 1
        assert "a RisuAI lorebook" in " ".join(shown.stderr.split())
    assert not Path("game").exists()


def test_links_out_of_a_folder_are_refused_and_listed(operate: Operate, project: Path) -> None:
    folder = write(project / "source", {"inner/rules.md": "# Rules\n\nNever speak for the player.\n"})
    away = write(project / "away", {"key.md": "# Key\n\nThe password is swordfish.\n", "deep/key.md": "# Key\n\nThe password is swordfish.\n"})
    (folder / "file.md").symlink_to(away / "key.md")
    (folder / "folder").symlink_to(away)
    (folder / "own.md").symlink_to(folder / "inner/rules.md")
    (folder / "nowhere.md").symlink_to(folder / "gone.md")
    (folder / "loop.md").symlink_to(folder / "loop.md")
    report = proposed(operate, folder)
    assert "swordfish" not in report.diff
    assert {refused.file for refused in report.refused} == {"file.md", "folder", "loop.md", "nowhere.md"}
    assert "file.md: it is a link that leads out of the folder" in [refused.reason for refused in report.refused]
    (folder / "inner/rules.md").unlink()
    with pytest.raises(ArchiveError, match=r"file\.md: it is a link"):
        proposed(operate, folder)


def test_a_cards_instructions_are_for_the_header(operate: Operate, project: Path) -> None:
    always = {"system_prompt": "Never speak for {{user}}. No sexual content.", "post_history_instructions": "Do not write {{user}}'s actions. Keep to 200 words."}
    (project / "card.json").write_text(json.dumps({"spec": "chara_card_v2", "data": {**CARD, **always}}))
    report = proposed(operate, project / "card.json")
    assert all(text in report.header for text in always.values())
    assert [use.use for use in report.fields if use.field in always] == ["used", "used"]
    assert "whispers" in report.header
