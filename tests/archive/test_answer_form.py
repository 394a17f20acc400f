"""``contract.json``: what cannot be used is refused with its place and remedy, and one is made of a prompt's own example."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site import Settings
from mvp_site.archive.answer_form import MAX_BYTES, contract_of, objects, read_form
from mvp_site.archive.answer_schema import problems
from mvp_site.archive.build import build_prompt_index
from mvp_site.archive.header_files import CONTRACT
from mvp_site.archive.versions import read_version
from mvp_site.errors import ArchiveError

TEXT = {"reply": {"type": "string"}}
JSON: dict[str, Any] = {"answer": "json", "narrative": "reply", "fallback": {"reply": "Again?"}, "schema": {"type": "object", "properties": TEXT}}


def with_part(part: Any, **more: Any) -> dict[str, Any]:
    return JSON | {"schema": {"properties": TEXT | {"x": part}, **more}}


@pytest.mark.parametrize(("contract", "message"), [
    (b"{", "contract.json is not JSON"), (b"[]", "contract.json is a list; it must be a JSON object"),
    (b'{"answer": "text", "x": "' + b"y" * MAX_BYTES + b'"}', "more than 65,536: shorten it"),
    ({}, 'answer is null; write "text" or "json"'), ({"answer": "prose"}, "answer is 'prose'; write"), ({"answer": ["text"]}, "answer is [\"text\"]; write"),
    ({"answer": "text", "rule": []}, "unknown key 'rule': did you mean rules?"), ({"answer": "text", "schema": {}}, "unknown key 'schema'"),
    ({"answer": "text", "rules": ["mode_lin"]}, "unknown rule 'mode_lin': did you mean mode_line?"), ({"answer": "text", "rules": "x"}, "rules must be a list of names"),
    ({"answer": "text", "rules": ["roll_made"]}, "the rule roll_made looks at dice_rolls, and the schema names no such field"),
    (JSON | {"rules": ["choice_keys"]}, "unknown rule 'choice_keys'"), (JSON | {"rules": ["time_forward"]}, "looks at state_updates"),
    (JSON | {"schema": []}, "schema is a list; write an object"), (JSON | {"fallback": None}, "fallback is null; write an object"),
    (JSON | {"schema": {"properties": TEXT | {"x": {"type": "strin"}}}}, "contract.json: schema.properties.x.type: 'strin' is not valid"),
    (JSON | {"schema": {"$schema": "http://json-schema.org/draft-07/schema#"}}, "schema.$schema is 'http://json-schema.org/draft-07/schema#"),
    (with_part({"$ref": "https://example.com/x.json"}), "schema.properties.x.$ref is 'https://example.com/x.json'; nothing is fetched"),
    (with_part({"$ref": "file:///etc/passwd"}), "nothing is fetched"), (with_part({"$ref": "other.json#/a"}), "nothing is fetched"),
    (with_part({"$ref": "#/$defs/no"}), "nothing is fetched: write #/$defs/NAME, with NAME among the schema's $defs"), (with_part({"$ref": "#"}), "nothing is fetched"),
    (with_part({"$dynamicRef": "#x"}), "$dynamicRef is not read"),
    (with_part({"$id": "http://x"}), "schema.properties.x.$id is not read: leave it out"), (with_part({"pattern": "("}), "schema.properties.x.pattern"),
    (with_part({}, **{"$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]}, "b": {"$ref": "#/$defs/a"}}}), "schema.$defs.a refers to itself"),
    (with_part({}, required=["x"]), "fallback: 'x' is a required property; the fallback must keep the schema"),
    (JSON | {"fallback": {"reply": 3}}, "fallback.reply: 3 is not of type 'string'"), (JSON | {"fallback": {"reply": " "}}, "the fallback has no text at 'reply'"),
    (JSON | {"narrative": "reply.text"}, "the fallback has no text at 'reply.text'"), (JSON | {"narrative": 3}, "narrative must name the field"),
    (JSON | {"shown": ["repl"]}, "unknown field 'repl': did you mean reply?"), (JSON | {"notes": ["repl"]}, "unknown field 'repl': did you mean reply?"),
    (JSON | {"notes": ["reply"]}, "notes names reply, which players may read"), (with_part({}) | {"shown": ["x"], "notes": ["x"]}, "notes names x, which players may read"),
    (JSON | {"schema": {"properties": TEXT | {"state_updates": True}}}, 'schema.properties.state_updates: write {"type": "object"}'),
])
def test_what_cannot_be_used_is_refused(settings: Settings, archive: Path, contract: Any, message: str) -> None:
    content = contract if isinstance(contract, bytes) else json.dumps(contract).encode()
    (archive / "dec_2025" / CONTRACT).write_bytes(content)
    for refused in (build_prompt_index, lambda _: read_version(settings, "dec_2025")):
        with pytest.raises(ArchiveError, match=re.escape(message)) as raised:
            refused(settings)
        assert "mend it, then build again" in str(raised.value)
        assert str(archive / "dec_2025" / CONTRACT) in str(raised.value)


def test_a_pattern_takes_time_in_proportion_to_the_text() -> None:
    schema = {"properties": {"x": {"pattern": "^(a+)+$"}}}
    form = read_form(json.dumps(with_part({"pattern": "^(a+)+$"})).encode(), CONTRACT)
    assert form.fields == {"reply", "x"}
    assert [error.validator for error in problems(schema, {"x": "a" * 100_000 + "!"})] == ["pattern"]
    assert problems(schema, {"x": "a" * 100_000}) == []


def test_a_schema_may_go_as_deep_as_an_answer_may() -> None:
    tree = {"type": "object", "properties": {"next": {"$ref": "#/$defs/tree"}}}
    form = read_form(json.dumps(with_part({"$ref": "#/$defs/tree"}, **{"$defs": {"tree": tree}})).encode(), CONTRACT)
    answer: dict[str, Any] = {}
    for _ in range(60):
        answer = {"next": answer}
    assert problems(form.schema, {"reply": "x", "x": answer}) == []


def test_the_examples_of_the_guide_are_contracts() -> None:
    guide = (Path(__file__).parents[2] / "docs/handler.md").read_text("utf-8").partition("## A contract of your own")[2]
    shown = re.findall(r"```json\n(.*?)```", guide.partition("\n## ")[0], re.DOTALL)
    assert [read_form(one.encode(), CONTRACT).json for one in shown] == [False, True]


ANSWER = {"telling": "The lamp goes out, and then the sea does.", "deeds": ["climb", "wait"], "mood": "low", "light": 3, "fog": True, "ship": None,
          "state": {"oil": 2}}
ASKING = "Answer with one JSON object and nothing else.\n\n"


@pytest.mark.parametrize("shown", [json.dumps(ANSWER), json.dumps(ANSWER, indent=2), f"```json\n{json.dumps(ANSWER, indent=1)}\n```",
                                   f'Not {{this}} nor {{"that": 1}}, but {json.dumps(ANSWER)} it is.'])
def test_the_example_becomes_a_contract_that_takes_it(shown: str) -> None:
    contract = contract_of({"core_header.txt": ASKING + shown})
    assert contract is not None
    form = read_form(contract, "contract.json")
    assert (form.json, form.narrative, form.fields) == (True, ("telling",), frozenset(ANSWER))
    assert list(problems(form.schema, ANSWER)) == []
    assert list(problems(form.schema, {**ANSWER, "light": "bright"}))
    assert list(problems(form.schema, {"telling": "x"}))
    assert list(problems(form.schema, form.fallback)) == []


@pytest.mark.parametrize("text", [
    f"An item looks so: {json.dumps(ANSWER)}", f"Never answer in JSON. {json.dumps(ANSWER)}", ASKING, ASKING + '{"telling": ...}',
    ASKING + '{"hp": 3, "ac": 12}', ASKING + "{" * 5_000,
])
def test_what_shows_no_answer_makes_no_contract(text: str) -> None:
    assert contract_of({"core_header.txt": text}) is None


@given(st.text() | st.lists(st.sampled_from(['{"a": "b", "c": {}}', "{", "}", '"', "\\", " ", "a"])).map("".join))
def test_any_text_gives_objects_or_none(text: str) -> None:
    assert all(isinstance(example, dict) for example in objects(text))
