"""The real thing as a subprocess: nothing but the protocol is on its standard output."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters

from ..conftest import REPOSITORY


def server(tmp_path: Path, *arguments: str) -> StdioServerParameters:
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), "MVP_SITE_DATA_DIR": str(tmp_path / "data"), "PROMPT_INDEX_DIR": str(tmp_path / "index")}
    return StdioServerParameters(command=sys.executable, args=list(arguments), env=environment, cwd=str(tmp_path))


async def test_a_command_serves_tools_and_says_which_command_mends_it(tmp_path: Path) -> None:
    async with Client(server(tmp_path, "-m", "mvp_site", "mcp")) as client:
        assert "lookup_spell" in {one.name for one in (await client.list_tools()).tools}
        found = await client.call_tool("lookup_spell", {"name": "fireball"})
        assert found.is_error
        assert "mvp-site entities build" in found.content[0].text  # type: ignore[union-attr]


def lines(tmp_path: Path, *messages: dict[str, Any]) -> tuple[list[str], str]:
    """What a server that prints answers to messages, line by line, and its standard error."""
    of = server(tmp_path, "-m", "tests.mcp_server.stray")
    with subprocess.Popen(
        [of.command, *of.args], env=of.env, cwd=of.cwd, text=True, encoding="utf-8",
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        answers = []
        for message in messages:
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            process.stdin.flush()
            if "id" in message:
                answers.append(process.stdout.readline())
        rest, errors = process.communicate(timeout=60)
        return [*answers, *rest.splitlines()], errors


HELLO: tuple[dict[str, Any], ...] = (
    {"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}},
    {"method": "notifications/initialized"},
)


@pytest.mark.slow
def test_what_prints_prints_elsewhere(tmp_path: Path) -> None:
    said, errors = lines(tmp_path, *HELLO, {"id": 2, "method": "tools/call", "params": {"name": "scan_library", "arguments": {"pages": 3}}})
    assert [json.loads(line)["id"] for line in said] == [1, 2]
    for text in ("a library prints", "and one that was not written in Python"):
        assert text in errors


@pytest.mark.slow
async def test_a_client_that_goes_away_leaves_nothing_half_done(tmp_path: Path) -> None:
    async with Client(server(tmp_path, "-m", "tests.mcp_server.stray")) as client, anyio.create_task_group() as group:
        async def begun(*_: object) -> None:
            group.cancel_scope.cancel()

        await client.call_tool("scan_library", {"at": str(tmp_path / "made")}, progress_callback=begun)
    assert [one.name for one in tmp_path.iterdir()] == ["made.ended"]


def test_what_is_heavy_is_loaded_after_the_first_answer(tmp_path: Path) -> None:
    code = (
        "import sys, click.testing\n"
        "from mvp_site.cli import cli\n"
        "import mvp_site.mcp_server.server as server\n"
        "server.serve_stdio = lambda parts: server.make_server(parts, lambda _: True)\n"
        "click.testing.CliRunner().invoke(cli, ['mcp'], catch_exceptions=False)\n"
        "print(*sorted({name.partition('.')[0] for name in sys.modules}))\n"
    )
    of = server(tmp_path)
    done = subprocess.run([of.command, "-c", code], env=of.env, cwd=of.cwd, text=True, capture_output=True, check=True, timeout=60)
    assert not {"numpy", "faiss", "onnxruntime", "flask", "sqlalchemy", "scipy", "rich", "bm25s"} & set(done.stdout.split())
    assert "mcp" in done.stdout.split()
