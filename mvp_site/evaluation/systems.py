"""What is compared on the needles: the assembler, and the plain ways of doing without it.

Every system has the same budget and is judged by the source lines it prints. The baselines read
the same chunks and lanes as the assembler: plain convex fusion normalises each lane per query by
its minimum and maximum and adds halves, each lane alone ranks by its score, truncation sends the
archive from its start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ..archive.chunks import Chunk
from ..archive.release import Release
from ..archive.versions import Version
from ..assembly.assembler import PromptAssembler
from ..retrieval.encoder import Encoder
from ..retrieval.lexical import LexicalLane
from ..retrieval.text import normalise, terms
from ..retrieval.tokens import count_tokens
from .needles import Needle


@dataclass(frozen=True, slots=True)
class Printed:
    """What a system printed: (file, line spans) a passage, in order; its o200k tokens."""

    passages: tuple[tuple[str, tuple[tuple[int, int], ...]], ...]
    tokens: int
    sparse: bool = False


class System(Protocol):
    """A way to fill the budget for a needle."""

    @property
    def name(self) -> str:
        """What reports call it."""
        ...

    def run(self, needle: Needle) -> Printed:
        """What is printed for the needle."""
        ...


class Assembled:
    """The product itself."""

    def __init__(self, assembler: PromptAssembler, name: str = "assembled") -> None:
        self.name = name
        self._assembler = assembler

    def run(self, needle: Needle) -> Printed:
        """The plan for the needle's turn."""
        plan = self._assembler.retrieve(
            needle.query, needle.mode, "god", needle.history, needle.state
        )
        return Printed(
            tuple((chunk.file, chunk.lines) for chunk in plan.chunks), plan.tokens,
            plan.sparse_reason is not None,
        )


class Truncated:
    """The archive from its start, cut at the budget."""

    name = "truncated archive"

    def __init__(self, version: Version, budget: int) -> None:
        passages: list[tuple[str, tuple[tuple[int, int], ...]]] = []
        total = 0
        for source in version.sources:
            lines = source.text.split("\n")
            end = 0
            for line in lines:
                tokens = count_tokens(line + "\n")
                if total + tokens > budget:
                    break
                total += tokens
                end += 1
            passages.append((source.file, ((1, end),)))
            if end < len(lines):
                break
        self._printed = Printed(tuple(passages), total)

    def run(self, needle: Needle) -> Printed:  # noqa: ARG002 - the same for every needle
        """The archive's start."""
        return self._printed


class Ranked:
    """Whole chunks in the order of a plain fusion of the lanes, packed into the budget."""

    def __init__(self, name: str, release: Release, encoder: Encoder, budget: int, dense: float,
                 ) -> None:
        self.name = name
        self._chunks: Sequence[Chunk] = release.chunks
        self._lexical = LexicalLane.build([terms(chunk.text) for chunk in release.chunks])
        self._release = release
        self._encoder = encoder
        self._budget = budget
        self._dense = dense

    def run(self, needle: Needle) -> Printed:
        """The best whole chunks that fit."""
        scores = np.zeros(len(self._chunks), np.float32)
        if self._dense:
            vector = self._encoder.encode([normalise(needle.query)])[0]
            windows = self._release.sources.index.dense.scores(vector, prefilter=False)
            scores += self._dense * _minmax(
                np.maximum.reduceat(windows, self._release.first_piece)
            )
        if self._dense < 1:
            scores += (1 - self._dense) * _minmax(self._lexical.scores(terms(needle.query))[0])
        passages: list[tuple[str, tuple[tuple[int, int], ...]]] = []
        total = 0
        for number in np.argsort(-scores, kind="stable"):
            chunk = self._chunks[int(number)]
            if total + chunk.tokens <= self._budget:
                passages.append((chunk.file, (chunk.lines,)))
                total += chunk.tokens
        return Printed(tuple(passages), total)


def _minmax(scores: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    low, high = scores.min(), scores.max()
    return (scores - low) / (high - low) if high > low else np.zeros_like(scores)
