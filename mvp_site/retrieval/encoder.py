"""Text to unit vectors: the exported ONNX encoder.

A bundle holds the graph (pooling and normalisation inside), the tokenizer and a manifest. That of
the shipped model is in the package (``mvp_site/encoder/``); others stand under
``data/encoder/<fingerprint>/``. Neither builds nor turns need more: no torch, no model package.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from ..errors import EncoderError
from ..releases.bundles import MANIFEST, read_bundle
from ..settings import DEFAULT_MODEL
from ..text.normalising import clean
from . import multilingual

Vector = npt.NDArray[np.float32]
Vectors = npt.NDArray[np.float32]
GRAPH: Final = "model.onnx"
TOKENIZER: Final = "tokenizer.json"
BATCH: Final = 32
SPREAD: Final = 16
SHIPPED: Final = Path(__file__).parents[1] / "encoder"
"""The shelf of the package, which has the bundle of the shipped model."""
INSTALL: Final = "pip install 'PATH[train]'  # PATH: a checkout of mvp-site"
"""What an environment needs besides that exports or trains models."""
MEND: Final = "export it again: mvp-site encoder build"
CHARS_PER_PIECE: Final = 16
WORDS: Final = 1_000
"""Pieces of a script that a vocabulary has words of: an English one has under 500 of any other."""
BUNDLE: Final = re.compile(r"onnx-[0-9a-f]{16}\Z")
_WORDS: Final = re.compile(r"\w{3,}")
_log = logging.getLogger("mvp_site.encoder")


class Encoder(Protocol):
    """What turns text into vectors. Implementations are thread-safe.

    ``fingerprint`` names the model, its weights and the way they are run: vectors of one
    fingerprint can be compared. ``dimension`` is the length of a vector. ``window`` is how many
    word pieces of a text the model reads, special pieces included.
    """

    fingerprint: str
    dimension: int
    window: int

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of shape (len(texts), dimension), float32."""
        ...

    def pieces(self, text: str) -> int:
        """The number of word pieces of ``text``, special pieces left out, never truncated."""
        ...

    def reads(self, text: str) -> bool:
        """Whether its vector of ``text`` means anything: it knows the script of most of it."""
        ...


def failure(error: Exception, text: str) -> str:
    """The error's name and message; the name alone where the message quotes the query's text."""
    name, message = type(error).__name__, str(error)
    quoted = set(_WORDS.findall(text.casefold())) & set(_WORDS.findall(message.casefold()))
    return name if quoted or not message else f"{name}: {message}"


class OnnxEncoder:
    """The encoder of an exported bundle, run by ``onnxruntime`` on a fixed number of threads."""

    def __init__(self, session: Any, tokenizer: Any, manifest: dict[str, Any], name: str) -> None:
        self._session = session
        self._tokenizer = tokenizer
        self.fingerprint = name
        self.dimension = int(manifest["dimension"])
        self.window = int(manifest["window"])
        self._scripts: frozenset[str] | None = None

    @classmethod
    def open(cls, shelf: Path, name: str, threads: int = 1) -> OnnxEncoder:
        """The encoder of bundle ``name``, its files verified.

        Raises:
            CorruptIndexError: a file of the bundle is missing or altered.
        """
        import onnxruntime
        from tokenizers import Tokenizer

        # The graph is opened by its path: from bytes it would be in memory three times.
        mend = "install mvp-site again" if shelf == SHIPPED else MEND
        bundle = read_bundle(shelf, name, mend, on_disk=(GRAPH,))
        options = onnxruntime.SessionOptions()
        # Default threads on a busy machine cost twenty times one pinned thread.
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        # Products of 8 bits overflow on processors without VNNI unless this is set; the vectors
        # there were at a cosine of .98 to those of others.
        options.add_session_config_entry("session.x64quantprecision", "1")
        session = onnxruntime.InferenceSession(
            str(shelf / name / GRAPH), options, providers=["CPUExecutionProvider"]
        )
        tokenizer = Tokenizer.from_str(bundle.files[TOKENIZER].decode())
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return cls(session, tokenizer, dict(bundle.manifest), name)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors; a text's vector is the same to the bit whatever stands beside it.

        Padding and batch size change the last bits of a vector, and with them an index's bytes.
        One at a time costs a single thread nothing; many texts are spread over the cores.
        """
        if not texts:
            return np.empty((0, self.dimension), np.float32)
        if len(texts) < SPREAD:
            return np.stack([self._vector(text) for text in texts])
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            return np.stack(list(pool.map(self._vector, texts)))

    def _vector(self, text: str) -> Vector:
        ids = np.asarray([self._ids(text)], np.int64)
        fed = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
        vector: Vector = self._session.run(None, fed)[0][0]
        return vector

    def _ids(self, text: str) -> list[int]:
        # A word piece has at least one character: a longer text is cut before it is tokenized.
        text = " ".join(clean(text).split())
        encoded = self._tokenizer.encode(text[: self.window * CHARS_PER_PIECE])
        ids: list[int] = encoded.ids
        return ids if len(ids) <= self.window else [*ids[: self.window - 1], ids[-1]]

    def pieces(self, text: str) -> int:
        """The number of word pieces of ``text``."""
        return len(self._tokenizer.encode(clean(text), add_special_tokens=False).ids)

    def reads(self, text: str) -> bool:
        """Whether most of a text's letters are of scripts that the vocabulary has words of."""
        if text.isascii():
            return any(map(str.isalnum, text))
        if self._scripts is None:
            counts = Counter(script_of(letter) for piece in self._tokenizer.get_vocab()
                             for letter in [next(filter(str.isalpha, piece), "")] if letter)
            self._scripts = frozenset(name for name, count in counts.items() if count >= WORDS)
        letters = [script_of(letter) for letter in text if letter.isalnum()]
        return 2 * sum(script in self._scripts for script in letters) > len(letters)


def script_of(letter: str) -> str:
    """The script of a letter or digit, as its Unicode name begins ("LATIN", "CJK")."""
    return "LATIN" if letter.isascii() else unicodedata.name(letter, "?").partition(" ")[0]


def open_by_fingerprint(shelf: Path, fingerprint: str, threads: int) -> Encoder:
    """The encoder that an index was built with.

    Raises:
        EncoderError: it is not on the shelf, or not installed.
    """
    if multilingual.is_multilingual(fingerprint):
        return multilingual.open_multilingual(fingerprint, threads)
    if BUNDLE.match(fingerprint) and (SHIPPED / fingerprint / MANIFEST).is_file():
        shelf = SHIPPED
    if not BUNDLE.match(fingerprint) or not (shelf / fingerprint / MANIFEST).exists():
        raise EncoderError(
            f"the encoder {fingerprint} that the index was built with is not under {shelf}; "
            "copy it there, or build the index again"
        )
    return OnnxEncoder.open(shelf, fingerprint, threads)


def knows(fingerprint: str, languages: Sequence[str]) -> bool:
    """Whether an encoder knows the first of some languages; the shipped one knows English alone."""
    return languages[0] == "en" or not (SHIPPED / fingerprint / MANIFEST).is_file()


def find_bundle(shelf: Path, model: str) -> str | None:
    """The name of the bundle of ``model``, or None: the package's, or the one exported last.

    Of the multilingual one it is the fingerprint, as long as its extra is installed.

    One pointer a model, so that a model exported anew replaces itself.
    """
    if model == DEFAULT_MODEL:
        return next(path.name for path in SHIPPED.iterdir() if BUNDLE.match(path.name))
    if model == multilingual.MODEL:
        return multilingual.installed()
    try:
        name = pointer(shelf, model).read_bytes()[:64].decode("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None
    return name if BUNDLE.match(name) and (shelf / name / MANIFEST).is_file() else None


def pointer(shelf: Path, model: str) -> Path:
    """The file that names the bundle of ``model``.

    Its name has letters, digits, dots and dashes, and a digest of the whole.
    """
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "-.") else "-" for c in model)
    mark = hashlib.sha256(model.encode()).hexdigest()[:8]
    return shelf / f"{plain[-48:].strip('-.')}-{mark}.bundle"
