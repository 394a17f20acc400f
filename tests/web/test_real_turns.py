"""The app with the real handler and its offline narrator: whole turns in each mode, by API and by page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from jsonschema import Draft202012Validator

from mvp_site import PromptAssembler, Settings
from mvp_site.turns.handler import TurnHandler
from mvp_site.web.openapi import document

from .conftest import TOKEN, MakeApp
from .doubles import STATE

TURNS = [
    ("story", "player", "I try to slip past the gate guard."), ("story", "player", "think: how do I get in without a fight?"), ("dm", "player", "What would a fall of ten feet do?"),
    ("god", "god", "god: note that the guard is called away"),
]


@pytest.fixture
def real(tmp_path: Path, site_settings: Settings, site_assemblers: dict[str, PromptAssembler]) -> Iterator[TurnHandler]:
    settings = replace(site_settings, mvp_site_database_url=f"sqlite:///{tmp_path}/campaigns.sqlite3")
    with TurnHandler.open(settings, assembler=site_assemblers["dec_2025"]) as handler:
        yield handler


def fits(name: str, value: Any) -> None:
    found = document(token=True)["components"]
    Draft202012Validator({"$ref": f"#/components/schemas/{name}", "components": found}).validate(value)


@pytest.mark.parametrize(("mode", "audience", "text"), TURNS)
def test_a_whole_turn_by_the_api(make_app: MakeApp, real: TurnHandler, dm_headers: dict[str, str], mode: str, audience: str, text: str) -> None:
    client = make_app(TOKEN, handler=real).test_client()
    body = {"campaign_id": "c", "user_input": text, "mode": mode, "audience": audience}
    response = client.post("/api/turn", json={**body, "state": STATE, "seed": 7}, headers=dm_headers)
    assert response.status_code == 200
    assert response.json["fallback"] is None
    fits("Turn", response.json)
    if audience == "player":
        theirs = client.post("/api/turn", json=body)
        assert theirs.status_code == 200
        fits("PlayerTurn", theirs.json)


def test_whole_turns_by_the_pages(make_app: MakeApp, real: TurnHandler) -> None:
    client: FlaskClient = make_app(handler=real).test_client()
    for mode, audience, text in TURNS:
        response = client.post("/play", data={"campaign": "ashen-keep", "user_input": text, "mode": mode, "audience": audience})
        assert response.status_code == 303, response.text
    page = client.get("/play?campaign=ashen-keep").text
    for _, _, text in TURNS:
        assert text in page
    assert "offline narrator" in page
    records = real.store.turns(campaign_id="ashen-keep")
    assert len(records) == len(TURNS)
    for record in records:
        assert client.get(f"/turns/{record.id}").status_code == 200
        rebuilt = client.get(f"/turns/{record.id}/prompt").text
        assert "byte for byte" in rebuilt
        assert "The state" in rebuilt
    assert "ashen-keep" in client.get("/turns").text


def test_a_record_names_what_the_store_cannot_find(make_app: MakeApp, real: TurnHandler) -> None:
    client = make_app(handler=real).test_client()
    assert client.get("/turns/none").status_code == 404
    assert client.get("/turns?before=none").status_code == 404
    assert client.get("/turns?campaign=none").status_code == 200
    assert client.get("/turns?campaign=%3Cscript%3E").status_code == 400
    assert client.get("/play?campaign=none").status_code == 200
