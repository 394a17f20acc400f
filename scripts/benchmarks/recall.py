"""Recall within the budget, and tokens: what a turn carries, and what it costs to carry it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from mvp_site.archive.versions import Version
from mvp_site.evaluation.metrics import Outcome, grouped, judge
from mvp_site.evaluation.needles import Needle
from mvp_site.evaluation.systems import Assembled, Printed, System
from mvp_site.retrieval.tokens import count_tokens

from .ours import Ours, ask
from .rival import Rival

_DRAWS: Final = 10_000
_SEED: Final = 7


@dataclass(frozen=True, slots=True)
class Recall:
    """Mean recall within the budget over all needles and by kind; ``outcomes`` one a needle."""

    mean: float
    kinds: Mapping[str, float]
    outcomes: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference of two means over the same needles, with its 95 % bootstrap interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Tokens:
    """Means in o200k tokens: a turn with header and whole archive, and the assembled prompt.

    ``ratio`` is the mean of the one by the other, turn by turn; a sparse turn sends the header
    alone.
    """

    whole: float
    prompt: float
    ratio: float


class Packing:
    """The rival, judged by the source lines that its documents hold whole."""

    name = "rival"

    def __init__(self, rival: Rival) -> None:
        self._rival = rival

    def run(self, needle: Needle) -> Printed:
        """What the rival sends for the needle."""
        packed = self._rival.pack(needle.query)
        return Printed(
            tuple(
                (d.metadata["file"], tuple((a, b) for a, b in d.metadata["lines"]))
                for d in packed.documents
            ),
            packed.tokens,
        )


def of_ours(ours: Ours, archive: Version, needles: Sequence[Needle]) -> Recall:
    """The product's recall."""
    return _recall(Assembled(ours.assembler()), archive, needles)


def of_rival(rival: Rival, archive: Version, needles: Sequence[Needle]) -> Recall:
    """The rival's recall."""
    return _recall(Packing(rival), archive, needles)


def _recall(system: System, archive: Version, needles: Sequence[Needle]) -> Recall:
    outcomes: list[Outcome] = judge(system, needles, {archive.name: blank_lines(archive)})
    return Recall(
        float(np.mean([o.recall for o in outcomes])),
        {kind: s.recall for kind, s in grouped(outcomes, lambda o: o.needle.kind).items()},
        tuple(o.recall for o in outcomes),
    )


def blank_lines(archive: Version) -> dict[str, frozenset[int]]:
    """The numbers of each file's blank lines, which nobody need print."""
    return {
        source.file: frozenset(
            number for number, line in enumerate(source.text.split("\n"), 1) if not line.strip()
        )
        for source in archive.sources
    }


def difference(ours: Recall, other: Recall) -> Difference:
    """How much more recall ours has."""
    gains = np.subtract(ours.outcomes, other.outcomes)
    rows = np.random.default_rng(_SEED).integers(0, len(gains), (_DRAWS, len(gains)))
    low, high = np.percentile(gains[rows].mean(axis=1), [2.5, 97.5])
    return Difference(float(gains.mean()), float(low), float(high))


def tokens(ours: Ours, needles: Sequence[Needle]) -> Tokens:
    """What a turn costs with the whole archive in it, and as assembled."""
    manifest = ours.served.release.manifest
    standing = manifest.header_tokens + manifest.archive_tokens
    assembler = ours.assembler()
    whole = np.asarray([
        standing + count_tokens(n.query) + sum(count_tokens(m.content) for m in n.history)
        for n in needles
    ], float)
    prompts = np.asarray([count_tokens(ask(assembler, n).prompt) for n in needles], float)
    return Tokens(float(whole.mean()), float(prompts.mean()), float((whole / prompts).mean()))
