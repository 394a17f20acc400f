"""What a record is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final, TypeVar, dataclass_transform

from .cells import At, Paragraphs, paragraphs
from .values import Kind

T = TypeVar("T")
RECORDS: Final[dict[Kind, type[TextRecord]]] = {}


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
