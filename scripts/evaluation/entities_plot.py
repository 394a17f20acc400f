"""The curve of an entity report: what a score says, and where searches cut."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mvp_site.entities.weights import CUT
from mvp_site.errors import SettingsError


def draw(found: Mapping[str, Any], file: Path) -> None:
    """Write the reliability curve of a report's calibration, with a histogram below it, as a PNG.

    Raises:
        SettingsError: the file cannot be written.
    """
    import matplotlib as mpl  # noqa: PLC0415 (half a second, which only a drawing needs)
    from matplotlib.figure import Figure  # noqa: PLC0415

    bins = found["bins"]
    with mpl.rc_context({"axes.spines.top": False, "axes.spines.right": False}):
        figure = Figure(figsize=(7.5, 6.2), layout="constrained", dpi=110)
        above, below = figure.subplots(2, 1, sharex=True)
    above.plot([0, 1], [0, 1], color="#8a8a8a", linestyle=":", label="score = share")
    above.plot(
        [one["score"] for one in bins], [one["share"] for one in bins], color="#1f6f8b",
        marker="o", label="relevant",
    )
    above.set(ylim=(0, 1.15), yticks=np.linspace(0, 1, 6), ylabel="share that is relevant")
    above.annotate(
        f" {CUT:g}: below it a result is dropped", (CUT, 1), xycoords=("data", "axes fraction"),
        va="top", fontsize=9,
    )
    for shift, name, colour in ((0.015, "relevant", "#1f6f8b"), (0.035, "irrelevant", "#c96f3b")):
        below.bar(
            [one["low"] + shift for one in bins], [one[name] for one in bins], 0.019,
            color=colour, label=name,
        )
    # The scale is logarithmic: most results of a query have nothing to do with it.
    below.set_yscale("symlog", linthresh=10)
    below.yaxis.set_major_formatter("{x:,.0f}")
    below.set(
        xlim=(0, 1), ylabel="results, log scale past 10",
        xlabel=f"_score ({found['results']:,} results of {found['queries']} queries)",
    )
    for axes, place in ((above, "upper left"), (below, "upper right")):
        axes.axvline(CUT, color="black", linewidth=1, linestyle="--")
        axes.grid(axis="y", alpha=0.3)
        axes.legend(loc=place, frameon=False)
    try:
        figure.savefig(file, format="png")
    except OSError as error:
        raise SettingsError(f"{file} cannot be written: {error.strerror}") from None
