"""What a question calls for, learned from example questions: domains, and intentions in each.

Regularised least squares over a question's vector, its words and word pairs (the small ones too:
"did we" asks for notes, "do I" for a sheet) and what it names. The error of each example when it
is left out is known in closed form (Rifkin and Lippert 2007), so margins are scaled to chances
without a second fit: logistic for the domains (Platt 1999), a softmax for the intentions.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ..retrieval.encoder import Vectors
from ..retrieval.names import words
from ..retrieval.text import stem
from .types import DOMAINS, Domain

Matrix = npt.NDArray[np.float64]
WORDS: Final = 4_096
"""The places that words and pairs are hashed to."""
LEXICAL: Final = 0.7
FLAGS: Final = 0.3
"""What words and flags weigh beside the vector, of length 1."""
PENALTY: Final = 0.5
_STEPS: Final = 25
_TEMPERATURES: Final = np.geomspace(0.05, 1.0, 25)


def features(vectors: Vectors, texts: Sequence[str], flags: Sequence[Sequence[bool]]) -> Matrix:
    """A row a question: its vector, its words and pairs of length :data:`LEXICAL`, its flags."""
    rows = np.zeros((len(texts), WORDS))
    for row, text in zip(rows, texts, strict=True):
        said = ["^", *(stem(word) for word in words(text)), "$"]
        for one in (*said[1:-1], *map(" ".join, pairwise(said))):
            row[zlib.crc32(one.encode()) % WORDS] = 1.0
    rows *= LEXICAL / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1.0)
    named = np.asarray(flags, np.float64).reshape(len(texts), -1) * FLAGS
    return np.concatenate([vectors.astype(np.float64), rows, named, np.ones((len(texts), 1))], 1)


@dataclass(frozen=True, slots=True, eq=False)
class Need:
    """Whether a domain is needed: the chance is logistic in a question's margin."""

    weights: Matrix
    slope: float
    shift: float

    @classmethod
    def fit(cls, x: Matrix, wanted: npt.NDArray[np.bool_]) -> Need:
        """Learned of the rows ``x`` and whether each wants the domain."""
        weights, margins = _least_squares(x, np.where(wanted, 1.0, -1.0)[:, None])
        known = np.stack([margins[:, 0], np.ones(len(x))], 1)
        scale = np.zeros(2)
        for _ in range(_STEPS):  # Newton's method; the ridge is for sets that are told apart
            chance = _logistic(known @ scale)
            curve = (known * (chance * (1 - chance))[:, None]).T @ known + 0.1 * np.eye(2)
            scale -= np.linalg.solve(curve, known.T @ (chance - wanted) + 0.1 * scale)
        return cls(weights[:, 0], float(scale[0]), float(scale[1]))

    def chance(self, row: Matrix) -> float:
        """The chance in (0, 1) that the question of a row of features wants the domain."""
        return float(_logistic(self.slope * float(row @ self.weights) + self.shift))


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """Which intention it is: the chances are a softmax of a question's margins."""

    names: tuple[str, ...]
    weights: Matrix
    temperature: float

    @classmethod
    def fit(cls, x: Matrix, wanted: Sequence[str]) -> Choice:
        """Learned of the rows ``x`` and the name that each is an example of."""
        names = tuple(dict.fromkeys(wanted))
        right = np.asarray([names.index(name) for name in wanted])
        is_right = np.arange(len(names)) == right[:, None]
        weights, margins = _least_squares(x, np.where(is_right, 1.0, -1.0))
        likelihood = [
            float(np.log(_softmax(margins / t)[is_right] + 1e-9).sum()) for t in _TEMPERATURES
        ]
        return cls(names, weights, float(_TEMPERATURES[int(np.argmax(likelihood))]))

    def chances(self, row: Matrix) -> Mapping[str, float]:
        """The names by (-chance, name); the chances sum to 1."""
        found = _softmax((row @ self.weights)[None] / self.temperature)[0]
        pairs = zip(self.names, found.tolist(), strict=True)
        return dict(sorted(pairs, key=lambda one: (-one[1], one[0])))


@dataclass(frozen=True, slots=True, eq=False)
class Classifier:
    """Each domain's need, and its intentions where it has some."""

    needs: Mapping[Domain, Need]
    choices: Mapping[Domain, Choice]

    @classmethod
    def fit(cls, x: Matrix, examples: Sequence[Mapping[Domain, str]]) -> Classifier:
        """Learned of the rows ``x``, and for each the intentions of the domains that it needs."""
        needs, choices = {}, {}
        for domain in DOMAINS:
            wanted = np.asarray([domain in one for one in examples])
            if wanted.any() and not wanted.all():
                needs[domain] = Need.fit(x, wanted)
            if names := [one[domain] for one in examples if one.get(domain)]:
                choices[domain] = Choice.fit(x[wanted], names)
        return cls(needs, choices)


def _least_squares(x: Matrix, y: Matrix) -> tuple[Matrix, Matrix]:
    """The weights, and for each row the margins of a fit without it."""
    inverse = np.linalg.inv(x @ x.T + PENALTY * np.eye(len(x)))
    dual = inverse @ y
    return x.T @ dual, y - dual / np.diag(inverse)[:, None]


def _logistic(margin: Any) -> Any:
    return 1 / (1 + np.exp(-np.clip(margin, -30, 30)))


def _softmax(scores: Matrix) -> Matrix:
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))
