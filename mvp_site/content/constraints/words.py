"""How people speak of the fields of each type: the words in which they state constraints.

``speech.toml`` has them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

import msgspec

from ...retrieval.filters import AnyOf, Clause, Contains, Range
from ...text.shipped_tables import shipped_tables
from ..types import EntityType, fields_of
from .quantities import Noun, noun

INFLICTS: Final = "inflicts"
_ACTS: Final = (
    r"(?:[\s-]+(?:attacks?|effects?|abilit(?:y|ies)|powers?|touch|gaze|breath|bites?|stings?|spells?|"
    r"magic))?"
)
"""What may stand behind a word for what is inflicted, and says no more."""


class ValueMeaning(StrEnum):
    """What a value that is said stands for: itself, or more than one.

    That is every value that lists it (a demon is also a demon, shapechanger), has it as a part (a
    druid may attune what a bard or druid may), or has the word (evil is lawful evil).
    """

    ITSELF = "itself"
    LISTED = "listed"
    PART = "part"
    WORD = "word"


@dataclass(frozen=True, slots=True)
class Way:
    """One way in which values of a field are said.

    ``before`` and ``behind`` are regular expressions of what must stand around, with its white
    space; ``{type}`` in them is any value of that field. ``only`` are the words of
    :attr:`ValueMeaning.WORD`; ``never`` are values that are not said so.
    """

    field: str
    before: str = ""
    behind: str = ""
    meaning: ValueMeaning = ValueMeaning.ITSELF
    only: tuple[str, ...] = ()
    never: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Speech:
    """How a type's fields are spoken of.

    ``numbers`` gives a field's nouns and units ("CR 5", "100 hit points", "10 gp"). ``flags`` are
    words that say true, ``phrases`` clauses by what says them, both regular expressions. ``ways``
    are those to say values, ``orders`` the values of fields that have more and less, ``aliases``
    other words for values.
    """

    numbers: Mapping[str, Noun] = field(default_factory=dict)
    flags: Mapping[str, str] = field(default_factory=dict)
    ways: tuple[Way, ...] = ()
    phrases: Mapping[str, Clause] = field(default_factory=dict)
    orders: Mapping[str, Sequence[str]] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)

    @property
    def said(self) -> frozenset[str]:
        """The fields whose values are said."""
        return frozenset({*self.orders, *(way.field for way in self.ways)})


def _spoken() -> Iterator[tuple[EntityType, Speech]]:
    types = shipped_tables(__package__, "speech.toml")
    shared = types.pop("any")
    for name, spoken in types.items():
        fields = {field.name for field in fields_of(EntityType(name))}
        nouns = {field: spec for field, spec in shared["numbers"].items() if field in fields}
        inflicts: dict[str, Clause] = {
            rf"(?:{words}){_ACTS}": AnyOf(INFLICTS, (condition,))
            for condition, words in shared[INFLICTS].items() if INFLICTS in fields
        }
        yield EntityType(name), Speech(
            {field: noun(**spec) for field, spec in (nouns | spoken.pop("numbers", {})).items()},
            ways=msgspec.convert(spoken.pop("ways", []), tuple[Way, ...]),
            phrases=inflicts | {
                words: _clause(**spec) for words, spec in spoken.pop("phrases", {}).items()
            },
            **spoken,
        )


def _clause(field: str, values: Sequence[str | float | bool] = (), part: str = "",
            low: float | None = None) -> Clause:
    if values:
        return AnyOf(field, tuple(values))
    return Contains(field, part) if part else Range(field, low, None)


SPEECH: Final = dict(_spoken())
"""The types without an entry have nothing that people state."""
