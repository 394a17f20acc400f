"""The engines behind one index: the same answers from each, and an engine that is gone is told."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pymilvus import MilvusClient

from mvp_site.entities.build import build_entities, own_folder, store_of
from mvp_site.entities.index import EntityIndex
from mvp_site.entities.passages import KEPT as ENTITIES
from mvp_site.errors import BackendError, BuildError, MissingIndexError, SettingsError
from mvp_site.releases import reloading
from mvp_site.releases.store import ReleaseStore
from mvp_site.retrieval.backends.marqo import MarqoWriter
from mvp_site.retrieval.backends.milvus_writer import MilvusWriter
from mvp_site.retrieval.collection import SearchRequest
from mvp_site.retrieval.engine_releases import ENGINE_ID, engine_of, generations_on
from mvp_site.settings import Settings

from ..content.test_own_files import write
from ..hashing import HashingEncoder
from ..llm.loopback import loopback_only
from ..retrieval.backends.conftest import quick_milvus  # noqa: F401 (a fixture)
from ..retrieval.backends.lite_server import LiteServer, soon
from ..retrieval.backends.marqo_server import MarqoServer, marqo_server
from .small_stock import CountingEncoder, settings_in, small_index, stock_as_srd

COMMAND = "mvp-site entities build"
ENGINES = ["milvus", "marqo"]

KEPT = 4


@contextmanager
def small_srd() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch, stock_as_srd(patch):
        yield


@pytest.fixture(autouse=True)
def _around(_no_network: None, quick_milvus: None) -> Iterator[None]:  # noqa: F811
    """A build takes the stock for the SRD; servers are reached at 127.0.0.1."""
    with small_srd(), loopback_only():
        yield


@contextmanager
def built(kind: str, folder: Path) -> Iterator[tuple[Settings, MarqoServer | None]]:
    """Settings of an engine to which the stock was written."""
    with marqo_server() as server:
        engine: dict[str, Any] = {"mvp_site_marqo_url": server.url}
        if kind == "milvus":
            engine = {"mvp_site_milvus_uri": str(folder / "entities.db")}
        settings = settings_in(folder, **engine)
        build_entities(settings, encoder=HashingEncoder())
        yield settings, server if kind == "marqo" else None


@pytest.fixture(scope="module", params=ENGINES)
def index(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EntityIndex]:
    """An index of the stock in an engine, for tests that only read."""
    with loopback_only(), small_srd(), built(request.param, tmp_path_factory.mktemp(request.param)) as (settings, _):
        index = EntityIndex.open(settings, encoder=HashingEncoder())
        yield index
        index.close()


def opened(settings: Settings) -> EntityIndex:
    return EntityIndex.open(settings, encoder=HashingEncoder())


def test_two_engines_are_refused_everywhere(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    build_entities(settings, encoder=HashingEncoder())
    both = settings_in(tmp_path, mvp_site_milvus_uri="a.db", mvp_site_marqo_url="http://127.0.0.1:9")
    for ask in (lambda: engine_of(both), lambda: build_entities(both, encoder=HashingEncoder()), lambda: opened(both)):
        with pytest.raises(SettingsError, match="MVP_SITE_MILVUS_URI and MVP_SITE_MARQO_URL are both set"):
            ask()


SEARCHES: list[tuple[str, str, dict[str, Any]]] = [
    ("spells", "", {}), ("spells", "embr lash", {}), ("spells", "a moth of light", {"limit": 1}), ("spells", "xyzzy", {}),
    ("spells", "ember", {"filters": {"level_min": 2}}), ("spells", "", {"filters": {"classes": ["bard", "warlock"]}, "offset": 1}),
    ("spells", "druid", {"filters": {"ritual": True}}), ("spells", "level 3 rituals", {"bind_stated": True}),
    ("spells", "mending", {"filters": {"casting_time": {"contains": "action"}}}), ("monsters", "paralysed limbs", {}),
    ("monsters", "breathes ash", {"filters": {"challenge_rating": {"min": 1, "max": 3}}}),
    ("weapons", "", {"filters": {"cost": {"max": 20}, "finesse": True}}),
]


@pytest.mark.parametrize(("type_", "query", "more"), SEARCHES)
def test_every_engine_answers_as_the_local_one(index: EntityIndex, type_: str, query: str, more: dict[str, Any],
                                               ) -> None:
    ours, theirs = (one.search_entities(type_, query, **more) for one in (index, small_index()))
    assert [one["slug"] for one in ours] == [one["slug"] for one in theirs]
    assert [one["_score"] for one in ours] == pytest.approx([one["_score"] for one in theirs], abs=1e-4)
    assert (ours.total, ours.stated, ours.bound) == (theirs.total, theirs.stated, theirs.bound)
    plain = [{key: value for key, value in one.items() if key != "_score"} for one in theirs]
    assert [{key: value for key, value in one.items() if key != "_score"} for one in ours] == plain


def test_the_rest_of_the_index_on_every_engine(index: EntityIndex) -> None:
    for slug in ("marsh-goblet", "ash-wyrm"):
        ours, theirs = (one.find_similar_entities("monsters", slug) for one in (index, small_index()))
        assert [one["slug"] for one in ours] == [one["slug"] for one in theirs]
        assert [one["_score"] for one in ours] == pytest.approx([one["_score"] for one in theirs], abs=1e-4)
    assert [one["slug"] for one in index.search_all("needle blade")] == [
        one["slug"] for one in small_index().search_all("needle blade")]
    assert index.facets("spells", {"level": 1}) == small_index().facets("spells", {"level": 1})
    assert index.entity("spells", "frost-veil") == small_index().entity("spells", "frost-veil")
    assert index.lookup_spell(**{"class": "druid"}).total == small_index().lookup_spell(**{"class": "druid"}).total


@pytest.mark.parametrize("kind", ENGINES)
def test_a_release_of_another_engine_is_told(tmp_path: Path, kind: str) -> None:
    local = settings_in(tmp_path)
    build_entities(local, encoder=HashingEncoder())
    asked = settings_in(tmp_path, **(
        {"mvp_site_milvus_uri": str(tmp_path / "x.db")} if kind == "milvus"
        else {"mvp_site_marqo_url": "http://127.0.0.1:9"}))
    with pytest.raises(MissingIndexError, match=rf"built for local, and the settings name {kind}-\w+; .*{COMMAND}"):
        opened(asked)
    with built(kind, tmp_path) as (settings, _):
        with closing(opened(settings)) as index:
            assert index.search_entities("spells").total == 10
        with pytest.raises(MissingIndexError, match=rf"built for {kind}-\w+, and the settings name local; .*{COMMAND}"):
            opened(local)
        assert build_entities(local, encoder=HashingEncoder()).built
        assert opened(local).search_entities("spells").total == 10


@pytest.mark.parametrize("kind", ENGINES)
def test_a_new_build_is_served_on_the_next_call_and_nothing_changed_is_nothing_to_do(tmp_path: Path, kind: str,
                                                                                     ) -> None:
    with built(kind, tmp_path) as (settings, _):
        index, encoder = opened(settings), CountingEncoder()
        first = index.manifest
        assert first.engine.startswith(f"{kind}-")
        kept = (store_of(settings).folder / ENGINE_ID).read_text()
        assert re.fullmatch(rf"{ENTITIES.collection}_{kept.strip()}[-_]000001[-_][0-9a-f]{{8}}", first.generation)
        again = build_entities(settings, encoder=encoder)
        assert (again.built, again.generation, encoder.texts) == (False, first.generation, [])
        write(own_folder(settings), {"spells/own.json": json.dumps({"name": "Zephyr", "level": 1, "desc": "A mild wind."})})
        second = build_entities(settings, encoder=encoder)
        assert second.built
        assert second.generation != first.generation
        assert index.search_entities("spells", "zephyr")[0]["slug"] == "zephyr"
        assert index.manifest.generation == second.generation
        backend = index._now().release.backend
        index.close()
        with pytest.raises(BackendError):
            backend.search(SearchRequest(("spells",)))


def everything_asked(index: EntityIndex) -> list[Any]:
    return [
        lambda: index.search_entities("spells", "a question never put before"),
        lambda: index.search_entities("spells", "", {"level": 9}), lambda: index.search_all("another one"),
        lambda: index.lookup_creature("yet another", cr_min=2),
    ]


def test_an_engine_that_is_gone_is_told_and_never_answers_with_nothing(
        tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with built("marqo", tmp_path) as (settings, server):
        assert server is not None
        index = opened(settings)
        kept = index.search_entities("spells", "ember lash")
        server.answer = lambda method, path: (500, b"")
        with caplog.at_level(logging.WARNING):
            for ask in everything_asked(index):
                with pytest.raises(BackendError, match=r"[Mm]arqo.*health"):
                    ask()
        assert "marqo" in caplog.text
        server.answer = lambda method, path: None
        for ask in everything_asked(index):
            ask()  # an error is not kept
        assert list(index.search_entities("spells", "ember lash")) == list(kept)
    nobody = settings_in(tmp_path / "other", mvp_site_marqo_url="http://127.0.0.1:9")
    with pytest.raises(BackendError, match=r"127\.0\.0\.1:9"):
        build_entities(nobody, encoder=HashingEncoder())
    with pytest.raises(MissingIndexError, match=COMMAND):
        opened(nobody)


def test_an_engine_that_cannot_be_reached_refuses_the_build_and_the_old_one_is_served(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(reloading, "RETRY_SECONDS", 0.0)
    with built("marqo", tmp_path) as (settings, server):
        assert server is not None
        index = opened(settings)
        write(own_folder(settings), {"spells/own.json": json.dumps({"name": "Zephyr", "level": 1})})
        server.answer = lambda method, path: (503, b"{}") if path.endswith("/documents") else None
        with pytest.raises(BackendError):
            build_entities(settings, encoder=HashingEncoder())
        server.answer = lambda method, path: None
        assert index.search_entities("spells", "zephyr", {"slug": "zephyr"}).total == 0
        assert index.search_entities("spells", "gentle mending")[0]["slug"] == "gentle-mending"
        # Published while the engine answers the builder alone: served as soon as it answers again.
        build_entities(settings, encoder=HashingEncoder())
        server.answer = lambda method, path: (503, b"{}")
        with caplog.at_level(logging.WARNING), pytest.raises(BackendError):
            index.search_entities("spells", "a new question")
        assert "was not taken up, the one before stays" in caplog.text
        server.answer = lambda method, path: None
        assert index.search_entities("spells", "zephyr")[0]["slug"] == "zephyr"


def held_by(settings: Settings, server: MarqoServer | None) -> set[str]:
    """The collections of the engine."""
    if server is not None:
        return set(server.indexes)
    with closing(MilvusClient(settings.mvp_site_milvus_uri)) as client:
        return set(client.list_collections())


def build_with(settings: Settings, name: str) -> str:
    """Build with one more spell; the generation."""
    write(own_folder(settings), {f"spells/{name}.json": json.dumps({"name": name, "level": 1})})
    return build_entities(settings, encoder=HashingEncoder()).generation


@pytest.mark.slow
@pytest.mark.parametrize("kind", ENGINES)
def test_two_shelves_share_an_engine_and_neither_drops_what_is_the_others(tmp_path: Path, kind: str) -> None:
    with built(kind, tmp_path) as (settings, server):
        other = replace(settings, mvp_site_data_dir=tmp_path / "elsewhere")
        theirs = {build_entities(other, encoder=HashingEncoder()).generation, build_with(other, "Gale")}
        ours = [opened(settings).manifest.generation]
        ours += [build_with(settings, f"Zephyr {n}") for n in range(KEPT + 1)]
        # As many as the shelf has releases to roll back to; of the other shelf none is gone.
        assert held_by(settings, server) == {*ours[-KEPT:], *theirs}
        assert generations_on(store_of(settings)) == set(ours[-KEPT:])
        for one, name, total in ((settings, "Zephyr 4", 15), (other, "Gale", 11)):
            with closing(opened(one)) as index:
                found = index.search_entities("spells", name)
                assert (found[0]["name"], index.search_entities("spells").total) == (name, total)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ENGINES)
def test_a_release_that_cannot_be_published_leaves_what_is_served(tmp_path: Path, kind: str,
                                                                  monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise BuildError("no space left")

    with built(kind, tmp_path) as (settings, server):
        first = opened(settings).manifest.generation
        for name in ("Zephyr", "Gale", "Breeze"):
            with monkeypatch.context() as patch:
                patch.setattr(ReleaseStore, "publish", full)
                with pytest.raises(BuildError, match="no space"):
                    build_with(settings, name)
        with closing(opened(settings)) as index:
            assert index.manifest.generation == first
            assert index.search_entities("spells", "ember lash")[0]["slug"] == "ember-lash"
        last = build_with(settings, "Gust")  # and the next sweeps up
        assert held_by(settings, server) == {first, last}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ENGINES)
@pytest.mark.parametrize(("at", "fault"), [
    ("write", BackendError("down")), ("publish", BackendError("down")), ("write", KeyboardInterrupt()),
])
def test_a_write_that_fails_leaves_no_collection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str,
                                                 at: str, fault: BaseException) -> None:
    def fail(*_: object) -> None:
        raise fault

    with built(kind, tmp_path) as (settings, server):
        before = held_by(settings, server)
        writer = MilvusWriter if kind == "milvus" else MarqoWriter
        with monkeypatch.context() as patch:
            patch.setattr(writer, at, fail)
            with pytest.raises(type(fault)):
                build_with(settings, "Zephyr")
        assert held_by(settings, server) == before
        with closing(opened(settings)) as index:
            assert index.search_entities("spells").total == 10


@pytest.mark.slow
@pytest.mark.parametrize("emptied", [False, True], ids=["restarted", "emptied"])
def test_a_milvus_that_dies_and_comes_back_is_served_from_again(tmp_path: Path, emptied: bool) -> None:
    server = LiteServer(tmp_path / "milvus")
    try:
        settings = replace(settings_in(tmp_path), mvp_site_milvus_uri=server.uri)
        build_entities(settings, encoder=HashingEncoder())
        with closing(EntityIndex.open(settings, encoder=HashingEncoder())) as index:
            before = [hit["slug"] for hit in index.search_entities("monsters", "fire")]
            assert before
            server.kill()
            with pytest.raises(BackendError):
                index.search_entities("monsters", "ice")
            if emptied:
                server.empty()
            server.start()
            assert [hit["slug"] for hit in soon(lambda: index.search_entities("monsters", "fire"))] == before
    finally:
        server.stop()
