"""What a prompt's sections are about, by the meaning of their sentences.

Two discriminants judge them: whether a sentence is one that every answer must obey, of form or of
safety, and whether a section that begins so holds in one situation only. They are fitted on lines
and prompts of many hands (``scripts/evaluate headers --fit``) over the shipped encoder, which reads
the sections too, whatever model the searches use.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt

from ...retrieval import arrays
from ...retrieval.domain_classifier import DomainClassifier
from ...retrieval.encoder import SHIPPED, Encoder, Vectors, find_bundle, open_by_fingerprint
from ...settings import DEFAULT_MODEL
from ...utterances import FOLDER
from .prohibitions import Prohibition, paragraphs, sentences
from .structure import SourceSection

WEIGHTS: Final = "header.npy"
HOLDS: Final = 0.34
"""The mean score of a section's sentences from which on it belongs in the header."""
BINDS: Final = 0.6
"""The same of what stands together in a text without headings, where nothing else says so."""
SITUATED: Final = 0.55
"""The score of a section's beginning from which on it holds in one situation only."""
_NEUTRAL: Final = 0.2
"""The score of one sentence more: a short section needs plainer ones."""
_BEGINNING: Final = 2
"""Sentences that say, with the title, when a section holds."""
READ: Final = 1_000
"""Up to so many sentences a source is read whole, as most prompts are."""
_SOME: Final = 400
"""Sentences that are read of a larger one; the header of a large archive stays the same."""


@dataclass(frozen=True, slots=True)
class SectionMeaning:
    """How far a section binds every answer, and begins as if for one situation, in [0, 1].

    ``binding`` is what of a text without headings binds every answer, by what stands together.
    """

    binds: float = 0.0
    situated: float = 0.0
    binding: tuple[Prohibition, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class SectionVectors:
    """The vectors of a section's sentences, and that of its beginning, None where it has none."""

    sentences: Vectors
    beginning: npt.NDArray[np.float32] | None


@dataclass(frozen=True, slots=True, eq=False)
class SectionReader:
    """Judges sections by two discriminants of their vectors."""

    encoder: Encoder
    binds: DomainClassifier
    situated: DomainClassifier

    def read(self, sections: Sequence[SourceSection]) -> dict[int, SectionMeaning]:
        """What each section means, by its identity."""
        return {id(section): self._meaning(section, vectors) for section, vectors in zip(
            sections, vectors_of(self.encoder, sections), strict=True)}

    def _meaning(self, section: SourceSection, vectors: SectionVectors) -> SectionMeaning:
        if vectors.beginning is None:
            return SectionMeaning()
        scores = [*map(self.binds.score, vectors.sentences)]
        together, at = [], 0
        for start, end, texts in () if section.own else paragraphs(section):
            if texts and np.mean(scores[at : at + len(texts)]) >= BINDS:
                together.append(Prohibition(start, end, start, texts[0], True, False))
            at += len(texts)
        return SectionMeaning(float(np.mean([*scores, _NEUTRAL])),
                              self.situated.score(vectors.beginning), tuple(together))


def likeliest(parts: Sequence[SourceSection], first: Collection[int]) -> list[SourceSection]:
    """The sections that are read, in order: all, or of much text :data:`_SOME` sentences.

    Those that are ``first``, by identity, come before what stands nearer to the beginning.
    """
    order = sorted(range(len(parts)), key=lambda at: (id(parts[at]) not in first, at))
    counts = np.cumsum([len(sentences(parts[at])) for at in order])
    if not len(counts) or counts[-1] <= READ:
        return [*parts]
    return [parts[at] for at in sorted(order[: int(np.searchsorted(counts, _SOME, "right"))])]


def vectors_of(encoder: Encoder, sections: Sequence[SourceSection]) -> list[SectionVectors]:
    """The vectors by which each section is judged."""
    titles = [[section.title] * bool(section.own and section.title) for section in sections]
    texts = [sentences(section) for section in sections]
    wanted = [*dict.fromkeys(text for rows in (*titles, *texts) for text in rows)]
    vectors = dict(zip(wanted, encoder.encode(wanted), strict=True)) if wanted else {}
    read: list[SectionVectors] = []
    for title, rows in zip(titles, texts, strict=True):
        beginning = [vectors[text] for text in (*title, *rows[:_BEGINNING])]
        total = np.sum(beginning, axis=0) if rows else None
        read.append(SectionVectors(np.array([vectors[text] for text in rows]),
                                   None if total is None else total / np.linalg.norm(total)))
    return read


@cache
def section_reader() -> SectionReader:
    """The shipped discriminants, opened once a process."""
    weights = arrays.from_bytes((FOLDER / WEIGHTS).read_bytes())
    encoder = open_by_fingerprint(SHIPPED, find_bundle(SHIPPED, DEFAULT_MODEL) or "", 1)
    return SectionReader(encoder, *map(DomainClassifier, weights))
