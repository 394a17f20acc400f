"""How build, open, memory, latency and recall grow with the number of passages, by kind and engine.

Each measurement is a process of its own (:mod:`.curves_child`). What is measured is kept in a file
as it comes, so that a run may be ended and gone on with; the docs' table is made of that file.
"""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import numpy as np

from .processes import child_values

RESULTS: Final = Path("scripts/benchmarks/measured/growth.jsonl")
PAGE: Final = Path("docs/engine.md")
PLOT: Final = Path("docs/images/bench_curves.png")
KINDS: Final = ("archive", "rulebook", "entities", "notes", "books")
ENGINES: Final[Mapping[str, Sequence[str]]] = {
    "local": KINDS, "milvus-lite": ("entities", "notes", "books"),
}
SIZES: Final[Mapping[str, Sequence[int]]] = {
    "local": (1_000, 10_000, 100_000), "milvus-lite": (1_000, 10_000, 30_000, 100_000),
}
"""What is measured."""
MOST: Final[Mapping[str, float]] = {"build": 1.2, "open": 1.2, "latency": 0.5}
"""The greatest exponents that were asked for."""
MEMORY: Final = 4
"""The most GiB of a build that were asked for."""
_MARKS: Final = ("<!-- growth -->", "<!-- end -->")
_CHILD: Final = Path(__file__).with_name("curves_child.py")


@dataclass(frozen=True, slots=True)
class Measured:
    """What so many passages cost.

    ``build`` and ``open`` are seconds of processors, the encoder's left out; an open ends with the
    first answer. ``latency`` is the median of those of an answer, ``peak`` and ``resident`` are the
    most bytes of the process that built, and of the one that answered. ``recall`` is the part of
    questions, each of the rarest words of a passage, that have it among their ten best; locally of
    60 questions, in Milvus Lite of 25 (13 of the 100,000 entities in the file).
    """

    kind: str
    engine: str
    size: int
    build: float
    open: float
    latency: float
    peak: int
    resident: int
    recall: float


def run(work: Path, step: Callable[[str], None]) -> tuple[Measured, ...]:
    """All that is measured, also before, the smallest sizes first."""
    measured = {(row.kind, row.engine, row.size) for row in read(RESULTS)}
    wanted = [(kind, engine, size) for engine, sizes in SIZES.items() for size in sizes
              for kind in ENGINES[engine] if (kind, engine, size) not in measured]
    for kind, engine, size in sorted(wanted, key=lambda row: row[2]):
        step(f"{kind}, {engine}, {size:,} passages")
        row = _measured(kind, engine, size, work / f"{kind}-{engine}-{size}")
        with RESULTS.open("a", encoding="utf-8") as file:
            file.write(f"{json.dumps(asdict(row))}\n")
    return read(RESULTS)


def read(results: Path) -> tuple[Measured, ...]:
    """What a file has, by engine, kind and size."""
    lines = results.read_text("utf-8").splitlines() if results.exists() else []
    rows = {(row.engine, KINDS.index(row.kind), row.size): row
            for row in (Measured(**json.loads(line)) for line in lines)}
    return tuple(rows[key] for key in sorted(rows))


def _measured(kind: str, engine: str, size: int, folder: Path) -> Measured:
    folder.mkdir(parents=True)
    try:
        built, opened = (child_values(_CHILD, step, kind, engine, size, folder)
                         for step in ("build", "open"))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return Measured(
        kind, engine, size, built["processor"], opened["processor"], opened["latency"],
        int(built["peak"]), int(opened["peak"]), opened["recall"],
    )


def exponent(rows: Sequence[Measured], name: str) -> float:
    """The exponent of a power of the size that fits best, by least squares of logarithms."""
    sizes = [math.log(row.size) for row in rows]
    return float(np.polyfit(sizes, [math.log(getattr(row, name)) for row in rows], 1)[0])


def curves(rows: Sequence[Measured]) -> Iterator[tuple[str, str, list[Measured]]]:
    """Each kind in each engine with its rows, by size."""
    for kind, engine in dict.fromkeys((row.kind, row.engine) for row in rows):
        yield kind, engine, [row for row in rows if (row.kind, row.engine) == (kind, engine)]


def table(rows: Sequence[Measured]) -> str:
    """What was measured as a table in Markdown, a line a kind and engine, with the exponents."""
    names = ("what", "passages", "build", "open and first answer", "an answer", "peak", "recall@10",
             "exponents of the three")
    lines = [f"| {' | '.join(names)} |", f"| --- |{' --: |' * (len(names) - 1)}"]
    for kind, engine, some in curves(rows):
        cells = (
            kind if engine == "local" else f"{kind}, {engine}",
            _joined(f"{row.size:,}" for row in some),
            f"{_joined(_shown(row.build) for row in some)} s",
            f"{_joined(_shown(row.open) for row in some)} s",
            f"{_joined(_shown(row.latency * 1000) for row in some)} ms",
            f"{_joined(_shown(row.peak / 2**20) for row in some)} MiB",
            _joined(_shown(row.recall) for row in some),
            _joined(f"{exponent(some, name):.2f}" for name in MOST) if len(some) > 1 else "",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _shown(value: float) -> str:
    return f"{value:.2g}" if value < 10 else f"{value:,.0f}"


def _joined(texts: Iterable[str]) -> str:
    return ", ".join(texts)


def page_of(text: str, rows: Sequence[Measured]) -> str:
    """The text of the page with the table of what was measured."""
    before, _, rest = text.partition(f"{_MARKS[0]}\n")
    after = rest.partition(_MARKS[1])[2]
    return f"{before}{_MARKS[0]}\n{table(rows)}\n{_MARKS[1]}{after}"


def write(rows: Sequence[Measured]) -> None:
    """Write the table and the plot to where the docs have them."""
    PAGE.write_text(page_of(PAGE.read_text("utf-8"), rows), encoding="utf-8")
    draw(rows, PLOT)


def draw(rows: Sequence[Measured], file: Path) -> None:
    """Write the plot of build, open, answer and memory."""
    import matplotlib as mpl  # noqa: PLC0415 - takes a second

    mpl.use("Agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415
    from matplotlib.ticker import LogLocator, NullFormatter  # noqa: PLC0415

    figure, axes = plt.subplots(1, 4, figsize=(14, 3.6), dpi=110, layout="constrained")
    for place, name, title, factor in zip(
            axes, ("build", "open", "latency", "peak"),
            ("build, s", "open, s", "an answer, ms",
             f"peak of building, MiB (dotted: {MEMORY} GiB)"),
            (1, 1, 1_000, 2**-20), strict=True):
        for number, (kind, engine, some) in enumerate(curves(rows)):
            place.loglog([row.size for row in some],
                         [getattr(row, name) * factor for row in some],
                         color=f"C{KINDS.index(kind)}", marker=".", label=f"{kind}, {engine}",
                         linestyle="-" if engine == "local" else "--", zorder=number)
        if name == "peak":
            place.axhline(MEMORY * 2**10, color="0.5", linestyle=":", linewidth=1)
        for axis in (place.xaxis, place.yaxis):
            axis.set_major_locator(LogLocator(subs=(1, 2, 5) if axis is place.yaxis else (1,)))
            axis.set_major_formatter("{x:,g}")
            axis.set_minor_formatter(NullFormatter())
        place.set_xlabel("passages")
        place.set_title(title, fontsize=10)
        place.grid(alpha=0.3)
    axes[-1].legend(fontsize=7, loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False)
    figure.savefig(file)
    plt.close(figure)
