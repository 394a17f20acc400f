"""The OpenAPI document: schemathesis holds the app to it, as the DM, as a player, and on one's own machine."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from flask import Flask
from flask.testing import FlaskClient
from jsonschema import Draft202012Validator
from schemathesis.engine import events, from_schema

from mvp_site.web.openapi import document

from ..engine_doubles import KeptNotes, TellingEngine
from .conftest import TOKEN, MakeApp
from .entity_doubles import WordsIndex
from .library_doubles import HereLibrary

EXAMPLES = 12
ROUTES = {"POST /api/assemble", "POST /api/retrieve", "GET /api/archive/usage", "POST /api/campaign/limit", "POST /api/campaign/rename", "POST /api/campaign/delete", "POST /api/turn", "GET /api/campaigns", "GET /api/campaigns/{campaign_id}", "GET /api/campaigns/{campaign_id}/turns", "GET /api/turns/{turn_id}", "GET /api/campaigns/{campaign_id}/export", "POST /api/turn/undo", "POST /api/turn/retake", "POST /api/turn/branch", "POST /api/rulebook/query", "POST /api/rulebook/search", "POST /api/rulebook/sections", "GET /api/releases", "POST /api/releases/promote", "POST /api/releases/roll_back", "GET /healthz", "GET /metrics",
              "GET /api/entities", "GET /api/entities/search", "GET /api/entities/{entity_type}", "GET /api/entities/{entity_type}/{slug}", "GET /api/entities/{entity_type}/{reference_slug}/similar",
              "GET /api/library", "POST /api/library/ask", "POST /api/library/scan", "POST /api/library/extract", "POST /api/library/bind",
              "POST /api/ask", "POST /api/corrections/add", "POST /api/corrections/remove", "POST /api/corrections/list", "POST /api/campaign/begin", "GET /api/sessions", "GET /api/sessions/template", "POST /api/sessions/import", "POST /api/sessions/forget", "GET /api/characters", "POST /api/characters/import", "POST /api/characters/forget"}
"""All but the document's own, which it fetches and does not test."""


REFUSALS = ["400", "401", "403", "404", "405", "409", "413", "415", "429"]
"""Beside its own list 413: what breaks a schema by its length may be over the limit of all bodies."""


def run(app: Flask, headers: dict[str, str]) -> tuple[set[str], list[str]]:
    """What schemathesis asked for in all its phases, and every failure it found."""
    inner = app.wsgi_app
    app.wsgi_app = lambda environ, start: inner({**environ, "REMOTE_ADDR": "127.0.0.1"}, start)  # type: ignore[method-assign]
    config = schemathesis.Config.from_dict({
        "generation": {"max-examples": EXAMPLES, "deterministic": True, "allow-x00": False}, "headers": headers,
        "checks": {
            "negative_data_rejection": {"expected-statuses": REFUSALS},
            # Its probes without the header do not work in process; the player's run asks without.
            "ignored_auth": {"enabled": not headers},
        },
        # No schema can say which continuations have been given, which sections, documents, books or characters there are, or which fields a type has.
        "operations": [
            {"include-path": path, "checks": {"positive_data_acceptance": {"expected-statuses": ["2xx", *REFUSALS]}}}
            for path in ("/api/rulebook/query", "/api/entities/search", "/api/entities/{entity_type}", "/api/library", "/api/library/ask", "/api/library/extract",
                         "/api/library/bind", "/api/ask", "/api/corrections/add", "/api/corrections/remove", "/api/rulebook/sections", "/api/campaign/begin", "/api/sessions/import", "/api/characters/import")
        ],
    })
    loaded = schemathesis.openapi.from_wsgi("/openapi.json", app, config=config, headers=headers)
    asked: set[str] = set()
    failures: list[str] = []
    for event in from_schema(loaded).execute():
        if isinstance(event, events.ScenarioFinished):
            for case in event.recorder.cases.values():
                asked.add(case.value.operation.label)
            for checks in event.recorder.checks.values():
                failures += [f"{event.label}: {check.failure_info.failure}" for check in checks if check.failure_info]
        elif isinstance(event, events.NonFatalError):
            failures.append(f"{event.label}: {event.info.format()}")
        elif isinstance(event, events.FatalError):
            raise event.exception
    return asked, failures


@pytest.mark.slow
@pytest.mark.parametrize("caller", ["local", "player", "dm"])
def test_schemathesis_finds_nothing(make_app: MakeApp, caller: str, dm_headers: dict[str, str], library: HereLibrary) -> None:
    app = make_app(None if caller == "local" else TOKEN, entities=WordsIndex(), library=library, notes=KeptNotes(), engine=TellingEngine())
    asked, failures = run(app, dm_headers if caller == "dm" else {})
    assert failures == []
    assert asked == ROUTES


def validator(app_document: dict[str, Any], name: str) -> Draft202012Validator:
    return Draft202012Validator({"$ref": f"#/components/schemas/{name}", "components": app_document["components"]})


@pytest.mark.parametrize("token", [False, True])
def test_every_schema_of_the_document_is_one(token: bool) -> None:
    found = document(token=token)
    for schema in found["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)
    assert ("securitySchemes" in found["components"]) is token
    named = {name for path in found["paths"].values() for operation in path.values() for name in operation["responses"]}
    assert {"200", "4XX", "5XX", "503"} == named


def test_the_answers_fit_whose_they_are_and_no_other(player: FlaskClient, dm: FlaskClient) -> None:
    body = {"text": "How much damage does a fall do?"}
    turn = {"campaign_id": "c", "user_input": "x"}
    for path, sent, whole, theirs in (("/api/assemble", body, "Assembled", "PlayerAssembled"), ("/api/turn", turn, "Turn", "PlayerTurn")):
        found = document(token=True)
        for client, fits, not_ in ((dm, whole, theirs), (player, theirs, whole)):
            value = client.post(path, json=sent).json
            validator(found, fits).validate(value)
            assert not validator(found, not_).is_valid(value)


def test_the_document_is_the_one_that_is_served(local: FlaskClient, player: FlaskClient) -> None:
    assert local.get("/openapi.json").json == document(token=False)
    assert player.get("/openapi.json").json == document(token=True)
