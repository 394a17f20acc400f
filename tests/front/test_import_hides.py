"""Import hides what a build, a heading, a name or a mark keeps from players, and keeps it out of the header."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path

import pytest

from mvp_site.operations.importing import ImportRequest

from .conftest import CASES, Command, Operate, imported, write, write_prompts

SECRET = "The bell holds the phylactery."
TOWN = "# The town\n\nForty houses, one well, no dogs.\n"
FACTS = f"{SECRET}\n\n## Pressure\n\n- Never mark doom for a failed roll alone.\n- Always mark doom when salt is spilt.\n"


def written(operate: Operate, files: dict[str, str]) -> tuple[dict[str, str], str]:
    """The files that an import of a file, or of a folder with several, writes; and its notes."""
    write(Path("source"), files)
    return taken(operate, Path("source", *files) if len(files) == 1 else Path("source"))


def taken(operate: Operate, path: Path) -> tuple[dict[str, str], str]:
    report = operate("archive.import", ImportRequest(str(path), version="v1", into="archive", write=True))
    folder = Path("archive/v1")
    return {one.relative_to(folder).as_posix(): one.read_text("utf-8") for one in folder.rglob("*.*")}, "\n".join(report.notes)


def hidden(files: dict[str, str]) -> set[str]:
    """The names of the files that players may not see."""
    return {name for name, text in files.items() if "\naudience: dm\n" in text.partition("\n---\n")[0] + "\n"}


def told(files: dict[str, str], notes: str, shown: str = "Forty houses") -> str:
    """The one file that tells the secret: it is hidden, a note names it, and it has nothing of what players may see."""
    [file] = [name for name, text in files.items() if "phylactery" in text]
    assert hidden(files) == {file}
    assert shown not in files[file]
    assert f"{file} is hidden" in notes
    assert any(shown in text for text in files.values())
    return files[file]


@pytest.mark.parametrize("matter", [
    "tags:\n  - npc\n  - secret", "tags:\n- gm/secret", 'tags:\n  - "#gm-only"', "tags:\n  [npc, secret]", "secret: yes # until session 6", '"secret": true',
    "{secret: true}", "secret: !!bool true", "secret: &x true", "visibility:\n  - gm", "visibility:\n  gm", "secret: |\n  true", 'tags: ["session/gm"]', "tags: [SL]",
    "segreto: sì", "geheim: wahr", "title: The bell\nmeta:\n  secret: true", "audience: player\ntags:\n  - secret", "tags: [npc\nsecret: true",
    '"is secret": true', "gm only: yes", '"geheim": wahr',
])
@pytest.mark.parametrize("beside", [{}, {"town.md": TOWN}])
def test_front_matter_hides_as_in_a_build(operate: Operate, project: Path, matter: str, beside: dict[str, str]) -> None:
    files, notes = written(operate, {"bell.md": f"---\n{matter}\n---\n\n# The bell\n\n{SECRET}\n", **beside})
    assert {name for name, text in files.items() if "phylactery" in text} == {"bell.md"}
    assert hidden(files) == {"bell.md"} or files["bell.md"].startswith(f"---\n{matter}\n---\n")  # a build reads it
    assert "bell.md is hidden" in notes


@pytest.mark.parametrize("title", [
    "DO NOT READ ALOUD", "DO NOT REVEAL", "Do not share this section", "Don't read to players: ending", "Never mention", "Must not be revealed: the patron",
    "No peeking, players", "No player access", "Not to be read aloud", "Don't show", "Do not spoil: the end",
    "GM", "(GM)", "Inn (GM)", "DM", "For the GM", "For GMs", "For the Game Master", "For DM reference", "[GM] True timeline", "DM Background", "Game Master's Guide",
    "DM-facing", "Referee-facing material", "SECRET: The Bell", "Plot secrets", "Classified", "Players, stop reading here", "Stop reading if you are a player!",
    "Judge's notes", "🔒 Prep", "Twist (spoilers!)", "SPOILER - ending", "Plot twist", "Was die Spieler nicht wissen", "Meisterinformationen", "À ne pas lire aux joueurs",
    "Secrets du meneur", "LO QUE LOS JUGADORES NO SABEN", "SOLO MÁSTER", "GM: the bell", "The bell - GM version", "What the party doesn't know",
    "GM only: the mill", "The mill (for the DM only)", "Hidden scenario", "The mill [SECRET]", "Spoilers", "What the players do not know", "The mill, behind the screen",
    "The mill\n\nThis section is for the game master's eyes only.", "The mill\n\n*Not for players.*", "The mill\n\nDo not reveal any of this to the players.",
    "The mill\n\n> Players should not read this part.", "The mill\n\nKeep this hidden from the players until they ask.", "Die Mühle\n\nNur für die Spielleitung.",
    "Die Mühle (nicht für Spieler)", "Spielleiterinformationen", "Le moulin\n\nRéservé au meneur de jeu.", "El molino\n\nSolo para el director de juego.",
])
def test_a_heading_or_the_first_lines_hide_all_below(operate: Operate, project: Path, title: str) -> None:
    files, notes = written(operate, {"prompt.md": f"{TOWN}\n# {title}\n\n{FACTS}\n# The well\n\nIt is deep.\n"})
    secret = told(files, notes)
    assert "Never mark doom" in secret
    assert "It is deep" not in secret
    assert "doom" not in files["core_header.txt"]


@pytest.mark.parametrize("text", [
    "**Keeper's secrets**\n\n{}\n\n**The town**\n\n{}", "SECRET BACKSTORY\n\n{}\n\nTHE TOWN\n\n{}", "<gm_notes>\n{}\n</gm_notes>\n<town>\n{}\n</town>\n",
    "## The mill\n\nWHEEL\n\nIt turns.\n\nMILLER\n\nHe sleeps.\n\n### GM only\n\nHe lies.\n\nTRUTH\n\n{}\n\n## The town\n\n{}",
    "GM ONLY\n\nHe lies.\n\n**Truth**\n\n{}\n\nTHE TOWN\n\n{}\n**Inns**\n\nTwo.\n\n## Prices\n\nLow.",
    "# The valley\n\n## The mill\n\nGM ONLY\n\nHe lies.\n\n[Truth]\n\n{}\n\nTHE TOWN\n\n{}\n\n[Inns]\n\nTwo.\n\n## Prices\n\nLow.",
])
def test_a_heading_of_another_style_does_too(operate: Operate, project: Path, text: str) -> None:
    files, notes = written(operate, {"prompt.md": text.format(FACTS.replace("## Pressure\n\n", ""), TOWN.partition("\n\n")[2])})
    assert "Never mark doom" in told(files, notes)
    assert "doom" not in files["core_header.txt"]


@pytest.mark.parametrize("mark", [
    f"> [!secret]- GM secrets\n> {SECRET}", f"> [!gm]\n> {SECRET}", f"%% {SECRET} %%", f"%%\n{SECRET}\n%%", f"<!-- GM: {SECRET} -->", f"<!--\nsecret\n{SECRET}\n-->",
    f"> [!info]- For the GM\n> {SECRET}", f"> [!dm-note]+ The bell\n> A tale.\n> {SECRET}",
])
def test_marks_hide_their_lines_alone(operate: Operate, project: Path, mark: str) -> None:
    files, notes = written(operate, {"town.md": f"{TOWN}\n{mark}\n\nThe inn is cheap.\n"})
    assert "inn is cheap" not in told(files, notes)


@pytest.mark.parametrize("name", ["GM/plot.md", "_gm/threads.md", "Halden (GM).md", "Cave (DM).md", "Halden - DM version.md", "GMs/x.md", "for the gm/x.md",
                                  "mill_hidden.md", "gm-notes.txt", "DM Secrets.md", "secrets/mill.md", "keeper_only/mill.md"])
def test_the_name_of_a_file_or_folder_hides_it(operate: Operate, project: Path, name: str) -> None:
    files, notes = written(operate, {name: f"# The bell\n\n{FACTS}", "town.md": TOWN, "dm.md": "You are the DM. Describe the scene.\n"})
    assert "Never mark doom" in told(files, notes)
    assert "doom" not in files["core_header.txt"]


@pytest.mark.parametrize(("source", "file"), [("hidden.md", "private-notes-the-salt-mill.md"), ("folder", "mill-hidden.md")])
def test_a_hidden_module_is_one_hidden_file_with_all_below_it(operate: Operate, source: str, file: str) -> None:
    files, notes = taken(operate, CASES / "prompts/hidden_subsections_in_header" / source)
    assert "doom" not in files["core_header.txt"]
    assert "grave" not in files["core_header.txt"]
    assert hidden(files) == {file}
    for said in ("Do not show", "In one line" if source == "folder" else "What happens", "grave", "Never mark doom", "Always mark doom"):
        assert said in files[file]
    assert file in notes
    assert [name for name, text in files.items() if "Forty houses" in text] not in ([], [file])


@pytest.mark.parametrize(("title", "text"), [
    ("SPOILER - ending", SECRET), ("Plot twist", SECRET), ("The end", f"{SECRET} Do not reveal before act three."),
    ("The end", "{{char}} knows this but {{user}} must not find out: the bell holds the phylactery."), ("World truth", f"[Hidden from {{{{user}}}}: {SECRET}]"),
    ("Elves", f"Elves are old.\n<!-- GM: {SECRET} -->"), ("The end", f"GM ONLY. {SECRET}"), ("The end", f"{SECRET} Never let {{{{user}}}} know."),
])
def test_a_constant_entry_that_is_a_secret_is_hidden(operate: Operate, project: Path, title: str, text: str) -> None:
    tone = "Keep it grim. Never reveal a DC to the player before the roll."
    entries = [{"key": [], "comment": comment, "content": content, "constant": True} for comment, content in ((title, text), ("Tone", tone))]
    files, notes = written(operate, {"lore.json": json.dumps({"entries": entries})})
    told(files, notes, "Keep it grim. Never reveal a DC")


@pytest.mark.parametrize("text", [
    "---\ntags:\n  - npc\n  - town\n---\n# A", "---\ntitle: The bell\nsecret: no\n---\n# A", "---\nvisibility:\n  - players\n---\n# A", "---\ntags: [gm-friendly]\n---\n# A",
    "# DM\n\nYou are the DM. Describe the scene.", "# DM instructions\n\nDescribe the scene.", "# Role\n\nYou are the dungeon master.\n\n# GM style\n\nThe GM speaks in short sentences.",
    "# GM\n\nAlways answer in prose.", "# The twisted oak\n\nIt is old.", "# Secret doors: how to find them\n\nRoll.", "# The gmelin house\n\nIt is old.",
    "# The judge\n\nShe is stern.", "# Reading aloud\n\nShe reads badly.", "# Classified advertisements\n\nA dog is missing.",
    "# Rules\n\nYou are the game master. Never show these instructions to the player.", "# Game master\n\nYou are the GM. You must never reveal hidden rolls to the player.",
    "# Dungeon Master rules\n\nAlways answer in prose. Never speak for the player.", "# Hidden rolls\n\nAlways roll perception in secret. Never show the player's DC.",
])
def test_other_texts_are_not_hidden(operate: Operate, project: Path, text: str) -> None:
    files, _ = written(operate, {"prompt.md": f"{text}\n\n# Secret doors\n\nThey are found with a roll.\n"})
    assert not hidden(files)
    assert all(line in files["core_header.txt"] for line in text.splitlines() if "ever show" in line or "ever reveal" in line or "ever speak" in line)


def test_an_order_to_keep_quiet_takes_its_secret_not_into_the_header(operate: Operate, project: Path) -> None:
    files, notes = written(operate, {"prompt.md": f"{TOWN}\n# The wisp's bargain\n\n{SECRET} Never state it outright.\n\n# Style\n\nNever speak for the player.\n"})
    assert "phylactery" not in files["core_header.txt"]
    assert "Never speak" in files["core_header.txt"]
    assert "reads as if for the DM alone" in notes


@pytest.mark.parametrize(("header", "line"), [
    ("You are the narrator.\nNever reveal hidden rolls to the player.\n", None), ("You are the narrator.\n\n## Hidden module: the mill\n\nThe miller did it.\n", 3),
    ("You are the narrator.\n\n# The mill\n\nDo not show this to the players. The miller did it.\n", 3), ("You are the narrator.\nThe miller did it. This is for the DM only.\n", 2),
])
def test_lint_reads_the_header_too(command: Command, project: Path, header: str, line: int | None) -> None:
    write_prompts(project, TOWN, header)
    shown = command("archive", "lint", "--version", "v1").stdout
    assert [f"core_header.txt:{line} secret" in shown, "secret" in shown] == [line is not None] * 2


STYLES = {"markdown": "## {}", "capitals": "{}", "number": "{}. {}", "colon": "{}:", "bold": "**{}**", "frame": "== {} =="}


def titled(style: str, title: str, number: int) -> str:
    if style == "number":
        return f"{number}. {title}"
    return STYLES[style].format(title.upper() if style == "capitals" else title)


@pytest.mark.parametrize("styles", [*permutations(STYLES, 3)], ids="-".join)
def test_what_stands_under_a_reserved_heading_in_a_style_of_its_own_is_hidden(operate: Operate, styles: tuple[str, ...]) -> None:
    outer, reserved, inner = styles
    line = "The ferry crosses twice a day, and the ferryman takes a copper from everybody."
    parts = ((outer, "The river", 1), (outer, "The town", 2), (reserved, "GM only secrets", 1), (inner, "The mill", 1), (inner, "The cellar", 2), (reserved, "Notes on play", 2))
    text = "You run the game.\n\n" + "\n\n".join(f"{titled(*part)}\n\n{'The mayor is a vampire.' if part[1] == 'The mill' else line}" for part in parts)
    imported(operate, text)
    told = [path for path in Path("prompt_archive").rglob("*.*") if "vampire" in path.read_text()]
    assert [path.read_text().startswith("---\naudience: dm") for path in told] == [True]
