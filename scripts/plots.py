#!/usr/bin/env python3
"""Writes the plots of ``docs/choosing.md``, ``docs/images/choosing-*.png``, from real turns.

The index of mar_2026 must be built; the turns are those of the shipped needles, the part that is
used for tuning. Needs the extra ``eval``.

Usage: plots.py [FOLDER]
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import matplotlib as mpl
import numpy as np
from evaluation.needles import Needle, load_needles, met
from evaluation.needles_eval import blank_lines
from matplotlib.figure import Figure

from mvp_site import PromptAssembler, Settings
from mvp_site.archive.versions import read_version
from mvp_site.types import AssembledTurn

VERSION: Final = "mar_2026"
SHOWN: Final = (
    ("A question in the archive’s words", "How much damage does falling sixty feet do?"),
    ("What a player types", "I try to slip past the gate guard while it rains"),
    ("Not about the game", "which laptop should I buy for school?"),
)
COLOURS: Final = {"printed": "#20786c", "over_budget": "#b46a00", "duplicate": "#7a5bb5",
                  "below_floor": "#9b9b93", "outranked": "#9b9b93", "audience": "#b0413e"}
BUDGETS: Final = (250, 500, 750, 1000, 1500, 2000, 3000, 4000)
STYLE: Final[dict[Any, Any]] = {
    "axes.spines.top": False, "axes.spines.right": False, "font.size": 10, "figure.dpi": 110,
}


def main() -> None:
    """Take the turns and draw them."""
    root = Path(__file__).resolve().parent.parent
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else root / "docs/images"
    settings = Settings(
        prompt_version=VERSION, prompt_archive_dir=root / "prompt_archive",
        prompt_index_dir=root / "data/prompt_index", mvp_site_data_dir=root / "data",
        prompt_cache_size=0,
    )
    assembler = PromptAssembler.open(settings)
    needles = [one for one in load_needles("tune") if one.version in {VERSION, "any"}]
    with mpl.rc_context(STYLE):
        draw_fusion([assembler.assemble(text) for _, text in SHOWN], folder)
        draw_floor(assembler, needles, folder)
        draw_budget(settings, [one for one in needles if one.gold], folder)


def draw_fusion(turns: list[AssembledTurn], folder: Path) -> None:
    """Each candidate of three turns by its two scores, and what became of it."""
    figure = Figure(figsize=(10.5, 3.9), layout="constrained")
    told: set[str] = set()
    for axes, (title, text), turn in zip(figure.subplots(1, 3, sharey=True), SHOWN, turns,
                                         strict=True):
        for score in np.arange(0.2, 1.0, 0.2):
            axes.plot([0, 2 * score], [2 * score, 0], color="#d9d7cd", linewidth=1, zorder=0)
        candidates = [*(("printed", one) for one in turn.chunks),
                      *((one.reason, one) for one in turn.dropped)]
        for reason, one in reversed(candidates):
            label = reason.replace("_", " ") if reason not in told else None
            told.add(reason)
            axes.scatter(one.lexical_score, one.dense_score, s=46 if reason == "printed" else 26,
                         color=COLOURS[reason], alpha=1 if reason == "printed" else 0.7,
                         label=label, edgecolors="none")
        axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), xlabel="words (lexical)",
                 title=f"{title}\n“{text}”")
        axes.title.set_fontsize(9)
    figure.axes[0].set_ylabel("meaning (dense)")
    figure.legend(loc="outside lower center", ncols=5, frameon=False)
    figure.savefig(folder / "choosing-fusion.png")


def draw_floor(assembler: PromptAssembler, needles: list[Needle], folder: Path) -> None:
    """The best evidence of turns that an archive answers, and of such as it does not."""
    best: dict[bool, list[float]] = {True: [], False: []}
    floor = 0.0
    for one in needles:
        telemetry = assembler.assemble(
            one.query, mode=one.mode, audience="god", history=one.history, state=one.state,
        ).telemetry
        floor = telemetry["floor"]
        best[bool(one.gold)].append(telemetry["best_score"] or 0.0)
    figure = Figure(figsize=(8, 3.6), layout="constrained")
    axes, bins = figure.subplots(), [at / 40 for at in range(41)]
    for game, name, colour in ((True, "about the game", "#20786c"),
                               (False, "about anything else", "#b46a00")):
        over = fmean(score >= floor for score in best[game])
        axes.hist(best[game], bins, weights=[100 / len(best[game])] * len(best[game]), alpha=0.75,
                  color=colour, label=f"{len(best[game])} turns {name}: {over:.0%} reach the floor")
    axes.axvline(floor, color="black", linestyle="--", linewidth=1)
    axes.annotate(f" floor {floor:.2f}", (floor, 0.95), xycoords=("data", "axes fraction"))
    axes.set(xlim=(0, 1), xlabel="evidence of the best passage", ylabel="% of turns")
    figure.legend(loc="outside upper center", ncols=2, frameon=False)
    figure.savefig(folder / "choosing-floor.png")


def draw_budget(settings: Settings, needles: list[Needle], folder: Path) -> None:
    """What a larger budget finds."""
    found: dict[str, list[float]] = {}
    blank = blank_lines(read_version(settings, VERSION))
    for budget in BUDGETS:
        assembler = PromptAssembler.open(replace(settings, prompt_max_tokens_retrieved=budget))
        recalls: dict[str, list[float]] = {}
        for one in needles:
            turn = assembler.assemble(one.query, mode=one.mode, audience="god", history=one.history,
                                      state=one.state)
            needs = met(one, [(chunk.file, chunk.lines) for chunk in turn.chunks], blank)
            recalls.setdefault(one.kind, []).append(sum(map(len, needs)) / len(one.gold))
        for kind, values in recalls.items():
            found.setdefault(kind, []).append(fmean(values))
    figure = Figure(figsize=(8, 3.8), layout="constrained")
    axes = figure.subplots()
    for (kind, values), marker in zip(sorted(found.items()), "os^Dv", strict=False):
        axes.plot(BUDGETS, values, marker=marker, label=kind)
    axes.axvline(1500, color="black", linestyle="--", linewidth=1)
    axes.annotate(" default", (1500, 0.03), xycoords=("data", "axes fraction"))
    axes.set(ylim=(0, 1.02), xlabel="budget in tokens", ylabel="needs that are printed")
    axes.legend(frameon=False, loc="lower right")
    figure.savefig(folder / "choosing-budget.png")


if __name__ == "__main__":
    main()
