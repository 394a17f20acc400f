"""Plots as pages draw them: lines over an order, with a scale that people can read. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median, quantiles
from typing import Final

WIDTH: Final = 360
HEIGHT: Final = 150
"""The whole drawing, in units of the SVG."""
LEFT: Final = 46
TOP: Final = 12
BOTTOM: Final = 122
RIGHT: Final = 346
STEPS: Final = (1, 2, 2.5, 5, 10)
_TENTH: Final = 10


@dataclass(frozen=True, slots=True)
class PlotLine:
    """One line: its corners as SVG has them, where it ends, and what is said of its values."""

    name: str
    hue: int
    points: str
    end: tuple[float, float]
    last: str
    median: str
    slowest: str


@dataclass(frozen=True, slots=True)
class Plot:
    """Lines on one scale, and the marks of the scale: heights with what they mean."""

    title: str
    unit: str
    lines: tuple[PlotLine, ...]
    marks: tuple[tuple[float, str], ...]
    count: int
    first: datetime
    until: datetime


def plot(title: str, unit: str, times: Sequence[datetime], series: Mapping[str, Sequence[float]],
         ) -> Plot | None:
    """The plot of series that have a value at each time, the oldest first; None for too few."""
    if len(times) < 2:
        return None
    whole = _ceiling(max(max(values) for values in series.values()))
    step = (RIGHT - LEFT) / (len(times) - 1)

    def at(place: int, value: float) -> tuple[float, float]:
        share = min(max(value / whole, 0.0), 1.0)
        return round(LEFT + place * step, 1), round(BOTTOM - share * (BOTTOM - TOP), 1)

    lines = [
        PlotLine(
            name, hue, " ".join(f"{x},{y}" for x, y in map(at, range(len(values)), values)),
            at(len(values) - 1, values[-1]), figure(values[-1]), figure(median(values)),
            figure(quantiles(values, n=20, method="inclusive")[-1]),
        )
        for hue, (name, values) in enumerate(series.items(), 1)
    ]
    marks = tuple((at(0, part)[1], f"{part:,.10g}") for part in (0.0, whole / 2, whole))
    return Plot(title, unit, tuple(lines), marks, len(times), times[0], times[-1])


def figure(value: float) -> str:
    """A value in as many digits as it needs."""
    return f"{value:,.0f}" if value >= _TENTH or value == 0 else f"{value:.2g}"


def _ceiling(most: float) -> float:
    """A round number that nothing is above."""
    if not 1e-9 < most < math.inf:
        return 1.0
    unit = 10.0 ** math.floor(math.log10(most))
    return next(step * unit for step in STEPS if step * unit >= most * (1 - 1e-9))
