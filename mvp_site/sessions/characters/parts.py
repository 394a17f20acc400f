"""What a sheet is made of: kinds of fields, and the shorter forms that are taken for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache, partial
from typing import Annotated, Any, ClassVar, Final, get_type_hints

from pydantic import AliasChoices, BeforeValidator, ConfigDict, Field
from pydantic.fields import FieldInfo

from ...formats.export_fields import MOST, MOST_BONUS

_hints: Final[Any] = cache(partial(get_type_hints, include_extras=True))


@dataclass(frozen=True, slots=True)
class Entity:
    """Stands at a field whose texts, or whose entries' names, are entities of ``type``.

    Where ``itself`` is set, the field is such an entity, by what it is called.
    """

    type: str
    itself: bool = False


@dataclass(frozen=True, slots=True)
class SheetPart:
    """The base of what a sheet is made of; blanks around texts are no part of them.

    ``form`` says how it is told: a row of a table, a text under a heading, an entry (name: text),
    scores, a spell, a block of its own. ``alone`` is the field that a bare text or list is, where
    there is one of the name; ``short`` the field that the values of a mapping are, whose keys are
    the first.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(
        str_strip_whitespace=True, coerce_numbers_to_str=True)
    form: ClassVar[str] = ""
    alone: ClassVar[str] = "name"
    short: ClassVar[str] = "description"


def also(*names: str) -> Any:
    """What may name a field: its own name first, then others."""
    return Field(validation_alias=AliasChoices(*names))


def marks(type_: type[SheetPart], field: str) -> tuple[Any, ...]:
    """What stands at the type of a field."""
    return getattr(_hints(type_)[field], "__metadata__", ())


def names_of(type_: type[SheetPart], field: str) -> list[str]:
    """All names of a field, its own first."""
    named = next((mark for mark in marks(type_, field) if isinstance(mark, FieldInfo)), None)
    choices = named.validation_alias if named else None
    return [*map(str, choices.choices)] if isinstance(choices, AliasChoices) else [field]


def part(type_: type[SheetPart]) -> BeforeValidator:
    """Takes shorter forms of an object."""
    return BeforeValidator(partial(whole, type_))


def many(type_: type[SheetPart]) -> BeforeValidator:
    """Takes shorter forms of a list of objects."""
    return BeforeValidator(partial(entries, type_))


def whole(type_: type[SheetPart], value: object) -> object:
    """The object that a text or a list alone stands for."""
    has = type_.alone in type_.__dataclass_fields__
    return {type_.alone: value} if has and isinstance(value, (str, list)) else value


def entries(type_: type[SheetPart], value: object) -> object:
    """A list of one object, or of those of a mapping by their names."""
    key = fields(type_)[0].name
    short = type_.short if type_.short in type_.__dataclass_fields__ else key
    if isinstance(value, Mapping) and not value.keys() & {key, short}:
        value = [{key: name, **(entry if isinstance(entry, Mapping) else {short: entry})}
                 for name, entry in value.items()]
    value = as_list(value)
    return [whole(type_, entry) for entry in value] if isinstance(value, list) else value


def as_list(value: object) -> object:
    """A text or an object alone as the list that has it."""
    return [value] if isinstance(value, (str, Mapping)) else value


Texts = Annotated[tuple[str, ...], BeforeValidator(as_list)]
Flag = Annotated[bool, Field(strict=True)] | None
Count = Annotated[int, Field(strict=True, ge=0, le=MOST)]
Amount = Count | None
Number = Annotated[int, Field(strict=True, ge=-MOST_BONUS, le=MOST_BONUS)] | None
Score = Annotated[int, Field(strict=True, ge=1, le=30)] | None
Weight = Annotated[float, Field(strict=True, ge=0, le=MOST)] | None
