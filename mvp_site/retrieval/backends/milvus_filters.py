"""Filter expressions of Milvus, built from clauses only, and the column of tags that they ask.

A collection has only so many columns. Numbers have one each; all texts and flags of a passage
stand in one text, its tags. Each value is an entry that names its field, and texts have a last
entry that closes the field: ``<entry>field<value>text``, as often as there are texts, then
``<entry>field<end>``. What is a field's and what separates is in characters that the code of
texts (:mod:`~.plain`) never has. So LIKE asks exactly: a value is equal to what stands between its
field and the next entry, and whatever lies between a field's first entry and its last is a part of
one of its texts. That code has no quote, backslash, brace, line end or wildcard in it either, so
there is nothing to escape and no text can end its literal.

Each pattern reads all of the tags, so where more than :data:`MANY` texts are asked for, what is
asked for is the field, and its texts are checked on what comes back.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from string import ascii_letters, digits
from typing import Any, Final

from ..collection import Value
from ..filters import AnyOf, Clause, Condition, Contains, FieldKind, Range
from .plain import SEPARATOR, column, plain

MANY: Final = 16
TAGS: Final = "tags"
ENTRY: Final = SEPARATOR
VALUE: Final = "\ue013"
END: Final = "\ue014"
_NAMES: Final = 0xE100
_PLACES: Final = {letter: place for place, letter in enumerate(f"{ascii_letters}{digits}_")}
_NO_LETTER: Final = len(_PLACES)
Check = Callable[[Mapping[str, Any]], bool]


def expression(types: Sequence[str] | None, where: Condition, columns: Collection[str],
               ) -> str | None:
    """What a row must fulfil, but for what :func:`check` sees to; None: no row can.

    ``columns`` are those of the collection's numbers. A number that it has not, like a field that
    a passage has not, fulfils no clause.
    """
    if types is not None and not types:
        return None
    parts = ["number >= 0"]
    if types is not None:
        literals = ", ".join(f'"{literal}"' for literal in sorted({plain(name) for name in types}))
        parts = [f"group in [{literals}]"]
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

    def fulfilled(row: Mapping[str, Any]) -> bool:
        return all(
            not texts.isdisjoint(texts_in(row[TAGS], clause.field))
            or any(_is(row, clause.field, value) for value in clause.values)
            for clause, texts in sets
        )

    return fulfilled, [TAGS, *sorted(numbers & set(columns))]


def among(numbers: Iterable[int]) -> str:
    """The rows of these passages."""
    return f"number in [{', '.join(str(int(number)) for number in numbers)}]"


def _ways(clause: Clause, columns: Collection[str]) -> list[str]:
    """The expressions of which a row must fulfil one; of none, no row can fulfil the clause."""
    name = column(clause.field, FieldKind.NUMBER)
    match clause:
        case Range(_, low, high):
            bounds = ((">=", low), ("<=", high))
            tests = [f"{name} {sign} {float(end)!r}" for sign, end in bounds if end is not None]
            return [" and ".join(tests)] if tests and name in columns else []
        case Contains(field, part):
            return [_like(f"{_text(field)}{VALUE}%{plain(part)}%{_text(field)}{END}")]
        case AnyOf(field, values):
            numbers = [repr(float(value)) for value in values if is_number(value)]
            ways = [f"{name} in [{', '.join(numbers)}]"] if numbers and name in columns else []
            flags = [value for value in values if isinstance(value, bool)]
            ways += [_like(_flag(field, flag) + ENTRY) for flag in flags]
            texts = [value for value in values if isinstance(value, str)]
            if _are_many(clause):
                return [*ways, _like(_text(field) + END)]
            return ways + [_like(f"{_text(field)}{VALUE}{plain(text)}{ENTRY}") for text in texts]


def _are_many(clause: AnyOf) -> bool:
    return sum(isinstance(value, str) for value in clause.values) > MANY


def _is(row: Mapping[str, Any], field: str, value: str | float | bool) -> bool:
    """Whether a row's number or flag is ``value``."""
    if isinstance(value, bool):
        return f"{_flag(field, value)}{ENTRY}" in row[TAGS]
    return is_number(value) and row.get(column(field, FieldKind.NUMBER)) == value


def _like(pattern: str) -> str:
    return f'{TAGS} like "%{pattern}%"'


def tags(fields: Mapping[str, Value]) -> dict[str, str]:
    """The entries of each field that is no number; joined and with :data:`ENTRY`, a tags column."""
    return {name: _entries(name, value) for name, value in fields.items() if not is_number(value)}


def is_number(value: Value) -> bool:
    """Whether a value stands in a column of its own."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def texts_in(stored: str, field: str) -> list[str]:
    """The field's texts, in code, in a column of tags."""
    start = _text(field)[len(ENTRY) :] + VALUE
    return [entry[len(start) :] for entry in stored.split(ENTRY) if entry.startswith(start)]


def _entries(field: str, value: Value) -> str:
    if isinstance(value, bool):
        return _flag(field, value)
    texts = (value,) if isinstance(value, str) else value
    if isinstance(texts, int | float) or not texts:
        return ""
    entry = _text(field)
    return "".join(f"{entry}{VALUE}{plain(text)}" for text in texts) + entry + END


def _text(field: str) -> str:
    return ENTRY + field_code(field, FieldKind.TEXT)


def _flag(field: str, flag: bool) -> str:
    return f"{ENTRY}{field_code(field, FieldKind.FLAG)}{VALUE}{int(flag)}"


def field_code(field: str, kind: FieldKind) -> str:
    """A field in private characters, two letters of its name in each; one text or several is one.

    Raises:
        BackendError: the name cannot be a field's.
    """
    named = column(field, kind)
    letters = ("f" if kind is FieldKind.FLAG else "t") + named.partition("_")[2]
    places = [_PLACES[letter] for letter in letters] + [_NO_LETTER] * (len(letters) % 2)
    return "".join(
        chr(_NAMES + first * (_NO_LETTER + 1) + second)
        for first, second in zip(places[::2], places[1::2], strict=True)
    )
