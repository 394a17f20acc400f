"""A release of entities: its manifest, its files, and what is made of them again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt

from ..content.derived import with_classes
from ..content.document import Document, listing_key
from ..content.slugs import shown, slug_of
from ..content.types import EntityType
from ..errors import EntityDataError
from ..releases.store import ReleaseManifest
from ..retrieval import arrays, topic_files
from ..retrieval.collection import Collection, IndexedPassage
from ..retrieval.dense import DenseLane
from ..retrieval.discriminant import Discriminant
from ..retrieval.encoder import Encoder, Vectors
from ..retrieval.index import HybridIndex, Progress, VectorCache
from ..retrieval.query_expansion import QueryExpansion, texts
from ..text.names import words
from ..types import RefusedFile
from .calls import TopicEntities
from .document_store import DocumentStore, Entry
from .passages import parts, records, terms_of, windows_of
from .weights import EntityWeights

FORMAT: Final = 3
RULES: Final = 3
"""Raised whenever the same documents give other passages or fields."""
UTTERANCES: Final = "entities"
"""The off-topic texts that are read beside the general ones."""
DOCUMENTS: Final = "documents.jsonl"
WORDS: Final = "words.json"
ALIKE: Final = "alike.npy"
SPOKEN: Final = "spoken.msgpack"
SPOKEN_ENTITIES: Final = 20_000
"""Of up to so many entities a release keeps what the lanes read of each, for the next build."""
ALIKE_ENTITIES: Final = 50_000
"""Of up to so many entities the means of their texts are kept, and each is compared with all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityManifest(ReleaseManifest):
    """What a release of entities is.

    ``documents`` has for each document that entities come from its attribution, '' where it asks
    for none; ``shadowed`` are entities of the SRD that a user's stand for, as ``type/slug``.
    ``engine`` is what keeps its lanes, ``generation`` the name of its collection there. ``folders``
    are those that a build was given for the user's entities.
    """

    entities: int
    types: Mapping[str, int]
    documents: Mapping[str, str]
    shadowed: tuple[str, ...]
    weights: EntityWeights
    engine: str = "local"
    generation: str = ""
    folders: tuple[str, ...] = ()
    refused: tuple[RefusedFile, ...] = ()
    """The problems of users' entities that this build left out."""


@dataclass(frozen=True, slots=True, eq=False)
class EntityRelease:
    """A loaded release; nothing of it changes.

    ``known`` are the words that its texts have, ``spoken`` those of utterances. ``alike`` has the
    unit mean of each entity's texts, None of too many entities.
    """

    manifest: EntityManifest
    document_store: DocumentStore
    backend: Collection
    known: frozenset[str]
    spoken: frozenset[str]
    query_expansion: QueryExpansion
    calls: TopicEntities
    alike: Vectors | None


def in_order(documents: Mapping[EntityType, Sequence[Document]]) -> list[Entry]:
    """Every entity, by type and then by name and slug; one without a slug gets that of its name.

    Of ``documents`` each has the fields that follow from its others and from its texts.

    Raises:
        EntityDataError: there is no entity; or one has no name, nothing to make a slug of, or the
            type and slug of another.
    """
    entries: list[Entry] = []
    for type_ in EntityType:
        by_key: dict[str, Document] = {}
        for number, document in enumerate(documents.get(type_, ()), 1):
            about, name = f"{type_}: document {number}", document.get("name")
            if not isinstance(name, str) or not name.strip():
                raise EntityDataError(f"{about}: name: is missing; give it one")
            slug = str(document.get("slug") or slug_of(name))
            if not slug:
                raise EntityDataError(f"{about}: slug: is missing, and the name {shown(name)} has "
                                      "no letter or digit to make it from; give one")
            if slug in by_key:
                raise EntityDataError(f"{about}: slug: {shown(slug)} is also that of "
                                      f"{shown(by_key[slug]['name'])}; give one of them a slug of "
                                      "its own")
            by_key[slug] = document if document.get("slug") else {**document, "slug": slug}
        entries += [(type_, document) for document in sorted(by_key.values(), key=listing_key)]
    if not entries:
        raise EntityDataError("there is no entity to make an index of; give at least one document")
    return with_classes(entries)


class Spoken(msgspec.Struct, frozen=True, array_like=True):
    """What both lanes read of an entity; the first ``of_card`` windows are its card's."""

    windows: tuple[str, ...]
    of_card: int
    terms: tuple[str, ...]
    words: tuple[str, ...]


def spoken_of(files: Mapping[str, bytes]) -> dict[bytes, Spoken]:
    """What the lanes read of a release's entities, by the digest of each; {} if it is not kept."""
    content = files.get(SPOKEN)
    return msgspec.msgpack.decode(content, type=dict[bytes, Spoken]) if content else {}


def _spoken(type_: EntityType, document: Document, encoder: Encoder) -> Spoken:
    texts_ = parts(type_, document)
    own, of_card = windows_of(document, texts_, encoder)
    known = {word for part in texts_ for word in words("\n".join(part))}
    return Spoken(tuple(own), of_card, terms_of(document, texts_), tuple(sorted(known)))


def build_files(entries: Sequence[Entry], encoder: Encoder, cache: VectorCache,
                progress: Progress | None = None, start: Discriminant | None = None,
                before: Mapping[bytes, Spoken] = MappingProxyType({})) -> dict[str, bytes]:
    """Everything that :func:`assemble` needs, as files.

    ``start`` is the classifier of the build before, and ``before`` what it read of its entities:
    those that have not changed are not read again.
    """
    lines = [_line(type_, document) for type_, document in entries]
    rules = f"{RULES} {encoder.fingerprint} ".encode()
    keys = [hashlib.blake2b(rules + line, digest_size=16).digest() for line in lines]
    read = {key: before.get(key) or _spoken(*entry, encoder)
            for key, entry in zip(keys, entries, strict=True)}
    spoken = [read[key] for key in keys]
    index = HybridIndex.of([entity.windows for entity in spoken],
                           [entity.terms for entity in spoken], cache, progress)
    known = {word for entity in spoken for word in entity.words}
    table = topic_files.entity_topics()
    files = {DOCUMENTS: b"\n".join(lines), **index.dump(),
             WORDS: json.dumps([sorted(known), topic_files.spoken_words(table)],
                               ensure_ascii=False).encode()}
    if len(entries) <= SPOKEN_ENTITIES:
        files[SPOKEN] = msgspec.msgpack.encode(read)
    if len(entries) <= ALIKE_ENTITIES:
        alike = [unit_mean(index.vectors(number)[
                     entity.of_card if len(entity.windows) > entity.of_card else 0 :])
                 for number, entity in enumerate(spoken)]
        files[ALIKE] = arrays.to_bytes(np.stack(alike).astype(np.float16))
    utterance_vectors, _ = cache.encode(texts(table, UTTERANCES))
    names = [str(document["name"]) for _, document in entries]
    expansion = QueryExpansion.build(table, utterance_vectors, index.dense.vectors(), start)
    return files | expansion.dump() | TopicEntities.build(table, names).dump()


def assemble(manifest: EntityManifest, files: Mapping[str, bytes],
             backend: Collection | None = None) -> EntityRelease:
    """The release of those files; both lanes are the local ones, or those of ``backend``."""
    entries = entries_of(files)
    if len(entries) != manifest.entities:
        raise ValueError(f"{len(entries)} entities where the manifest has {manifest.entities}")
    store = DocumentStore(entries)
    alike = None
    if len(entries) <= ALIKE_ENTITIES:
        alike = np.ascontiguousarray(arrays.from_bytes(files[ALIKE]), np.float32)
    lanes = backend or HybridIndex.load(files, len(entries), store.columns, store.spans)
    known, spoken = map(frozenset, json.loads(files[WORDS]))
    return EntityRelease(manifest, store, lanes, known, spoken,
                   QueryExpansion.load(files), TopicEntities.load(files, len(entries)), alike)


def records_of(files: Mapping[str, bytes]) -> Callable[[DenseLane], Iterator[IndexedPassage]]:
    """The entities of a release's files, as engines keep them."""
    return partial(records, entries_of(files))


def manifest_of(name: str, values: Mapping[str, Any]) -> EntityManifest:
    """The manifest of the release ``name`` from its JSON."""
    own = {"fingerprint": name, "weights": EntityWeights(**values["weights"])}
    return msgspec.convert({**values, **own}, EntityManifest)


def unit_mean(vectors: Vectors) -> npt.NDArray[np.float32]:
    """The mean of vectors as a unit vector."""
    mean = vectors.mean(axis=0)
    return np.asarray(mean / max(float(np.linalg.norm(mean)), 1e-9), np.float32)


def _line(type_: EntityType, document: Document) -> bytes:
    return json.dumps([type_, dict(document)], ensure_ascii=False).encode()


def entries_of(files: Mapping[str, bytes]) -> list[Entry]:
    """The entities of a release's files, in order."""
    rows = (json.loads(line) for line in files[DOCUMENTS].decode().split("\n") if line)
    return [(EntityType(type_), document) for type_, document in rows]
