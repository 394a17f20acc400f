"""Filter expressions of Milvus, built from clauses only.

Texts stand in an expression in the code of :mod:`~.plain`, which has no quote, backslash, brace,
line end or wildcard in it, so there is nothing to escape and no text can end its literal. Numbers
have columns; texts and flags stand together in one, which patterns ask (:mod:`~.milvus_tags`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from ..filters import AnyOf, Clause, Condition, Contains, FieldKind, Range
from .milvus_tags import TAGS, flag_is, is_number, text_has, text_is
from .plain import column, plain


def expression(groups: Sequence[str], where: Condition, columns: Collection[str]) -> str | None:
    """What a row must fulfil, or None where no row can.

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
            numbers = [_number(value) for value in values if is_number(value)]
            ways = [f"{name} in [{', '.join(numbers)}]"] if numbers and name in columns else []
            ways += [_like(flag_is(field, value)) for value in values if isinstance(value, bool)]
            ways += [_like(text_is(field, value)) for value in values if isinstance(value, str)]
            return ways


def _like(pattern: str) -> str:
    return f'{TAGS} like "{pattern}"'


def _literals(texts: Iterable[str]) -> str:
    return "[" + ", ".join(f'"{text}"' for text in texts) + "]"


def _number(value: float) -> str:
    return repr(float(value))
