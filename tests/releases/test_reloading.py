"""What is served of a store: replaced as one, refused and tried again, never waited for."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from mvp_site.errors import CorruptIndexError
from mvp_site.releases import reloading
from mvp_site.releases.bundles import Bundle, building
from mvp_site.releases.reloading import Served
from mvp_site.releases.store import ReleaseStore

pytestmark = pytest.mark.serving


@pytest.fixture(autouse=True)
def _no_retry_by_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reloading, "RETRY_SECONDS", 1_000.0)


@pytest.fixture
def store(tmp_path: Path) -> ReleaseStore:
    return ReleaseStore(tmp_path / "store", "the book", "mvp-site book build", 1)


def publish(store: ReleaseStore, edition: int) -> str:
    with building(store.folder):
        return store.publish({"format": 1, "edition": edition}, {"text": b"a text"})


def edition(bundle: Bundle) -> int:
    return int(bundle.manifest["edition"])


def served(store: ReleaseStore, load: Callable[[Bundle], int] = edition, **more: Any) -> Served[int]:
    return Served(store, load, **more)


def damage(store: ReleaseStore, name: str) -> Path:
    path = store.folder / name / "text"
    path.write_bytes(b"")
    return path


def test_what_is_published_is_served_from_the_next_call_on_and_loaded_once(store: ReleaseStore) -> None:
    publish(store, 1)
    loads: list[int] = []
    book = served(store, lambda bundle: loads.append(edition(bundle)) or edition(bundle))
    assert [book.now(), book.peek(), book.now()] == [1, 1, 1]
    publish(store, 2)
    assert book.peek() == 1
    assert [book.now(), book.now(), book.peek()] == [2, 2, 2]
    publish(store, 2)
    assert (book.now(), loads) == (2, [1, 2])


def test_a_release_that_does_not_load_leaves_the_one_before_and_is_told_once(store: ReleaseStore, caplog: pytest.LogCaptureFixture) -> None:
    publish(store, 1)
    book = served(store)
    second = publish(store, 2)
    path = damage(store, second)
    assert [book.now() for _ in range(3)] == [1, 1, 1]
    [told] = [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]
    assert "a release of the book was not taken up, the one before stays" in told
    assert str(path) in told
    assert "mvp-site book build --force" in told
    publish(store, 2)  # built again
    assert book.now() == 2
    publish(store, 3)
    assert book.now() == 3


def test_what_fails_is_tried_again_after_a_while(store: ReleaseStore, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(store, 1)
    book = served(store)
    path = damage(store, publish(store, 2))
    assert book.now() == 1
    path.write_bytes(b"a text")
    assert book.now() == 1
    monkeypatch.setattr(reloading.time, "monotonic", lambda: 1e12)
    assert book.now() == 2


@pytest.mark.parametrize("pointer", [b"\xff\xfe", b"", b"nowhere\n", b"../../etc\n", None], ids=repr)
def test_a_damaged_pointer_stops_nobody_who_is_being_served(store: ReleaseStore, pointer: bytes | None) -> None:
    publish(store, 1)
    book, path = served(store), store.folder / "CURRENT"
    whole = path.read_bytes()
    path.unlink()
    if pointer is not None:
        path.write_bytes(pointer)
    assert book.now() == 1
    path.write_bytes(whole)
    assert book.now() == 1
    publish(store, 2)
    assert book.now() == 2


def test_a_check_refuses_only_what_would_be_served_first(store: ReleaseStore) -> None:
    publish(store, 1)

    def check(number: int) -> None:
        if number != 2:
            raise CorruptIndexError("stale")

    with pytest.raises(CorruptIndexError, match="stale"):
        served(store, check=check)
    book = served(store, check=check, degraded=True)
    assert (book.now(), book.peek(), "stale" in book.problem) == (None, None, True)
    publish(store, 2)
    assert (book.now(), book.problem) == (2, "")
    publish(store, 3)
    assert book.now() == 3


def test_nobody_waits_for_a_load_of_another_thread(store: ReleaseStore) -> None:
    publish(store, 1)
    loading, go = threading.Event(), threading.Event()

    def load(bundle: Bundle) -> int:
        if edition(bundle) == 2:
            loading.set()
            assert go.wait(60)
        return edition(bundle)

    book = served(store, load)
    publish(store, 2)
    with ThreadPoolExecutor(1) as pool:
        swapping = pool.submit(book.now)
        assert loading.wait(60)
        assert book.now() == 1
        go.set()
        assert swapping.result(60) == 2


def test_what_is_published_while_it_opens_is_not_missed(store: ReleaseStore) -> None:
    publish(store, 1)

    def load(bundle: Bundle) -> int:
        if edition(bundle) == 1:
            publish(store, 2)
        return edition(bundle)

    assert served(store, load).now() == 2


def test_what_is_no_longer_served_is_closed_one_release_later(store: ReleaseStore) -> None:
    closed: list[int] = []
    publish(store, 1)
    book = served(store, close=closed.append)
    for number, expected in ((2, []), (3, [1])):
        publish(store, number)
        assert (book.now(), closed) == (number, expected)
    book.close()
    assert closed == [1, 2, 3]
    publish(store, 4)
    assert book.now() == 3
