"""Front matter that keeps a text from players, in the words that people use: hidden, or refused with the reason."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from inspect import signature
from pathlib import Path

import pytest

from mvp_site.errors import MvpSiteError
from mvp_site.operations.library_types import ListSources
from mvp_site.operations.sessions import FileText, ImportFiles, ListDocuments

from .conftest import Command, Operate

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


def shelved(operate: Operate, project: Path, command: Command, text: str) -> str:
    """The same of a book."""
    (project / "books").mkdir()
    (project / "books/mill.md").write_text(text, encoding="utf-8")
    assert command("library", "scan", "books").exit_code in {0, 1}
    lists = {who: operate("library.list", ListSources(), who == "dm").sources for who in ("player", "dm")}
    if lists["dm"][0].problem:
        assert not lists["player"]
        return "refused"
    return next(who for who, sources in lists.items() if sources)


def archived(project: Path, command: Command, text: str) -> str:
    """The same of a file of the prompt archive."""
    folder = project / "prompt_archive"
    (folder / "one").mkdir(parents=True)
    (folder / "core_header.txt").write_text("You run the game and stay in character at all times.\n")
    (folder / "one/mill.md").write_text(text, encoding="utf-8")
    done = command("archive", "lint", "--json")
    if done.exit_code:
        assert "mill.md" in done.output
        return "refused"
    (who,) = {chunk["audience"] for chunk in json.loads(done.stdout)["chunks"]}
    return str(who)


READERS: dict[str, Callable[..., str]] = {"note": noted, "book": shelved, "archive": archived}


@pytest.fixture
def seen_by(request: pytest.FixtureRequest, what: str) -> Callable[[str], str]:
    """Gives a text to the reader of ``what``, and tells who sees it, or that it was refused."""
    parts = [name for name in signature(READERS[what]).parameters if name != "text"]
    return partial(READERS[what], *map(request.getfixturevalue, parts))


def rows(heads: Sequence[str]) -> Iterator[tuple[str, str]]:
    """All heads in notes, which are read fastest, and every fifth elsewhere: there is one table."""
    for number, head in enumerate(heads):
        yield head, "note"
        if not number % 5:
            yield from ((head, "book"), (head, "archive"))


@pytest.mark.parametrize(("head", "what"), [*rows(HIDES)])
def test_what_plainly_hides_a_text_hides_it(seen_by: Callable[[str], str], what: str, head: str) -> None:
    assert seen_by(f"---\n{head}\n---\n{TEXT}") == "dm"


@pytest.mark.parametrize(("head", "what"), [*rows(UNCLEAR)])
def test_what_may_have_been_meant_to_hide_it_is_refused(seen_by: Callable[[str], str], what: str, head: str) -> None:
    assert seen_by(f"---\n{head}\n---\n{TEXT}") == "refused"


@pytest.mark.parametrize(("head", "what"), [*rows(SHOWS)])
def test_what_merely_has_such_a_word_hides_nothing(seen_by: Callable[[str], str], what: str, head: str) -> None:
    assert seen_by(f"---\n{head}\n---\n{TEXT}") == "player"


@pytest.mark.parametrize("what", READERS)
@pytest.mark.parametrize("text", [
    f"\n---\ntitle: x\nsecret: true\n---\n{TEXT}", f"+++\nsecret = true\n+++\n{TEXT}", f"---\ntitle: The King: dead\nsecret: true\n---\n{TEXT}",
    f"---\ntitle: x\nvisibility: gm\n\n{TEXT}", f"secret: true\n\n{TEXT}", f"tags:: dm, secret\n\n{TEXT}", f"<!-- dm-only: true -->\n\n{TEXT}", f"> **players**: no\n\n{TEXT}",
])
def test_front_matter_that_was_not_read_is_refused(seen_by: Callable[[str], str], what: str, text: str) -> None:
    assert seen_by(text) == "refused"


@pytest.mark.parametrize("head", ["secret: true\ntitle: x", "title: a: b\nvisibility: gm"])
def test_import_keeps_a_hidden_text_hidden(project: Path, command: Command, head: str) -> None:
    (project / "vault").mkdir()
    (project / "vault/mill.md").write_text(f"---\n{head}\n---\n{TEXT}")
    (project / "vault/inn.md").write_text("# The inn\n\nThe inn has a red door.\n")
    assert command("archive", "import", "vault", "--version", "one", "--yes").exit_code == 0
    chunks = json.loads(command("archive", "lint", "--version", "one", "--json").stdout)["chunks"]
    assert {chunk["id"].split("#")[0]: chunk["audience"] for chunk in chunks} == {"inn": "player", "mill": "dm"}


@pytest.mark.parametrize("text", ["secret: true\nname: A\nlevel: 1\n", "# visibility: gm\nname: A\nlevel: 1\n", "name: A\nlevel: 1\nplayers: false\n"])
def test_an_entity_that_hides_itself_is_refused(project: Path, command: Command, text: str) -> None:
    folder = project / "data/own_entities/spells"
    folder.mkdir(parents=True)
    (folder / "a.yaml").write_text(text)
    done = command("entities", "build")
    assert "everybody may see every entity" in done.stderr


@pytest.mark.parametrize("line", [
    "gm_notes: She is a lich.", "dm_secret: She is a lich.", "GM secrets: [lich]", "keeperNotes: {text: lich}", "secrets: She is a lich.", "spielleiter-info: Sie ist ein Lich.", "known_to: gm",
    "players: []", "dg-publish: false", "system: {secret: true}", "parts: [{name: x, more: {visible_to: [dm]}}]", "tags: [{name: secret}]", "secret: of the mine", "extra: {dm notes: lich}",
])
def test_an_entity_with_a_key_of_the_game_master_is_refused(project: Path, command: Command, line: str) -> None:
    folder = project / "data/own_entities/spells"
    folder.mkdir(parents=True)
    (folder / "a.yaml").write_text(f"name: Zuz\nlevel: 1\nschool: evocation\ndesc: It glows.\n{line}\n")
    done = command("entities", "build")
    assert "everybody may see every entity" in done.stderr


@pytest.mark.parametrize("line", [
    "notes: It is loud.", "gm_notes:", "gm: Sam", "dm_notes: ''", "author_note: by Sam", "tags: [light]", "parts: [{name: secret door, hidden: false}]", "secrets: []", "information: {level: 1}",
])
def test_an_entity_with_other_keys_is_not(project: Path, command: Command, line: str) -> None:
    folder = project / "data/own_entities/spells"
    folder.mkdir(parents=True)
    (folder / "a.yaml").write_text(f"name: Zuz\nlevel: 1\nschool: evocation\ndesc: It glows.\n{line}\n")
    assert command("entities", "build").exit_code == 0
