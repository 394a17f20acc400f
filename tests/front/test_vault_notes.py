"""Vaults as session notes: diaries by date, pages by name, names as links show them, secrets of all marks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mvp_site.text.dm_marks import marked_lines
from mvp_site.text.homebrewery import plain_markdown
from mvp_site.text.obsidian import readable_lines, unlinked

from .conftest import CASES, Notes

DIARY = CASES / "books/date_titled_notes"
LINKS = (CASES / "books/wikilink_paths/Session 2.md").read_text("utf-8")
HANNA = "---\naliases: [The Smith of Duskford, Red Hanna]\ntags: [npc]\n---\nShe forges crowns.\n\n> [!gm] Truth\n> She serves zanzibar.\n"


def said(found: Any) -> str:
    return "\n".join(one.text for one in found.evidence)


def test_a_diary_is_taken_by_its_dates(notes: Notes) -> None:
    notes.keep(*((path.name, path.read_text("utf-8")) for path in sorted(DIARY.glob("*.md"))))
    assert [(one.id, one.number) for one in notes.listed()] == [("session-2031-05-04", None), ("session-2031-05-11", None)]
    assert "sank off Kettle Rock" in notes.ask("What happened last session?").evidence[0].text
    assert "boat in Gullhaven" in "\n".join(one.text for one in notes.ask("What did we do on 4 May 2031?").evidence[:2])


@pytest.mark.parametrize(("file", "text", "id_"), [
    ("2031-05-04 The boat.md", "We met.", "session-2031-05-04-the-boat"), ("May 4th, 2031.md", "We met.", "session-2031-05-04"),
    ("a.md", "# 4. Mai 2031\nWe met.", "session-2031-05-04-a"), ("Session 04.05.2031.md", "We met.", "session-2031-05-04"),
    ("4 de mayo de 2031.txt", "We met.", "session-2031-05-04"), ("Journal/x.md", "---\ndate: 2031-05-04\n---\nWe met.", "session-2031-05-04-x"),
    ("14 Marpenoth 1492.md", "We met.", "page-14-marpenoth-1492"), ("NPCs/Captain 7.md", "---\ndate: 2031-05-04\n---\nHe met.", "page-npcs-captain-7"),
    ("GM/2031-05-04.md", "We met.", "session-2031-05-04-dm"), ("People/Hanna (GM).md", "We met.", "page-people-hanna-gm-dm"),
])
def test_what_says_neither_number_nor_date_is_a_page(notes: Notes, file: str, text: str, id_: str) -> None:
    notes.keep((file, text))
    assert [one.id for one in notes.listed()] == [id_]


def test_names_are_what_links_show_and_folders_say_what_they_are(notes: Notes, shared_services: Any) -> None:
    notes.keep(("Session 2.md", LINKS), ("People/NPCs/Duskford/Guild/Hanna Vell.md", HANNA), ("Places/North/index.md", "Cold. See [[Recording 2031-05-04.m4a]] and [[2031-05-04]]."))
    known = {one.name: one for one in shared_services.session_notes().known(notes.campaign, "player")}
    assert {name: one.type for name, one in known.items()} == {
        "Hanna Vell": "non_player_character", "Tin Crown": "item", "Duskford": "location", "Old Mill": "location", "Corin Ash": "player_character",
        "North": "location", "Lantern Club": "organization"}
    assert {"Smith of Duskford", "Red Hanna"} <= {*known["Hanna Vell"].aliases}
    assert not any(set(one.aliases) & {"I", "My"} for one in known.values())
    answer = notes.ask("What did Red Hanna sell us?")
    assert "Hanna Vell sold us the Tin Crown in Duskford" in said(answer)
    assert "[[" not in said(answer)
    assert "forges crowns" in said(notes.ask("Who is Hanna Vell?"))
    assert "zanzibar" not in str(notes.ask("Who does Hanna Vell serve?"))
    assert "zanzibar" in said(notes.ask("Who does Hanna Vell serve?", "dm"))


@pytest.mark.parametrize("secret", [
    "%% zanzibar %%", "Text %%zanzibar%% goes on %%zanzibar%%.", "%%\nzanzibar\n\nzanzibar\n%%", "<!-- DM: zanzibar -->", "> [!secret]\n> zanzibar\n> - zanzibar",
    "> [!gm]- Twist\n> zanzibar", "> [!info] Für die Spielleitung\n> zanzibar", "> [!mj]\n> zanzibar", "> [!warning]- DM only\n>\n> zanzibar", "```ad-secret\ntitle: x\nzanzibar\n```",
    "```ad-note\ntitle: GM notes\nzanzibar\n```", "<details><summary>Spoilers</summary>\n\nzanzibar\n\n- zanzibar\n\n</details>", "<details>\n<summary>Notes du MJ</summary>\nzanzibar\n</details>",
    "> [!info] Inn\n> > [!gm] x\n> > zanzibar", "He smiles.%%\nzanzibar\n%%", "He smiles (%%zanzibar%%).", "> [!info] Inn\n> %%zanzibar%%", "%% zanzibar\n%% zanzibar",
    "<details><summary>GM notes</summary>\n<details><summary>x</summary>\ny\n</details>\nzanzibar\n</details>", "<details><summary>Inn</summary>\n%%zanzibar%%\n</details>",
    "## Geheimnisse\nzanzibar", "## Notes du MJ\nzanzibar", "## Ce que les joueurs ignorent\n- zanzibar", "## Notas del máster\nzanzibar", "## Solo para el DM\nzanzibar",
    "## Note del master\nzanzibar", "## Segreti\nzanzibar", "## Notas do mestre\nzanzibar", "## Segredos\nzanzibar", "## Nur für die Spielleitung\nzanzibar\n### Mehr\nzanzibar",
])
def test_marks_hide_what_they_mark_alone(notes: Notes, secret: str) -> None:
    notes.keep(("Session 3.md", f"# Session 3\n\nWe met the miller.\n\n{secret}\n\n## Loot\nA silver key.\n"))
    query = "What happened in session 3 with the miller, the key and zanzibar?"
    shown = said(notes.ask(query))
    assert ["zanzibar" in shown, "met the miller" in shown, "silver key" in shown] == [False, True, True]
    assert "zanzibar" in said(notes.ask(query, "dm"))


def test_what_only_the_program_reads_is_not_told(notes: Notes) -> None:
    notes.keep(("Session 3.md", "# Session 3\n\nWe met the [[Miller]]. ![[map.png]] ^a1b2\n\nmood:: sour\n\n```dataview\nLIST FROM #npc\n```\n\n> [!quote] The miller\n> Bread!\n"))
    shown = said(notes.ask("What happened in session 3? miller mood bread"))
    assert [part for part in ("We met the Miller.", "mood: sour", "> The miller\n> Bread!") if part not in shown] == []
    assert [part for part in ("LIST FROM", "map.png", "a1b2", "[!") if part in shown] == []


def test_a_secret_folder_tells_no_names(notes: Notes, shared_services: Any) -> None:
    notes.keep(("Session 3.md", "# Session 3\n\nWe met [[GM Secrets/Zanzibar the traitor|Hanna Vell]]."))
    assert "Zanzibar" not in str(shared_services.session_notes().known(notes.campaign, "player"))


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "utf-8-sig"])
def test_other_encodings_are_read(notes: Notes, encoding: str, tmp_path: Path) -> None:
    from base64 import b64encode

    from mvp_site.operations.sessions import FileText, ImportFiles

    content = b64encode("# Session 7\n\nWe met in the Café Öl.".encode(encoding)).decode()
    kept = notes.operate("sessions.import", ImportFiles(notes.campaign, (FileText("a.md", base64=content),)))
    assert bool(kept.documents[0].warnings) == (encoding == "cp1252")
    assert "Café Öl" in said(notes.ask("Where did we meet in session 7?"))


@pytest.mark.parametrize("text", ["*" * 40_000 + "::", "<details>" * 4_000, "[[" * 40_000, " %%" * 30_000, "(a::" * 40_000, "{{a," * 40_000])
def test_marks_that_are_never_closed_are_text(text: str) -> None:
    assert readable_lines(unlinked(text)) == text
    assert marked_lines(text) == {}
    assert plain_markdown([text])[0].count(text[1:9]) == text.count(text[1:9])
