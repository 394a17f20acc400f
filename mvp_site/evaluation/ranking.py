"""Rankings against graded gold through ``ir_measures``, and means over them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final, TypeVar

import ir_measures

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T")
M = TypeVar("M", bound="DataclassInstance")
DEPTH: Final = 10


def measured(measures: Mapping[str, Any],
             ranked: Iterable[tuple[str, Mapping[str, int], Sequence[str]]],
             ) -> dict[str, dict[str, float]]:
    """By id of a question each measure's value by its name, in [0, 1].

    ``ranked`` gives a question's id, the grades of its gold, of which there is some, and what was
    ranked for it, the best first; what stands past :data:`DEPTH` is not looked at.
    """
    held = list(ranked)
    qrels = [
        ir_measures.Qrel(name, key, grade) for name, gold, _ in held for key, grade in gold.items()
    ]
    run = [
        ir_measures.ScoredDoc(name, key, float(DEPTH - rank))
        for name, _, ranking in held
        # A question for which nothing was ranked would be left out, instead of being worth 0.
        for rank, key in enumerate(ranking[:DEPTH] or ("nothing",))
    ]
    if not held:
        return {}
    names = {str(measure): name for name, measure in measures.items()}
    values: dict[str, dict[str, float]] = {name: {} for name, _, _ in held}
    for metric in ir_measures.iter_calc(list(measures.values()), qrels, run):
        values[metric.query_id][names[str(metric.measure)]] = metric.value
    return values


def means(of: type[M], found: Sequence[M]) -> M:
    """The mean of each field of ``found``, a dataclass of numbers; 0 where there are none."""
    count = max(len(found), 1)
    return of(**{
        field.name: sum(getattr(one, field.name) for one in found) / count for field in fields(of)
    })


def mean(values: Sequence[float]) -> float | None:
    """The mean, None of nothing."""
    return sum(values) / len(values) if values else None


def by_group(items: Iterable[T], prefix: str, key: Callable[[T], str]) -> dict[str, list[T]]:
    """The items by group as ``prefix=key``, in order of the keys."""
    groups: dict[str, list[T]] = {}
    for item in items:
        groups.setdefault(f"{prefix}={key(item)}", []).append(item)
    return {name: groups[name] for name in sorted(groups)}
