"""Streamable HTTP on loopback, by the SDK's client."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from mvp_site.mcp_server.http import PATH, listening, make_http
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
