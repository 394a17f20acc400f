"""What probes are told: whether the server answers, and whether what it needs is there."""

from __future__ import annotations

import resource
import signal
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from mvp_site import Settings
from mvp_site.operations import services
from mvp_site.web.app import create_app

from .conftest import Command, write_prompts

PROBES = ("/livez", "/readyz", "/healthz")
TOKEN = "a token of sixteen characters or more"
TURN = {"campaign_id": "ashen-keep", "user_input": "I listen at the door."}


@pytest.fixture
def app(project: Path, command: Command, monkeypatch: pytest.MonkeyPatch) -> Flask:
    """The app of a new project, in which a turn was played; what a probe says holds for no time."""
    monkeypatch.setattr(services, "FRESH", -1.0)
    monkeypatch.setattr(services, "SECONDS", services.OPENING_SECONDS)  # the machine may be busy
    assert command("init", ".", "--empty").exit_code == 0
    write_prompts(project)
    assert command("index", "build").exit_code == 0
    app = create_app(Settings(), config={"MVP_SITE_PAGE_LIMIT": "2/hour"})
    assert app.test_client().post("/api/turn", json=TURN).status_code == 200
    return app


def statuses(client: FlaskClient, **headers: Any) -> list[int]:
    return [client.get(path, **headers).status_code for path in PROBES]


def test_probes_are_not_counted_among_requests(app: Flask) -> None:
    client = app.test_client()
    assert statuses(client) * 5 == [200] * 15
    assert [client.get("/").status_code for _ in range(3)] == [200, 200, 429]
    assert statuses(client) == [200, 200, 200]
    assert client.get("/healthz").json["status"] == "ok"


@contextmanager
def full() -> Iterator[None]:
    """A disk that takes nothing more."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def damaged(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[4096:] = b"\xa5" * (len(content) - 4096)
    file.write_bytes(content)


def emptied(file: Path) -> None:
    with closing(sqlite3.connect(file)) as database:
        database.execute("DROP TABLE campaign_turns")


def replaced(file: Path) -> None:
    content = file.read_bytes()
    file.rename(file.with_name("away"))
    file.write_bytes(content)


@pytest.mark.parametrize(("harm", "during", "says"), [
    (lambda file: None, full, "make room"), (damaged, nullcontext, "restore it from a backup"),
    (lambda file: file.write_bytes(b"no database" * 9_000), nullcontext, "database"),
    (lambda file: file.write_bytes(b""), nullcontext, "campaigns.sqlite3 failed"), (emptied, nullcontext, "restore it from a backup"),
    (lambda file: file.unlink(), nullcontext, "gone"), (lambda file: [each.unlink() for each in file.parent.glob(f"{file.name}*")], nullcontext, "gone"),
    (replaced, nullcontext, "start again"),
], ids=["full disk", "damaged", "no database", "cut to nothing", "a table gone", "gone", "gone with its log", "replaced"])
def test_a_store_that_fails_is_not_ready_and_takes_no_turn(app: Flask, project: Path, harm: Callable[[Path], None], during: Callable[[], AbstractContextManager[None]], says: str) -> None:
    client = app.test_client()
    assert statuses(client) == [200, 200, 200]
    file = project / "data/campaigns.sqlite3"
    with closing(sqlite3.connect(file)) as database:  # what the log holds outlives harm to the file
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    harm(file)
    with during():
        assert statuses(client) == [200, 503, 503]
        health = client.get("/healthz").json
        assert [client.post("/api/turn", json=TURN).status_code for _ in range(2)] == [503, 503]
    assert health["status"] == "failing"
    assert [check["name"] for check in health["checks"] if not check["ok"]] == ["campaigns", "turns"]
    assert says in str(health), health


def test_players_are_told_of_no_file(app: Flask, project: Path) -> None:
    players = create_app(Settings(mvp_site_dm_token=TOKEN)).test_client()
    assert statuses(players) == [200, 200, 200]
    (project / "data/campaigns.sqlite3").unlink()
    response = players.get("/healthz")
    assert (response.status_code, response.json["status"]) == (503, "failing")
    assert "sqlite" not in response.text


def test_a_disk_that_has_room_again_is_ready_again(app: Flask) -> None:
    client = app.test_client()
    with full():
        assert statuses(client) == [200, 503, 503]
    assert statuses(client) == [200, 200, 200]


def test_what_hangs_is_waited_for_once(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    go, client = threading.Event(), app.test_client()
    asked: list[Any] = []
    stat, join = Path.stat, threading.Thread.join

    def hanging(path: Path, **how: Any) -> Any:
        if path.name == "campaigns.sqlite3":
            asked.append(path)
            go.wait(60)
        return stat(path, **how)

    monkeypatch.setattr(Path, "stat", hanging)
    monkeypatch.setattr(threading.Thread, "join", lambda thread, timeout: join(thread, timeout / 50))
    assert [statuses(client) for _ in range(3)] == [[200, 503, 503]] * 3
    assert len(asked) == 1
    assert "no answer" in client.get("/healthz").text
    go.set()


def test_an_answer_holds_for_a_second(app: Flask, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    client = app.test_client()
    assert client.get("/readyz").json["status"] == "ok"
    monkeypatch.setattr(services, "FRESH", 1e6)
    (project / "data/campaigns.sqlite3").unlink()
    assert client.get("/readyz").status_code == 200
    monkeypatch.setattr(services, "FRESH", -1.0)
    assert client.get("/readyz").status_code == 503


def test_an_engine_that_does_not_answer_is_told_and_turns_go_on(app: Flask) -> None:
    client = create_app(Settings(mvp_site_marqo_url="http://127.0.0.1:9")).test_client()
    health = client.get("/readyz")
    assert (health.status_code, health.json["status"]) == (200, "degraded")
    assert [check["name"] for check in health.json["checks"] if not check["ok"]] == ["engine"]
    assert client.post("/api/turn", json=TURN).status_code == 200
