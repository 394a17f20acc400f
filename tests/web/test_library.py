"""The library's pages and its part of the API: answers by book, pictures, contents, extraction; who may see what."""

from __future__ import annotations

import shutil
import struct
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.library.library import Library
from mvp_site.library.types import ContentsEntry, ContentType
from mvp_site.operations import library as operations
from mvp_site.text.normalising import content_words
from mvp_site.web import limits
from mvp_site.web.library import ROWS, contents, marked
from mvp_site.web.rulebook import NODES

from .conftest import TOKEN, MakeApp
from .entity_doubles import WordsIndex
from .library_doubles import BEASTS, open_library
from .test_every_page import assert_in_order

QUESTION = "/library?q=otter+under+the+ice"
LOST = ["/library/beasts/pages/0", "/library/beasts/pages/4", "/library/beasts/pages/x", f"/library/beasts/pages/{'9' * 5000}", "/library/beasts/pages/-1", "/library/beasts/pages/²", "/library/beasts/entries/77",
        "/library/beasts/entries/-1", "/library/beasts?under=77", "/library/beasts?from=x", "/library/beasts/pages/0.png", "/library/beasts/pages/4.png", "/library/beasts/pages/.png", f"/library/beasts/pages/{'9' * 5000}.png",
        "/library/atlas/pages/1.png", "/library/torn/pages/1.png", "/library/torn/pages/1", "/library/..", "/library/../..", "/library/..%2f..%2fetc%2fpasswd", "/library/..%2f..%2fetc/pages/1.png", "/library/%00/pages/1.png",
        "/library/C:%5Cbeasts.pdf/pages/1.png", "/library/beasts.pdf/pages/1.png", f"/library/{'a' * 3000}"]


@pytest.fixture
def parts(library: Library) -> dict[str, Any]:
    return {"library": library, "entities": WordsIndex()}


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The settings that entities were built anew with, which they are not."""
    found: list[Any] = []

    def rebuild(settings: Any, progress: Any = None) -> SimpleNamespace:
        found.append(settings)
        return SimpleNamespace(refused=())

    monkeypatch.setattr(operations, "rebuild_entities", rebuild)
    return found


@pytest.mark.parametrize(("path", "shows", "hides"), [
    (QUESTION, (
        'Beasts of the Fen</a></h3>', '<a href="/library/beasts/entries/1">Bog Otter</a>', '<span class="aside">p. 2</span>', "<mark>otter</mark> swims under the <mark>ice</mark>", 'class="value">',
        'src="/library/beasts/pages/2.png?w=240" alt="Page 2 of Beasts of the Fen" loading="lazy"', '<button class="quiet">Extract',
    ), ()),
    ("/library?q=ember+lance", ('<a href="/entities/spells/ember-lance">Ember Lance</a>',), ()), ("/library?q=ember+lance&source=atlas", (), ("ember-lance",)), ("/library?q=mud+grasp&source=atlas", ("Mud Grasp</a>",), ("<img",)), ("/library/atlas/entries/5", (), ("<img",)),
    ("/library?q=zzz+qqq&type=race", ("Nothing found", "zzz qqq", 'href="/library?q=zzz+qqq">ask everywhere'), ()), ("/library/torn", ("Not read.", "torn.pdf is not a PDF"), ()),
    ("/library", ("PDF, 3 pages, 3 entries", '<a class="chip link" href="/library/atlas?type=spell">', "torn.pdf is not a PDF"), ()), ("/library/atlas", ("Spells of the Marches</a>", "Lantern of Reeds</a>", "Mud Grasp</a>", 'spell <span class="count">'), ()),
    ("/library/atlas?type=spell", ("Mud Grasp",), ("Brackwater",)), ("/library/beasts/pages/1", (), ('href="/library/beasts/pages/0"',)), ("/library/secrets/entries/0", ("Entities are for everybody",), ()), ("/library/atlas/entries/0", (), ("Entities are for everybody",)),
    ("/library/beasts/entries/1", (BEASTS[1][1], "/library/beasts/pages/1", "/library/beasts/pages/3", "/library/beasts/entries/0", "/library/beasts/entries/2", "/library/beasts/pages/2.png?w=960"), (BEASTS[0][1],)),
    ("/library/beasts/pages/2", (BEASTS[1][1], '<a href="/library/beasts/entries/1">Bog Otter</a>', "/library/beasts/pages/2.png?w=960"), ()),
    ("/library/beasts/entries/2", ("alert(1)&lt;/script",), ("<script>a", "onload='", " 49 ")), ("/library?q=%3Cscript%3Ealert(1)%3C/script%3E", ("alert(1)&lt;/script",), ("<script>a",)),
])
def test_what_a_page_shows(whole: FlaskClient, path: str, shows: tuple[str, ...], hides: tuple[str, ...]) -> None:
    page = whole.get(path).text
    assert [text for text in shows if text not in page] == [text for text in hides if text in page] == []


def test_there_is_nothing_at_other_addresses(whole: FlaskClient) -> None:
    found = {path: whole.get(path).status_code for path in LOST}
    assert found == {path: 400 if path == "/library/torn/pages/1" else 404 for path in LOST}


def test_a_picture_has_one_of_few_widths_and_is_asked_for_anew(whole_player: FlaskClient) -> None:
    for asked, width in (("", 240), ("?w=-5", 240), ("?w=x", 240), ("?w=241", 480), ("?w=1000000000", 1600), ("?w=" + "9" * 5000, 240)):
        response = whole_player.get(f"/library/beasts/pages/2.png{asked}")
        assert (response.status_code, response.content_type, response.data[:8]) == (200, "image/png", b"\x89PNG\r\n\x1a\n")
        assert abs(struct.unpack(">I", response.data[16:20])[0] - width) <= 1
    first = whole_player.get("/library/beasts/pages/2.png")
    again = whole_player.get("/library/beasts/pages/2.png", headers={"If-None-Match": first.headers["ETag"]})
    assert (first.headers["Cache-Control"], again.status_code, again.data) == ("private, no-cache", 304, b"")
    others = {whole_player.get(f"/library/beasts/pages/{path}").headers["ETag"] for path in ("1.png", "2.png?w=241")}
    assert len({first.headers["ETag"], *others}) == 3


def test_a_file_that_is_gone_has_no_picture_and_its_page_stays(scanned: Path, tmp_path: Path, make_app: MakeApp) -> None:
    shutil.copytree(scanned / "books", tmp_path / "books")
    library = open_library(tmp_path / "data")
    library.scan(tmp_path / "books")
    (tmp_path / "books/beasts.pdf").unlink()
    client = make_app(config={limits.PAGES: "2/hour"}, library=library, entities=WordsIndex()).test_client()
    assert client.get("/library/beasts/pages/1.png").status_code == 404
    assert "spears fish" in client.get("/library/beasts/pages/1").text
    assert client.get("/library/beasts/pages/1.png").status_code == 429  # pictures count among pages


@given(st.text(), st.text())
def test_marks_take_nothing_away(text: str, question: str) -> None:
    pieces = marked(text, content_words(question))
    told = iter("".join(piece for piece, _, _ in pieces))
    gone = []
    for char in text:
        gone += [] if (after := next(told, "")) == char else [char]
        told = told if after == char else chain(after, told)
    assert {*gone} <= {*"*_"}
    assert all(piece for piece, _, _ in pieces)


def test_emphasis_is_rendered() -> None:
    assert marked("The *giant otter* and a_b_c 2*3*4", {"otter"}) == [("The ", False, False), ("giant ", False, True), ("otter", True, True), (" and a_b_c 2*3*4", False, False)]


EXTRACT = {"title": "Mud Grasp", "type": "spell"}


def test_an_entry_becomes_an_entity(local: FlaskClient, library: Library, built: list[Any]) -> None:
    made = local.post("/library/atlas/extract", data=EXTRACT)
    assert made.status_code == 200
    assert_in_order(made.text)
    for text in ("A new entity.", "Hands of mud hold what stands in the marsh.", "Atlas of the Low Marches", "/spells/mud-grasp-atlas.yaml", 'href="/entities/spells/mud-grasp-atlas"', "Confidence", "Missing"):
        assert text in made.text
    assert local.get("/entities/spells/mud-grasp-atlas").status_code == 404  # when it is built, the double has none
    assert len(built) == 1
    assert "Nothing has changed" in local.post("/library/atlas/extract", data=EXTRACT).text
    assert len(built) == 1
    assert "✓" in local.get("/library?q=mud+grasp&source=atlas").text
    assert "✓" in local.get("/library/atlas").text
    file = next(Path(library._settings.mvp_site_data_dir).rglob("mud-grasp-atlas.yaml"))
    file.write_text(file.read_text("utf-8").replace("60", "61").replace("Hands", "Feet"), "utf-8")
    kept = local.post("/library/atlas/extract", data=EXTRACT).text
    assert "You have edited the file" in kept
    assert 'name="replace" value="true"' in kept
    assert "The entity was updated." in local.post("/library/atlas/extract", data={**EXTRACT, "replace": "true"}).text
    assert "Feet" not in file.read_text("utf-8")


def test_what_cannot_be_extracted_is_told(local: FlaskClient, built: list[Any]) -> None:
    for path, sent, status in (
        ("atlas", {}, 400), ("atlas", {"title": ""}, 400), ("atlas", {"title": "x" * 301}, 400), ("atlas", {**EXTRACT, "type": "hat"}, 400), ("atlas", {**EXTRACT, "replace": "perhaps"}, 400), ("atlas", {"title": "Mud Grasps"}, 404), ("..", EXTRACT, 404),
        ("nothing", EXTRACT, 404), ("a" * 300, EXTRACT, 400), ("secrets", {"title": "The truth about Brackwater"}, 400),
    ):
        assert local.post(f"/library/{path}/extract", data=sent).status_code == status
    assert built == []
    made = local.post("/library/secrets/extract", data={"title": "The truth about Brackwater", "for_players": "true"}).text
    assert "Entities are for everybody" in made


def test_extraction_needs_the_dm_and_comes_from_here(player: FlaskClient, local: FlaskClient, dm_headers: dict[str, str], built: list[Any]) -> None:
    refused = player.post("/library/atlas/extract", data=EXTRACT)
    assert (refused.status_code, "needs the DM token" in refused.text) == (401, True)
    for page in (QUESTION, "/library/beasts/entries/1"):
        assert "/extract" not in player.get(page).text
        assert "/extract" in player.get(page, headers=dm_headers).text
    assert local.post("/library/atlas/extract", data=EXTRACT, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert local.get("/library/atlas/extract").status_code == 405
    assert built == []


def test_without_a_library_the_page_says_how_to_make_one(make_app: MakeApp, tmp_path: Path, dm_headers: dict[str, str]) -> None:
    client = make_app(TOKEN, library=open_library(tmp_path), entities=WordsIndex()).test_client()
    for path in ("/library", "/library?q=ember+lance"):
        for headers in ({}, dm_headers):
            response = client.get(path, headers=headers)
            assert response.status_code == 200
            assert_in_order(response.text)
            assert "The library is not built" in response.text
            assert ("mvp-site library scan FOLDER" in response.text) is bool(headers)
            assert str(tmp_path) not in response.text
    assert "Ember Lance" in client.get("/library?q=ember+lance").text
    assert client.post("/api/library/ask", json={"query": "fire"}).json["missing"] == ["the books are not ready"]
    refused = client.get("/library/atlas")
    assert (refused.status_code, str(tmp_path) in refused.text) == (503, False)


def entry(parent: int | None = None, children: tuple[int, ...] = (), type_: ContentType = ContentType.RULE) -> ContentsEntry:
    return ContentsEntry("x", 1, 0, 1, 1, None, None, "", type_, 1.0, "heading", parent, children)


def test_contents_stay_light() -> None:
    flat = [entry() for _ in range(ROWS + 7)]
    first, rest = contents(flat), contents(flat, start=ROWS)
    assert (len(first["top"]), len(rest["top"]), rest["total"]) == (ROWS, 7, ROWS + 7)
    wide = [entry(children=tuple(range(1, NODES + 2))), *(entry(0, type_=ContentType.SPELL) for _ in range(NODES + 1))]
    assert contents(wide)["rows"] == {}
    assert [len(contents(wide, under=0)[name]) for name in ("top", "above")] == [NODES + 1, 1]
    assert contents(wide, ContentType.RULE)["top"] == [0]


@pytest.mark.parametrize(("method", "path", "sent", "status", "kind"), [
    ("get", "/api/library?source_id=secrets", None, 404, "unknown_source"), ("post", "/api/library/ask", {"query": "x", "sources": ["secrets"]}, 404, "unknown_source"),
    ("post", "/api/library/ask", {"query": "x", "audience": "dm"}, 401, "token_required"), ("post", "/api/library/ask", {"query": ""}, 400, "invalid_request"),
    ("post", "/api/library/extract", {"source_id": "atlas", "content_name": "Mud Grasp"}, 401, "token_required"), ("post", "/api/library/scan", {}, 401, "token_required"),
    ("post", "/api/library/bind", {"campaign": "c", "sources": ["atlas"]}, 401, "token_required"), ("get", "/api/library?type=spell", None, 400, "invalid_request"),
    ("get", "/api/library/ask", None, 405, "method_not_allowed"),
])
def test_the_api_refuses_in_words(player: FlaskClient, method: str, path: str, sent: Any, status: int, kind: str) -> None:
    response = player.open(path, method=method.upper(), json=sent)
    assert (response.status_code, response.json["error"]["kind"]) == (status, kind)
