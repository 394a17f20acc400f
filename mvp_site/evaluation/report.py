"""The needle report: the product and the plain ways beside it, by kind, version, mode, domain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from ..archive.release import Release, load_release
from ..archive.versions import Version, list_versions, read_version
from ..assembly.assembler import PromptAssembler
from ..retrieval.encoder import Encoder, open_by_fingerprint
from ..retrieval.markdown import split_lines
from ..retrieval.releases.build import Progress
from ..settings import Settings
from .ablation import archive_without_when
from .metrics import Outcome, Summary, grouped, judge, sparse_precision_recall, summarise
from .needles import KINDS, Needle, Split, load_needles
from .systems import Assembled, Ranked, System, Truncated

ON_TOPIC: Final = KINDS[:3]
PRODUCT: Final = "assembled"
BARE: Final = "assembled, no when: lines"
PLAIN: Final = "plain convex fusion"
TRUNCATED: Final = Truncated.name


@dataclass(frozen=True, slots=True)
class Goal:
    """A target with what was measured."""

    name: str
    wanted: str
    found: float
    reached: bool


@dataclass(frozen=True, slots=True)
class NeedleReport:
    """Everything that one run of the needles showed; ``systems[name][group]`` holds means.

    Groups are ``all``, ``kind=…``, ``version=…``, and for the product also ``mode=…`` and
    ``domain=…`` (of the chunk that holds the first gold span).
    """

    split: Split
    budget: int
    needles: int
    off_topic: int
    systems: dict[str, dict[str, Summary]]
    sparse: dict[str, float]
    goals: tuple[Goal, ...]

    def as_dict(self) -> dict[str, Any]:
        """The report as plain JSON values."""
        return asdict(self)


@dataclass(frozen=True, slots=True, eq=False)
class _Bench:
    """One version with everything its systems need."""

    version: Version
    release: Release
    encoder: Encoder
    blank: dict[str, frozenset[int]]


def run_needles(settings: Settings, split: Split, *, when_ablation: bool = True,
                progress: Progress | None = None) -> NeedleReport:
    """Run the needles of ``split`` through the product and the baselines.

    Raises:
        IndexLoadError: a version's index is missing, stale or corrupt.
    """
    needles = load_needles(split)
    benches = {name: _bench(settings, name) for name in list_versions(settings)}
    outcomes: dict[str, list[Outcome]] = {}
    refused: list[Outcome] = []
    for name, bench in benches.items():
        mine = [needle for needle in needles if needle.version == name]
        product = Assembled(_assembler(settings, name), PRODUCT)
        for system in (product, *_baselines(settings, bench)):
            outcomes.setdefault(system.name, []).extend(_judged(system, mine, bench))
        stray = [needle for needle in needles if needle.kind == "off_topic"]
        refused += _judged(product, stray, bench)
    if when_ablation:
        with archive_without_when(settings, progress) as bare:
            for name, bench in benches.items():
                mine = [needle for needle in needles if needle.version == name]
                system = Assembled(_assembler(bare, name), BARE)
                outcomes.setdefault(BARE, []).extend(_judged(system, mine, bench))
    return _report(settings, split, outcomes, refused, benches)


def _assembler(settings: Settings, version: str) -> PromptAssembler:
    return PromptAssembler.open(replace(settings, prompt_version=version))


def _bench(settings: Settings, name: str) -> _Bench:
    version = read_version(settings, name)
    release = load_release(settings.prompt_index_dir, name)
    manifest = release.manifest
    blank = {
        source.file: frozenset(
            number for number, line in enumerate(split_lines(source.text), 1) if not line.strip()
        )
        for source in version.sources
    }
    encoder = open_by_fingerprint(
        settings.encoder_dir, manifest.encoder, manifest.model, settings.prompt_encoder_threads,
        "mvp-site index build",
    )
    return _Bench(version, release, encoder, blank)


def _baselines(settings: Settings, bench: _Bench) -> list[System]:
    budget = settings.prompt_max_tokens_retrieved

    def ranked(name: str, dense: float) -> System:
        return Ranked(name, bench.release, bench.encoder, budget, dense)

    return [
        ranked(PLAIN, 0.5), ranked("dense lane alone", 1.0), ranked("lexical lane alone", 0.0),
        Truncated(bench.version, budget),
    ]


def _judged(system: System, needles: Sequence[Needle], bench: _Bench) -> list[Outcome]:
    return judge(system, needles, {needle.version: bench.blank for needle in needles})


def _report(settings: Settings, split: Split, outcomes: dict[str, list[Outcome]],
            refused: list[Outcome], benches: dict[str, _Bench]) -> NeedleReport:
    systems: dict[str, dict[str, Summary]] = {}
    for name, found in outcomes.items():
        groups = {"all": summarise(found)}
        groups |= _prefixed("kind", grouped(found, lambda o: o.needle.kind))
        groups |= _prefixed("version", grouped(found, lambda o: o.needle.version))
        if name == PRODUCT:
            groups |= _prefixed("mode", grouped(found, lambda o: o.needle.mode))
            groups |= _prefixed(
                "domain", grouped(found, lambda o: _domain(o.needle, benches[o.needle.version]))
            )
        systems[name] = groups
    product = outcomes[PRODUCT]
    precision, recall = sparse_precision_recall(product, refused)
    near = [outcome for outcome in refused if outcome.needle.near]
    sparse = {
        "precision": precision, "recall": recall,
        "off_topic_sparse": summarise(refused).sparse, "near_misses_sparse": summarise(near).sparse,
        "on_topic_sparse": summarise(product).sparse,
    }
    return NeedleReport(
        split, settings.prompt_max_tokens_retrieved, len(product),
        len({outcome.needle.id for outcome in refused}), systems, sparse, _goals(systems, sparse),
    )


def _prefixed(prefix: str, groups: dict[str, Summary]) -> dict[str, Summary]:
    return {f"{prefix}={name}": summary for name, summary in groups.items()}


def _domain(needle: Needle, bench: _Bench) -> str:
    span = needle.needs[0][0]
    for chunk in bench.release.chunks:
        if chunk.file == span.file and chunk.lines[0] <= span.start <= chunk.lines[1]:
            return chunk.domain or "none"
    return "unknown"


def _goals(systems: dict[str, dict[str, Summary]], sparse: dict[str, float]) -> tuple[Goal, ...]:
    def recall(system: str, group: str = "all") -> float:
        summary = systems[system].get(group)
        return summary.recall if summary else 0.0

    ours = recall(PRODUCT)
    over_plain, over_start = ours - recall(PLAIN), ours - recall(TRUNCATED)
    lookups, turns = recall(PRODUCT, "kind=lookup"), recall(PRODUCT, "kind=turn")
    refused, wrongly = sparse["off_topic_sparse"], sparse["on_topic_sparse"]
    return (
        Goal("recall over plain convex fusion", "≥ +.10", over_plain, over_plain >= 0.10),
        Goal("recall over truncation", "≥ +.30", over_start, over_start >= 0.30),
        Goal("recall, all kinds", "≥ .90", ours, ours >= 0.90),
        Goal("recall, lookups", "≥ .98", lookups, lookups >= 0.98),
        Goal("recall, players' turns", "≥ .80", turns, turns >= 0.80),
        Goal("off-topic turns sparse", "≥ .90", refused, refused >= 0.90),
        Goal("on-topic turns sparse", "≤ .05", wrongly, wrongly <= 0.05),
    )
