"""The plots of a run, as PNG files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("Agg")  # before pyplot chooses a screen

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from . import scale, turns
from .processes import TURNS
from .results import Results, ms

OURS = "#1f6f8b"
OTHER = "#c96f3b"
UNIT = "#8a8a8a"
FILTER_COLOURS = (OURS, OTHER, "#6a8f3c", "#7b5ea7")
US, THEM = "mvp-site", "LangChain ensemble"


def draw(found: Results, folder: Path) -> None:
    """Write the plots to ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    mpl.rcParams.update({
        "figure.dpi": 110, "font.size": 11, "axes.spines.top": False, "axes.spines.right": False,
        "axes.axisbelow": True,
    })
    plots = {"recall": _recall, "turns": _turns, "process": _process, "tokens": _tokens,
             "scale": lambda found: sizes(found.sizes)}
    for name, plot in plots.items():
        figure = plot(found)
        figure.savefig(folder / f"bench_{name}.png", bbox_inches="tight")
        plt.close(figure)


def _recall(found: Results) -> Figure:
    kinds = ["all", *found.recall.kinds]
    ours = [found.recall.mean, *found.recall.kinds.values()]
    theirs = [found.rival_recall.mean, *(found.rival_recall.kinds[k] for k in kinds[1:])]
    figure, axes = plt.subplots(figsize=(7.5, 4))
    at = np.arange(len(kinds))
    for shift, values, colour, label in ((-0.2, ours, OURS, US), (0.2, theirs, OTHER, THEM)):
        bars = axes.bar(at + shift, values, 0.38, color=colour, label=label)
        axes.bar_label(bars, fmt="%.2f", padding=2)
    axes.set_xticks(at, ["all kinds", *(f"{k}s" if k != "reworded" else k for k in kinds[1:])])
    axes.set_ylim(0, 1.08)
    axes.set_ylabel(f"recall within {found.budget:,} tokens")
    split = found.split
    axes.set_xlabel(f"kind of query ({found.needles} needles, {split}, {found.version})")
    axes.grid(axis="y", alpha=0.3)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, 1.14), ncols=2, frameon=False)
    return figure


def _turns(found: Results) -> Figure:
    order = [
        (turns.RIVAL, "LangChain: a turn", OTHER),
        (turns.RIVAL_REPEATED, "LangChain: the same turn again", OTHER),
        (turns.UNIT, "one encoding of the text (the unit)", UNIT),
        (turns.UNCACHED, "mvp-site: a turn, uncached", OURS),
        (turns.OVERHEAD, "mvp-site: handling a turn, beside\nassembly, model and commit", OURS),
        (turns.REPEATED, "mvp-site: the same turn again", OURS),
        (turns.RETRIEVAL, "mvp-site: the same retrieval again", OURS),
    ]
    shown = [entry for entry in order if entry[0] in found.times.seconds]
    figure, axes = plt.subplots(figsize=(8.5, 0.55 * len(shown) + 1.2))
    for row, (name, _, colour) in enumerate(reversed(shown)):
        values = found.times.seconds[name] * 1000
        box = axes.boxplot(
            values, positions=[row], orientation="horizontal", widths=0.55, whis=(10, 90),
            showfliers=False, patch_artist=True, medianprops={"color": "black"},
        )
        box["boxes"][0].set(facecolor=colour, alpha=0.75)
        axes.text(
            np.percentile(values, 90) * 1.12, row, ms(found.times.of(name).median), va="center"
        )
    axes.set_yticks(range(len(shown)), [label for _, label, _ in reversed(shown)])
    axes.set_xscale("log")
    axes.set_xlim(right=axes.get_xlim()[1] * 2.2)
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set_xlabel("milliseconds, log scale (median, quartiles, 10th to 90th percentile)")
    axes.grid(axis="x", alpha=0.3)
    return figure


def _process(found: Results) -> Figure:
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.5, 3.2), layout="constrained")
    ours, theirs = found.started, found.rival_started
    _pair(left, [ours.seconds, theirs.seconds], "%.2f s", "import to first turn, seconds")
    for row, runs in enumerate((ours.runs, theirs.runs)):
        left.plot([row - 0.2] * len(runs), runs, "k.", alpha=0.5)
    _pair(
        right, [ours.bytes / 2**20, theirs.bytes / 2**20], "%.0f MiB",
        f"peak resident memory, {TURNS} turns, MiB",
    )
    return figure


def _tokens(found: Results) -> Figure:
    figure, axes = plt.subplots(figsize=(7.5, 2.4))
    values = [found.tokens.prompt, found.tokens.whole]
    bars = axes.barh(["assembled prompt", "header and\nwhole archive"], values,
                     color=[OURS, OTHER], height=0.6)
    axes.bar_label(bars, [f"{value:,.0f}" for value in values], padding=4)
    axes.set_xlim(0, max(values) * 1.15)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set_xlabel(f"o200k tokens a turn, mean of {found.needles} turns")
    axes.grid(axis="x", alpha=0.3)
    return figure


def sizes(found: Sequence[scale.Size]) -> Figure:
    """Latency and recall by size, a line a filter."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.6), layout="constrained")
    at = [size.entities for size in found]
    for colour, name in zip(FILTER_COLOURS, found[0].searches, strict=False):
        searches = [size.searches[name] for size in found]
        label = "no filter" if name == "none" else f"{name} let through"
        left.plot(at, [one.median * 1000 for one in searches], "o-", color=colour, label=label)
        left.plot(at, [one.p95 * 1000 for one in searches], "_:", color=colour, alpha=0.8)
        right.plot(at, [one.recall for one in searches], "o-", color=colour, label=label)
    left.set_yscale("log")
    left.yaxis.set_major_formatter("{x:g}")
    left.set_ylabel("milliseconds a search, log scale\n(median; dotted: 95th percentile)")
    right.axhline(scale.RECALL, color=UNIT, linestyle="--", linewidth=1)
    right.set_ylim(min(scale.RECALL - 0.02, *(size.recall - 0.01 for size in found)), 1.005)
    right.set_ylabel(f"recall@10 against exact search\n(dashed: the target, {scale.RECALL:g})")
    for axes in (left, right):
        axes.set_xscale("log")
        axes.set_xticks(at, [f"{size:,}" for size in at])
        axes.minorticks_off()
        axes.set_xlabel("entities, log scale")
        axes.grid(alpha=0.3)
    left.legend(frameon=False, fontsize=9)
    return figure


def _pair(axes: Axes, values: Sequence[float], form: str, label: str) -> None:
    bars = axes.bar([US, THEM], values, 0.55, color=[OURS, OTHER])
    axes.bar_label(bars, fmt=form, padding=3)
    axes.set_ylim(0, max(values) * 1.2)
    axes.set_ylabel(label)
    axes.grid(axis="y", alpha=0.3)
