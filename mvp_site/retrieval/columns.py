"""Columns: the typed fields of passages by their values, so that a filter is a few slices.

A column has the values of one field and kind, sorted, and of each the passages that have it. A
passage without a field fulfils no clause on it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from .filters import AnyOf, Condition, Contains, FieldKind, FilterField, Range

Value: TypeAlias = str | float | bool | tuple[str, ...]
Mask: TypeAlias = npt.NDArray[np.bool_]
_KINDS: Final = {
    FieldKind.NUMBER: float, FieldKind.FLAG: bool, FieldKind.TEXT: str, FieldKind.TEXTS: str,
}


class Columns:
    """The fields of ``count`` passages."""

    def __init__(self, rows: Sequence[Mapping[str, Value]]) -> None:
        self.count = len(rows)
        positions: dict[tuple[str, type], dict[Any, list[int]]] = {}
        for row, fields in enumerate(rows):
            for name, several in fields.items():
                for value in dict.fromkeys(several) if isinstance(several, tuple) else (several,):
                    passages = positions.setdefault((name, _kind(value)), {})
                    passages.setdefault(value, []).append(row)
        self._columns = {key: _Column(passages) for key, passages in positions.items()}

    def mask(self, where: Condition, start: int = 0, end: int | None = None) -> Mask:
        """Which of the passages from ``start`` to ``end`` fulfil every clause."""
        end = self.count if end is None else end
        allowed = np.ones(end - start, np.bool_)
        for clause in where:
            fulfilled = np.zeros(end - start, np.bool_)
            match clause:
                case Range(field, low, high):
                    numbers = self._column(field, float)
                    fulfilled[numbers.passages(numbers.between(low, high), start, end)] = True
                case Contains(field, part):
                    texts = self._column(field, str)
                    for place, text in enumerate(texts.values):
                        if part in text:
                            fulfilled[texts.passages(slice(place, place + 1), start, end)] = True
                case AnyOf(field, values):
                    for value in values:
                        column = self._column(field, _kind(value))
                        hits = column.between(value, value)
                        fulfilled[column.passages(hits, start, end)] = True
            allowed &= fulfilled
        return allowed

    def counts(self, field: FilterField, mask: Mask, start: int = 0) -> dict[str | float | bool,
                                                                             int]:
        """How often each value of a field stands among the passages of ``mask``."""
        kind = _KINDS[field.kind]
        column = self._column(field.name, kind)
        out: dict[str | float | bool, int] = {}
        for place, value in enumerate(column.values):
            mine = column.passages(slice(place, place + 1), start, start + len(mask))
            if count := int(mask[mine].sum()):
                out[kind(value)] = count
        return out

    def _column(self, field: str, kind: type) -> _Column:
        return self._columns.get((field, kind), _NONE)


class _Column:
    """The different ``values``, ascending, and the passages of each, ascending."""

    def __init__(self, passages: Mapping[Any, Sequence[int]]) -> None:
        self.values = sorted(value for value in passages if value == value)  # noqa: PLR0124 (NaN)
        several = [passages[value] for value in self.values]
        self._starts = np.cumsum([0, *map(len, several)])
        self._passages = np.fromiter(chain.from_iterable(several), np.int64)

    def between(self, low: Any, high: Any) -> slice:
        """Where the values from ``low`` to ``high`` stand; None is no bound."""
        return slice(
            0 if low is None else bisect_left(self.values, low),
            len(self.values) if high is None else bisect_right(self.values, high),
        )

    def passages(self, values: slice, start: int, end: int) -> npt.NDArray[np.int64]:
        """Those from ``start`` to ``end`` that have one of the values, counted from ``start``."""
        rows = self._passages[self._starts[values.start] : self._starts[values.stop]]
        return rows[(rows >= start) & (rows < end)] - start


_NONE: Final = _Column({})


def _kind(value: object) -> type:
    return float if isinstance(value, int | float) and not isinstance(value, bool) else type(value)
