"""How people speak of the fields of a type: what a table of words says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from ...retrieval.filters import Clause


class Meaning(StrEnum):
    """What a value that is said stands for."""

    ITSELF = "the value"
    LISTED = "every value that lists it: a demon is also a demon, shapechanger"
    PART = "every value that has it as a part: a druid may attune what a bard or druid may"
    WORD = "every value that has the word: evil is lawful evil and chaotic evil"


@dataclass(frozen=True, slots=True)
class Way:
    """One way in which values of a field are said.

    ``before`` and ``behind`` are regular expressions of what must stand around, with its white
    space; ``{type}`` in them is any value of that field. ``only`` are the words of
    :attr:`Meaning.WORD`; ``never`` are values that are not said so.
    """

    field: str
    before: str = ""
    behind: str = ""
    meaning: Meaning = Meaning.ITSELF
    only: tuple[str, ...] = ()
    never: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class UpTo:
    """A clause that the field is at most the number in the phrase."""

    field: str


@dataclass(frozen=True, slots=True)
class Speech:
    """How a type's fields are spoken of.

    ``numbers`` gives a field's nouns and units ("CR 5", "100 hit points", "10 gp"), as a regular
    expression; ``whole`` are fields of whole numbers, ``feet`` those whose numbers have feet with
    them, ``dice`` those that are sides of a die, ``bounded`` those that no bare number in front
    is said of. ``flags`` are words that say true. ``values`` are fields whose values are said as
    they are ("undead", "evocation"), each with the words that must stand before the value and
    behind it, as regular expressions; '' where none has to. ``ways`` are further ways to say
    values, ``orders`` the values of fields that have more and less, ``aliases`` other words for
    values. ``phrases`` are clauses by what says them. ``within`` are fields of values that are
    the nouns of numbers ("20-foot cube").
    """

    numbers: Mapping[str, str]
    flags: Mapping[str, str]
    values: Mapping[str, tuple[str, str]]
    whole: frozenset[str] = frozenset()
    phrases: Mapping[str, Clause | UpTo] = field(default_factory=dict)
    ways: tuple[Way, ...] = ()
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    feet: frozenset[str] = frozenset()
    dice: frozenset[str] = frozenset()
    bounded: frozenset[str] = frozenset()
    within: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)

    @property
    def said(self) -> frozenset[str]:
        """The fields whose values are said."""
        return frozenset({*self.values, *self.orders, *(way.field for way in self.ways)})
