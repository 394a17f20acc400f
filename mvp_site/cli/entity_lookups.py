"""The filters of ``mvp-site entities lookup``: the parameters that each lookup takes by name."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final

from ..content.notation import read_filters
from ..entities.index import EntityIndex
from ..errors import FilterError
from ..operations.entities import LOOKUPS
from ..retrieval.filters import Field, FieldKind

_KINDS: Final = {
    "Number": FieldKind.NUMBER, "Challenge": FieldKind.NUMBER, "bool | None": FieldKind.FLAG,
}
_ALSO: Final[Mapping[str, tuple[str, ...]]] = {
    "class_": ("class", "dnd_class"), "documents": ("document",),
}
_OTHERS: Final = frozenset({"self", "query", "name", "types", "limit", "bind_stated", "also"})


@cache
def fields_of_lookup(kind: str) -> tuple[Field, ...]:
    """The filters of a lookup, as its method's annotations have them."""
    method = inspect.signature(getattr(EntityIndex, LOOKUPS[kind]))
    return tuple(
        Field(name, _KINDS.get(str(one.annotation), FieldKind.TEXT), "", _ALSO.get(name, ()))
        for name, one in method.parameters.items() if name not in _OTHERS
    )


def asked(kind: str, written: Iterable[str]) -> dict[str, Any]:
    """The filters of a lookup as the arguments it takes; a range becomes its two ends.

    Raises:
        FilterError: the lookup knows no such filter, or it asks for a part of a text.
    """
    fields = fields_of_lookup(kind)
    names = {name: field.name for field in fields for name in (field.name, *field.also)}
    found: dict[str, Any] = {}
    stems = {field.name.removesuffix("_min").removesuffix("_max") for field in fields
             if field.kind is FieldKind.NUMBER}
    ranges = tuple(Field(stem, FieldKind.NUMBER) for stem in sorted(stems))
    for key, wanted in read_filters(written, (*fields, *ranges)).items():
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
