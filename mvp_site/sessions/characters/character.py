"""A character's sheet: its parts as values, what each may hold, and which of it are names.

``sheet.toml`` is the one place that says so: the types are made of it, what is read is checked by
them, and the JSON Schema and the pieces that are indexed follow from them. Everything but the name
may be missing: a text is then '', a list (), a number or a flag None.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, make_dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal

from pydantic import BeforeValidator, ConfigDict, Field

from ...content.prompt_helper import told

_TOLD: Final = told("mvp_site.sessions", "sheet.toml")
_MOST: Final = 10**9


def _as_text(value: object) -> object:
    """A number where a text is wanted is that text: ages and weights are written so."""
    return str(value) if isinstance(value, (int, float)) and value is not True else value


def _as_whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _as_list(value: object) -> object:
    return [value] if isinstance(value, (str, Mapping)) else value


def _whole(least: int, most: int) -> Any:
    return Annotated[int, Field(strict=True, ge=least, le=most), BeforeValidator(_as_whole)]


Text = Annotated[str, BeforeValidator(_as_text)]
_KINDS: Final[Mapping[str, tuple[Any, Any]]] = {
    "text": (Text, ""),
    "texts": (Annotated[tuple[Text, ...], BeforeValidator(_as_list)], ()),
    "name": (Annotated[str, Field(min_length=1, max_length=200), BeforeValidator(_as_text)], ...),
    "flag": (Annotated[bool, Field(strict=True)] | None, None),
    "amount": (_whole(0, _MOST) | None, None),
    "number": (_whole(-999, 999) | None, None),
    "score": (_whole(1, 30) | None, None),
    "weight": (Annotated[float, Field(strict=True, ge=0, le=_MOST)] | None, None),
    "count": (_whole(0, _MOST), 1),
    "level": (_whole(1, 20), 1),
    "slot_level": (_whole(1, 9), 1),
    "spell_level": (_whole(0, 9) | None, None),
    "item": (Literal["item", "weapon", "armor"], "item"),
}
"""What a field of each kind may hold, and what it has where it is missing (... for nothing)."""


@dataclass(frozen=True, slots=True)
class Entity:
    """Stands at a field whose texts, or whose entries' names, are entities of ``type``.

    Where ``itself`` is set, the field is such an entity, by what it is called.
    """

    type: str
    itself: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """The base of what a sheet is made of; blanks around texts are no part of them.

    ``form`` says how it is told.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(str_strip_whitespace=True)
    form: ClassVar[str] = ""


@cache
def type_of(name: str) -> type[Part]:
    """The type of the objects of a name, as the table has them."""
    about = _TOLD[name]
    made = [(key, *_field(said)) for key, said in about.items() if key[0] != "_"]
    return make_dataclass(
        name, [(key, type_, *([] if default is ... else [field(default=default)]))
               for key, type_, default in made],
        bases=(Part,), frozen=True, slots=True, namespace={
            "__doc__": about["_about"], "__module__": __name__, "form": about.get("_form", "")},
    )


def _field(said: str) -> tuple[Any, Any]:
    """The type of a field as the table says it, and its default."""
    type_: Any
    kind, _, entity = said.partition(" ")
    name = kind.strip("[]")
    if name in _KINDS:
        type_, default = _KINDS[name]
    else:
        type_ = Annotated[type_of(name), BeforeValidator(partial(_whole_object, name))]
        default = ... if name == "Base" else type_of(name)
        if kind != name:
            entries = BeforeValidator(partial(_entries, name))
            type_, default = Annotated[tuple[type_, ...], entries], ()
    if entity:
        type_ = Annotated[type_, Entity(entity[1:], itself=entity[0] == "=")]
    return type_, default() if isinstance(default, type) else default


def _whole_object(name: str, value: object) -> object:
    """An object of a text or a list alone, or one with its fields by their proper names."""
    if isinstance(value, Mapping):
        return _renamed(name, value)
    alone = _TOLD[name].get("_alone", "")
    taken = (str, list) if _TOLD[name].get(alone, "").startswith(("[", "texts")) else str
    return {alone: value} if alone and isinstance(value, taken) else value


def _renamed(name: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an object by their proper names, where it has none of those."""
    also, found = _TOLD[name].get("_also", {}), dict[str, Any]()
    for key, one in values.items():
        proper = also.get(key, key)
        found[key if proper in values or proper in found else proper] = one
    return found


def _entries(name: str, value: object) -> object:
    """A list of one object, or of those of a mapping by their names."""
    key = next(key for key in _TOLD[name] if key[0] != "_")
    short = _TOLD[name].get("_short", key)
    if isinstance(value, Mapping) and key not in value and short not in value:
        return [{key: called, **(one if isinstance(one, Mapping) else {short: one})}
                for called, one in value.items()]
    return _as_list(value)


def placed(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a sheet, with plain ones that stand outside of all parts in theirs.

    Theirs is the base where it has a field of the name, else the only part that has one. A level
    is that of the only class.
    """
    found = _renamed("Character", values)
    for key in [one for one in found if one not in _HOMES]:
        homes = [part for part, names in _HOMES.items() if key in names]
        if (homes[:1] != ["base"] and len(homes) != 1) or not _is_plain(found[key]):
            continue
        part = _whole_object(_TOLD["Character"][homes[0]], found.get(homes[0], {}))
        if isinstance(part, Mapping) and key not in part:
            found[homes[0]] = {**part, key: found.pop(key)}
    base = _whole_object("Base", found.get("base"))
    if isinstance(base, Mapping) and isinstance(base.get("classes"), str) and "level" in found:
        found["base"] = {**base, "classes": {base["classes"]: found.pop("level")}}
    return found


def _is_plain(value: object) -> bool:
    if isinstance(value, (list, Mapping)):
        return all(map(_is_plain, value.values() if isinstance(value, Mapping) else value))
    return isinstance(value, (str, int, float))


if TYPE_CHECKING:
    Character = Any
    Headed = Any
else:
    Character, Headed = type_of("Character"), type_of("Headed")
_HOMES: Final = {
    part: {*_TOLD.get(said, ()), *_TOLD.get(said, {}).get("_also", ())}
    for part, said in _TOLD["Character"].items() if part[0] != "_"
}
"""The names that fields have in each part that is one object."""
ABILITIES: Final = tuple(one.name.capitalize() for one in fields(type_of("AbilityScores")))
