"""What a contract's schema asks of an answer: JSON Schema, bounded.

A schema is somebody's text. Nothing is fetched for it: a reference leads to its own ``$defs``.
Patterns run on an engine that never goes back, whose time is bounded by the length of the text.
One check asks at most ``MAX_STEPS`` keywords, however often a schema refers to itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from fractions import Fraction
from functools import cache, lru_cache
from itertools import count
from typing import Any, Final

from ..text.strict_json import JsonError, short
from ..text.typos import near

MAX_STEPS: Final = 200_000
"""Keywords of one check, each some microseconds."""
MAX_ERRORS: Final = 200
_TOO_LONG: Final = "needs a longer check than an answer gets: shorten it"
_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_REFERENCE: Final = re.compile(r"#/\$defs/([A-Za-z0-9_.-]+)")
_REFUSED: Final[Mapping[str, str]] = {
    "patternProperties": "write propertyNames with a pattern, and additionalProperties",
    "definitions": "call it $defs, at the top of the schema", "$anchor": "refer to $defs",
    "$dynamicRef": "refer to $defs", "$dynamicAnchor": "refer to $defs",
    "$id": "leave it out",
}
_SCHEMA: Final = frozenset({
    "not", "if", "then", "else", "items", "contains", "additionalProperties", "propertyNames",
    "unevaluatedItems", "unevaluatedProperties", "contentSchema",
})
_SCHEMA_LISTS: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_SCHEMA_MAPS: Final = frozenset({"properties", "$defs", "dependentSchemas"})
_BESIDE: Final = frozenset({
    "$comment", "$defs", "$schema", "contentEncoding", "contentMediaType", "contentSchema",
    "default", "deprecated", "description", "else", "examples", "maxContains", "minContains",
    "readOnly", "then", "title", "writeOnly",
})
"""Keywords that describe, or that others read."""


def check_schema(schema: Mapping[str, Any], label: str) -> None:
    """Refuse a schema that cannot be used, or costs too much; errors call it ``label``.

    Raises:
        JsonError: names the place, what is wrong there, and what to write.
    """
    from jsonschema import Draft202012Validator, FormatChecker, SchemaError  # noqa: PLC0415 - heavy

    if schema.get("$schema", _DIALECT) != _DIALECT:
        raise JsonError(f"{label}.$schema is {short(schema['$schema'])}; write {_DIALECT}")
    try:
        # Patterns are not of Python's dialect, so that they are not its to judge.
        Draft202012Validator.check_schema(schema, format_checker=FormatChecker(formats=()))
    except SchemaError as error:
        place = ".".join(map(str, [label, *error.absolute_path]))
        raise JsonError(f"{place}: {error.message:.300}; write draft 2020-12") from None
    defined = schema.get("$defs", {})
    for place, part in _schemas(schema, label):
        if part is not schema and "$schema" in part:
            raise JsonError(f"{place}.$schema is not read: write it at the top alone")
        _check_part(part, place, defined)
        if "pattern" in part:
            _search(part["pattern"], f"{place}.pattern")
    for name in defined:
        errors = problems({"$ref": f"#/$defs/{name}", "$defs": defined}, {})
        if any(error.message == _TOO_LONG for error in errors):
            raise JsonError(f"{label}.$defs.{name} refers to itself, or to more than a check "
                            "follows, without going deeper")


def _check_part(part: Mapping[str, Any], place: str, defined: Mapping[str, Any]) -> None:
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - heavy

    keywords = Draft202012Validator.VALIDATORS.keys() | _BESIDE
    for key in part:
        if key in _REFUSED:
            raise JsonError(f"{place}.{key} is not read: {_REFUSED[key]}")
        if key not in keywords and not key.startswith("x-"):
            nearest = near(key, sorted(keywords), 1)
            mend = f"did you mean {nearest[0]}?" if nearest else "leave it out, or call it x-…"
            raise JsonError(f"{place}: {short(key)} is no keyword of draft 2020-12: {mend}")
    if "enum" in part and not part["enum"]:
        raise JsonError(f"{place}.enum is empty, and nothing keeps it: name what may stand there")
    if reference := part.get("$ref"):
        target = _REFERENCE.fullmatch(reference)
        if not target or target[1] not in defined:
            raise JsonError(f"{place}.$ref is {short(reference)}; nothing is fetched: write "
                            "#/$defs/NAME, with NAME among the schema's $defs")


def _schemas(schema: Any, place: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """A schema that keeps the draft and all in it, each with its place; none that is a boolean."""
    if not isinstance(schema, dict):
        return
    yield place, schema
    for key, value in schema.items():
        below: Mapping[Any, Any] = {}
        if key in _SCHEMA:
            yield from _schemas(value, f"{place}.{key}")
        elif key in _SCHEMA_MAPS:
            below = value
        elif key in _SCHEMA_LISTS:
            below = dict(enumerate(value))
        for name, part in below.items():
            yield from _schemas(part, f"{place}.{key}.{name!s:.80}")


@lru_cache(maxsize=1024)
def _search(pattern: str, place: str = "pattern") -> Callable[[str], bool]:
    """Whether a text holds the pattern, in time that grows with the text.

    Raises:
        JsonError: that engine cannot have it: look-around, a reference back, too large.
    """
    from pydantic_core import SchemaError, SchemaValidator, core_schema  # noqa: PLC0415 - heavy

    try:
        validator = SchemaValidator(core_schema.str_schema(pattern=pattern))
    except SchemaError as error:
        why = str(error).rstrip().rpartition("\n")[2].strip()
        raise JsonError(f"{place} {short(pattern)} cannot be used: {why:.200}") from None
    return validator.isinstance_python


def problems(schema: Mapping[str, Any], answer: object) -> list[Any]:
    """What ``schema``, which was read, finds wrong with an answer: errors of ``jsonschema``.

    The first ``MAX_ERRORS``; of alternatives that all fail the one that came nearest. A check that
    takes too many steps, or goes too deep, ends with an error that says so.
    """
    from jsonschema import ValidationError  # noqa: PLC0415 - heavy
    from jsonschema.exceptions import best_match  # noqa: PLC0415 - as the import above

    nearest: Any = best_match
    errors: list[Any] = []
    checking = _CHECKING.set((schema.get("$defs", {}), count()))
    try:
        for error in _validator()(schema).iter_errors(answer):
            errors.append(nearest([error]))
            if len(errors) == MAX_ERRORS:
                break
    except RecursionError:
        return [ValidationError(_TOO_LONG)]
    finally:
        _CHECKING.reset(checking)
    return errors


@cache
def _validator() -> Any:
    """The class that checks; it counts the steps of the check that is going on."""
    from jsonschema import Draft202012Validator, ValidationError, validators  # noqa: PLC0415

    extend: Any = validators.extend

    def refer(validator: Any, reference: str, instance: Any, _: Any) -> Iterator[Any]:
        defined = _CHECKING.get()[0]
        yield from validator.descend(instance, defined[reference.removeprefix("#/$defs/")])

    def match(_: Any, pattern: str, instance: Any, __: Any) -> Iterator[Any]:
        if isinstance(instance, str) and not _search(pattern)(instance):
            yield ValidationError(f"{short(instance)} does not match {short(pattern)}")

    def divide(_: Any, divisor: float, instance: Any, __: Any) -> Iterator[Any]:
        """In the decimals that are written: 19.99 is a multiple of 0.01."""
        number = isinstance(instance, int | float) and not isinstance(instance, bool)
        if number and (Fraction(str(instance)) / Fraction(str(divisor))).denominator != 1:
            yield ValidationError(f"{short(instance)} is not a multiple of {divisor}")

    keywords = {**Draft202012Validator.VALIDATORS, "$ref": refer, "pattern": match,
                "multipleOf": divide}
    return extend(Draft202012Validator, {name: _counted(check) for name, check in keywords.items()})


def _counted(keyword: Callable[..., Any]) -> Callable[..., Any]:
    """``keyword`` of ``jsonschema``, which ends a check of too many steps."""
    def run(*asked: Any) -> Any:
        if next(_CHECKING.get()[1]) > MAX_STEPS:
            raise RecursionError
        return keyword(*asked)

    return run


_CHECKING: Final = ContextVar[tuple[Mapping[str, Any], Iterator[int]]]("checking")
"""The definitions of the schema that is checked, and the steps of it."""
