"""The report of a run: a table for the terminal, and ``docs/benchmarks.md``."""

from __future__ import annotations

from collections.abc import Sequence

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
    synthetic,
    turns,
)
from .processes import TURNS
from .results import Machine, Results, Row, rows

_PAGE = """\
# Benchmarks

This page is written by `scripts/benchmark.py` and never by hand; {command} wrote it.
Ratios travel between machines, milliseconds do not.

{table}

Other: the rival, but an encoding in the lines "in encodings", and the whole archive in the last.
In brackets: the 10th and 90th percentile over queries,
for recall the 95 % bootstrap interval over needles. The targets were set before the first run.

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

{process}

![Start and memory](images/bench_process.png)

## Tokens

{tokens}

![Tokens](images/bench_tokens.png)

## What was run

{setting}

The rival is LangChain's `EnsembleRetriever` with equal weights: `BM25Retriever` over lower-cased
words and `FAISS` with `HuggingFaceEmbeddings` of the same model files, {nearest} documents each,
packed in rank order into the same budget; what does not fit is skipped. Its documents are made of
the text without front matter by `MarkdownHeaderTextSplitter` (headings kept) and
`RecursiveCharacterTextSplitter` ({size} o200k tokens, {overlap} of overlap). Vectors and documents
are read from disk, so that its start pays for no indexing; only the BM25 index, which it has no
file for, is made at opening ({bm25}).

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
        (r.what, r.ours, r.other, r.shown, r.cpu, r.wanted, _verdict(r)) for r in rows(found)
    ]
    return _PAGE.format(
        command=f"`{found.command}`", table=_table(made), recall=_recall(found),
        turns=_turns(found), process=_process(found), tokens=_tokens(found),
        rulebook=_rulebook(found.rulebook, found.rounds),
        entities=_entities(found.entities, found.rounds),
        library=_library(found.library, found.rounds), scale=scale_section(found.sizes),
        serving=serving.section(found.serving),
        setting=_setting(found), nearest=rival.NEAREST, size=rival_index.CHUNK_TOKENS,
        overlap=rival_index.OVERLAP_TOKENS, bm25=f"{found.lexical_seconds * 1000:.0f} ms",
        machine=_machine(found.machine),
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
        f"{found.needles} needles of the split `{found.split}`: a need is met where all of its "
        f"source lines are printed within {found.budget:,} tokens.\n\n{_table(lines)}"
    )


def _turns(found: Results) -> str:
    return (
        f"{found.timed_queries} queries, {found.rounds} rounds, one thread. In a round each "
        "query meets every operation, in random order, before the next query has its turn; a "
        "query's time is the median of its rounds, and ratios are taken query by query. CPU time "
        "is what the processor worked: what else runs on the machine disturbs it less. An "
        "uncached turn starts with empty caches and logs its telemetry event to a handler that "
        "formats and drops it. Repeated calls of ours are timed ten in a row. Handling a turn is "
        f"`TurnHandler.handle` as turn {handling.TURNS + 2} of a campaign in SQLite, with a model "
        "that answers at once, the answer valid and a roll made where the turn asks for one; the "
        "time of `assemble`, of the model's calls and of the store's `commit` is taken off. "
        "What is left reads state and history, counts their tokens, checks the answer and writes "
        "the manifest.\n\n"
        f"{_operations(found.times)}"
    )


def _rulebook(book: rulebook.Book, rounds: int) -> str:
    return (
        f"{book.source}, release `{book.fingerprint}`, {book.sections:,} sections; "
        f"{book.questions} questions of the evaluation set, {rounds} rounds, measured as turns "
        "are. An encoding is that of the question's own text, without the words that its "
        "intention brings. A search ranks the sections, a query fills the budget from them as "
        "well; uncached they are asked of a rulebook that keeps no answer. A list of "
        f"{rulebook.LENGTH} questions is encoded as one batch, which is spread over the cores, and "
        "held against as many encodings one after the other. Building parses, encodes and indexes "
        f"{book.built:,} sections in memory, nothing of which was known before.\n\n"
        f"{_operations(book.times)}\n\n{_operations(book.lists)}"
    )


def _entities(found: entities.Entities, rounds: int) -> str:
    return (
        f"{found.entities:,} entities in {found.windows:,} windows: those of the SRD, and copies "
        "of some of them under other names where there are not as many. "
        f"{found.queries} queries of the evaluation set, each with its type and filters, and "
        f"beside each an entity that similar ones are wanted for; {rounds} rounds, measured as "
        "turns are. An encoding is that of the query as it was put. An uncached search is one of "
        "an index that keeps no ranking and no vector; similar ones are never kept. Building "
        f"reads, encodes and indexes {found.built:,} entities in memory, what people say at the "
        "table with them, nothing of which was known before.\n\n"
        f"{_operations(found.times)}"
    )


def _library(found: library.LibraryTimes, rounds: int) -> str:
    return (
        f"Three books of the tests' shelf, {found.read} pages, are read by a scan, two at a time, "
        f"and searched so many times over that they are {found.pages:,} pages in "
        f"{found.windows:,} windows, whose vectors are random. {found.questions} questions of the "
        f"evaluation set, {rounds} rounds, measured as turns are. An encoding is that of the "
        "question as it was put; nothing is kept of an answer.\n\n"
        f"{_operations(found.times)}"
    )


def scale_section(sizes: Sequence[scale.Size]) -> str:
    """What is said of synthetic entities."""
    if not sizes:
        return "This run left them out (`--without-scale`)."
    built: list[tuple[str, ...]] = [(
        "entities", "search", "words, entities/s", "vectors, entities/s", "fields, entities/s",
        "built in", "resident", "peak of building",
    )]
    searched: list[tuple[str, ...]] = [(
        "entities", "let through", "median", "95 %", "CPU, median", "recall@10",
    )]
    for size in sizes:
        rates = [
            f"{size.entities / max(part.wall, 1e-9):,.0f}"
            for part in (size.lexical, size.dense, size.fields)
        ]
        if size.exact:  # there is no graph to build
            rates[1] = "–"
        built.append((
            f"{size.entities:,}", "exact" if size.exact else "graph", *rates,
            f"{size.build_seconds:,.1f} s", f"{size.resident / 2**20:,.0f} MiB",
            f"{size.peak / 2**20:,.0f} MiB",
        ))
        searched += [
            (f"{size.entities:,}", "all" if name == "none" else f"{one.share:.2%}",
             *(f"{value * 1000:.2f} ms" for value in (one.median, one.p95, one.cpu)),
             f"{one.recall:.4f}")
            for name, one in size.searches.items()
        ]
    return (
        "Synthetic entities of one type through the local engine, a process a size, one thread. "
        "Each has one vector, a mixture of those of two windows of the SRD with noise of "
        f"{synthetic.NOISE:g} of its length, {synthetic.WORDS} words drawn as often as the SRD has "
        "them, a name that two share, and four fields. The clock of building runs over the "
        "lexical lane, the vectors and the fields, not over encoding. Each of "
        f"{sizes[0].queries} queries, a mixture like them with noise of "
        f"{synthetic.QUERY_NOISE:g}, {synthetic.QUERY_WORDS} words and a name, asks both lanes for "
        "512 candidates, under filters that let a part of the entities through, in turn. Recall is "
        "by the vector alone: the part of the ten nearest, found by comparing every vector, that "
        f"are the ten nearest here. Up to {EXACT_WINDOWS:,} windows that come into question, or "
        "as long as it costs less than to walk the graph past the others, every one is compared; "
        "of more, an HNSW graph finds the nearest.\n\n"
        f"{_table(built)}\n\n{_table(searched)}\n\n![Many entities](images/bench_scale.png)"
    )


def _operations(times: turns.Times) -> str:
    lines: list[tuple[str, ...]] = [("operation", "median", "10 %", "90 %", "CPU, median")]
    for name in times.seconds:
        wall, cpu = times.of(name), turns.spread(times.cpu[name])
        values = (wall.median, wall.low, wall.high, cpu.median)
        lines.append((name, *(f"{value * 1000:.3f} ms" for value in values)))
    return _table(lines)


def _process(found: Results) -> str:
    return (
        f"Medians of {found.processes} fresh processes each, ours and the rival's by turns, after "
        "one of each that warmed the disk's cache. The clock runs from before the first import "
        "(the interpreter itself has started) to the end of the first turn; memory is the peak of "
        f"what was resident after {TURNS} turns."
    )


def _tokens(found: Results) -> str:
    held = found.tokens
    return (
        f"A turn with the header and all of {found.version} costs {held.whole:,.0f} tokens, the "
        f"assembled prompt {held.prompt:,.0f}: {held.ratio:.0f} times fewer, the mean over "
        f"{found.needles} turns (a sparse one sends the header alone)."
    )


def _setting(found: Results) -> str:
    quick = " This was a quick run, with few repetitions." if found.quick else ""
    return (
        f"Version `{found.version}`, release `{found.release}` ({found.chunks} chunks); "
        f"the rival holds {found.documents} documents. Both have one thread "
        f"and {found.budget:,} tokens.{quick}"
    )


def _machine(machine: Machine) -> str:
    packages = [("package", "version"), *machine.packages.items()]
    return (
        f"{machine.date}; {machine.processor}, {machine.cores} cores, "
        f"{machine.memory_gib:.0f} GiB; {machine.system}; load average {machine.load[0]:.1f} "
        f"before and {machine.load[1]:.1f} after (1.0 is this run alone).\n\n{_table(packages)}"
    )


def _table(lines: Sequence[Sequence[str]]) -> str:
    head, *body = lines
    rule = "|".join(["---", *(["--:"] * (len(head) - 1))])
    return "\n".join([
        f"| {' | '.join(head)} |", f"|{rule}|", *(f"| {' | '.join(line)} |" for line in body),
    ])
