"""Sheets and notes of all campaigns in one Milvus collection, each campaign under types of its own.

The database is what counts: whoever opens a campaign writes those of its pieces that the collection
has not, with the vectors that the database keeps, and tells of no others. So two processes that
import and ask at once do each other no harm, and an engine that was emptied fills itself. A piece
has its number of its text and place; what is no longer said stays behind as rows that nobody is
told of.
"""

from __future__ import annotations

import hashlib
import weakref
from collections.abc import Sequence
from typing import Any, Final

from ..errors import MissingIndexError
from ..retrieval.backends.milvus import FETCHED, STRONG, MilvusBackend
from ..retrieval.backends.milvus_writer import WINDOW_BITS, MilvusWriter
from ..retrieval.backends.term_stats import TermStatistics
from ..retrieval.collection import STANDARD, IndexedPassage
from ..retrieval.encoder import Encoder
from ..retrieval.index import VectorCache, passage_terms
from ..settings import Settings
from ..text.languages import Language
from .search import HEADING_WEIGHT, CampaignIndex, fields_of, language_of, passage_of, pieces_of
from .types import CampaignDocument, CampaignPiece, Known

COLLECTION: Final = "mvp_site_campaigns"
_NUMBER_BITS: Final = 62 - WINDOW_BITS


class _Writer(MilvusWriter):
    """A writer that others may write beside: a row that is there already is written again."""

    def _insert(self, client: Any, rows: list[dict[str, Any]]) -> None:
        client.upsert(self.generation, rows, timeout=self._connection.timeout)

    def lacking(self, records: Sequence[IndexedPassage]) -> list[IndexedPassage]:
        """Those of the records whose last row the collection has not."""
        rows = [passage.number << WINDOW_BITS | len(passage.vectors) - 1 for passage in records]
        numbers: set[int] = set()
        with self._connection.asked(f"to look at {self.generation}") as client:
            for start in range(0, len(rows), FETCHED):
                some = ", ".join(map(str, rows[start : start + FETCHED]))
                numbers |= {int(row["row"]) for row in client.query(
                    self.generation, filter=f"row in [{some}]", output_fields=["row"],
                    timeout=self._connection.timeout, consistency_level=STRONG,
                )}
        return [passage for row, passage in zip(rows, records, strict=True) if row not in numbers]


def shared_index(settings: Settings, campaign: str, documents: Sequence[CampaignDocument],
                 entities: Sequence[Known], encoder: Encoder, *, texts: Sequence[Sequence[str]],
                 cache: VectorCache) -> CampaignIndex:
    """The index of a campaign in the collection of all, which then has all its pieces.

    ``texts`` are those of each piece, ``cache`` has what is encoded already.

    Raises:
        BackendError: Milvus is not reached or refuses.
    """
    uri, token = str(settings.mvp_site_milvus_uri), settings.mvp_site_milvus_token
    pieces = pieces_of(documents)
    language = language_of(documents)
    records = [_record(campaign, *piece, of_it, cache, language)
               for piece, of_it in zip(pieces, texts, strict=True)]
    stats, name = TermStatistics.of(records), collection_of(encoder)
    backend = _opened(uri, name, token, stats, encoder.dimension)
    writer = _Writer.join(uri, backend.generation, token=token)
    try:
        writer.write(writer.lacking(records))
    finally:
        writer.close()
    index = CampaignIndex(campaign, documents, entities, encoder, backend,
                          [passage.number for passage in records])
    weakref.finalize(index, backend.close)  # not before the last search of it has ended
    return index


def collection_of(encoder: Encoder) -> str:
    """The name of the collection of an encoder's vectors."""
    mark = hashlib.blake2b(encoder.fingerprint.encode(), digest_size=4).hexdigest()
    return f"{COLLECTION}_{mark}"


def _opened(uri: str, name: str, token: str | None, stats: TermStatistics, dimension: int,
            ) -> MilvusBackend:
    try:
        return MilvusBackend.open(uri, name, stats, token, consistency=STRONG)
    except MissingIndexError:
        writer = _Writer.create(uri, name, dimension, STANDARD, token=token)
        try:
            writer.publish()
        finally:
            writer.close()
        return MilvusBackend.open(uri, name, stats, token, consistency=STRONG)


def _record(campaign: str, document: CampaignDocument, piece: CampaignPiece, texts: Sequence[str],
            cache: VectorCache, language: Language) -> IndexedPassage:
    passage = passage_of(document, piece)
    content = "\0".join((campaign, passage.id, piece.audience, *language.codes, *texts))
    digest = hashlib.blake2b(content.encode("utf-8", "replace"), digest_size=8).digest()
    return IndexedPassage(
        int.from_bytes(digest) >> (64 - _NUMBER_BITS), f"{campaign}/{document.kind}",
        tuple(passage_terms(passage, HEADING_WEIGHT, language)), cache.encode(texts)[0],
        fields_of(document, piece),
    )
