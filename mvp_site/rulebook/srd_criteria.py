"""Criteria stated in words to the things of the default book that meet them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ..content.captions import TITLES, condition
from ..content.constraints.reading import ConstraintReader
from ..content.constraints.words import SPEECH
from ..content.document import values_of, vocabulary
from ..content.types import EntityType, fields_of
from ..retrieval.columns import Columns
from ..retrieval.filters import as_filters
from ..retrieval.names import stands_in, words
from .srd_things import Thing

_ALSO_CALLED: Final = {"creature": EntityType.MONSTERS, "cantrip": EntityType.SPELLS}


@dataclass(frozen=True, slots=True)
class Found:
    """The things of a type that meet the criteria, which ``said`` prints; ``fields`` are theirs."""

    type: EntityType
    said: str
    fields: tuple[str, ...]
    things: tuple[Thing, ...]


class Criteria:
    """Reads criteria on the fields of things."""

    def __init__(self, things: Sequence[Thing]) -> None:
        self._things: dict[EntityType, list[Thing]] = {}
        for thing in things:
            if thing.type in SPEECH:
                self._things.setdefault(thing.type, []).append(thing)
        rows = {
            type_: [values_of(type_, one.document) for one in held]
            for type_, held in self._things.items()
        }
        self._columns = {type_: Columns(held) for type_, held in rows.items()}
        self._readers = {
            type_: ConstraintReader(type_, {
                field: vocabulary(held, field) for field in SPEECH[type_].said
            })
            for type_, held in rows.items()
        }

    def find(self, text: str, named: Sequence[tuple[int, int]]) -> Found | None:
        """What meets the criteria in ``text``; None where it states none.

        They are read for the type that ``text`` names ("spells"), else for each; the type with the
        most of them is meant. ``named`` are the places of names, which state nothing.
        """
        said = words(text)
        called = [type_ for type_ in self._things if any(
            stands_in(words(name), said) for name in TITLES[type_]
        )] + [type_ for name, type_ in _ALSO_CALLED.items() if name in said]
        best: Found | None = None
        for type_ in dict.fromkeys(called or self._things):
            stated = self._readers[type_].read(text, named).condition
            if stated and (best is None or len(stated) > len(best.fields)):
                meeting = np.flatnonzero(self._columns[type_].mask(stated))
                fields = {field.name: field for field in fields_of(type_)}
                asked = as_filters(stated)
                best = Found(
                    type_, "; ".join(condition(fields.get(n), n, asked[n]) for n in asked),
                    tuple(clause.field for clause in stated),
                    tuple(self._things[type_][number] for number in meeting),
                )
        return best
