"""MCP over HTTP: who is answered behind a proxy, and clients that never say goodbye."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import uvicorn
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from pytest_socket import enable_socket
from starlette.testclient import TestClient

from .conftest import Command

TOKEN = "a token of sixteen characters or more"
ADDRESS = "http://127.0.0.1:8765"
HELLO = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
    "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}
Serve = Callable[..., Any]


@pytest.fixture
def serve(command: Command, monkeypatch: pytest.MonkeyPatch) -> Serve:
    """Runs ``mvp-site mcp --http``, and asks in place of listening: ``serve(ask, token)``."""
    def run(ask: Callable[[TestClient], Any], token: str = "", host: str = "127.0.0.1") -> Any:
        answers: list[Any] = []

        def asked(server: uvicorn.Server, sockets: Any) -> None:
            with TestClient(server.config.app, ADDRESS, client=("127.0.0.1", 50_000)) as client:
                answers.append(ask(client))

        monkeypatch.setenv("MVP_SITE_DM_TOKEN", token) if token else monkeypatch.delenv("MVP_SITE_DM_TOKEN", raising=False)
        monkeypatch.setattr(uvicorn.Server, "run", asked)
        enable_socket()
        said = command("mcp", "--http", "--port", "0", "--host", host)
        assert said.exit_code == 0, said.stderr
        return answers[0]
    return run


def hello(client: TestClient, **headers: str) -> Any:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.post("/mcp", json=HELLO, headers={"Accept": "application/json, text/event-stream", **named})


@pytest.mark.parametrize(("token", "shown", "host", "status"), [
    (TOKEN, TOKEN, "play.example", 200), (TOKEN, TOKEN, "play.example:8443", 200), (TOKEN, TOKEN, "mcp", 200), (TOKEN, TOKEN, "10.1.2.3:8765", 200), (TOKEN, TOKEN, "127.0.0.1:8765", 200),
    (TOKEN, "another token", "play.example", 401), (TOKEN, "", "play.example", 401), (TOKEN, "", "127.0.0.1:8765", 200),
    ("", "", "play.example", 403), ("", TOKEN, "play.example", 403), ("", "", "127.0.0.1:8765", 200),
])
@pytest.mark.parametrize("way", [{}, {"X_Forwarded_For": "203.0.113.7"}], ids=["straight", "through a proxy"])
def test_the_token_counts_and_not_the_name_of_the_host(serve: Serve, token: str, shown: str, host: str, status: int, way: dict[str, str]) -> None:
    shows = {"Authorization": f"Bearer {shown}"} if shown else {}
    if way and status == 200 and not shown:
        status = 401 if token else 403
    assert serve(lambda client: hello(client, Host=host, **shows, **way).status_code, token) == status


def test_a_page_of_the_proxys_own_host_may_ask(serve: Serve) -> None:
    def ask(client: TestClient) -> list[int]:
        shows = {"Host": "play.example", "Authorization": f"Bearer {TOKEN}"}
        return [hello(client, Origin=origin, **shows).status_code for origin in ("https://play.example", "https://evil.example")]

    assert serve(ask, TOKEN) == [200, 403]


def test_sessions_end_and_are_bounded(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    managers: list[StreamableHTTPSessionManager] = []
    made = StreamableHTTPSessionManager.__init__

    def noted(manager: StreamableHTTPSessionManager, *given: Any, **named: Any) -> None:
        made(manager, *given, **named)
        managers.append(manager)

    monkeypatch.setattr(StreamableHTTPSessionManager, "__init__", noted)

    def ask(client: TestClient) -> list[int]:
        managers[0].max_sessions, bound = 3, managers[0].max_sessions
        assert 0 < (bound or 0) <= 1_000
        assert 0 < (managers[0].session_idle_timeout or 0) <= 3_600
        opened = [hello(client) for _ in range(4)]
        named = {"Mcp_Session_Id": opened[0].headers["mcp-session-id"]}
        client.delete("/mcp", headers={"Mcp-Session-Id": named["Mcp_Session_Id"]})
        return [*(one.status_code for one in opened), hello(client, **named).status_code, hello(client).status_code]

    assert serve(ask) == [200, 200, 200, 503, 404, 200]
