"""A turn's timeline: its moments in order, tokens that add up, and what became of the state."""

from __future__ import annotations

import re

from flask.testing import FlaskClient

from .doubles import TellingHandler, answer, as_text, manifest, record

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


UPDATES = {"player_character_data": {"hp_current": 9, "gear": ["rope"]}, "npc_data": {"npc_reeve_001": {"secret": "__DELETE__"}}}


def test_the_page_tells_it_and_leads_on(local: FlaskClient, handler: TellingHandler) -> None:
    handler.store.records += [record(1), record(2, manifest=PLAYED, answer=as_text(answer(state_updates=UPDATES))), record(3), record(9, id="alone")]
    page = local.get("/turns/turn-2").text
    titles = re.findall(r'<span class="moment-title">([^<]*)</span>', page)
    assert titles == ["Assemble", "Call", "Dice", "Look up", "Call", "Look up", "Call", "Check", "Call", "Check", "State"]
    tokens = [int(found.replace(",", "")) for found in re.findall(r'<span class="moment-tokens">([\d,]+)', page)]
    assert sum(tokens) == SENT["counted"]
    for text in ("<del>24</del>", "<ins>9</ins>", "24 ms", "1d20+5</code>", '<span class="none">gone</span>', "<ins>[&#34;rope&#34;]</ins>", 'href="/turns/turn-1" rel="prev"', 'href="/turns/turn-3" rel="next"', 'href="/?turn=turn-2"', 'href="/compare?turn=turn-2"', "walls", "time_forward"):
        assert text in page
    for untouched in ({"fallback": "model"}, {"answer": "no JSON"}, {"answer": as_text(answer(state_updates={"nowhere": {"a": 1}}))}):
        handler.store.records[:] = [record(1, **untouched)]
        assert "Nothing changed." in local.get("/turns/turn-1").text
    handler.store.records.append(record(9, id="alone"))
    assert "rel=\"prev\"" not in local.get("/turns/alone").text + local.get("/turns/turn-1").text
