"""What a run found, and the targets it is held against."""

from __future__ import annotations

import datetime
import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version as installed
from pathlib import Path
from typing import Final, Literal

import numpy as np
import psutil
from evaluation.metrics import Difference
from evaluation.sets import Split

from . import entities, library, rulebook, scale, serving, turns
from .processes import Process
from .recall import Recall, Tokens
from .turns import Times

_PACKAGES: Final = (
    "mvp-site", "onnxruntime", "tokenizers", "faiss-cpu", "bm25s", "numpy", "langchain-classic",
    "langchain-community", "langchain-huggingface", "langchain-text-splitters", "rank-bm25",
    "sentence-transformers", "torch",
)


@dataclass(frozen=True, slots=True)
class Machine:
    """Where and when it was measured; ``load`` is the load average before and after."""

    processor: str
    cores: int
    memory_gib: float
    system: str
    date: str
    load: tuple[float, float]
    packages: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Results:
    """One run; ``command`` is what the docs name as the way to do it again."""

    command: str
    split: Split
    version: str
    budget: int
    needles: int
    release: str
    chunks: int
    documents: int
    lexical_seconds: float
    machine: Machine
    recall: Recall
    rival_recall: Recall
    gain: Difference
    times: Times
    started: Process
    rival_started: Process
    tokens: Tokens
    rulebook: rulebook.Book
    entities: entities.Entities
    library: library.LibraryTimes
    serving: serving.Serving
    sizes: tuple[scale.Size, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table.

    ``sense`` says on which side of ``bound`` the value has to be, ``cpu`` gives it in processor
    time.
    """

    what: str
    ours: str
    other: str
    value: float
    shown: str
    bound: float | None = None
    sense: Literal["≥", "≤"] = "≥"
    wanted: str = ""
    cpu: str = ""

    @property
    def reached(self) -> bool | None:
        """Whether the target is reached; None where there is none."""
        if self.bound is None:
            return None
        return self.value >= self.bound if self.sense == "≥" else self.value <= self.bound


def rows(found: Results) -> Iterator[Row]:
    """The table, in the order of issue and docs."""
    gain = found.gain
    yield Row(
        f"recall within {found.budget:,} tokens", f"{found.recall.mean:.3f}",
        f"{found.rival_recall.mean:.3f}", gain.mean,
        f"{gain.mean:+.3f} ({gain.low:+.3f} to {gain.high:+.3f})", 0.10, "≥", "≥ +.10",
    )
    yield from _against_rival(found)
    yield from _in_encodings(found)
    whole, prompt = found.tokens.whole, found.tokens.prompt
    yield Row(
        "tokens of a turn: the whole archive against the prompt", f"{prompt:,.0f}",
        f"{whole:,.0f}", found.tokens.ratio, _times(found.tokens.ratio),
    )
    yield from _of_rulebook(found.rulebook)
    yield from of_entities(found.entities)
    yield from of_library(found.library)
    yield from of_sizes(found.sizes)
    yield from (Row(*line) for line in serving.lines(found.serving))


def _against_rival(found: Results) -> Iterator[Row]:
    times = found.times
    yield _faster(times, "warm uncached turn", turns.UNCACHED, turns.RIVAL, 1.6)
    yield _faster(times, "repeated turn", turns.REPEATED, turns.RIVAL_REPEATED, 20)
    start, other = found.started, found.rival_started
    ratio = other.seconds / start.seconds
    yield Row(
        "import to first turn", f"{start.seconds:.2f} s", f"{other.seconds:.2f} s", ratio,
        _times(ratio), 6, "≥", "≥ 6 ×",
    )
    part = start.bytes / other.bytes
    yield Row(
        "peak resident memory, 20 turns", f"{start.bytes / 2**20:.0f} MiB",
        f"{other.bytes / 2**20:.0f} MiB", part, f"{part:.2f} of it", 0.5, "≤", "≤ half",
    )


def _in_encodings(found: Results) -> Iterator[Row]:
    times = found.times
    yield _cost(times, "warm uncached turn, in encodings", turns.UNCACHED, turns.UNIT, 1.6)
    yield _cost(times, "uncached turn with two pins and 6,000 tokens, in uncached turns",
                turns.PINNED, turns.UNCACHED, 2.0)
    yield _cost(
        times, "handling a turn beside assembly, model and commit, in encodings", turns.OVERHEAD,
        turns.UNIT, 1.0,
    )
    yield _part(times, "repeated retrieval, in encodings", turns.RETRIEVAL, turns.UNIT, 150)
    yield _part(times, "repeated turn, in encodings", turns.REPEATED, turns.UNIT, 15)


def _of_rulebook(book: rulebook.Book) -> Iterator[Row]:
    times, unit = book.times, rulebook.UNIT
    at = f"rulebook of {book.sections:,} sections"
    yield _cost(times, f"{at}: uncached search, in encodings", rulebook.SEARCH, unit, 1.7)
    yield _cost(times, f"{at}: uncached query, in encodings", rulebook.QUERY, unit, 1.7)
    yield _part(times, f"{at}: the same search again, in encodings", rulebook.SEARCH_AGAIN, unit)
    yield _part(times, f"{at}: the same query again, in encodings", rulebook.QUERY_AGAIN, unit)
    each = book.lists.ratio(rulebook.LIST, rulebook.LIST_UNIT)
    whole, alone = (
        book.lists.of(name).median / rulebook.LENGTH for name in (rulebook.LIST, rulebook.LIST_UNIT)
    )
    yield Row(
        f"{at}: a question in a list of {rulebook.LENGTH}, in encodings", ms(whole), ms(alone),
        each.median, f"{each.median:.2f} ({each.low:.2f} to {each.high:.2f})",
        cpu=f"{book.lists.cpu_ratio(rulebook.LIST, rulebook.LIST_UNIT):.2f}",
    )
    built, encoding = book.build_seconds / max(book.built, 1), times.of(unit).median
    yield Row(
        f"rulebook of {book.built:,} sections: building, a section, in encodings", ms(built),
        ms(encoding), built / encoding, f"{built / encoding:.2f}",
    )


def of_entities(found: entities.Entities) -> Iterator[Row]:
    """The entities' lines of the table."""
    times, unit = found.times, entities.UNIT
    at = f"{found.entities:,} entities"
    yield _cost(times, f"{at}: uncached search, in encodings", entities.SEARCH, unit, 1.7)
    yield _part(times, f"{at}: similar ones, in encodings", entities.SIMILAR, unit, 4)
    yield _part(times, f"{at}: the same search again, in encodings", entities.SEARCH_AGAIN, unit)
    for what, name, most in (
        ("uncached search", entities.SEARCH, entities.SEARCH_SECONDS),
        ("similar ones", entities.SIMILAR, entities.SIMILAR_SECONDS),
    ):
        median, slow = np.percentile(times.seconds[name], [50, 95])
        yield Row(f"{at}: {what}, median and 95th percentile", f"{ms(median)}, {ms(slow)}", "",
                  slow, "", most, "≤", f"< {most * 1000:.0f} ms")
    built, encoding = found.build_seconds / found.entities, times.of(unit).median
    yield Row(
        f"{at}: building, an entity, in encodings", ms(built), ms(encoding),
        built / encoding, f"{built / encoding:.2f}",
    )


def of_library(found: library.LibraryTimes) -> Iterator[Row]:
    """The library's lines of the table."""
    at = f"a library of {found.pages:,} pages"
    yield _cost(found.times, f"{at}: uncached ask, in encodings", library.ASK, library.UNIT, 2.0)
    speed = found.read / found.read_seconds
    yield Row("reading books: text and contents, pages a second", f"{speed:.0f}", "", speed, "",
              100.0, "≥", "≥ 100")


def of_sizes(sizes: Sequence[scale.Size]) -> Iterator[Row]:
    """The lines of synthetic entities."""
    for size in sizes:
        slowest = max(size.searches.values(), key=lambda one: one.p95)
        yield Row(
            f"{size.entities:,} synthetic entities: recall@10 against exact search, least of all "
            "filters", f"{size.recall:.4f}", "1", size.recall, "", scale.RECALL, "≥",
            f"≥ {scale.RECALL:g}",
        )
        yield Row(
            f"{size.entities:,} synthetic entities: search, median and 95th percentile, slowest of "
            "all filters", f"{ms(slowest.median)}, {ms(slowest.p95)}", "", slowest.p95, "",
        )


def _faster(times: Times, what: str, ours: str, other: str, bound: float | None) -> Row:
    ratio = times.ratio(other, ours)
    return Row(
        what, ms(times.of(ours).median), ms(times.of(other).median), ratio.median,
        f"{_times(ratio.median)} ({_digits(ratio.low)} to {_digits(ratio.high)})", bound, "≥",
        f"≥ {bound:g} ×" if bound else "", _times(times.cpu_ratio(other, ours)),
    )


def _cost(times: Times, what: str, ours: str, unit: str, bound: float | None) -> Row:
    ratio = times.ratio(ours, unit)
    return Row(
        what, ms(times.of(ours).median), ms(times.of(unit).median), ratio.median,
        f"{ratio.median:.2f} ({ratio.low:.2f} to {ratio.high:.2f})", bound, "≤",
        f"≤ {bound:g}" if bound else "", f"{times.cpu_ratio(ours, unit):.2f}",
    )


def _part(times: Times, what: str, ours: str, unit: str, bound: int | None = None) -> Row:
    ratio = times.ratio(unit, ours)
    return Row(
        what, ms(times.of(ours).median), ms(times.of(unit).median), 1 / ratio.median,
        f"1/{ratio.median:.0f} (1/{ratio.low:.0f} to 1/{ratio.high:.0f})",
        1 / bound if bound else None, "≤", f"≤ 1/{bound}" if bound else "",
        f"1/{times.cpu_ratio(unit, ours):.0f}",
    )


def _times(value: float) -> str:
    return f"{_digits(value)} ×"


def _digits(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:.0f}"


def ms(seconds: float) -> str:
    """Seconds as milliseconds with three digits that matter."""
    value = seconds * 1000
    return f"{value:.1f} ms" if value >= 1 else f"{value:.3f} ms"


def machine(load_before: float) -> Machine:
    """This machine, now."""
    return Machine(
        _processor(), psutil.cpu_count() or 1, psutil.virtual_memory().total / 2**30,
        f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        (load_before, load()), {name: installed(name) for name in _PACKAGES},
    )


def load() -> float:
    """How many processes have wanted to run, on average, over the last minute."""
    return float(psutil.getloadavg()[0])


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
