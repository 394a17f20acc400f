"""The guide names the tools, resources, prompts and limits that there are."""

from __future__ import annotations

import json
import re

from mvp_site.mcp_server import http, server, texts
from mvp_site.mcp_server.prompts import PROMPTS
from mvp_site.mcp_server.tools import RESOURCES, TOOLS

from ..conftest import REPOSITORY

GUIDE = (REPOSITORY / "docs/mcp.md").read_text("utf-8")


def test_the_guide_is_held_to_the_code() -> None:
    rows = re.findall(r"^\| `(\w+)` \| `([\w.-]+)` \|", GUIDE, re.MULTILINE)
    assert rows == [(name, tool.operation) for name, tool in TOOLS.items()]
    for name in (*PROMPTS, *(one.uri for one in RESOURCES)):
        assert f"`{name}`" in GUIDE
    assert (server.THREADS, http.MAX_BODY, texts.MOST) == (8, 1024 * 1024, 12_000)
    for block in re.findall(r"```json\n(.*?)```", GUIDE, re.DOTALL):
        json.loads(block)
