"""What the library tells players: nothing of the game master's books, and no problem of any file."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest
from flask.testing import FlaskClient
from mcp import Client

from mvp_site import Settings
from mvp_site.errors import MvpSiteError
from mvp_site.mcp_server.server import Parts, make_server
from mvp_site.operations.entities import EntitySearch
from mvp_site.operations.library import AskBooks, ExtractContent, ListSources
from mvp_site.operations.services import Services
from mvp_site.web.app import create_app
from tests.cli.invoking import invoke

from .conftest import Command, Operate, write

TOKEN = "a-token-of-the-game-master"
DRAGON = "# The Toll\n\n## Crossing the river\n\nThe ferry takes travellers over the river for two coppers.\n"
HIDDEN = "# The Ferryman\n\n## Zuzana Mraz\n\nZuzana Mraz drowned the old king in the river.\n"
BROKEN = "---\ntitle: Regicide\naudience: only-zuzana\n---\n# Regicide\n\nZuzana Mraz drowned the king.\n"


def call(services: Services, tool: str, arguments: Mapping[str, Any], *, entitled: bool) -> Any:
    """What a client of MCP gets of a tool."""
    async def asked() -> Any:
        with anyio.fail_after(60):
            async with Client(make_server(Parts(lambda: services), lambda _: entitled)) as client:
                return await client.call_tool(tool, dict(arguments))

    return anyio.run(asked)


def files(operate: Operate, entitled: bool) -> dict[str, str]:
    return {one.file: one.problem for one in operate("library.list", ListSources(), entitled).sources}


def scanned(project: Path, **more: bytes) -> Path:
    """Players' books and the game master's, of which some are the same, and one or more cannot be read."""
    write(project / "books", {"handbook.md": DRAGON, "regicide.md": BROKEN, "again/handbook copy.md": DRAGON, **more})
    write(project / "secret", {"aa-the-king-is-dead.md": DRAGON, "ferryman.md": HIDDEN, "the ferryman again.md": HIDDEN})
    assert invoke("library", "scan", "secret", "--audience", "dm").exit_code == 0
    assert invoke("library", "scan", "books").exit_code == 1
    return project


@pytest.fixture
def shelves(project: Path) -> Path:
    """The books, to be changed by a test; none of them needs a process of its own to be read."""
    return scanned(project)


@pytest.fixture(scope="module")
def library(shared_project: Path, shared: Operate) -> Operate:
    """Runs an operation over the books, which no test changes."""
    scanned(shared_project, **{"torn.pdf": b"%PDF-1.7\nnothing"})
    return shared


def test_players_keep_a_book_of_which_the_game_master_has_a_copy(library: Operate) -> None:
    assert files(library, False) == {"again/handbook copy.md": "", "torn.pdf": ""}
    answer = library("library.ask", AskBooks("the ferry over the river"), False)
    assert {one.title for one in answer.results if one.source_id} == {"Crossing the river"}


def test_the_game_master_is_answered_once_by_a_book_that_both_have(library: Operate) -> None:
    answer = library("library.ask", AskBooks("the ferry over the river", audience="dm"))
    assert [one.source_id for one in answer.results if one.title == "Crossing the river"] == ["handbook-copy"]
    answer = library("library.ask", AskBooks("who drowned the old king in the river", audience="dm"))
    assert [one.title for one in answer.results].count("Zuzana Mraz") == 1


def test_the_game_master_sees_every_file_and_why_it_is_not_read(library: Operate) -> None:
    found = files(library, True)
    assert found["aa-the-king-is-dead.md"] == ""
    assert "is the same as again/handbook copy.md" in found["handbook.md"]
    assert "only-zuzana" in found["regicide.md"]
    assert "not a PDF" in found["torn.pdf"]


WORDS = ("king", "zuzana", "only-zuzana", "not a pdf", "regicide", "ferryman", "the same as")
"""What only the game master's files and problems say."""


PATHS = (
    "/library", "/library?q=the+ferry", "/api/library", "/api/library?source_id=torn", "/library/regicide", "/library/torn",
    "/library/aa-the-king-is-dead", "/library/torn/entries/0", "/library/torn/pages/1", "/library/torn/pages/1.png", "/library/regicid", "/library/handbook", "/library/handbook/entries/0",
)


def test_no_page_tells_players_of_them(library: Operate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MVP_SITE_DM_TOKEN", TOKEN)
    client: FlaskClient = create_app(Settings()).test_client()
    for path in PATHS:
        text = client.get(path).text.lower().replace(path.rpartition("/")[2], "")  # an address that was asked for may come back
        assert not [(path, word) for word in WORDS if word in text]


CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("list_sources", {}), ("list_sources", {"source_id": "regicide"}), ("list_sources", {"source_id": "torn"}),
    ("ask_books", {"query": "the ferry over the river"}), ("ask_books", {"query": "the ferry", "sources": ["ferryma"]}),
)


def test_no_tool_tells_players_of_them(library: Operate, shared_services: Services) -> None:
    for tool, arguments in CALLS:
        text = json.dumps(call(shared_services, tool, arguments, entitled=False).model_dump(mode="json")).lower()
        for argument in arguments.values():
            text = text.replace(argument if isinstance(argument, str) else argument[0], "")
        assert not [(tool, word) for word in WORDS if word in text]


def test_a_question_is_not_mended_by_words_of_hidden_books(library: Operate) -> None:
    asked = AskBooks("what of Zuzanna Mrazz")
    assert "zuzana" not in str(library("library.ask", asked, False)).lower()
    assert "Zuzana Mraz" in {one.title for one in library("library.ask", AskBooks(asked.query, audience="dm")).results}


def test_a_moved_file_takes_no_name_along_to_other_readers(shelves: Path, command: Command, operate: Operate) -> None:
    (shelves / "secret/ferryman.md").rename(shelves / "books/tales.md")
    command("library", "scan")
    sources = {one.file: one.source_id for one in operate("library.list", ListSources(), False).sources}
    assert sources["tales.md"] == "tales"


# --- entities made of the game master's books --------------------------------------------------------------------


def extract(**more: Any) -> ExtractContent:
    return ExtractContent("ferryman", "Zuzana Mraz", **more)


def test_what_is_extracted_of_a_hidden_book_is_for_players_only_where_that_is_said(shelves: Path, operate: Operate) -> None:
    with pytest.raises(MvpSiteError, match="for_players"):
        operate("library.extract", extract())
    assert not list((shelves / "data/library").glob("extracted/*/*"))
    made = operate("library.extract", extract(for_players=True))
    assert (made.title, made.state) == ("Zuzana Mraz", "new")
    found = operate("entities.search", EntitySearch(entity_type=made.entity_type, query="Zuzana Mraz"), False)
    assert "Zuzana Mraz" in {one["name"] for one in found.results}


def test_a_players_book_needs_no_such_word(shelves: Path, operate: Operate) -> None:
    assert operate("library.extract", ExtractContent("handbook-copy", "Crossing the river")).state == "new"


@pytest.mark.parametrize(("for_players", "way"), [(False, "audience"), (False, "front matter"), (False, "moved"), (False, "again"), (True, "audience")])
def test_an_entity_follows_the_audience_of_its_book(shelves: Path, command: Command, operate: Operate, services: Services, for_players: bool, way: str) -> None:
    made = operate("library.extract", ExtractContent("handbook-copy", "Crossing the river", for_players=for_players))
    before = Path(made.file).read_text()
    books = shelves / "books"
    if way in {"front matter", "moved"}:
        (books / "handbook.md").unlink()
        mine = books / "again/handbook copy.md"
        mine.write_text(f"---\naudience: dm\n---\n{DRAGON}") if way == "front matter" else mine.rename(shelves / "secret/hers.md")
    elif way == "again":
        command("library", "scan", "--forget", "books")
    done = command("library", "scan", *(("books", "--audience", "dm") if way in {"audience", "again"} else ()), "--json")
    slug, named = Path(made.file).stem, json.loads(done.stdout)["withheld"]
    found = operate("entities.search", EntitySearch(entity_type=made.entity_type, query="Crossing the river"), False)
    shown = {one["name"] for one in found.results} | {one.title for one in operate("library.ask", AskBooks("crossing the river"), False).results}
    told = call(services, "get_entity", {"entity_type": made.entity_type, "slug": slug}, entitled=False)
    assert ("Crossing the river" in shown, not told.is_error, command("entities", "show", made.entity_type, slug).exit_code == 0) == (for_players,) * 3
    assert [Path(file).stem for file in named] == ([] if for_players else [slug])
    assert Path(made.file).read_text() == before
    if way == "audience" and not for_players:
        command("library", "scan", "books", "--audience", "player")
        assert command("entities", "show", made.entity_type, slug).exit_code == 0


def test_every_interface_names_what_lets_players_see_it(shelves: Path, command: Command, services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("library", "extract", "ferryman", "Zuzana Mraz")
    refused = command(*words)
    assert refused.exit_code == 1
    assert "--for-players" in refused.stderr
    asked = {"source_id": "ferryman", "content_name": "Zuzana Mraz"}
    told = call(services, "extract_content", asked, entitled=True)
    assert told.is_error
    assert "for_players" in told.content[0].text
    monkeypatch.setenv("MVP_SITE_DM_TOKEN", TOKEN)
    client, headers = create_app(Settings()).test_client(), {"Authorization": f"Bearer {TOKEN}"}
    assert client.post("/api/library/extract", json=asked, headers=headers).status_code == 400
    assert client.post("/library/ferryman/extract", data={"title": "Zuzana Mraz"}, headers=headers).status_code == 400
    page = client.get("/library/ferryman/entries/1", headers=headers).text
    assert 'name="for_players"' in page
    assert 'name="for_players"' not in client.get("/library/handbook-copy/entries/1", headers=headers).text
    assert command(*words, "--for-players").exit_code == 0


# --- files -------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(os.name != "posix", reason="no such modes here")
def test_nobody_else_on_the_machine_reads_the_library(shelves: Path, operate: Operate) -> None:
    operate("library.extract", ExtractContent("handbook-copy", "Crossing the river"))
    library = shelves / "data/library"
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in (library, *library.rglob("*"))}
    assert {path: oct(mode) for path, mode in modes.items() if mode != (0o700 if path.is_dir() else 0o600)} == {}
