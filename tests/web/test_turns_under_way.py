"""Turns hold threads while they wait: how many may, and what the others are told."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from flask.testing import FlaskClient

from mvp_site import web
from mvp_site.cli.serve import make_server
from mvp_site.turns.types import TurnRequest

from .conftest import TOKEN, MakeApp
from .doubles import TellingHandler, answer
from .test_serve import running


class Slow(TellingHandler):
    """A handler whose model says nothing until it is let go."""

    def __init__(self) -> None:
        super().__init__(tell=self._wait)
        self.begun, self.go = threading.Semaphore(0), threading.Event()

    def _wait(self, request: TurnRequest) -> dict[str, Any]:
        self.begun.release()
        assert self.go.wait(60)
        return answer()


@pytest.fixture
def slow() -> Iterator[Slow]:
    """A slow handler, let go in the end."""
    handler = Slow()
    yield handler
    handler.go.set()


def turn(client: FlaskClient, campaign: str, **more: Any) -> Any:
    return client.post("/api/turn", json={"campaign_id": campaign, "user_input": "I wait.", **more})


@pytest.mark.parametrize(("under_way", "campaign", "status", "kind"), [
    (["a"], "a", 200, None), (["a", "a"], "a", 409, "campaign_busy"), (["a", "a"], "b", 200, None), (["a", "a", "b"], "c", 503, "busy"), (["a", "a", "b"], "a", 409, "campaign_busy"),
])
def test_who_finds_no_place_is_told_to_come_back(
    make_app: MakeApp, slow: Slow, under_way: list[str], campaign: str, status: int, kind: str | None,
) -> None:
    app = make_app(handler=slow, config={"MVP_SITE_TURNS": 3, "RATELIMIT_ENABLED": False})
    with ThreadPoolExecutor() as pool:
        before = [pool.submit(turn, app.test_client(), name) for name in under_way]
        for _ in under_way:
            assert slow.begun.acquire(timeout=60)
        if kind is None:
            slow.go.set()
        found = turn(app.test_client(), campaign)
        page = app.test_client().post("/play", data={"campaign": campaign, "user_input": "I wait, too."})
        read = app.test_client().get("/healthz"), app.test_client().get("/play?campaign=a")
        slow.go.set()
        assert [one.result().status_code for one in before] == [200 for _ in under_way]
    assert (found.status_code, [one.status_code for one in read]) == (status, [200, 200])
    if kind is not None:
        assert (found.json["error"]["kind"], page.status_code) == (kind, status)
        assert found.headers["Retry-After"] == page.headers["Retry-After"] == "5"
        assert "I wait, too." in page.text
    for name in ("a", "b", "c"):  # and every place is free again
        assert turn(app.test_client(), name).status_code == 200


def large(client: FlaskClient, campaign: str, headers: Mapping[str, str] | None = None) -> Any:
    body = json.dumps({"campaign_id": campaign, "user_input": "I wait."}) + " " * 140_000
    return client.post("/api/turn", data=body, content_type="application/json", headers=headers)


def test_one_large_body_of_a_player_is_read_at_once(make_app: MakeApp, slow: Slow, dm_headers: dict[str, str]) -> None:
    app = make_app(TOKEN, handler=slow)
    with ThreadPoolExecutor() as pool:
        before = pool.submit(large, app.test_client(), "a")
        assert slow.begun.acquire(timeout=60)
        found = large(app.test_client(), "c")
        trusted = pool.submit(large, app.test_client(), "b", dm_headers)
        assert slow.begun.acquire(timeout=60)
        slow.go.set()
        small = turn(app.test_client(), "c")
        assert [before.result().status_code, trusted.result().status_code] == [200, 200]
    assert (found.status_code, found.json["error"]["kind"], found.headers["Retry-After"]) == (503, "busy", "5")
    assert small.status_code == 200
    client = app.test_client()  # what is refused gives its place back, too
    for _ in range(3):
        assert client.post("/api/turn", data=b"[" * 200_000, content_type="application/json").status_code == 400
    assert large(client, "c").status_code == 200


@pytest.mark.parametrize("threads", [8])
def test_a_slow_model_leaves_threads_to_the_rest(
    monkeypatch: pytest.MonkeyPatch, loopback: None, make_app: MakeApp, slow: Slow, threads: int,
) -> None:
    monkeypatch.setattr(web, "create_app", lambda settings, config: make_app(handler=slow, config={**config, "RATELIMIT_ENABLED": False}))
    with running(make_server(None, "127.0.0.1", 0, threads)) as ask, ThreadPoolExecutor(3 * threads) as pool:  # type: ignore[arg-type]
        body = b'{"campaign_id": "%d", "user_input": "I wait."}'
        turns = [pool.submit(ask, "POST", "/api/turn", body % (n // 2), Content_Type="application/json") for n in range(3 * threads)]
        for _ in range(max(1, threads - 4)):
            assert slow.begun.acquire(timeout=60)
        assert ask("GET", "/healthz")[0] == 200
        slow.go.set()
        assert {one.result()[0] for one in turns} == {200, 503}
