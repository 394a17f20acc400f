"""What tools take and give, driven by the SDK's client in both eras of the protocol."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcp import Client
from mcp.shared.exceptions import MCPError

from mvp_site.mcp_server import texts
from mvp_site.mcp_server.tools import TOOLS
from mvp_site.operations.entities import EntityResults


@pytest.mark.parametrize("client", ["auto", "legacy"], indirect=True)
async def test_every_tool_says_what_it_takes_and_gives(client: Client) -> None:
    tools = {one.name: one for one in (await client.list_tools()).tools}
    assert list(tools) == [*TOOLS]
    for name, one in tools.items():
        for schema in (one.input_schema, one.output_schema):
            assert schema is not None
            Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object"
            assert "#/components" not in str(schema)
        assert one.annotations is not None
        assert (one.annotations.read_only_hint, one.annotations.open_world_hint) == (TOOLS[name].read_only, TOOLS[name].open_world)
        for field, schema in one.input_schema["properties"].items():
            assert schema.get("description"), (name, field)


async def test_a_turn_is_taken_once_by_its_key(client: Client) -> None:
    asked = {"campaign_id": "quay", "user_input": "I wait at the harbour.", "idempotency_key": "k-1"}
    first, again = [(await client.call_tool("take_turn", asked)).structured_content for _ in range(2)]
    assert first == again
    assert first["response"]["narrative"]
    later = await client.call_tool("take_turn", {**asked, "idempotency_key": "k-2"})
    assert later.structured_content["turn_id"] != first["turn_id"]
    other = await client.call_tool("take_turn", {**asked, "user_input": "I run."})
    assert "'k-1' was sent with another turn" in other.content[0].text  # type: ignore[union-attr]


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("lookup_spell", {"lvl": 3}, "unknown field 'lvl'; the fields are casting_time, class,"),
    ("lookup_spell", {"limit": 0}, "`limit` is 0; it must be at least 1"),
    ("lookup_spell", {"ritual": "x"}, "`ritual` is a string; it must be true or false"),
    ("lookup_creature", {"cr": "many"}, "write 5 or 1/4"),
    ("lookup_equipment", {"type": "spell"}, "looked up here are weapons, armor"),
    ("search_entities", {"entity_type": "speels"}, "Invalid entity type 'speels'"),
    ("search_entities", {"entity_type": "spells", "filters": {"lvl": 3}}, "level"),
    ("search_entities", {}, "`entity_type` is missing"),
    ("get_entity", {"entity_type": "spells", "slug": "ember-lamce"}, "ember-lance"),
    ("query_rulebook", {"intention": "spell_detail"}, "spell_details"),
    ("assemble_prompt", {"text": "x", "audience": "king"}, "it must be one of player, dm, god"),
    ("assemble_prompt", {"text": "x", "version": "none"}, "existing versions: dec_2025, mar_2026"),
]


async def test_a_wrong_call_says_what_mends_it(client: Client) -> None:
    for name, arguments, says in WRONG:
        answer = await client.call_tool(name, arguments)
        assert (answer.is_error, says in answer.content[0].text) == (True, True), answer  # type: ignore[union-attr]
    with pytest.raises(MCPError, match="unknown tool 'nope'; the tools are ask_books"):
        await client.call_tool("nope", {})


async def test_a_value_may_stand_alone_and_null_asks_for_nothing(client: Client) -> None:
    for arguments in ({"class": "bard"}, {"class": ["bard", "druid"], "level": 3}, {"level": 1.0, "level_max": None}):
        assert (await client.call_tool("lookup_spell", arguments)).structured_content["total"] >= 1


def entity(slug: str, **more: Any) -> dict[str, Any]:
    return {"slug": slug, "name": slug.title(), "document": "SRD 5.1", "entity_type": "spells", "_score": .5, "level": 2, "school": "Evocation", **more}


def test_the_better_a_result_the_more_of_it_is_given() -> None:
    long = [entity(f"s{number}", desc="word " * 2_000) for number in range(20)]
    found = texts.cut_results(EntityResults(tuple(long), 20, {}, False, ""))
    sizes = [len(one["desc"]) for one in found.results]
    assert sizes == sorted(sizes, reverse=True)
    assert sum(sizes) < texts.MOST + 20 * texts.LEAST
    assert all(one["cut"] and one["desc"].endswith("…") and one["level"] == 2 for one in found.results)
    whole = texts.cut_results(EntityResults((entity("s", desc="x" * 3_000),), 1, {}, False, ""))
    assert len(whole.results[0]["desc"]) == 3_000
    assert "cut" not in whole.results[0]
