"""Builds: the SRD's entities and the user's own, what is built anew, and what is refused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mvp_site.entities.build import build_entities, own_folder, rebuild_entities, store_of
from mvp_site.entities.index import EntityIndex
from mvp_site.entities.release import ALIKE, DOCUMENTS, WORDS, EntityManifest
from mvp_site.errors import CorruptIndexError, EncoderError, EntityDataError
from mvp_site.settings import Settings
from mvp_site.srd import ATTRIBUTION

from ..content.test_own_files import write
from ..hashing import HashingEncoder
from .small_stock import CountingEncoder, settings_in, slugs, stock, stock_as_srd

COMMAND = "mvp-site entities build"
LANCE = {"name": "Frost Lance", "level": 2, "school": "evocation", "desc": "A shard of rime pierces one foe."}
OWN_LASH = {"name": "Ember Lash", "level": 7, "replaces": True, "desc": "A far hotter whip."}


@pytest.fixture(autouse=True)
def _small_srd(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with stock_as_srd(monkeypatch):
        yield


@pytest.fixture
def settings(tmp_path: Path) -> Settings:  # type: ignore[override]
    return settings_in(tmp_path)


def build(settings: Settings, **more: Any) -> EntityManifest:
    return build_entities(settings, **{"encoder": HashingEncoder(), **more})


def opened(settings: Settings) -> EntityIndex:
    return EntityIndex.open(settings, encoder=HashingEncoder())


def own(settings: Settings, **files: Any) -> Path:
    return write(own_folder(settings), {f"spells/{name}.json": json.dumps(one) for name, one in files.items()})


def test_what_was_built_is_served(settings: Settings) -> None:
    built = build(settings)
    index = opened(settings)
    assert index.manifest == replace(built, built=False, encoded=0)
    in_memory = EntityIndex.from_documents(stock(), HashingEncoder())
    for query, bind in (("", False), ("ember lash", False), ("level 3 rituals", True), ("wounds close", False)):
        ours, theirs = (one.search_entities("spells", query, bind_stated=bind) for one in (index, in_memory))
        assert list(ours) == list(theirs)
        assert (ours.total, ours.stated, ours.bound) == (theirs.total, theirs.stated, theirs.bound)


def test_a_build_upon_another_is_the_build_of_all(settings: Settings, tmp_path: Path) -> None:
    build(settings)
    own(settings, lance=LANCE)
    upon = build(settings)
    alone = replace(settings, mvp_site_data_dir=tmp_path / "alone")
    own(alone, lance=LANCE)
    assert build(alone).fingerprint == upon.fingerprint


def test_only_what_is_new_is_encoded(settings: Settings) -> None:
    build(settings)
    own(settings, lance=LANCE)
    encoder = CountingEncoder()
    second = build(settings, encoder=encoder)
    assert second.built
    assert 0 < second.encoded == encoder.encoded < 6
    assert all("Frost Lance" in text for text in encoder.texts)
    (own_folder(settings) / "spells/lance.json").unlink()
    third = build(settings, encoder=encoder)
    assert third.built
    assert third.encoded == 0
    assert build(settings).built is False


def test_own_entities_join_and_shadow(settings: Settings) -> None:
    own(settings, lance=LANCE, lash=OWN_LASH)
    manifest = build(settings)
    assert (manifest.entities, manifest.types["spells"]) == (51, 11)
    assert manifest.shadowed == ("spells/ember-lash",)
    assert manifest.documents == {"SRD 5.1": ATTRIBUTION, "own entities": ""}
    index = opened(settings)
    lash = index.search_entities("spells", "ember lash")[0]
    assert (lash["slug"], lash["level"], lash["document"], lash["shadows"]) == (
        "ember-lash", 7, "own entities", "SRD 5.1")
    assert "classes" not in lash
    lance = index.search_entities("spells", "frost lance")[0]
    assert lance["slug"] == "frost-lance"
    assert "shadows" not in lance
    assert index.entity("spells", "frost-veil")["document"] == "SRD 5.1"
    assert index.search_entities("spells", "", {"level": 1}).total == 1
    assert {*slugs(index.search_entities("spells", "", {"document": "own entities"}))} == {"ember-lash", "frost-lance"}
    srd, mine = index.list_documents()
    assert (srd["document"], srd["attribution"], srd["entities"], srd["shadowed"]) == ("SRD 5.1", ATTRIBUTION, 49, 1)
    assert mine == {"document": "own entities", "attribution": "", "entities": 2, "types": {"spells": 2}, "shadowed": 0}


def test_a_folder_that_is_gone_leaves_what_was_built(settings: Settings, tmp_path: Path) -> None:
    first = build(settings, folders=[write(tmp_path / "mine", {"spells/lance.json": LANCE})])
    shutil.rmtree(tmp_path / "mine")
    with pytest.raises(EntityDataError, match="mine is no folder"):
        rebuild_entities(settings)
    assert store_of(settings).current() == first.fingerprint


@pytest.mark.parametrize(("change", "told"), [
    ({"format": 99}, "has format 99, this program reads 3"), ({"types": None}, ""),
    ({"weights": {"colour": 1}}, "its files do not fit together"), ({"entities": 7}, "where the manifest has 7"),
])
def test_a_release_of_another_program_is_told(settings: Settings, change: dict[str, Any], told: str) -> None:
    build(settings)
    store = store_of(settings)
    bundle = store.load()
    values = {key: value for key, value in {**bundle.manifest, **change}.items()
              if key != "checksums" and value is not None}
    store.publish(values, bundle.files)
    with pytest.raises(CorruptIndexError, match=f"{told}.*{COMMAND}"):
        opened(settings)
    build(settings, force=True)
    assert opened(settings).entity("spells", "ember-lash")


def test_files_that_do_not_fit_together_are_told(settings: Settings) -> None:
    build(settings)
    store = store_of(settings)
    bundle = store.load()
    values = {key: value for key, value in bundle.manifest.items() if key != "checksums"}
    for broken in ({DOCUMENTS: b'["dragons", {}]'}, {WORDS: b"["}, {ALIKE: b"\x93NUMPY"}, {DOCUMENTS: None}):
        files = {key: value for key, value in {**bundle.files, **broken}.items() if value is not None}
        store.publish(values, files)
        with pytest.raises(CorruptIndexError, match=f"its files do not fit together .*{COMMAND}"):
            opened(settings)


def test_an_encoder_that_is_another_or_not_there_is_told(settings: Settings) -> None:
    build(settings)
    with pytest.raises(EncoderError, match=r"built with hashing-64-256, not with hashing-32-256; .*" + COMMAND):
        EntityIndex.open(settings, encoder=HashingEncoder(32))
    with pytest.raises(EncoderError, match=r"the encoder hashing-64-256 that the index was built with is not under"):
        EntityIndex.open(settings)
