"""A turn's timeline: its moments in order, tokens that add up, and what became of the state."""

from __future__ import annotations

import re

from flask.testing import FlaskClient

from mvp_site.web.timeline import Changed, changed, moments, state_after

from .doubles import STATE, TellingHandler, answer, as_text, manifest, record

SENT = {"requests": 4, "header": 100, "retrieved": 50, "history": 0, "state": 30, "turn": 8, "tool": 12, "again": 600, "rolls": 70, "given_back": 40, "counted": 910}
PLAYED = manifest(
    sent=SENT, ms={"retrieve": 20.0, "assemble": 4.0}, rolls=[{"expression": "1d20+5", "dice": [9], "total": 14}],
    look_ups=[{"query": "walls", "attempt": 1}, {"query": "rain", "attempt": 1}],
    steps=[
        {"attempt": 1, "seconds": 1.0, "tokens": 0, "calls": []}, {"attempt": 1, "seconds": 0.1, "tokens": 0, "calls": ["look_up", "roll_dice"]},
        {"attempt": 1, "seconds": 1.0, "tokens": 20, "calls": []}, {"attempt": 1, "seconds": 0.1, "tokens": 0, "calls": ["look_up"]}, {"attempt": 1, "seconds": 1.0, "tokens": 25, "calls": []},
        {"attempt": 2, "seconds": 2.0, "tokens": 65, "calls": []},
    ],
)


def test_moments_come_in_their_order_and_add_up() -> None:
    found = moments(record(1, manifest=PLAYED))
    assert [one.kind for one in found] == ["assemble", "call", "dice", "look_up", "call", "look_up", "call", "check", "call", "check", "state"]
    assert sum(one.tokens or 0 for one in found) == SENT["counted"]
    assert [one.number for one in found if one.kind == "look_up"] == [0, 1]
    assert [one.rolls[0]["total"] for one in found if one.kind == "dice"] == [14]
    assert [one.attempt for one in found if one.kind == "check"] == [1, 2]
    assert found[0].seconds == 0.024


def test_the_state_as_it_was_and_as_it_is() -> None:
    updates = {"player_character_data": {"hp_current": 9, "gear": ["rope"]}, "npc_data": {"npc_reeve_001": {"secret": "__DELETE__"}}}
    turn = record(1, answer=as_text(answer(state_updates=updates)))
    assert [*changed(STATE, state_after(turn))] == [
        Changed("player_character_data.hp_current", "24", "9"), Changed("player_character_data.gear", None, '["rope"]'),
        Changed("npc_data.npc_reeve_001.secret", STATE["npc_data"]["npc_reeve_001"]["secret"], None),
    ]
    for untouched in (record(1, fallback="model"), record(1, answer="no JSON"), record(1, answer=as_text(answer(state_updates={"nowhere": {"a": 1}})))):
        assert [*changed(STATE, state_after(untouched))] == []


def test_the_page_tells_it_and_leads_on(local: FlaskClient, handler: TellingHandler) -> None:
    handler.store.records += [record(1), record(2, manifest=PLAYED, answer=as_text(answer(state_updates={"player_character_data": {"hp_current": 9}}))), record(3), record(9, id="alone")]
    page = local.get("/turns/turn-2").text
    titles = re.findall(r'<span class="moment-title">([^<]*)</span>', page)
    assert titles == ["Assemble", "Call", "Dice", "Look up", "Call", "Look up", "Call", "Check", "Call", "Check", "State"]
    tokens = [int(found.replace(",", "")) for found in re.findall(r'<span class="moment-tokens">([\d,]+)', page)]
    assert sum(tokens) == SENT["counted"]
    for text in ("<del>24</del>", "<ins>9</ins>", 'href="/turns/turn-1" rel="prev"', 'href="/turns/turn-3" rel="next"', 'href="/?turn=turn-2"', 'href="/compare?turn=turn-2"', "walls", "time_forward"):
        assert text in page
    assert "rel=\"prev\"" not in local.get("/turns/alone").text + local.get("/turns/turn-1").text
