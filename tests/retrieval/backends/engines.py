"""Every engine, opened over the same records; a test asks for a kind by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from milvus_lite.adapter.grpc.server import start_server_in_thread

from mvp_site.retrieval.backends.engine import Writer
from mvp_site.retrieval.backends.marqo import MarqoBackend, MarqoWriter
from mvp_site.retrieval.backends.milvus import MilvusBackend
from mvp_site.retrieval.backends.milvus_writer import MilvusWriter
from mvp_site.retrieval.backends.term_stats import TermStatistics
from mvp_site.retrieval.collection import Collection, IndexedPassage
from mvp_site.retrieval.filters import FilterField

from .marqo_server import marqo_server
from .passages import DIMENSION, FIELDS, opened

Opened = Callable[[Sequence[IndexedPassage], Path], Iterator[Collection]]


def _local(records: Sequence[IndexedPassage], _: Path) -> Iterator[Collection]:
    yield opened(records)


def _milvus_file(records: Sequence[IndexedPassage], folder: Path) -> Iterator[Collection]:
    uri = str(folder / "passages.db")
    yield from _milvus(uri, records)


def _milvus_server(records: Sequence[IndexedPassage], folder: Path) -> Iterator[Collection]:
    with milvus_server(folder) as uri:
        yield from _milvus(uri, records)


def _milvus(uri: str, records: Sequence[IndexedPassage]) -> Iterator[Collection]:
    fill_milvus(uri, "passages", records)
    backend = MilvusBackend.open(uri, "passages", TermStatistics.of(records))
    yield backend
    backend.close()


def _marqo(records: Sequence[IndexedPassage], _: Path) -> Iterator[Collection]:
    with marqo_server() as server:
        fill_marqo(server.url, "passages", records)
        backend = MarqoBackend.open(server.url, "passages", TermStatistics.of(records))
        yield backend
        backend.close()


def fill_marqo(url: str, name: str, records: Sequence[IndexedPassage], fields: Sequence[FilterField] = FIELDS,
               ) -> str:
    """Write and publish an index of ``name``; which it is."""
    return fill(MarqoWriter.create(url, name, DIMENSION, fields), records)


def fill_milvus(uri: str, name: str, records: Sequence[IndexedPassage], fields: Sequence[FilterField] = FIELDS,
                ) -> str:
    """Write and publish a generation of ``name``; which it is."""
    return fill(MilvusWriter.create(uri, name, DIMENSION, fields), records)


def fill(writer: Writer[Any], records: Sequence[IndexedPassage], keep: set[str] | None = None) -> str:
    """Write and publish with any engine's writer; which generation it is.

    Of those before, ``keep`` stay; unset, all do.
    """
    writer.write(records)
    writer.publish()
    if keep is not None:
        writer.prune(keep)
    writer.close()
    return writer.generation


@contextmanager
def milvus_server(folder: Path) -> Iterator[str]:
    """A Milvus Lite that is reached as a cluster is, by an http URI."""
    server, db, port = start_server_in_thread(str(folder / "served"))
    yield f"http://127.0.0.1:{port}"
    server.stop(grace=None).wait()
    db.close()


ENGINES: dict[str, Opened] = {
    "local": _local, "milvus file": _milvus_file, "milvus server": _milvus_server,
    "marqo": _marqo,
}
