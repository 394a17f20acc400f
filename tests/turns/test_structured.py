"""Turns whose model is held to the contract by its provider: the answer is the object alone."""

from __future__ import annotations

import json
from contextlib import closing
from typing import Any

import jsonschema
import pytest

from mvp_site.llm.models import open_model
from mvp_site.llm.object_schema import listed, plain, unlisted
from mvp_site.text.json_values import at
from mvp_site.turns.contracts import BUILT_IN, contract_of, object_form
from mvp_site.turns.handler import Narrative
from mvp_site.turns.routing import TurnRoute
from mvp_site.types import MODES
from tests.llm.loopback import LoopbackServer, loopback  # noqa: F401 (a fixture)
from tests.llm.wire_answers import Answer

from .conftest import MakeHandler
from .game import STORY, answer, first
from .test_contracts import Owning, owning  # noqa: F401 (a fixture)

MODELS = {"openai-chat:gpt-5-mini": "response_format", "openai-responses:gpt-5-mini": "text", "anthropic:claude-haiku-4-5": "output_config", "google:gemini-3-pro-preview": "generationConfig"}


def object_of(raw: str) -> dict[str, Any]:
    whole: dict[str, Any] = json.loads(raw.partition("\n")[2])
    return whole


def mode_schema(mode: str) -> dict[str, Any]:
    schema = plain({"$ref": f"#/$defs/{mode}", "$defs": BUILT_IN.schema()["$defs"]})
    assert schema is not None
    return schema


def as_listed(value: Any, schema: dict[str, Any]) -> Any:
    """An answer as a model in a strict mode gives it: the inverse of ``unlisted``, by hand."""
    if isinstance(value, dict) and not schema.get("properties"):
        free = schema.get("additionalProperties")
        if schema.get("type") != "object":
            return json.dumps(value)
        return [{"key": key, "value": as_listed(part, free if isinstance(free, dict) else {})} for key, part in value.items()]
    if isinstance(value, dict):
        known = {key: as_listed(part, schema["properties"][key]) for key, part in value.items() if key in schema["properties"]}
        others = [{"key": key, "value": json.dumps(part)} for key, part in value.items() if key not in schema["properties"]]
        return known | ({} if schema.get("additionalProperties") is False else {"other_fields": others})
    if isinstance(value, list) and "items" in schema:
        return [as_listed(part, schema["items"]) for part in value]
    return value if {"type", "enum", "const", "anyOf"} & schema.keys() else json.dumps(value)


@pytest.mark.parametrize("mode", MODES)
def test_the_contract_as_a_strict_mode_takes_it(mode: Any) -> None:
    """What is turned back is what was meant, and the listed schema takes what stands for it."""
    updates = {"player_character_data": {"hp_current": 9, "inventory": ["rope"]}, "world_data": {"world_time": {"hour": 4}, "weather": "rain"}}
    whole = object_of(answer(mode)) | ({} if mode == "dm" else {"state_updates": updates})
    schema = mode_schema(mode)
    strict = as_listed(whole, schema)
    jsonschema.validate(whole, schema)
    jsonschema.validate(strict, listed(schema))
    assert unlisted(strict, schema) == whole
    assert unlisted(whole, schema) == whole
    for part in ("properties", "properties/planning_block/properties"):  # grammars have fields written in their order
        assert [*at(schema, *part.split("/"))] == [*at(BUILT_IN.schema()["$defs"]["answer"], *part.split("/"))]
    about = listed(schema)["properties"]["planning_block"]["properties"]["choices"]["description"]
    assert all(part in about for part in ("What the player may do next", "must hold 2 to 6 choices", "One entry a key"))


def test_own_contracts() -> None:
    where = TurnRoute("story", "player", deep_think=False)
    own = {"answer": "json", "narrative": "reply", "schema": {"properties": {"reply": {"type": "string"}}}, "fallback": {"reply": "Again?"}}
    form = object_form(contract_of({"contract.json": json.dumps(own).encode()}), where)
    assert form.schema == own["schema"]
    assert form.whole('{"reply": "Yes."}') == '{"reply": "Yes."}'
    for rules in ([], ["mode_line"]):
        prose = object_form(contract_of({"contract.json": json.dumps({"answer": "text", "rules": rules}).encode()}), where)
        line = {"mode_line": "[Mode: STORY MODE]"} if rules else {}
        given = line | {"narrative": 'She says "no".'}
        jsonschema.validate(given, prose.schema)
        assert [*prose.schema["properties"]] == [*given]  # type: ignore[index]
        told = f"{line.get('mode_line', '')}\nShe says \"no\"."
        assert (prose.whole(json.dumps(given)), prose.whole(json.dumps(given)[:-2])) == (told.lstrip("\n"),) * 2
        assert prose.whole("Plain prose.") == "Plain prose."


def test_a_recursive_schema_is_not_sent() -> None:
    assert plain({"$ref": "#/$defs/a", "$defs": {"a": {"properties": {"b": {"$ref": "#/$defs/a"}}}}}) is None


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("streamed", [False, True])
def test_a_turn(make_handler: MakeHandler, loopback: LoopbackServer, name: str, streamed: bool) -> None:  # noqa: F811
    whole = object_of(answer())
    said = as_listed(whole, mode_schema("story")) if name.startswith("anthropic") else whole
    loopback.responder = lambda _: Answer(json.dumps(said))
    settings = loopback.settings(name)
    fields = {field: getattr(settings, field) for field in ("mvp_site_llm", "mvp_site_llm_base_url", "openai_api_key", "anthropic_api_key", "google_api_key", "mvp_site_llm_timeout")}
    with closing(open_model(settings)) as model:
        handler = make_handler(model, **fields)
        events = [*handler.stream(first())] if streamed else [handler.handle(first())]
    result: Any = events[-1]
    assert [attempt.violations for attempt in result.attempts] == [()]
    assert result.text.partition("\n")[0] == "[Mode: STORY MODE]"
    assert result.response == whole
    assert "".join(event.text for event in events if isinstance(event, Narrative)) == (STORY if streamed else "")
    sent = loopback.seen[-1].body[MODELS[name]]
    assert "risk_level" in json.dumps(sent)
    assert ("other_fields" in json.dumps(sent)) == name.startswith("anthropic")


@pytest.mark.parametrize("name", ["groq:openai/gpt-oss-20b", "openai:local", "vllm:qwen3", "ollama:qwen3"])
def test_a_turn_without_tools(make_handler: MakeHandler, loopback: LoopbackServer, name: str, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    """Where a schema leaves no calls of tools, it is sent when the rolls lie in a tray."""
    monkeypatch.setenv("GROQ_API_KEY", "k")
    loopback.responder = lambda _: Answer(answer().partition("\n")[2])
    settings = loopback.settings(name, mvp_site_llm_tools=False, mvp_site_llm_structured=name == "openai:local" or None)
    with closing(open_model(settings)) as model:
        *events, result = make_handler(model, mvp_site_llm_tools=False).stream(first())
    assert result.text == answer()  # type: ignore[union-attr]
    assert "".join(event.text for event in events if isinstance(event, Narrative)) == STORY
    assert "risk_level" in json.dumps(loopback.seen[-1].body["response_format"])


def test_a_model_that_writes_the_mode_line_all_the_same(make_handler: MakeHandler, loopback: LoopbackServer) -> None:  # noqa: F811
    """Where tools leave no room for a schema, the answer comes as the header has it."""
    loopback.responder = lambda _: Answer(answer())
    with closing(open_model(loopback.settings("ollama:qwen3"))) as model:
        *events, result = make_handler(model).stream(first())
    assert result.fallback is None  # type: ignore[union-attr]
    assert "".join(event.text for event in events if isinstance(event, Narrative)) == STORY
    assert "response_format" not in loopback.seen[-1].body


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("rules", [[], ["mode_line"]])
@pytest.mark.parametrize("plain_prose", [False, True])
def test_prose_comes_in_an_object(owning: Owning, loopback: LoopbackServer, name: str, rules: list[str], plain_prose: bool) -> None:  # noqa: F811
    """Nothing stands around it then; a server that takes the schema and does not keep it gives it as the header has it."""
    told = "The tower waves you in.\n\n{Berth four}, it says: \u201cmind the clamps\u201d."
    line = "[Mode: STORY MODE]\n" * bool(rules)
    loopback.responder = lambda _: Answer(f"{line}{told}" if plain_prose else json.dumps(dict.fromkeys(["mode_line"] * bool(rules), line.strip()) | {"narrative": told}))
    settings = loopback.settings(name)
    with closing(open_model(settings)) as model:
        *events, result = owning({"answer": "text", "rules": rules}, model).stream(first("I radio the tower"))
    assert (result.response, result.text, result.attempts[0].warnings) == ({"narrative": told}, f"{line}{told}", ())  # type: ignore[union-attr]
    assert "".join(event.text for event in events if isinstance(event, Narrative)) == told
    assert ("mode_line" in json.dumps(loopback.seen[-1].body[MODELS[name]])) == bool(rules)


@pytest.mark.parametrize(("wrong", "sent"), [
    ({"narrative": None}, "response_format"), ({"dice_rolls": [{"roll_id": "r1"}]}, "tools"), ({"state_updates": {"world_data": {"world_time": {"hour": 3}}}}, "tools"),
])
def test_an_answer_of_the_wrong_form_is_asked_for_without_tools(make_handler: MakeHandler, loopback: LoopbackServer, wrong: dict[str, Any], sent: str) -> None:  # noqa: F811
    """Where a provider takes no schema beside tools. What may want a roll keeps them."""
    loopback.put(Answer(answer(**wrong)), Answer(answer().partition("\n")[2]))
    with closing(open_model(loopback.settings("ollama:qwen3"))) as model:
        *_, result = make_handler(model).stream(first())
    assert (result.fallback, len(result.attempts)) == (None, 2)  # type: ignore[union-attr]
    assert [[key for key in ("tools", "response_format") if key in seen.body] for seen in loopback.seen] == [["tools"], [sent]]
