"""The Milvus engine: generations and the alias, and everything that can fail.

Milvus Lite serves as a cluster does, over gRPC at an http URI, or embedded in a file.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from milvus_lite.adapter.grpc.server import start_server_in_thread
from pymilvus import MilvusClient
from pymilvus.exceptions import MilvusException

from mvp_site.content.types import EntityType, fields_of
from mvp_site.errors import BackendError, MissingIndexError, SettingsError
from mvp_site.retrieval.backends import milvus_writer
from mvp_site.retrieval.backends.milvus import MilvusBackend
from mvp_site.retrieval.backends.milvus_writer import MilvusWriter
from mvp_site.retrieval.backends.term_stats import TermStatistics
from mvp_site.retrieval.collection import IndexedPassage, SearchRequest
from mvp_site.retrieval.filters import AnyOf, FieldKind, FilterField

from .engines import fill, fill_milvus, milvus_server
from .passages import DIMENSION, FIELDS, unit

pytestmark = pytest.mark.usefixtures("quick_milvus")

STATS = TermStatistics(0, 0, 1, 1, {})
SOME = SearchRequest(("g",), unit(1, 1)[0], ("fire",))


def passages(numbers: range, word: str = "fire", **fields: object) -> list[IndexedPassage]:
    return [
        IndexedPassage(n, "g", (word, f"n{n}"), unit(1 + n % 3, n), {"level": float(n), **fields})  # type: ignore[dict-item]
        for n in numbers
    ]


@pytest.fixture(scope="module")
def served(quick_milvus: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with milvus_server(tmp_path_factory.mktemp("milvus")) as uri:
        yield uri


def writer_of(uri: str, name: str) -> MilvusWriter:
    return MilvusWriter.create(uri, name, DIMENSION, FIELDS)


def names(uri: str, start: str) -> list[str]:
    client = MilvusClient(uri)
    held = sorted(client.list_collections())
    client.close()
    return [name for name in held if name.startswith(start)]


@contextmanager
def opened(uri: str, name: str, records: Sequence[IndexedPassage] | None = None) -> Iterator[MilvusBackend]:
    """A reader of a collection, which is filled with the records first where there are some."""
    if records is not None:
        fill_milvus(uri, name, records)
    reader = MilvusBackend.open(uri, name, TermStatistics.of(records or ()))
    yield reader
    reader.close()


def test_a_reader_is_served_a_generation_until_it_opens_the_next(served: str) -> None:
    first = fill_milvus(served, "swap", passages(range(5), "fire"))
    old = MilvusBackend.open(served, "swap", STATS)
    assert old.generation == first
    second = fill_milvus(served, "swap", passages(range(100, 103), "cold"))
    new = MilvusBackend.open(served, "swap", STATS)
    assert new.generation == second
    assert old.search(SOME).numbers.tolist() == [0, 1, 2, 3, 4]
    assert new.search(SOME).numbers.tolist() == [100, 101, 102]
    assert names(served, "swap_") == [first, second]
    by_name = MilvusBackend.open(served, first, STATS)
    assert by_name.search(SearchRequest(("g",))).numbers.tolist() == [0, 1, 2, 3, 4]

    third = fill(writer_of(served, "swap"), passages(range(1)), keep=[second])
    assert names(served, "swap_") == [second, third]
    assert len(new.search(SOME).numbers) == 3
    with pytest.raises(BackendError, match="open the one that is served now, or build it: mvp-site"):
        old.search(SOME)
    for reader in (old, new, by_name):
        reader.close()


def test_the_alias_moves_without_a_moment_in_which_nobody_is_served(served: str) -> None:
    """Readers open, search and go on and on while generations are written and published."""
    answers = {(0, 1, 2, 3), (10, 11, 12)}
    fill_milvus(served, "busy", passages(range(4)))
    pinned = MilvusBackend.open(served, "busy", STATS)
    done, seen = threading.Event(), set()

    def read() -> int:
        count, last = 0, False
        while not last:
            last = done.is_set()
            reader = MilvusBackend.open(served, "busy", STATS)
            seen.add(tuple(reader.search(SOME).numbers.tolist()))
            assert reader.search(SearchRequest(("g",))).numbers.tolist() == reader.search(SOME).numbers.tolist()
            reader.close()
            assert pinned.search(SOME).numbers.tolist() == [0, 1, 2, 3]
            count += 1
        return count

    with ThreadPoolExecutor(3) as pool:
        reading = [pool.submit(read) for _ in range(3)]
        fill_milvus(served, "busy", passages(range(10, 13)))
        done.set()
        assert sum(one.result() for one in reading) >= 6
    assert seen <= answers
    assert (10, 11, 12) in seen
    pinned.close()


def test_a_build_that_dies_or_lacks_rows_leaves_what_was_served(served: str) -> None:
    chief = writer_of(served, "lacking")
    chief.write(passages(range(3)))
    chief._rows += 1
    with pytest.raises(BackendError, match="shows 6 of 7 rows"):
        chief.publish()
    chief.close()
    with pytest.raises(MissingIndexError, match="no collection 'lacking'"):
        MilvusBackend.open(served, "lacking", STATS)
    first = fill_milvus(served, "lacking", passages(range(3)))
    dead = writer_of(served, "lacking")
    dead.write(passages(range(50, 60)))
    dead.close()
    with opened(served, "lacking") as reader:
        assert reader.generation == first
    # and the next sweeps up behind them
    last = fill(writer_of(served, "lacking"), passages(range(1)), keep=[first])
    assert names(served, "lacking_") == [first, last]


def test_what_cannot_be_pruned_is_logged_and_what_is_newer_stays(
        served: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    first = fill_milvus(served, "pruned", passages(range(3)))
    other = fill_milvus(served, "pruned_deadbeef", passages(range(3)))  # not of this collection
    writer, newer = writer_of(served, "pruned"), writer_of(served, "pruned")
    writer.write(passages(range(4)))
    writer.publish()
    with monkeypatch.context() as patch:
        patch.setattr(MilvusClient, "drop_collection", refuse)
        writer.prune([])
    assert "old generations of pruned remain" in caplog.text
    held = {first, other, writer.generation, newer.generation}
    assert set(names(served, "pruned_")) == held
    writer.prune(["no such generation"])
    assert set(names(served, "pruned_")) == held - {first}
    writer.close()
    newer.discard()


def refuse(*_: object, **__: object) -> None:
    raise MilvusException(message="no")


def test_a_passage_of_many_windows_takes_no_others_place(served: str) -> None:
    query = unit(1, 5)[0]
    first, *others = passages(range(60))
    records = [replace(first, vectors=np.repeat(query[np.newaxis], 200, axis=0)), *others]
    with opened(served, "long", records) as reader:
        assert len(reader.search(SearchRequest(("g",), query, (), limit=10)).numbers) == 10


def test_many_windows_are_found_through_a_graph(served: str, monkeypatch: pytest.MonkeyPatch,
                                                ) -> None:
    monkeypatch.setattr(milvus_writer, "EXACT_WINDOWS", 100)
    records = passages(range(300))
    with opened(served, "graph", records) as reader:
        client = MilvusClient(served)
        assert client.describe_index(reader.generation, "vector")["index_type"] == "HNSW"
        client.close()
        for seed in range(900, 910):
            query = unit(1, seed)[0]
            best = sorted(records, key=lambda record: -float((record.vectors @ query).max()))[:10]
            found = reader.search(SearchRequest(("g",), query, (), limit=20))
            assert len(found.numbers) >= 20
            assert len({record.number for record in best} & set(found.numbers.tolist())) >= 9


def test_terms_longer_than_a_column_stand_in_several_windows(served: str) -> None:
    terms = tuple(f"word{n}" for n in range(15_000))
    records = [IndexedPassage(0, "g", terms, unit(3, 0), {}), *passages(range(1, 4), "word14999")]
    with opened(served, "long", records) as reader:
        found = reader.search(SearchRequest(("g",), None, ("word14999", "word0", "unseen")))
    assert found.numbers.tolist() == [0, 1, 2, 3]
    assert 0 < found.lexical[0] < 1
    assert found.lexical[1] == pytest.approx(found.lexical[2])


@pytest.mark.parametrize(("record", "message"), [
    (IndexedPassage(0, "g", tuple(f"word{n}" for n in range(15_000)), unit(1, 0), {}), "terms of passage 0"),
    (IndexedPassage(1, "g", ("x" * 40_000,), unit(1, 0), {}), "terms of passage 1"),
    (IndexedPassage(2, "g", (), unit(1, 0), {"school": "a" * 70_000}), r"passage 2 \(g\) have 70\d+ bytes, most of them school, .* shorten them"),
    (IndexedPassage(3, "g", (), unit(1, 0), {"classes": ("é" * 20_000,) * 2, "slug": "red dragon"}),
     r"passage 3 \(red dragon of g\) .* most of them classes"),
    (IndexedPassage(4, "g", (), unit(1, 0), {"unknown": 1.0}), "without the number 'unknown'"),
    (IndexedPassage(5, "g", (), unit(1, 0), {"a b": "a"}), "no engine takes"),
    (IndexedPassage(6, "g", (), unit(0, 0), {}), "0 windows"),
    (IndexedPassage(-1, "g", (), unit(1, 0), {}), "passage -1"),
    (IndexedPassage(7, "g", (), np.ones((1, 3), np.float32), {}), "refuses to write"),
])
def test_what_does_not_fit_is_refused(served: str, record: IndexedPassage, message: str) -> None:
    writer = MilvusWriter.create(served, "tight", DIMENSION, FIELDS)
    with pytest.raises(BackendError, match=message):
        writer.write([record])
    writer.discard()


@pytest.mark.parametrize(("name", "fields", "error", "message"), [
    ("a'; drop", FIELDS, SettingsError, "cannot name a collection: letters, digits and underscores"),
    ("1x", FIELDS, SettingsError, "'1x' cannot name a collection"),
    ("x" * 300, FIELDS, SettingsError, "cannot name a collection"),
    ("wide", tuple(FilterField(f"n{n}", FieldKind.NUMBER) for n in range(70)), BackendError, r"70 fields are numbers; .* Milvus takes 64"),
])
def test_a_collection_that_milvus_cannot_have_is_refused(served: str, name: str, fields: tuple[FilterField, ...], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        MilvusWriter.create(served, name, DIMENSION, fields)


def test_of_many_texts_the_nearest_are_found_though_others_are_nearer(
    served: str, monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The engine is asked for less than the filter then; what is left out has to be no result."""
    monkeypatch.setattr("mvp_site.retrieval.backends.milvus._CHECKED", 7)
    near, far = unit(2, 0)[:1], unit(2, 0)[1:]
    records = [
        IndexedPassage(n, "g", ("fire",), near if n < 60 else far, {"school": f"s{n}", "level": float(n)})
        for n in range(120)
    ]
    many, none = (AnyOf("school", tuple(f"{x}{n}" for n in range(60, 600))) for x in "st")
    wanted = SearchRequest(("g",), near[0], ("fire",), (many,), limit=10)
    with opened(served, "values", records) as reader:
        assert reader.search(SearchRequest(("g",), where=(many,))).numbers.tolist() == list(range(60, 120))
        assert len(reader.search(wanted).numbers) >= 10
        assert reader.search(wanted).numbers.min() >= 60
        assert not len(reader.search(replace(wanted, where=(none,))).numbers)


def test_all_fields_of_entities_fit_a_collection(served: str) -> None:
    """Milvus takes 64 columns unless it is told otherwise."""
    fields = tuple(dict.fromkeys(field for type_ in EntityType for field in fields_of(type_)))
    writer = MilvusWriter.create(served, "entities", DIMENSION, fields)
    client = MilvusClient(served)
    assert len(client.describe_collection(writer.generation)["fields"]) < 64
    client.close()
    writer.discard()


def test_a_collection_of_another_version_names_the_command(served: str) -> None:
    client = MilvusClient(served)
    client.create_collection("older", dimension=4)
    client.close()
    with pytest.raises(MissingIndexError, match=r"another version has made older.*entities build"):
        MilvusBackend.open(served, "older", STATS)


@pytest.mark.parametrize(("uri", "said"), [
    ("http://root:hunter2@127.0.0.1:9", "http://127.0.0.1:9 is not reached"),
    ("nonsense", "nonsense is not reached"),
    ("/no/such/folder/x.db", "check the folder"),
    ("http://[::1", "is not reached"),
])
def test_where_nobody_answers(uri: str, said: str, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(BackendError) as caught:
        MilvusBackend.open(uri, "passages", STATS, token="hunter2", timeout=0.5)
    assert said in str(caught.value)
    assert "check " in str(caught.value)
    assert "hunter2" not in str(caught.value) + caplog.text
    assert [record.name for record in caplog.records if record.levelno == logging.ERROR] == [
        "mvp_site.milvus"
    ]


def test_an_engine_that_goes_down_never_answers_with_nothing(tmp_path: Path,
                                                             caplog: pytest.LogCaptureFixture) -> None:
    server, db, port = start_server_in_thread(str(tmp_path / "served"))
    uri = f"http://127.0.0.1:{port}"
    fill_milvus(uri, "passages", passages(range(3)))
    reader = MilvusBackend.open(uri, "passages", STATS)
    server.stop(grace=None).wait()
    db.close()
    reader._connection.timeout = 0.1  # nobody answers, however long it waits
    caplog.clear()
    for ask in (lambda: reader.search(SOME), lambda: reader.search(SearchRequest(("g",))).numbers,
                lambda: reader.vectors(1)):
        with pytest.raises(BackendError, match=f"{uri} is not reached .*check that it runs"):
            ask()
    assert {record.name for record in caplog.records} == {"mvp_site.milvus"}
    reader.close()


@pytest.mark.parametrize("missing", ["pymilvus", "milvus_lite"])
def test_a_missing_package_names_the_extra(missing: str, tmp_path: Path,
                                           monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == missing]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(BackendError, match=r"PATH\[milvus\]"):
        MilvusBackend.open(str(tmp_path / "x.db"), "passages", STATS)
