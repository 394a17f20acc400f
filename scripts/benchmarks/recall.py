"""Recall within the budget, and tokens: what a turn carries, and what it costs to carry it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from evaluation.needles import Needle
from evaluation.needles_eval import METRICS, Printed, Printer, assembled, judge

from mvp_site.archive.versions import Version
from mvp_site.text.tokens import count_tokens

from .ours import Ours, ask
from .rival import Rival


@dataclass(frozen=True, slots=True)
class Recall:
    """Mean recall within the budget over all needles and by kind; ``outcomes`` one a needle."""

    mean: float
    kinds: Mapping[str, float]
    outcomes: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Tokens:
    """Means in o200k tokens: a turn with header and whole archive, and the assembled prompt.

    ``ratio`` is the mean of the one by the other, turn by turn; a sparse turn sends the header
    alone.
    """

    whole: float
    prompt: float
    ratio: float


def of_ours(ours: Ours, archive: Version, needles: Sequence[Needle]) -> Recall:
    """The product's recall."""
    return _recall(assembled(ours.assembler()), archive, needles)


def of_rival(rival: Rival, archive: Version, needles: Sequence[Needle]) -> Recall:
    """The rival's recall, judged by the source lines that its documents hold whole."""
    def printed(needle: Needle) -> Printed:
        packed = rival.pack(needle.query)
        return Printed(
            tuple(
                (d.metadata["file"], tuple((a, b) for a, b in d.metadata["lines"]))
                for d in packed.documents
            ),
            packed.tokens,
        )

    return _recall(printed, archive, needles)


def _recall(printer: Printer, archive: Version, needles: Sequence[Needle]) -> Recall:
    outcomes = judge(printer, archive, needles)
    groups = METRICS.grouped(outcomes, kind=lambda one: one.kind)
    means = {name: one.measures["recall"] for name, one in groups.items()}
    return Recall(
        means.pop("all"), {name.partition("=")[2]: mean for name, mean in means.items()},
        tuple(one.measures["recall"] for one in outcomes),
    )


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
