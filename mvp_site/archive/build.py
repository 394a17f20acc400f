"""Building a version's index: encode what is new, calibrate the floors, publish as one release."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ..errors import CorruptIndexError, EmptyArchiveError
from ..retrieval import arrays, disk
from ..retrieval.dense import FILES as DENSE_FILES
from ..retrieval.dense import DenseLane
from ..retrieval.encoder import Encoder, Vectors, find_bundle
from ..retrieval.fusion import Fusion
from ..retrieval.index import HEADING_WEIGHT, HybridIndex, VectorCache
from ..retrieval.tokens import count_tokens, printed_tokens
from ..retrieval.windows import PREFIX_PIECES, WINDOW_PIECES
from ..settings import Settings
from . import chunking, text_cache
from .chunks import dump_chunks
from .delimiters import CLOSING_TAG, CONTEXT_END, CUT, context_open
from .evidence import Sources
from .floors import REFUSED, calibrate
from .hints import Hints
from .passages import DUPLICATE, body_of, chunk_version, passages
from .release import FORMAT, HEADER, META, IndexManifest, read_manifest, shelf_of
from .situations import Situation, load_off_topic, load_situations
from .topicality import fit, out_of_fold
from .versions import Version, read_version, resolve_version

Progress = Callable[[str, int, int], None]


def build_prompt_index(settings: Settings, version: str | None = None, *, force: bool = False,
                       encoder: Encoder | None = None, progress: Progress | None = None,
                       ) -> IndexManifest:
    """Build and publish the index of ``version``; with nothing changed there is nothing to do.

    Only text that no build has encoded before is encoded. ``progress`` is told (stage, done, of). Without
    ``encoder`` the settings' model is used, exported first where it is not yet.

    Raises:
        ArchiveError: the version does not exist, is empty, or a file of it cannot be used.
        EncoderError: there is no encoder.
        BuildError: another build holds the lock.
    """
    name = resolve_version(settings, version)
    archive = read_version(settings, name)
    situations = load_situations(settings.prompt_archive_dir)
    probes = load_off_topic()
    shelf = shelf_of(settings.prompt_index_dir, name)
    with disk.building(shelf):
        served = _served(shelf)
        known = encoder.fingerprint if encoder else find_bundle(
            settings.encoder_dir, settings.prompt_embed_model
        )
        recipe = _recipe(archive, situations, probes)
        if served and not force and known and served.manifest.get("recipe") == recipe \
                and served.manifest["encoder"] == known:
            return read_manifest(served.name, served.manifest)
        if encoder is None:
            # Imported only where something has to be encoded: it may bring torch.
            from ..retrieval.export import open_encoder

            encoder = open_encoder(
                settings.encoder_dir, settings.prompt_embed_model, settings.prompt_encoder_threads
            )
        cache = VectorCache(encoder)
        if not force:
            text_cache.recall(settings.prompt_index_dir, encoder.fingerprint, cache)
            if served and served.manifest["encoder"] == encoder.fingerprint:
                _reuse(cache, served)
        manifest, files, texts = _build(archive, situations, probes, encoder, cache, progress)
        text_cache.keep(settings.prompt_index_dir, encoder.fingerprint, *texts)
        manifest |= {"model": settings.prompt_embed_model, "recipe": recipe}
        release = hashlib.sha256(
            disk.canonical(manifest)
            + b"".join(disk.digest(files[file]).encode() for file in sorted(files))
        ).hexdigest()[:16]
        disk.publish(shelf, release, manifest, files)
    return replace(read_manifest(release, manifest), built=True, encoded=cache.encoded)


def _build(archive: Version, situations: tuple[Situation, ...], probes: tuple[str, ...],
           encoder: Encoder, cache: VectorCache, progress: Progress | None,
           ) -> tuple[dict[str, Any], dict[str, bytes], tuple[Vectors, npt.NDArray[np.uint8]]]:
    chunks = chunk_version(archive)
    if not chunks:
        raise EmptyArchiveError(f"version {archive.name!r} has no text to index")
    parts, _ = passages(chunks)
    fusion = Fusion()

    def report(done: int, of: int) -> None:
        if progress:
            progress("encoding", done, of)

    index = HybridIndex.build(parts, encoder, cache, report)
    said = [text for situation in situations for text in situation.says]
    texts = [*said, *(situation.rules for situation in situations), *probes]
    vectors, keys = cache.encode(texts, report)
    rules = vectors[len(said) : len(said) + len(situations)]
    hints = Hints.build(situations, vectors[: len(said)], rules, index, fusion)
    if progress:
        progress("calibrating", 0, 1)
    off_topic = vectors[len(texts) - len(probes) :]
    on_topic = np.concatenate([vectors[: len(texts) - len(probes)], index.dense.vectors()])
    sources = Sources(index, hints, fit(on_topic, off_topic), fusion)
    floors = calibrate(sources, encoder, probes, off_topic, out_of_fold(on_topic, off_topic))
    files = {
        META: dump_chunks(chunks), HEADER: archive.header,
        **index.dump(), **hints.dump(), **sources.topicality.dump(),
    }
    manifest = {
        "format": FORMAT, "version": archive.name, "archive_hash": archive.archive_hash,
        "encoder": encoder.fingerprint, "dimension": encoder.dimension,
        "header_sha256": disk.digest(archive.header),
        "header_tokens": count_tokens(archive.header.decode()),
        "archive_tokens": sum(count_tokens(body_of(source)) for source in archive.sources),
        "chunks": len(chunks), "passages": len(parts), "windows": len(index.dense.keys),
        "exact_search": index.dense.exact,
        "chunking": _chunking(), "tagging": {"duplicate": DUPLICATE},
        "delimiter_tokens": [
            printed_tokens(context_open(archive.name)) + printed_tokens(CONTEXT_END),
            printed_tokens(CLOSING_TAG), printed_tokens(CUT),
        ],
        "fusion": fusion.as_dict(), "floors": floors.as_dict(),
    }
    if progress:
        progress("publishing", 1, 1)
    return manifest, files, (vectors, keys)


def _chunking() -> dict[str, Any]:
    return {
        "min_tokens": chunking.MIN_TOKENS, "max_tokens": chunking.MAX_TOKENS,
        "overlap": chunking.OVERLAP, "piece_tokens": chunking.PIECE_TOKENS,
        "window_pieces": WINDOW_PIECES, "prefix_pieces": PREFIX_PIECES,
        "heading_weight": HEADING_WEIGHT,
    }


def _recipe(archive: Version, situations: tuple[Situation, ...], probes: tuple[str, ...]) -> str:
    return disk.digest(disk.canonical([
        FORMAT, archive.archive_hash, [[s.id, s.says, s.rules, s.state] for s in situations],
        probes, _chunking(), Fusion().as_dict(), DUPLICATE, REFUSED,
    ]))


def _served(shelf: Any) -> disk.Bundle | None:
    """The release that is served now, or None where there is none that loads."""
    try:
        name = disk.current(shelf)
        return disk.load(shelf, name) if name else None
    except CorruptIndexError:
        return None


def _reuse(cache: VectorCache, served: disk.Bundle) -> None:
    try:
        owners = arrays.from_bytes(served.files[DENSE_FILES[1]])
        dense = DenseLane.load(served.files, int(owners.max(initial=0)) + 1)
        cache.add(dense.keys, dense.vectors())
    except (KeyError, ValueError, RuntimeError):
        return  # another format: everything is encoded anew
