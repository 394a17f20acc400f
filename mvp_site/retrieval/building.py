"""Building a release: what a build takes over from those before it, and what it does anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeVar

from ..errors import CorruptIndexError, EncoderError, MissingIndexError
from ..releases.bundles import Bundle, building, is_whole
from ..releases.store import ReleaseStore
from ..settings import DEFAULT_MODEL, Settings
from . import arrays, multilingual, text_cache
from .dense import FILES, DenseLane
from .encoder import Encoder, find_bundle, open_by_fingerprint
from .index import VectorCache

Progress = Callable[[str, int, int], None]
Content = tuple[Mapping[str, Any], Mapping[str, bytes]]
"""The manifest and the files of a release."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Built:
    """The release that stands after a build; ``encoded`` texts were encoded for it.

    ``built`` is False where there was nothing to do.
    """

    name: str
    manifest: Mapping[str, Any]
    built: bool = False
    encoded: int = 0


def build_release(  # noqa: PLR0913 - the steps of a build, each a function
    settings: Settings, store: ReleaseStore, recipe: str, *, read: Callable[[], T],
    index: Callable[[T, Encoder, VectorCache], Content], texts: Sequence[str],
    stands: Callable[[Bundle], bool] = lambda _: True,
    around: Callable[[Content], AbstractContextManager[Content]] = nullcontext,
    kept: int = 4, force: bool = False, encoder: Encoder | None = None, progress: Progress,
) -> Built:
    """Build and publish a release, unless the served one is what would be built.

    ``recipe`` is the digest of all that the content follows from, but for the encoder. ``read``
    gives what is indexed, ``index`` makes a release of it. ``texts`` are the shipped texts that
    are encoded with it. ``stands`` tells whether all that the served release needs elsewhere is
    still there, and ``around`` writes it there and cleans up after publishing. Only text that no
    kept release has encoded is encoded; ``force`` encodes all but the shipped texts anew.

    Raises:
        EncoderError: there is no encoder.
        BuildError: another build holds the lock, or the release cannot be written.
    """
    with building(store.folder):
        if not force:
            with suppress(CorruptIndexError, MissingIndexError):
                served = store.load()
                if _is_current(settings, served, recipe, encoder) and stands(served):
                    return Built(served.name, served.manifest)
                del served  # a large release's files have no room beside the new ones
        material = read()
        own = encoder or open_encoder(settings, progress)
        cache = VectorCache(own)
        if not force:
            for bundle in store.loadable():
                _reuse(cache, bundle, own)
                del bundle
        encode_texts(settings, texts, own, cache, progress)
        with around(index(material, own, cache)) as (manifest, files):
            name = store.publish(manifest, files, kept)
        progress("published", 1, 1)
    return Built(name, manifest, built=True, encoded=cache.encoded)


def _reuse(cache: VectorCache, bundle: Bundle, encoder: Encoder) -> None:
    """Put the vectors of a release into ``cache``, where they are of that encoder."""
    if bundle.manifest.get("encoder") != encoder.fingerprint:
        return
    try:
        owners = arrays.from_bytes(bundle.files[FILES[1]])
        dense = DenseLane.load(bundle.files, int(owners.max(initial=0)) + 1)
        cache.add(dense.keys, dense.vectors())
    except (KeyError, ValueError, RuntimeError):
        return  # another format: everything is encoded anew


def _is_current(settings: Settings, bundle: Bundle, recipe: str, encoder: Encoder | None) -> bool:
    """Whether a release is what a build of ``recipe`` now would make. Loads no encoder."""
    if bundle.manifest.get("recipe") != recipe:
        return False
    name = str(bundle.manifest.get("encoder"))
    if encoder:
        return name == encoder.fingerprint
    built = find_bundle(settings.encoder_dir, settings.prompt_embed_model)
    return name == built


def open_encoder(settings: Settings, progress: Progress | None = None) -> Encoder:
    """The settings' encoder for a build; another model than the shipped is exported first.

    ``progress`` is told of that.

    Raises:
        EncoderError: it neither exports nor loads on this machine.
    """
    shelf, model = settings.encoder_dir, settings.prompt_embed_model
    threads = settings.prompt_encoder_threads
    name = find_bundle(shelf, model)
    if model == multilingual.MODEL:
        return multilingual.open_multilingual(name or "", threads)
    if name is None or (model != DEFAULT_MODEL and not is_whole(shelf, name)):
        if progress and find_spec("sentence_transformers"):
            progress(f"the encoder, exported once and kept in {shelf}", 0, 1)
        # By name and only here: nothing that serves imports what makes encoders.
        name = str(import_module("...training.export", __name__).export_bundle(shelf, model,
                                                                           threads=threads))
    return open_by_fingerprint(shelf, name, threads)


def encoder_of(settings: Settings, store: ReleaseStore, bundle: Bundle, encoder: Encoder | None,
               ) -> Encoder:
    """The encoder that a release was built with, or ``encoder``, if it is that one.

    Raises:
        EncoderError: it is not on this machine, or ``encoder`` is another.
    """
    fingerprint = str(bundle.manifest["encoder"])
    if encoder is None:
        return open_by_fingerprint(settings.encoder_dir, fingerprint,
                                   settings.prompt_encoder_threads)
    if encoder.fingerprint != fingerprint:
        raise EncoderError(
            f"release {bundle.name} of {store.what} was built with {fingerprint}, not with "
            f"{encoder.fingerprint}; build again with the same encoder: {store.command}"
        )
    return encoder


def window_count(files: Mapping[str, bytes]) -> int:
    """How many windows the files of a release hold."""
    return len(arrays.from_bytes(files[FILES[1]]))


def encode_texts(settings: Settings, texts: Sequence[str], encoder: Encoder, cache: VectorCache,
                 progress: Progress | None = None) -> None:
    """Encode shipped texts, which ``cache`` then knows and every later build finds.

    They are kept once a user, whatever the project.

    ``progress`` is told (what is waited for, done, of).
    """
    folder = settings.cache_dir / text_cache.FOLDER
    stage = f"shipped texts, read once for this encoder and kept in {folder}"
    text_cache.recall(folder, encoder.fingerprint, cache)
    cache.learn(texts, partial(progress, stage) if progress else None)
    text_cache.keep(folder, encoder.fingerprint, cache)
