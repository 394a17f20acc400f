"""What a build takes over from those before it: the served release, its vectors, its encoder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from ..errors import CorruptIndexError, EncoderError
from ..settings import Settings
from . import arrays, text_cache
from . import release_store as disk
from .dense import FILES, DenseLane
from .encoder import Encoder, Vectors, find_bundle, open_by_fingerprint
from .index import VectorCache

Progress = Callable[[str, int, int], None]


def served(shelf: Path) -> disk.Bundle | None:
    """The release that is served now, or None where there is none that loads."""
    try:
        name = disk.current(shelf)
        return disk.load(shelf, name) if name else None
    except CorruptIndexError:
        return None


def reuse(cache: VectorCache, bundle: disk.Bundle, encoder: Encoder) -> None:
    """Put the vectors of a release into ``cache``, where they are of that encoder."""
    if bundle.manifest.get("encoder") != encoder.fingerprint:
        return
    try:
        owners = arrays.from_bytes(bundle.files[FILES[1]])
        dense = DenseLane.load(bundle.files, int(owners.max(initial=0)) + 1)
        cache.add(dense.keys, dense.vectors())
    except (KeyError, ValueError, RuntimeError):
        return  # another format: everything is encoded anew


def is_current(settings: Settings, bundle: disk.Bundle, recipe: str, encoder: Encoder | None,
               ) -> bool:
    """Whether a release is what a build of ``recipe`` now would make. Loads no encoder."""
    if bundle.manifest.get("recipe") != recipe:
        return False
    name = str(bundle.manifest.get("encoder"))
    if encoder:
        return name == encoder.fingerprint
    held = find_bundle(settings.encoder_dir, settings.prompt_embed_model)
    if held is None and name.startswith("st-"):
        # A model that does not export has no bundle; loading it only to compare would cost torch.
        return bundle.manifest.get("model") == settings.prompt_embed_model
    return name == held


def open_encoder(settings: Settings, progress: Progress | None = None) -> Encoder:
    """The settings' encoder for a build, exported first where it is not yet, as progress tells.

    Raises:
        EncoderError: it neither exports nor loads on this machine.
    """
    # Imported only where something has to be encoded: it may bring torch.
    from .export import open_encoder as exported

    if progress and not find_bundle(settings.encoder_dir, settings.prompt_embed_model):
        progress(f"the encoder, exported once and kept in {settings.encoder_dir}", 0, 1)
    return exported(
        settings.encoder_dir, settings.prompt_embed_model, settings.prompt_encoder_threads
    )


def encoder_of(settings: Settings, fingerprint: str, model: str, given: Encoder | None,
               what: str, mend: str) -> Encoder:
    """The encoder that a release was built with, or ``given``, if it is that one.

    Raises:
        EncoderError: it is not on this machine, or ``given`` is another; ``what`` names the
            release and ``mend`` the command that builds it again.
    """
    if given is None:
        return open_by_fingerprint(
            settings.encoder_dir, fingerprint, model, settings.prompt_encoder_threads
        )
    if given.fingerprint != fingerprint:
        raise EncoderError(
            f"{what} was built with {fingerprint}, not with {given.fingerprint}; build again with "
            f"the same encoder: {mend}"
        )
    return given


def encode_texts(settings: Settings, texts: Sequence[str], encoder: Encoder, cache: VectorCache,
                 progress: Progress | None = None) -> Vectors:
    """The vectors of shipped texts, which ``cache`` then knows and every later build finds.

    ``progress`` is told (what is waited for, done, of).
    """
    folder = settings.encoder_dir / text_cache.SHELF
    stage = f"shipped texts, read once for this encoder and kept in {folder}"
    text_cache.recall(folder, encoder.fingerprint, cache)
    vectors, _ = cache.encode(texts, partial(progress, stage) if progress else None)
    text_cache.keep(folder, encoder.fingerprint, cache)
    return vectors
