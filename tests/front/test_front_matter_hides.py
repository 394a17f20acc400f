"""Front matter that keeps a text from players, in the words that people use: hidden, or refused with the reason."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from mvp_site.errors import MvpSiteError
from mvp_site.operations.library import ListSources
from mvp_site.operations.sessions import FileText, ImportFiles, ListDocuments

from .conftest import Command, Operate, write

HIDES = (
    "secret: true", "Secret: Yes", "secret: 'true'", "secret: 1", "is_secret: true", "isSecret: true", "secrets: on",
    "hidden: true", "is-hidden: yes", "hiddenFromPlayers: true", "hide_from_players: true", "private: true", "spoiler: yes",
    "confidential: true", "dm: true", "gm: yes", "DM-only: true", "dmOnly: true", "GMONLY: true", "for_gm: true", "gm_eyes_only: true",
    "game master only: true", "dm_notes: true", "keeper: true", "players: false", "players: none", "players: hidden", "for_players: no",
    "player-facing: false", "players_can_see: false", "visible_to_players: false", "not_for_players: true", "public: false",
    "published: false", "publish: no", "do_not_publish: true", "visible: false", "revealed: false", "shared: false",
    "visibility: gm", "visibility: DM only", "visibility: hidden", "visibility: [gm, keeper]", "visibility: not for players",
    "visibility: none", "visible_to: dungeon master", "access: gm", "viewers: [dm]", "privacy: private", "for: gm",
    "classification: secret", "permissions: {players: false}", "visibility: {player: none}", "metadata: {secret: true}",
    "tags: [dm, secret]", "tags: secret", "tags: '#lore #dm-only'", "tags:\n  - session\n  - secret", "tags: [lore/secret]",
    "tag: spoilers", "keywords: not-for-players", "category: GM notes", "type: secret", "status: hidden", "labels: [private]",
    "cssclasses: [gm-only]", "tags: [Keeper only]",
    "geheim: ja", "nur_sl: true", "spieler: nein", "sichtbarkeit: spielleitung", "secreto: sí", "jugadores: no", "secret: oui", "joueurs: non",
    "segreto: true",
    "dg-publish: false", "unpublished: true", "nopublish: yes", "do-not-share: on", "don't publish: true", "publish: never", "share: no", "sharing: off",
    "players: []", "visible_to: []", "players:\n  - none", "players: [[no]]", "known_to: gm", "known_by: [gm]", "seen by: DM only", "scope: gm", "intended_for: spielleiter",
    "playerfacing: no", "playerVisible: 0", "hiddenfromplayers: true", "nonpublic: true", "dmeyesonly: yes", "secret: {value: true}", "secret: [yes]", "visibility: {value: gm}",
    "secret: [{value: true}]", "tags: [{name: secret}]", "status: unrevealed", "unrevealed: true", "discovered: false", "known: false", "für: Spielleitung", "geheim: wahr", "secreto: verdadero",
)
UNCLEAR = (
    "secret: of the old mine", "hidden: [north, south]", "visibility: staff", "visible_to: Ana", "tags: [dm]", "tags: dungeon-master, rpg", "type: gm",
    "role: gm", "kategorie: Spielleiter", "audience: player\nsecret: true", "secret: true\naudience: player", "audience: gm", "audiance: dm",
)
"""These may have been meant to hide the text, or say two things."""
SHOWS = (
    "secret: false", "secret: no", "secret:", "dm: Carla", "gm: [Sam, Kim]", "players: [Ana, Ben]", "players: 4", "players: true",
    "party: The Lanterns", "party_level: 3", "secret_door: true", "private_collection: yes", "hidden_valley: visited", "public: true",
    "visibility: public", "visibility: players", "visible_to: [players, gm]", "visible_to: everyone", "not_secret: true", "access: by boat",
    "tags: [session, secret-door, hidden-valley]", "tags: [public]", "type: secret society", "type: npc", "status: draft",
    "permission: granted", "for: Ana's birthday", "classification: undead", "tags: [players]", "dm_screen: true", "npcs: [{name: Ana, secret: true}]",
    "audience: player\nvisibility: staff", "audience: player\ntags: [dm]", "secrets: [the mine]", "cache: true", "share: true",
    "players: [Ana]", "players: {count: 0}", "known_to: [players, gm]", "known_to: the Lanterns", "status: unknown", "status: unreleased album", "discovered: 1203", "role: rogue", "scope: the city",
    "notable: true", "gmpc: true", "secret: {value: false}", "secret: []", "players:", "blog-publish: true", "author_note: by Sam", "dungeon_level: 0",
)
TEXT = "# Session 3: The Mill\n\nZuzana Mraz drowned the miller under the wheel.\n"


def noted(shared: Operate, campaign: str, text: str) -> str:
    """Who sees a note: ``player`` or ``dm``, or that it was ``refused``."""
    try:
        made = shared("sessions.import", ImportFiles(campaign, (FileText("session-3.md", text),)))
    except MvpSiteError as error:
        return "refused" if "session-3.md" in str(error) else str(error)
    if not made.documents:
        return "refused"
    return "player" if shared("sessions.list", ListDocuments(campaign), False).documents else "dm"


def written(folder: Path, texts: Sequence[str]) -> dict[str, int]:
    """Writes each text as a file of ``folder``; the number of each file's text."""
    write(folder, {f"mill-{number}.md": text.replace("Zuzana", f"Zuzana {number}") for number, text in enumerate(texts)})
    return {f"mill-{number}.md": number for number in range(len(texts))}


def shelved(operate: Operate, project: Path, command: Command, texts: Sequence[str]) -> list[str]:
    """The same of books, which are scanned together."""
    files = written(project / "books", texts)
    assert command("library", "scan", "books").exit_code in {0, 1}
    seen = ["?"] * len(texts)
    for who in ("dm", "player"):  # players see some of what the game master sees
        for source in operate("library.list", ListSources(), who == "dm").sources:
            assert not (source.problem and who == "player")
            seen[files[source.file]] = "refused" if source.problem else who
    return seen


def archived(project: Path, command: Command, texts: Sequence[str]) -> list[str]:
    """The same of files of the prompt archive."""
    folder = project / "prompt_archive"
    files = written(folder / "one", texts)
    (folder / "core_header.txt").write_text("You run the game and stay in character at all times.\n")
    done = command("archive", "lint", "--json")
    if done.exit_code:
        return ["refused" if f"{file}" in done.output else "?" for file in files]
    audiences = {chunk["id"].partition("#")[0]: chunk["audience"] for chunk in json.loads(done.stdout)["chunks"]}
    return [str(audiences[Path(file).stem]) for file in files]


def with_head(head: str) -> str:
    return f"---\n{head}\n---\n{TEXT}"


OUTCOMES = {"dm": HIDES, "refused": UNCLEAR, "player": SHOWS}
ROWS = [(head, outcome) for outcome, heads in OUTCOMES.items() for head in heads]
NOT_READ = (
    f"\n---\ntitle: x\nsecret: true\n---\n{TEXT}", f"+++\nsecret = true\n+++\n{TEXT}", f"---\ntitle: The King: dead\nsecret: true\n---\n{TEXT}",
    f"---\ntitle: x\nvisibility: gm\n\n{TEXT}", f"secret: true\n\n{TEXT}", f"tags:: dm, secret\n\n{TEXT}", f"<!-- dm-only: true -->\n\n{TEXT}", f"> **players**: no\n\n{TEXT}",
)
"""Front matter that is not read as such, and says that the text is hidden."""


@pytest.mark.parametrize(("head", "outcome"), ROWS)
def test_front_matter_of_notes_hides_shows_or_is_refused(shared: Operate, campaign: str, head: str, outcome: str) -> None:
    assert noted(shared, campaign, with_head(head)) == outcome


@pytest.mark.parametrize("text", NOT_READ)
def test_front_matter_of_notes_that_was_not_read_is_refused(shared: Operate, campaign: str, text: str) -> None:
    assert noted(shared, campaign, text) == "refused"


def test_front_matter_of_books_does_the_same(operate: Operate, project: Path, command: Command) -> None:
    rows = [*((with_head(head), outcome) for head, outcome in ROWS), *((text, "refused") for text in NOT_READ)]
    seen = shelved(operate, project, command, [text for text, _ in rows])
    assert [(text, who) for (text, outcome), who in zip(rows, seen, strict=True) if who != outcome] == []


def test_front_matter_of_the_archive_does_the_same(project: Path, command: Command) -> None:
    rows = [(head, outcome) for head, outcome in ROWS if outcome != "refused"]
    seen = archived(project, command, [with_head(head) for head, _ in rows])
    assert [(head, who) for (head, outcome), who in zip(rows, seen, strict=True) if who != outcome] == []


@pytest.mark.parametrize("text", [*map(with_head, UNCLEAR[::5]), *NOT_READ])
def test_front_matter_of_the_archive_that_is_unclear_is_refused(project: Path, command: Command, text: str) -> None:
    assert archived(project, command, [text]) == ["refused"]


@pytest.mark.parametrize("head", ["secret: true\ntitle: x", "title: a: b\nvisibility: gm"])
def test_import_keeps_a_hidden_text_hidden(project: Path, command: Command, head: str) -> None:
    write(project / "vault", {"mill.md": f"---\n{head}\n---\n{TEXT}", "inn.md": "# The inn\n\nThe inn has a red door.\n"})
    assert command("archive", "import", "vault", "--version", "one", "--yes").exit_code == 0
    chunks = json.loads(command("archive", "lint", "--version", "one", "--json").stdout)["chunks"]
    assert {chunk["id"].split("#")[0]: chunk["audience"] for chunk in chunks} == {"inn": "player", "mill": "dm"}


def test_an_entity_that_hides_itself_or_has_a_key_of_the_game_master_is_refused_alone(project: Path, command: Command) -> None:
    shown = (
        "notes: It is loud.", "gm_notes:", "gm: Sam", "dm_notes: ''", "author_note: by Sam", "tags: [light]", "parts: [{name: secret door, hidden: false}]",
        "secrets: []", "information: {level: 1}",
    )
    hidden = (
        "secret: true", "# visibility: gm", "players: false", "gm_notes: She is a lich.", "dm_secret: She is a lich.", "GM secrets: [lich]", "keeperNotes: {text: lich}",
        "secrets: She is a lich.", "spielleiter-info: Sie ist ein Lich.", "known_to: gm", "players: []", "dg-publish: false", "system: {secret: true}",
        "parts: [{name: x, more: {visible_to: [dm]}}]", "tags: [{name: secret}]", "secret: of the mine", "extra: {dm notes: lich}",
    )
    write(project / "data/own_entities/spells", {
        f"a{number}.yaml": f"{line}\nname: Zuz {number}\nlevel: 1\nschool: evocation\ndesc: It glows.\n" for number, line in enumerate((*shown, *hidden))})
    done = command("entities", "build")
    assert done.exit_code == 1
    refused = [line for line in done.stderr.splitlines() if "everybody may see every entity" in line]
    assert [number for number in range(len(shown) + len(hidden)) if any(f"a{number}.yaml" in line for line in refused)] == [
        *range(len(shown), len(shown) + len(hidden))]
