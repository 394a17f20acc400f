"""A version's own contract: prose or JSON, held from the first attempt to the page."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from mvp_site import PromptAssembler, Settings, build_prompt_index
from mvp_site.archive.answer_form import RULE_FIELDS
from mvp_site.archive.header_files import CONTRACT
from mvp_site.assembly import telemetry
from mvp_site.store.campaigns import CampaignStore
from mvp_site.turns.checking import Facts, check_answer
from mvp_site.turns.contracts import BUILT_IN, Contract, contract_in_force, contract_of
from mvp_site.turns.draft import NO_ANSWER
from mvp_site.turns.handler import Narrative, TurnHandler
from mvp_site.turns.history import compact
from mvp_site.turns.offline import SIGNED, OfflineNarrator
from mvp_site.turns.rules import RULES
from mvp_site.turns.types import TurnResult, Violation
from mvp_site.types import Message
from mvp_site.web.openapi import document
from mvp_site.web.records import answer_view
from tests.scripted import Scripted

from ..conftest import settings_under
from ..doubles import write_version
from ..hashing import HashingEncoder
from .game import STATE, answer, ask, first, said

PROSE: dict[str, Any] = {"answer": "text"}
JSON: dict[str, Any] = {
    "answer": "json", "narrative": "reply.text", "shown": ["mood"],
    "schema": {
        "type": "object", "required": ["reply"], "additionalProperties": False,
        "properties": {
            "reply": {"type": "object", "required": ["text"],
                      "properties": {"text": {"type": "string", "description": "what the driver hears", "maxLength": 200}}},
            "mood": {"enum": ["calm", "tense", 3]}, "gm_notes": {"type": "string"},
            "dice_rolls": {"type": "array", "items": {"$ref": "#/$defs/roll"}}, "state_updates": {"type": "object"},
        },
        "$defs": {"roll": {"type": "object", "properties": {"roll_id": {"type": "string", "pattern": "^r[0-9]+$"}}}},
    },
    "fallback": {"reply": {"text": "Static on the line. Say again?"}},
}
TOLD = "The tower waves you in: berth four, and mind the clamps."


def own(contract: dict[str, Any], **fields: Any) -> Contract:
    return contract_of({CONTRACT: json.dumps(contract | fields).encode()})


def raw(text: str = TOLD, **fields: Any) -> str:
    return json.dumps({"reply": {"text": text}} | fields)


def broken(contract: Contract, text: str, mode: Any = "story") -> list[tuple[str, str]]:
    return [(v.rule, v.path) for v in check_answer(text, Facts(mode, "I dock", STATE), contract).violations]


@pytest.mark.parametrize(("contract", "text", "kept"), [
    (own(PROSE), f"<think>\nThe clamps {{again}}.\n</think>\n```\n{TOLD}\n```", TOLD),
    (own(PROSE, rules=["mode_line"]), TOLD, f"[Mode: STORY MODE]\n{TOLD}"),
    (own(PROSE, rules=["mode_line"]), f"**Mode: Story**\n{TOLD}", f"[Mode: STORY MODE]\n{TOLD}"),
    (own(JSON, rules=["outside_json", "code_fence"]), f"Here it is:\n```json\n{raw()}\n```", raw()),
    (own(JSON), raw(mood="Calm"), raw(mood="calm")), (own(JSON), raw(gm_notes=None), raw()), (own(JSON), raw()[:-1] + ", // roger\n}", raw()),
])
def test_an_answer_of_plain_meaning_is_repaired(contract: Contract, text: str, kept: str) -> None:
    facts = Facts("story", "I dock", STATE)
    checked = check_answer(text, facts, contract, strict=False)
    assert (checked.violations, checked.text) == ((), kept)
    assert checked.warnings
    assert check_answer("[Mode: DM MODE]\n" + TOLD, facts, own(PROSE, rules=["mode_line"]), strict=False).violations


Owning = Callable[..., TurnHandler]


@pytest.fixture
def owning(tmp_path: Path, store: CampaignStore) -> Owning:
    """A handler over an archive of another game that brings a contract."""

    def make(contract: dict[str, Any], model: Any, **fields: Any) -> TurnHandler:
        root = tmp_path / "trucks"
        archive = write_version(root, {"docking.md": "# Docking\n\nAsk the tower for a berth first."}, header="Tell it.\n")
        (archive / CONTRACT).write_text(json.dumps(contract))
        settings = settings_under(root, prompt_retriever_score_floor=0.0, **fields)
        build_prompt_index(settings, encoder=HashingEncoder())
        return TurnHandler(settings, PromptAssembler.open(settings, encoder=HashingEncoder()), model, store)

    return make


@pytest.mark.parametrize(("contract", "text", "narrative"), [(PROSE, TOLD, TOLD), (PROSE, f"\n {TOLD}\n", TOLD), (JSON, raw(), TOLD),
                                                             (JSON, f"```json\n{raw(mood=3)}\n```", TOLD)])
def test_an_answer_of_the_versions_own_form_is_taken_at_once(
    owning: Owning, store: CampaignStore, contract: dict[str, Any], text: str, narrative: str
) -> None:
    model = Scripted([said(text), said(text)])
    handler = owning(contract, model)
    result = handler.handle(first("I radio the tower"))
    assert (result.fallback, len(result.attempts), result.text, result.state) == (None, 1, text, STATE)
    assert result.narrative == narrative
    record = store.turn(result.turn_id)
    assert answer_view(record.answer, record.manifest)["narrative"] == narrative
    assert (answer_view(record.answer, record.manifest)["raw"], record.manifest["tray"]) == ("", False)
    assert [*jsonschema.Draft202012Validator(telemetry.schema()).iter_errors(json.loads(json.dumps(result.telemetry)))] == []
    assert handler.replay(result.turn_id).same
    handler.handle(ask("I dock"))
    assert [m.content for m in model.requests[1].messages if isinstance(m, Message) and m.role == "assistant"] == [compact(text)]


def test_notes_of_the_versions_own_form_become_the_games_secrets(owning: Owning, store: CampaignStore) -> None:
    secret = "The tower is bugged."
    handler = owning(JSON | {"notes": ["gm_notes"]}, Scripted([said(raw(gm_notes=secret)), said(raw(mood="calm"))]))
    results = [handler.handle(first("I radio the tower")), handler.handle(ask("I dock"))]
    assert [result.fallback for result in results] == [None, None]
    assert [stored.memory.get("notes") for stored in store.memories(results[0].campaign_id)] == [[secret], None]
    assert secret not in json.dumps(results[0].public)


def test_the_first_turn_on_a_new_release_is_held_to_its_contract(owning: Owning) -> None:
    handler = owning(PROSE, Scripted([said(TOLD), said(raw())]))
    assert handler.handle(first()).fallback is None
    (handler.settings.prompt_archive_dir / CONTRACT).write_text(json.dumps(JSON))
    build_prompt_index(handler.settings, encoder=HashingEncoder())
    assert handler.handle(ask()).response == {"reply": {"text": TOLD}}


@pytest.mark.parametrize("contract", [PROSE, JSON])
def test_what_breaks_it_is_named_and_then_falls_back(owning: Owning, contract: dict[str, Any]) -> None:
    model = Scripted([said("\u0000" if contract is PROSE else raw(mood="odd", extra=1)), said("{}\0")])
    result = owning(contract, model).handle(first("I radio the tower"))
    assert result.fallback == "contract"
    asked = model.requests[1].messages[-1]
    assert isinstance(asked, Message)
    assert "dice_rolls" not in asked.content.partition("\n")[0]
    assert ("plain prose" if contract is PROSE else "one JSON object") in asked.content
    if contract is JSON:
        assert "- schema at mood: must be one of calm, tense, 3; found 'odd'" in asked.content
        assert result.response == JSON["fallback"] == json.loads(result.text)
    else:
        assert result.response == {"narrative": NO_ANSWER} == {"narrative": result.text}


@pytest.mark.parametrize(("asked", "given", "told"), [
    ({"minItems": 2}, ["one"], "must have at least 2 items; found 1"), ({"enum": ["a", None]}, {"b": 1}, "must be one of a, null; found {\"b\": 1}"), ({"exclusiveMaximum": 2.5}, 3.5, "must be less than 2.5; found 3.5"),
    ({"type": ["number", "null"], "description": "the fare"}, "4", "must be a number or null; found '4'; the fare"), ({"const": 4}, "4", "4 was expected"), ({"pattern": "^[a-z]+$"}, "No!", "must match ^[a-z]+$; found 'No!'"),
], ids=range(6))
def test_a_breach_of_its_schema_says_what_is_wanted_and_what_was_given(asked: dict[str, Any], given: Any, told: str) -> None:
    schema = JSON["schema"] | {"properties": JSON["schema"]["properties"] | {"choices": asked}}
    violations = check_answer(raw(choices=given, z=1), Facts("story", "I dock", STATE), own(JSON, schema=schema)).violations
    assert {*violations} == {Violation("schema", "choices", told), Violation("schema", "z", "is no field of the contract; remove it")}


@pytest.mark.parametrize(("contract", "text", "found"), [
    (own(PROSE), "  \n", [("schema", "")]), (own(PROSE), "x" * 500_001, [("schema", "")]), (own(PROSE), answer(), []),
    (own(PROSE, rules=["mode_line"]), TOLD, [("mode_line", "")]),
    (own(PROSE, rules=["mode_line"]), f"[Mode: STORY MODE]\n{TOLD}", []),
    (own(PROSE, rules=["internal_terms", "code_fence"]), "He is an INTJ.\n```\nx\n```", [("code_fence", "narrative"), ("internal_terms", "narrative")]),
    (own(JSON), TOLD, [("json", "")]), (own(JSON), "{}", [("schema", "reply"), ("schema", "reply.text")]), (own(JSON), raw(mood=None), [("schema", "mood")]),
    (own(JSON), '{"reply": {}}', [("schema", "reply.text")]), (own(JSON), raw("x" * 900), [("schema", "reply.text")]),
    (own(JSON), f"Here: {raw()}", []), (own(JSON, rules=["outside_json"]), f"Here: {raw()}", [("outside_json", "")]),
    (own(JSON, rules=["mode_line"]), raw(), [("mode_line", "")]), (own(JSON), raw(dice_rolls=[{"roll_id": "x"}]), [("schema", "dice_rolls.0.roll_id")]),
    (own(JSON, rules=["roll_made"]), raw(dice_rolls=[{"roll_id": "r9"}]), [("roll_made", "dice_rolls.0.roll_id")]),
    (own(JSON, schema={}, shown=[]), '{"reply": []}', [("schema", "reply.text")]),
    (own(JSON), raw(state_updates={"ship": {}}), [("state_branch", "state_updates.ship")]),
    (own(JSON, rules=["internal_terms"]), raw("He is an INTJ."), [("internal_terms", "narrative")]),
], ids=range(19))
def test_it_says_which_rules_hold(contract: Contract, text: str, found: list[tuple[str, str]]) -> None:
    assert broken(contract, text) == found


def test_state_updates_are_merged_where_the_schema_has_them(owning: Owning) -> None:
    updates = {"custom_campaign_state": {"counter": 5}}
    assert owning(JSON, Scripted([said(raw(state_updates=updates))])).handle(first()).state["custom_campaign_state"] == {"counter": 5}
    bare = JSON | {"shown": [], "schema": {"type": "object", "properties": {"reply": {}}}}
    assert check_answer(raw(state_updates=updates), Facts("story", "x", STATE), own(bare)).state_after == STATE


@pytest.mark.parametrize("mode", ["story", "dm", "god"])
@pytest.mark.parametrize("contract", [PROSE, PROSE | {"rules": ["mode_line"]}, JSON, JSON | {"rules": ["mode_line", "roll_shown"]}])
@pytest.mark.parametrize("text", ["I sneak past the guard", "think: what now?"])
def test_the_offline_narrator_keeps_it(owning: Owning, contract: dict[str, Any], mode: Any, text: str) -> None:
    events = [*owning(contract, OfflineNarrator()).stream(first(text, mode))]
    result = events[-1]
    assert isinstance(result, TurnResult)
    assert (result.fallback, len(result.attempts)) == (None, 1)
    assert "".join(event.text for event in events if isinstance(event, Narrative)) == result.narrative
    assert SIGNED in result.narrative or "offline narrator" in result.narrative


@pytest.mark.parametrize("size", [1, 3, 7, 1_000])
@pytest.mark.parametrize("contract", [own(PROSE), own(PROSE, rules=["mode_line"]), own(JSON)])
def test_the_narrative_comes_in_pieces(contract: Contract, size: int) -> None:
    text = f'Say "so".\n\n\u00e9 {TOLD}'
    mode_line = "[Mode: STORY MODE]\n" * ("mode_line" in contract.rules)
    whole = raw(text, mood="calm") if "json" in contract.rules else f"{mode_line}\n{text}"
    reader = contract.reader("story")
    found = [reader.feed(whole[at : at + size]) for at in range(0, len(whole), size)]
    assert "".join([*found, reader.finish(whole)]) == text


@pytest.mark.parametrize("contract", [own(PROSE), own(JSON)])
def test_the_apis_document_has_its_schema(contract: Contract) -> None:
    schemas = document(token=True, contract=contract)["components"]["schemas"]
    validator = jsonschema.Draft202012Validator({"$ref": "#/components/schemas/Answer", "components": {"schemas": schemas}})
    given = {"narrative": TOLD} if contract.public is dict else {"reply": {"text": TOLD}, "dice_rolls": [{"roll_id": "r1"}]}
    assert validator.is_valid(given)
    assert not validator.is_valid({"dice_rolls": [{"roll_id": "x"}]})
    assert "Answer.story" not in schemas


def test_what_is_in_force_is_the_served_one(tmp_path: Path) -> None:
    assert contract_in_force(settings_under(tmp_path)) is BUILT_IN
    archive = write_version(tmp_path, {"a.md": "# A\n\nText."})
    settings: Settings = settings_under(tmp_path)
    (archive / CONTRACT).write_text(json.dumps(JSON))
    assert contract_in_force(settings).schema() == JSON["schema"]
    build_prompt_index(settings, encoder=HashingEncoder())
    (archive / CONTRACT).write_text(json.dumps(PROSE))
    assert contract_in_force(settings).schema() == JSON["schema"]
    (archive / CONTRACT).unlink()
    build_prompt_index(settings, encoder=HashingEncoder())
    assert contract_in_force(settings) is BUILT_IN


def test_every_rule_but_those_of_the_built_in_schema_can_be_named() -> None:
    assert {*RULES} - set(RULE_FIELDS) == {"mode_fields", "choice_keys"}
