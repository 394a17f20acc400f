#!/usr/bin/env python3
"""Measures the product beside LangChain's EnsembleRetriever, on the same archive and needles.

Recall, turn times, start, memory and tokens, what the rulebook and the entities cost, and how a
million entities are held, in one run and one thread; then how a server holds out under fifty
clients. Prints a table and writes docs/benchmarks.md with its plots; ``scripts/bench`` calls it.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

# Before anything is imported that reads them; child processes inherit them.
os.environ.update({  # noqa: TID251 - libraries take their threads from here alone
    "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
    "RAYON_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false", "TQDM_DISABLE": "1",
    "HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_PROGRESS_BARS": "1", "LANGSMITH_TRACING": "false",
})

from rich.console import Console

from mvp_site import EntityIndex, PromptAssembler
from mvp_site.cli.output import tell
from mvp_site.errors import IndexLoadError, MvpSiteError
from mvp_site.rulebook.rulebook import Rulebook
from mvp_site.settings import Settings

if TYPE_CHECKING:
    from benchmarks.results import Results

WIDTH = 130
"""Columns of the table where there is no terminal to ask."""


def main() -> int:
    """Run it; 1 where an index is missing or does not load."""
    options = _options()
    if options.what == "scale":
        return _scale(options)
    if options.only == "vault":
        return _vault()
    try:
        settings = replace(Settings(), prompt_version=options.version)
        Rulebook.open(settings)
        EntityIndex.open(settings)
    except MvpSiteError as error:  # which names the command that mends it
        tell(f"error: {error}")
        return 1
    try:
        PromptAssembler.open(settings)  # before the minute that the imports below take
        if options.only == "serving":
            return _serving(options, settings)
        found = _measured(options, settings)
    except MvpSiteError as error:
        tell(f"error: {error}")
        if isinstance(error, IndexLoadError):
            command = f".venv/bin/mvp-site index build --version {options.version}"
            tell(f"the index of {options.version} is built by: {command}")
        return 1
    _told(options, found)
    return 0


def _measured(options: argparse.Namespace, settings: Settings) -> Results:
    from benchmarks.results import Extent  # noqa: PLC0415 - torch and LangChain, for seconds
    from benchmarks.run import run  # noqa: PLC0415

    words = ["scripts/bench", "--version", options.version, "--split", options.split]
    if options.without_scale:
        words.append("--without-scale")
    extent = Extent(shlex.join(words), options.split, options.quick, not options.without_scale)
    with tempfile.TemporaryDirectory(prefix="mvp-site-bench-") as work, _steps() as step:
        return run(settings, extent, Path(work).resolve(), step)


def _serving(options: argparse.Namespace, settings: Settings) -> int:
    """Measure the server alone, and print it; 1 where a probe was refused or answered too late."""
    from benchmarks import serving  # noqa: PLC0415 - as below

    seconds = serving.QUICK_SECONDS if options.quick else serving.SECONDS
    with tempfile.TemporaryDirectory(prefix="mvp-site-bench-") as work, _steps() as step:
        found = serving.run(settings, seconds, Path(work), step)
    print(f"{serving.section(found)}\n")
    for what, measured, *_, wanted in serving.lines(found):
        print(f"{what}: {measured}, wanted {wanted}")
    return 0 if found.slowest <= serving.WANTED and not found.refused else 1


def _vault() -> int:
    """Measure how long a vault takes, and print it."""
    from benchmarks import vault  # noqa: PLC0415 - as below

    with tempfile.TemporaryDirectory(prefix="mvp-site-bench-") as work, _steps() as step:
        print(vault.table(vault.run(Settings(), Path(work), step)))
    return 0


def _scale(options: argparse.Namespace) -> int:
    """Measure how everything grows, print it, and write the docs' table and plot."""
    from benchmarks import curves  # noqa: PLC0415 - as below

    if options.million:
        return _million()
    results = Path(options.results)
    results.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="mvp-site-bench-") as work, _steps() as step:
        rows = curves.run(results, Path(work).resolve(), step, options.sizes, options.kinds,
                          options.engines, again=options.again)
    print(curves.table(rows))
    curves.write(rows)
    return 0


def _million() -> int:
    """Measure up to a million synthetic entities and write their part of docs/benchmarks.md."""
    from benchmarks import plots, report, scale  # noqa: PLC0415 - as below

    with tempfile.TemporaryDirectory(prefix="mvp-site-bench-") as work, _steps() as step:
        sizes = scale.run(Settings(), Path(work).resolve(), step)
    report.write_sizes(sizes, Path("docs/benchmarks.md"))
    plots.sizes(sizes).savefig("docs/images/bench_scale.png", bbox_inches="tight")
    return 0


def _told(options: argparse.Namespace, found: Results) -> None:
    from benchmarks import plots, report  # noqa: PLC0415 - as above

    console = Console(highlight=False, width=None if sys.stdout.isatty() else WIDTH)
    console.print(report.table(found))
    if not options.quick:
        docs = Path("docs")
        plots.draw(found, docs / "images")
        page = docs / "benchmarks.md"
        page.write_text(report.page(found), encoding="utf-8")
        console.print(f"written: {page} and its plots")


@contextmanager
def _steps() -> Iterator[Callable[[str], None]]:
    """A callback that says on standard error what is being done: a spinner, or lines in a log."""
    if not sys.stderr.isatty():
        yield lambda what: tell(f"bench: {what}")
        return
    with Console(stderr=True).status("starting") as status:
        yield status.update


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    from benchmarks import curves  # noqa: PLC0415 - as below

    parser.add_argument("what", nargs="?", choices=("all", "scale"), default="all",
                        help="scale: how archive, rulebook, entities, notes and books grow from "
                             "1,000 to 100,000 passages, locally and in Milvus Lite (an hour and "
                             "6 GiB)")
    parser.add_argument("--sizes", nargs="+", type=int, metavar="N",
                        help="scale: how many passages (1,000 to 100,000)")
    parser.add_argument("--kinds", nargs="+", choices=curves.KINDS, default=curves.KINDS,
                        help="scale: of what")
    parser.add_argument("--engines", nargs="+", choices=tuple(curves.ENGINES),
                        default=tuple(curves.ENGINES), help="scale: in which engines")
    parser.add_argument("--results", default=str(curves.RESULTS), metavar="FILE",
                        help="scale: where it is kept (%(default)s); what is there is not measured")
    parser.add_argument("--again", action="store_true", help="scale: measure all the same")
    parser.add_argument("--million", action="store_true",
                        help="scale: instead, up to a million synthetic entities (6 GiB)")
    parser.add_argument("--version", default="mar_2026", help="prompt version (mar_2026)")
    parser.add_argument("--split", choices=("tune", "test"), default="tune",
                        help="needles; test is for the figures that are published (tune)")
    parser.add_argument("--quick", action="store_true",
                        help="fewer queries and repetitions, 10,000 synthetic entities "
                             "at most, writes nothing")
    parser.add_argument("--only", choices=("serving", "vault"),
                        help="measure the server under many clients alone, for a minute (ten "
                             "seconds with --quick), or how long a vault of 1.5 MB takes; prints "
                             "it and writes nothing")
    parser.add_argument("--without-scale", action="store_true",
                        help="no synthetic entities (a million take minutes and 6 GiB)")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
