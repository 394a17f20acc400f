"""The shape of an answer: ``contract.schema.json``, and what it finds, told for a model.

A subschema may carry ``x-rule``, the rule that its breach counts under, and a ``description``
that says what is asked; without ``x-rule`` the rule is ``schema``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sized
from functools import cache
from typing import Any, Final

from ...archive.answer_schema import problems
from ...settings import PACKAGE
from ...text.json_values import at
from ...text.strict_json import short
from ..types import Violation
from .context import Context, Facts, path, quoted

_TEXT: Final = (PACKAGE / "turns" / "contract.schema.json").read_text("utf-8")
_TYPES: Final = {
    "string": "a string", "integer": "an integer", "boolean": "true or false", "array": "a list",
    "object": "an object", "number": "a number", "null": "null",
}
_LIMITS: Final = {
    "minItems": "have at least {} item{}", "maxItems": "have at most {} item{}",
    "minLength": "have at least {} character{}", "maxLength": "have at most {} character{}",
    "minProperties": "have at least {} field{}", "maxProperties": "have at most {} field{}",
    "minimum": "be at least {}", "exclusiveMinimum": "be more than {}",
    "maximum": "be at most {}", "exclusiveMaximum": "be less than {}",
}


def schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of an answer; ``$defs`` has one for each mode."""
    loaded: dict[str, Any] = json.loads(_TEXT)
    return loaded


def mode_schema(facts: Facts) -> dict[str, Any]:
    """The schema of the mode of a turn."""
    return _schema_of("deep_think" if facts.deep_think else facts.mode)


@cache
def _schema_of(mode: str) -> dict[str, Any]:
    whole = {name: part for name, part in schema().items() if name != "anyOf"}
    return whole | {"$ref": f"#/$defs/{mode}"}


def schema_violations(context: Context) -> tuple[Violation, ...]:
    """What the schema of the mode finds wrong with an answer, each once, in the order of paths.

    What the state says of an update, and the
    ids of records, which may be odd where the state has them so, are for the rules to name.
    """
    reported = {f"state_updates.{problem.path}" for problem in context.problems}
    violations = dict.fromkeys(
        violation for error in problems(mode_schema(context.facts), context.answer)
        for violation in _violations(error)
        if violation.path not in reported
        and (violation.rule != "entity_ids" or violation.path.startswith("entities_mentioned"))
    )
    return tuple(sorted(violations, key=lambda violation: (violation.path, violation.rule)))


def worded(error: Any) -> Iterator[tuple[str, str, str, Any]]:
    """Each place of an error of ``jsonschema``: what is wanted, what found, the schema there."""
    schema_part = error.schema if isinstance(error.schema, Mapping) else {}
    steps, keyword, expected = [*error.absolute_path], error.validator, error.validator_value
    actual, parts = error.instance, schema_part.get("properties", {})
    if keyword == "additionalProperties":
        for key in sorted(actual.keys() - parts.keys()):
            yield path(*steps, key), "is no field of the contract; remove it", "", schema_part
        return
    if keyword == "required":
        for key in (key for key in expected if key not in actual):
            part = parts.get(key, {})
            kind = _TYPES.get(str(at(part, "type")))
            yield path(*steps, key), "is missing" + (f"; write {kind}" if kind else ""), "", part
        return
    if "propertyNames" in error.absolute_schema_path:
        steps.append(actual)
    ending = f"; found {quoted(actual) if isinstance(actual, str) else short(actual)}"
    if error.schema is False:
        want, ending = "must not be there", ""
    elif keyword == "enum":
        listed = ", ".join(want if isinstance(want, str) else short(want) for want in expected)
        want = f"must be one of {listed}"
    elif keyword == "type":
        kinds = [expected] if isinstance(expected, str) else expected
        want = f"must be {' or '.join(_TYPES[kind] for kind in kinds)}"
    elif keyword == "pattern":
        want = f"must match {expected}"
    elif keyword in _LIMITS:
        want = f"must {_LIMITS[keyword].format(expected, 's' * (expected != 1))}"
        ending = f"; found {len(actual)}" if isinstance(actual, Sized) else ending
    else:
        want, ending = str(error.message), ""
    yield path(*steps), want, ending, schema_part


def _violations(error: Any) -> Iterator[Violation]:
    schema_part = error.schema if isinstance(error.schema, Mapping) else {}
    plain = error.validator in ("additionalProperties", "enum", "type")
    own = schema_part.get("description") if "x-rule" in schema_part and not plain else ""
    for place, expected, actual, _ in worded(error):
        rule = "schema" if error.validator == "additionalProperties" else schema_part.get("x-rule")
        yield Violation(rule or "schema", place, f"{own or expected}{actual}")
