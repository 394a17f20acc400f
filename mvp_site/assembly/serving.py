"""What an assembler serves: a release with its encoder, taken up as one between two turns."""

from __future__ import annotations

from dataclasses import dataclass

from ..archive.release import Release, read_release
from ..archive.versions import list_versions, read_version, store_of
from ..errors import StaleIndexError
from ..retrieval.encoder import Encoder
from ..retrieval.releases.build import encoder_of
from ..retrieval.releases.bundles import Bundle
from ..retrieval.releases.serving import Served
from ..settings import Settings


@dataclass(frozen=True, slots=True, eq=False)
class Loaded:
    """A release, and the encoder it was built with."""

    release: Release
    encoder: Encoder


def serve(settings: Settings, version: str, encoder: Encoder | None, *, degraded: bool,
          ) -> Served[Loaded]:
    """What is served of ``version``, and every release of it that is published from now on.

    Raises:
        IndexLoadError: there is no release, it does not verify, or the archive was edited since.
        EncoderError: its encoder is not there.
    """
    store = store_of(settings.prompt_index_dir, version)
    before: list[Loaded] = []

    def load(bundle: Bundle) -> Loaded:
        same = before and before[0].release.manifest.encoder == bundle.manifest["encoder"]
        loaded = _loaded(settings, version, before[0].encoder if same else encoder, bundle)
        before[:] = [loaded]
        return loaded

    return Served(
        store, load, check=lambda loaded: _check_fresh(settings, loaded.release),
        watched=(settings.encoder_dir,), degraded=degraded,
    )


def load_kept(settings: Settings, version: str, fingerprint: str, encoder: Encoder | None,
              ) -> Loaded:
    """The kept release of this fingerprint.

    Raises:
        IndexLoadError: it is no longer kept, or it does not verify.
        EncoderError: its encoder is not there.
    """
    bundle = store_of(settings.prompt_index_dir, version).load(fingerprint)
    return _loaded(settings, version, encoder, bundle)


def _loaded(settings: Settings, version: str, encoder: Encoder | None, bundle: Bundle) -> Loaded:
    store = store_of(settings.prompt_index_dir, version)
    return Loaded(
        read_release(store, version, bundle), encoder_of(settings, store, bundle, encoder)
    )


def _check_fresh(settings: Settings, release: Release) -> None:
    """Compare the release with the archive by content, where there is an archive to compare."""
    version = release.version
    if version not in list_versions(settings):
        return
    if read_version(settings, version).archive_hash != release.manifest.archive_hash:
        raise StaleIndexError(
            f"version {version!r} was edited after its index was built; "
            f"build it again: {store_of(settings.prompt_index_dir, version).command}"
        )
