"""The page to ask on, and its part of the API: answers beside their evidence, corrections; who may see what."""

from __future__ import annotations

from typing import Any

import pytest
from flask.testing import FlaskClient

from mvp_site.engine.types import CitedSentence, Failure
from mvp_site.errors import EngineError, StoreError, UnknownRoutingError

from ..engine_doubles import EVIDENCE, SECRET, WHY, KeptNotes, TellingEngine
from .test_every_page import assert_in_order

QUESTION = {"q": "Could I have countered it?", "campaign": "lantern_road", "character": "Ilse Varn"}


@pytest.fixture
def engine() -> TellingEngine:
    return TellingEngine()


@pytest.fixture
def notes() -> KeptNotes:
    return KeptNotes()


@pytest.fixture
def parts(engine: TellingEngine, notes: KeptNotes) -> dict[str, Any]:
    return {"engine": engine, "notes": notes}


@pytest.mark.parametrize(("path", "says"), [
    ("/ask", ['name="campaign" value=""', "<input id=\"character\""]), ("/ask?campaign=lantern_road", ['value="lantern_road"', "<option value=\"Ilse Varn\" selected>Ilse Varn</option>"]),
    ("/ask?campaign=a%20b", ["This has characters that it may not have"]),
    ("/ask?corrected=books", ["The correction for “Books” is kept"]), ("/ask?corrected=%3Cb%3E", []),
])
def test_the_page_is_in_order_and_for_players(player: FlaskClient, engine: TellingEngine, path: str, says: list[str]) -> None:
    page = player.get(path)
    assert page.status_code == 200
    assert_in_order(page.text)
    assert 'href="/play" aria-current="true"' in page.text
    for text in says:
        assert text in page.text
    assert engine.asked == []
    for hidden in ("secret_campaign", "Mordan", "Ask as"):
        assert hidden not in page.text


def test_an_answer_stands_beside_its_evidence(local: FlaskClient, engine: TellingEngine) -> None:
    page = local.get("/ask", query_string=QUESTION)
    assert page.status_code == 200
    assert_in_order(page.text)
    for text in (
        "<q>Could I have countered it?</q>", 'Counterspell is <strong>prepared</strong>.&nbsp;<a class="badge hue-3" href="#evidence-1" data-passage="1" aria-label="Evidence 1, Ilse Varn, Spells">1</a>',
        '<details class="part hue-2" id="evidence-2"', "within reach cast a spell.</p>", '<cite class="aside">Session 3, Combat</cite>', 'href="/rulebook?section=spells/counterspell"',
        "Magic info", "confidence 93 %, local router", "confidence 71 %, openai:small", "not needed", "The books were not asked", WHY, "1 more did not fit", "1 more was read", "<li>Session 1, Spells used</li>",
        "Counterspell is on the sheet and in the rules.", "Session 3 is the newest that says so.", '<option value="Ilse Varn" selected>Ilse Varn</option>', 'name="routing" value="r-77"', "SRD 5.1, CC-BY-4.0",
    ):
        assert text in page.text, text
    assert "elsewhere.example" not in page.text  # a link leads to a page of ours, or nowhere
    assert engine.asked == [{"query": QUESTION["q"], "character": "Ilse Varn", "campaign": "lantern_road", "audience": "player", "max_tokens": 4_000}]


def test_an_answer_has_an_address_that_asks_once_and_for_nobody_elsewhere(local: FlaskClient, engine: TellingEngine) -> None:
    for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Sec-Fetch-Site": "none", "Sec-Purpose": "prefetch;prerender"}):
        page = local.get("/ask", query_string=QUESTION, headers=headers).text
        assert (">\nCould I have countered it?</textarea>" in page, "to ask this question" in page, engine.asked) == (True, True, [])
    for headers in ({"Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "none"}, {}):
        assert 'id="answer"' in local.get("/ask", query_string=QUESTION, headers=headers).text
    assert len(engine.asked) == 1  # a reload asks nothing
    local.get("/ask", query_string={**QUESTION, "again": "1"})
    assert len(engine.asked) == 2


def test_citations_are_numbered_as_they_are_read(local: FlaskClient, engine: TellingEngine) -> None:
    engine.changed = {"sentences": (CitedSentence("It is a reaction.", (EVIDENCE[1].id,)), CitedSentence("She has it.", (EVIDENCE[0].id,))), "relations": ()}
    page = local.get("/ask", query_string=QUESTION).text
    assert [page.index(text) for text in ('aria-label="Evidence 1, ', 'aria-label="Evidence 2, ')] == sorted(page.index(text) for text in ('aria-label="Evidence 1, ', 'aria-label="Evidence 2, '))
    assert f'aria-label="Evidence 1, {EVIDENCE[1].citation}"' in page.replace("&#39;", "'")


def test_the_evidence_alone_is_an_answer(local: FlaskClient, engine: TellingEngine) -> None:
    engine.changed = {"sentences": (), "text": "Nothing is known of it.", "evidence": (), "by": "evidence", "left_out": (), "relations": (), "notes": (), "errors": (), "id": "", "decisions": ()}
    page = local.get("/ask", query_string=QUESTION).text
    assert_in_order(page)
    told = ("Nothing is known of it.", "no model: the evidence itself", "Correct it", "Incomplete", "did not fit")
    assert [text in page for text in told] == [True, True, False, False, False]


def test_what_is_wrong_is_said_at_its_field(local: FlaskClient) -> None:
    for data, status, says in (
        ({"q": ""}, 400, "Invalid:</strong> This has 0 characters"), ({"q": "x" * 4_001}, 400, "This has 4001 characters"), ({"character": "Mordin"}, 404, "no character"), ({"campaign": "a b"}, 400, "This has characters that it may not have"), ({"audience": "x"}, 400, "Invalid:"),
    ):
        page = local.get("/ask", query_string={**QUESTION, **data})
        assert (page.status_code, says in page.text) == (status, True)
        assert_in_order(page.text)


def test_what_stands_beside_the_answer_is_not_said_in_it(local: FlaskClient, engine: TellingEngine) -> None:
    """An answer without a model says all that it has as text too: headings, citations, notes."""
    lines = ("\n## Rules\n", "- **Counterspell**: a reaction [2]", "\n## How it goes together\n", "- Counterspell is on the sheet and in the rules.", "\n## Where it stands\n", "- [1] Ilse Varn, Spells", "Note: the books were not asked")
    engine.changed = {"sentences": tuple(CitedSentence(one, (EVIDENCE[1].id,) if "[2]" in one else (EVIDENCE[0].id,) if "[1]" in one else ()) for one in lines), "by": "evidence", "decisions": ()}
    told = local.get("/ask", query_string=QUESTION).text.partition('<div class="told">')[2].partition('<div class="rests">')[0]
    assert "<h3>Rules</h3>" in told
    assert '<p class="sentence"><strong>Counterspell</strong>: a reaction&nbsp;' in told
    for text in ("How it goes", "Where it stands", "Ilse Varn, Spells</p>", "Note:", "[2]", "##"):
        assert text not in told
    assert told.count("is on the sheet and in the rules.") == 1


def test_what_is_not_built_or_not_imported_is_told(local: FlaskClient, engine: TellingEngine) -> None:
    engine.changed = {"evidence": (), "sentences": (), "errors": (Failure("rulebook", "MissingIndexError: there is none", "Rules: could not be searched."),)}
    page = local.get("/ask", query_string={"q": "How are we?", "campaign": "c1"}).text
    assert ("The rulebook is not built" in page, "<code>mvp-site rulebook build</code>" in page, "MissingIndexError" in page) == (True, True, False)


@pytest.mark.parametrize(("part", "error"), [("engine", EngineError(WHY)), ("notes", StoreError(WHY))])
def test_a_part_that_fails_is_told_as_far_as_one_may_know(player: FlaskClient, dm_headers: dict[str, str], engine: TellingEngine, notes: KeptNotes, part: str, error: Exception) -> None:
    {"engine": engine, "notes": notes}[part].fails = error  # type: ignore[attr-defined]
    for headers in ({}, dm_headers):
        page = player.get("/ask", query_string=QUESTION, headers=headers)
        assert page.status_code == 503
        assert_in_order(page.text)
        assert (WHY[1:] in page.text) is bool(headers)


def test_a_player_asks_as_a_player(player: FlaskClient, dm_headers: dict[str, str]) -> None:
    page = player.get("/ask", query_string=QUESTION).text
    for text in (SECRET, WHY, "Correct it", "Ask as", "secret_campaign"):
        assert text not in page
    assert player.get("/ask", query_string={**QUESTION, "audience": "dm"}).status_code == 401
    unknown = player.get("/ask", query_string={**QUESTION, "character": "Mordin"})
    assert (unknown.status_code, "Brannoc Ashdown" in unknown.text, "Mordan" in unknown.text) == (404, True, False)
    seen = player.get("/ask", query_string={**QUESTION, "audience": "dm"}, headers=dm_headers).text
    for text in (SECRET, WHY, "Correct it", ">secret_campaign</option>"):
        assert text in seen


def test_a_routing_is_corrected_by_the_entitled(player: FlaskClient, dm_headers: dict[str, str], notes: KeptNotes) -> None:
    form = {**QUESTION, "routing": "r-77", "domain": "books", "needed": "true", "intention": ""}
    assert player.post("/ask/correct", data=form).status_code == 401
    assert notes.corrected == {}
    done = player.post("/ask/correct", data=form, headers=dm_headers)
    assert (done.status_code, done.headers["Location"]) == (303, "/ask?q=Could+I+have+countered+it%3F&character=Ilse+Varn&campaign=lantern_road&corrected=books#corrected")
    player.post("/ask/correct", data={**form, "domain": "rulebook", "needed": "false", "intention": "spell_details"}, headers=dm_headers)
    assert notes.corrected == {"r-77": {"books": {"is_needed": True, "intention": None}, "rulebook": {"is_needed": False, "intention": None}}}
    for wrong in ({"domain": "dice"}, {"intention": "magic_info"}, {"needed": "x"}, {"routing": ""}):
        assert player.post("/ask/correct", data={**form, **wrong}, headers=dm_headers).status_code == 400
    notes.fails = UnknownRoutingError("there is no routing 'r-78'")
    gone = player.post("/api/corrections/add", json={"routing": "r-78", "domain": "books"}, headers=dm_headers)
    assert (gone.status_code, gone.json["error"]["kind"]) == (404, "unknown_routing")


def test_the_api_answers_the_same(player: FlaskClient, dm_headers: dict[str, str]) -> None:
    asked = {"query": "Who sank it?", "campaign": "lantern_road", "character": "Ilse"}
    assert player.post("/api/ask", json=asked).json["sentences"][0] == {"text": "She could: Counterspell is **prepared**.", "evidence": [1]}
    for method, path, body, open_ in (
        ("get", "/api/characters", None, False), ("get", "/api/characters?campaign=lantern_road", None, True), ("get", "/api/sessions?campaign=lantern_road", None, True),
        ("post", "/api/sessions/import", {"campaign": "c", "files": [{"name": "a.md", "text": "Rain"}]}, False), ("post", "/api/characters/import", {"campaign": "c", "files": [{"name": "a.yaml", "text": "Pell"}]}, False),
        ("post", "/api/corrections/add", {"routing": "r", "domain": "books"}, False), ("get", "/api/sessions/template", None, True), ("post", "/api/sessions/forget", {"campaign": "lantern_road", "id": "session-3"}, False), ("post", "/api/ask", {**asked, "audience": "god"}, False),
    ):
        assert getattr(player, method)(path, json=body).status_code == (200 if open_ else 401), path
        assert getattr(player, method)(path, json=body, headers=dm_headers).status_code == 200, path
