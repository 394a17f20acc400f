"""Filter strings of Marqo, built from clauses only, and the check of what comes back.

A text stands in a filter as :func:`told` spells it: the code of :mod:`~.plain`, spaces coded too,
so that neither a bracket nor the word AND of a text is ever read as Marqo's. Marqo cannot ask for
a part of a text; such a clause is left out of the filter and checked on what comes back.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ..filters import AnyOf, Clause, Condition, Contains, FieldKind, Range
from .plain import SEPARATOR, SPACE, column, plain


def told(text: str) -> str:
    """``text`` as Marqo stores it and is asked for it: never empty, without a space."""
    return SEPARATOR + _inner(text)


def filter_string(groups: Sequence[str], where: Condition, columns: Collection[str]) -> str | None:
    """What a document must fulfil, but for the clauses that Marqo cannot ask; None: none can."""
    if not groups:
        return None
    parts = [_either([f"group:({told(group)})" for group in dict.fromkeys(groups)])]
    for clause in where:
        asked = [way for name, way in _ways(clause) if name in columns]
        if not asked:
            return None
        if not isinstance(clause, Contains):
            parts.append(_either(asked))
    return " AND ".join(parts)


def columns_read(where: Condition, columns: Collection[str]) -> list[str]:
    """The columns that :func:`fulfils` reads."""
    named = {column(clause.field, kind) for clause in where for kind in FieldKind}
    return ["group", *sorted(named & set(columns))]


def fulfils(document: Mapping[str, Any], groups: Collection[str], where: Condition) -> bool:
    """Whether a stored document is of the groups and fulfils every clause."""
    return document.get("group") in {told(group) for group in groups} and all(
        _holds(document, clause) for clause in where
    )


def _ways(clause: Clause) -> list[tuple[str, str]]:
    """The columns that can fulfil a clause, and how each is asked for each value."""
    values = clause.values if isinstance(clause, AnyOf) else ()
    number, flag, text, texts = (column(clause.field, kind) for kind in FieldKind)
    ways: list[tuple[str, str]] = []
    if isinstance(clause, Range):
        ways.append((number, _between(number, clause.low, clause.high)))
    elif isinstance(clause, Contains):
        ways += [(text, ""), (texts, "")]
    for value in values:
        if isinstance(value, bool):
            ways.append((flag, f"{flag}:{str(value).lower()}"))
        elif isinstance(value, str):
            ways += [(name, f"{name}:({told(value)})") for name in (text, texts)]
        else:
            ways.append((number, _between(number, value, value)))
    return ways


def _holds(document: Mapping[str, Any], clause: Clause) -> bool:
    number, flag, text, several = (
        document.get(column(clause.field, kind)) for kind in FieldKind
    )
    texts = [*(several or ()), *([] if text is None else [text])]
    match clause:
        case Range(_, low, high):
            return number is not None and (low is None or number >= low) and (
                high is None or number <= high
            )
        case Contains(_, part):
            return any(_inner(part) in one for one in texts)
        case AnyOf(_, values):
            return any(
                flag is value if isinstance(value, bool)
                else told(value) in texts if isinstance(value, str)
                else number == value
                for value in values
            )


def _inner(text: str) -> str:
    return plain(text).replace(" ", SPACE)


def _between(name: str, low: float | None, high: float | None) -> str:
    ends = ("*" if end is None else repr(float(end)) for end in (low, high))
    return f"{name}:[{' TO '.join(ends)}]"


def _either(ways: Sequence[str]) -> str:
    """One of ``ways``, in brackets by halves: Marqo follows a long chain by recursion."""
    if len(ways) == 1:
        return ways[0]
    half = len(ways) // 2
    return f"({_either(ways[:half])} OR {_either(ways[half:])})"
