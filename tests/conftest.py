"""No test reaches the network; fixtures for a small archive, its settings and the encoders."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

# Before anything imports what reads them; subprocesses inherit them.
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["MVP_SITE_SETTINGS"] = os.devnull  # no mvp-site.toml of the checkout
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy's threads fight over two cores

import numpy as np
import pytest
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from pytest_socket import disable_socket, enable_socket
from werkzeug.routing import Rule

from mvp_site import Settings
from mvp_site.engine import local_router
from mvp_site.retrieval.encoder import SHIPPED, OnnxEncoder, Vectors, find_bundle
from mvp_site.settings import DEFAULT_MODEL

from .few_utterances import patch_utterances
from .hashing import HashingEncoder

REPOSITORY = Path(__file__).resolve().parent.parent

_HEALTH = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
hypothesis_settings.register_profile("quick", max_examples=10, deadline=None, suppress_health_check=_HEALTH)
hypothesis_settings.register_profile("thorough", max_examples=50, deadline=None, suppress_health_check=_HEALTH)
hypothesis_settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

MARKS = {"browser": ("browser",), "postgresql": ("postgres",), "engine": ("milvus", "marqo"), "encoder": ("real_encoder", "encoder_bundle")}
"""By which words in its name or fixtures a test is known to use something real that costs time."""

SMALL = REPOSITORY / "tests/cases/small_archive"
HEADER = (SMALL / "core_header.txt").read_text("utf-8")
DEC_2025 = {path.relative_to(SMALL / "dec_2025").as_posix(): path.read_text("utf-8") for path in sorted((SMALL / "dec_2025").rglob("*.md"))}
MAR_2026 = {
    **DEC_2025,
    "mechanics.md": DEC_2025["mechanics.md"].replace("fifty points", "sixty points"),
    "travel.md": "# Travel\n\nA party on foot covers twenty-four miles a day at an easy pace and thirty when it hurries.\nHurrying leaves no eyes for ambushes.\n",
}


def write_archive(root: Path) -> Path:
    """A small archive under ``root``: a header, dec_2025 and mar_2026."""
    archive = root / "prompt_archive"
    for version, files in {"dec_2025": DEC_2025, "mar_2026": MAR_2026}.items():
        for name, text in files.items():
            path = archive / version / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    (archive / "core_header.txt").write_text(HEADER, encoding="utf-8")
    return archive


def settings_under(root: Path, **fields: object) -> Settings:
    """Settings with every folder below ``root``; version dec_2025 unless said otherwise."""
    values: dict[str, object] = {
        "prompt_version": "dec_2025", "prompt_archive_dir": root / "prompt_archive", "prompt_index_dir": root / "data/prompt_index",
        "mvp_site_data_dir": root / "data", "mvp_site_cache_dir": root / "cache",
        **fields,
    }
    return Settings(**values)  # type: ignore[arg-type]


def pytest_configure(config: pytest.Config) -> None:
    """Warnings of libraries that no caller can act on."""
    config.addinivalue_line("filterwarnings", "ignore:open_binary is deprecated:DeprecationWarning")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what uses a browser, a database, an engine or the real encoder; browsers are slow."""
    for item in items:
        told = " ".join((item.nodeid, *getattr(item, "fixturenames", ())))
        for mark, words in MARKS.items():
            if any(word in told for word in words):
                item.add_marker(mark)
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("slow")


def folder_of_run(factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of the tests, which all its workers share."""
    base = factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session", autouse=True)
def _routes_compiled_once() -> Iterator[None]:
    """Werkzeug compiles every route of every app anew, for most of the time that an app takes to be made."""
    compile_builder, known = Rule._compile_builder, {}

    def once(rule: Rule, append_unknown: bool = True) -> Any:
        key = (tuple(rule._trace), repr(rule.defaults), append_unknown)
        return known.get(key) or known.setdefault(key, compile_builder(rule, append_unknown))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Rule, "_compile_builder", once)
        yield


@pytest.fixture(autouse=True)
def _no_network() -> Iterator[None]:
    # For every test anew: pytest-socket lifts its guard behind each one.
    disable_socket(allow_unix_socket=True)
    yield
    enable_socket()


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Settings and caches of the person who runs the tests do not reach them."""
    for name in [n for n in os.environ if n.startswith(("PROMPT_", "MVP_SITE_", "OPENAI_", "ANTHROPIC_"))]:
        if name != "MVP_SITE_SETTINGS":
            monkeypatch.delenv(name)
    monkeypatch.setenv("MVP_SITE_CACHE_DIR", str(folder_of_run(tmp_path_factory) / "cache"))


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """The folder of a small archive in ``tmp_path``."""
    return write_archive(tmp_path)


@pytest.fixture
def settings(archive: Path) -> Settings:
    """Settings over the small archive; the index and data folders are not there yet."""
    return settings_under(archive.parent)


@pytest.fixture
def make_settings(archive: Path) -> Callable[..., Settings]:
    """Settings over the small archive with other fields."""
    return lambda **fields: settings_under(archive.parent, **fields)


class RememberingEncoder(HashingEncoder):
    """The double, which works out each text once a session: every build has the same probes."""

    _known: ClassVar[dict[tuple[int, int, str], Vectors]] = {}

    def encode(self, texts: Sequence[str]) -> Vectors:
        key = (self.dimension, self.window)
        for text in texts:
            if (*key, text) not in self._known:
                self._known[(*key, text)] = super().encode([text])
                self.encoded -= 1
        self.encoded += len(texts)
        empty = np.empty((0, self.dimension), np.float32)
        return np.concatenate([empty, *(self._known[(*key, text)] for text in texts)])


@pytest.fixture
def encoder() -> HashingEncoder:
    """The encoder double: deterministic, counts what it encodes, loads no model."""
    return RememberingEncoder()


@pytest.fixture(scope="session")
def encoder_bundle() -> tuple[Path, str]:
    """(shelf, name) of the real encoder, which the package ships."""
    return SHIPPED, find_bundle(SHIPPED, DEFAULT_MODEL) or ""


@pytest.fixture(scope="session")
def real_encoder(encoder_bundle: tuple[Path, str]) -> OnnxEncoder:
    """The real encoder, run by onnxruntime on one thread."""
    return OnnxEncoder.open(*encoder_bundle)


@pytest.fixture(autouse=True, scope="session")
def one_router_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Routers of all tests are fitted once."""
    folder = folder_of_run(tmp_path_factory) / "router"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local_router, "router_folder", lambda settings: folder)
        yield


@pytest.fixture(autouse=True, scope="session")
def few_utterances() -> Iterator[None]:
    """Indexes of tests are built with a few utterances."""
    with pytest.MonkeyPatch.context() as patch:
        patch_utterances(patch)
        yield
