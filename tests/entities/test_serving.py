"""An open index and what is built meanwhile; what cannot be opened, and the command that mends it."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mvp_site.entities.build import build_entities, own_folder, store_of
from mvp_site.entities.index import EntityIndex
from mvp_site.entities.release import ALIKE, DOCUMENTS, WORDS, manifest_of
from mvp_site.errors import CorruptIndexError, EncoderError, MissingIndexError
from mvp_site.retrieval.encoder import HashingEncoder
from mvp_site.retrieval.releases.bundles import MANIFEST
from mvp_site.settings import Settings

from ..content.test_own_files import write
from .small_stock import settings_in, slugs, stock_as_srd

COMMAND = "mvp-site entities build"


@pytest.fixture(autouse=True)
def _small_srd(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with stock_as_srd(monkeypatch):
        yield


@pytest.fixture
def served(tmp_path: Path) -> Settings:
    """Settings of a data folder in which the stock was built."""
    settings = settings_in(tmp_path)
    build(settings)
    return settings


def build(settings: Settings, *names: str, **more: Any) -> str:
    """Build with own spells of these names; the release's name."""
    for name in names:
        write(own_folder(settings), {f"spells/{name}.json": json.dumps({"name": name})})
    return build_entities(settings, **{"encoder": HashingEncoder(), **more}).fingerprint


def opened(settings: Settings) -> EntityIndex:
    return EntityIndex.open(settings, encoder=HashingEncoder())


def has(index: EntityIndex, slug: str) -> bool:
    return slug in slugs(index.search_entities("spells", limit=100))


def test_an_open_index_serves_the_new_build_on_the_next_call(served: Settings) -> None:
    index = opened(served)
    assert not has(index, "zephyr")
    assert index.search_entities("spells", "zephyr").total == 0
    new = build(served, "zephyr")
    assert index.search_entities("spells", "zephyr")[0]["slug"] == "zephyr"
    assert index.manifest.fingerprint == new
    assert index.entity("spells", "zephyr")["document"] == "own entities"
    assert index.facets("spells")["document"] == {"SRD 5.1": 10, "own entities": 1}
    assert len(index.list_documents()) == 2
    (own_folder(served) / "spells/zephyr.json").unlink()
    build(served)
    assert not has(index, "zephyr")


def test_readers_go_on_while_builds_are_published(served: Settings) -> None:
    index, wrong, done = opened(served), list[object](), threading.Event()

    def read() -> None:
        while not done.is_set():
            found = index.search_entities("spells", "ember lash")
            if slugs(found)[:1] != ["ember-lash"]:
                wrong.append(found)

    threads = [threading.Thread(target=read) for _ in range(3)]
    for thread in threads:
        thread.start()
    for name in ("zephyr", "gale"):
        build(served, name)
    done.set()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert has(index, "gale")


def test_nothing_was_built(tmp_path: Path) -> None:
    with pytest.raises(MissingIndexError, match=f"no release of the entities under .*: {COMMAND}") as caught:
        opened(settings_in(tmp_path))
    assert isinstance(caught.value, FileNotFoundError)
    assert str(tmp_path) in str(caught.value)


@pytest.mark.parametrize("file", [DOCUMENTS, WORDS, ALIKE, MANIFEST, "windows.faiss"])
@pytest.mark.parametrize("how", ["missing", "altered", "cut"])
def test_a_damaged_file_is_told_with_the_command(served: Settings, file: str, how: str) -> None:
    folder = store_of(served).folder / str(store_of(served).current())
    path = folder / file
    content = path.read_bytes()
    if how == "missing":
        path.unlink()
    else:
        path.write_bytes(content[: len(content) // 2] if how == "cut" else content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(CorruptIndexError, match=f"build again: {COMMAND} --force") as caught:
        opened(served)
    assert path.name in str(caught.value)
    build(served, force=True)
    assert has(opened(served), "ember-lash")


@pytest.mark.parametrize(("change", "told"), [
    ({"format": 99}, "has format 99, this program reads 1"), ({"types": None}, ""),
    ({"weights": {"colour": 1}}, "its files do not fit together"), ({"entities": 7}, "where the manifest has 7"),
])
def test_a_release_of_another_program_is_told(served: Settings, change: dict[str, Any], told: str) -> None:
    store = store_of(served)
    bundle = store.load()
    values = {key: value for key, value in {**bundle.manifest, **change}.items()
              if key != "checksums" and value is not None}
    store.publish(values, bundle.files)
    with pytest.raises(CorruptIndexError, match=f"{told}.*{COMMAND}"):
        opened(served)
    build(served, force=True)
    assert has(opened(served), "ember-lash")


def test_files_that_do_not_fit_together_are_told(served: Settings) -> None:
    store = store_of(served)
    bundle = store.load()
    values = {key: value for key, value in bundle.manifest.items() if key != "checksums"}
    for broken in ({DOCUMENTS: b'["dragons", {}]'}, {WORDS: b"["}, {ALIKE: b"\x93NUMPY"}, {DOCUMENTS: None}):
        files = {key: value for key, value in {**bundle.files, **broken}.items() if value is not None}
        store.publish(values, files)
        with pytest.raises(CorruptIndexError, match=f"its files do not fit together .*{COMMAND}"):
            opened(served)


def test_an_encoder_that_is_another_or_not_there_is_told(served: Settings) -> None:
    with pytest.raises(EncoderError, match=r"built with hashing-64-256, not with hashing-32-256; .*" + COMMAND):
        EntityIndex.open(served, encoder=HashingEncoder(32))
    with pytest.raises(EncoderError, match=r"the encoder hashing-64-256 that the index was built with is not under"):
        EntityIndex.open(served)


def test_a_build_with_another_encoder_is_refused_by_who_was_given_one(
        served: Settings, caplog: pytest.LogCaptureFixture) -> None:
    index = opened(served)
    build(served, "zephyr", encoder=HashingEncoder(32))
    with caplog.at_level(logging.WARNING):
        assert not has(index, "zephyr")
    assert "not with hashing-64-256" in caplog.text


def test_a_manifest_reads_back(served: Settings) -> None:
    bundle = store_of(served).load()
    manifest = manifest_of(bundle.name, bundle.manifest)
    assert manifest == opened(served).manifest
    assert manifest.as_dict()["weights"] == manifest.weights.as_dict()
