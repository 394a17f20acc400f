"""The page to play on, with the real handler, its offline narrator and its store."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from jsonschema import Draft202012Validator

from mvp_site import PromptAssembler, Settings
from mvp_site.sessions.session_notes import SessionNotes
from mvp_site.turns.handler import TurnHandler
from mvp_site.turns.types import TurnRequest
from mvp_site.web.openapi import document

from ..hashing import HashingEncoder
from .conftest import TOKEN, MakeApp
from .doubles import SECRET, STATE
from .entity_doubles import WordsIndex

NAME = "ashen-keep"
STREAM = {"Accept": "text/event-stream"}


@pytest.fixture
def real(tmp_path: Path, site_settings: Settings, site_assemblers: dict[str, PromptAssembler]) -> Iterator[TurnHandler]:
    """Two turns of a campaign."""
    settings = replace(site_settings, mvp_site_database_url=f"sqlite:///{tmp_path}/campaigns.sqlite3")
    with TurnHandler.open(settings, assembler=site_assemblers["dec_2025"]) as handler:
        handler.handle(TurnRequest(NAME, "I look around.", state=STATE, seed=1))
        handler.handle(TurnRequest(NAME, "I wait a while.", seed=2))
        yield handler


@pytest.fixture
def both(make_app: MakeApp, real: TurnHandler, dm_headers: dict[str, str]) -> tuple[FlaskClient, FlaskClient]:
    """The DM's client and a player's, of one app."""
    app = make_app(TOKEN, handler=real)
    dm = app.test_client()
    dm.environ_base["HTTP_AUTHORIZATION"] = dm_headers["Authorization"]
    return dm, app.test_client()


@pytest.mark.parametrize(("mode", "audience", "text"), [
    ("story", "player", "I try to slip past the gate guard."), ("story", "player", "think: how do I get in without a fight?"), ("dm", "player", "What would a fall of ten feet do?"), ("god", "god", "god: note that the guard is called away"),
])
def test_a_whole_turn_by_the_api_and_by_the_page(both: tuple[FlaskClient, FlaskClient], real: TurnHandler, mode: str, audience: str, text: str) -> None:
    parts = document(token=True)["components"]
    body = {"campaign_id": "c", "user_input": text, "mode": mode, "audience": audience}
    for client, name, more in zip(both, ("Turn", "PlayerTurn"), ({"state": STATE, "seed": 7}, {}), strict=True):
        if client is both[0] or audience == "player":
            response = client.post("/api/turn", json={**body, **more})
            assert (response.status_code, response.json["fallback"]) == (200, None)
            Draft202012Validator({"$ref": f"#/components/schemas/{name}", "components": parts}).validate(response.json)
    assert both[0].post("/play", data={"campaign": "c", "user_input": text, "mode": mode, "audience": audience}).status_code == 303
    assert text in both[0].get("/play?campaign=c").text
    assert both[0].get(f"/turns/{last(real, 'c').id}").status_code == 200
    rebuilt = both[0].get(f"/?turn={last(real, 'c').id}").text
    assert "byte for byte" in rebuilt
    assert "What has changed in the state" in rebuilt


def last(real: TurnHandler, name: str = NAME) -> Any:
    return real.store.turns(1, name)[0]


def test_campaigns_are_cards_for_the_dm(both: tuple[FlaskClient, FlaskClient], real: TurnHandler) -> None:
    real.handle(TurnRequest("other", "I wait.", state={}))
    dm, player = (client.get("/play").text for client in both)
    for text in (">ashen-keep</a>", ">other</a>", "2 turns", "1 turn<", "dec_2025"):
        assert text in dm
    assert dm.index(">other<") < dm.index(">ashen-keep<")
    assert "ashen-keep" not in player
    assert "connected" not in dm


def test_a_campaign_has_its_story_its_sheet_and_one_badge(both: tuple[FlaskClient, FlaskClient]) -> None:
    dm, player = (unescape(client.get(f"/play?campaign={NAME}").text) for client in both)
    for page in (dm, player):
        for text in ("I look around.", "I wait a while.", "Isolde Marsh", "24 / 28", "<del>21:", "hit points", "Retry", "Undo", "Branch"):
            assert text in page
        assert page.count("No model is connected") == 1
    assert SECRET in dm
    assert "Export" in dm
    for hidden in (SECRET, "reeve", "Export", "Details"):
        assert hidden not in player


def test_earlier_turns_are_a_page_away(both: tuple[FlaskClient, FlaskClient], real: TurnHandler) -> None:
    for number in range(3, 33):
        real.handle(TurnRequest(NAME, f"I wait, {number}.", audience="dm" if number == 5 else "player"))
    page = both[1].get(f"/play?campaign={NAME}").text
    assert "I wait, 5." not in page
    assert page.count("<article") == 30
    before = page.split("before=")[1].split('"')[0]
    earlier = both[1].get(f"/play?campaign={NAME}&before={before}").text
    assert ('class="turn-changes"' in page, 'class="turn-changes"' in earlier) == (True, False)
    assert (earlier.count("<article"), "I look around." in earlier, 'id="user_input"' in earlier) == (1, True, False)
    assert both[1].get(f"/play?campaign={NAME}&before=nobody").status_code == 404


def test_a_turn_is_taken_back_and_the_page_keeps_it_folded(both: tuple[FlaskClient, FlaskClient], real: TurnHandler) -> None:
    undone, state = last(real), last(real).state_before
    for expected in (303, 409):
        response = both[1].post("/play/undo", data={"campaign": NAME, "turn": undone.id})
        assert response.status_code == expected
    assert "Nothing was taken back." in response.text
    assert "is not the last one" in response.text
    assert undone.id not in response.text.split('role="alert"')[1].split("</p>")[0]
    assert real.store.load(NAME).state == state
    page = both[1].get(f"/play?campaign={NAME}").text
    assert "Taken back: <q>I wait a while.</q></summary>" in page
    assert page.count("<article") == 1
    assert re.search(r'id="latest"[^>]*aria-labelledby="turn-1"', page)
    assert real.replay(undone.id).same
    both[1].post("/play/undo", data={"campaign": NAME, "turn": real.store.turns(2, NAME)[1].id})
    page = both[1].get(f"/play?campaign={NAME}").text
    assert "Taken back: <q>I look around.</q>, <q>I wait a while.</q></summary>" in page
    assert (page.count("<article"), page.count("taken-back"), 'id="latest"' in page) == (0, 1, False)
    real.handle(TurnRequest(NAME, "I wait."))
    assert "I wait a while." not in real.replay(last(real).id).turn.prompt


def test_a_turn_is_taken_again(both: tuple[FlaskClient, FlaskClient], real: TurnHandler) -> None:
    was = last(real)
    assert both[1].post("/play", data={"campaign": NAME, "retry": was.id}).status_code == 303
    now = last(real)
    assert (now.user_input, now.mode, now.audience, now.number, now.state_before) == (was.user_input, was.mode, was.audience, 3, was.state_before)
    assert now.manifest["seed"] != was.manifest["seed"]
    assert real.store.turn(was.id).withdrawn == 2
    assert [one.number for one in real.store.history(NAME)] == [1, 3]
    assert real.replay(now.id).same


def test_versions_of_a_turn_stand_under_it(both: tuple[FlaskClient, FlaskClient], real: TurnHandler) -> None:
    for _ in range(2):
        both[1].post("/play", data={"campaign": NAME, "retry": last(real).id})
    page = both[1].get(f"/play?campaign={NAME}").text
    assert (page.count("<article"), page.count('class="version"'), "2 other versions" in page, "Taken back" in page) == (2, 2, True, False)
    both[1].post("/play/undo", data={"campaign": NAME, "turn": last(real).id})
    assert page.count("Taken back") == 0
    assert both[1].get(f"/play?campaign={NAME}").text.count("Taken back") == 1


def test_another_version_of_a_turn_is_taken(both: tuple[FlaskClient, FlaskClient], real: TurnHandler) -> None:
    first, state = last(real), real.store.load(NAME).state
    both[1].post("/play", data={"campaign": NAME, "retry": first.id})
    second = last(real)
    page = both[1].get(f"/play?campaign={NAME}").text
    assert (page.count("Take this one"), f'value="{first.id}">Take' in page) == (1, True)
    assert both[1].post("/play/retake", data={"turn": first.id}).status_code == 303
    now = last(real)
    assert (now.number, now.answer, now.withdrawn, real.store.turn(second.id).withdrawn) == (4, first.answer, None, 3)
    assert real.store.load(NAME).state == state
    assert (real.replay(now.id).same, real.replay(first.id).same) == (True, True)
    page = both[1].get(f"/play?campaign={NAME}").text
    assert ("1 other version<" in page, f'value="{second.id}">Take' in page, page.count("Take this one")) == (True, True, 1)
    both[1].post("/play/undo", data={"campaign": NAME, "turn": now.id})
    page = both[1].get(f"/play?campaign={NAME}").text
    assert (page.count("Take it again"), "Taken back: <q>I wait a while.</q> (2 versions)</summary>" in page) == (2, True)
    assert both[1].post("/play/retake", data={"turn": second.id}).status_code == 303
    assert last(real).answer == second.answer
    for gone in (real.store.turns(9, NAME)[-1].id, last(real).id):
        assert both[1].post("/play/retake", data={"turn": gone}).status_code == 409


def test_a_campaign_begins_with_a_title_and_a_sheet(both: tuple[FlaskClient, FlaskClient], real: TurnHandler, make_app: MakeApp) -> None:
    """The sheet is the state then, and stands in the campaign's own notes, which are asked."""
    notes = SessionNotes(real.settings, real.store, HashingEncoder())
    notes.import_samples()
    client = make_app(handler=real, notes=notes).test_client()
    assert '<option value="lantern_road/Ilse Varn">Ilse Varn (lantern_road)</option>' in client.get("/play").text
    for name in ("the-ferry", "the-ferry-2"):
        begun = client.post("/play/begin", data={"title": "The Ferry!", "character": "lantern_road/Ilse Varn"})
        assert begun.location == f"/play?campaign={name}#latest"
    state = real.store.load("the-ferry").state
    assert state["player_character_data"]["name"] == "Ilse Varn"
    assert {"id": "pc_ilse_varn_001", "class": "Wizard", "level": 5, "hp_max": 32}.items() <= state["player_character_data"].items()
    assert all(item["holder_id"] == "pc_ilse_varn_001" for item in state["item_data"].values())
    assert [row.title for row in notes.documents("the-ferry")] == ["Ilse Varn"]
    page = client.get("/play?campaign=the-ferry").text
    assert ("<h1>The Ferry!</h1>" in page, "32 / 32" in page) == (True, True)
    real.handle(TurnRequest("the-ferry", "I look around."))
    assert real.store.load("the-ferry").title == "The Ferry!"
    assert ">The Ferry!</a>" in client.get("/play").text
    assert real.store.branch(last(real, "the-ferry").id, "other").title == "The Ferry!"
    again = real.store.export("the-ferry")
    assert again["campaign"]["title"] == "The Ferry!"
    assert both[1].post("/play/begin", data={"title": "Mine"}).status_code == 401
    assert client.post("/play/begin", data={"title": "X", "character": "lantern_road/Nobody"}).status_code == 404
    refused = client.post("/play/begin", data={"title": "   "})
    assert (refused.status_code, "<strong>No campaign was begun.</strong> Give the campaign a title." in refused.text) == (400, True)


def test_the_table_looks_things_up(both: tuple[FlaskClient, FlaskClient], real: TurnHandler, make_app: MakeApp) -> None:
    """In the state, the notes and the compendium; a player learns nothing of what is hidden."""
    notes = SessionNotes(real.settings, real.store, HashingEncoder())
    notes.import_samples(NAME)
    app = make_app(TOKEN, handler=real, notes=notes, entities=WordsIndex())
    client = app.test_client()
    for asked, says in (("ember lance", "A lance of <strong>fire</strong> flies"), ("Who is Captain Rusk Dorran?", "In this campaign")):
        assert says in client.get("/play/look-up", query_string={"campaign": NAME, "q": asked}).text
    assert SECRET not in client.get("/play/look-up", query_string={"campaign": NAME, "q": "reeve"}).text
    assert "Passages of the last turn" not in client.get(f"/play/look-up?campaign={NAME}").text
    dm = both[0].get(f"/play/look-up?campaign={NAME}").text
    assert ("Passages of the last turn" in dm) is bool(last(real).manifest["printed"])


FERRY: dict[str, Any] = {
    "player_character_data": {"id": "pc_gorm_001", "name": "Gorm", "armor_class": 18},
    "npc_data": {"npc_jory_pell_001": {"name": "Jory Pell", "role": "ferryman", "attitude": "wary", "location_id": "loc_stairs_001", "met": True}, "npc_mira_001": {"name": "Mira Voss", "role": "harbour master", "secret": SECRET}},
    "location_data": {"loc_stairs_001": {"name": "Harbour stairs", "description": "Wet steps.", "visited": True}},
    "world_data": {"current_location_id": "loc_stairs_001"},
}


@pytest.mark.parametrize(("asked", "says"), [
    ("Ferryman wary", "<summary>Jory Pell"), ("Pell Jory", "<summary>Jory Pell"), ("harbour stairs", "<summary>Harbour stairs"), ("harbour master", "<summary>Mira Voss"), ("Gorm armor class", "18"), ("", "<summary>Harbour stairs"),
])
def test_the_drawer_finds_the_state_by_role_and_place(both: tuple[FlaskClient, FlaskClient], real: TurnHandler, make_app: MakeApp, asked: str, says: str) -> None:
    """Without any sheet or notes; a player reads what was met, and no secret."""
    real.store.create("ferry", FERRY)
    app = make_app(TOKEN, handler=real, notes=SessionNotes(real.settings, real.store, HashingEncoder()))
    player, dm = app.test_client(), app.test_client()
    dm.environ_base["HTTP_AUTHORIZATION"] = both[0].environ_base["HTTP_AUTHORIZATION"]
    page = re.sub("<details[^>]*>", "", dm.get("/play/look-up", query_string={"campaign": "ferry", "q": asked}).text)
    assert says in page
    shown = player.get("/play/look-up", query_string={"campaign": "ferry", "q": asked}).text
    assert (SECRET in shown, "Mira" in shown) == (False, False)
    if "Jory" in says:
        assert "<dd>Harbour stairs</dd>" in page
        assert "ferryman" in shown


def test_a_retry_that_fails_keeps_turn_and_words(both: tuple[FlaskClient, FlaskClient], real: TurnHandler, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: Any) -> None:
        raise RuntimeError("no place")
    was = last(real)
    response = both[0].post("/play", data={"campaign": NAME, "retry": "nobody", "user_input": "I wait a while."})
    assert (response.status_code, last(real).withdrawn) == (404, None)
    assert "I wait a while.</textarea>" in response.text
    assert 'role="alert"' in response.text.split('class="say card"')[1]
    monkeypatch.setattr(real, "handle", full)
    assert both[0].post("/play", data={"campaign": NAME, "retry": was.id}).status_code == 500
    assert real.store.turn(was.id).answer == was.answer


def test_a_campaign_branches(both: tuple[FlaskClient, FlaskClient], real: TurnHandler) -> None:
    first = real.store.turns(2, NAME)[1]
    for name in ("what-if", "what-if-2"):
        response = both[1].post("/play/branch", data={"campaign": NAME, "turn": first.id, "title": "What if?"})
        assert response.location == f"/play?campaign={name}#latest"
    assert real.store.load("what-if").title == "What if?"
    assert [one.user_input for one in real.store.history("what-if")] == ["I look around."]
    assert real.store.load("what-if").state == last(real).state_before
    real.handle(TurnRequest("what-if", "I wait."))
    assert real.store.load(NAME).turns == 2
    refused = both[1].post("/play/branch", data={"campaign": NAME, "turn": first.id, "title": " "})
    assert (refused.status_code, "No campaign was begun." in refused.text) == (400, True)


def test_a_campaign_is_renamed_and_deleted(both: tuple[FlaskClient, FlaskClient], real: TurnHandler, make_app: MakeApp) -> None:
    dm, player = both
    for path, data in (("rename", {"title": "Mine"}), ("delete", {})):
        assert player.post(f"/play/{path}", data={"campaign": NAME, **data}).status_code == 401
        assert dm.post(f"/play/{path}", data={"campaign": "nobody", **data}).status_code == 404
    version = real.store.load(NAME).version
    assert dm.post("/play/rename", data={"campaign": NAME, "title": " The Keep “ablaze” "}).status_code == 303
    assert "<h1>The Keep “ablaze”</h1>" in dm.get(f"/play?campaign={NAME}").text
    assert (real.store.load(NAME).version, "Rename or delete" in player.get(f"/play?campaign={NAME}").text) == (version, False)
    notes = SessionNotes(real.settings, real.store, HashingEncoder())
    client = make_app(handler=real, notes=notes).test_client()
    assert client.post("/api/campaign/delete", json={"campaign_id": NAME}).json == {"campaign_id": NAME, "turns": 2, "left_over": ""}
    assert "There is no campaign “ashen-keep”." in client.get(f"/play?campaign={NAME}").text


def test_turns_are_numbered_by_those_that_count(both: tuple[FlaskClient, FlaskClient], real: TurnHandler) -> None:
    """Retries and what was taken back leave no gap, on the table, its card and a page of earlier turns."""
    for _ in range(2):
        both[1].post("/play", data={"campaign": NAME, "retry": last(real).id})
    for number in range(3, 34):
        real.handle(TurnRequest(NAME, f"I wait, {number}."))
    page = both[0].get(f"/play?campaign={NAME}").text
    assert re.findall(r"<span>Turn (\d+)</span>", page) == [str(number) for number in range(4, 34)]
    before = page.split("before=")[1].split('"')[0]
    assert re.findall(r"<span>Turn (\d+)</span>", both[0].get(f"/play?campaign={NAME}&before={before}").text) == ["1", "2", "3"]
    assert "33 turns" in both[0].get("/play").text


def test_what_is_the_dms_a_player_can_neither_undo_nor_export(both: tuple[FlaskClient, FlaskClient], real: TurnHandler) -> None:
    dm, player = both
    told = last(real)
    real.handle(TurnRequest(NAME, "What is hidden here?", "dm", "dm"))
    hidden = last(real)
    for path, data, status in (("/play/undo", {"turn": hidden.id}, 404), ("/play/branch", {"turn": hidden.id, "title": "Mine"}, 404), ("/play", {"retry": hidden.id}, 404), ("/play/undo", {"turn": told.id}, 409)):
        response = player.post(path, data={"campaign": NAME, **data})
        assert (response.status_code, "What is hidden" in response.text) == (status, False)
    link = re.search('href="([^"]*)" download="ashen-keep.json"', dm.get(f"/play?campaign={NAME}").text)
    assert link is not None
    assert player.get(link[1]).status_code == 401
    assert dm.get(link[1]).json == json.loads(json.dumps(real.store.export(NAME)))


def test_a_form_is_answered_with_events(both: tuple[FlaskClient, FlaskClient], real: TurnHandler) -> None:
    for client, view in zip(both, ("dm", "player"), strict=True):
        response = client.post("/play", data={"campaign": NAME, "user_input": "I wait.", "mode": "story"}, headers=STREAM)
        assert response.mimetype == "text/event-stream"
        parts = [part.split("\n") for part in response.text.split("\n\n") if part.startswith("event")]
        names = [part[0].removeprefix("event: ") for part in parts]
        assert (names[0], names[-1]) == ("stage", "result")
        assert "narrative" in names
        assert json.loads(parts[-1][1].removeprefix("data: "))["view"] == view
    for data, kind in (({"user_input": " "}, "invalid_request"), ({"user_input": "x", "mode": "god", "audience": "god"}, "token_required"), ({"retry": "nobody"}, "unknown_turn")):
        refused = both[1].post("/play", data={"campaign": NAME, **data}, headers=STREAM)
        assert refused.json["error"]["kind"] == kind
    assert last(real).number == 4


@pytest.mark.parametrize("client", [0, 1])
def test_the_api_takes_back_branches_and_exports(both: tuple[FlaskClient, FlaskClient], real: TurnHandler, client: int) -> None:
    asked, was = both[client], last(real)
    branched = asked.post("/api/turn/branch", json={"turn_id": was.id, "campaign_id": "b"})
    undone = asked.post("/api/turn/undo", json={"turn_id": was.id})
    assert (branched.json["campaign"]["turns"], undone.json["campaign"]["version"], SECRET in undone.text) == (2, 4, client == 0)
    assert (asked.get(f"/api/turns/{was.id}").json["withdrawn"], asked.get(f"/api/campaigns/{NAME}/export").status_code) == (True, (200, 401)[client])


def test_a_spending_limit(both: tuple[FlaskClient, FlaskClient], real: TurnHandler) -> None:
    """The DM's to read and to set, also of a campaign that has not begun."""
    dm, player = both
    for name in (NAME, "new"):
        assert dm.post("/play/limit", data={"campaign": name, "usd": "0.5"}).status_code == 303
        assert "Cost $0.00 of $0.5" in dm.get(f"/play?campaign={name}").text
        assert dm.post("/api/campaign/limit", json={"campaign_id": name, "usd": 2}).json == {"campaign_id": name, "spent": 0.0, "limit": 2.0, "own": True}
        assert player.post("/api/campaign/limit", json={"campaign_id": name, "usd": 9}).status_code == 401
        assert player.post("/play/limit", data={"campaign": name, "usd": "9"}).status_code == 401
        assert "Cost $" not in player.get(f"/play?campaign={name}").text
        assert real.store.spending_limit(name) == 2.0
    saved = dm.post("/play/limit", data={"campaign": NAME, "usd": "0.5"}, follow_redirects=True).text
    assert "Saved: turns are refused once it has cost $0.5." in saved
    wrong = dm.post("/play/limit", data={"campaign": NAME, "usd": "much"})
    assert (wrong.status_code, 'id="spending" data-swap open' in wrong.text, 'id="usd-error"' in wrong.text, "alert" in wrong.text) == (400, True, True, False)
    dm.post("/play/limit", data={"campaign": NAME, "usd": "0"})
    assert real.store.spending_limit(NAME) is None
