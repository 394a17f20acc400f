"""Columns: the typed fields of passages as arrays, so that a filter is a few comparisons.

A number is float64, NaN where a passage has none; a flag int8, -1 where it has none; texts are
codes into the field's vocabulary, in rows of (passage, code). A passage without a field fulfils
no clause on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from .filters import AnyOf, Clause, Condition, Contains, Field, FieldKind, Range

Value: TypeAlias = str | float | bool | tuple[str, ...]
Mask: TypeAlias = npt.NDArray[np.bool_]
T = TypeVar("T")
_NO_FLAG: Final = -1


class Columns:
    """The fields of ``count`` passages."""

    def __init__(self, rows: Sequence[Mapping[str, Value]]) -> None:
        self.count = len(rows)
        self._numbers: dict[str, npt.NDArray[np.float64]] = {}
        self._flags: dict[str, npt.NDArray[np.int8]] = {}
        self._texts: dict[str, _Texts] = {}
        flags: dict[str, tuple[list[int], list[bool]]] = {}
        numbers: dict[str, tuple[list[int], list[float]]] = {}
        texts: dict[str, tuple[list[int], list[str]]] = {}
        for row, fields in enumerate(rows):
            for name, value in fields.items():
                if isinstance(value, bool):
                    _add(flags, name, row, value)
                elif isinstance(value, int | float):
                    _add(numbers, name, row, value)
                else:
                    owners, held = texts.setdefault(name, ([], []))
                    several = (value,) if isinstance(value, str) else value
                    owners += [row] * len(several)
                    held += several
        for name, (owners, marks) in flags.items():
            self._flags[name] = np.full(self.count, _NO_FLAG, np.int8)
            self._flags[name][owners] = marks
        for name, (owners, values) in numbers.items():
            self._numbers[name] = np.full(self.count, np.nan)
            self._numbers[name][owners] = values
        for name, (owners, held) in texts.items():
            self._texts[name] = _Texts(owners, held)

    def mask(self, where: Condition, start: int = 0, end: int | None = None) -> Mask:
        """Which of the passages from ``start`` to ``end`` fulfil every clause."""
        end = self.count if end is None else end
        held = np.ones(end - start, np.bool_)
        for clause in where:
            held &= self._clause(clause, start, end)
        return held

    def counts(self, field: Field, mask: Mask, start: int = 0) -> dict[str | float | bool, int]:
        """How often each value of a field stands among the passages of ``mask``."""
        span = slice(start, start + len(mask))
        if field.kind is FieldKind.FLAG:
            held = self._flags.get(field.name)
            kept = held[span][mask] if held is not None else ()
            return {bool(v): n for v, n in _tally(kept).items() if v != _NO_FLAG}
        if field.kind is FieldKind.NUMBER:
            column = self._numbers.get(field.name)
            if column is None:
                return {}
            found = column[span][mask]
            return {float(v): n for v, n in _tally(found[~np.isnan(found)]).items()}
        held_texts = self._texts.get(field.name)
        return {} if held_texts is None else held_texts.counts(mask, start)

    def _clause(self, clause: Clause, start: int, end: int) -> Mask:
        match clause:
            case Range(field, low, high):
                column = self._numbers.get(field)
                if column is None:
                    return _none(end - start)
                column = column[start:end]
                held = ~np.isnan(column)
                if low is not None:
                    held &= column >= low
                if high is not None:
                    held &= column <= high
                return held
            case Contains(field, part):
                texts = self._texts.get(field)
                return _none(end - start) if texts is None else texts.having(part, start, end)
            case AnyOf(field, values):
                return self._any_of(field, values, start, end)

    def _any_of(self, field: str, values: tuple[str | float | bool, ...], start: int, end: int,
                ) -> Mask:
        held = _none(end - start)
        for value in values:
            if isinstance(value, bool):
                flags = self._flags.get(field)
                if flags is not None:
                    held |= flags[start:end] == value
            elif isinstance(value, str):
                texts = self._texts.get(field)
                if texts is not None:
                    held |= texts.being(value, start, end)
            else:
                numbers = self._numbers.get(field)
                if numbers is not None:
                    held |= numbers[start:end] == value
        return held


class _Texts:
    """A field's texts: which passage has which code of the vocabulary."""

    def __init__(self, owners: Sequence[int], held: Sequence[str]) -> None:
        self._vocabulary = {text: code for code, text in enumerate(sorted(set(held)))}
        codes = np.fromiter((self._vocabulary[text] for text in held), np.int32, len(held))
        order = np.argsort(codes, kind="stable")
        self._owners = np.asarray(owners, np.int64)[order]
        self._starts = np.searchsorted(codes[order], np.arange(len(self._vocabulary) + 1))

    def being(self, text: str, start: int, end: int) -> Mask:
        """Which passages from ``start`` to ``end`` have just this text."""
        held = _none(end - start)
        code = self._vocabulary.get(text)
        if code is not None:
            held[self._of(code, start, end)] = True
        return held

    def having(self, part: str, start: int, end: int) -> Mask:
        """Which passages from ``start`` to ``end`` have a text with this part in it."""
        held = _none(end - start)
        for text, code in self._vocabulary.items():
            if part in text:
                held[self._of(code, start, end)] = True
        return held

    def counts(self, mask: Mask, start: int) -> dict[str | float | bool, int]:
        """How many passages of the mask have each text."""
        out: dict[str | float | bool, int] = {}
        for text, code in self._vocabulary.items():
            owners = self._of(code, start, start + len(mask))
            if found := int(mask[np.unique(owners)].sum()):
                out[text] = found
        return out

    def _of(self, code: int, start: int, end: int) -> npt.NDArray[np.int64]:
        """The passages from ``start`` to ``end`` that have a text, from ``start``, ascending."""
        owners = self._owners[self._starts[code] : self._starts[code + 1]]
        first, last = owners.searchsorted((start, end))
        return np.asarray(owners[first:last] - start, np.int64)


def _add(columns: dict[str, tuple[list[int], list[T]]], name: str, row: int, value: T) -> None:
    owners, values = columns.setdefault(name, ([], []))
    owners.append(row)
    values.append(value)


def _none(count: int) -> Mask:
    return np.zeros(count, np.bool_)


def _tally(values: npt.ArrayLike) -> dict[float, int]:
    found, counts = np.unique(np.asarray(values), return_counts=True)
    return dict(zip(found.tolist(), counts.tolist(), strict=True))
