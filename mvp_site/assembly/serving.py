"""What an assembler serves: a release with its encoder, taken up as one between two turns."""

from __future__ import annotations

from dataclasses import dataclass

from ..archive.release import ArchiveRelease, read_release
from ..archive.versions import list_versions, read_version, store_of
from ..errors import StaleIndexError
from ..releases.bundles import Bundle
from ..releases.reloading import Served
from ..retrieval.building import encoder_of
from ..retrieval.encoder import Encoder
from ..settings import Settings


@dataclass(frozen=True, slots=True, eq=False)
class Loaded:
    """A release, and the encoder it was built with."""

    release: ArchiveRelease
    encoder: Encoder


def serve(settings: Settings, version: str, encoder: Encoder | None, *, degraded: bool,
          ) -> Served[Loaded]:
    """What is served of ``version``, and every release of it that is published from now on.

    Raises:
        IndexLoadError: there is no release, it does not verify, or the archive was edited since.
        EncoderError: its encoder is not there.
    """
    before: list[Loaded] = []

    def taken_up(bundle: Bundle) -> Loaded:
        same = before and before[0].release.manifest.encoder == bundle.manifest["encoder"]
        before[:] = [load(settings, version, before[0].encoder if same else encoder, bundle)]
        return before[0]

    return Served(
        store_of(settings.prompt_index_dir, version), taken_up,
        check=lambda loaded: _check_fresh(settings, loaded.release),
        degraded=degraded,
    )


def load(settings: Settings, version: str, encoder: Encoder | None, bundle: Bundle) -> Loaded:
    """A release of ``version``, with its encoder or the one that is given.

    Raises:
        CorruptIndexError: it is none of this version, or its files do not fit together.
        EncoderError: its encoder is not there.
    """
    store = store_of(settings.prompt_index_dir, version)
    return Loaded(
        read_release(store, version, bundle), encoder_of(settings, store, bundle, encoder)
    )


def _check_fresh(settings: Settings, release: ArchiveRelease) -> None:
    """Compare the release with the archive by content, where there is an archive to compare."""
    version = release.manifest.version
    if version not in list_versions(settings):
        return
    if read_version(settings, version).archive_hash != release.manifest.archive_hash:
        raise StaleIndexError(
            f"version {version!r} was edited after its index was built; "
            f"build it again: {store_of(settings.prompt_index_dir, version).command}"
        )
