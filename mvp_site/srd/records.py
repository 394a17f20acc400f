"""What a record is, and how each of its fields says where it stands in the data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from functools import cache
from typing import (
    Annotated,
    Any,
    ClassVar,
    Final,
    NamedTuple,
    TypeVar,
    dataclass_transform,
    get_type_hints,
)

from .cells import paragraphs
from .values import Kind, Paragraphs

T = TypeVar("T")
RECORDS: Final[dict[Kind, type[TextRecord]]] = {}


class At(NamedTuple):
    """The place of a field in a row (``armor_class.base``, empty for the row), and its form there.

    Without one, the field has the same name and form in both.
    """

    place: str
    form: Callable[[Any], Any] | None = None


@dataclass_transform(frozen_default=True, kw_only_default=True)
def record(kind: Kind) -> Callable[[type[T]], type[T]]:
    """Makes a class the frozen type of the records of a ``kind``."""

    def made(cls: type[T]) -> type[T]:
        cls.kind = kind  # type: ignore[attr-defined]
        found = dataclass(frozen=True, slots=True, kw_only=True)(cls)
        RECORDS[kind] = found  # type: ignore[assignment]
        return found

    return made


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRecord:
    """A record that is a name and its text."""

    kind: ClassVar[Kind]

    slug: str
    name: str
    text: Annotated[Paragraphs, At("desc", paragraphs)] = ()


def cells_of(kind: Kind, row: dict[str, Any]) -> dict[str, Any]:
    """The fields of a record in plain form; a cell that is not there is None or the default.

    References of ``row`` are looked up already.
    """
    found = {}
    for name, (at, required) in _places(kind).items():
        if at is not None:
            cell: Any = row
            for key in at.place.split(".") if at.place else ():
                cell = None if cell is None else cell.get(key)
            found[name] = at.form(cell) if at.form else cell
        elif required or name in row:
            found[name] = row.get(name)
    return found


@cache
def _places(kind: Kind) -> dict[str, tuple[At | None, bool]]:
    hints = get_type_hints(RECORDS[kind], include_extras=True)
    return {
        field.name: (
            next((one for one in getattr(hints[field.name], "__metadata__", ())
                  if isinstance(one, At)), None),
            field.default is MISSING,
        )
        for field in fields(RECORDS[kind])
    }
