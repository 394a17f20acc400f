"""Turns told as they go: events in order, framing that no text breaks, and clients that go away."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mvp_site import PromptAssembler, Settings, web
from mvp_site.cli.serve import make_server
from mvp_site.errors import CampaignConflictError, InvalidTurnError, ModelUnavailableError
from mvp_site.store.campaigns import CampaignStore
from mvp_site.turns.handler import TurnHandler
from mvp_site.web import streaming
from tests.test_concurrency import until
from tests.turns.game import CAMPAIGN, STATE, STORY, Replying, broken, calling, counted, raising

from .conftest import TOKEN, MakeApp
from .test_serve import running

Event = tuple[str, Any]
EVENTS = {"Accept": "text/event-stream"}
BODY = {"campaign_id": CAMPAIGN, "user_input": "I ask the merchant for half the price"}
FIRST = {**BODY, "state": STATE, "seed": 7}


@pytest.fixture
def taking(tmp_path: Path, site_settings: Settings, site_assemblers: dict[str, PromptAssembler]) -> Iterator[Callable[..., TurnHandler]]:
    """Makes a handler of a model, over a store of its own."""
    with CampaignStore.from_url(f"sqlite:///{tmp_path}/campaigns.sqlite3") as store:
        yield lambda model, **fields: TurnHandler(replace(site_settings, **fields), site_assemblers["dec_2025"], model, store)


def events_of(lines: Iterable[bytes]) -> Iterator[Event]:
    """What a client by the standard's rules reads: fields to an empty line, comments left out."""
    name, data = "", ""
    for line in lines:
        field, _, value = line.decode().rstrip("\r\n").partition(": ")
        if field == "event":
            name = value
        elif field == "data":
            data += value
        elif not field and data:
            yield name, json.loads(data)
            name = data = ""


def told(found: Iterable[Event]) -> list[str]:
    """The events' names, stages by their own; pieces of narrative that follow each other as one."""
    names: list[str] = []
    for name, data in found:
        word = data["name"] if name == "stage" else name
        if not (word == "narrative" and names[-1:] == ["narrative"]):
            names.append(word)
    return names


def shown(found: Iterable[Event]) -> str:
    text = ""
    for name, data in found:
        text = "" if name == "withdrawn" else text + data["text"] if name == "narrative" else text
    return text


@pytest.mark.parametrize(("replies", "names", "story"), [
    ([counted(1)], ["assembled", "asked", "narrative", "accepted", "result"], STORY),
    ([broken(), counted(1)], ["assembled", "asked", "narrative", "rejected", "withdrawn", "asked", "narrative", "accepted", "result"], STORY),
    (["no", counted(1)], ["assembled", "asked", "rejected", "asked", "narrative", "accepted", "result"], STORY),
    ([ModelUnavailableError("at 10.0.0.1"), counted(1)], ["assembled", "asked", "failed", "asked", "narrative", "accepted", "result"], STORY),
    ([broken(), broken()], ["assembled", *["asked", "narrative", "rejected", "withdrawn"] * 2, "result"], ""),
])
@pytest.mark.parametrize("entitled", [True, False])
def test_a_turn_is_told(make_app: MakeApp, taking: Any, dm_headers: dict[str, str], replies: list[Any], names: list[str], story: str, entitled: bool) -> None:
    handler = taking(Replying(raising(*replies)))
    handler.store.create(CAMPAIGN, STATE)
    response = make_app(TOKEN, handler=handler).test_client().post("/api/turn", json=BODY, headers=EVENTS | (dm_headers if entitled else {}))
    assert (response.status_code, response.content_type) == (200, "text/event-stream")
    assert response.headers["Cache-Control"] == "no-store"
    found = list(events_of(response.data.splitlines()))
    assert (told(found), shown(found)) == (names, story)
    result = found[-1][1]
    assert (result["view"], result["fallback"]) == ("dm" if entitled else "player", None if story else "contract")
    stages = [data for name, data in found if name == "stage"]
    assert all((stage.keys() == {"name", "attempt"}) is not entitled for stage in stages)
    assert ("10.0.0.1" in response.text) is (entitled and "failed" in names)
    assert handler.store.load(CAMPAIGN).turns == 1


@pytest.mark.parametrize("text", ["one\n\nevent: result\ndata: {}\n\n", "\r\rdata: x\r\n", "\u2028event: error\u2029\x0b\x85 é 🜂", ":" * 50, "a" * 5_000])
def test_no_text_breaks_the_framing(make_app: MakeApp, taking: Any, text: str) -> None:
    handler = taking(Replying(raising(counted(1, narrative=text)), pieces=3))
    found = list(events_of(make_app(handler=handler).test_client().post("/api/turn", json=FIRST, headers=EVENTS).data.splitlines()))
    assert told(found) == ["assembled", "asked", "narrative", "accepted", "result"]
    assert shown(found) == text


@pytest.mark.parametrize(("body", "status", "kind"), [
    ({}, 400, "invalid_request"), ({**BODY, "version": "jan_1999"}, 404, "unknown_version"), ({**BODY, "mode": "god"}, 401, "token_required"),
    ({**BODY, "user_input": "god: end it"}, 403, "not_entitled"), ({**BODY, "max_tokens_retrieved": 900_000}, 400, "invalid_turn"),
])
def test_what_cannot_begin_is_an_answer_like_any_other(make_app: MakeApp, taking: Any, body: dict[str, Any], status: int, kind: str) -> None:
    client = make_app(TOKEN, handler=taking(Replying())).test_client()
    response = client.post("/api/turn", json=body, headers=EVENTS)
    assert (response.status_code, response.json["error"]["kind"]) == (status, kind)
    for accept in ("*/*", "text/event-stream;q=0.5, application/json", "text/html"):
        assert client.post("/api/assemble", json={"text": "x"}, headers={"Accept": accept}).content_type == "application/json"


@pytest.mark.parametrize(("error", "kind"), [(CampaignConflictError("faster"), "campaign_conflict"), (InvalidTurnError("x"), "invalid_turn"), (OSError("disk"), "internal")])
def test_what_fails_on_the_way_is_the_last_event(make_app: MakeApp, taking: Any, monkeypatch: pytest.MonkeyPatch, error: Exception, kind: str) -> None:
    handler = taking(Replying())

    def fails(*_: Any) -> None:
        raise error

    monkeypatch.setattr(handler.store, "commit", fails)
    client = make_app(handler=handler, config={"MVP_SITE_TURNS": 1, "RATELIMIT_ENABLED": False}).test_client()
    for _ in range(2):  # the place is given back
        found = list(events_of(client.post("/api/turn", json=FIRST, headers=EVENTS).data.splitlines()))
        assert told(found)[-2:] == ["accepted", "error"]
        assert found[-1][1]["error"]["kind"] == kind


# --- over the wire --------------------------------------------------------------------------------


@contextmanager
def served(monkeypatch: pytest.MonkeyPatch, make_app: MakeApp, handler: TurnHandler) -> Iterator[Callable[[], http.client.HTTPResponse]]:
    """Asks for a turn, told as it goes, of a server that waitress runs."""
    monkeypatch.setattr(streaming, "LOOK", 0.01)
    monkeypatch.setattr(web, "create_app", lambda settings, config: make_app(handler=handler, config={**config, "RATELIMIT_ENABLED": False}))
    server = make_server(None, "127.0.0.1", 0, threads=6)  # type: ignore[arg-type]
    with running(server):
        def ask() -> http.client.HTTPResponse:
            connection = http.client.HTTPConnection("127.0.0.1", server.effective_port, timeout=20)
            connection.request("POST", "/api/turn", json.dumps(FIRST), {**EVENTS, "Content-Type": "application/json"})
            return connection.getresponse()

        yield ask


def test_waitress_sends_each_event_at_once_and_signs_of_life(monkeypatch: pytest.MonkeyPatch, loopback: None, make_app: MakeApp, taking: Any) -> None:
    model = Replying()
    model.gate = threading.Event()
    with served(monkeypatch, make_app, taking(model)) as ask:
        response = ask()
        lines = iter(response)
        assert [next(lines) for _ in range(6)][::3] == [b"event: stage\n"] * 2  # the model has said nothing yet
        assert next(lines) == b":\n"
        model.gate.set()
        assert told(events_of(lines)) == ["narrative", "accepted", "result"]


@pytest.mark.parametrize("after", ["asked", "narrative", "rolled"])
def test_a_client_that_goes_away_leaves_the_campaign_as_it_was(
    monkeypatch: pytest.MonkeyPatch, loopback: None, make_app: MakeApp, taking: Any, after: str,
) -> None:
    first = [calling()] if after == "rolled" else []
    model, let = Replying(raising(*first, counted(1))), threading.Event()
    whole = model._pieces

    def held(reply: Any) -> Iterator[str]:
        *pieces, last = whole(reply)
        yield from pieces
        assert len(model.requests) <= len(first) or let.wait(20)
        yield last

    monkeypatch.setattr(model, "_pieces", held)
    handler, gone = taking(model), threading.Event()
    monkeypatch.setattr(streaming.EventStream, "close", _noting(streaming.EventStream.close, gone))
    with served(monkeypatch, make_app, handler) as ask:
        response = ask()
        for name, data in events_of(response):
            if after in {name, data.get("name")}:
                break
        response.close()
        assert gone.wait(20)
        let.set()
        until(lambda: not handler._locks._queues)  # the turn is over
        assert handler.store.campaigns() == ()


def _noting(close: Callable[[Any], None], done: threading.Event) -> Callable[[Any], None]:
    def closing(self: Any) -> None:
        close(self)
        done.set()
    return closing
