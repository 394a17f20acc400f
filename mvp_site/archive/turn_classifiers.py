"""What the vector of a turn alone tells, as fitted at build on shipped lines.

How far it is about the game. Whether a short turn ("yes", "how much?") leans on the last exchange,
with which it is then searched, or names something of its own ("draw my sword", "which model are
you?"). Whether an exchange calls for a rule (a bargain, a risk, a wound) or is quiet: the floor of
turns that lean is set on the quiet ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ..retrieval import arrays
from ..retrieval.discriminant import Discriminant, OnTopic, fit, out_of_fold
from ..retrieval.encoder import Vector, Vectors
from ..retrieval.query_expansion import QueryExpansion
from ..retrieval.topic_files import exchanges, load_off_topic, shipped_lines, situations
from ..text.languages import ENGLISH, Language
from ..text.normalising import content_words, normalise
from .binary_classifier import Contrast

CLASSIFIERS: Final = ("leans.npy", "calls.npy")
EXAMPLES: Final = ("off_topic.npy", "leaning_lines.npy", "short_off_topic.npy")
SHORT: Final = 8
"""The most words of a turn that may lean."""
OWN: Final = 3
"""The most of them that are no stop words."""
LEANS: Final = 0.4
"""The score from which on it does."""


@dataclass(frozen=True, slots=True, eq=False)
class TurnClassifiers:
    """``about_game`` judges a turn's vector, ``leans`` a short turn's, the last an exchange's."""

    about_game: Contrast
    leans: Contrast
    calls_for_rule: Discriminant

    def is_leaning(self, vector: Vector) -> bool:
        """Whether a short turn leans on what was said."""
        return self.leans.score(vector) >= LEANS

    def dump(self) -> dict[str, bytes]:
        """All of it as files, but for what the query expansion has."""
        classifiers = (self.leans.classifier.weights, self.calls_for_rule.weights)
        examples = (self.about_game.off, self.leans.on, self.leans.off)
        return {
            **{name: arrays.to_bytes(weights)
               for name, weights in zip(CLASSIFIERS, classifiers, strict=True)},
            **{name: arrays.to_bytes(vectors.astype(np.float16))
               for name, vectors in zip(EXAMPLES, examples, strict=True)},
        }

    @classmethod
    def load(cls, files: Mapping[str, bytes], expansion: QueryExpansion) -> TurnClassifiers:
        """From the files of :meth:`dump`, and the query expansion beside them."""
        leans, calls = (Discriminant(arrays.from_bytes(files[name])) for name in CLASSIFIERS)
        off_topic, lines, short_ones = (
            np.ascontiguousarray(arrays.from_bytes(files[name]), np.float32) for name in EXAMPLES)
        return cls(Contrast(expansion.topicality, expansion.wordings, off_topic),
                   Contrast(leans, lines, short_ones), calls)


def lines() -> list[str]:
    """All shipped lines that are fitted on, normalised."""
    return [normalise(line) for group in groups() for line in group]


def quiet() -> list[str]:
    """The exchanges that call for no rule, normalised."""
    return [normalise(line) for line in groups()[-1]]


def build(encode: Callable[[Sequence[str]], Vectors], expansion: QueryExpansion,
          probes: Sequence[str], off_topic: Vectors) -> tuple[TurnClassifiers, list[float]]:
    """All of it, and how far each quiet exchange calls for a rule, as judged unseen.

    ``off_topic`` are the vectors of the off-topic ``probes``.
    """
    lean, names, calls, calm = (encode([normalise(line) for line in group]) for group in groups())
    leans, calling = (fit(OnTopic(on, np.ones(len(on))), off)
                      for on, off in ((lean, names), (calls, calm)))
    unseen = out_of_fold(OnTopic(calls, np.ones(len(calls))), calm, calling)
    few = off_topic[[*map(short, probes)]]
    return TurnClassifiers(Contrast(expansion.topicality, expansion.wordings, off_topic),
                           Contrast(leans, lean, few), calling), unseen


def short(text: str, language: Language = ENGLISH) -> bool:
    """Whether a text is short enough to lean on what was said."""
    return len(text.split()) <= SHORT and len(content_words(text, language)) <= OWN


def groups() -> tuple[tuple[str, ...], ...]:
    """What leans and what does not, what calls and what is quiet."""
    spoken = (line for topic in situations() for line in topic.says)
    names = filter(short, (*spoken, *load_off_topic(), *load_off_topic("talk")))
    return shipped_lines("leaning.txt"), tuple(names), exchanges("calls"), exchanges("quiet")
