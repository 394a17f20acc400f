"""The shape of an answer: ``contract.schema.json``, and what it finds, told for a model.

A subschema may carry ``x-rule``, the rule that its breach counts under, and a ``description``
that says what is asked; without ``x-rule`` the rule is ``schema``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sized
from functools import cache
from importlib import resources
from itertools import islice
from typing import Any, Final

from ...text.strict_json import short
from ..types import Violation
from .context import Context, path, quoted

MAX_ERRORS: Final = 200
_TEXT: Final = resources.files("mvp_site.turns").joinpath("contract.schema.json").read_text("utf-8")
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


def schema_violations(context: Context) -> tuple[Violation, ...]:
    """What the schema of the mode finds wrong with an answer, each once, in the order of paths.

    At most ``MAX_ERRORS`` of its errors are looked at. What the state says of an update, and the
    ids of records, which may be odd where the state has them so, are for the rules to name.
    """
    facts = context.facts
    validator = _validator("deep_think" if facts.deep_think else facts.mode)
    errors = islice(validator.iter_errors(context.answer), MAX_ERRORS)
    told = {f"state_updates.{problem.path}" for problem in context.problems}
    found = dict.fromkeys(
        violation for error in errors for violation in _violations(error)
        if violation.path not in told
        and (violation.rule != "entity_ids" or violation.path.startswith("entities_mentioned"))
    )
    return tuple(sorted(found, key=lambda violation: (violation.path, violation.rule)))


@cache
def _validator(definition: str) -> Any:
    """The validator of a mode; ``jsonschema`` is imported by the first turn, not before."""
    from jsonschema import Draft202012Validator, validators  # noqa: PLC0415 - heavy

    extend: Any = validators.extend
    strict = extend(Draft202012Validator, {"pattern": _pattern})
    whole = schema()
    del whole["anyOf"]
    return strict({**whole, "$ref": f"#/$defs/{definition}"})


def _pattern(validator: Any, pattern: str, instance: Any, _schema: Any) -> Iterator[Any]:
    """As draft 2020-12 has it: ``$`` is the end of the text, not the line break before it."""
    from jsonschema import ValidationError  # noqa: PLC0415 - see above

    if validator.is_type(instance, "string") and not re.search(
            pattern.replace("$", r"\Z"), instance):
        yield ValidationError(f"{instance!r:.80} does not match {pattern!r}")


def worded(error: Any) -> Iterator[tuple[str, str, str, Any]]:
    """Each place of an error of ``jsonschema``: what is wanted, what found, the schema there."""
    asked = error.schema if isinstance(error.schema, Mapping) else {}
    here, keyword, wanted = [*error.absolute_path], error.validator, error.validator_value
    found, parts = error.instance, asked.get("properties", {})
    if keyword == "additionalProperties":
        for key in sorted(found.keys() - parts.keys()):
            yield path(*here, key), "is no field of the contract; remove it", "", asked
        return
    if keyword == "required":
        for key in (key for key in wanted if key not in found):
            yield path(*here, key), "is missing", "", parts.get(key, {})
        return
    if "propertyNames" in error.absolute_schema_path:
        here.append(found)
    said = f"; found {quoted(found) if isinstance(found, str) else short(found)}"
    if error.schema is False:
        want, said = "must not be there", ""
    elif keyword == "enum":
        listed = ", ".join(one if isinstance(one, str) else short(one) for one in wanted)
        want = f"must be one of {listed}"
    elif keyword == "type":
        kinds = [wanted] if isinstance(wanted, str) else wanted
        want = f"must be {' or '.join(_TYPES[kind] for kind in kinds)}"
    elif keyword == "pattern":
        want = f"must match {wanted}"
    elif keyword in _LIMITS:
        want = f"must {_LIMITS[keyword].format(wanted, 's' * (wanted != 1))}"
        said = f"; found {len(found)}" if isinstance(found, Sized) else said
    else:
        want, said = str(error.message), ""
    yield path(*here), want, said, asked


def _violations(error: Any) -> Iterator[Violation]:
    asked: Mapping[str, Any] = error.schema
    plain = error.validator in ("additionalProperties", "enum", "type")
    own = asked.get("description") if "x-rule" in asked and not plain else ""
    for place, wanted, found, _ in worded(error):
        rule = "schema" if error.validator == "additionalProperties" else asked.get("x-rule")
        yield Violation(rule or "schema", place, f"{own or wanted}{found}")
