"""Criteria to the things of a book that meet them.

A criterion is read from words by :mod:`~.criteria_reading`; here it is held against the facts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import isclose
from operator import ge, gt, le, lt
from typing import Final, Literal

from ...retrieval.names import stands_in, words
from ..answer_table import MISSING, AnswerTable
from ..reading.fact_book import FactBook
from ..reading.fact_types import Facts
from ..reading.kinds import KIND_NAMES
from ..reading.values import atoms, is_true, number, value_key
from ..reading.vocabulary import GROUP, KIND, TRAIT

Comparison = Literal["=", "<", "<=", ">", ">="]
Operator = Literal["is", "mentions", "exists"] | Comparison
MAX_ROWS: Final = 1_000
_COMPARE: Final[dict[str, Callable[[float, float], bool]]] = {
    "=": isclose, "<": lt, "<=": le, ">": gt, ">=": ge,
}
_SIGNS: Final = {"is": ":", "mentions": ":", "exists": "", "=": " ="}
_NO_COLUMN: Final = frozenset({KIND, GROUP, TRAIT})


@dataclass(frozen=True, slots=True)
class Criterion:
    """What a field must say, and the words of the question that asked for it.

    ``is``: the field lists one of ``values``; ``mentions``: it has the words of one;
    ``exists``: it says anything. The other operators compare numbers
    (:func:`~..reading.values.number`) with the one value, and with ``part`` the number behind that
    part ("fly" in a speed).
    ``negated``: things that do not meet it are wanted. The field ``kind`` is what sort of thing it
    is, ``group`` the caption or title that a table's rows stand under, ``trait`` the name of one
    of its traits.
    """

    field: str
    operator: Operator
    values: tuple[str, ...]
    words: str
    negated: bool = False
    part: str = ""

    def __str__(self) -> str:
        sign = _SIGNS.get(self.operator, f" {self.operator}")
        field = f"{self.field} ({self.part})" if self.part else self.field
        return f"{'not ' if self.negated else ''}{field}{sign} {' or '.join(self.values)}".strip()


@dataclass(frozen=True, slots=True)
class Match:
    """Facts that meet all criteria, and the values that met them: (field, value) in their order."""

    facts: Facts
    values: tuple[tuple[str, str], ...]


def find(facts: FactBook, criteria: Sequence[Criterion]) -> tuple[Match, ...]:
    """All facts that meet every one of ``criteria``, by name, then in the order of the book.

    Without a criterion that asks for something there is no match. What a thing's own section and
    a row of a table both say is one match, the section's.
    """
    wanted = [criterion for criterion in criteria if not criterion.negated]
    unwanted = [criterion for criterion in criteria if criterion.negated]
    if not wanted and not unwanted:
        return ()
    met: set[int] | None = None
    for criterion in wanted:
        numbers = meeting(facts, criterion)
        met = numbers if met is None else met & numbers
        if not met:
            return ()
    if met is None:  # only what is not wanted: among the things that say anything of it
        met = set().union(*(facts.vocabulary.by_field.get(c.field, ()) for c in unwanted))
    for criterion in unwanted:
        met -= meeting(facts, criterion)
    kept = sorted(_once(facts, sorted(met)), key=lambda n: (facts.keys[n], n))
    fields = tuple(dict.fromkeys(criterion.field for criterion in criteria))
    return tuple(Match(facts.facts[n], tuple(_values(facts.facts[n], fields))) for n in kept)


def as_table(
    found: Sequence[Match], criteria: Sequence[Criterion], facts: FactBook, limit: int = MAX_ROWS
) -> AnswerTable:
    """The first ``limit`` matches: name, the fields that the criteria ask for, where it stands.

    The title says what was asked, and how many there are in all.
    """
    fields = tuple(dict.fromkeys(c.field for c in criteria if c.field not in _NO_COLUMN))
    asked = "; ".join(dict.fromkeys(map(str, criteria)))
    shown = found[:limit]
    first = f", the first {len(shown)}" if len(shown) < len(found) else ""
    return AnswerTable(
        title=f"{len(found)} found{first} ({asked})",
        columns=("name", *fields, "where"),
        rows=tuple(
            (
                match.facts.name,
                *(_value(match.facts, name) or MISSING for name in fields),
                facts.section(match.facts).heading_path,
            )
            for match in shown
        ),
        section_ids=tuple(dict.fromkeys(match.facts.section_id for match in shown)),
    )


def of_kind(facts: FactBook, kind: str) -> set[int]:
    """The numbers of the things of a kind: by their fields, their type, or the title above."""
    vocabulary = facts.vocabulary
    found = set(vocabulary.having(KIND, (kind,)))
    if kind in KIND_NAMES:
        found |= vocabulary.having("type", value_key(kind))
        found.update(vocabulary.by_word.get(kind, {}).get(GROUP, ()))
    return found


def meeting(facts: FactBook, criterion: Criterion) -> set[int]:
    """The numbers of the facts that meet ``criterion``, its negation left aside."""
    vocabulary = facts.vocabulary
    held = vocabulary.by_field.get(criterion.field, ())
    if criterion.operator == "exists":
        return set(held)
    if criterion.operator in {"is", "mentions"}:
        said = {is_true(value) for value in criterion.values}
        if criterion.field in vocabulary.flags and None not in said:
            return {n for n in held if is_true(facts.facts[n].get(criterion.field) or "") in said}
        found: set[int] = set()
        for value in criterion.values:
            found |= _listing(facts, criterion, value)
        return found
    wanted = number(criterion.values[0], criterion.field) if criterion.values else None
    if wanted is None:
        return set()
    compares = _COMPARE[criterion.operator]
    return {
        n for n, value in vocabulary.numbers(criterion.field, criterion.part)
        if compares(value, wanted)
    }


def _listing(facts: FactBook, criterion: Criterion, value: str) -> set[int]:
    vocabulary = facts.vocabulary
    key = value_key(value)
    if criterion.field == KIND:
        return of_kind(facts, value)
    if criterion.operator == "is":
        found = vocabulary.having(criterion.field, key)
        if found:
            return set(found)
    wanted = words(value)
    if len(wanted) == 1 and criterion.field in vocabulary.by_word.get(wanted[0], {}):
        return set(vocabulary.by_word[wanted[0]][criterion.field])
    if criterion.field in {GROUP, TRAIT} or not wanted:
        return set()
    return {
        n for n in vocabulary.by_field.get(criterion.field, ())
        if stands_in(wanted, words(_value(facts.facts[n], criterion.field) or ""))
    }


def _once(facts: FactBook, numbers: Sequence[int]) -> list[int]:
    """``numbers`` without the rows where a section says the same thing.

    That is one of its name, with the title of its own section in front or not, or its own section.
    """
    sections = {facts.keys[n] for n in numbers if facts.facts[n].origin == "section"}
    ids = {facts.facts[n].section_id for n in numbers if facts.facts[n].origin == "section"}
    seen: set[tuple[str, tuple[tuple[str, str], ...]]] = set()
    kept: list[int] = []
    for n in numbers:
        held = facts.facts[n]
        if held.origin == "row" and (held.section_id in ids or sections & facts.names(n)):
            continue
        same = facts.keys[n], held.fields
        if same not in seen:
            seen.add(same)
            kept.append(n)
    return kept


def _values(found: Facts, fields: Sequence[str]) -> Iterator[tuple[str, str]]:
    for name in fields:
        value = _value(found, name)
        if value:
            yield name, value


def _value(found: Facts, name: str) -> str | None:
    if name == GROUP:
        return found.group or None
    if name == TRAIT:
        return None
    value = found.get(name)
    if value is None and name == "damage type":
        damage = found.get("damage")
        return ", ".join(atoms(damage)) if damage else None
    return value
