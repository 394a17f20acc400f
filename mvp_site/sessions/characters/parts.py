"""What a sheet is made of: kinds of fields, and the shorter forms that are taken for them."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, fields
from functools import partial
from typing import Annotated, Any, ClassVar, Final

from pydantic import BeforeValidator, ConfigDict, Field

_MOST: Final = 10**9
_SEAM: Final = re.compile(r"\W+|_+|(?<=[a-z])(?=[A-Z])")


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
    scores, a spell, a block of its own. ``alone`` is the field that a bare text is, or a list where
    the field is one; ``short`` the field that the values of a mapping are, whose keys are the
    first. ``also`` are other names of fields; ``beside`` has the fields that some of them name
    where the usual one is given by another name.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(str_strip_whitespace=True)
    form: ClassVar[str] = ""
    alone: ClassVar[str] = ""
    short: ClassVar[str] = ""
    also: ClassVar[Mapping[str, str]] = {}
    beside: ClassVar[Mapping[str, str]] = {}


def _as_text(value: object) -> object:
    """A number where a text is wanted is that text: ages and weights are written so."""
    return str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def _as_whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _as_list(value: object) -> object:
    return [value] if isinstance(value, (str, Mapping)) else value


def one(type_: type[SheetPart]) -> BeforeValidator:
    """Takes shorter forms of an object."""
    return BeforeValidator(partial(whole, type_))


def many(type_: type[SheetPart]) -> BeforeValidator:
    """Takes shorter forms of a list of objects."""
    return BeforeValidator(partial(_entries, type_))


def whole(type_: type[SheetPart], value: object) -> object:
    """An object of a text or a list alone, or one with its fields by their proper names."""
    if isinstance(value, Mapping):
        return renamed(type_, value)
    lists = [field.name for field in fields(type_) if field.default == ()]
    accepted = (str, list) if type_.alone in lists else str
    return {type_.alone: value} if type_.alone and isinstance(value, accepted) else value


def _entries(type_: type[SheetPart], value: object) -> object:
    """A list of one object, or of those of a mapping by their names."""
    key = fields(type_)[0].name
    short = type_.short or key
    if isinstance(value, Mapping) and not value.keys() & {key, short}:
        value = [{key: called, **(entry if isinstance(entry, Mapping) else {short: entry})}
                 for called, entry in value.items()]
    value = _as_list(value)
    return [whole(type_, entry) for entry in value] if isinstance(value, (list, tuple)) else value


def renamed(type_: type[SheetPart], values: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an object by their proper names; a second value of a field keeps its key."""
    names = {field.name for field in fields(type_)} | type_.also.keys()
    keys = folded(values, names)
    proper_names = {type_.also.get(key, key) for key in keys.values() if key not in type_.beside}
    proper_values = dict[str, Any]()
    for key, entry in values.items():
        name = keys[key]
        proper = type_.also.get(name, name)
        if name in type_.beside and proper in proper_names:
            proper = type_.beside[name]
        doubled = proper in proper_values or (key != proper and proper in values)
        proper_values[key if doubled else proper] = entry
    return proper_values


def folded(values: Mapping[Any, Any], names: Container[str]) -> dict[Any, Any]:
    """The keys of ``values``, each with the one of ``names`` that it is ("Max HP", "maxHp")."""
    seams = {key: _SEAM.sub("_", str(key)).strip("_").lower() for key in values}
    return {key: seam if seam in names else key for key, seam in seams.items()}


Text = Annotated[str, BeforeValidator(_as_text)]
Texts = Annotated[tuple[Text, ...], BeforeValidator(_as_list)]
Name = Annotated[str, Field(min_length=1, max_length=200), BeforeValidator(_as_text)]
Flag = Annotated[bool, Field(strict=True)] | None
Whole = BeforeValidator(_as_whole)
Count = Annotated[int, Field(strict=True, ge=0, le=_MOST), Whole]
Amount = Count | None
Number = Annotated[int, Field(strict=True, ge=-999, le=999), Whole] | None
Score = Annotated[int, Field(strict=True, ge=1, le=30), Whole] | None
Weight = Annotated[float, Field(strict=True, ge=0, le=_MOST)] | None
Level = Annotated[int, Field(strict=True, ge=1, le=20), Whole]
SlotLevel = Annotated[int, Field(strict=True, ge=1, le=9), Whole]
SpellLevel = Annotated[int, Field(strict=True, ge=0, le=9), Whole] | None
