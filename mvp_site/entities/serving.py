"""What is served of the entities: the searcher of the release that was built last."""

from __future__ import annotations

from ..retrieval.encoder import Encoder
from ..retrieval.releases.build import encoder_of
from ..retrieval.releases.bundles import Bundle
from ..retrieval.releases.serving import Served
from ..settings import Settings
from .build import store_of
from .engines import opened
from .release import Release, assemble, manifest_of
from .search import Searcher


def serve(settings: Settings, encoder: Encoder | None) -> Served[Searcher]:
    """The searcher of the release that was built last, and of each that is built from now on.

    Raises:
        CorruptIndexError, MissingIndexError: the message has the command that mends it.
        EncoderError: its encoder is not on this machine, or not the one that is given.
        BackendError: its engine is not reached.
    """
    store = store_of(settings)

    def assembled(bundle: Bundle) -> Release:
        manifest = manifest_of(bundle.name, bundle.manifest)
        lanes = opened(settings, manifest.engine, manifest.generation, bundle.files)
        try:
            return assemble(manifest, bundle.files, lanes)
        except BaseException:
            if lanes is not None:
                lanes.close()
            raise

    def load(bundle: Bundle) -> Searcher:
        own = encoder_of(settings, store, bundle, encoder)
        return Searcher(store.read(bundle, assembled), own, settings.prompt_cache_size)

    return Served(store, load, close=close_engine, watched=(settings.encoder_dir,))


def close_engine(searcher: Searcher) -> None:
    """Let go of what keeps the searcher's passages."""
    searcher.release.backend.close()
