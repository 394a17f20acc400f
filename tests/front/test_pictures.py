"""Pictures of books' pages: what a hostile page does, it does to a process of its own."""

from __future__ import annotations

import resource
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from typing import Any

import pypdfium2
import pytest
from flask import Flask

from mvp_site import Settings
from mvp_site.web.app import create_app

from ..cli.invoking import invoke, under
from .conftest import CASES

Get = Callable[..., Any]


@pytest.fixture(scope="module")
def scanned(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """A library of the hostile books."""
    folder = tmp_path_factory.mktemp("pictures")
    with pytest.MonkeyPatch.context() as patch:
        under(folder, patch)
        shutil.copytree(CASES / "books/hostile_pdf", folder / "books", ignore=lambda *_: ["RIGHT.txt"])
        assert invoke("library", "scan", str(folder / "books")).exit_code == 0
        yield Settings(mvp_site_data_dir=folder / "data")


@pytest.fixture
def app(scanned: Settings) -> Flask:
    """The web app over that library, which has drawn nothing yet."""
    return create_app(scanned, config={"RATELIMIT_ENABLED": False})


@pytest.fixture
def get(app: Flask) -> Get:
    """Asks the app for the picture of a book's first page."""
    return lambda book, width=240: app.test_client().get(f"/library/{book}/pages/1.png?w={width}")


def test_no_page_is_drawn_in_the_server(get: Get, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pypdfium2, "PdfDocument", lambda *_: pytest.fail("a PDF is opened here"))
    response = get("harmless")
    assert (response.status_code, response.data[:4]) == (200, b"\x89PNG")


@pytest.mark.slow
def test_a_page_that_takes_too_much_memory_is_not_drawn(get: Get) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert get("swelling").status_code == 404
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 2**17  # KiB
    assert get("harmless").status_code == 200


def test_a_failure_is_remembered_and_so_is_a_picture(get: Get, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[float] = []
    run = subprocess.run

    def cut_short(*command: Any, timeout: float, **how: Any) -> Any:
        begun.append(timeout)
        return run(*command, timeout=timeout if "harmless" in str(command) else 0.01, **how)

    monkeypatch.setattr(subprocess, "run", cut_short)
    assert [get(book).status_code for book in ("slow", "slow", "harmless", "harmless")] == [404, 404, 200, 200]
    assert len(begun) == 2
    assert max(begun) < 60


def test_those_who_wait_are_bounded_and_the_server_answers_others(app: Flask, get: Get, monkeypatch: pytest.MonkeyPatch) -> None:
    go, run = threading.Event(), subprocess.run
    begun: list[Any] = []

    def waiting(*command: Any, **how: Any) -> Any:
        begun.append(command)
        assert go.wait(60)
        return run(*command, **how)

    monkeypatch.setattr(subprocess, "run", waiting)
    with ThreadPoolExecutor(40) as pool:
        left = {pool.submit(get, "harmless", (240, 480, 960)[number % 3]) for number in range(40)}
        while len(left) > 11:  # all that a server with its usual threads can bear
            done, left = wait(left, timeout=60, return_when=FIRST_COMPLETED)
            assert {one.result().status_code for one in done} == {503}
            assert all(int(one.result().headers["Retry-After"]) for one in done)
        assert app.test_client().get("/livez").status_code == 200
        assert len(begun) <= 2
        go.set()
        assert {200} <= {one.result().status_code for one in left} <= {200, 503}
    assert len(begun) <= 3
