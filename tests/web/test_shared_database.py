"""Two servers of one PostgreSQL: who is signed in, who waits, and what they say while it is stopped."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from flask.testing import FlaskClient

from mvp_site import PromptAssembler, Settings
from mvp_site.operations import services
from mvp_site.web import create_app, limits
from tests.store.test_pooler import own_server  # noqa: F401 (a fixture)

if TYPE_CHECKING:
    from tests.store.postgres import Server

pytestmark = [pytest.mark.slow, pytest.mark.postgresql]
TOKEN = "a token of sixteen characters or more"
CONFIG = {limits.API: "6/minute", limits.ATTEMPTS: "4/minute"}
WITHIN = 30


@pytest.fixture
def two(site_settings: Settings, site_assemblers: dict[str, PromptAssembler], own_server: Server) -> Iterator[tuple[FlaskClient, FlaskClient]]:  # noqa: F811
    """A client of each of two servers."""
    settings = replace(site_settings, mvp_site_dm_token=TOKEN, mvp_site_database_url=own_server.url(own_server.create()), mvp_site_database_timeout=3)
    with ExitStack() as closing:
        apps = [create_app(settings, config=CONFIG, assemblers=site_assemblers) for _ in range(2)]
        for app in apps:
            closing.callback(app.extensions["services"].close)
        yield apps[0].test_client(), apps[1].test_client()


def test_who_signs_in_at_one_is_known_at_the_other(two: tuple[FlaskClient, FlaskClient]) -> None:
    first, second = two
    assert first.post("/sign-in", data={"token": TOKEN}).status_code == 303
    cookie = first.get_cookie("mvp_site_session")
    assert cookie is not None
    second.set_cookie("mvp_site_session", cookie.value)
    assert [client.get("/operations").status_code for client in two] == [200, 200]
    assert second.post("/sign-out").status_code == 303
    assert first.get("/operations").status_code == 401


def test_wrong_tokens_and_requests_count_at_both(two: tuple[FlaskClient, FlaskClient]) -> None:
    def statuses(times: int, **request: Any) -> list[int]:
        return [two[at % 2].get("/api/releases", **request).status_code for at in range(times)]

    wrong = {"headers": {"Authorization": "Bearer of another token"}}
    assert statuses(6, **wrong) == [401] * 4 + [429] * 2
    elsewhere = {"environ_overrides": {"REMOTE_ADDR": "10.9.8.7"}}
    assert statuses(8, **elsewhere) == [200] * 6 + [429] * 2
    assert statuses(1, environ_overrides={"REMOTE_ADDR": "10.9.8.6"}) == [200]


def test_a_stopped_database_is_told_within_a_second(two: tuple[FlaskClient, FlaskClient], own_server: Server, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    """What needs no database is answered; once it goes on, so do all servers, by themselves."""
    monkeypatch.setattr(services, "FRESH", -1.0)
    for client in two:
        assert client.get("/readyz").status_code == 200
        assert client.get("/api/releases").status_code == 200
    own_server.freeze()
    try:
        for client in two:
            began = time.monotonic()
            ready = client.get("/readyz")
            assert (ready.status_code, time.monotonic() - began < 1.5) == (503, True)
            assert "gave no answer" in client.get("/healthz", headers={"Authorization": f"Bearer {TOKEN}"}).text
            assert client.get("/livez").status_code == 200
        for _ in range(2):  # counted here meanwhile
            began = time.monotonic()
            assert (two[0].get("/api/releases").status_code, time.monotonic() - began < 1.5) == (200, True)
    finally:
        own_server.freeze(signal.SIGCONT)
    ended = time.monotonic() + WITHIN
    while {client.get("/readyz").status_code for client in two} != {200}:
        assert time.monotonic() < ended
        time.sleep(0.2)
