"""Sheets and notes of all campaigns in one Milvus collection, each campaign under types of its own.

The database is what counts. Its processes agree in it on the collection. Whoever opens a campaign
writes those of its pieces that the collection has not, with the vectors that the database keeps,
and removes the rows of what is no longer said. So two processes that import and ask at once do each
other no harm, and an engine that was emptied fills itself. A piece has its number of its text and
place.
"""

from __future__ import annotations

import hashlib
import re
import time
import weakref
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any, Final

from ..retrieval.backends.engine import EngineFailureError
from ..retrieval.backends.milvus import STRONG, WINDOW_BITS, Milvus, MilvusBackend
from ..retrieval.backends.milvus_filters import TAGS, expression, texts_in
from ..retrieval.backends.milvus_writer import MilvusWriter
from ..retrieval.backends.plain import plain
from ..retrieval.backends.term_stats import TermStatistics
from ..retrieval.collection import STANDARD, Hits, IndexedPassage, SearchRequest, standard
from ..retrieval.encoder import Encoder
from ..retrieval.index import VectorCache, passage_terms
from ..settings import Settings
from ..store.campaign_documents import CampaignDocuments
from ..text.languages import Language
from ..types import Audience
from .search import HEADING_WEIGHT, CampaignIndex, passage_of, pieces_of
from .types import KINDS, CampaignDocument, CampaignPiece, Kind, KnownName

COLLECTION: Final = "mvp_site_campaigns"
CHECK_SECONDS: Final = 10.0
"""How often who holds a campaign sees that its rows are all there."""
_PAGE: Final = 8_192
_NUMBER_BITS: Final = 62 - WINDOW_BITS


class CampaignRows(MilvusBackend):
    """The collection of all campaigns, asked for one that should have ``rows`` of an audience.

    It is counted whether they are there, but for those of a file, which this process alone has.

    Raises from :meth:`search`:
        EngineFailureError: kind ``gone``, where some are not there: open the campaign again.
    """

    _request: SearchRequest
    _rows_expected = 0
    _looked = 0.0

    def expecting(self, rows: int, request: SearchRequest) -> CampaignRows:
        """This, which looks from time to time whether ``request`` still gives so many rows."""
        self._rows_expected, self._request, self._looked = rows, request, time.monotonic()
        return self

    def search(self, query: SearchRequest) -> Hits:
        """What the query finds in either lane, and its ``also``, scored exactly."""
        if not self._connection.file and time.monotonic() - self._looked > CHECK_SECONDS:
            self._looked = time.monotonic()
            where = expression(self._request.types, self._request.condition, self._columns)
            counted = self._asked("to count rows", lambda client: client.query(
                self.generation, filter=where, output_fields=["count(*)"],
                timeout=self._connection.timeout, consistency_level=STRONG,
            ))
            if int(counted[0]["count(*)"]) < self._rows_expected:
                raise EngineFailureError(
                    f"Milvus at {self._connection.shown} has lost rows of a campaign; they are "
                    "written again with the next question", "gone",
                )
        return super().search(query)


class _Rows(MilvusWriter):
    """The rows of a collection that others write beside: read, written again, and removed."""

    shared = True

    def numbered(self, where: str | None) -> set[int]:
        """The rows of which ``where`` holds."""
        return {int(row["row"]) for row in self.read(where or "number < 0")}

    def read(self, where: str, *columns: str) -> list[Any]:
        """Columns of the rows of which ``where`` holds."""
        timeout = self._connection.timeout
        with self._connection.asked(f"to look at {self.generation}") as client:
            client.load_collection(self.generation, timeout=timeout)  # at once if it is loaded
            pages = client.query_iterator(
                self.generation, batch_size=_PAGE, filter=where, output_fields=["row", *columns],
                timeout=timeout, consistency_level=STRONG,
            )
            rows = [row for page in iter(pages.next, []) for row in page]
            pages.close()
        return rows

    def remove(self, rows: Collection[int]) -> None:
        """Remove rows."""
        ordered = sorted(rows)
        with self._connection.asked(f"to remove rows of {self.generation}") as client:
            for start in range(0, len(ordered), _PAGE):
                client.delete(self.generation, ids=ordered[start : start + _PAGE],
                              timeout=self._connection.timeout)


class SharedCollection:
    """The collection of an encoder's vectors that the processes of one database share.

    Raises from every method:
        BackendError: Milvus is not reached or refuses.
    """

    def __init__(self, settings: Settings, documents: CampaignDocuments, encoder: Encoder) -> None:
        self._uri = str(settings.mvp_site_milvus_uri)
        self._token = settings.mvp_site_milvus_token
        self._documents, self._encoder = documents, encoder
        mark = hashlib.blake2b(encoder.fingerprint.encode(), digest_size=4).hexdigest()
        self.name = f"{COLLECTION}_{mark}"

    def index(self, campaign: str, audience: Audience, documents: Sequence[CampaignDocument],
              entities: Sequence[KnownName], passages: NumberedPassages, stats: TermStatistics,
              ) -> CampaignIndex:
        """The index of what an audience may see, whose pieces are ``passages``, filled already."""
        backend = CampaignRows.open(self._uri, self._ready(), stats, self._token,
                                    consistency=STRONG)
        backend.expecting(sum(passages.windows.values()),
                          SearchRequest(_types(campaign), audience=audience))
        index = CampaignIndex(campaign, documents, entities, self._encoder, backend,
                              [*passages.windows])
        weakref.finalize(index, backend.close)  # not before the last search of it has ended
        return index

    def fill(self, passages: NumberedPassages, cache: VectorCache,
             is_current: Callable[[], bool]) -> bool:
        """Write what of a campaign's ``passages`` is not there, and remove all other rows of it.

        ``cache`` has what is encoded already. Nothing is removed, and the answer is False, if they
        are not the campaign's any more: then what is there may be of those who came after.
        """
        with closing(_Rows.join(self._uri, self._ready(), token=self._token)) as writer:
            rows = writer.numbered(expression(_types(passages.campaign), (), ()))
            writer.write(passages.records(cache, {
                number for number, windows in passages.windows.items()
                if number << WINDOW_BITS | windows - 1 not in rows}))
            if not is_current():
                return False
            writer.remove({row for row in rows if row >> WINDOW_BITS not in passages.windows})
        return True

    def rows_of(self, campaign: str, kind: Kind, sources: Sequence[str]) -> set[int]:
        """The rows that documents have."""
        generation, _ = self._documents.collection(self.name)
        with self._existing(generation) as writer:
            return set() if writer is None else {
                row for source in sources for row in writer.numbered(expression(
                    (f"{campaign}/{kind}",), SearchRequest(sources=(source,)).condition, ()))
            }

    def remove(self, rows: Collection[int]) -> None:
        """Remove rows."""
        generation, _ = self._documents.collection(self.name)
        with self._existing(generation) as writer:
            if writer is not None:
                writer.remove(rows)

    def forget(self, campaign: str) -> int:
        """How many rows a campaign had; they are gone, whatever encoder they were for."""
        removed = 0
        for generation in self._documents.collections()[1]:
            with self._existing(generation) as writer:
                if writer is not None:
                    rows = writer.numbered(expression(_types(campaign), (), ()))
                    writer.remove(rows)
                    removed += len(rows)
        return removed

    def strays(self, *, removed: bool) -> int:
        """How many rows are of no document of the database; with ``removed`` they are gone."""
        count = 0
        for generation in self._documents.collections()[1]:
            with self._existing(generation) as writer:
                if writer is None:
                    continue
                rows = writer.read("number >= 0", "group", TAGS)
                # Read after the rows: what is imported meanwhile has its document already.
                own = {(plain(f"{stamp.campaign}/{stamp.kind}"), plain(stamp.id))
                       for stamp in self._documents.stamps()}
                strays = {int(row["row"]) for row in rows if not any(
                    (row["group"], source) in own for source in texts_in(row[TAGS], "source"))}
                count += len(strays)
                if removed:
                    writer.remove(strays)
        return count

    def orphans(self, *, removed: bool) -> tuple[str, ...]:
        """This database's collections that nobody uses; with ``removed`` they are gone."""
        mark, used = self._documents.collections()
        parts = re.compile(rf"{COLLECTION}_[0-9a-f]{{8}}_{mark}_[0-9a-f]{{8}}")
        with closing(Milvus.open(self._uri, self._token)) as milvus:
            with milvus.asked("to list collections") as client:
                names = client.list_collections(timeout=milvus.timeout)
            orphans = sorted(
                name for name in names if parts.fullmatch(name) and name not in used)
            for name in orphans if removed else ():
                with milvus.asked(f"to drop {name}") as client:
                    client.drop_collection(name, timeout=milvus.timeout)
        return tuple(orphans)

    def _ready(self) -> str:
        """The collection that is agreed on, which is there, indexed and loaded."""
        generation, is_made = self._documents.collection(self.name)
        if is_made:
            with (closing(Milvus.open(self._uri, self._token)) as milvus,
                  milvus.asked(f"to look for {generation}") as client):
                if client.has_collection(generation, timeout=milvus.timeout):
                    return generation
        # Another name: who still asks the lost one must not find the new one half filled.
        with self._documents.making(self.name, generation if is_made else "") as (
                generation, is_made):
            if not is_made:
                with closing(_Rows.create(
                    self._uri, self.name, self._encoder.dimension, STANDARD, token=self._token,
                    generation=generation,
                )) as writer:
                    writer.make_ready()
        return generation

    @contextmanager
    def _existing(self, generation: str) -> Iterator[_Rows | None]:
        """The rows of a collection; None where it is not there."""
        if not generation:
            yield None
            return
        try:
            writer = _Rows.join(self._uri, generation, token=self._token)
        except EngineFailureError as failure:
            if failure.kind != "gone":
                raise
            yield None
            return
        with closing(writer):
            yield writer


class NumberedPassages:
    """Pieces of a campaign's documents as the collection keeps them, each under its number.

    ``texts`` are those of each piece, in the ``language`` of the whole campaign. ``windows`` has by
    each number how many there are.
    """

    def __init__(self, campaign: str, documents: Sequence[CampaignDocument],
                 texts: Sequence[Sequence[str]], language: Language) -> None:
        self.campaign, self._language = campaign, language
        self._pieces = {
            _number(campaign, *piece, own, language): (piece, own)
            for piece, own in zip(pieces_of(documents), texts, strict=True)}
        self.windows = {number: len(own) for number, (_, own) in self._pieces.items()}

    def records(self, cache: VectorCache, numbers: Collection[int]) -> Iterator[IndexedPassage]:
        """Those of ``numbers``; ``cache`` has what is encoded already."""
        for number in numbers:
            (document, piece), own = self._pieces[number]
            yield IndexedPassage(
                number, f"{self.campaign}/{document.kind}", self._terms(number),
                cache.encode(own)[0], standard(document.id, piece.audience))

    def statistics(self) -> TermStatistics:
        """Those of the words of all."""
        return TermStatistics.of_terms(
            (self._terms(number), windows) for number, windows in self.windows.items())

    def _terms(self, number: int) -> tuple[str, ...]:
        passage = passage_of(*self._pieces[number][0])
        return tuple(passage_terms(passage, HEADING_WEIGHT, self._language))


def _number(campaign: str, document: CampaignDocument, piece: CampaignPiece,
            texts: Sequence[str], language: Language) -> int:
    """The number of a piece, of its text and place, and the language of the campaign."""
    passage = passage_of(document, piece)
    content = "\0".join((campaign, passage.id, piece.audience, *language.codes, *texts))
    digest = hashlib.blake2b(content.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest) >> (64 - _NUMBER_BITS)


def _types(campaign: str) -> tuple[str, ...]:
    return tuple(f"{campaign}/{kind}" for kind in KINDS)
