"""Filter expressions of Milvus, built from clauses only.

Texts stand in an expression in the code of :mod:`~.plain`, which has no quote, backslash, brace,
line end or wildcard in it, so there is nothing to escape and no text can end its literal.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from ..filters import AnyOf, Clause, Condition, Contains, FieldKind, Range
from .plain import SEPARATOR, column, plain


def expression(groups: Sequence[str], where: Condition, columns: Collection[str]) -> str | None:
    """What a row must fulfil, or None where no row can.

    ``columns`` are those of the collection. A field that it has not, like one that a passage has
    not (its column is null there), fulfils no clause.
    """
    if not groups:
        return None
    parts = [f"group in {_literals(sorted({plain(group) for group in groups}))}"]
    for clause in where:
        ways = [way for way in _ways(clause) if way[0] in columns]
        if not ways:
            return None
        said = " or ".join(text for _, text in ways)
        parts.append(f"({said})" if " or " in said or len(ways) > 1 else said)
    return " and ".join(parts)


def among(numbers: Iterable[int]) -> str:
    """The rows of these passages."""
    return f"number in [{', '.join(str(int(number)) for number in numbers)}]"


def _ways(clause: Clause) -> list[tuple[str, str]]:
    """The columns that can fulfil a clause, each with the expression that asks it."""
    match clause:
        case Range(field, low, high):
            name = column(field, FieldKind.NUMBER)
            bounds = ((">=", low), ("<=", high))
            asked = [f"{name} {sign} {_number(end)}" for sign, end in bounds if end is not None]
            return [(name, " and ".join(asked))] if asked else []
        case Contains(field, part):
            texts = (column(field, FieldKind.TEXT), column(field, FieldKind.TEXTS))
            return [(name, f'{name} like "%{plain(part)}%"') for name in texts]
        case AnyOf(field, values):
            return _any_of(field, values)


def _any_of(field: str, values: Sequence[str | float | bool]) -> list[tuple[str, str]]:
    """Each kind of value asks the column of its kind; texts ask those of one and of several."""
    flags = [value for value in values if isinstance(value, bool)]
    texts = [plain(value) for value in values if isinstance(value, str)]
    numbers = [
        value for value in values if isinstance(value, int | float) and not isinstance(value, bool)
    ]
    ways = []
    if flags:
        name = column(field, FieldKind.FLAG)
        ways.append((name, " or ".join(f"{name} == {str(flag).lower()}" for flag in flags)))
    if numbers:
        name = column(field, FieldKind.NUMBER)
        ways.append((name, f"{name} in [{', '.join(map(_number, numbers))}]"))
    if texts:
        name = column(field, FieldKind.TEXT)
        ways.append((name, f"{name} in {_literals(texts)}"))
        name = column(field, FieldKind.TEXTS)
        ways.append((name, " or ".join(
            f'{name} like "%{SEPARATOR}{text}{SEPARATOR}%"' for text in texts
        )))
    return ways


def _literals(texts: Iterable[str]) -> str:
    return "[" + ", ".join(f'"{text}"' for text in texts) + "]"


def _number(value: float) -> str:
    return repr(float(value))
