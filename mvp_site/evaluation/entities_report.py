"""The curve of an entity report: what a score says, and where searches cut."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..entities.weights import CUT
from ..errors import SettingsError
from .entities_calibration import BINS, Calibration

OURS: Final = "#1f6f8b"
OTHER: Final = "#c96f3b"
UNIT: Final = "#8a8a8a"


def draw(found: Calibration, file: Path) -> None:
    """Write the reliability curve and the histogram below it as one PNG.

    Raises:
        SettingsError: the file cannot be written.
    """
    with mpl.rc_context({
        "figure.dpi": 110, "font.size": 11, "axes.spines.top": False, "axes.spines.right": False,
        "axes.axisbelow": True,
    }):
        figure = Figure(figsize=(7.5, 6.2), layout="constrained")
        above, below = figure.subplots(2, 1, sharex=True)
        _reliability(above, found)
        _histogram(below, found)
        below.set_xlabel(f"_score ({found.results:,} results of {found.queries} queries)")
        below.set_xlim(0, 1)
        try:
            figure.savefig(file, format="png")
        except OSError as error:
            raise SettingsError(f"{file} cannot be written: {error.strerror}") from None


def _reliability(axes: Axes, found: Calibration) -> None:
    axes.plot([0, 1], [0, 1], color=UNIT, linewidth=1, linestyle=":", label="score = share")
    axes.plot(
        [one.score for one in found.bins], [one.share for one in found.bins], color=OURS,
        marker="o", label="relevant",
    )
    axes.set_ylim(0, 1.15)
    axes.set_yticks(np.linspace(0, 1, 6))
    axes.set_ylabel("share that is relevant")
    _cut_line(axes)
    axes.annotate(
        f" {CUT:g}: below it a result is dropped", (CUT, 1), xycoords=("data", "axes fraction"),
        va="top", fontsize=9,
    )
    axes.grid(axis="y", alpha=0.3)
    axes.legend(loc="upper left", frameon=False)


def _histogram(axes: Axes, found: Calibration) -> None:
    width = 1 / BINS
    at = np.asarray([one.low for one in found.bins]) + width / 2
    for shift, counts, colour, label in (
        (-width / 5, [one.relevant for one in found.bins], OURS, "relevant"),
        (width / 5, [one.irrelevant for one in found.bins], OTHER, "irrelevant"),
    ):
        axes.bar(at + shift, counts, width * 0.38, color=colour, label=label)
    axes.set_yscale("symlog", linthresh=10)  # most results of a query have nothing to do with it
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.set_ylabel("results, log scale past 10")
    _cut_line(axes)
    axes.grid(axis="y", alpha=0.3)
    axes.legend(loc="upper right", frameon=False)


def _cut_line(axes: Axes) -> None:
    axes.axvline(CUT, color="black", linewidth=1, linestyle="--")
