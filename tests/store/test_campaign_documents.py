"""Characters, notes and routings of campaigns as both engines keep them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mvp_site.errors import InvalidTurnError, StoreError, UnknownRoutingError
from mvp_site.store.campaign_documents import NewDocument
from mvp_site.store.campaigns import CampaignStore

ILSE = NewDocument("character", "ilse", "Ilse Varn", '{"name": "Ilse"}')
THIRD = NewDocument("session", "session-3", "The Ferry", "# Session 3\x00\ud83d\nQuiet.", 3)
TENTH = NewDocument("session", "session-10", "The Bells", "# Session 10", 10, "onnx", b"k" * 16, b"v" * 8)


def test_what_is_saved_is_loaded_in_order(store: CampaignStore) -> None:
    kept = store.documents
    kept.save("lanterns", [TENTH, ILSE, THIRD])
    kept.save("other", [ILSE])
    assert kept.load("lanterns") == (ILSE, THIRD, TENTH)
    assert [(one.campaign_id, one.id) for one in kept.stamps()] == [("lanterns", "ilse"), ("lanterns", "session-3"), ("lanterns", "session-10"), ("other", "ilse")]
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
