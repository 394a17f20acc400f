"""The values that the fields of a book's facts have, and which facts have each.

What a word of a question may mean is read from here: "evocation" is a school because spells have
it as theirs, "finesse" a property because weapons do. So a book with other schools is understood
as well as the one that everybody knows.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from ...retrieval.names import stands_in, words
from .fact_types import DAMAGE_TYPE, Facts
from .fields import known
from .kinds import kinds_of
from .values import Key, atoms, is_true, value_key
from .values import number as number_of

KIND: Final = "kind"
GROUP: Final = "group"
TRAIT: Final = "trait"
_LISTED: Final = re.compile(r"[,;]")
_IN_PARENTHESES: Final = re.compile(r"\([^()]*\)")
MAX_PHRASE: Final = 4
"""A value of more words is a sentence, and nobody asks for it by name."""
_OWN: Final = frozenset({KIND, GROUP, TRAIT})
"""What is no field of the book but is asked for like one."""
_ALONE: Final = 0.9
_MAX_VALUE_WORDS: Final = 9
_NUMBERS_KEPT: Final = 256
_SHORT_VALUE: Final = 6.0
"""The words of a field's values stand for themselves where they have so few on average."""
_MIN_UNKNOWN: Final = 2
"""In a field that the table of fields does not know, a value must stand in so many facts."""


class Vocabulary:
    """Which facts have a value, by the number of each in ``facts``.

    ``by_value``: fields to the facts that list a value, for each value's key. ``by_word`` the
    same for single words in short values, ``by_field`` all facts of a field. ``flags`` are the
    fields whose values say yes or no, ``labels`` the fields by the key of their name, and
    ``kind_of`` the one kind that nearly all things with a field are of.
    """

    __slots__ = (
        "_facts", "_numbers", "by_field", "by_value", "by_word", "flags", "kind_of", "labels",
    )

    def __init__(self, facts: Sequence[Facts]) -> None:
        self._facts = facts
        self._numbers: dict[tuple[str, str], tuple[tuple[int, float], ...]] = {}
        kinds = [kinds_of(read) for read in facts]
        held = _Held()
        for number, read in enumerate(facts):
            if read.origin != "below":
                held.add(number, read, kinds[number])
        self.by_field: dict[str, list[int]] = dict(held.fields)
        self.by_value = _kept(held.values)
        self.by_word = held.short_words()
        self.flags = frozenset(self.by_field) - held.worded
        self.kind_of = _kinds_alone(self.by_field, kinds)
        self.labels = {key: name for name in self.by_field if (key := value_key(name))}

    def field_of(self, key: Key, label: str) -> str | None:
        """The field of that name: as the book writes it, or as the table of fields has it."""
        if key in self.labels:
            return self.labels[key]
        name = known(label)
        return name if name and name in self.by_field else None

    def numbers(self, name: str, part: str = "") -> tuple[tuple[int, float], ...]:
        """The facts whose field holds a number, with it; behind ``part`` where one is named."""
        found = self._numbers.get((name, part))
        if found is None:
            found = tuple(
                (n, value) for n in self.by_field.get(name, ())
                if (value := _number(self._facts[n].get(name) or "", name, part)) is not None
            )
            if len(self._numbers) < _NUMBERS_KEPT:
                self._numbers[name, part] = found
        return found

    def having(self, name: str, key: Key) -> frozenset[int]:
        """The facts that list the value ``key`` in the field ``name``."""
        return frozenset(self.by_value.get(key, {}).get(name, ()))


class _Held:
    """What is gathered from all facts before it is sifted."""

    def __init__(self) -> None:
        self.fields: dict[str, list[int]] = defaultdict(list)
        self.values: dict[Key, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        self.words: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        self.lengths: dict[str, int] = defaultdict(int)
        self.worded: set[str] = set()
        self._analysed: dict[str, tuple[tuple[Key, ...], tuple[str, ...]]] = {}

    def add(self, number: int, read: Facts, kinds: Sequence[str]) -> None:
        for name, value in _stated(read):
            self.fields[name].append(number)
            self.lengths[name] += len(value.split())
            if is_true(value) is None:
                self.worded.add(name)
            if value not in self._analysed:
                self._analysed[value] = _analysed(value)
            keys, parts = self._analysed[value]
            for key in keys:
                self.values[key][name].append(number)
            for word in parts:
                self.words[word][name].append(number)
        for kind in kinds:
            self.values[(kind,)][KIND].append(number)
        for name, _ in read.traits if kinds else ():
            if not known(name):
                self.values[value_key(_IN_PARENTHESES.sub("", name))][TRAIT].append(number)
        if read.group:
            self.values[value_key(read.group)][GROUP].append(number)
            for word in set(words(read.group)):
                self.words[word][GROUP].append(number)

    def short_words(self) -> dict[str, dict[str, tuple[int, ...]]]:
        """The words of the fields whose values are short, and of groups."""
        short = {
            name for name, held in self.fields.items()
            if known(name) == name and self.lengths[name] <= _SHORT_VALUE * len(held)
        } | {GROUP}
        return {
            word: kept for word, fields in self.words.items()
            if (kept := {name: tuple(held) for name, held in fields.items() if name in short})
        }


def _number(text: str, name: str, part: str) -> float | None:
    """The number in ``text``, or in the one of its listed pieces that names ``part``."""
    if part:
        wanted = value_key(part)
        pieces = _LISTED.split(text)
        text = next((piece for piece in pieces if stands_in(wanted, value_key(piece))), "")
    return number_of(text, name)


def _kinds_alone(
    by_field: dict[str, list[int]], kinds: Sequence[tuple[str, ...]]
) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, held in by_field.items():
        counted = Counter(kind for n in held for kind in kinds[n])
        alone = [kind for kind, count in counted.items() if count >= _ALONE * len(held)]
        if len(alone) == 1:
            found[name] = alone[0]
    return found


def _stated(read: Facts) -> Iterable[tuple[str, str]]:
    """The fields of a fact; damage with its type counts as a damage type as well."""
    yield from read.fields
    damage = read.get("damage")
    if damage and read.get(DAMAGE_TYPE) is None:
        yield DAMAGE_TYPE, damage


def _analysed(value: str) -> tuple[tuple[Key, ...], tuple[str, ...]]:
    """The keys of the parts of ``value`` that are short enough, and its words if these are few."""
    keys = dict.fromkeys(value_key(part) for part in atoms(value))
    said = words(value)
    return (
        tuple(key for key in keys if 0 < len(key) <= MAX_PHRASE),
        tuple(dict.fromkeys(said)) if len(said) <= _MAX_VALUE_WORDS else (),
    )


def _kept(
    values: dict[Key, dict[str, list[int]]]
) -> dict[Key, dict[str, tuple[int, ...]]]:
    found: dict[Key, dict[str, tuple[int, ...]]] = {}
    for key, fields in values.items():
        kept = {
            name: tuple(held) for name, held in fields.items()
            if name in _OWN or known(name) == name or len(held) >= _MIN_UNKNOWN
        }
        if kept:
            found[key] = kept
    return found
