"""The Marqo engine: what it asks over HTTP, which index it serves, and everything that can fail."""

from __future__ import annotations

import base64
import logging
from collections.abc import Iterator

import numpy as np
import pytest

from mvp_site.errors import BackendError, MissingIndexError
from mvp_site.retrieval.backends import marqo as module
from mvp_site.retrieval.backends.marqo import MarqoBackend, MarqoWriter
from mvp_site.retrieval.backends.term_stats import TermStatistics
from mvp_site.retrieval.collection import IndexedPassage, SearchRequest
from mvp_site.retrieval.filters import AnyOf

from .engines import fill, fill_marqo
from .marqo_server import MarqoServer, marqo_server
from .passages import DIMENSION, FIELDS, unit

STATS = TermStatistics(0, 0, 3, 2, {})
SOME = SearchRequest(("g",), unit(1, 1)[0], ("fire",))


@pytest.fixture
def server(_loopback: None) -> Iterator[MarqoServer]:
    with marqo_server() as running:
        yield running


def passages(numbers: range) -> list[IndexedPassage]:
    return [
        IndexedPassage(n, "g", ("fire", f"n{n}"), unit(1 + n % 3, n), {"level": float(n), "school": "evo"})
        for n in numbers
    ]


def writer_of(server: MarqoServer) -> MarqoWriter:
    return MarqoWriter.create(server.url, "passages", DIMENSION, FIELDS)


def test_matching_goes_on_past_the_most_hits(server: MarqoServer, monkeypatch: pytest.MonkeyPatch,
                                             ) -> None:
    monkeypatch.setattr(module, "MOST", 7)
    monkeypatch.setattr(module, "READ", 5)
    fill_marqo(server.url, "passages", passages(range(50)))
    backend = MarqoBackend.open(server.url, "passages", STATS)
    assert backend.search(SearchRequest(("g",))).numbers.tolist() == list(range(50))
    assert backend.search(SearchRequest(("g",), where=(AnyOf("level", (49.0, 7.0)),))).numbers.tolist() == [7, 49]
    assert len(backend.search(SearchRequest(("g",), None, ("fire",), also=tuple(range(50)))).numbers) == 50
    backend.close()


def test_a_filter_that_marqo_gets_wrong_is_respected_all_the_same(server: MarqoServer) -> None:
    index = fill_marqo(server.url, "passages", passages(range(10)))
    backend = MarqoBackend.open(server.url, "passages", STATS)
    for document in server.indexes[index].documents.values():
        document["group"] = "\ue011G"
    server.indexes[index].documents["1-0"]["group"] = "\ue011g"
    assert backend.search(SearchRequest(("g",), None, ("fire",), also=(1, 2))).numbers.tolist() == [1]
    backend.close()


def test_the_newest_published_index_is_served_and_those_before_until_they_are_pruned(server: MarqoServer) -> None:
    first = fill_marqo(server.url, "passages", passages(range(2)))
    fill_marqo(server.url, "other", passages(range(9)))
    old = MarqoBackend.open(server.url, "passages", STATS)
    second = fill_marqo(server.url, "passages", passages(range(5)))
    unborn = MarqoWriter.create(server.url, "passages", DIMENSION, FIELDS)
    unborn.write(passages(range(7)))
    new = MarqoBackend.open(server.url, "passages", STATS)
    assert (old.generation, new.generation) == (first, second)
    assert len(old.search(SearchRequest(("g",))).numbers) == 2
    assert MarqoBackend.open(server.url, first, STATS).generation == first
    with pytest.raises(MissingIndexError, match="mvp-site entities build"):
        MarqoBackend.open(server.url, unborn.generation, STATS)
    # The dead index that was never marked is newer than the one that is served.
    third = fill(writer_of(server), passages(range(3)), keep=[second])
    assert [name for name in server.indexes if name.startswith("passages-")] == [second, third]
    assert [name for name in server.indexes if name.startswith("other-")]
    assert len(new.search(SearchRequest(("g",))).numbers) == 5
    with pytest.raises(BackendError, match="open the one that is served now, or build it: mvp-site"):
        old.search(SOME)


def test_documents_that_marqo_refuses_are_not_lost_in_silence(
        server: MarqoServer) -> None:
    writer = MarqoWriter.create(server.url, "passages", DIMENSION, FIELDS)
    with pytest.raises(BackendError, match="refuses 1 of 1 documents"):
        writer.write([IndexedPassage(0, "g", (), np.ones((1, 3), np.float32), {})])
    for fields in ({"unknown": "a"}, {"level": "a"}):
        with pytest.raises(BackendError, match="was made without the field"):
            writer.write([IndexedPassage(0, "g", (), unit(1, 0), fields)])


@pytest.mark.parametrize("url", ["http://user:hunter2@127.0.0.1:9", "http://127.0.0.1:9/"])
def test_where_nobody_answers(url: str, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(BackendError, match=r"check its health: GET http://127\.0\.0\.1:9/health"):
        MarqoBackend.open(url, "passages", STATS, timeout=0.5)
    assert [record.name for record in caplog.records if record.levelno == logging.ERROR] == [
        "mvp_site.marqo"
    ]
    assert "hunter2" not in caplog.text


@pytest.mark.parametrize("fault", [
    (500, b'{"message": "vespa is down", "code": "internal", "type": "internal"}'),
    (503, b"<html>busy</html>"), (200, b"<html>a proxy</html>"), (200, b"{}"), (200, b"[]"),
    (200, b""), (429, b"[1]"), (200, b'{"hits": [{}], "results": [{"_found": true}]}'),
])
def test_a_fault_never_becomes_an_empty_answer(server: MarqoServer, fault: tuple[int, bytes]) -> None:
    fill_marqo(server.url, "passages", passages(range(3)))
    backend = MarqoBackend.open(server.url, "passages", STATS)
    server.answer = lambda method, path: fault
    for ask in (lambda: backend.search(SOME), lambda: backend.search(SearchRequest(("g",))).numbers,
                lambda: backend.vectors(1)):
        with pytest.raises(BackendError):
            ask()


def test_credentials_are_sent_and_not_shown(server: MarqoServer) -> None:
    fill_marqo(server.url, "passages", passages(range(1)))
    url = server.url.replace("http://", "http://Root:Pa%40ss@")
    backend = MarqoBackend.open(url, "passages", STATS)
    headers = server.seen[-1][3]
    assert headers["Authorization"] == f"Basic {base64.b64encode(b'Root:Pa@ss').decode()}"
    backend.close()
    with pytest.raises(BackendError) as caught:
        backend.search(SOME)
    assert "was closed" in str(caught.value)
    assert "Pa" not in str(caught.value)
