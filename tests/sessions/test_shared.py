"""Notes in a Milvus that dies, falls silent, is emptied, and comes back; deletion is deletion."""

from __future__ import annotations

import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest

from mvp_site import Settings
from mvp_site.errors import BackendError
from mvp_site.sessions import shared
from mvp_site.sessions.session_notes import SessionNotes
from mvp_site.store.campaigns import CampaignStore
from mvp_site.types import Audience
from tests.hashing import HashingEncoder
from tests.llm.loopback import loopback_only
from tests.retrieval.backends.lite_server import LiteServer, soon
from tests.sessions.test_session_notes import FIRST, ILSE, SECOND

pytestmark = [pytest.mark.slow, pytest.mark.engine]
OIL = "who sells lamp oil?"
Session: Literal["session"] = "session"
WITHIN = 30
"""Seconds without an answer at most, whatever the server did."""


@pytest.fixture
def server(tmp_path: Path, _no_network: None) -> Iterator[LiteServer]:
    """A Milvus Lite in a process of its own."""
    with loopback_only():
        server = LiteServer(tmp_path / "milvus")
        yield server
        server.freeze(signal.SIGCONT)
        server.stop()


@pytest.fixture
def settings(tmp_path: Path, server: LiteServer) -> Settings:
    return Settings(mvp_site_data_dir=tmp_path, mvp_site_milvus_uri=server.uri)


def opened(settings: Settings) -> SessionNotes:
    return SessionNotes.open(settings, encoder=HashingEncoder())


def rows_in(server: LiteServer) -> dict[str, list[Any]]:
    """The rows of each collection of campaigns."""
    from pymilvus import MilvusClient

    with closing(MilvusClient(server.uri)) as client:
        names = [name for name in client.list_collections() if name.startswith(shared.COLLECTION)]
        for name in names:
            client.load_collection(name)
        return {name: client.query(name, filter="row >= 0", output_fields=["row", "group", "tags"], limit=16_000) for name in names}


@pytest.fixture
def notes(settings: Settings) -> Iterator[SessionNotes]:
    with closing(opened(settings)) as notes:
        notes.import_notes("lanterns", [("one.md", FIRST), ("two.md", SECOND)])
        notes.import_characters("lanterns", [("ilse.json", ILSE)])
        assert "lamp oil" in notes.search("lanterns", OIL, Session)[0].piece.text
        yield notes


@pytest.mark.parametrize("emptied", [False, True], ids=["restarted", "emptied"])
def test_a_server_that_dies_and_comes_back(notes: SessionNotes, server: LiteServer, emptied: bool) -> None:
    before = notes.search("lanterns", OIL, Session)
    server.kill()
    with pytest.raises(BackendError, match="is not reached"):
        notes.search("lanterns", OIL, Session)
    if emptied:
        server.empty()
    server.start()
    assert soon(lambda: notes.search("lanterns", OIL, Session)) == before
    assert notes.search("lanterns", "Vessna Kree", Session, audience="dm")
    assert len(rows_in(server)) == 1


def test_a_server_that_was_restarted_between_two_questions_costs_none(notes: SessionNotes, server: LiteServer) -> None:
    before = notes.search("lanterns", OIL, Session)
    server.kill()
    server.start()
    assert notes.search("lanterns", OIL, Session) == before


def test_rows_that_somebody_removed_are_written_again(notes: SessionNotes, server: LiteServer, monkeypatch: pytest.MonkeyPatch) -> None:
    from pymilvus import MilvusClient

    before = notes.search("lanterns", OIL, Session)
    with closing(MilvusClient(server.uri)) as client:
        (name,) = rows_in(server)
        client.delete(name, filter="row >= 0")
    monkeypatch.setattr(shared, "CHECK_SECONDS", 0.0)
    assert notes.search("lanterns", OIL, Session) == before


def test_a_silent_server(notes: SessionNotes, server: LiteServer) -> None:
    server.freeze()
    began = time.monotonic()
    with pytest.raises(BackendError, match="is not reached"):
        notes.search("lanterns", OIL, Session)
    assert time.monotonic() - began < 20
    server.freeze(signal.SIGCONT)
    assert soon(lambda: notes.search("lanterns", OIL, Session))


def test_campaigns_that_are_asked_while_the_server_dies(settings: Settings, server: LiteServer) -> None:
    """It is killed, stopped and emptied; every answer is whole and the campaign's own, and players get no secret."""
    ended, marks = threading.Event(), {f"c{number}": f"mark{number}" for number in range(4)}
    with closing(opened(settings)) as notes:
        for campaign, mark in marks.items():
            notes.import_notes(campaign, [("one.md", FIRST.replace("lamp oil", f"lamp oil {mark}").replace("silver", f"silver {mark}"))])

        def answer(campaign: str, audience: Audience) -> tuple[str, ...]:
            hits = notes.search(campaign, "who sells oil, and who pays drowned silver?", Session, audience=audience)
            return audience, *sorted(hit.piece.text for hit in hits)

        def ask(campaign: str) -> tuple[list[tuple[str, ...]], float]:
            answers, outage, answered = list[tuple[str, ...]](), 0.0, time.monotonic()
            while not ended.is_set():
                with suppress(BackendError):
                    answers.append(answer(campaign, "dm" if len(answers) % 2 else "player"))
                    outage, answered = max(outage, time.monotonic() - answered), time.monotonic()
            return answers, max(outage, time.monotonic() - answered)

        whole = {campaign: {answer(campaign, "player"), answer(campaign, "dm")} for campaign in marks}
        with ThreadPoolExecutor(4) as pool:
            asked = {campaign: pool.submit(ask, campaign) for campaign in marks}
            try:
                for harm in ("killed", "stopped", "emptied") * 2:
                    time.sleep(1)
                    if harm == "stopped":
                        server.freeze()
                        time.sleep(1)
                        server.freeze(signal.SIGCONT)
                    else:
                        server.kill()
                        if harm == "emptied":
                            server.empty()
                        server.start()
                    soon(lambda: notes.search("c0", OIL, Session))
            finally:
                ended.set()
        for campaign, mark in marks.items():
            answers, outage = asked[campaign].result()
            assert {*answers} == whole[campaign]
            assert not any(other in str(whole[campaign]) for other in {*marks.values()} - {mark})
            assert not any("Vessna" in str(texts) for texts in answers if texts[0] == "player")
            assert (len(answers) > 10, outage < WITHIN) == (True, True)
        (rows,) = rows_in(server).values()
        assert sorted(Counter(row["group"] for row in rows).values()) == [len(notes._opened("c0", "god")[0]._pieces)] * 4


def test_openers_at_once_agree_on_one_collection(settings: Settings, server: LiteServer) -> None:
    many = [opened(settings) for _ in range(4)]
    many[0].import_notes("lanterns", [("one.md", FIRST)])
    try:
        for _ in range(2):
            with ThreadPoolExecutor(4) as pool:
                assert all(pool.map(lambda notes: notes.search("lanterns", OIL, Session), many))
            collections = rows_in(server)
            assert len(collections) == 1
            assert len({row["row"] for row in next(iter(collections.values()))}) == len(next(iter(collections.values())))
            server.kill()
            server.empty()
            server.start()
    finally:
        for notes in many:
            notes.close()


def test_one_client_a_process(settings: Settings, notes: SessionNotes) -> None:
    from mvp_site.retrieval.backends import milvus

    before = milvus._clients.copy()
    for number in range(5):
        notes.import_notes(f"c{number}", [("one.md", FIRST)])
        notes.search(f"c{number}", OIL, Session)
    assert milvus._clients.keys() <= before.keys()


def test_what_goes_is_gone(notes: SessionNotes, settings: Settings, server: LiteServer) -> None:
    """After an import, a deletion and a campaign's end no row has what nobody has any more."""
    notes.import_notes("mirrors", [("one.md", FIRST)])
    notes.search("mirrors", OIL, Session, audience="dm")
    for number in range(5):
        notes.import_notes("lanterns", [("one.md", FIRST.replace("lamp oil", f"oil number{number}"))])
        assert notes.search("lanterns", f"who sells oil number{number}?", Session)[0].document == "session-1"
    (rows,) = rows_in(server).values()
    tags = "".join(row["tags"] for row in rows)
    assert len(rows) == len({row["row"] for row in rows})
    index = notes._opened("lanterns", "god")[0]
    assert sum(row["group"].startswith("lanterns") for row in rows) == len(index._pieces), tags
    left = len(rows)
    notes.forget("lanterns", "session", "session-2")
    (rows,) = rows_in(server).values()
    assert len(rows) == left - sum(document.id == "session-2" for document, _ in index._pieces.values())
    with CampaignStore.open(settings) as store:
        store.create("lanterns", {})
        store.delete("lanterns")
    assert notes.forget_campaign("lanterns") == ""
    (rows,) = rows_in(server).values()
    assert {row["group"].partition("\ue000")[0] for row in rows} == {"mirrors"}


def test_what_is_left_over_is_collected(notes: SessionNotes, settings: Settings, server: LiteServer) -> None:
    from pymilvus import MilvusClient

    with CampaignStore.open(settings) as store:
        store.create("lanterns", {})
        server.kill()
        store.delete("lanterns")
        assert "mvp-site gc" in notes.forget_campaign("lanterns")
        server.start()
        collection = shared.SharedCollection(settings, store.documents, HashingEncoder())
        notes.import_notes("mirrors", [("one.md", FIRST)])
        assert notes.search("mirrors", OIL, Session)
        assert collection.strays(removed=False) == collection.strays(removed=True) > 0
        assert collection.strays(removed=True) == 0
        assert notes.search("mirrors", OIL, Session)
        _, (used,) = store.documents.collections()
        orphan = used[:-8] + "00000000"
        with closing(MilvusClient(server.uri)) as client:
            client.create_collection(orphan, dimension=4)
        assert collection.orphans(removed=True) == (orphan,)
        assert list(rows_in(server)) == [used]


def noted(edition: int, sessions: int = 4, items: int = 20) -> list[tuple[str, str]]:
    """Notes of sessions whose items say something else in each edition, but for every third."""
    words = "lantern mill ferry harbour salt rope crow bell letter debt iron candle song tower wax".split()  # noqa: SIM905
    return [(f"{session}.md", f"---\nsession: {session}\n---\n# Session {session}\n\n## Events\n\n" + "".join(
        f"- The {words[(item * 3 + session) % 15]} of the {words[(item + edition * (item % 3 > 0)) % 15]} was sold for {item + session} silver to the {words[(item * 7 + session * 2) % 15]}.\n"
        for item in range(items))) for session in range(1, sessions + 1)]


def test_after_a_hundred_imports_the_engine_has_what_the_database_has(notes: SessionNotes, settings: Settings, server: LiteServer) -> None:
    """Its rows are the database's windows, and its ten best those of the local engine."""
    for edition in range(100):
        notes.import_notes("ledgers", noted(edition))
        if edition % 10 == 9:
            assert notes.search("ledgers", "who bought the lantern?", Session)
    windows = sum(len(row.vector_keys or b"") // 16 for row in notes._documents.load("ledgers"))
    (rows,) = rows_in(server).values()
    assert sum(row["group"].startswith("ledgers") for row in rows) == windows >= 80
    with closing(opened(replace(settings, mvp_site_milvus_uri=None))) as local:
        for query in ("who bought the lantern of the mill?", "what of the crow was sold for 12 silver?", "salt of the ferry", "the bell, the letter and the debt", "iron candle song tower"):
            hits, best = ([hit.document + hit.piece.id for hit in each.search("ledgers", query, Session, limit=10)] for each in (notes, local))
            assert (len(best), set(hits)) == (10, set(best))
