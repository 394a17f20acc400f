"""Streamable HTTP on loopback: the SDK's client, and who is turned away."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from click.testing import CliRunner
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from mvp_site.cli import cli
from mvp_site.mcp_server.http import MAX_BODY, PATH, Guard, listening, make_http
from mvp_site.operations.all import OPERATIONS

from .conftest import TOKEN, MakeParts
from .stray import SCAN

pytestmark = pytest.mark.usefixtures("loopback")
EVERY = (*OPERATIONS, SCAN)
Serves = Callable[..., Any]


@pytest.fixture
def serves(make_parts: MakeParts) -> Serves:
    """Serves in a thread, and gives the port."""
    @contextmanager
    def serve(token: str | None = None) -> Iterator[int]:
        parts = make_parts(EVERY)
        with listening("127.0.0.1", 0) as found:
            server = make_http(parts, "127.0.0.1", token)
            thread = threading.Thread(target=server.run, kwargs={"sockets": [found]})
            thread.start()
            try:
                yield found.getsockname()[1]
            finally:
                server.should_exit = True
                thread.join()
                parts.close()

    return serve


@asynccontextmanager
async def connect(port: int, mode: str, token: str = "") -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with create_mcp_http_client(headers) as plain, Client(streamable_http_client(f"http://127.0.0.1:{port}{PATH}", http_client=plain), mode=mode) as client:
        yield client


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_tools_answer_with_progress_and_rights_are_the_callers(serves: Serves, mode: str) -> None:
    told: list[float] = []

    async def tell(done: float, *_: object) -> None:
        told.append(done)

    with serves(TOKEN) as port:
        for token, allowed in (("", False), (TOKEN, True)):
            async with connect(port, mode, token) as client:
                assert len((await client.list_tools()).tools) > 10
                assert not (await client.call_tool("lookup_spell", {"name": "ember"})).is_error
                found = await client.call_tool("assemble_prompt", {"text": "x", "audience": "dm"})
                assert found.is_error is not allowed
                assert (await client.call_tool("scan_library", {"pages": 9}, progress_callback=tell)).structured_content == {"pages": 9}
    with serves(None) as port:
        async with connect(port, mode) as client:
            assert not (await client.call_tool("assemble_prompt", {"text": "x", "audience": "dm"})).is_error
    assert 9.0 in told


async def test_a_client_that_goes_away_leaves_nothing_half_done(serves: Serves, tmp_path: Path) -> None:
    with serves() as port:
        async with connect(port, "auto") as client, anyio.create_task_group() as group:
            async def begun(*_: object) -> None:
                group.cancel_scope.cancel()

            await client.call_tool("scan_library", {"at": str(tmp_path / "made")}, progress_callback=begun)
        while not (tmp_path / "made.ended").exists():
            await anyio.sleep(0)
    assert [one.name for one in tmp_path.iterdir()] == ["made.ended"]


HELLO = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
    "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}})
PLAIN = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


def posted(port: int, headers: dict[str, str], body: str = HELLO) -> tuple[int, str]:
    asking = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        asking.request("POST", PATH, body, {**PLAIN, **headers})
        answer = asking.getresponse()
        return answer.status, answer.read(500).decode()
    finally:
        asking.close()


@pytest.mark.parametrize(("token", "cases"), [
    (None, (
        ({}, 200, "protocolVersion"), ({"Origin": "http://127.0.0.1:{port}"}, 200, "protocolVersion"),
        ({"Origin": "https://evil.example"}, 403, "another site's page"), ({"Origin": "null"}, 403, "another site's page"), ({"Sec-Fetch-Site": "cross-site"}, 403, "another site's page"),
        ({"Host": "evil.example"}, 403, "Host header names another machine"), ({"X-Forwarded-For": "127.0.0.1"}, 403, "a proxy (header X-Forwarded-For)"),
    )),
    (TOKEN, (
        ({}, 200, "protocolVersion"), ({"Authorization": f"Bearer {TOKEN}"}, 200, "protocolVersion"), ({"Authorization": "Bearer wrong"}, 401, "not the DM token"),
        ({"Authorization": f"Basic {TOKEN}"}, 401, "not the DM token"), ({"X-Forwarded-For": "10.0.0.1"}, 401, "send 'Authorization: Bearer'"),
        ({"Host": "evil.example"}, 401, "send 'Authorization: Bearer'"), ({"Origin": "https://evil.example", "Authorization": f"Bearer {TOKEN}"}, 403, "another site's page"),
    )),
])
def test_who_may_not_come_in_is_told_why(serves: Serves, token: str | None, cases: Any) -> None:
    with serves(token) as port:
        for headers, status, says in cases:
            answer = posted(port, {name: value.format(port=port) for name, value in headers.items()})
            assert (answer[0], says in answer[1]) == (status, True), (headers, answer)
        if token is None:
            assert posted(port, {}, " " * (MAX_BODY + 1))[0] == 413


def test_who_guesses_waits(serves: Serves) -> None:
    with serves(TOKEN) as port:
        found = [posted(port, {"Authorization": f"Bearer {given}"})[0] for given in [*["guess"] * 11, TOKEN]]
        assert found == [401] * 10 + [429] * 2
        assert posted(port, {})[0] == 200


@pytest.mark.parametrize(("client", "token", "given", "status"), [
    ("10.0.0.9", TOKEN, "", 401), ("10.0.0.9", TOKEN, TOKEN, None), ("10.0.0.9", None, "", 403), ("127.0.0.1", None, "", None), ("::1", None, "", None),
])
async def test_other_machines_show_the_token(client: str, token: str | None, given: str, status: int | None) -> None:
    sent: list[Any] = []

    async def app(scope: Any, *_: object) -> None:
        sent.append(scope)

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        raise AssertionError

    headers = [(b"host", b"localhost:1"), *([(b"authorization", f"Bearer {given}".encode())] if given else [])]
    await Guard(app, token)({"type": "http", "client": (client, 5), "headers": headers, "method": "POST", "path": PATH}, receive, send)
    assert sent[0].get("status") == status


def test_the_command_says_what_is_wrong() -> None:
    with listening("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        said = CliRunner().invoke(cli, ["mcp", "--http", "--port", str(port)])
        assert said.exit_code == 1
        assert f"cannot listen on 127.0.0.1, port {port}" in said.stderr
    said = CliRunner().invoke(cli, ["mcp", "--http", "--host", "0.0.0.0"])
    assert said.exit_code == 1
    assert "set MVP_SITE_DM_TOKEN, or listen on 127.0.0.1" in said.stderr
