"""The tool that asks the campaign, by the SDK's own client."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from mcp import Client

from mvp_site import Settings
from mvp_site.mcp_server import texts
from mvp_site.mcp_server.server import Parts, make_server
from mvp_site.operations.services import Services

from ..engine_doubles import EVIDENCE, SECRET, WHY, KeptNotes, TellingEngine

TEXT = "She could: Counterspell is prepared [1]. It is a reaction [2]."


async def call(engine: TellingEngine, arguments: dict[str, Any], entitled: bool = True) -> Any:
    """What the tool gives, checked by its schema as the SDK's client does."""
    parts = Parts(lambda: Services(Settings(), notes=KeptNotes(), engine=engine))  # type: ignore[arg-type]
    async with Client(make_server(parts, lambda _: entitled)) as client:
        await client.list_tools()
        return await client.call_tool("ask", {"query": "Could I counter it?", **arguments})


async def test_an_answer_is_read_with_its_evidence() -> None:
    found = await call(TellingEngine(), {"character": "Ilse", "campaign": "lantern_road"})
    given, said = found.structured_content, found.content[0].text
    assert (given["text"], given["confidence"], given["errors"][0]["told"]) == (TEXT, 0.82, "the books were not asked")
    assert (given["evidence"][2]["number"], given["evidence"][2]["text"], given["evidence"][2]["citation"]) == (3, EVIDENCE[2].text, "Session 3, Combat")
    for text in (TEXT, "Session 3 is the newest", "citation: Rules, Spells", "within reach cast a spell.", "attribution: SRD 5.1"):
        assert text in said
    assert all(line.startswith(">") for line in said.splitlines())


@pytest.mark.parametrize("by", ["evidence", "openai:small"])
async def test_long_evidence_is_cut_and_said_once(by: str) -> None:
    long = tuple(replace(EVIDENCE[0], id=f"character/{number}", text=f"{number} " * 4_000) for number in range(60))
    engine = TellingEngine(changed={"evidence": long, "by": by, "text": "word " * 4_000, "sentences": ()})
    found = await call(engine, {})
    assert len(str(found.structured_content)) < 2.2 * texts.MOST
    assert ("word" in found.content[0].text) is (by != "evidence")
    assert len(found.content[0].text) < 1.5 * texts.MOST
    evidence = found.structured_content["evidence"]
    assert [one["number"] for one in evidence] == list(range(1, 61))  # what has no room is cited
    assert [one["text"][-1:] for one in evidence] == ["…"] * (shown := sum(bool(one["text"]) for one in evidence)) + [""] * (60 - shown)
    assert (shown > 2) is (by == "evidence")


@pytest.mark.parametrize(("arguments", "entitled", "error", "says"), [
    ({"audience": "dm"}, True, False, SECRET), ({"audience": "dm"}, False, True, "audience 'dm' needs the DM token"), ({"character": "Mordin"}, False, True, "say of which campaign"),
    ({"character": "Mordin"}, True, True, "Mordan in secret_campaign"), ({"query": ""}, False, True, "`query` has 0 characters"),
])
async def test_who_may_ask_what(arguments: dict[str, Any], entitled: bool, error: bool, says: str) -> None:
    found = await call(TellingEngine(), arguments, entitled)
    assert (found.is_error or False, says in found.content[0].text) == (error, True)


async def test_a_player_is_given_no_reasons_and_no_secrets() -> None:
    found = await call(TellingEngine(), {}, entitled=False)
    assert SECRET not in str(found)
    assert WHY not in str(found)
