"""Building the index of entities: the SRD's and the user's own; one is served, the last built."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from threadpoolctl import threadpool_limits

from ..content.document import SRD, Document, listing_key
from ..content.own_files import OwnEntities, read_folders
from ..content.srd_documents import srd_documents
from ..content.types import EntityType
from ..errors import CorruptIndexError
from ..retrieval import incremental_build as rebuild
from ..retrieval import query_expansion as talk
from ..retrieval import release_store as disk
from ..retrieval import utterances
from ..retrieval.encoder import Encoder
from ..retrieval.index import VectorCache
from ..retrieval.windows import PREFIX_PIECES, WINDOW_PIECES
from ..settings import Settings
from ..srd import ATTRIBUTION, load_srd
from .engines import LOCAL, engine_of, stands, written
from .passages import NAME_WEIGHT
from .query_expansion import texts
from .release import (
    FORMAT,
    RULES,
    EntityManifest,
    Entry,
    build_files,
    in_order,
    read_manifest,
    windows_in,
)
from .weights import Weights

Progress = Callable[[str, int, int], None]
KEPT: Final = 4
OWN: Final = "own_entities"


@dataclass(frozen=True, slots=True)
class Stock:
    """What is indexed: entities in order, attributions by document, and what is shadowed."""

    entries: Sequence[Entry]
    attributions: Mapping[str, str]
    shadowed: tuple[str, ...] = ()


def shelf_of(settings: Settings) -> Path:
    """The folder of the built entities."""
    return settings.mvp_site_data_dir / "entities"


def own_folder(settings: Settings) -> Path:
    """The folder that is read for the user's own entities where no other is named."""
    return settings.mvp_site_data_dir / OWN


def stock_of(folders: Sequence[Path]) -> Stock:
    """The SRD's entities with those of ``folders``, which shadow what has their type and slug.

    Raises:
        EntityDataError: a file of the folders cannot be used; the message names each.
    """
    documents, shadowed = merge(srd_documents(load_srd()), read_folders(folders))
    entries = in_order(documents)
    sources = sorted({str(document.get("document", "")) for _, document in entries} - {""})
    return Stock(
        entries, {source: ATTRIBUTION if source == SRD else "" for source in sources}, shadowed
    )


def merge(srd: Mapping[EntityType, Sequence[Document]], own: OwnEntities,
          ) -> tuple[dict[EntityType, list[Document]], tuple[str, ...]]:
    """All documents by type, and which of the SRD's are shadowed, as ``type/slug``.

    Of two with one type and slug the user's stands, and says under ``shadows`` in whose place.
    """
    documents: dict[EntityType, list[Document]] = {}
    shadowed = []
    for type_ in srd.keys() | own.entities.keys():
        held = {str(one["slug"]): one for one in srd.get(type_, ())}
        for entity in own.entities.get(type_, ()):
            slug, before = str(entity.document["slug"]), held.get(str(entity.document["slug"]))
            held[slug] = entity.document
            if before is not None:
                shadowed.append(f"{type_}/{slug}")
                held[slug] = {**entity.document, "shadows": before.get("document", SRD)}
        documents[type_] = sorted(held.values(), key=listing_key)
    return documents, tuple(sorted(shadowed))


def build_entities(settings: Settings | None = None, folders: Sequence[Path] | None = None, *,
                   force: bool = False, encoder: Encoder | None = None,
                   progress: Progress | None = None) -> EntityManifest:
    """Build and publish the index of the SRD's entities and the user's; it is then served.

    ``folders`` hold the user's, a folder a type (:mod:`.folders`); unset, ``own_entities`` in the
    data folder is read where it is there. With nothing changed there is nothing to do. Only text
    that no kept build has encoded is encoded; ``force`` encodes the entities anew. ``progress`` is
    told (stage, done, of).

    Raises:
        EntityDataError: a file of the folders cannot be used; what was served before stands.
        EncoderError: there is no encoder.
        BackendError: the engine that the settings name is not reached, or refuses.
        BuildError: another build holds the lock, or the index cannot be written.
    """
    settings = settings or Settings()
    report = progress or (lambda _stage, _done, _of: None)
    report("reading", 0, 1)
    if folders is None:
        own = own_folder(settings)
        folders = [own] if own.is_dir() else []
    stock, engine = stock_of(folders), engine_of(settings)
    report("reading", 1, 1)
    shelf, recipe = shelf_of(settings), recipe_of(stock, engine.mark)
    with disk.building(shelf):
        served = rebuild.served(shelf)
        if served and not force and rebuild.is_current(settings, served, recipe, encoder):
            manifest_now = read_manifest(served.name, served.manifest)
            if stands(settings, manifest_now.engine, manifest_now.generation, served.files):
                return manifest_now
        own_encoder = encoder or rebuild.open_encoder(settings, report)
        cache = VectorCache(own_encoder)
        if not force:
            for name in disk.releases(shelf):
                with suppress(CorruptIndexError):
                    rebuild.reuse(cache, disk.load(shelf, name), own_encoder)
        every = texts(utterances.entity_topics())
        rebuild.encode_texts(settings, every, own_encoder, cache, report)
        manifest, files = built(
            stock, own_encoder, cache, model=settings.prompt_embed_model, engine=engine.mark,
            progress=partial(report, "entities"),
        )
        with written(settings, shelf, stock.entries, files) as more:
            manifest, files = {**manifest, "generation": more.generation}, {**files, **more.files}
            name = disk.name_of(manifest, files)
            disk.publish(shelf, name, manifest, files, KEPT)
            more.prune(shelf)  # only now: until here a release before was served
        report("published", 1, 1)
    return replace(read_manifest(name, manifest), built=True, encoded=cache.encoded)


def built(stock: Stock, encoder: Encoder, cache: VectorCache, *, model: str, engine: str = LOCAL,
          progress: Callable[[int, int], None] | None = None,
          ) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The manifest and the files of a release."""
    with threadpool_limits(1):
        files = build_files(stock.entries, encoder, cache, progress)
    counts: dict[str, int] = {}
    for type_, _ in stock.entries:
        counts[type_] = counts.get(type_, 0) + 1
    manifest = {
        "format": FORMAT, "entities": len(stock.entries), "types": counts,
        "windows": windows_in(files), "encoder": encoder.fingerprint, "model": model,
        "documents": dict(stock.attributions), "shadowed": list(stock.shadowed),
        "weights": Weights().as_dict(), "engine": engine, "generation": "",
        "recipe": recipe_of(stock, engine),
    }
    return manifest, files


def recipe_of(stock: Stock, engine: str) -> str:
    """The digest of all that an index's content follows from, but for the encoder."""
    return disk.digest(disk.canonical([
        FORMAT, RULES, engine, [[type_, dict(document)] for type_, document in stock.entries],
        dict(stock.attributions), list(stock.shadowed), Weights().as_dict(), NAME_WEIGHT,
        WINDOW_PIECES, PREFIX_PIECES, talk.FULL, talk.SHRINKAGE, talk.TEMPERATURE,
        texts(utterances.entity_topics()),
    ]))
