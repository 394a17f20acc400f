"""The official inspector's command line lists every tool and calls some; npm fetches it."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from .test_stdio import server
from .test_tools import CALLS

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900), pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed")]


@pytest.fixture(scope="module")
def inspector(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its program."""
    at = tmp_path_factory.mktemp("inspector")
    done = subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(at), "@modelcontextprotocol/inspector"], check=False, timeout=200)
    if done.returncode:
        pytest.skip("npm could not fetch @modelcontextprotocol/inspector")
    return at / "node_modules/.bin/mcp-inspector"


def asked(inspector: Path, tmp_path: Path, *arguments: str) -> Any:
    of = server(tmp_path, "-m", "tests.mcp_server.stray")
    done = subprocess.run([str(inspector), "--cli", of.command, *of.args, *arguments], env=of.env, cwd=of.cwd, text=True, capture_output=True, check=True, timeout=60)
    return json.loads(done.stdout)


def test_it_lists_every_tool_and_calls_some(inspector: Path, tmp_path: Path) -> None:
    listed = [one["name"] for one in asked(inspector, tmp_path, "--method", "tools/list")["tools"]]
    assert set(listed) >= {*CALLS, "scan_library"}
    for name, arguments in [*[*CALLS.items()][::12], ("assemble_prompt", CALLS["assemble_prompt"]), ("scan_library", {"pages": 3})]:
        given = [f"{key}={value if isinstance(value, str) else json.dumps(value)}" for key, value in arguments.items()]
        found = asked(inspector, tmp_path, "--method", "tools/call", "--tool-name", name, *(part for one in given for part in ("--tool-arg", one)))
        # There is no archive here: the tool says so.
        assert found.get("isError", False) is (name == "assemble_prompt"), (name, found)
        assert found["content"][0]["text"]
    # Nothing was scanned here, and entities stand in for the books.
    for name, given, wrong in (("ask_books", ["query=ember"], False), ("list_sources", [], True),
                               ("extract_content", ["source_id=tome", "content_name=Fire"], True)):
        found = asked(inspector, tmp_path, "--method", "tools/call", "--tool-name", name,
                      *(part for one in given for part in ("--tool-arg", one)))
        assert found.get("isError", False) is wrong, (name, found)
        assert "mvp-site library scan" in found["content"][0]["text"]
    assert asked(inspector, tmp_path, "--method", "resources/list")["resources"]
    assert asked(inspector, tmp_path, "--method", "prompts/list")["prompts"]
