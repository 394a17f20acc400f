"""Import hides what a build, a heading, a name or a mark keeps from players."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Operate
from .test_import_secrets import hidden, written

SECRET = "The bell holds the phylactery."
TOWN = "# The town\n\nForty houses, one well, no dogs.\n"


def places(files: dict[str, str]) -> set[str]:
    """The names of the files that tell the secret."""
    return {name for name, text in files.items() if "phylactery" in text}


@pytest.mark.parametrize("matter", [
    "tags:\n  - npc\n  - secret", "tags:\n- gm/secret", 'tags:\n  - "#gm-only"', "tags:\n  [npc, secret]", "secret: yes # until session 6", '"secret": true',
    "{secret: true}", "secret: !!bool true", "secret: &x true", "visibility:\n  - gm", "visibility:\n  gm", "secret: |\n  true", 'tags: ["session/gm"]', "tags: [SL]",
    "segreto: sì", "geheim: wahr", "title: The bell\nmeta:\n  secret: true", "audience: player\ntags:\n  - secret", "tags: [npc\nsecret: true",
    '"is secret": true', "gm only: yes", '"geheim": wahr',
])
@pytest.mark.parametrize("folder", [False, True])
def test_front_matter_hides_as_in_a_build(operate: Operate, project: Path, matter: str, folder: bool) -> None:
    source = project / "source"
    source.mkdir()
    (source / "bell.md").write_text(f"---\n{matter}\n---\n\n# The bell\n\n{SECRET}\n", "utf-8")
    (source / "town.md").write_text(TOWN)
    files, notes = written(operate, source if folder else source / "bell.md")
    assert places(files) == {"bell.md"}
    assert hidden(files) == {"bell.md"} or files["bell.md"].startswith(f"---\n{matter}\n---\n")  # a build reads it
    assert "bell.md is hidden" in notes


@pytest.mark.parametrize("matter", ["tags:\n  - npc\n  - town", "title: The bell\nsecret: no", "visibility:\n  - players", "tags: [gm-friendly]"])
def test_other_front_matter_hides_nothing(operate: Operate, project: Path, matter: str) -> None:
    (project / "bell.md").write_text(f"---\n{matter}\n---\n\n# The bell\n\n{SECRET}\n", "utf-8")
    files, _ = written(operate, project / "bell.md")
    assert places(files)
    assert not hidden(files)


@pytest.mark.parametrize("title", [
    "DO NOT READ ALOUD", "DO NOT REVEAL", "Do not share this section", "Don't read to players: ending", "Never mention", "Must not be revealed: the patron",
    "No peeking, players", "No player access", "Not to be read aloud", "Don't show", "Do not spoil: the end",
    "GM", "(GM)", "Inn (GM)", "DM", "For the GM", "For GMs", "For the Game Master", "For DM reference", "[GM] True timeline", "DM Background", "Game Master's Guide",
    "DM-facing", "Referee-facing material", "SECRET: The Bell", "Plot secrets", "Classified", "Players, stop reading here", "Stop reading if you are a player!",
    "Judge's notes", "🔒 Prep", "Twist (spoilers!)", "SPOILER - ending", "Plot twist", "Was die Spieler nicht wissen", "Meisterinformationen", "À ne pas lire aux joueurs",
    "Secrets du meneur", "LO QUE LOS JUGADORES NO SABEN", "SOLO MÁSTER", "GM: the bell", "The bell - GM version", "What the party doesn't know",
])
def test_a_heading_hides_what_is_below(operate: Operate, project: Path, title: str) -> None:
    (project / "prompt.md").write_text(f"{TOWN}\n# {title}\n\n{SECRET}\n\n# The well\n\nIt is deep.\n", "utf-8")
    files, notes = written(operate, project / "prompt.md")
    [file] = hidden(files)
    assert places(files) == {file}
    assert "Forty houses" not in files[file]
    assert "It is deep" not in files[file]
    assert f"{file} is hidden" in notes


@pytest.mark.parametrize("text", [
    "# DM\n\nYou are the DM. Describe the scene.\n", "# DM instructions\n\nDescribe the scene.\n", "# Role\n\nYou are the dungeon master.\n\n# GM style\n\nThe GM speaks in short sentences.\n",
    "# GM\n\nAlways answer in prose.\n", "# The twisted oak\n\nIt is old.\n", "# Secret doors: how to find them\n\nRoll.\n", "# The gmelin house\n\nIt is old.\n",
    "# The judge\n\nShe is stern.\n", "# Reading aloud\n\nShe reads badly.\n", "# Classified advertisements\n\nA dog is missing.\n",
])
def test_other_headings_hide_nothing(operate: Operate, project: Path, text: str) -> None:
    (project / "prompt.md").write_text(f"{text}\n# The well\n\nIt is deep.\n", "utf-8")
    files, _ = written(operate, project / "prompt.md")
    assert not hidden(files)


def test_an_order_to_keep_quiet_takes_its_secret_not_into_the_header(operate: Operate, project: Path) -> None:
    (project / "prompt.md").write_text(f"{TOWN}\n# The wisp's bargain\n\n{SECRET} Never state it outright.\n\n# Style\n\nNever speak for the player.\n", "utf-8")
    files, notes = written(operate, project / "prompt.md")
    assert "core_header.txt" not in places(files)
    assert "Never speak" in files["core_header.txt"]
    assert "reads as if for the DM alone" in notes


@pytest.mark.parametrize(("title", "text"), [
    ("SPOILER - ending", SECRET), ("Plot twist", SECRET), ("The end", f"{SECRET} Do not reveal before act three."),
    ("The end", "{{char}} knows this but {{user}} must not find out: the bell holds the phylactery."), ("World truth", f"[Hidden from {{{{user}}}}: {SECRET}]"),
    ("Elves", f"Elves are old.\n<!-- GM: {SECRET} -->"), ("The end", f"GM ONLY. {SECRET}"), ("The end", f"{SECRET} Never let {{{{user}}}} know."),
])
def test_a_constant_entry_that_is_a_secret_is_hidden(operate: Operate, project: Path, title: str, text: str) -> None:
    entries = {str(at): {"key": [], "comment": one, "content": said, "constant": True}
               for at, (one, said) in enumerate([(title, text), ("Tone", "Keep it grim. Never reveal a DC to the player before the roll.")])}
    (project / "lore.json").write_text(json.dumps({"entries": entries}), "utf-8")
    files, notes = written(operate, project / "lore.json")
    [file] = hidden(files)
    assert places(files) == {file}
    assert "Keep it grim. Never reveal a DC" in files["core_header.txt"]
    assert file in notes


@pytest.mark.parametrize("name", ["GM/plot.md", "_gm/threads.md", "Halden (GM).md", "Cave (DM).md", "Halden - DM version.md", "GMs/x.md", "for the gm/x.md"])
def test_a_folder_or_file_of_the_game_master_is_hidden(operate: Operate, project: Path, name: str) -> None:
    for path, text in {name: f"# The bell\n\n{SECRET}\n", "town.md": TOWN, "dm.md": "You are the DM. Describe the scene.\n"}.items():
        (project / "source" / path).parent.mkdir(parents=True, exist_ok=True)
        (project / "source" / path).write_text(text)
    files, notes = written(operate, project / "source")
    assert places(files) == hidden(files)
    assert len(hidden(files)) == 1
    assert "is hidden" in notes


@pytest.mark.parametrize("mark", [
    f"> [!secret]- GM secrets\n> {SECRET}", f"> [!gm]\n> {SECRET}", f"%% {SECRET} %%", f"%%\n{SECRET}\n%%", f"<!-- GM: {SECRET} -->", f"<!--\nsecret\n{SECRET}\n-->",
    f"> [!info]- For the GM\n> {SECRET}", f"> [!dm-note]+ The bell\n> A tale.\n> {SECRET}",
])
def test_marks_hide_their_lines_alone(operate: Operate, project: Path, mark: str) -> None:
    (project / "town.md").write_text(f"{TOWN}\n{mark}\n\nThe inn is cheap.\n", "utf-8")
    files, notes = written(operate, project / "town.md")
    [file] = hidden(files)
    assert places(files) == {file}
    assert "Forty houses" not in files[file]
    assert "inn is cheap" not in files[file]
    assert f"{file} is hidden" in notes


def test_a_cards_instructions_are_for_the_header(operate: Operate, project: Path) -> None:
    card = {"name": "Orla", "description": "Orla narrates a frontier campaign of salt.", "first_mes": "Rain on the gate.",
            "system_prompt": "Never speak for {{user}}. No sexual content.", "post_history_instructions": "Do not write {{user}}'s actions. Keep to 200 words."}
    (project / "card.json").write_text(json.dumps({"spec": "chara_card_v2", "data": card}))
    files, notes = written(operate, project / "card.json")
    for key in ("system_prompt", "post_history_instructions"):
        assert card[key] in files["core_header.txt"]
        assert f"'{key}'" in notes
    assert "frontier" not in files["core_header.txt"]
