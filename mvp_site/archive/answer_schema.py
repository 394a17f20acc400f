"""What a contract's schema asks of an answer, and what it may cost: JSON Schema, bounded.

A schema is somebody's text. Nothing is fetched for it: a reference leads to its own ``$defs``.
Patterns run on an engine that never goes back, whose time is bounded by the length of the text
times the pattern's places. One check takes at most ``MAX_STEPS`` steps, whatever schema and answer
are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any, Final

from ..text.strict_json import JsonError, short
from ..text.typos import near

MAX_PARTS: Final = 2_000
"""How many objects, lists, true and false a schema may have, each some tenths of a millisecond."""
MAX_PLACES: Final = 2_000
"""How many places all patterns of a contract may have; each takes up to 0.1 MB of memory."""
MAX_STEPS: Final = 200_000
"""Steps of one check, each some microseconds: under a second, of which patterns take a tenth, and
under 100 MB."""
ERROR_STEPS: Final = 6
"""Steps that an error takes at each level that passes it on; alternatives keep all theirs."""
MAX_ERRORS: Final = 200
_TOO_LONG: Final = "needs a longer check than an answer gets: shorten it"
_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_REFERENCE: Final = re.compile(r"#/\$defs/([A-Za-z0-9_.-]+)")
_SIGN: Final = re.compile(r"\\(?:[pPxuUb]\{[^{}]*\}|.)|\{[^{}]*\}|\(\?[A-Za-z-]+|.", re.DOTALL)
"""What a pattern is read in, for a count of its places."""
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
_EACH_WITH_EACH: Final = frozenset({"uniqueItems", "unevaluatedItems", "unevaluatedProperties"})
"""These compare each part of a value with each."""
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
    parts = sum(isinstance(part, dict | list | bool) for part in _parts(schema))
    if parts > MAX_PARTS:
        raise JsonError(f"{label} has {parts:,} objects, lists, true and false, more than "
                        f"{MAX_PARTS:,}: shorten it")
    try:
        # Patterns are not of Python's dialect, so that they are not its to judge.
        Draft202012Validator.check_schema(schema, format_checker=FormatChecker(formats=()))
    except SchemaError as error:
        place = ".".join(map(str, [label, *error.absolute_path]))
        raise JsonError(f"{place}: {error.message:.300}; write draft 2020-12") from None
    defined = schema.get("$defs", {})
    places = 0
    for place, part in _schemas(schema, label):
        if part is not schema and "$schema" in part:
            raise JsonError(f"{place}.$schema is not read: write it at the top alone")
        _check_part(part, place, defined)
        if "pattern" in part:
            places += _check_pattern(part["pattern"], f"{place}.pattern", MAX_PLACES - places)
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


def _check_pattern(pattern: str, place: str, room: int) -> int:
    """The places of ``pattern``, of which ``room`` are left for it."""
    _search(pattern, place)
    if any(sign[:2] == "(?" and "x" in sign for sign in _SIGN.findall(pattern)):
        raise JsonError(f"{place} {short(pattern)} has the flag x, which is not read: write the "
                        "pattern without white space")
    places = max(_places(pattern), 1)
    if places > room:
        raise JsonError(
            f"{place} {short(pattern)} brings the patterns' places to "
            f"{MAX_PLACES - room + places:,}, more than {MAX_PLACES:,}, a repetition counted as "
            "often as it may be repeated: bound a length by maxLength, a list by maxItems"
        )
    return places


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


def _parts(value: Any) -> Iterator[Any]:
    """``value`` and all in it; of bounded depth, as all JSON that was read."""
    yield value
    below = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for part in below:
        yield from _parts(part)


def _places(pattern: str) -> int:
    """At least as many places as a match of a valid pattern can be at.

    A character and a class are one place; a group has those of its parts, a counted repetition as
    many times those of what it repeats. Whatever it misreads, as the bracket in ``[]]``, it counts
    rather more than less.
    """
    groups, depth = [[0, 0]], 0  # of each open group: what was counted, and the last part of it
    for sign in _SIGN.findall(pattern):
        group = groups[-1]
        if depth:
            depth += (sign == "[") - (sign == "]")
        elif sign[0] == "(":
            groups.append([0, 0])
        elif sign == ")":
            size = sum(group)
            if len(groups) > 1:
                groups.pop()
                groups[-1][0] += groups[-1][1]
            groups[-1][1] = size
        elif sign[0] == "{":
            group[1] *= max(map(int, re.findall(r"\d+", sign)), default=1) or 1
        else:
            group[:] = [sum(group), 1]
            depth = sign == "["
    return sum(map(sum, groups))


@lru_cache(maxsize=MAX_PLACES)
def _search(pattern: str, place: str = "pattern") -> Callable[[str], bool]:
    """Whether a text holds the pattern, in time that grows with the text times its places.

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
    checking = _CHECKING.set((schema.get("$defs", {}), _Steps()))
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
        if isinstance(instance, str):
            _take(len(instance) * _places(pattern) // 10)
            if not _search(pattern)(instance):
                yield ValidationError(f"{short(instance)} does not match {short(pattern)}")

    def divide(_: Any, divisor: float, instance: Any, __: Any) -> Iterator[Any]:
        """In the decimals that are written: 19.99 is a multiple of 0.01."""
        if isinstance(instance, int | float) and not isinstance(instance, bool):
            _take(len(text := str(instance)) // 8)
            if (Fraction(text) / Fraction(str(divisor))).denominator != 1:
                yield ValidationError(f"{short(instance)} is not a multiple of {divisor}")

    keywords = {**Draft202012Validator.VALIDATORS, "$ref": refer, "pattern": match,
                "multipleOf": divide}
    return extend(Draft202012Validator, {
        name: _counted(name, keyword) for name, keyword in keywords.items()
    })


def _counted(name: str, keyword: Callable[..., Any]) -> Callable[..., Iterator[Any]]:
    """``keyword`` of ``jsonschema``, its values and its messages counted."""
    def run(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
        for part in (value, instance):
            if isinstance(part, dict | list):
                _take(len(part) // 8)
                if name in _EACH_WITH_EACH:
                    _take(len(part) ** 2 // 4)
        _take(1)
        for error in keyword(validator, value, instance, schema) or ():
            _take(ERROR_STEPS + len(error.message) // 100)
            yield error

    return run


def _take(steps: int) -> None:
    _CHECKING.get()[1].take(steps)


class _Steps:
    """Counts the steps of a check, and ends it with a RecursionError where they are too many."""

    def __init__(self) -> None:
        self._left = MAX_STEPS

    def take(self, steps: int) -> None:
        """Count ``steps`` more."""
        self._left -= steps
        if self._left < 0:
            raise RecursionError


_CHECKING: Final = ContextVar[tuple[Mapping[str, Any], _Steps]]("checking")
"""The definitions of the schema that is checked, and the steps of it."""
