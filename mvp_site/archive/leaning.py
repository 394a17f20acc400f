"""Turns that lean on what was said, and whether that calls for a rule: from vectors alone.

A turn such as "yes" or "how much?" is searched with the last exchange. Two discriminants are fitted
at build on shipped lines: whether a short turn leans on the exchange or names something of its own
("draw my sword", "which model are you?"), and whether an exchange calls for a rule (a bargain, a
risk, a wound) or is quiet. The floor of such turns is set on the quiet exchanges.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ..retrieval import arrays
from ..retrieval.domain_classifier import DomainClassifier, OnTopic, fit, out_of_fold
from ..retrieval.encoder import Vector, Vectors
from ..retrieval.utterances import exchanges, load_off_topic, shipped_lines, situations
from ..text.languages import ENGLISH, Language
from ..text.normalising import content_words, normalise

FILES: Final = ("leans.npy", "calls.npy")
SHORT: Final = 8
"""The most words of a turn that may lean."""
OWN: Final = 3
"""The most of them that are no stop words."""
LEANS: Final = 0.4
"""The score from which on it does."""


@dataclass(frozen=True, slots=True, eq=False)
class Leaning:
    """``leans`` judges the vector of a short turn, ``calls`` that of the last exchange."""

    leans: DomainClassifier
    calls: DomainClassifier

    def leaning(self, vector: Vector) -> bool:
        """Whether a short turn leans on what was said."""
        return self.leans.score(vector) >= LEANS

    def dump(self) -> dict[str, bytes]:
        """Both as files."""
        return {name: arrays.to_bytes(part.weights)
                for name, part in zip(FILES, (self.leans, self.calls), strict=True)}

    @classmethod
    def load(cls, files: Mapping[str, bytes]) -> Leaning:
        """Both from the files of :meth:`dump`."""
        return cls(*(DomainClassifier(arrays.from_bytes(files[name])) for name in FILES))


def lines() -> list[str]:
    """All shipped lines that are fitted on, normalised."""
    return [normalise(line) for group in groups() for line in group]


def quiet() -> list[str]:
    """The exchanges that call for no rule, normalised."""
    return [normalise(line) for line in groups()[-1]]


def build(encode: Callable[[Sequence[str]], Vectors]) -> tuple[Leaning, list[float]]:
    """The discriminants, and how far each quiet exchange calls for a rule, as judged unseen."""
    lean, names, calls, calm = (encode([normalise(line) for line in group]) for group in groups())
    leans, calling = (fit(OnTopic(on, np.ones(len(on))), off)
                      for on, off in ((lean, names), (calls, calm)))
    unseen = out_of_fold(OnTopic(calls, np.ones(len(calls))), calm, calling)
    return Leaning(leans, calling), unseen


def short(text: str, language: Language = ENGLISH) -> bool:
    """Whether a text is short enough to lean on what was said."""
    return len(text.split()) <= SHORT and len(content_words(text, language)) <= OWN


def groups() -> tuple[tuple[str, ...], ...]:
    """What leans and what does not, what calls and what is quiet."""
    spoken = (line for topic in situations() for line in topic.says)
    names = filter(short, (*spoken, *load_off_topic(), *load_off_topic("talk")))
    return shipped_lines("leaning.txt"), tuple(names), exchanges("calls"), exchanges("quiet")
