"""The local router's fit on the shipped examples over the shipped encoder, as package data.

``scripts/evaluate routers --fit`` makes it. Where the examples or the encoder are others, the
router is fitted when it is first opened (:mod:`.question_classifier`).
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any, Final
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from ..retrieval.encoder import Vectors
from ..utterances import FOLDER
from .question_classifier import FIT, Classifier, features

FILE: Final = "router.npz"
_LEVELS: Final = 127
_log = logging.getLogger("mvp_site.engine")


@dataclass(frozen=True, slots=True, eq=False)
class ExampleRows:
    """What the rows of examples are made of.

    ``texts`` are the distinct readings with their ``vectors`` of unit length, ``readings`` the two
    of each example by their place among them, and ``flags`` what it names.
    """

    texts: Sequence[str]
    vectors: Vectors
    readings: npt.NDArray[np.int32]
    flags: npt.NDArray[np.bool_]

    def rows(self) -> Vectors:
        """A row an example (:func:`.features`)."""
        first, second = self.readings.T
        return features((self.vectors[first], self.vectors[second]),
                        [self.texts[place] for place in first], self.flags.tolist())

    def coarse(self) -> ExampleRows:
        """The same with vectors of a byte a number, which is what is shipped."""
        steps, scale = _bytes(self.vectors)
        return ExampleRows(self.texts, steps * scale, self.readings, self.flags)


def recipe_of(encoder: str, examples: object) -> str:
    """A name of what a fit follows from: the encoder's fingerprint, and the examples."""
    identity = json.dumps([FIT, encoder, examples], ensure_ascii=False)
    return hashlib.blake2b(identity.encode(), digest_size=16).hexdigest()


def dump(recipe: str, examples: ExampleRows, classifier: Classifier) -> bytes:
    """A fit with the rows that it is of, as ``.npz``; each part has a checksum."""
    steps, scale = _bytes(examples.vectors)
    small: dict[str, Any] = {
        key: value.astype(np.float16) if value.ndim and key.rpartition(".")[2] in
        {"need", "margins", "asked"} else value for key, value in classifier.fitted.items()}
    texts = np.frombuffer(json.dumps([*examples.texts], ensure_ascii=False).encode(), np.uint8)
    content = BytesIO()
    small |= {"/recipe": np.asarray(recipe), "/vectors": steps, "/scale": scale, "/texts": texts,
              "/readings": examples.readings, "/flags": examples.flags}
    np.savez_compressed(content, **small)
    return content.getvalue()


def shipped_fit(recipe: str) -> Classifier | None:
    """The shipped fit, None where it is damaged or of another recipe."""
    arrays: dict[str, Any] = {}
    try:
        with np.load(BytesIO(FOLDER.joinpath(FILE).read_bytes()), allow_pickle=False) as file:
            if str(file["/recipe"]) != recipe:
                return None
            arrays = dict(file)
    except (OSError, ValueError, EOFError, KeyError, BadZipFile) as error:
        _log.warning("the shipped fit %s cannot be read (%s); the router is fitted anew",
                     FILE, error)
        return None
    examples = ExampleRows(
        json.loads(arrays["/texts"].tobytes()),
        arrays["/vectors"].astype(np.float32) * arrays["/scale"], arrays["/readings"],
        arrays["/flags"])
    return Classifier(examples.rows(), {
        key: value.astype(np.float64) if value.dtype == np.float16 else value
        for key, value in arrays.items() if key[0] != "/"})


def _bytes(vectors: Vectors) -> tuple[npt.NDArray[np.int8], np.float32]:
    """Vectors in whole steps of a byte, and what a step is."""
    scale = np.float32(np.abs(vectors).max() / _LEVELS)
    return np.rint(vectors / scale).astype(np.int8), scale
