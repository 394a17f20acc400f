"""The library in Milvus: the same answers as from this process, and an engine that is gone is told."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest

from mvp_site.errors import BackendError, MissingIndexError
from tests.llm.loopback import loopback_only
from tests.retrieval.backends.conftest import quick_milvus  # noqa: F401 (a fixture)
from tests.retrieval.backends.lite_server import LiteServer, soon

from .conftest import ATLAS, SECRETS, Shelf

pytestmark = pytest.mark.engine
ASKED = ("which bells ring below the tide?", "a place under water", "the smuggler king")


@pytest.fixture(autouse=True)
def _around(_no_network: None, quick_milvus: None) -> Iterator[None]:  # noqa: F811
    with loopback_only():
        yield


def test_milvus_answers_as_this_process_does(shelf: Shelf) -> None:
    shelf.write("atlas.md", ATLAS)
    shelf.write("secrets.md", SECRETS)
    shelf.scan(shelf.books)
    here = shelf.open()
    expected = [[(one.title, one.relevance) for one in here.ask(asked).results] for asked in ASKED]
    local = shelf.settings
    shelf.settings = replace(local, mvp_site_milvus_uri=str(shelf.books.parent / "books.db"))
    with pytest.raises(MissingIndexError, match=r"the books were built for local.*mvp-site library scan"):
        shelf.open().ask(ASKED[0])
    shelf.scan()
    there = shelf.open()
    assert [[(one.title, one.relevance) for one in there.ask(asked).results] for asked in ASKED] == expected
    bound = [one.id for one in there.sources() if "secrets" in one.id]
    assert {one.source_id for one in there.ask(ASKED[2], sources=bound, audience="dm").results} <= set(bound)
    there.close()
    here.close()


def test_an_empty_library_needs_no_engine(shelf: Shelf) -> None:
    shelf.settings = replace(shelf.settings, mvp_site_milvus_uri=str(shelf.books.parent / "none.db"))
    shelf.scan(shelf.books)
    assert shelf.open().sources() == ()


@pytest.mark.slow
@pytest.mark.parametrize("lost", ["nothing", "everything", "rows"])
def test_a_milvus_that_dies_and_comes_back_answers_of_books_again(shelf: Shelf, lost: str) -> None:
    from pymilvus import MilvusClient

    server = LiteServer(shelf.books.parent / "milvus")
    try:
        shelf.settings = replace(shelf.settings, mvp_site_milvus_uri=server.uri)
        shelf.write("atlas.md", ATLAS)
        shelf.scan(shelf.books)
        with closing(shelf.open()) as library:
            before = [hit.title for hit in library.ask(ASKED[0]).results]
            if lost == "rows":  # as a process leaves it that dies while it fills it
                with closing(MilvusClient(server.uri)) as client:
                    (name,) = client.list_collections()
                    client.delete(name, filter="number > 0")
                    client.release_collection(name)
            else:
                server.kill()
                with pytest.raises(BackendError):
                    library.ask(ASKED[1])
                if lost == "everything":
                    server.empty()
                server.start()
            assert [hit.title for hit in soon(lambda: library.ask(ASKED[0]).results)] == before != []
    finally:
        server.stop()
