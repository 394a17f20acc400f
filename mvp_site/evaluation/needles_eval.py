"""Recall within the token budget, reciprocal rank and sparse turns, beside the plain ways.

A need is a relevant document, and a run lists what was printed: the need a passage meets, or a
stand-in for a passage that meets none. Recall over all that was printed is then recall within
the token budget, and the reciprocal rank is that of the first passage that helps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from ir_measures import RR, R

from ..archive.release import Release, load_release
from ..archive.versions import Version, list_versions, read_version
from ..retrieval.encoder import open_by_fingerprint
from ..retrieval.releases.build import Progress
from ..settings import Settings
from .baselines import PLAIN
from .metrics import Groups, Metrics, Outcome
from .needles import Needle, assembler_of, load_needles
from .needles_systems import (
    Printer,
    answer,
    archive_without_when,
    assembled,
    blank_lines,
    plain,
    truncated,
)
from .report import Goal, Report, ranking_report
from .sets import Split

PRODUCT: Final = "assembled"
BARE: Final = "assembled, no when: lines"
TRUNCATED: Final = "truncated archive"
METRICS: Final = Metrics("needles", {
    "recall": ("recall", R @ 1000), "mrr": ("MRR", RR), "tokens": ("tokens", None),
    "sparse": ("sparse", None),
}, flat=True)


def judge(printer: Printer, version: Version, needles: Sequence[Needle]) -> list[Outcome[Needle]]:
    """The outcome of each needle with a way to print this version's text."""
    return METRICS.judge(needles, partial(answer, printer, blank_lines(version)))


def run_needles(settings: Settings, split: Split, *, when_ablation: bool = True,
                progress: Progress | None = None) -> Report:
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
    if when_ablation:
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


def _printers(settings: Settings, version: Version, release: Release) -> dict[str, Printer]:
    budget, manifest = settings.prompt_max_tokens_retrieved, release.manifest
    encoder = open_by_fingerprint(
        settings.encoder_dir, manifest.encoder, manifest.model, settings.prompt_encoder_threads,
        "mvp-site index build",
    )
    return {
        PRODUCT: assembled(assembler_of(settings, version.name)),
        **plain(release, encoder, budget), TRUNCATED: truncated(version, budget),
    }


def _domain(needle: Needle, releases: Mapping[str, Release]) -> str:
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
