"""What a run gives: values for programs, and a page of lines and tables for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .metrics import Groups, Metrics, Outcome


@dataclass(frozen=True, slots=True)
class Goal:
    """A target with what was measured."""

    name: str
    wanted: str
    found: float
    reached: bool

    @classmethod
    def of(cls, name: str, wanted: str, found: float) -> Goal:
        """The goal; ``wanted`` is ``≥`` or ``≤`` with a number, or the number itself."""
        sign, _, number = wanted.rpartition(" ")
        bound = float(number)
        reached = {"≥": found >= bound, "≤": found <= bound, "": found == bound}[sign]
        return cls(name, wanted, found, reached)


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells under their heads."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Item = str | Table | Goal


@dataclass(frozen=True, slots=True)
class Report:
    """What one run showed. ``values`` are plain JSON values, ``page`` is the same for people."""

    values: Mapping[str, Any]
    page: tuple[Item, ...]


def ranking_report(head: str, metrics: Metrics, values: Mapping[str, Any],
                   systems: Mapping[str, Groups], goals: Sequence[Goal]) -> Report:
    """The report on ``systems``, the first of which is the product, with the part's ``values``."""
    whole = {
        **values, "goals": [asdict(goal) for goal in goals], "systems": {
            name: {group: metrics.as_dict(one) for group, one in groups.items()}
            for name, groups in systems.items()
        },
    }
    return Report(whole, (head, *tables(systems, metrics), *lines(values), *goals))


def tables(systems: Mapping[str, Groups], metrics: Metrics) -> Iterator[Table]:
    """A table of all systems, and one of the first measure for each way to group."""
    labels = {name: label for name, (label, _) in metrics.table.items()}
    main, label = next(iter(labels.items()))
    yield Table(("system", metrics.counted, *labels.values()), tuple(
        (name, str(of["all"].count), *(_cell(of["all"].measures[measure]) for measure in labels))
        for name, of in systems.items()
    ))
    product = next(iter(systems.values()))
    for title in dict.fromkeys(group.partition("=")[0] for group in product if group != "all"):
        rows = [group for group in product if group.partition("=")[0] == title]
        compared = {name: of for name, of in systems.items() if not of.keys().isdisjoint(rows)}
        yield Table((f"{label} by {title}", metrics.counted, *compared), tuple(
            (group.partition("=")[2] or "all", str(product[group].count), *(
                _cell(of[group].measures[main]) if group in of else "-" for of in compared.values()
            ))
            for group in rows
        ))


def lines(values: Mapping[str, Any], within: str = "") -> Iterator[str | Table]:
    """JSON values for people: single ones in a line, below them those that hold others."""
    single = [
        f"{name.replace('_', ' ')} {_cell(value)}" for name, value in values.items()
        if not isinstance(value, Mapping | list | tuple)
    ]
    if single:
        yield f"{within}{': ' if within else ''}{', '.join(single)}"
    for name, value in values.items():
        place = f"{within} {name}".strip().replace("_", " ")
        if isinstance(value, Mapping):
            yield from lines(value, place)
        elif value and isinstance(value, list | tuple):
            if not isinstance(value[0], Mapping):
                yield f"{place}: {_cell(value)}"
            elif any(isinstance(held, Mapping | list | tuple) for held in value[0].values()):
                yield from (
                    f"{place}: {', '.join(f'{name} {_cell(held)}' for name, held in one.items())}"
                    for one in value
                )
            else:
                heads = tuple(value[0])
                rows = tuple(tuple(_cell(one[head]) for head in heads) for one in value)
                yield Table((f"{place}: {heads[0]}", *heads[1:]), rows)


def worst(outcomes: Iterable[Outcome[Any]], metrics: Metrics, count: int) -> list[dict[str, Any]]:
    """The ``count`` questions that are worst by the first measure, as JSON values."""
    first = next(iter(metrics.table))
    ordered = sorted(outcomes, key=lambda one: (one.measures[first], one.question.id))
    return [
        {
            "id": one.question.id, "text": one.question.text, first: one.measures[first],
            "gold": dict(one.question.grades), "ranking": one.ranking,
        }
        for one in ordered[:count]
    ]


def _cell(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} ({_cell(one)})" for name, one in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_cell, value))
    if isinstance(value, float):
        return f"{value:.3f}" if value <= 10 else f"{value:.0f}"
    return str(value)
