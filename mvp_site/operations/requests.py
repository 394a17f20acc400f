"""Requests read from plain values by their types; what is wrong is said in words.

A request type is a frozen dataclass below :class:`OperationRequest`. Its annotations hold, once,
what a field is about, its bounds and its default; pydantic checks values by them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import fields as fields_of
from functools import cache
from typing import Annotated, Any, ClassVar, Final, TypeAlias, TypeVar, cast

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from ..errors import InvalidRequestError
from ..store.rows import NAME, NAME_WORDS
from ..text.strict_json import named, short

T = TypeVar("T")
_KINDS: Final = {
    "string": "a string", "int": "a whole number", "float": "a number", "bool": "true or false",
    "dict": "an object", "tuple": "a list", "dataclass": "an object",
}
Whole: TypeAlias = Annotated[int, Field(strict=True)]
Flag: TypeAlias = Annotated[bool, Field(strict=True)]
NOT_BLANK: Final = r"\S"
_ID: Final = f"^{NAME}$"
CampaignId: TypeAlias = Annotated[str, Field(pattern=_ID, description="The campaign.")]
TurnId: TypeAlias = Annotated[str, Field(
    min_length=1, max_length=100, description="A turn's id.",
)]
IdempotencyKey: TypeAlias = Annotated[str, Field(pattern=_ID)]
_PATTERNS: Final = {_ID: f"be {NAME_WORDS}", NOT_BLANK: "have more than blanks"}
_BOUNDS: Final = {
    "string_too_short": ("characters", "min_length"), "too_short": ("entries", "min_length"),
    "string_too_long": ("characters", "max_length"), "too_long": ("entries", "max_length"),
    "greater_than_equal": ("", "ge"), "less_than_equal": ("", "le"),
}


class OperationRequest:
    """The base of request types: fields that a type does not name are refused.

    What a field is about, its docstring says, or its type's ``description``.
    """

    __slots__ = ()
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(
        extra="forbid", use_attribute_docstrings=True,
    )


@dataclass(frozen=True, slots=True)
class Nothing(OperationRequest):
    """There is nothing to say."""


def view(type_: type[T], source: object, /, **changed: Any) -> T:
    """``source`` as a dataclass: its attributes of the same names, but for ``changed``."""
    attributes = fields_of(cast(Any, type_))
    return type_(**{attribute.name: getattr(source, attribute.name) for attribute in attributes
                    if attribute.name not in changed}, **changed)


adapter: Final[Callable[[Any], TypeAdapter[Any]]] = cache(TypeAdapter)
"""What validates values of a type, and knows its JSON Schema; made once."""


def read(type_: type[T], values: Mapping[str, Any]) -> T:
    """The request that ``values`` are.

    Raises:
        InvalidRequestError: the message names the field, what was found and what is wanted.
    """
    try:
        parsed: T = adapter(type_).validate_python(_whole(values))
    except ValidationError as error:
        wrong = error.errors(include_url=False)[0]
        raise InvalidRequestError(described(wrong, type_)) from None
    return parsed


def _whole(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values; JSON has one kind of number: 9.0 is the whole number 9."""
    return {name: int(value) if isinstance(value, float) and value.is_integer() else value
            for name, value in values.items()}


def wrong_fields(type_: type[Any], values: Mapping[str, Any]) -> dict[str, str]:
    """What is wrong with each field of ``values``, for a form; {} where nothing is."""
    try:
        adapter(type_).validate_python(_whole(values))
    except ValidationError as error:
        return {
            str(wrong["loc"][0]): f"{'One of these' if len(wrong['loc']) > 1 else 'This'} "
                                  f"{wrongness(wrong)}."
            for wrong in reversed(error.errors(include_url=False))
        }
    return {}


def described(error: ErrorDetails, type_: type[Any]) -> str:
    """What ``error`` says, in words; it never quotes much of what was found."""
    where = _path(error["loc"])
    if error["type"] == "missing":
        return f"`{where}` is missing"
    if error["type"] == "unexpected_keyword_argument":
        names = _fields_at(type_, error["loc"])
        hint = f"the fields are {', '.join(names)}" if names else "no field is taken here"
        return f"unknown field {short(error['loc'][-1])}; {hint}"
    return f"`{where}` {wrongness(error)}"


def wrongness(error: ErrorDetails) -> str:
    """What is wrong with a value, and what it must be."""
    kind, actual, limits = error["type"], error["input"], error.get("ctx", {})
    if kind in _BOUNDS:
        wording, limit = _BOUNDS[kind]
        least = "at least" if limit in {"min_length", "ge"} else "at most"
        size = f"has {len(actual)} {wording}" if wording else f"is {short(actual)}"
        return f"{size}; it must {'have' if wording else 'be'} {least} {limits[limit]}"
    if kind in {"literal_error", "enum"}:
        expected = str(limits["expected"]).replace(" or ", ", ").replace("'", "")
        actual_text = short(actual) if isinstance(actual, str) else named(actual)
        return f"is {actual_text}; it must be one of {expected}"
    if kind == "string_pattern_mismatch":
        pattern = limits["pattern"]
        bound = _PATTERNS.get(pattern, f"match {pattern}")
        return f"has characters that it may not have; it must {bound}"
    expected = _KINDS.get(kind.removesuffix("_type"), "")
    return f"is {named(actual)}; it must be {expected}" if expected else str(error["msg"])


def _fields_at(type_: type[Any], path: Sequence[str | int]) -> list[str]:
    """The fields of the object at which ``path`` ends."""
    schema = adapter(type_).json_schema()
    at = schema
    for step in path[:-1]:
        at = _plain(at["items"] if isinstance(step, int) else at["properties"][step], schema)
    return sorted(at["properties"])


def _plain(schema: Any, document: Any) -> Any:
    """``schema`` where it may not be null, and not by reference."""
    for option in schema.get("anyOf", ()):
        if option.get("type") != "null":
            schema = option
    if "$ref" in schema:
        return document["$defs"][schema["$ref"].rpartition("/")[2]]
    return schema


def _fields(type_: Any) -> Mapping[str, Mapping[str, Any]]:
    schema = adapter(type_).json_schema()
    required = schema.get("required", ())
    attributes = {
        name: {**part, **_plain(part, schema), **_about(part), "required": name in required}
        for name, part in schema.get("properties", {}).items()
    }
    for field in attributes.values():
        if "enum" in (items := _plain(field.get("items", {}), schema)):
            field["items"] = items
    return attributes


def _about(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the field says of itself, rather than its type."""
    for option in (schema, *schema.get("anyOf", ())):
        if "description" in option:
            return {"description": option["description"]}
    return {}


fields: Final[Callable[[Any], Mapping[str, Mapping[str, Any]]]] = cache(_fields)
"""The JSON Schema of each field of a request type, as it is where it is not null."""


def _path(parts: Sequence[str | int]) -> str:
    return "".join(
        f"[{part}]" if isinstance(part, int) else f".{part[:40]}" for part in parts
    ).removeprefix(".")
