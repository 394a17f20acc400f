"""Recall within the token budget, reciprocal rank and sparse turns, beside the plain ways.

Every system has the same budget and is judged by the source lines it prints. The plain rankings
read the same chunks and lanes as the assembler and pack whole chunks; truncation sends the archive
from its start.

A need is a relevant document, and a run lists what was printed: the need a passage meets, or a
stand-in for a passage that meets none. Recall over all that was printed is then recall within
the token budget, and the reciprocal rank is that of the first passage that helps.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np
from ir_measures import RR, R

from mvp_site.archive.build import build_prompt_index
from mvp_site.archive.release import ArchiveRelease, load_release
from mvp_site.archive.versions import Version, list_versions, read_version
from mvp_site.assembly.assembler import PromptAssembler
from mvp_site.assembly.budget import LENGTH_PRICE
from mvp_site.retrieval.building import Progress
from mvp_site.retrieval.collection import SearchRequest
from mvp_site.retrieval.encoder import Encoder, open_by_fingerprint
from mvp_site.retrieval.lexical import LexicalLane
from mvp_site.settings import Settings
from mvp_site.text.markdown import split_lines
from mvp_site.text.normalising import normalise, terms
from mvp_site.text.tokens import count_tokens

from .baselines import LANES, PLAIN, rankings, recipe
from .metrics import Answer, Groups, Metrics, Outcome
from .needles import Needle, assembler_of, load_needles, met, need_id
from .report import Goal, Report, ranking_report
from .sets import Split

PRODUCT: Final = "assembled"
BARE: Final = "assembled, no when: lines"
TRUNCATED: Final = "truncated archive"
METRICS: Final = Metrics("needles", {
    "recall": ("recall", R @ 1000), "mrr": ("MRR", RR), "tokens": ("tokens", None),
    "sparse": ("sparse", None),
}, flat=True)
_FRONT_MATTER: Final = re.compile(r"---\s*\n(?:.*\n)*?(?:---|\.\.\.)\s*$", re.MULTILINE)
_WHEN: Final = re.compile(r"^when.*(?:\n(?![A-Za-z_]+\s*:|---|\.\.\.).*)*", re.MULTILINE)


Piece = tuple[str, tuple[tuple[int, int], ...]]
"""A file, and the lines of it that are one passage."""


@dataclass(frozen=True, slots=True)
class Printed:
    """What a system printed, in order; its o200k tokens."""

    passages: tuple[Piece, ...]
    tokens: int
    sparse: bool = False


Printer = Callable[[Needle], Printed]
"""A way to fill the budget for a needle."""


def answer(printer: Printer, blank: Mapping[str, frozenset[int]], needle: Needle) -> Answer:
    """What is printed for a needle as a ranking: the needs that passages meet, and stand-ins."""
    printed = printer(needle)
    ranking: list[str] = []
    for number, needs in enumerate(met(needle, printed.passages, blank)):
        ranking += map(need_id, needs) if needs else (f"other-{number}",)
    return Answer(ranking, {"tokens": printed.tokens, "sparse": printed.sparse})


def blank_lines(version: Version) -> dict[str, frozenset[int]]:
    """The numbers of each file's blank lines, which nobody need print."""
    return {
        source.file: frozenset(
            number for number, line in enumerate(split_lines(source.text), 1) if not line.strip()
        )
        for source in version.sources
    }


def assembled(assembler: PromptAssembler) -> Printer:
    """The product itself: the plan for the needle's turn."""
    def printed(needle: Needle) -> Printed:
        plan = assembler.retrieve(needle.query, needle.mode, "god", needle.history, needle.state)
        passages = tuple((chunk.file, chunk.lines) for chunk in plan.chunks)
        return Printed(passages, plan.tokens, plan.sparse_reason is not None)

    return printed


def truncated(version: Version, budget: int) -> Printer:
    """The archive from its start, cut at the budget."""
    pieces: list[Piece] = []
    tokens: list[int] = []
    for source in version.sources:
        for number, line in enumerate(source.text.split("\n"), 1):
            pieces.append((source.file, ((number, number),)))
            tokens.append(count_tokens(f"{line}\n"))
    fits = int(np.searchsorted(np.cumsum(tokens), budget, "right"))
    printed = Printed(tuple(pieces[:fits]), sum(tokens[:fits]))
    return lambda needle: printed  # noqa: ARG005 - the same for every needle


def _filled(order: Iterable[int], pieces: Sequence[Piece], tokens: Sequence[int], budget: int,
            total: int = 0) -> Printed:
    """Of the pieces in an order those that fit into what ``total`` tokens leave."""
    taken: list[Piece] = []
    for number in order:
        if total + tokens[number] <= budget:
            taken.append(pieces[number])
            total += tokens[number]
    return Printed(tuple(taken), total)


def plain(release: ArchiveRelease, encoder: Encoder, budget: int) -> dict[str, Printer]:
    """The plain rankings by name; each packs the best whole chunks that fit."""
    lane = LexicalLane.build([terms(chunk.text) for chunk in release.chunks])
    chunks = [(chunk.file, (chunk.lines,)) for chunk in release.chunks]
    tokens = [chunk.tokens for chunk in release.chunks]

    @cache
    def ranked(query: str) -> dict[str, list[int]]:
        vector = encoder.encode([normalise(query)])[0]
        index = release.turn_index.collection
        pieces, _ = index.search(SearchRequest(vector=vector)).of_all(index.passages)
        dense = np.maximum.reduceat(pieces, release.first_piece)
        return rankings(dense, lane.scores(terms(query))[0])

    def packed(name: str, needle: Needle) -> Printed:
        return _filled(ranked(needle.query)[name], chunks, tokens, budget)

    return {name: partial(packed, name) for name in LANES}


def plain_recipe(release: ArchiveRelease, encoder: Encoder, budget: int) -> Printer:
    """The plain recipe: pieces in the order of their scores, less a price for length, that fit."""
    held = [(chunk.file, piece) for chunk in release.chunks for piece in chunk.pieces]
    pieces = [(file, piece.lines) for file, piece in held]
    around = release.manifest.delimiter_tokens
    tokens = [piece.tokens + piece.opening_tokens + around[1] for _, piece in held]
    price = LENGTH_PRICE * np.array(tokens) / 100

    def printed(needle: Needle) -> Printed:
        index = release.turn_index.collection
        vector = encoder.encode([normalise(needle.query)])[0]
        query = SearchRequest(vector=vector, terms=tuple(terms(needle.query)))
        scores = recipe(*index.search(query).of_all(index.passages))
        order = np.argsort(price - scores, kind="stable").tolist()
        return _filled(order, pieces, tokens, budget, around[0])

    return printed


@contextmanager
def archive_without_when(settings: Settings, progress: Progress | None = None,
                         ) -> Iterator[Settings]:
    """Settings of a temporary archive and index of every version, without ``when:`` lines."""
    with TemporaryDirectory() as folder:
        archive, index = Path(folder, "archive"), Path(folder, "index")
        shutil.copytree(settings.prompt_archive_dir, archive)
        for path in archive.rglob("*.md"):
            path.write_text(without_when(path.read_text(encoding="utf-8")), encoding="utf-8")
        index.mkdir()
        bare = replace(settings, prompt_archive_dir=archive, prompt_index_dir=index)
        for version in list_versions(bare):
            build_prompt_index(bare, version, progress=progress)
        yield bare


def without_when(text: str) -> str:
    """``text`` with the ``when:`` entry of its front matter blank, every other line in place."""
    matter = _FRONT_MATTER.match(text)
    if not matter:
        return text
    return _WHEN.sub(lambda found: "\n" * found[0].count("\n"), matter[0]) + text[matter.end() :]


def judge(printer: Printer, version: Version, needles: Sequence[Needle]) -> list[Outcome[Needle]]:
    """The outcome of each needle with a way to print this version's text."""
    return METRICS.judge(needles, partial(answer, printer, blank_lines(version)))


def run_needles(settings: Settings, split: Split, *, progress: Progress | None = None) -> Report:
    """The report on the needles of ``split``, for the product and the plain ways.

    Raises:
        IndexLoadError: a version's index is missing, stale or corrupt.
    """
    needles = load_needles(split)
    versions = {name: read_version(settings, name) for name in list_versions(settings)}
    releases = {name: load_release(settings.prompt_index_dir, name) for name in versions}
    stray = [one for one in needles if one.kind == "off_topic"]
    outcomes: dict[str, list[Outcome[Needle]]] = {}
    refused: list[Outcome[Needle]] = []

    def held(version: Version, printers: Mapping[str, Printer]) -> None:
        mine = [one for one in needles if one.version == version.name]
        for system, printer in printers.items():
            outcomes.setdefault(system, []).extend(judge(printer, version, mine))

    for name, version in versions.items():
        printers = _printers(settings, version, releases[name])
        held(version, printers)
        refused += judge(printers[PRODUCT], version, stray)
    with archive_without_when(settings, progress) as bare:
        for version in versions.values():
            held(version, {BARE: assembled(assembler_of(bare, version.name))})
    by = {"kind": lambda one: one.kind, "version": lambda one: one.version}
    more = {"mode": lambda one: one.mode, "domain": lambda one: _domain(one, releases)}
    systems = {
        name: METRICS.grouped(found, **by, **(more if name == PRODUCT else {}))
        for name, found in outcomes.items()
    }
    sparse = _sparse(outcomes[PRODUCT], refused)
    budget = settings.prompt_max_tokens_retrieved
    values = {
        "split": split, "budget": budget, "needles": len(outcomes[PRODUCT]),
        "off_topic": len(stray), "sparse": sparse,
    }
    return ranking_report(
        f"{values['needles']} needles ({split}), {len(stray)} off-topic, within {budget} tokens",
        METRICS, values, systems, _goals(systems, sparse),
    )


def _printers(settings: Settings, version: Version, release: ArchiveRelease) -> dict[str, Printer]:
    budget, manifest = settings.prompt_max_tokens_retrieved, release.manifest
    encoder = open_by_fingerprint(settings.encoder_dir, manifest.encoder,
                                  settings.prompt_encoder_threads)
    return {
        PRODUCT: assembled(assembler_of(settings, version.name)),
        **plain(release, encoder, budget), TRUNCATED: truncated(version, budget),
    }


def _domain(needle: Needle, releases: Mapping[str, ArchiveRelease]) -> str:
    """The domain of the chunk that holds the needle's first gold span."""
    span = needle.gold[0].any[0]
    for chunk in releases[needle.version].chunks:
        if chunk.file == span.file and chunk.lines[0] <= span.start <= chunk.lines[1]:
            return chunk.domain or "none"
    return "unknown"


def _sparse(on_topic: Sequence[Outcome[Needle]], off_topic: Sequence[Outcome[Needle]],
            ) -> dict[str, float]:
    """The off-topic part of the sparse turns, and the sparse parts of the turns."""
    def sparse(outcomes: Sequence[Outcome[Any]]) -> float:
        return METRICS.summarise(outcomes).measures["sparse"]

    refused, wrongly = (sum(one.measures["sparse"] for one in held)
                        for held in (off_topic, on_topic))
    return {
        "precision": refused / (refused + wrongly) if refused + wrongly else 0.0,
        "recall": sparse(off_topic), "off_topic_sparse": sparse(off_topic),
        "near_misses_sparse": sparse([one for one in off_topic if one.question.near]),
        "on_topic_sparse": sparse(on_topic),
    }


def _goals(systems: Mapping[str, Groups], sparse: Mapping[str, float]) -> list[Goal]:
    def recall(system: str, group: str = "all") -> float:
        found = systems[system].get(group)
        return found.measures["recall"] if found else 0.0

    ours = recall(PRODUCT)
    return [
        Goal.of("recall over plain convex fusion", "≥ +.10", ours - recall(PLAIN)),
        Goal.of("recall over truncation", "≥ +.30", ours - recall(TRUNCATED)),
        Goal.of("recall, all kinds", "≥ .90", ours),
        Goal.of("recall, lookups", "≥ .98", recall(PRODUCT, "kind=lookup")),
        Goal.of("recall, players' turns", "≥ .80", recall(PRODUCT, "kind=turn")),
        Goal.of("off-topic turns sparse", "≥ .90", sparse["off_topic_sparse"]),
        Goal.of("on-topic turns sparse", "≤ .05", sparse["on_topic_sparse"]),
    ]
