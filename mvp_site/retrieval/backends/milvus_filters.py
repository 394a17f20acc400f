"""Filter expressions of Milvus, built from clauses only.

Texts stand in an expression in the code of :mod:`~.plain`, which has no quote, backslash, brace,
line end or wildcard in it, so there is nothing to escape and no text can end its literal. Numbers
have columns; texts and flags stand together in one, which patterns ask (:mod:`~.milvus_tags`).
Each pattern reads all of it, so where more than :data:`MANY` texts are asked for, what is asked
for is the field, and its texts are checked on what comes back.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from ..filters import AnyOf, Clause, Condition, Contains, FieldKind, Range
from .milvus_tags import TAGS, flag_in, flag_is, has_texts, is_number, text_has, text_is, texts_in
from .plain import column, plain

MANY: Final = 16
Check = Callable[[Mapping[str, Any]], bool]


def expression(groups: Sequence[str], where: Condition, columns: Collection[str]) -> str | None:
    """What a row must fulfil, but for what :func:`check` sees to; None: no row can.

    ``columns`` are those of the collection's numbers. A number that it has not, like a field that
    a passage has not, fulfils no clause.
    """
    if not groups:
        return None
    parts = [f"group in {_literals(sorted({plain(group) for group in groups}))}"]
    for clause in where:
        ways = _ways(clause, columns)
        if not ways:
            return None
        parts.append(f"({' or '.join(ways)})" if len(ways) > 1 else ways[0])
    return " and ".join(parts)


def check(where: Condition, columns: Collection[str]) -> tuple[Check, list[str]] | None:
    """What is still to be checked of rows, and the columns that it reads; None: nothing."""
    clauses = [clause for clause in where if isinstance(clause, AnyOf) and _are_many(clause)]
    if not clauses:
        return None
    numbers = {column(clause.field, FieldKind.NUMBER) for clause in clauses}
    sets = [(clause, {plain(v) for v in clause.values if isinstance(v, str)}) for clause in clauses]

    def held(row: Mapping[str, Any]) -> bool:
        return all(
            not texts.isdisjoint(texts_in(row[TAGS], clause.field))
            or any(_is(row, clause.field, value) for value in clause.values)
            for clause, texts in sets
        )

    return held, [TAGS, *sorted(numbers & set(columns))]


def among(numbers: Iterable[int]) -> str:
    """The rows of these passages."""
    return f"number in [{', '.join(str(int(number)) for number in numbers)}]"


def _ways(clause: Clause, columns: Collection[str]) -> list[str]:
    """The expressions of which a row must fulfil one; of none, no row can fulfil the clause."""
    name = column(clause.field, FieldKind.NUMBER)
    match clause:
        case Range(_, low, high):
            bounds = ((">=", low), ("<=", high))
            asked = [f"{name} {sign} {_number(end)}" for sign, end in bounds if end is not None]
            return [" and ".join(asked)] if asked and name in columns else []
        case Contains(field, part):
            return [_like(text_has(field, part))]
        case AnyOf(field, values):
            numbers = [_number(float(value)) for value in values if is_number(value)]
            ways = [f"{name} in [{', '.join(numbers)}]"] if numbers and name in columns else []
            ways += [_like(flag_is(field, value)) for value in values if isinstance(value, bool)]
            texts = [value for value in values if isinstance(value, str)]
            if _are_many(clause):
                return [*ways, _like(has_texts(field))]
            return ways + [_like(text_is(field, text)) for text in texts]


def _are_many(clause: AnyOf) -> bool:
    return sum(isinstance(value, str) for value in clause.values) > MANY


def _is(row: Mapping[str, Any], field: str, value: str | float | bool) -> bool:
    """Whether a row's number or flag is ``value``."""
    if isinstance(value, bool):
        return flag_in(row[TAGS], field, value)
    return is_number(value) and row.get(column(field, FieldKind.NUMBER)) == value


def _like(pattern: str) -> str:
    return f'{TAGS} like "{pattern}"'


def _literals(texts: Iterable[str]) -> str:
    return "[" + ", ".join(f'"{text}"' for text in texts) + "]"


def _number(value: float) -> str:
    return repr(float(value))
