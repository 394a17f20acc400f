"""Campaigns and turns read over the API: by pages, with a DM's matter for DMs alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from flask.testing import FlaskClient

from .doubles import SECRET, STATE, TellingHandler, answer, record

HIDDEN = "what the reeve said to the DM"


@pytest.fixture(autouse=True)
def _played(handler: TellingHandler) -> None:
    """Seven turns, every third the DM's, and one of another campaign."""
    handler.store.records += [
        record(n, **({"audience": "dm", "user_input": HIDDEN} if n % 3 == 0 else {})) for n in range(1, 8)
    ] + [replace(record(8), id="theirs", campaign_id="other", number=1)]


def test_the_dm_lists_campaigns_by_pages(dm: FlaskClient) -> None:
    found = dm.get("/api/campaigns").json["campaigns"]
    assert [(one["id"], one["turns"]) for one in found] == [("other", 1), ("ashen-keep", 7)]
    assert found[1]["updated"] == "2026-03-01T21:04:00Z"
    assert dm.get("/api/campaigns?limit=1&offset=1").json["campaigns"] == found[1:]


def test_a_campaign_has_its_state_and_players_see_theirs(dm: FlaskClient, player: FlaskClient) -> None:
    whole, theirs = (client.get("/api/campaigns/ashen-keep").json for client in (dm, player))
    assert (whole["view"], whole["state"]) == ("dm", STATE)
    assert theirs["view"] == "player"
    assert theirs["state"]["player_character_data"] == STATE["player_character_data"]
    assert theirs["state"]["world_data"].keys() == {"world_time"}
    assert whole["campaign"] == theirs["campaign"]


@pytest.mark.parametrize(("who", "numbers"), [("dm", [7, 6, 5, 4, 3, 2, 1]), ("player", [7, 5, 4, 2, 1])])
@pytest.mark.parametrize("limit", [1, 3, 7])
def test_turns_by_pages_are_all_of_them_once(request: pytest.FixtureRequest, who: str, numbers: list[int], limit: int) -> None:
    client, found, before = request.getfixturevalue(who), [], ""
    while before is not None:
        page = client.get(f"/api/campaigns/ashen-keep/turns?limit={limit}{before and f'&before={before}'}").json
        assert 0 < len(page["turns"]) <= limit
        found += [one["number"] for one in page["turns"]]
        before = page["next"]
    assert found == numbers


def test_nothing_of_the_dms_reaches_a_player(player: FlaskClient, handler: TellingHandler) -> None:
    handler.store.records.append(record(9, id="plain", answer=f"[Mode: STORY MODE] {SECRET}"))
    for path in ("campaigns/ashen-keep", "campaigns/ashen-keep/turns", "turns/turn-1", "turns/plain"):
        text = player.get(f"/api/{path}").text
        assert [one for one in (SECRET, HIDDEN, "time_forward") if one in text] == []


def test_a_turn_has_its_manifest_for_the_dm(dm: FlaskClient, player: FlaskClient) -> None:
    whole, theirs = (client.get("/api/turns/turn-1").json for client in (dm, player))
    assert (whole["manifest"]["seed"], whole["state_before"], whole["response"]) == (417, STATE, answer())
    assert (theirs["manifest"], theirs["state_before"], theirs["text"]) == (None, None, None)
    assert theirs["response"]["narrative"] == answer()["narrative"]
    assert theirs["response"].keys() == answer().keys() - {"debug_info", "entities_mentioned"}


@pytest.mark.parametrize(("who", "path", "status", "kind"), [
    ("player", "/api/campaigns", 401, "token_required"), ("player", "/api/turns/turn-3", 404, "unknown_turn"), ("player", "/api/turns/nobody", 404, "unknown_turn"),
    ("player", "/api/campaigns/none", 404, "unknown_campaign"), ("dm", "/api/campaigns/none/turns", 404, "unknown_campaign"), ("dm", "/api/campaigns/a%20b", 400, "invalid_request"),
    ("dm", "/api/campaigns?limit=0", 400, "invalid_request"), ("dm", "/api/campaigns?limit=101", 400, "invalid_request"), ("dm", "/api/campaigns?offset=-1", 400, "invalid_request"),
    ("dm", "/api/campaigns/ashen-keep/turns?before=nobody", 404, "unknown_turn"), ("dm", "/api/campaigns/ashen-keep/turns?page=2", 400, "invalid_request"),
])
def test_what_there_is_not_is_said(request: pytest.FixtureRequest, who: str, path: str, status: int, kind: str) -> None:
    found: Any = request.getfixturevalue(who).get(path)
    assert (found.status_code, found.json["error"]["kind"]) == (status, kind)
