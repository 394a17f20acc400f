"""Resources and prompts."""

from __future__ import annotations

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from mvp_site.mcp_server.prompts import PROMPTS
from mvp_site.mcp_server.tools import TOOLS


async def test_resources_are_listed_and_read(client: Client) -> None:
    assert [one.uri for one in (await client.list_resources()).resources] == ["mvp-site://sources", "mvp-site://entities"]
    templates = (await client.list_resource_templates()).resource_templates
    assert [one.uri_template for one in templates] == ["mvp-site://sources/{source_id}", "mvp-site://entities/{entity_type}/{slug}"]
    for uri, says in (("mvp-site://entities", "> - type: spells\n>   entities: 4"), ("mvp-site://entities/spells/ember-lance", "name: Ember Lance")):
        found = await client.read_resource(uri)
        assert (found.contents[0].uri, found.contents[0].mime_type) == (uri, "text/markdown")
        assert says in found.contents[0].text  # type: ignore[union-attr]
    for uri, wrong in (("mvp-site://entities/spells/ember-lamce", "ember-lance"), ("mvp-site://entities/x/y", "Invalid entity type"),
                       ("mvp-site://entities/spells/..%2f..%2fetc", "mvp-site|no entity"), ("file:///etc/passwd", "no resource 'file:///etc/passwd'; there are mvp-site://sources")):
        with pytest.raises(MCPError, match=wrong):
            await client.read_resource(uri)


async def test_every_prompt_is_listed_and_filled(client: Client) -> None:
    listed = (await client.list_prompts()).prompts
    assert [one.name for one in listed] == list(PROMPTS)
    for one in listed:
        arguments = {held.name: f"<{held.name}> {{x}}" for held in one.arguments or ()}
        assert all(held.description for held in one.arguments or ())
        found = (await client.get_prompt(one.name, arguments)).messages
        for said in arguments.values():
            assert said in found[0].content.text  # type: ignore[union-attr]


WRONG: list[tuple[str, dict[str, str], str]] = [
    ("nope", {}, "unknown prompt 'nope'; there are find_spell"), ("find_spell", {}, "`wish` is missing: What the spell should do"),
    ("find_spell", {"wish": " "}, "`wish` is missing"), ("find_spell", {"wish": "fly", "wsh": "x"}, "unknown argument 'wsh'; it takes wish, character_class"),
]


async def test_a_wrong_prompt_is_refused(client: Client) -> None:
    for name, arguments, says in WRONG:
        with pytest.raises(MCPError, match=says):
            await client.get_prompt(name, arguments)


def test_prompts_name_tools_that_there_are() -> None:
    for one in PROMPTS.values():
        words = {word.strip(".,?:") for word in one.text.split() if "_" in word and "{" not in word}
        assert words <= set(TOOLS)
        assert set(one.given) < set(one.arguments)
