#!/usr/bin/env python3
"""Measures the product beside LangChain's EnsembleRetriever, on the same archive and needles.

Recall, turn times, start, memory and tokens, what the rulebook and the entities cost, and how a
million entities are held (minutes and 6 GiB), in one run and one thread; then how a server holds
out under fifty clients. Prints a table and writes docs/benchmarks.md with its plots;
``scripts/bench`` calls it.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
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
            return _serving(settings)
        _told(_measured(options, settings))
    except MvpSiteError as error:
        tell(f"error: {error}")
        if isinstance(error, IndexLoadError):
            command = f".venv/bin/mvp-site index build --version {options.version}"
            tell(f"the index of {options.version} is built by: {command}")
        return 1
    return 0


def _measured(options: argparse.Namespace, settings: Settings) -> Results:
    from benchmarks.run import run  # noqa: PLC0415 - torch and LangChain, for seconds

    command = f"scripts/bench --version {options.version} --split {options.split}"
    with _working() as (work, step):
        return run(settings, command, options.split, work, step)


def _serving(settings: Settings) -> int:
    """Measure the server alone, and print it; 1 where a probe was refused or answered too late."""
    from benchmarks import serving  # noqa: PLC0415 - as below

    with _working() as (work, step):
        found = serving.run(settings, work, step)
    print(f"{serving.section(found)}\n")
    for what, measured, *_, wanted in serving.lines(found):
        print(f"{what}: {measured}, wanted {wanted}")
    return 0 if found.slowest <= serving.WANTED and not found.refused else 1


def _vault() -> int:
    """Measure how long a vault takes, and print it."""
    from benchmarks import vault  # noqa: PLC0415 - as below

    with _working() as (work, step):
        print(vault.table(vault.run(Settings(), work, step)))
    return 0


def _scale(options: argparse.Namespace) -> int:
    """Measure how everything grows, print it, and write the docs' table and plot."""
    from benchmarks import curves  # noqa: PLC0415 - as below

    if options.million:
        return _million()
    with _working() as (work, step):
        rows = curves.run(work, step)
    print(curves.table(rows))
    curves.write(rows)
    return 0


def _million() -> int:
    """Measure up to a million synthetic entities and write their part of docs/benchmarks.md."""
    from benchmarks import plots, report, scale  # noqa: PLC0415 - as below

    with _working() as (work, step):
        sizes = scale.run(Settings(), work, step)
    report.write_sizes(sizes, Path("docs/benchmarks.md"))
    plots.sizes(sizes).savefig("docs/images/bench_scale.png", bbox_inches="tight")
    return 0


def _told(found: Results) -> None:
    from benchmarks import plots, report  # noqa: PLC0415 - as above

    console = Console(highlight=False, width=None if sys.stdout.isatty() else WIDTH)
    console.print(report.table(found))
    plots.draw(found, Path("docs/images"))
    page = Path("docs/benchmarks.md")
    page.write_text(report.page(found), encoding="utf-8")
    console.print(f"written: {page} and its plots")


@contextmanager
def _working() -> Iterator[tuple[Path, Callable[[str], None]]]:
    """A folder to work in, and a callback that says on standard error what is being done.

    It says so by a spinner, or in lines of a log.
    """
    with ExitStack() as stack:
        work = stack.enter_context(tempfile.TemporaryDirectory(prefix="mvp-site-bench-"))
        if sys.stderr.isatty():
            status = stack.enter_context(Console(stderr=True).status("starting"))
            yield Path(work).resolve(), status.update
        else:
            yield Path(work).resolve(), lambda what: tell(f"bench: {what}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=("all", "scale"), default="all",
                        help="scale: how archive, rulebook, entities, notes and books grow from "
                             "1,000 to 100,000 passages, locally and in Milvus Lite (an hour and "
                             "6 GiB); what was measured before is not measured again")
    parser.add_argument("--million", action="store_true",
                        help="scale: instead, up to a million synthetic entities (6 GiB)")
    parser.add_argument("--version", default="mar_2026", help="prompt version (mar_2026)")
    parser.add_argument("--split", choices=("tune", "test"), default="tune",
                        help="needles; test is for the figures that are published (tune)")
    parser.add_argument("--only", choices=("serving", "vault"),
                        help="measure the server under many clients alone, for a minute, or how "
                             "long a vault of 1.5 MB takes; prints it and writes nothing")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
