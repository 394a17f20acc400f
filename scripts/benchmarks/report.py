"""The report of a run: a table for the terminal, and ``docs/benchmarks.md``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.table import Table

from mvp_site.retrieval.dense import EXACT_WINDOWS

from . import (
    entities,
    handling,
    library,
    rival,
    rival_index,
    rulebook,
    scale,
    serving,
    turns,
)
from .processes import PROCESSES, TURNS
from .results import Machine, Results, Row, rows

_PAGE = """\
# Benchmarks

{command} wrote this page. Ratios travel between machines, milliseconds do not.

{table}

*Other* is the rival; in the lines "in encodings" it is one encoding. In brackets: the 10th and 90th
percentile over queries, for recall the 95 % bootstrap interval. The targets were set before the
first run.

## Recall

{recall}

![Recall within the budget](images/bench_recall.png)

## Turns

{turns}

![Turn times](images/bench_turns.png)

## The rulebook

{rulebook}

## The entities

{entities}

## The library

{library}

## Many entities

{scale}

## Many clients

{serving}

## Start and memory

Medians of {processes} fresh processes each, with a warm disk cache. The clock runs from before the
first import to the end of the first turn; memory is the resident peak after {process_turns} turns.

![Start and memory](images/bench_process.png)

## Tokens

{tokens}

![Tokens](images/bench_tokens.png)

## What was run

{setting}

The rival is LangChain's `EnsembleRetriever` with equal weights: `BM25Retriever` over lower-cased
words and `FAISS` with `HuggingFaceEmbeddings` of the same model files, {nearest} documents each,
packed in rank order into the same budget. Its documents are cut by `MarkdownHeaderTextSplitter` and
`RecursiveCharacterTextSplitter` ({size} o200k tokens, {overlap} of overlap). It reads vectors and
documents from disk, and makes only the BM25 index at its start ({bm25}).

{machine}
"""


def table(found: Results) -> Table:
    """The run as a table for the terminal."""
    made = Table(title=f"{found.version}, {found.split} needles", box=None,
                 header_style="bold", title_style="bold")
    for name in ("", "ours", "other", "ratio", "in CPU time", "target", ""):
        made.add_column(name, justify="left" if name in {"", "ratio"} else "right")
    for row in rows(found):
        colour = {True: "[green]reached", False: "[red]missed", None: ""}[row.reached]
        made.add_row(row.what, row.ours, row.other, row.shown, row.cpu, row.wanted, colour)
    return made


def page(found: Results) -> str:
    """The page of docs."""
    made = [("what", "ours", "other", "ratio", "in CPU time", "target", "")]
    made += [
        (r.what, r.ours, r.other, r.shown, r.cpu, r.wanted, _verdict(r))
        for r in rows(found) if r.wanted
    ]
    return _PAGE.format(
        command=f"`{found.command}`", table=_table(made), recall=_recall(found),
        turns=_turns(found), tokens=_tokens(found),
        rulebook=_rulebook(found.rulebook),
        entities=_entities(found.entities),
        library=_library(found.library), scale=scale_section(found.sizes),
        serving=serving.section(found.serving),
        setting=_setting(found), nearest=rival.NEAREST, size=rival_index.CHUNK_TOKENS,
        overlap=rival_index.OVERLAP_TOKENS, bm25=f"{found.lexical_seconds * 1000:.0f} ms",
        machine=_machine(found.machine), processes=PROCESSES, process_turns=TURNS,
    )


def _verdict(row: Row) -> str:
    return {True: "reached", False: "**missed**", None: ""}[row.reached]


def _recall(found: Results) -> str:
    heads = ("kind", "ours", "rival")
    lines: list[tuple[str, ...]] = [heads]
    for kind in ("all", *found.recall.kinds):
        values = [found.recall, found.rival_recall]
        lines.append((
            kind, *(f"{v.mean if kind == 'all' else v.kinds[kind]:.3f}" for v in values),
        ))
    return (
        f"{found.needles} needles of the split `{found.split}`: a need is met where all of "
        f"its source lines are printed within {found.budget:,} tokens.\n\n{_table(lines)}"
    )


def _turns(found: Results) -> str:
    return (
        f"{found.needles} queries, {turns.ROUNDS} rounds, one thread. In a round each "
        "query meets every operation, in random order. A query's time is the median of its rounds; "
        "ratios are taken query by query. An uncached turn starts with empty caches. Handling a "
        f"turn is `TurnHandler.handle` as turn {handling.TURNS + 2} of a campaign in SQLite, "
        "without `assemble`, the model's calls and the store's `commit`.\n\n"
        f"{_operations(found.times)}"
    )


def _rulebook(book: rulebook.Book) -> str:
    return (
        f"{book.source}, release `{book.fingerprint}`, {book.sections:,} sections; "
        f"{book.questions} questions of the evaluation set, {turns.ROUNDS} rounds, measured as "
        "turns are. A search ranks the sections; a query also fills the budget. A list of "
        f"{rulebook.LENGTH} questions is encoded as one batch over all cores.\n\n"
        f"{_operations(book.times)}\n\n{_operations(book.lists)}"
    )


def _entities(found: entities.Entities) -> str:
    return (
        f"{found.entities:,} entities in {found.windows:,} windows: the SRD's, and copies of some "
        f"under other names. {found.queries} queries of the evaluation set with their types and "
        f"filters; {turns.ROUNDS} rounds, measured as turns are.\n\n"
        f"{_operations(found.times)}"
    )


def _library(found: library.LibraryTimes) -> str:
    return (
        f"A scan reads three books of the tests' shelf, {found.read} pages, two at a time. For the "
        f"search they are repeated to {found.pages:,} pages in {found.windows:,} windows with "
        f"random vectors. {found.questions} questions of the evaluation set, {turns.ROUNDS} "
        "rounds, measured as turns are; no answer is cached.\n\n"
        f"{_operations(found.times)}"
    )


def scale_section(sizes: Sequence[scale.Size]) -> str:
    """What is said of synthetic entities."""
    built: list[tuple[str, ...]] = [(
        "entities", "search", "words, entities/s", "vectors, entities/s", "fields, entities/s",
        "built in", "opened in", "resident", "peak of building",
    )]
    searched: list[tuple[str, ...]] = [(
        "entities", "let through", "median", "95 %", "recall@10",
    )]
    for size in sizes:
        rates = [
            f"{size.entities / max(seconds, 1e-9):,.0f}"
            for seconds in (size.lexical, size.dense, size.fields)
        ]
        if size.exact:  # there is no graph to build
            rates[1] = "–"
        built.append((
            f"{size.entities:,}", "exact" if size.exact else "sketches", *rates,
            f"{size.build_seconds:,.1f} s", f"{size.open:,.2f} s",
            f"{size.resident / 2**20:,.0f} MiB",
            f"{size.peak / 2**20:,.0f} MiB",
        ))
        searched += [
            (f"{size.entities:,}", "all" if name == "none" else f"{one.share:.2%}",
             *(f"{value * 1000:.2f} ms" for value in (one.median, one.p95)),
             f"{one.recall:.4f}")
            for name, one in size.searches.items()
        ]
    return (
        "`scripts/bench scale --million` measures this part alone: synthetic entities of one type, "
        "each of one vector and 64 words, through the local engine, a process a size, one thread; "
        "`scripts/benchmarks/synthetic.py` says how they are made. Times are a processor's. "
        "Building is without encoding; opening ends with the first "
        f"answer. Each of {sizes[0].queries} queries asks both lanes for 512 candidates, under "
        "filters that let a part of the entities through. Recall is that of the ten nearest "
        f"vectors. Up to {EXACT_WINDOWS:,} windows every one is compared; of more, those whose "
        "sketches are nearest.\n\n"
        f"{_table(built)}\n\n{_table(searched)}\n\n![Many entities](images/bench_scale.png)"
    )


def write_sizes(sizes: Sequence[scale.Size], page: Path) -> None:
    """Write what is said of synthetic entities to its place in the page."""
    heading = "## Many entities\n\n"
    before, _, rest = page.read_text("utf-8").partition(heading)
    after = rest[rest.index("\n\n## ") :]
    page.write_text(f"{before}{heading}{scale_section(sizes)}{after}", encoding="utf-8")


def _operations(times: turns.Times) -> str:
    lines: list[tuple[str, ...]] = [("operation", "median", "90 %", "CPU, median")]
    for name in times.seconds:
        wall, cpu = times.of(name), turns.spread(times.cpu[name])
        values = (wall.median, wall.high, cpu.median)
        lines.append((name, *(f"{value * 1000:.3f} ms" for value in values)))
    return _table(lines)


def _tokens(found: Results) -> str:
    held = found.tokens
    return (
        f"A turn with the header and all of {found.version} costs {held.whole:,.0f} tokens, the "
        f"assembled prompt {held.prompt:,.0f}: {held.ratio:.0f} times fewer, the mean over "
        f"{found.needles} turns (a sparse one sends the header alone)."
    )


def _setting(found: Results) -> str:
    return (
        f"Version `{found.version}`, release `{found.release}` ({found.chunks} chunks); "
        f"the rival holds {found.documents} documents. Both have one thread "
        f"and {found.budget:,} tokens."
    )


def _machine(machine: Machine) -> str:
    packages = ", ".join(f"{name} {version}" for name, version in machine.packages.items())
    return (
        f"{machine.date}; {machine.processor}, {machine.cores} cores, "
        f"{machine.memory_gib:.0f} GiB; {machine.system}; load average {machine.load[0]:.1f} "
        f"before and {machine.load[1]:.1f} after (1.0 is this run alone); {packages}."
    )


def _table(lines: Sequence[Sequence[str]]) -> str:
    head, *body = lines
    rule = "|".join(["---", *(["--:"] * (len(head) - 1))])
    return "\n".join([
        f"| {' | '.join(head)} |", f"|{rule}|", *(f"| {' | '.join(line)} |" for line in body),
    ])
