"""A campaign's turns taken again, taken back and branched from: nothing of it is lost, or made up."""

from __future__ import annotations

import datetime
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from mvp_site import Settings
from mvp_site import TurnRequest as HandlersRequest
from mvp_site.errors import (
    CampaignConflictError,
    InvalidTurnError,
    MvpSiteError,
    NotEntitledError,
    UnknownTurnError,
)
from mvp_site.operations.campaigns import Branch, ListTurns, ShowCampaign, ShowTurn
from mvp_site.operations.services import Services
from mvp_site.operations.turns import TakeTurn
from mvp_site.store import campaigns
from mvp_site.web.app import create_app

from .conftest import Command, Operate, scripted, write_prompts

OWN = {"player_character_data": {"name": "Isolde", "hp_current": 21, "hp_max": 28}, "world_data": {"place": "quay"}}
WHAT_IF = {"player_character_data": {"name": "Isolde", "hp_current": 1, "hp_max": 28}, "world_data": {"place": "crypt"}}
TOKEN = "a token of the game master"


@pytest.fixture
def project(project: Path) -> Path:
    """A project whose archive is not built: turns are taken on its header."""
    return write_prompts(project).parent


def play(operate: Operate, text: str, **more: Any) -> Any:
    return operate("turn", TakeTurn("saltmere", text, **more))


def state_of(operate: Operate, campaign: str = "saltmere") -> Any:
    return operate("campaigns.show", ShowCampaign(campaign)).state


def said(operate: Operate, campaign: str = "saltmere") -> list[tuple[str, bool]]:
    turns = operate("campaigns.turns", ListTurns(campaign)).turns
    return [(turn.user_input, turn.withdrawn) for turn in reversed(turns)]


def test_undo_after_a_turn_with_a_state_of_its_own_returns_the_campaigns(operate: Operate) -> None:
    play(operate, "I look around.", state=OWN)
    own = state_of(operate)
    turn = play(operate, "What if I were dying?", state=WHAT_IF)
    assert operate("turn.undo", ShowTurn(turn.turn_id)).state == own == state_of(operate)
    assert own["world_data"]["place"] == "quay"


@pytest.mark.parametrize("then", [[], ["I go on."]], ids=["last", "not the last"])
@pytest.mark.parametrize("undone", [False, True], ids=["", "the turn after it taken back"])
def test_a_branch_has_the_campaigns_state_after_its_turn(operate: Operate, then: list[str], undone: bool) -> None:
    first = play(operate, "I look around.", state=OWN)
    after_first = state_of(operate)
    turn = play(operate, "What if I were dying?", state=WHAT_IF)
    after = state_of(operate)
    for text in then:
        play(operate, text)
    if undone and not then:
        operate("turn.undo", ShowTurn(turn.turn_id))
    assert operate("turn.branch", Branch(first.turn_id, "before")).state == after_first
    if then or not undone:
        assert operate("turn.branch", Branch(turn.turn_id, "after")).state == after
        assert said(operate, "after") == [("I look around.", False), ("What if I were dying?", False)]


def test_a_turn_that_falls_back_leaves_the_campaigns_own_state(operate: Operate, project: Path, services: Services) -> None:
    play(operate, "I look around.", state=OWN)
    own = state_of(operate)
    with scripted(project, {"error": "request"}, settings=services.settings) as handler:
        result = handler.handle(HandlersRequest("saltmere", "What if I were dying?", state=WHAT_IF))
    assert (result.fallback, result.state) == ("model", own)
    assert state_of(operate) == own


def test_the_prompt_of_a_turn_with_a_state_of_its_own_is_replayed(operate: Operate, command: Command, services: Services) -> None:
    play(operate, "I look around.", state=OWN)
    turn = play(operate, "What if I were dying?", state=WHAT_IF)
    shown = operate("turns.show", ShowTurn(turn.turn_id))
    assert shown.state_before["world_data"]["place"] == "quay"
    assert services.replay(turn.turn_id).same
    state = command("turn", "replay", turn.turn_id).stdout.partition("<state>")[2]
    assert "crypt" in state
    assert "quay" not in state


def browser(settings: Settings, **config: Any) -> FlaskClient:
    return create_app(settings, config={"RATELIMIT_ENABLED": False, **config}).test_client()


def test_a_retry_without_a_place_leaves_the_turn(operate: Operate, services: Services) -> None:
    play(operate, "I look around.", state=OWN)
    turn = play(operate, "I wait.")
    for headers in ({}, {"Accept": "text/event-stream"}):
        refused = browser(services.settings, MVP_SITE_TURNS=0).post("/play", data={"campaign": "saltmere", "retry": turn.turn_id}, headers=headers)
        assert refused.status_code == 503
    assert said(operate) == [("I look around.", False), ("I wait.", False)]
    state = state_of(operate)
    assert browser(services.settings).post("/play", data={"campaign": "saltmere", "retry": turn.turn_id}).status_code == 303
    assert said(operate) == [("I look around.", False), ("I wait.", True), ("I wait.", False)]
    again = operate("campaigns.turns", ListTurns("saltmere")).turns[0]
    assert operate("turns.show", ShowTurn(again.turn_id)).state_before == operate("turns.show", ShowTurn(turn.turn_id)).state_before
    assert services.replay(again.turn_id).same
    assert state_of(operate) == state


def test_a_retry_that_fails_or_is_left_leaves_the_turn(operate: Operate, services: Services) -> None:
    first = play(operate, "I look around.", state=OWN)
    turn = play(operate, "I wait.")
    version = operate("campaigns.show", ShowCampaign("saltmere")).campaign.version
    for more, error in (({"version": "nobody"}, MvpSiteError), ({"max_tokens_retrieved": 900_000}, InvalidTurnError), ({"mode": "god"}, NotEntitledError)):
        with pytest.raises(error):
            play(operate, "I wait.", replaces=turn.turn_id, **more)
    stream = services.stream(HandlersRequest("saltmere", "I wait.", replaces=turn.turn_id))
    next(stream)
    stream.close()
    with pytest.raises(CampaignConflictError, match="is not the last one"):
        play(operate, "I wait.", replaces=first.turn_id)
    with pytest.raises(InvalidTurnError, match="another campaign"):
        operate("turn", TakeTurn("elsewhere", "I wait.", replaces=turn.turn_id))
    assert said(operate) == [("I look around.", False), ("I wait.", False)]
    assert operate("campaigns.show", ShowCampaign("saltmere")).campaign.version == version


def test_a_player_takes_no_turn_of_the_game_masters_again(operate: Operate) -> None:
    turn = play(operate, "Who did it?", state=OWN, audience="dm", mode="dm")
    with pytest.raises(UnknownTurnError):
        operate("turn", TakeTurn("saltmere", "I wait.", replaces=turn.turn_id), entitled=False)
    assert said(operate) == [("Who did it?", False)]


def test_turns_are_in_the_order_of_their_numbers_whatever_the_clock_said(operate: Operate, command: Command, project: Path, services: Services) -> None:
    for number in range(1, 26):
        play(operate, f"I wait, {number}.", **({"state": OWN} if number == 1 else {}))
    file = project / "saltmere.json"
    assert command("campaign", "export", "saltmere", str(file)).exit_code == 0
    document = json.loads(file.read_text())
    for turn in document["turns"]:  # each is taken a day before the last
        turn["created"] = f"2026-01-{32 - turn['number'] - 1:02}T12:00:00+00:00"
        turn["id"] = f"back-{turn['number']}"
    file.write_text(json.dumps({**document, "campaign": {**document["campaign"], "id": "back"}}))
    assert command("campaign", "import", str(file)).exit_code == 0
    numbers: list[int] = []
    before = None
    while before is not None or not numbers:
        page = operate("campaigns.turns", ListTurns("back", 10, before))
        numbers += [turn.number for turn in page.turns]
        before = page.next
    assert numbers == [*range(25, 0, -1)]
    client = browser(services.settings)
    page = client.get("/play?campaign=back").text
    assert page.index("I wait, 1.") < page.index("I wait, 25.")
    listed = client.get("/turns?campaign=back").text
    assert listed.index("I wait, 25.") < listed.index("I wait, 1.")
    every = client.get("/turns").text
    assert every.index("I wait, 25.") < every.index("I wait, 20.")
    assert operate("turn.undo", ShowTurn("back-25")).campaign.id == "back"
    assert client.post("/play/undo", data={"campaign": "back", "turn": "back-24"}).status_code == 303
    assert command("campaign", "export", "back", str(file), "--force").exit_code == 0
    assert [turn["number"] for turn in json.loads(file.read_text())["turns"]] == [*range(1, 26)]


def test_players_make_so_many_branches_and_no_more(operate: Operate, services: Services, command: Command) -> None:
    turn = play(operate, "I look around.", state=OWN)
    newest = turn.turn_id
    made = []
    for number in range(40):  # each from the one before: a branch of a branch counts too
        try:
            operate("turn.branch", Branch(newest, f"branch-{number}"), entitled=False)
        except NotEntitledError:
            break
        made.append(f"branch-{number}")
        newest = operate("campaigns.turns", ListTurns(made[-1])).turns[0].turn_id
    assert 1 <= len(made) < 20
    with pytest.raises(NotEntitledError, match="branches"):
        operate("turn.branch", Branch(turn.turn_id, "one-more"), entitled=False)
    refused = browser(replace(services.settings, mvp_site_dm_token=TOKEN)).post("/play/branch", data={"campaign": "saltmere", "turn": turn.turn_id, "title": "one-more"})
    assert refused.status_code == 403
    assert operate("turn.branch", Branch(turn.turn_id, "the-dms")).campaign.turns == 1
    for campaign in (made[0], "the-dms"):
        assert command("campaign", "delete", campaign, "--yes").exit_code == 0
    assert operate("turn.branch", Branch(turn.turn_id, "one-more"), entitled=False).campaign.turns == 1


def test_a_turn_taken_back_counts_again_with_its_own_state(operate: Operate) -> None:
    play(operate, "I look around.", state=OWN)
    turn = play(operate, "What if I were dying?", state=WHAT_IF)
    dying = state_of(operate)
    play(operate, "I leave.", replaces=turn.turn_id)
    assert state_of(operate) != dying
    assert operate("turn.retake", ShowTurn(turn.turn_id)).state == dying == state_of(operate)
    hidden = operate("turn", TakeTurn("saltmere", "God: what waits?", "god", "god"))
    with pytest.raises(CampaignConflictError, match="has gone on"):
        operate("turn.retake", ShowTurn(turn.turn_id))
    operate("turn.undo", ShowTurn(hidden.turn_id))
    with pytest.raises(UnknownTurnError):
        operate("turn.retake", ShowTurn(hidden.turn_id), entitled=False)


def test_a_branch_is_played_on_alone(operate: Operate, services: Services) -> None:
    for text in ("I look around.", "I wait.", "I wait again."):
        turn = play(operate, text, **({"state": OWN} if text == "I look around." else {}))
    operate("turn.undo", ShowTurn(turn.turn_id))
    last = play(operate, "I leave.")
    operate("turn.branch", Branch(last.turn_id, "what-if"))
    assert said(operate, "what-if") == said(operate)
    new = operate("turn", TakeTurn("what-if", "I come back."))
    assert [text for text, _ in said(operate)] == ["I look around.", "I wait.", "I wait again.", "I leave."]
    assert services.replay(new.turn_id).same
    copies = operate("campaigns.turns", ListTurns("what-if")).turns
    assert len({one.turn_id for one in copies}) == 5
    assert operate("turn.undo", ShowTurn(new.turn_id)).state == state_of(operate)


SHEET = {"hp_current": 10.5, "hp_max": 28, "xp": 450.25, "hit_dice": {"current": 2, "max": 3}}


@pytest.mark.parametrize(("purse", "printed"), [
    ({"gold": 15.9}, "15.9gp"), ({"gold": 15.0}, "15gp"), ({"gold": 0}, "0gp"), ({"currency": {"gp": 15.125}}, "15.12gp"), ({"gold": -0.5}, "-0.5gp"),
    ({"gold": "a purse", "currency": {"gp": 7}}, "7gp"), ({}, "?gp"), ({"gold": True}, "?gp"), ({"gold": 10**40}, "?gp"),
], ids=range(9))
def test_the_fallback_prints_the_numbers_of_the_sheet(operate: Operate, project: Path, services: Services, purse: Any, printed: str) -> None:
    with scripted(project, {"error": "request"}, settings=services.settings) as handler:
        result = handler.handle(HandlersRequest("saltmere", "I wait.", state={"player_character_data": {**SHEET, **purse}}))
    assert f"HP 10.5/28 | XP 450.25/? | Gold {printed}" in result.response["session_header"]
    assert "HD 2/3" in result.response["resources"]


def test_an_empty_object_of_an_update_stands(operate: Operate, project: Path, services: Services) -> None:
    (project / "prompt_archive" / "contract.json").write_text(json.dumps({
        "answer": "json", "narrative": "reply", "fallback": {"reply": "Again?"},
        "schema": {"properties": {"reply": {"type": "string"}, "state_updates": {"type": "object"}}},
    }))
    updates = {"npc_data": {"npc_ilva_001": {"name": "Ilva", "inventory": {}, "wounds": {"head": {}}}}, "world_data": {"weather": {}}, "quest_data": {}}
    state = {"world_data": {"weather": {"rain": True}, "rooms": {}}}
    with scripted(project, {"text": json.dumps({"reply": "Ilva nods.", "state_updates": updates})}, settings=services.settings) as handler:
        result = handler.handle(HandlersRequest("saltmere", "I wait.", state=state))
    assert result.fallback is None
    assert result.state == {**state, "npc_data": updates["npc_data"]}


def test_a_turn_inspected_again_has_the_prompt_that_was_sent(operate: Operate, command: Command, services: Services) -> None:
    assert command("index", "build").exit_code == 0
    turn_id, client = play(operate, "I ask the tower for a berth", state=OWN).turn_id, browser(services.settings)
    page = client.get(f"/?turn={turn_id}").text
    assert "Not the prompt that was sent." not in page
    assert turn_id in page


def test_a_key_gives_the_same_turn_for_a_day(operate: Operate, services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    client = browser(services.settings)
    body = {"campaign_id": "saltmere", "user_input": "I wait.", "idempotency_key": "k-1"}
    first, again = (client.post("/api/turn", json=body) for _ in range(2))
    assert (first.status_code, again.json["turn_id"]) == (200, first.json["turn_id"])
    assert play(operate, "I wait.", idempotency_key="k-1").turn_id == first.json["turn_id"]
    assert client.post("/api/turn", json={**body, "user_input": "I run."}).status_code == 400
    assert said(operate) == [("I wait.", False)]
    monkeypatch.setattr(campaigns, "DAY", datetime.timedelta())
    assert client.post("/api/turn", json=body).json["turn_id"] != first.json["turn_id"]
