"""An app over a small archive that is really built, with a handler that is a double; a browser."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from jinja2 import FileSystemBytecodeCache
from jsonschema import Draft202012Validator
from werkzeug.serving import make_server

from mvp_site import PromptAssembler, Settings, build_prompt_index
from mvp_site.web import create_app
from mvp_site.web.openapi import document

from ..conftest import DEC_2025, settings_under, write_archive
from ..doubles import build_quickly
from ..engine_doubles import KeptNotes, TellingEngine
from ..hashing import HashingEncoder
from ..llm.loopback import loopback_only
from .books import WordsRulebook
from .doubles import MemoryStore, TellingHandler, records_of_all_kinds
from .entity_doubles import WordsIndex
from .library_doubles import HereLibrary, open_library, write_books

TOKEN = "tóken of the DM, 1d20"
CHROMIUM = "/usr/bin/chromium"
VERSIONS = ("dec_2025", "mar_2026")

MakeApp = Callable[..., Flask]


@pytest.fixture(scope="session")
def site_settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Settings over a small archive of two versions, both built; no floor, so that all is found."""
    root = tmp_path_factory.mktemp("site")
    archive = write_archive(root)
    (archive / "dec_2025/fate.md").write_text(
        "---\naudience: god\n---\n# Fate\n\nThe harbour master dies on the last night, whatever they do.\n", "utf-8"
    )
    settings = settings_under(root, prompt_retriever_score_floor=0.0)
    with pytest.MonkeyPatch.context() as patch:
        build_quickly(patch)
        for version in VERSIONS:
            build_prompt_index(settings, version, encoder=HashingEncoder())
    return settings


@pytest.fixture(scope="session")
def site_assemblers(site_settings: Settings) -> dict[str, PromptAssembler]:
    """An assembler of each version, with the encoder double."""
    return {
        version: PromptAssembler.open(replace(site_settings, prompt_version=version), encoder=HashingEncoder())
        for version in VERSIONS
    }


@pytest.fixture
def handler() -> TellingHandler:
    """A handler that answers everything alike."""
    return TellingHandler()


@pytest.fixture
def book() -> WordsRulebook:
    """A rulebook that finds words."""
    return WordsRulebook()


@pytest.fixture(scope="session")
def scanned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of books and the library of it."""
    root = tmp_path_factory.mktemp("library")
    write_books(root / "books")
    open_library(root / "data").scan(root / "books")
    return root


@pytest.fixture
def library(scanned: Path, tmp_path: Path) -> HereLibrary:
    """A library that may be changed; its books may not."""
    shutil.copytree(scanned / "data", tmp_path / "library")
    return open_library(tmp_path / "library")


def described(name: str) -> Draft202012Validator:
    """What holds a value to a component of the API's document."""
    return Draft202012Validator({"$ref": f"#/components/schemas/{name}", "components": document(token=True)["components"]})


def got(client: FlaskClient, method: str, path: str, schema: str, **sent: Any) -> Any:
    """The JSON of a request that is answered as the API's document says."""
    response = getattr(client, method)(path, **sent)
    assert response.status_code == 200, response.text
    described(schema).validate(response.json)
    return response.json


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> FileSystemBytecodeCache:
    """Templates that one app has compiled, for all that follow."""
    return FileSystemBytecodeCache(str(tmp_path_factory.mktemp("templates")))


@pytest.fixture
def make_app(site_settings: Settings, site_assemblers: dict[str, PromptAssembler], handler: TellingHandler,
             book: WordsRulebook, compiled: FileSystemBytecodeCache) -> MakeApp:
    """Makes an app, with or without a token; limits are off unless they are given."""

    def make(token: str | None = None, config: dict[str, Any] | None = None, **parts: Any) -> Flask:
        settings = replace(site_settings, mvp_site_dm_token=token)
        app = create_app(
            settings, **{"handler": handler, "assemblers": site_assemblers, "rulebook": book, **parts},
            config={"RATELIMIT_ENABLED": bool(config), **(config or {})},
        )
        app.jinja_env.bytecode_cache = compiled
        return app

    return make


@pytest.fixture(scope="session")
def whole_apps(site_settings: Settings, site_assemblers: dict[str, PromptAssembler], scanned: Path, compiled: FileSystemBytecodeCache) -> tuple[Flask, Flask]:
    """Two apps of all parts, without a token and with one: to be read, not to be changed."""
    parts: dict[str, Any] = {
        "handler": TellingHandler(store=MemoryStore(records_of_all_kinds())), "assemblers": site_assemblers, "rulebook": WordsRulebook(), "entities": WordsIndex(), "library": open_library(scanned / "data"),
        "notes": KeptNotes(), "engine": TellingEngine(),
    }
    apps = [create_app(replace(site_settings, mvp_site_dm_token=token), **parts, config={"RATELIMIT_ENABLED": False}) for token in (None, TOKEN)]
    for app in apps:
        app.jinja_env.bytecode_cache = compiled
    return apps[0], apps[1]


@pytest.fixture
def whole(whole_apps: tuple[Flask, Flask]) -> FlaskClient:
    """A client of an app of all parts, on its machine."""
    return whole_apps[0].test_client()


@pytest.fixture
def whole_player(whole_apps: tuple[Flask, Flask]) -> FlaskClient:
    """A player's."""
    return whole_apps[1].test_client()


@pytest.fixture
def parts() -> dict[str, Any]:
    """What the apps of a file's clients are given beside handler, assemblers and rulebook."""
    return {}


@pytest.fixture
def local(make_app: MakeApp, parts: dict[str, Any]) -> FlaskClient:
    """A client on the machine of an app that has no token: everything is open to it."""
    return make_app(**parts).test_client()


@pytest.fixture
def player(make_app: MakeApp, parts: dict[str, Any]) -> FlaskClient:
    """A client without the token of an app that has one."""
    return make_app(TOKEN, **parts).test_client()


@pytest.fixture
def dm_headers() -> dict[str, str]:
    """The header that shows the token, as bytes of UTF-8 arrive by WSGI."""
    return {"Authorization": f"Bearer {TOKEN}".encode().decode("latin-1")}


@pytest.fixture
def dm(make_app: MakeApp, dm_headers: dict[str, str], parts: dict[str, Any]) -> FlaskClient:
    """A client that shows the token with every request."""
    client = make_app(TOKEN, **parts).test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = dm_headers["Authorization"]
    return client


# --- a browser ------------------------------------------------------------------------------------


@dataclass
class Site:
    """An app that is served on loopback."""

    url: str
    app: Flask
    handler: TellingHandler


@pytest.fixture
def loopback() -> Iterator[None]:
    """Sockets to this machine and to no other; then all is as it was."""
    with loopback_only():
        yield


@pytest.fixture
def serve(loopback: None, make_app: MakeApp, handler: TellingHandler) -> Iterator[Callable[..., Site]]:
    """Serves an app on loopback, one thread a request."""
    servers = []

    def start(token: str | None = None, **parts: Any) -> Site:
        app = make_app(token, **parts)
        server = make_server("127.0.0.1", 0, app, threaded=True)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        servers.append((server, thread))
        return Site(f"http://127.0.0.1:{server.server_port}", app, handler)

    yield start
    for server, thread in servers:
        server.shutdown()
        server.server_close()
        thread.join(timeout=5)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Headless Chromium. Without it the test is skipped; where CI requires it, it fails.

    Not longer than a module: while it is there, its event loop runs in this thread.
    """
    path = Path(os.environ.get("CHROMIUM", CHROMIUM))
    if not path.exists():
        if os.environ.get("CI_REQUIRE_CHROMIUM"):
            pytest.fail(f"CI_REQUIRE_CHROMIUM is set, and there is no {path}: apt-get install chromium")
        pytest.skip(f"there is no {path}: apt-get install chromium")
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield found
        found.close()


HARBOUR = DEC_2025["world/harbour.md"].split("# ")[1].splitlines()[0]
"""The heading of the passage that only DMs may see."""
