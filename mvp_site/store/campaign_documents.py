"""Characters, session notes and routings of campaigns, as they are kept in SQL."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Connection, Row, delete, insert, select, update
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from ..errors import StoreError, UnknownRoutingError
from ..text.strict_json import shown
from . import rows
from .database import Database
from .tables import campaign_builds, engine_collections, routings
from .tables import campaign_documents as documents

if TYPE_CHECKING:
    from .campaigns import Clock

_BUILD_BYTES: Final = 8 * 2**20
"""Bytes of a row that has a piece of what was built."""
MAKING: Final = 60.0
"""Seconds that a collection may take to be made."""
_STAMP: Final = (
    documents.c.campaign_id, documents.c.kind, documents.c.id, documents.c.title,
    documents.c.number, documents.c.updated, documents.c.digest,
)


@dataclass(frozen=True, slots=True)
class DocumentStamp:
    """A document without its text; ``number`` is a session's.

    ``digest`` is another for another text; times are in UTC.
    """

    campaign: str
    kind: str
    id: str
    title: str
    number: float | None
    updated: datetime
    digest: str


@dataclass(frozen=True, slots=True)
class NewDocument:
    """A document to be kept.

    ``vectors`` are those of its windows by ``encoder``, and ``vector_keys`` say of which texts, as
    bytes; None where nothing was encoded.
    """

    kind: str
    id: str
    title: str
    source: str
    number: float | None = None
    encoder: str | None = None
    vector_keys: bytes | None = None
    vectors: bytes | None = None

    @property
    def digest(self) -> str:
        """A name of its text."""
        return hashlib.blake2b(self.source.encode("utf-8", "replace"), digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class Routing:
    """What routers ``decided`` for a question, by domain, and what they should have.

    ``corrected`` is None where nobody has said so.
    """

    id: str
    campaign_id: str | None
    created: datetime
    asked: Mapping[str, Any]
    decided: Mapping[str, Any]
    corrected: Mapping[str, Any] | None


class CampaignDocuments:
    """The documents of all campaigns. Safe to use from several threads and processes at once.

    Raises from every method:
        InvalidTurnError: an id cannot be stored.
        StoreError: the database cannot be read or written.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database, self._clock = database, clock

    def save(self, campaign_id: str, documents: Sequence[NewDocument]) -> None:
        """Keep documents in place of those of their kind and id; all or none."""
        with self._database.write(f"writing documents of campaign {campaign_id!r}") as connection:
            self.write(connection, campaign_id, documents)

    def write(self, connection: Connection, campaign_id: str, docs: Sequence[NewDocument]) -> None:
        """As :meth:`save`, within a transaction."""
        rows.name(campaign_id, "the campaign id")
        updated = rows.microseconds(self._clock(), "the clock's time")
        for document in docs:
            rows.name(document.id, f"the id of the {document.kind}")
            connection.execute(delete(documents).where(
                documents.c.campaign_id == campaign_id, documents.c.kind == document.kind,
                documents.c.id == document.id,
            ))
            connection.execute(insert(documents), {
                **asdict(document), "digest": document.digest, "campaign_id": campaign_id,
                "updated": updated, "source": rows.written(document.source, "the document"),
            })
        self._drop_builds(connection, campaign_id)

    def keep_vectors(self, campaign_id: str, rows: Sequence[NewDocument]) -> None:
        """Keep the vectors of documents that are there with the same text."""
        with self._database.write(f"keeping vectors of campaign {campaign_id!r}") as connection:
            for row in rows:
                connection.execute(update(documents).where(
                    documents.c.campaign_id == campaign_id, documents.c.kind == row.kind,
                    documents.c.id == row.id, documents.c.digest == row.digest,
                ).values(encoder=row.encoder, vector_keys=row.vector_keys, vectors=row.vectors))

    def stamps(self, campaign_id: str | None = None, kind: str | None = None,
               ) -> tuple[DocumentStamp, ...]:
        """The documents without their texts, by campaign, kind, number and id."""
        query = select(*_STAMP).order_by(
            documents.c.campaign_id, documents.c.kind, documents.c.number, documents.c.id
        )
        if campaign_id is not None:
            rows.name(campaign_id, "the campaign id")
            query = query.where(documents.c.campaign_id == campaign_id)
        if kind is not None:
            query = query.where(documents.c.kind == kind)
        with self._database.read("listing documents") as connection:
            records = connection.execute(query).all()
        return tuple(
            DocumentStamp(
                *row[:5], rows.read_time(row.updated, f"the {row.kind} {shown(row.id)}"), row.digest
            ) for row in records
        )

    def load(self, campaign_id: str, damaged: dict[tuple[str, str], str] | None = None,
             ) -> tuple[NewDocument, ...]:
        """The documents of a campaign, whole, by kind, number and id.

        With ``damaged``, one whose text cannot be read is left out, and why is put there by kind
        and id.
        """
        with self._database.read(f"reading documents of campaign {campaign_id!r}") as connection:
            return self.read(connection, campaign_id, damaged)

    def read(self, connection: Connection, campaign_id: str,
             damaged: dict[tuple[str, str], str] | None = None) -> tuple[NewDocument, ...]:
        """As :meth:`load`, within a transaction."""
        rows.name(campaign_id, "the campaign id")
        query = select(documents).where(documents.c.campaign_id == campaign_id).order_by(
            documents.c.kind, documents.c.number, documents.c.id
        )
        records = connection.execute(query).all()
        names = [field.name for field in fields(NewDocument)]
        loaded = []
        for row in records:
            try:
                source = rows.read_text(row.source, f"the {row.kind} {shown(row.id)}")
            except StoreError as error:
                if damaged is None:
                    raise
                damaged[row.kind, row.id] = str(error)
                continue
            loaded.append(NewDocument(
                **{name: getattr(row, name) for name in names} | {"source": source}
            ))
        return tuple(loaded)

    def delete(self, campaign_id: str, kind: str, document_id: str) -> bool:
        """Whether there was such a document; it is gone."""
        rows.name(campaign_id, "the campaign id")
        with self._database.write(f"deleting a {kind} of {campaign_id!r}") as connection:
            deleted = connection.execute(delete(documents).where(
                documents.c.campaign_id == campaign_id, documents.c.kind == kind,
                documents.c.id == document_id,
            )).rowcount
            self._drop_builds(connection, campaign_id)
        return deleted > 0

    def build(self, campaign_id: str, part: str, version: str) -> bytes | None:
        """What was built as a ``part`` of a campaign, and kept, of this very version."""
        table = campaign_builds.c
        query = select(table.content).where(
            table.campaign_id == campaign_id, table.part == part, table.version == version,
        ).order_by(table.piece)
        with self._database.read(f"reading campaign {campaign_id!r}") as connection:
            return b"".join(connection.execute(query).scalars()) or None

    def keep_build(self, campaign_id: str, part: str, version: str, content: bytes,
                   of: Sequence[NewDocument]) -> None:
        """Keep what was built ``of`` documents, unless they are not the campaign's any more."""
        stamps, table = {(row.kind, row.id, row.digest) for row in of}, campaign_builds.c
        with self._database.write(f"keeping campaign {campaign_id!r}") as connection:
            # Who deletes one waits until this is written, and then deletes this too.
            current = connection.execute(select(
                documents.c.kind, documents.c.id, documents.c.digest,
            ).where(documents.c.campaign_id == campaign_id).with_for_update()).all()
            if {tuple(row) for row in current} != stamps:
                return
            connection.execute(delete(campaign_builds).where(
                table.campaign_id == campaign_id, table.part == part))
            for piece, start in enumerate(range(0, len(content), _BUILD_BYTES)):
                connection.execute(insert(campaign_builds), {
                    "campaign_id": campaign_id, "part": part, "piece": piece, "version": version,
                    "content": content[start : start + _BUILD_BYTES],
                })

    @staticmethod
    def _drop_builds(connection: Connection, campaign_id: str) -> None:
        connection.execute(
            delete(campaign_builds).where(campaign_builds.c.campaign_id == campaign_id))

    def collection(self, name: str) -> tuple[str, bool]:
        """The collection of an engine that all processes use as ``name``; whether it was made.

        '' where none was agreed on yet.
        """
        query = select(engine_collections.c.generation, engine_collections.c.made).where(
            engine_collections.c.name == name)
        with self._database.read("looking for a collection") as connection:
            row = connection.execute(query).one_or_none()
        return ("", False) if row is None else (row.generation, row.made)

    @contextmanager
    def making(self, name: str, lost: str = "") -> Iterator[tuple[str, bool]]:
        """As :meth:`collection`, to make it in the block; others who would wait.

        It is drawn the first time, and again where it is the ``lost`` one. At the end it is made.
        """
        table = engine_collections.c
        with self._database.write("agreeing on a collection", patience=MAKING) as connection:
            mark = self._drawn(connection, "", secrets.token_hex(4)).generation
            row = self._drawn(connection, name, f"{name}_{mark}_{secrets.token_hex(4)}")
            generation, is_made = row.generation, row.made
            if lost and generation == lost:
                generation, is_made = f"{name}_{mark}_{secrets.token_hex(4)}", False
            yield generation, is_made
            connection.execute(update(engine_collections).where(table.name == name).values(
                generation=generation, made=True))

    def collections(self) -> tuple[str, tuple[str, ...]]:
        """The mark of this database in the names of its collections, and those in use."""
        query = select(engine_collections.c.name, engine_collections.c.generation)
        with self._database.read("listing collections") as connection:
            names = {row.name: row.generation for row in connection.execute(query)}
        return names.pop("", ""), tuple(names.values())

    @staticmethod
    def _drawn(connection: Connection, name: str, generation: str) -> Row[Any]:
        """The row of a name, locked; it is made where there is none."""
        of = sqlite_insert if connection.dialect.name == "sqlite" else postgresql_insert
        connection.execute(of(engine_collections).on_conflict_do_nothing(),
                           {"name": name, "generation": generation, "made": False})
        return connection.execute(select(engine_collections).where(
            engine_collections.c.name == name).with_for_update()).one()

    def save_routing(self, campaign_id: str | None, request: Mapping[str, Any],
                     decided: Mapping[str, Any]) -> str:
        """The id under which a question's routing is kept."""
        new_id = secrets.token_hex(12)
        if campaign_id is not None:
            rows.name(campaign_id, "the campaign id")
        with self._database.write("keeping a routing") as connection:
            connection.execute(insert(routings), {
                "id": new_id, "campaign_id": campaign_id,
                "created": rows.microseconds(self._clock(), "the clock's time"),
                "asked": rows.document(request, "the question"),
                "decided": rows.document(decided, "the decisions"),
            })
        return new_id

    def correct(self, routing_id: str, corrected: Mapping[str, Any]) -> Routing:
        """A routing with what it should have been, by domain; None takes a correction back.

        What is corrected already of other domains is kept beside it.

        Raises:
            UnknownRoutingError: there is none of this id.
        """
        with self._database.write("correcting a routing") as connection:
            row = connection.execute(
                select(routings).where(routings.c.id == routing_id).with_for_update()
            ).one_or_none()
            if row is None:
                raise UnknownRoutingError(
                    f"there is no routing {shown(routing_id)}: take the id of an answer"
                )
            entry = _routing(row)
            both = {domain: decided for domain, decided in {
                **(entry.corrected or {}), **corrected}.items() if decided is not None}
            connection.execute(update(routings).where(routings.c.id == routing_id).values(
                corrected=rows.document(both, "the correction") if both else None
            ))
        return Routing(entry.id, entry.campaign_id, entry.created, entry.asked, entry.decided, both)

    def routings(self, campaign_id: str | None = None, *, corrected_only: bool = False,
                 limit: int = 10_000) -> tuple[Routing, ...]:
        """Routings of a campaign, or of all, the newest first."""
        query = select(routings).order_by(routings.c.seq.desc()).limit(limit)
        if campaign_id is not None:
            query = query.where(routings.c.campaign_id == campaign_id)
        if corrected_only:
            query = query.where(routings.c.corrected.is_not(None))
        with self._database.read("reading routings") as connection:
            return tuple(map(_routing, connection.execute(query).all()))


def _routing(row: Any) -> Routing:
    label = f"routing {shown(row.id)}"
    return Routing(
        row.id, row.campaign_id, rows.time(row.created, "created"),
        rows.read_document(row.asked, label), rows.read_document(row.decided, label),
        None if row.corrected is None else rows.read_document(row.corrected, label),
    )
