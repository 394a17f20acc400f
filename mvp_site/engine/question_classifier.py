"""What a question calls for, learned from example questions: domains, and intentions in each.

Regularised least squares under a Gaussian kernel over a question's vectors, its words and word
pairs (the small ones too: "did we" asks for notes, "do I" for a sheet) and what it names. The error
of each example when it is left out is known in closed form (Rifkin and Lippert 2007), and scales
a domain's margin to a chance (Platt 1999).
"""

from __future__ import annotations

import hashlib
import json
import logging
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any, Final
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from ..releases.durable_write import replace_file
from ..retrieval.encoder import Vectors
from ..text.languages import stem
from ..text.names import words
from .types import DOMAINS, Domain

Matrix = npt.NDArray[np.float64]
WORDS: Final = 2_048
"""The places that words and pairs are hashed to, and as many that letters are."""
LEXICAL: Final = 0.8
LETTERS: Final = 0.5
FLAGS: Final = 0.2
"""What words, their letters, and what is named, weigh beside vectors of length 1."""
GRAMS: Final = (3, 4)
"""The lengths of runs of letters, by which a mistyped word is still like the right one."""
PENALTY: Final = 0.1
ASKED: Final = -0.4
"""The margin from which on a question asks for a thing: best on examples that are left out."""
_STEPS: Final = 25
FIT: Final = 3
"""Raised whenever the same rows and examples are learned from in another way."""
_FITS: Final = 8
"""How many fits stay in a folder: the newest ones, of the releases and encoders in use."""
_log = logging.getLogger("mvp_site.engine")


def features(vectors: Sequence[Vectors], texts: Sequence[str], flags: Sequence[Sequence[bool]],
             ) -> Vectors:
    """A row a question: vectors, of length 1 together, words and pairs, runs of letters, flags."""
    size = sum(vector.shape[1] for vector in vectors)
    rows = np.zeros((len(texts), size + 2 * WORDS + len(flags[0])), np.float32)
    for vector, start in zip(vectors, range(0, size, size // len(vectors)), strict=True):
        rows[:, start:start + vector.shape[1]] = vector * np.float32(len(vectors) ** -0.5)
    rows[:, size + 2 * WORDS:] = np.asarray(flags, np.float32) * np.float32(FLAGS)
    for row, text in zip(rows[:, size:], texts, strict=True):
        plain = words(text)
        stems = ["^", *(stem(word) for word in plain), "$"]
        places = {*map(_place, (*stems[1:-1], *map(" ".join, pairwise(stems))))}
        row[[*places]] = LEXICAL * len(places) ** -0.5
        runs = Counter(place for word in plain for place in _runs(word))
        row[[WORDS + place for place in runs]] = np.sqrt(
            np.asarray([*runs.values()])) * LETTERS * max(runs.total(), 1) ** -0.5
    return rows


def _place(term: str) -> int:
    return zlib.crc32(term.encode()) % WORDS


@lru_cache(2**14)
def _runs(word: str) -> tuple[int, ...]:
    """The places of the runs of letters of a word."""
    whole = f"<{word}>"
    return tuple(_place(whole[at:at + size])
                 for size in GRAMS for at in range(len(whole) - size + 1))


@dataclass(frozen=True, slots=True)
class Judgement:
    """How far a question needs a domain, as the logarithm of the odds; intentions by margin.

    ``asks`` is what of it the question asks for ("armor class"), '' for none of the usual things.
    """

    odds: float
    margins: Mapping[str, float]
    asks: str = ""

    @property
    def chance(self) -> float:
        """The chance, in [0, 1], that the domain is needed."""
        return float(_logistic(self.odds))

    @property
    def likely(self) -> tuple[str, ...]:
        """The intentions, the likeliest first."""
        return tuple(sorted(self.margins, key=lambda name: -self.margins[name]))


@dataclass(frozen=True, slots=True, eq=False)
class Classifier:
    """The examples' ``rows``, and what was learned of them, by domain.

    ``fitted`` has ``D.need``, the weights of a need's margin, and ``D.scale``, slope and shift of
    its chance; where the domain D has intentions, ``D.names`` and ``D.margins``, their weights,
    and where examples say what of it they ask for, ``D.asks`` and ``D.asked`` alike.
    """

    rows: Vectors
    fitted: Mapping[str, Any]

    @classmethod
    def fit(cls, rows: Vectors, examples: Sequence[Mapping[Domain, str]],
            asks: Sequence[str]) -> Classifier:
        """Learned of rows: the intentions of each row's domains, and what each asks."""
        near = alike(rows, rows)
        targets = np.asarray([[domain in example for domain in DOMAINS] for example in examples])
        weights, margins = _least_squares(near, np.where(targets, 1.0, -1.0))
        fitted: dict[str, Any] = {}
        for n, domain in enumerate(DOMAINS):
            if targets[:, n].any() and not targets[:, n].all():
                fitted[f"{domain}.need"] = weights[:, n].copy()
                fitted[f"{domain}.scale"] = _scale(margins[:, n], targets[:, n])
            own = np.asarray([bool(example.get(domain)) for example in examples])
            if not own.any():
                continue
            labels = [[example[domain] for example in examples if example.get(domain)],
                      [label for label, of in zip(asks, own, strict=True) if of]]
            tables = [tuple(filter(None, dict.fromkeys(of))) for of in labels]
            right = np.asarray([[label == name for label, names in zip(row, tables, strict=True)
                                 for name in names] for row in zip(*labels, strict=True)])
            weights_of, _ = _least_squares(near[np.ix_(own, own)], np.where(right, 1.0, -1.0))
            every = np.zeros((len(rows), right.shape[1]))
            every[own] = weights_of
            fitted |= {f"{domain}.names": np.asarray(tables[0]),
                       f"{domain}.asks": np.asarray(tables[1]),
                       f"{domain}.margins": every[:, :len(tables[0])],
                       f"{domain}.asked": every[:, len(tables[0]):]}
        return cls(rows, fitted)

    @classmethod
    def kept(cls, folder: Path, rows: Vectors, examples: Sequence[Mapping[Domain, str]],
             asks: Sequence[str]) -> Classifier:
        """:meth:`fit`, done once for these rows and examples and kept in ``folder``."""
        identity = json.dumps([FIT, rows.shape, [dict(example) for example in examples],
                               [*asks]]).encode()
        digest = hashlib.blake2b(identity, digest_size=16)
        digest.update(np.ascontiguousarray(rows).data)
        file = folder / f"{digest.hexdigest()}.npz"
        if file.is_file():
            try:
                with np.load(BytesIO(file.read_bytes()), allow_pickle=False) as arrays:
                    return cls(rows, dict(arrays))
            except (OSError, ValueError, EOFError, BadZipFile):
                _log.warning("%s is damaged and is made anew", file)
        classifier, content = cls.fit(rows, examples, asks), BytesIO()
        np.savez(content, **classifier.fitted)
        with suppress(OSError):  # a folder that cannot be written costs the next start the fit
            folder.mkdir(parents=True, exist_ok=True)
            replace_file(file, content.getvalue())
            fits = sorted(folder.glob("*.npz"), key=lambda fit: fit.stat().st_mtime_ns)
            for older in fits[:-_FITS]:
                older.unlink()
        return classifier

    def judged(self, row: Vectors) -> dict[Domain, Judgement]:
        """For each domain how far a question needs it, and each intention's margin."""
        near, fitted = alike(row, self.rows)[0], self.fitted
        judgements: dict[Domain, Judgement] = {}
        for domain in (domain for domain in DOMAINS if f"{domain}.need" in fitted):
            slope, shift = map(float, fitted[f"{domain}.scale"])
            margins, asks = ({
                str(name): float(margin) for name, margin in zip(
                    fitted[f"{domain}.{names}"], near @ fitted[f"{domain}.{weights}"], strict=True)
            } if f"{domain}.{names}" in fitted else {}
                for names, weights in (("names", "margins"), ("asks", "asked")))
            judgements[domain] = Judgement(
                slope * float(near @ fitted[f"{domain}.need"]) + shift, margins,
                max((name for name in asks if asks[name] >= ASKED), key=lambda name: asks[name],
                    default=""))
        return judgements


def alike(rows: Vectors, other: Vectors, narrow: float = 1.0) -> Matrix:
    """How alike questions are, in (0, 1]: a Gaussian, ``narrow`` times as steep, of distance."""
    squares = [np.einsum("ij,ij->i", x, x) for x in (rows, other)]
    distances = squares[0][:, None] + squares[1] - 2 * (rows @ other.T)
    return np.asarray(np.exp(-narrow * distances / 2), np.float64)


def _least_squares(near: Matrix, targets: Matrix) -> tuple[Matrix, Matrix]:
    """The weights of the examples, and for each the margins of a fit without it."""
    inverse = np.linalg.inv(near + PENALTY * np.eye(len(near)))
    weights = inverse @ targets
    return weights, targets - weights / np.diag(inverse)[:, None]


def _scale(margins: Matrix, targets: npt.NDArray[np.bool_]) -> Matrix:
    """Slope and shift of the chance that is logistic in a margin."""
    design, scale = np.stack([margins, np.ones(len(margins))], 1), np.zeros(2)
    for _ in range(_STEPS):  # Newton's method, a little regularised
        chance = _logistic(design @ scale)
        curve = (design * (chance * (1 - chance))[:, None]).T @ design + 0.1 * np.eye(2)
        scale -= np.linalg.solve(curve, design.T @ (chance - targets) + 0.1 * scale)
    return scale


def _logistic(margin: Any) -> Any:
    return 1 / (1 + np.exp(-np.clip(margin, -30, 30)))
