"""The engine that the settings name: what a build writes to it, and what a release opens of it.

Names and texts stay in the release on disk; an engine keeps the windows, words and fields. A
release says which generation of the engine's collection is its own, so that what is served always
fits together, whatever is built meanwhile. Each release store has a collection of its own, so that
several may share one engine.
"""

from __future__ import annotations

import json
import logging
import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from ..errors import BackendError, BuildError, MissingIndexError, SettingsError
from ..releases.bundles import MANIFEST, Bundle, building, digest
from ..releases.durable_write import replace_file
from ..releases.store import ReleaseStore
from ..settings import Settings
from . import arrays
from .backends.engine import EngineFailureError, Writer, count_of
from .backends.marqo import Marqo, MarqoBackend, MarqoWriter
from .backends.milvus import Milvus, MilvusBackend
from .backends.milvus_writer import MilvusWriter
from .backends.term_stats import TermStatistics
from .building import Content
from .collection import Collection, IndexedPassage
from .dense import FILES, DenseLane
from .filters import FilterField

LOCAL: Final = "local"
ENGINE_ID: Final = ".engine_id"
"""The file of a store that keeps its collection apart from those of others."""
_log = logging.getLogger("mvp_site.milvus")
_ID: Final = re.compile(r"[0-9a-f]{8}")


@dataclass(frozen=True, slots=True)
class EnginePart:
    """What of a part an engine keeps: under which name, with which fields.

    ``what`` is the part as errors call it, ``mend`` what builds it.
    """

    collection: str
    fields: tuple[FilterField, ...]
    what: str
    mend: str


@dataclass(frozen=True, slots=True)
class Engine:
    """An engine's name and address: ``local`` and '' for the one in this process."""

    name: str = LOCAL
    url: str = ""

    @property
    def mark(self) -> str:
        """What a release says of the engine that it was built for, without an address in it."""
        where = digest(self.url.encode())[:8]
        return self.name if self.name == LOCAL else f"{self.name}-{where}"


Files = Mapping[str, bytes]
Records = Callable[[DenseLane], Iterator[IndexedPassage]]
"""The passages of a release as engines keep them, of its dense lane."""


def engine_of(settings: Settings) -> Engine:
    """The engine that the settings name.

    Raises:
        SettingsError: they name two.
    """
    milvus, marqo = settings.mvp_site_milvus_uri, settings.mvp_site_marqo_url
    if milvus and marqo:
        raise SettingsError(
            "MVP_SITE_MILVUS_URI and MVP_SITE_MARQO_URL are both set: one engine keeps the "
            "passages, so unset one of them"
        )
    if milvus:
        return Engine("milvus", milvus)
    return Engine("marqo", marqo) if marqo else Engine()


@contextmanager
def written(settings: Settings, store: ReleaseStore, part: EnginePart, records: Records,
            content: Content) -> Iterator[Content]:
    """Write a release to the settings' engine; its manifest and files, which say so, to publish.

    Call it under the build lock. A write that fails drops what it has begun. Older generations that
    no kept release names are dropped behind it: until then one of them is served. A release without
    passages is not written.

    Raises:
        BackendError: it is not reached, or refuses; what it served before it still serves.
        BuildError: the store's id cannot be kept.
    """
    engine, (manifest, files) = engine_of(settings), content
    if engine.name == LOCAL or FILES[0] not in files:
        yield content
        return
    lane = _lane(files)
    stats = TermStatistics.of(records(lane))
    dimension, collection = lane.vectors().shape[1], collection_of(store.folder, part)
    writer: Writer[Any]
    if engine.name == "milvus":
        writer = MilvusWriter.create(engine.url, collection, dimension, part.fields,
                                     token=settings.mvp_site_milvus_token)
    else:
        writer = MarqoWriter.create(engine.url, collection, dimension, part.fields)
    try:
        try:
            writer.write(records(lane))
            writer.publish()
        except BaseException:
            with suppress(BackendError):  # it was logged, and the next build sweeps up
                writer.discard()
            raise
        yield {**manifest, "generation": writer.generation}, {**files, **stats.dump()}
        writer.prune(generations_on(store))
    finally:
        writer.close()


def collection_of(folder: Path, part: EnginePart) -> str:
    """The name of a store's collection, drawn the first time. Call under the build lock.

    Raises:
        BuildError: it cannot be read or kept.
    """
    path = folder / ENGINE_ID
    try:
        salt = path.read_bytes().decode("ascii", "replace").strip() if path.exists() else ""
        if not _ID.fullmatch(salt):
            salt = secrets.token_hex(4)
            replace_file(path, f"{salt}\n".encode())
    except OSError as error:
        raise BuildError(f"{path} cannot be kept: {error}") from error
    return f"{part.collection}_{salt}"


def generations_on(store: ReleaseStore) -> set[str]:
    """The generations that the kept releases name; one whose manifest is damaged names none."""
    generations: set[str] = set()
    for name in store.names():
        with suppress(OSError, ValueError, RecursionError):
            manifest = json.loads((store.folder / name / MANIFEST).read_bytes())
            if isinstance(manifest, dict):
                generations.add(str(manifest.get("generation", "")))
    return generations - {""}


def opened(settings: Settings, part: EnginePart, bundle: Bundle, store: ReleaseStore | None = None,
           records_of: Callable[[Files], Records] | None = None) -> Collection | None:
    """The engine's generation that a release was written to; None for the local engine.

    With ``store`` and ``records_of`` its files, a Milvus that was emptied is given it again, now or
    when that is noticed, as long as the release is kept.

    Raises:
        MissingIndexError: the release was built for another engine, or its generation is gone.
        BackendError: it is not reached.
    """
    engine, mark = engine_of(settings), str(bundle.manifest.get("engine", LOCAL))
    if mark != engine.mark:
        raise MissingIndexError(
            f"{part.what} were built for {mark}, and the settings name {engine.mark}; build them: "
            f"{part.mend}"
        )
    if engine.name == LOCAL:
        return None
    if not (generation := str(bundle.manifest["generation"])):
        return None
    stats = TermStatistics.load(bundle.files)
    if engine.name == "marqo":
        return MarqoBackend.open(engine.url, generation, stats)
    token = settings.mvp_site_milvus_token
    if store is None or records_of is None:
        return MilvusBackend.open(engine.url, generation, stats, token)
    refill = partial(_refilled, settings, part, store, bundle.name, records_of)
    try:
        backend = MilvusBackend.open(engine.url, generation, stats, token)
    except MissingIndexError:
        refill()
        backend = MilvusBackend.open(engine.url, generation, stats, token)
    return backend.refilled_by(refill, len(arrays.from_bytes(bundle.files[FILES[1]])))


def _refilled(settings: Settings, part: EnginePart, store: ReleaseStore, name: str,
              records_of: Callable[[Files], Records]) -> None:
    """Write a kept release to Milvus again, under its generation's name.

    Raises:
        MissingIndexError: the release is no longer kept.
        BackendError: Milvus is not reached or refuses.
    """
    bundle = store.load(name)
    lane, generation = _lane(bundle.files), str(bundle.manifest["generation"])
    _log.warning("Milvus no longer has %s: %s are written to it again", generation, part.what)
    writer = MilvusWriter.create(
        engine_of(settings).url, collection_of(store.folder, part), lane.vectors().shape[1],
        part.fields, token=settings.mvp_site_milvus_token, generation=generation,
    )
    try:
        try:
            writer.write(records_of(bundle.files)(lane))
            writer.make_ready()
        except BaseException:
            with suppress(BackendError):  # what is there in part must not be taken for the whole
                writer.discard()
            raise
    finally:
        writer.close()


def _lane(files: Files) -> DenseLane:
    return DenseLane.load(files, int(arrays.from_bytes(files[FILES[1]]).max()) + 1)


def unused(settings: Settings, store: ReleaseStore, part: EnginePart, *, removed: bool,
           ) -> tuple[str, ...]:
    """The generations of a store in Milvus that no kept release names; with ``removed`` gone.

    Raises:
        BackendError: Milvus is not reached or refuses.
        BuildError: a build is under way, which may be filling one.
    """
    engine = engine_of(settings)
    if engine.name != "milvus" or not (store.folder / ENGINE_ID).exists():
        return ()
    with (building(store.folder, 1.0),
          closing(Milvus.open(engine.url, settings.mvp_site_milvus_token)) as milvus):
        name, used = collection_of(store.folder, part), generations_on(store)
        with milvus.asked("to list collections") as client:
            names = client.list_collections(timeout=milvus.timeout)
        orphans = sorted(other for other in names if other not in used
                         and count_of(name, MilvusWriter.separator, other))
        for orphan in orphans if removed else ():
            with milvus.asked(f"to drop {orphan}") as client:
                client.drop_collection(orphan, timeout=milvus.timeout)
    return tuple(orphans)


def reach(settings: Settings, timeout: float = 2.0) -> None:
    """See that the engine of the settings answers within so many seconds a request.

    Raises:
        BackendError: it does not.
    """
    engine = engine_of(settings)
    if engine.name == "milvus":
        with closing(Milvus.open(engine.url, settings.mvp_site_milvus_token, timeout)) as milvus:
            try:
                with milvus.asked("to list collections") as client:
                    client.list_collections(timeout=timeout)
            except EngineFailureError as failure:
                if failure.kind != "not reached" or not milvus.reconnected():
                    raise
    elif engine.name == "marqo":
        with (closing(Marqo.open(engine.url, timeout)) as marqo,
              marqo.asked("to say how it is") as client):
            client.get_indexes()


def stands(settings: Settings, part: EnginePart, bundle: Bundle) -> bool:
    """Whether the engine still has what a release was written to; the local one always does.

    Raises:
        BackendError: it is not reached.
    """
    try:
        backend = opened(settings, part, bundle)
    except (MissingIndexError, KeyError):
        return False
    if backend is not None:
        backend.close()
    return True
