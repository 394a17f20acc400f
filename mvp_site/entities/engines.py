"""The engine that the settings name: what a build writes to it, and what a release opens of it.

Names and documents stay in the release on disk; an engine keeps the windows, words and fields. A
release says which generation of the engine's collection is its own, so that what is served always
fits together, whatever is built meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ..errors import MissingIndexError, SettingsError
from ..retrieval import disk
from ..retrieval.backends.marqo import MarqoBackend
from ..retrieval.backends.marqo_writer import MarqoWriter
from ..retrieval.backends.milvus import MilvusBackend
from ..retrieval.backends.milvus_writer import MilvusWriter
from ..retrieval.backends.protocol import Backend, Record
from ..retrieval.backends.term_stats import TermStatistics
from ..retrieval.dense import DenseLane
from ..settings import Settings
from .passages import terms_of, values_of
from .release import Entry
from .types import EntityType, fields_of

LOCAL: Final = "local"
COLLECTION: Final = "mvp_site_entities"
MEND: Final = "build them: mvp-site entities build"


@dataclass(frozen=True, slots=True)
class Engine:
    """An engine's name and address; both are '' and ``local`` for the one in this process."""

    name: str = LOCAL
    url: str = ""

    @property
    def mark(self) -> str:
        """What a release says of the engine that it was built for, without an address in it."""
        where = disk.digest(self.url.encode())[:8]
        return self.name if self.name == LOCAL else f"{self.name}-{where}"


def engine_of(settings: Settings) -> Engine:
    """The engine that the settings name.

    Raises:
        SettingsError: they name two.
    """
    milvus, marqo = settings.mvp_site_milvus_uri, settings.mvp_site_marqo_url
    if milvus and marqo:
        raise SettingsError(
            "MVP_SITE_MILVUS_URI and MVP_SITE_MARQO_URL are both set: one engine keeps the "
            "entities, so unset one of them"
        )
    if milvus:
        return Engine("milvus", milvus)
    return Engine("marqo", marqo) if marqo else Engine()


def written(settings: Settings, entries: Sequence[Entry], files: Mapping[str, bytes],
            ) -> tuple[str, dict[str, bytes]]:
    """Write a release to the settings' engine: the generation's name, and files for the release.

    Raises:
        BackendError: it is not reached, or refuses; what it served before it still serves.
    """
    engine = engine_of(settings)
    if engine.name == LOCAL:
        return "", {}
    lane = DenseLane.load(files, len(entries))
    stats = TermStatistics.of(records(entries, lane))
    fields = tuple(dict.fromkeys(field for type_ in EntityType for field in fields_of(type_)))
    dimension = lane.vectors().shape[1]
    writer: MilvusWriter | MarqoWriter
    if engine.name == "milvus":
        writer = MilvusWriter.create(engine.url, COLLECTION, dimension, fields,
                                     token=settings.mvp_site_milvus_token)
    else:
        writer = MarqoWriter.create(engine.url, COLLECTION, dimension, fields)
    try:
        writer.write(records(entries, lane))
        writer.publish()
        return writer.generation, stats.dump()
    finally:
        writer.close()


def opened(settings: Settings, mark: str, generation: str, files: Mapping[str, bytes],
           ) -> Backend | None:
    """The engine's generation that a release was written to; None for the local engine.

    Raises:
        MissingIndexError: the release was built for another engine, or its generation is gone.
        BackendError: it is not reached.
    """
    engine = engine_of(settings)
    if mark != engine.mark:
        raise MissingIndexError(
            f"the entities were built for {mark}, and the settings name {engine.mark}; {MEND}"
        )
    if engine.name == LOCAL:
        return None
    stats = TermStatistics.load(files)
    if engine.name == "milvus":
        return MilvusBackend.open(engine.url, generation, stats, settings.mvp_site_milvus_token)
    return MarqoBackend.open(engine.url, generation, stats)


def stands(settings: Settings, mark: str, generation: str, files: Mapping[str, bytes]) -> bool:
    """Whether the engine still has what a release was written to; the local one always does.

    Raises:
        BackendError: it is not reached.
    """
    try:
        backend = opened(settings, mark, generation, files)
    except MissingIndexError:
        return False
    if backend is not None:
        backend.close()
    return True


def records(entries: Sequence[Entry], lane: DenseLane) -> Iterator[Record]:
    """The entities as engines keep them."""
    for number, (type_, document) in enumerate(entries):
        yield Record(number, type_, terms_of(type_, document), lane.of_passages(number, number + 1),
                     values_of(type_, document))
