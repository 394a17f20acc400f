"""A contract of the archive's own that no check could keep: refused, or its check is bounded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mvp_site import Settings, TurnHandler, TurnRequest
from mvp_site.errors import ArchiveError
from tests.cli.invoking import invoke

from .conftest import scripted, write_prompts

SCHEMA_2020 = "https://json-schema.org/draft/2020-12/schema"


def contract(part: Any, **more: Any) -> bytes:
    schema = {"properties": {"reply": {"type": "string"}, "x": part}, **more}
    return json.dumps({"answer": "json", "narrative": "reply", "schema": schema, "fallback": {"reply": "Again?"}}).encode()


@pytest.fixture(scope="module")
def archive(shared_project: Path) -> Path:
    """An archive of one version, not built; each test writes its contract."""
    return write_prompts(shared_project)


@pytest.mark.parametrize(("content", "message"), [
    (contract({"pattern": "a{99999999999999999999}"}), "cannot be used"), (contract({"pattern": "((a{999}){999}){99}"}), "cannot be used"),
    (contract({"pattern": r"(a+)\1"}), "backreferences"), (contract({"pattern": "(?<=a)b"}), "look-around"),
    (contract({"patternProperties": {"(a+)+$": {}}}), "patternProperties is not read"),
    (contract({"$schema": SCHEMA_2020, "pattern": "(a|a)+$"}), "$schema is not read"),
    (contract({"$ref": "#/$defs/a"}, **{"$defs": {"a": {"not": {"if": {"$ref": "#/$defs/a"}}}}}), "refers to itself"),
    (contract({"type": "string", "nullable": True}), "'nullable' is no keyword"), (contract({"items": {"anyOf": [{"requierd": ["a"]}]}}), "did you mean required?"),
    (contract({"properties": {"a": {"$recursiveRef": "#"}}}), "'$recursiveRef' is no keyword"),
    (contract({}, xyz=1), "'xyz' is no keyword"), (contract({"enum": []}), "enum is empty"),
], ids=range(12))
def test_a_contract_that_cannot_be_kept_is_refused(archive: Path, content: bytes, message: str) -> None:
    (archive / "contract.json").write_bytes(content)
    shown = invoke("archive", "lint")
    assert shown.exit_code != 0
    assert message in " ".join((shown.stdout + shown.stderr).split())
    with pytest.raises(ArchiveError):
        TurnHandler.open(Settings(mvp_site_llm="offline"))


def violation(archive: Path, part: Any, value: Any, **more: Any) -> str:
    """What was wrong with an answer whose field ``x`` is ``value``; '' where it was taken."""
    (archive / "contract.json").write_bytes(contract(part, **more))
    with scripted(archive.parent, {"text": json.dumps({"reply": "Berth four.", "x": value})}, mvp_site_max_attempts=1) as handler:
        result = handler.handle(TurnRequest("c", "I dock.", state={}))
    assert (result.fallback is None) == (not result.attempts[0].violations)
    return "; ".join(one.message for one in result.attempts[0].violations)


def nested(levels: int) -> Any:
    return {"c": nested(levels - 1)} if levels else {}


def test_the_check_of_an_answer_ends(archive: Path) -> None:
    tree = {"anyOf": [{"properties": {"c": {"$ref": "#/$defs/t"}}, "required": [name]} for name in "zy"]}
    assert "needs a longer check" in violation(archive, {"$ref": "#/$defs/t"}, nested(50), **{"$defs": {"t": tree}})


@pytest.mark.parametrize(("part", "value", "wrong"), [
    ({"uniqueItems": True}, [{"a": n} for n in range(800)], ""), ({"uniqueItems": True}, [{"a": 1, "b": [1]}, {"b": [1.0], "a": 1.0}], "non-unique"),
    ({"uniqueItems": True}, [1, True, "1", [1], None, {}, 0, False], ""),
    ({"pattern": r"^\p{Lu}\w{1,40}$"}, "Élodie", ""), ({"pattern": r"^\p{Lu}\w{1,40}$"}, "élodie", "must match"),
    ({"pattern": r"^\[Scene: .{1,80}\]\n"}, "[Scene: the quay]\n" + "It rains. " * 1_200, ""),
    ({"pattern": "^(a+)+$"}, "a" * 12_000 + "!", "must match"), ({"pattern": r"\S"}, "word " * 30_000, ""),
    ({"items": {"enum": [f"spell {n}" for n in range(2_000)]}}, ["spell 1999"] * 30, ""),
    ({"multipleOf": 0.01}, 10**400, ""), ({"multipleOf": 0.01}, 19.99, ""), ({"multipleOf": 0.1}, 0.3, ""),
    ({"multipleOf": 0.1}, 0.35, "not a multiple of 0.1"), ({"multipleOf": 1e-7}, 1e300, ""), ({"multipleOf": 2}, 3, "not a multiple"),
    ({"multipleOf": 2}, "3", ""), ({"multipleOf": 0.01}, True, ""), (False, 5, "must not be there"),
    ({"properties": {"$id": {"type": "string"}, "nullable": True}}, {"$id": "a", "nullable": 1}, ""), ({"x-mine": 1, "type": "integer"}, 1, ""),
    ({"properties": {"$schema": {"type": "string"}}}, {"$schema": 3}, "must be a string"),
    ({"allOf": [{"properties": {"k": True}}], "unevaluatedProperties": False}, {"l": 1}, "Unevaluated"),
], ids=range(22))
def test_what_a_game_may_ask_for_is_checked(archive: Path, part: Any, value: Any, wrong: str) -> None:
    shown = violation(archive, part, value)
    assert wrong in shown
    assert bool(shown) == bool(wrong)
