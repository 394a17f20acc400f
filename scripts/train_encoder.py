#!/usr/bin/env python3
"""Train the encoder's adapter anew, or draw how its training went; needs the extra ``train``.

It learns from the package's utterances, the SRD and the archive's ``when:`` lines, and writes
``mvp_site/training/adapter.npz``: at most three hours on two cores. With a file to draw to
(.svg, .png; extra ``eval``) it trains nothing. docs/encoder.md says how it works.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from matplotlib.figure import Figure

from mvp_site import Settings
from mvp_site.cli.output import progress, tell
from mvp_site.errors import MvpSiteError
from mvp_site.training import adapter
from mvp_site.training.adapt import adapt
from mvp_site.training.adaptation import STEPS

FILE = Path(adapter.__file__).with_name(adapter.FILE)


def main() -> int:
    """Train, or draw; exits 1 with a message where it cannot."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path, default=FILE)
    parser.add_argument("--games", type=Path, help="learn from the invented games in this folder")
    parser.add_argument("--curve", type=Path, help="draw the training curve to this file")
    given = parser.parse_args()
    try:
        if given.curve:
            draw(given.curve)
            return 0
        with progress(quiet=False) as report:
            adapted = adapt(Settings(), games=given.games, shipped=True, steps=given.steps,
                            threads=given.threads,
                            progress=lambda done, of: report("training", done, of))
    except MvpSiteError as error:
        tell(f"error: {error}")
        return 1
    given.out.write_bytes(adapter.dump(adapted.changes, adapted.base, adapted.curve))
    print(f"{adapted.learnt} examples, {given.steps} steps: {given.out}")
    for point in adapted.curve:
        print(f"{point.step:5}  loss {point.learnt:.3f}, held out {point.held_out:.3f}")
    return 0


def draw(to: Path) -> None:
    """The losses of the shipped adapter's training as a picture."""
    steps, learnt, held_out = adapter.load()[adapter.CURVE].T
    figure = Figure(figsize=(7, 3.2), layout="constrained")
    axes = figure.subplots()
    axes.plot(steps, learnt, label="what is learnt from")
    axes.plot(steps, held_out, label="topics held out")
    axes.set(xlabel="batches", ylabel="loss (nats)", title="Adapting the encoder")
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(to, metadata={"Date": None} if to.suffix == ".svg" else None)


if __name__ == "__main__":
    sys.exit(main())
