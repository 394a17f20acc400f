"""What goes with a campaign: characters, notes and routings as both engines keep them; export and import give back what went."""

from __future__ import annotations

import copy
import json
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.errors import CampaignExistsError, InvalidTurnError, StoreError, UnknownRoutingError
from mvp_site.store.campaign_documents import NewDocument
from mvp_site.store.campaigns import CampaignStore

from ..conftest import REPOSITORY
from .records import a_turn, states, texts

DOCUMENT: dict[str, Any] = json.loads((REPOSITORY / "tests/cases/campaign.json").read_text("utf-8"))
KEPT = {"kind": "session", "id": "session-1", "title": "Session 1", "number": 1, "source": "Rain."}


def changed(path: str, value: object) -> dict[str, Any]:
    """The document with another value at ``path``; ``...`` takes the key away."""
    document = copy.deepcopy(DOCUMENT)
    *steps, last = (int(step) if step.isdigit() else step for step in path.split("."))
    place: Any = document
    for step in steps:
        place = place[step]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return document


@given(states, st.lists(st.tuples(texts, texts, states, st.sampled_from([None, "contract"])), max_size=4))
def test_out_and_in_again(store: CampaignStore, state: dict[str, Any], said: list[tuple[str, str, dict[str, Any], str | None]]) -> None:
    store.create("saltmere", state)
    for number, (words, answer, after, fallback) in enumerate(said, 1):
        store.commit(a_turn(number, user_input=words, answer=answer, manifest=after, state_before=state, fallback=fallback, sparse=bool(number % 2)), after, number)
    document, whole, turns = store.export("saltmere"), store.load("saltmere"), store.turns()
    assert store.delete("saltmere") == len(said)
    assert store.import_document(document) == whole
    assert (store.load("saltmere"), store.turns()) == (whole, turns)
    assert store.export("saltmere") == document
    store.commit(a_turn(len(said) + 1), {}, whole.version)
    store.delete("saltmere")


def test_sheets_and_notes_go_with_their_campaign(store: CampaignStore) -> None:
    kept = (NewDocument("character", "ilse", "Ilse", '{"base": {"name": "Ilse"}}'), NewDocument("session", "session-3-dm", "Session 3", "She lies.\x0b", 3))
    store.create("saltmere", {})
    store.documents.save("saltmere", [replace(kept[0], encoder="e", vector_keys=b"k", vectors=b"v"), kept[1]])
    document = json.loads(json.dumps(store.export("saltmere")))
    store.delete("saltmere")
    store.import_document(document)
    assert store.documents.load("saltmere") == kept
    assert store.export("saltmere") == document


def test_from_one_engine_to_the_other(sqlite_url: str, postgres_url: str) -> None:
    """Through a file, as people move it."""
    with CampaignStore.from_url(sqlite_url) as here, CampaignStore.from_url(postgres_url) as there:
        here.create("saltmere", {"name": "Ä\0🐉\ud83d"})
        here.commit(a_turn(1, user_input="\0\udfff"), {"n": 10**30}, 1)
        there.import_document(json.loads(json.dumps(here.export("saltmere"))))
        assert there.export("saltmere") == here.export("saltmere")
        assert there.load("saltmere") == here.load("saltmere")


@pytest.mark.parametrize(("document", "message"), [
    (None, "the document: Expected `object`, got `null`"), ({}, "the document: Object missing required field `format`"),
    (changed("format", 2), "format: 2 is unknown; this mvp-site reads 1"), (changed("state", ...), "the document: Object missing required field `state`"),
    (changed("maps", {}), "the document: Object contains unknown field `maps`"), (changed("campaign.id", ...), "campaign: Object missing required field `id`"),
    (changed("campaign.id", "a b"), "campaign: the campaign id 'a b' cannot be used"), (changed("campaign.version", 0), "campaign: version=0 cannot be used"),
    (changed("campaign.turns", 3), "turns: there are 2, and campaign.turns says 3"), (changed("campaign.created", 5), "campaign: Expected `datetime`, got `int` - at `$.created`"),
    (changed("campaign.updated", "2026-03-01"), "campaign: Invalid RFC3339 encoded datetime - at `$.updated`"),
    (changed("state", []), "campaign: Expected `object`, got `array` - at `$.state`"),
    (changed("state", {"a": {1: 2}}), "campaign: state.a cannot be stored: the key 1"), (changed("turns", {}), "the document: Expected `array`, got `object` - at `$.turns`"),
    (changed("turns.1.manifest", ...), "turns[1]: Object missing required field `manifest`"), (changed("turns.1.campaign_id", "keep"), "turns[1]: unknown 'campaign_id'"),
    (changed("turns.1.number", 1), "turns[1].number: 1 stands where 2 should"), (changed("turns.1.id", "t1"), "turns[1].id: 't1' is one of the turns before it already"),
    (changed("turns.1.id", "a/b"), "turns[1]: the turn id 'a/b' cannot be used"), (changed("documents", {}), "the document: Expected `array`, got `object` - at `$.documents`"),
    (changed("documents", [{"kind": "session"}]), "documents[0]: Object missing required field `id`"),
    (changed("documents", [KEPT | {"kind": "map"}]), "documents[0].kind: 'map' is not character or session"),
    (changed("documents", [KEPT | {"source": 3}]), "documents[0]: Expected `str`, got `int` - at `$.source`"),
    (changed("documents", [KEPT | {"number": "3"}]), "documents[0]: Expected `float | null`, got `str` - at `$.number`"),
    (changed("turns.0.mode", "epic"), "turns[0]: unknown mode 'epic'"), (changed("turns.0.sparse", 0), "turns[0]: Expected `bool`, got `int` - at `$.sparse`"),
    (changed("campaign.created", "0001-01-01T00:00:00+05:00"), "campaign: created=datetime.datetime(1, 1, 1, 0, 0,"),
    (changed("turns.1.created", "9999-12-31T23:59:59-05:00"), "turns[1]: created=datetime.datetime(9999, 12, 31,"),
    (changed("state", {"gold": 10**3999}), "campaign: state.gold cannot be stored: an integer of more than 300 digits"),
    (changed("turns.0.manifest", {"tokens": 10**3999}), "turns[0]: manifest.tokens cannot be stored: an integer of more"),
])
def test_documents_that_are_refused(store: CampaignStore, document: Any, message: str) -> None:
    with pytest.raises(StoreError, match=re.escape(f"the campaign cannot be imported: {message}")):
        store.import_document(document)
    assert store.campaigns() == store.turns() == ()


def test_a_campaign_that_is_there_is_not_written_over(store: CampaignStore) -> None:
    store.create("saltmere", {"n": "mine"})
    with pytest.raises(CampaignExistsError, match="there is a campaign 'saltmere' already"):
        store.import_document(DOCUMENT)
    assert store.load("saltmere").state == {"n": "mine"}
    assert store.turns() == ()


ILSE = NewDocument("character", "ilse", "Ilse Varn", '{"name": "Ilse"}')
THIRD = NewDocument("session", "session-3", "The Ferry", "# Session 3\x00\ud83d\nQuiet.", 3)
TENTH = NewDocument("session", "session-10", "The Bells", "# Session 10", 10, "onnx", b"k" * 16, b"v" * 8)


def test_what_is_saved_is_loaded_in_order(store: CampaignStore) -> None:
    kept = store.documents
    kept.save("lanterns", [TENTH, ILSE, THIRD])
    kept.save("other", [ILSE])
    assert kept.load("lanterns") == (ILSE, THIRD, TENTH)
    assert [(one.campaign, one.id) for one in kept.stamps()] == [("lanterns", "ilse"), ("lanterns", "session-3"), ("lanterns", "session-10"), ("other", "ilse")]
    assert [one.number for one in kept.stamps("lanterns", "session")] == [3, 10]
    assert kept.load("nobody") == ()


def test_a_document_takes_the_place_of_the_one_before_and_goes(store: CampaignStore) -> None:
    kept = store.documents
    kept.save("lanterns", [THIRD])
    before = kept.stamps("lanterns")
    kept.save("lanterns", [replace(THIRD, source="Other text")])
    assert kept.stamps("lanterns")[0].digest != before[0].digest
    assert [one.source for one in kept.load("lanterns")] == ["Other text"]
    assert kept.delete("lanterns", "session", "session-3")
    assert not kept.delete("lanterns", "session", "session-3")
    assert kept.load("lanterns") == ()


def test_one_that_cannot_be_stored_keeps_the_others_out(store: CampaignStore) -> None:
    with pytest.raises(InvalidTurnError, match="the id of the session 'a b' cannot be used"):
        store.documents.save("lanterns", [ILSE, replace(THIRD, id="a b")])
    assert store.documents.load("lanterns") == ()


def test_vectors_are_kept_for_the_text_that_they_are_of(store: CampaignStore) -> None:
    kept = store.documents
    kept.save("lanterns", [THIRD])
    late = replace(THIRD, encoder="onnx", vector_keys=b"k" * 16, vectors=b"v" * 8)
    kept.keep_vectors("lanterns", [replace(late, source="of another text")])
    assert kept.load("lanterns") == (THIRD,)
    kept.keep_vectors("lanterns", [late])
    assert kept.load("lanterns") == (late,)


def test_a_routing_is_corrected_domain_by_domain(store: CampaignStore) -> None:
    kept = store.documents
    first = kept.save_routing("lanterns", {"query": "who was it?"}, {"rulebook": {"is_needed": True}})
    second = kept.save_routing(None, {"query": "what is cover?"}, {})
    assert [one.id for one in kept.routings()] == [second, first]
    kept.correct(first, {"rulebook": {"is_needed": False}})
    kept.correct(first, {"session_notes": {"is_needed": True}})
    (found,) = kept.routings(corrected_only=True)
    assert found.corrected == {"rulebook": {"is_needed": False}, "session_notes": {"is_needed": True}}
    assert (found.campaign_id, found.asked, found.decided) == ("lanterns", {"query": "who was it?"}, {"rulebook": {"is_needed": True}})
    with pytest.raises(UnknownRoutingError, match="there is no routing 'nobody': take the id of an answer"):
        kept.correct("nobody", {})


def test_a_damaged_document_is_told(store: CampaignStore) -> None:
    store.documents.save("lanterns", [ILSE])
    with store._database.write("breaking it") as connection:
        connection.exec_driver_sql("UPDATE campaign_documents SET source = 'no JSON'")
    with pytest.raises(StoreError, match="the character 'ilse' is damaged in the database"):
        store.documents.load("lanterns")
