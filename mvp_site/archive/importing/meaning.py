"""What a prompt's sections are about, by the meaning of their sentences.

Three discriminants are fitted on shipped lines (``utterances/header``): whether a sentence sets
the form of every answer, whether it says what is safe at the table, and whether a section that
begins like this holds in one situation only. The shipped encoder reads them, whatever model the
searches use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from ...retrieval.domain_classifier import DomainClassifier, OnTopic, fit
from ...retrieval.encoder import SHIPPED, Vectors, find_bundle, open_by_fingerprint
from ...retrieval.utterances import shipped_lines
from ...settings import DEFAULT_MODEL
from .prohibitions import sentences
from .structure import SourceSection

HOLDS: Final = 0.6
"""The mean score of a section's sentences from which on it belongs in the header."""
SITUATED: Final = 0.55
"""The score of a section's beginning from which on it holds in one situation only."""
_NEUTRAL: Final = (0.3, 2)
"""The score of so many sentences more: a short section needs plainer ones."""
_BEGINNING: Final = 2
"""Sentences that say, with the title, when a section holds."""


@dataclass(frozen=True, slots=True)
class SectionMeaning:
    """How far a section is about form or safety, and begins as if for one situation, in [0, 1]."""

    binds: float = 0.0
    situated: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class SectionReader:
    """Judges sections by three discriminants, of the vectors that ``encode`` gives."""

    encode: Callable[[Sequence[str]], Vectors]
    form: DomainClassifier
    safety: DomainClassifier
    situated: DomainClassifier

    def read(self, sections: Sequence[SourceSection]) -> dict[int, SectionMeaning]:
        """What each section means, by its identity."""
        texts = {id(section): sentences(section) for section in sections}
        titles = {id(section): [section.title] * bool(section.own and section.title)
                  for section in sections}
        wanted = [*dict.fromkeys(text for rows in (*texts.values(), *titles.values())
                                 for text in rows)]
        vectors = dict(zip(wanted, self.encode(wanted), strict=True))
        meanings: dict[int, SectionMeaning] = {}
        for key, rows in texts.items():
            scores = [max(self.form.score(vectors[row]), self.safety.score(vectors[row]))
                      for row in rows]
            score, count = _NEUTRAL
            beginning = [vectors[text] for text in (*titles[key], *rows[:_BEGINNING])]
            total = np.sum(beginning, axis=0) if rows else None
            meanings[key] = SectionMeaning() if total is None else SectionMeaning(
                (sum(scores) + score * count) / (len(rows) + count),
                self.situated.score(total / np.linalg.norm(total)))
        return meanings


@cache
def section_reader() -> SectionReader:
    """The discriminants of the shipped lines, fitted once a process."""
    encode = open_by_fingerprint(SHIPPED, find_bundle(SHIPPED, DEFAULT_MODEL) or "", 1).encode
    names = ("form", "safety", "situated", "neither")
    form, safety, situated, neither = (
        encode(shipped_lines(f"header/{name}.txt")) for name in names)

    def discriminant(lines: Vectors, *others: Vectors) -> DomainClassifier:
        return fit(OnTopic(lines, np.ones(len(lines))), np.concatenate([neither, *others]))

    return SectionReader(encode, discriminant(form, situated),
                         discriminant(safety, situated, form),
                         discriminant(situated, form, safety))
