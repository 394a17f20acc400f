"""What ``mvp-site entities lookup`` may look up, and the filters that each lookup knows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from ..content.notation import read_filters
from ..errors import FilterError
from ..retrieval.filters import Field, FieldKind

_DOCUMENTS: Final = Field("documents", FieldKind.TEXT, "", ("document",))


def _numbers(*names: str) -> tuple[Field, ...]:
    return tuple(Field(name, FieldKind.NUMBER) for name in names)


def _texts(*names: str) -> tuple[Field, ...]:
    return tuple(Field(name, FieldKind.TEXT) for name in names)


def _flags(*names: str) -> tuple[Field, ...]:
    return tuple(Field(name, FieldKind.FLAG) for name in names)


LOOKUPS: Final[Mapping[str, tuple[Field, ...]]] = {
    "spell": (
        *_numbers("level", "level_min", "level_max"),
        *_texts("school"), Field("class_", FieldKind.TEXT, "", ("class", "dnd_class")),
        *_flags("concentration", "ritual"), *_texts("casting_time", "damage_type"), _DOCUMENTS,
    ),
    "creature": (
        *_numbers("cr", "cr_min", "cr_max"), *_texts("type", "size"),
        *_numbers("armor_class_min", "hit_points_min"), _DOCUMENTS,
    ),
    "equipment": (
        *_texts("type", "rarity"), *_flags("attunement"),
        *_numbers("cost_min", "cost_max", "weight_max"), *_flags("finesse", "light", "magic"),
        _DOCUMENTS,
    ),
    "rule": (*_texts("type"), _DOCUMENTS),
    "character-option": (*_texts("type"), _DOCUMENTS),
    "all": (_DOCUMENTS,),
}


def asked(kind: str, written: Iterable[str]) -> dict[str, Any]:
    """The filters of a lookup as the arguments it takes; a range becomes its two ends.

    Raises:
        FilterError: the lookup knows no such filter, or it asks for a part of a text.
    """
    fields = LOOKUPS[kind]
    names = {name: field.name for field in fields for name in (field.name, *field.also)}
    found: dict[str, Any] = {}
    stems = {field.name.removesuffix("_min").removesuffix("_max") for field in fields
             if field.kind is FieldKind.NUMBER}
    for key, wanted in read_filters(written, (*fields, *_numbers(*sorted(stems)))).items():
        ends = wanted if isinstance(wanted, Mapping) else {"": wanted}
        if "contains" in ends:
            raise FilterError(f"a lookup takes no part of a text: write {key}=value")
        for end, value in ends.items():
            name = f"{key}_{end}" if end else key
            if name not in names:
                raise FilterError(
                    f"lookup as {kind} takes no {name[:60]!r}: it takes {', '.join(_said(fields))}"
                )
            found[names[name]] = _checked(kind, name, value, fields)
    if "documents" in found and isinstance(found["documents"], str):
        found["documents"] = [found["documents"]]
    return found


def _said(fields: Iterable[Field]) -> list[str]:
    return [field.name.rstrip("_") for field in fields]


def _checked(kind: str, name: str, value: Any, fields: Iterable[Field]) -> Any:
    """``value``, where it is of its filter's kind."""
    field = next(field for field in fields if name in {field.name, *field.also})
    right = {FieldKind.FLAG: bool, FieldKind.NUMBER: float, FieldKind.TEXT: str}[field.kind]
    for one in value if isinstance(value, list) else [value]:
        if not isinstance(one, right):
            raise FilterError(f"{name} of a {kind} is {field.kind}, which {one!r} is not")
    return value
