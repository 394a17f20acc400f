"""Filters: what a caller asks of typed fields, checked against them and turned into clauses.

A filter is a mapping from field to what is wanted: a scalar, a list (any of them), a range
(``{"min": 5, "max": 6}``, or the keys ``level_min`` and ``level_max``), True or False, or a part
of a text (``{"contains": "bonus"}``). On a field of several texts a scalar asks whether they
contain it. Texts compare folded (:func:`fold`). Clauses are data: a backend makes of them what it
runs on, and no text of a caller's reaches it unquoted.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, TypeAlias

from ..errors import FilterError
from ..text.normalising import normalise
from ..text.strict_json import shown
from ..text.typos import near

_FOLDED: Final = str.maketrans("-_\u2010\u2019", "   '")
_LARGEST: Final = sys.float_info.max
MAX_VALUES: Final = 1_000


class FieldKind(StrEnum):
    """What a field holds, in the words of an error."""

    NUMBER = "a number"
    FLAG = "true or false"
    TEXT = "a text"
    TEXTS = "several texts"


@dataclass(frozen=True, slots=True)
class FilterField:
    """A field that filters may name; ``about`` says what it holds, with its unit.

    ``also`` are other names that callers use for it.
    """

    name: str
    kind: FieldKind
    about: str = ""
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnyOf:
    """The field is one of ``values``, or, of several texts, contains one of them."""

    field: str
    values: tuple[str | float | bool, ...]


@dataclass(frozen=True, slots=True)
class Range:
    """The number lies between ``low`` and ``high``, both included; None is no bound."""

    field: str
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Contains:
    """The folded text, or one of the texts, has ``part`` in it."""

    field: str
    part: str


Clause: TypeAlias = AnyOf | Range | Contains
Condition: TypeAlias = tuple[Clause, ...]
"""All of the clauses; of none, everything."""


def fold(text: str) -> str:
    """``text`` as texts of fields compare: NFKC, case folded, hyphens as spaces, quotes plain."""
    # Afterwards: NFKC makes hyphens and underscores of wide ones.
    text = normalise(text).translate(_FOLDED)
    return " ".join(text.split())


def parse_filters(filters: Mapping[str, Any] | None, fields: Sequence[FilterField], of: str,
                  ) -> Condition:
    """The clauses of ``filters``, in the order of the fields; ``of`` names whose fields they are.

    Raises:
        FilterError: there is no such field, or the value is not of its kind; the message names
            the field and the kind.
    """
    if filters is None:
        return ()
    if not isinstance(filters, Mapping):
        raise FilterError(
            f"filters must be a mapping from field to value, not {type(filters).__name__}: "
            'for example {"level": 3}'
        )
    clauses: dict[tuple[str, bool], Clause] = {}
    for key, condition in filters.items():
        field, bound = _field(key, fields, of)
        for clause in _clauses(field, {bound: condition} if bound else condition, of):
            slot = field.name, isinstance(clause, Range)
            earlier = clauses.get(slot)
            clauses[slot] = clause if earlier is None else _both(earlier, clause, field, of)
    order = {field.name: place for place, field in enumerate(fields)}
    return tuple(clauses[key] for key in sorted(clauses, key=lambda key: (order[key[0]], key[1])))


def as_filters(condition: Iterable[Clause]) -> dict[str, Any]:
    """The clauses in the form that callers write, so that they can be read and sent back."""
    clauses = tuple(condition)
    valued = {clause.field for clause in clauses if not isinstance(clause, Range)}
    out: dict[str, Any] = {}
    for clause in clauses:
        match clause:
            case AnyOf(field, (value,)):
                out[field] = value
            case AnyOf(field, values):
                out[field] = list(values)
            case Range(field, low, high):
                ends = (("min", low), ("max", high))
                bounds = {end: value for end, value in ends if value is not None}
                if field in valued:
                    out |= {f"{field}_{end}": value for end, value in bounds.items()}
                else:
                    out[field] = bounds
            case Contains(field, part):
                out[field] = {"contains": part}
    return out


def _field(key: object, fields: Sequence[FilterField], of: str) -> tuple[FilterField, str]:
    """The field of a key, and ``min`` or ``max`` where the key ends so."""
    by_name = {name: field for field in fields for name in (field.name, *field.also)}
    if not isinstance(key, str):
        raise FilterError(f"a filter's name must be a text, not {shown(key, 80)}")
    if key in by_name:
        return by_name[key], ""
    stem, _, bound = key.rpartition("_")
    if bound in {"min", "max"} and stem in by_name:
        return by_name[stem], bound
    nearest = near(key, by_name, 2)
    hint = f"did you mean {' or '.join(map(repr, nearest))}? " if nearest else ""
    raise FilterError(
        f"{of} have no field {key[:60]!r}: {hint}they have "
        + ", ".join(field.name for field in fields)
    )


def _clauses(field: FilterField, condition: Any, of: str) -> list[Clause]:
    if isinstance(condition, Mapping):
        return _of_mapping(field, condition, of)
    several = condition if isinstance(condition, list | tuple | set | frozenset) else [condition]
    if not several:
        raise _wrong(field, condition, of, "an empty list asks for nothing: give a value")
    if len(several) > MAX_VALUES:
        raise FilterError(f"{field.name}: {len(several)} values, at most {MAX_VALUES} are taken")
    values = dict.fromkeys(_value(field, entry, of) for entry in several)
    return [AnyOf(field.name, tuple(sorted(values)))]


def _of_mapping(field: FilterField, condition: Mapping[Any, Any], of: str) -> list[Clause]:
    keys = set(condition)
    if keys and keys <= {"min", "max"}:
        if field.kind is not FieldKind.NUMBER:
            raise _wrong(field, dict(condition), of, "only numbers have a range")
        low, high = (
            None if condition.get(end) is None else float(_value(field, condition[end], of))
            for end in ("min", "max")
        )
        if low is None and high is None:
            raise _wrong(field, dict(condition), of, 'give "min", "max" or both')
        return [_range(field, low, high)]
    if keys == {"contains"}:
        if field.kind not in {FieldKind.TEXT, FieldKind.TEXTS}:
            raise _wrong(field, dict(condition), of, "only texts contain something")
        part = condition["contains"]
        if not isinstance(part, str) or not fold(part):
            raise _wrong(field, part, of, '"contains" asks for a part of the text')
        return [Contains(field.name, fold(part))]
    raise _wrong(field, dict(condition), of, 'write {"min": …, "max": …} or {"contains": …}')


def _value(field: FilterField, value: Any, of: str) -> str | float | bool:
    """``value`` as the field's kind compares it."""
    match field.kind:
        case FieldKind.FLAG if isinstance(value, bool):
            return value
        case FieldKind.NUMBER if (
            isinstance(value, int | float) and not isinstance(value, bool)
            and abs(value) <= _LARGEST  # of NaN and a whole number too large it is not
        ):
            return float(value)
        case FieldKind.TEXT | FieldKind.TEXTS if isinstance(value, str):
            return fold(value)
    raise _wrong(field, value, of)


def _both(earlier: Clause, clause: Clause, field: FilterField, of: str) -> Clause:
    """``level_min`` and ``level_max`` as one range; anything else twice is an error."""
    if isinstance(earlier, Range) and isinstance(clause, Range):
        lows = [part.low for part in (earlier, clause) if part.low is not None]
        highs = [part.high for part in (earlier, clause) if part.high is not None]
        return _range(field, max(lows, default=None), min(highs, default=None))
    raise FilterError(f"{of}: {field.name} is asked for twice under several of its names")


def _range(field: FilterField, low: float | None, high: float | None) -> Range:
    if low is not None and high is not None and low > high:
        raise FilterError(f"{field.name}: min {low:g} is greater than max {high:g}")
    return Range(field.name, low, high)


def _wrong(field: FilterField, value: object, of: str, why: str = "") -> FilterError:
    return FilterError(
        f"{field.name} of {of} is {field.kind}{f' ({field.about})' if field.about else ''}, "
        f"which {shown(value, 80)} is not{f': {why}' if why else ''}"
    )
