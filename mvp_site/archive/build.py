"""Building a version's index: encode what is new, calibrate the floors, publish as one release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any, Final

import numpy as np
from threadpoolctl import threadpool_limits

from ..errors import EmptyArchiveError
from ..releases.bundles import canonical, digest
from ..retrieval import query_expansion
from ..retrieval.building import Content, Progress, build_release
from ..retrieval.discriminant import SHIFT, moved_to, with_own
from ..retrieval.encoder import Encoder, Vectors, knows
from ..retrieval.index import HEADING_WEIGHT, HybridIndex, VectorCache
from ..retrieval.topic_files import Topic, load_off_topic, situations
from ..retrieval.windows import PREFIX_PIECES, WINDOW_PIECES
from ..settings import Settings, settings_of
from ..text.languages import language, recognised
from ..text.tokens import count_tokens, printed_tokens
from . import binary_classifier, chunking, turn_classifiers
from .chunks import Chunk, dump_chunks
from .delimiters import CLOSING_TAG, CONTEXT_END, CUT, NAMES, context_open
from .floors import (
    FEWEST,
    LEAST_SHARES,
    QUIET,
    REFUSED,
    SHIPPED,
    Floors,
    calibrate,
    foreign_floors,
)
from .passages import DUPLICATE, body_of, chunk_version, passages
from .release import META, IndexManifest, manifest_of
from .turn_ranking import FOREIGN, TurnIndex, TurnWeights
from .versions import FORMAT, HEADER, read_version, resolve_version, store_of

READING: Final = 4
"""Raised where the same files are read, tagged or escaped otherwise; a build then starts anew."""


def build_prompt_index(settings: Settings, version: str | None = None, *, force: bool = False,
                       encoder: Encoder | None = None, progress: Progress | None = None,
                       ) -> IndexManifest:
    """Build and publish the index of ``version``; with nothing changed there is nothing to do.

    Only text that no build has encoded before is encoded; ``force`` encodes the version's anew.
    ``progress`` is told (stage, done, of). Without ``encoder`` the settings' model is used,
    exported first where it is not yet.

    Raises:
        ArchiveError: the version does not exist, is empty, or a file of it cannot be used.
        EncoderError: there is no encoder.
        BuildError: another build holds the lock, or the index cannot be written.
    """
    name = resolve_version(settings := settings_of(settings), version)
    archive, topics = read_version(settings, name), situations()
    probes = (*load_off_topic(), *load_off_topic("talk"))
    texts = [*query_expansion.spoken(topics), *probes, *turn_classifiers.lines()]
    recipe = digest(canonical([
        FORMAT, READING, archive.archive_hash, texts, _chunking(), asdict(TurnWeights()), DUPLICATE,
        REFUSED, QUIET, binary_classifier.NEARER, NAMES, FEWEST, asdict(SHIPPED), asdict(FOREIGN),
        LEAST_SHARES, SHIFT,
    ]))
    report = progress or (lambda _stage, _done, _of: None)

    def chunked() -> Sequence[Chunk]:
        report("cutting", 0, 1)
        chunks = chunk_version(archive)
        if not chunks:
            raise EmptyArchiveError(
                f"version {name!r} has no text to index: write some, then build again"
            )
        return chunks

    def indexed(chunks: Sequence[Chunk], own: Encoder, cache: VectorCache) -> Content:
        languages = recognised(body_of(source) for source in archive.sources)
        index = HybridIndex.build(passages(chunks), own, cache, partial(report, "passages"),
                                  language=language(languages))
        report("calibrating", 0, 1)
        turn_index, floors = _calibrated(topics, probes, index, cache, own, languages)
        files = {
            META: dump_chunks(chunks), HEADER: archive.header, **archive.beside, **index.dump(),
            **turn_index.expansion.dump(), **turn_index.classifiers.dump(),
        }
        manifest = {
            "format": FORMAT, "version": name, "archive_hash": archive.archive_hash,
            "encoder": own.fingerprint, "dimension": own.dimension,
            "header_sha256": digest(archive.header),
            "header_tokens": count_tokens(archive.header.decode()),
            "archive_tokens": sum(count_tokens(body_of(source)) for source in archive.sources),
            "chunks": len(chunks), "passages": index.passages, "windows": len(index.dense.keys),
            "exact_search": index.dense.exact,
            "chunking": _chunking(), "tagging": {"duplicate": DUPLICATE},
            "delimiter_tokens": [
                printed_tokens(context_open(name)) + printed_tokens(CONTEXT_END),
                printed_tokens(CLOSING_TAG), printed_tokens(CUT),
            ],
            "model": settings.prompt_embed_model, "recipe": recipe,
            "weights": asdict(turn_index.weights), "floors": asdict(floors),
            "languages": languages,
            "floors_from": "shipped" if index.passages < FEWEST or turn_index.weights == FOREIGN
            else "probes",
        }
        return manifest, files

    built = build_release(
        settings, store_of(settings.prompt_index_dir, name), recipe, read=chunked, index=indexed,
        texts=texts, stands=lambda bundle: bundle.manifest.get("version") == name,
        kept=settings.prompt_releases_kept, force=force, encoder=encoder, progress=report,
    )
    return replace(manifest_of(built.name, built.manifest), built=built.built,
                   encoded=built.encoded)


def _calibrated(topics: Sequence[Topic], probes: Sequence[str], index: HybridIndex,
                cache: VectorCache, encoder: Encoder, languages: tuple[str, ...],
                ) -> tuple[TurnIndex, Floors]:
    """What turns are ranked by in an index, and the floors (:func:`.floors.calibrate`)."""
    shipped = [*query_expansion.spoken(topics), *probes]
    vectors, own = cache.encode(shipped)[0], index.dense.vectors()
    said = sum(len(topic.says) for topic in topics)
    written_in = language(languages)
    # The last bits of a matrix product depend on the threads, and with them an index's bytes.
    with threadpool_limits(1, "blas"):
        moved = moved_to(own, vectors[:said]) if languages[0] != "en" else np.asarray
        vectors = moved(vectors)
        off_topic = vectors[len(vectors) - len(probes) :]
        expansion = query_expansion.QueryExpansion.build(topics, vectors, own)
        def encoded(lines: Sequence[str]) -> Vectors:
            return moved(cache.encode(lines)[0])

        leans, calls = turn_classifiers.build(encoded, expansion, probes, off_topic)
        if not knows(encoder.fingerprint, languages):
            return (TurnIndex(index, expansion, FOREIGN, leans, written_in),
                    foreign_floors(languages))
        turn_index = TurnIndex(index, expansion, TurnWeights(), leans, written_in)
        if index.passages < FEWEST:
            return turn_index, SHIPPED
        return turn_index, calibrate(turn_index, probes, with_own(vectors[:said], own),
                                     encoded(turn_classifiers.quiet()), calls)


def _chunking() -> dict[str, Any]:
    return {
        "rules": chunking.RULES,
        "min_tokens": chunking.MIN_TOKENS, "max_tokens": chunking.MAX_TOKENS,
        "overlap": chunking.OVERLAP, "piece_tokens": chunking.PIECE_TOKENS,
        "window_pieces": WINDOW_PIECES, "prefix_pieces": PREFIX_PIECES,
        "heading_weight": HEADING_WEIGHT,
    }
