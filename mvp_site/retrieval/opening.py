"""The encoder that an index was built with, opened by its fingerprint."""

from __future__ import annotations

from pathlib import Path

from ..errors import EncoderError
from .encoder import BUNDLE, Encoder, OnnxEncoder
from .releases.bundles import MANIFEST


def open_by_fingerprint(shelf: Path, fingerprint: str, model: str, threads: int, command: str,
                        ) -> Encoder:
    """The encoder that an index was built with; ``command`` builds that index again.

    Raises:
        EncoderError: it is neither on the shelf nor can sentence-transformers load it.
    """
    if fingerprint.startswith("st-"):
        from .export import open_sentence_transformers

        encoder = open_sentence_transformers(model, threads)
        if encoder.fingerprint != fingerprint:
            raise EncoderError(
                f"the index was built with {fingerprint} of {model!r}, and the model on this "
                f"machine is {encoder.fingerprint}; build again: {command}"
            )
        return encoder
    if not BUNDLE.match(fingerprint) or not (shelf / fingerprint / MANIFEST).exists():
        raise EncoderError(
            f"the encoder {fingerprint} that the index was built with is not under {shelf}; "
            "copy it beside the index, or export it: mvp-site encoder build"
        )
    return OnnxEncoder.open(shelf, fingerprint, threads)
