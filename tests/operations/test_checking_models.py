"""What `mvp-site llm check` finds out of servers that can more or less."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from mvp_site.cli import cli
from mvp_site.errors import SettingsError
from mvp_site.llm.protocol import ToolCall, Usage
from mvp_site.operations.all import operation
from mvp_site.operations.requests import Nothing
from mvp_site.operations.services import Services
from tests.llm.loopback import LoopbackServer, loopback  # noqa: F401 (a fixture)
from tests.llm.wire_answers import Answer, Fault


def able(request: dict[str, Any]) -> Answer | Fault:
    """A model that can all that is asked for."""
    text = json.dumps(request)
    used = Usage(5_000, 9, 4_000 if "lantern swings" in text else 0, 0, 3)
    if "draw_card" in text and "The seven of" not in text:
        return Answer("", (ToolCall("c", "draw_card", "{}"),), usage=used, model="gpt-5-mini")
    said = "The seven." if "draw_card" in text else '{"bird": "wren"}' if "Name a bird" in text else "Heron"
    return Answer(said, usage=used, model="gpt-5-mini")


def unable(request: dict[str, Any]) -> Answer | Fault:
    """A model that knows no tools, no cache, and thinks; its server has no prices."""
    if request.get("tools"):
        return Fault("status", 400, body={"error": {"message": "does not support tools", "type": "api_error"}})
    return Answer("Yes.", usage=Usage(100, 9, 0, 0, 5))


def refusing(request: dict[str, Any]) -> Answer | Fault:
    """A server whose profile promises more than it can."""
    return Fault("status", 400) if "response_format" in request else able(request)


ABLE = dict.fromkeys(("answers, as a stream", "system role", "thinks", "tools", "structured output", "cache"), True)


@pytest.mark.parametrize(("name", "server", "works", "settings"), [
    ("openai-chat:gpt-5-mini", able, ABLE,
     ["MVP_SITE_LLM_EFFORT=low"]),
    ("openai:local", unable, {"answers, as a stream": True, "system role": False, "thinks": True, "tools": False, "structured output": False, "cache": False},
     ["MVP_SITE_LLM_TOOLS=0", "MVP_SITE_CONTEXT_TOKENS=N", "MVP_SITE_LLM_EFFORT=low", "MVP_SITE_LLM=..."]),
    ("openai:local", able, ABLE, ["MVP_SITE_LLM_STRUCTURED=1", "MVP_SITE_CONTEXT_TOKENS=N", "MVP_SITE_LLM_EFFORT=low"]),
    ("vllm:local", refusing, ABLE | {"structured output": False}, ["MVP_SITE_LLM_STRUCTURED=0", "MVP_SITE_CONTEXT_TOKENS=N", "MVP_SITE_LLM_EFFORT=low"]),
])
def test_what_a_model_can_do(name: str, server: Any, works: dict[str, bool | None], settings: list[str], loopback: LoopbackServer) -> None:  # noqa: F811
    loopback.responder = server
    check = operation("llm.check").run(Services(loopback.settings(name)), Nothing(), True)
    assert {row.name: row.works for row in check.capabilities} == works
    assert [line.partition("  #")[0] for line in check.settings] == settings
    assert (check.usage.cost is None) == name.endswith(":local")
    assert check.model == name


def test_the_command(loopback: LoopbackServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:  # noqa: F811
    loopback.responder = able
    settings = loopback.settings("openai-chat:gpt-5-mini")
    for field in ("mvp_site_llm", "mvp_site_llm_base_url", "openai_api_key"):
        monkeypatch.setenv(field.upper(), getattr(settings, field))
    shown = CliRunner().invoke(cli, ["llm", "check"])
    assert shown.exit_code == 0
    assert "openai-chat:gpt-5-mini, window 400,000 tokens, " in shown.output.replace("\n", " ")
    written = json.loads(CliRunner().invoke(cli, ["llm", "check", "--json"]).stdout)
    assert [row["name"] for row in written["capabilities"]][-1] == "cache"


def test_without_a_model() -> None:
    from mvp_site import Settings

    with pytest.raises(SettingsError, match="MVP_SITE_LLM names no model to check"):
        operation("llm.check").run(Services(Settings()), Nothing(), True)
