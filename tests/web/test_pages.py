"""The pages as text: what is on them, what a form brings back, what a broken record shows."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st

from mvp_site import Settings
from mvp_site.errors import CampaignConflictError, NotEntitledError
from mvp_site.turns.replay import LookedUp
from mvp_site.web import create_app
from mvp_site.web.records import answer_view, view_of

from .conftest import TOKEN, MakeApp
from .doubles import TellingHandler, answer, as_text, manifest, record, records_of_all_kinds


@pytest.fixture
def told(handler: TellingHandler) -> TellingHandler:
    handler.store.records += [*records_of_all_kinds()[:2], record(3, mode="god", audience="god")]
    return handler


def test_recent_turns_with_their_marks_in_pages(local: FlaskClient, told: TellingHandler) -> None:
    rows = re.findall(r"<tr class=.*?</tr>", local.get("/turns").text, re.DOTALL)
    assert len(rows) == 3
    assert "Fallback" not in rows[0] + rows[2]
    assert "Fallback: the model’s answers broke the rules of the game" in rows[1]
    told.store.records.append(record(4, withdrawn=4))
    assert ["Taken back" in local.get(path).text for path in ("/turns/turn-4", "/turns/turn-1", "/turns")] == [True, False, True]
    told.store.records.pop()
    for query, kept in (("fallback=true", {2}), ("q=BRAZIER", {1, 2, 3}), ("q=nothing", set()), ("campaign=nobody", set())):
        page = local.get(f"/turns?{query}").text
        assert {number for number in (1, 2, 3) if f'href="/turns/turn-{number}"' in page} == kept
        assert ("Clear filters" in page) is not kept
    assert all(text in local.get("/turns").text for text in ("offline:narrator", "4.4 s", "2 attempts", '<option value="ashen-keep">ashen-keep</option>'))
    only = local.get("/turns?sparse=true").text
    assert ("/turns/turn-2" in only, "/turns/turn-1" in only) == (True, False)
    told.store.records += [record(number) for number in range(4, 66)]
    page, seen = local.get("/turns").text, list[str]()
    for _ in range(3):
        seen += re.findall(r'<th scope="row"><a href="/turns/turn-(\d+)"', page)
        older = re.search(r'href="(/turns\?[^"]*before=[^"]*)" rel="next"', page)
        page = local.get(older[1].replace("&amp;", "&")).text if older else page
    assert seen == [str(number) for number in range(65, 0, -1)]
    assert ("Newest turns" in page, "Older turns" in page) == (True, False)


def test_one_turn_whole(local: FlaskClient, told: TellingHandler) -> None:
    page = local.get("/turns/turn-1").text
    for text in ("time_forward", "state_updates.world_data.world_time.hour", "the clock went back", "valid", "skills_in_play#1",
                 "offline:narrator", "417", "Ashen Keep, gatehouse", "against DC 13", "Slip past", "3,120 input", "2,048 cache read", "The one after →", "1 violation"):
        assert text in page
    assert "the model’s answers broke the rules of the game" in local.get("/turns/turn-2").text


def test_the_prompt_of_a_turn_is_rebuilt(local: FlaskClient, told: TellingHandler, site_assemblers: Any) -> None:
    page = local.get("/?turn=turn-1").text
    assert "The prompt cannot be rebuilt." in page
    assert "release gone: turn-1" in page
    told.rebuilt = site_assemblers["dec_2025"].assemble("a creature falls", "story", "god", (), None, {"state": "{}", "dice_tray": "d20: 4 17"})
    page = local.get("/?turn=turn-1").text
    for text in ("byte for byte", "The state", "The dice tray", "d20: 4 17", "The turn", "1d6 bludgeoning"):
        assert text in page
    assert local.get("/?turn=none").status_code == 404
    assert "Looked up:" not in page
    told.looked_up = (LookedUp("stealth <b>", '<passage id="x">\nIt counts.\n</passage>\n'),)
    page = local.get("/?turn=turn-1").text
    for text in ("Looked up: stealth &lt;b&gt;", "&lt;passage id=&#34;x&#34;&gt;\nIt counts."):
        assert text in page


def test_what_the_model_looked_up_stands_on_the_turns_page(local: FlaskClient, told: TellingHandler) -> None:
    found = {
        "query": "stealth <b>", "text": "<passage>It counts.</passage>", "attempt": 2, "tokens": 321, "budget": 1000, "reason": None,
        "chunks": [{"id": "stealth#1", "section": "Stealth", "score": 0.51, "tokens": 300}], "dropped": [{"id": "hiding#2", "reason": "over_budget", "score": 0.4}],
    }
    none = {**found, "query": "tides", "reason": "below_floor", "chunks": [], "dropped": []}
    told.store.records.append(record(9, manifest=manifest(look_ups=[found, none], steps=[{"attempt": 2, "seconds": 0.1, "tokens": 0, "calls": ["look_up", "look_up"]}])))
    page = local.get("/turns/turn-9").text
    for text in ("Look up", "stealth &lt;b&gt;", "Attempt 2 · 321 of 1,000 tokens", "stealth#1</code></a> printed, 300 tokens, score 0.51",
                 "hiding#2</code></a> left out: over budget, score 0.40", "&lt;passage&gt;It counts.", "nothing was found (below floor)"):
        assert text in page
    assert "Look up" not in local.get("/turns/turn-1").text


@pytest.mark.parametrize("broken", [
    {}, {"attempts": None, "chunks": "x", "tokens": 3}, {"attempts": [{}], "chunks": [{}], "tokens": {}}, {"attempts": ["x"], "chunks": [None]},
    {"attempts": [{"violations": "x", "usage": [], "seconds": "long"}]}, {"chunks": [{"id": None, "score": "high"}]}, {"seed": {"a": [1]}},
    "", "not an answer", "[Mode: STORY MODE]\n{", "[Mode: STORY MODE]\n[]", "{" * 5000, "[Mode: STORY MODE]\n{}",
], ids=lambda broken: str(broken)[:40])
def test_what_lacks_things_is_shown_as_far_as_it_goes(local: FlaskClient, handler: TellingHandler, broken: Any) -> None:
    handler.store.records.append(record(1, **{"answer" if isinstance(broken, str) else "manifest": broken}))
    for path in ("/turns/turn-1", "/play?campaign=ashen-keep"):
        assert local.get(path).status_code == 200
    if isinstance(broken, str):
        assert (answer_view(broken)["raw"] == broken) is not broken.endswith("{}")


JSON_VALUES = st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=8), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3), max_leaves=8)


@given(st.dictionaries(st.sampled_from(sorted(answer())), JSON_VALUES), st.dictionaries(st.sampled_from(sorted(manifest())), JSON_VALUES))
def test_any_record_is_shown(fields: dict[str, Any], kept: dict[str, Any]) -> None:
    assert view_of(record(1, answer=as_text({**answer(), **fields}), manifest={**manifest(), **kept}))["shown"]["raw"] == ""


@pytest.mark.parametrize(("counted", "differs"), [(3120, True), (207, False)])
def test_the_tokens_of_a_turn_add_up(make_app: MakeApp, handler: TellingHandler, counted: int, differs: bool) -> None:
    sent = {"header": 100, "retrieved": 50, "history": 0, "state": 30, "dice_tray": 9, "turn": 8, "again": counted - 204, "rolls": 3, "given_back": 4}
    tokens = {"header": 100, "retrieved": 55, "budget": 1500, "archive": 9, "history": 8, "input": 207, "output": 66, "cache_read": 25}
    handler.store.records.append(record(9, manifest=manifest(tokens=tokens, sent={"requests": 2, **sent, "counted": counted})))
    page = make_app(handler=handler).test_client().get("/turns/turn-9").text
    rows = {name: int(number.replace(",", "")) for name, number in re.findall(r"<dt>Tokens, ([^<]*)</dt><dd>([\d,]+)</dd>", page)}
    total = rows.pop("sent, in all")
    for name, number in (("sent, by the provider", 207), ("output", 66), ("of it from its cache", 25)):
        assert rows.pop(name, None) == (number if differs or "by the" not in name else None)
    assert sum(rows.values()) == total == counted
    assert ("which is what it charges" in page) is differs


def test_a_turn_is_played_and_then_looked_at(local: FlaskClient, handler: TellingHandler) -> None:
    response = local.post("/play", data={"campaign": "ashen-keep", "user_input": " I knock.\r\nTwice. ", "mode": "story", "audience": "player"})
    assert (response.status_code, response.location) == (303, "/play?campaign=ashen-keep#latest")
    asked = handler.asked[0]
    assert (asked.campaign_id, asked.user_input, asked.mode, asked.audience) == ("ashen-keep", "I knock.\nTwice.", "story", "player")
    page = local.get("/play?campaign=ashen-keep").text
    for text in ("I knock.", "The bar gives with a groan", "Ashen Keep, gatehouse", "1492 DR, Mirtul 4, 21:15:00", "HP 24/28", "Spells L1 2/3", "against DC 13", "Success",
                 'value="Wait for the watch to change"', "An hour in the rain", "low risk"):
        assert text in page


def test_without_an_index_the_page_to_play_on_says_so(make_app: MakeApp, site_settings: Settings, tmp_path: Path) -> None:
    warning, remedy = "turns use the core header alone", "build it: mvp-site index build"
    for token in (None, TOKEN):
        app = create_app(replace(site_settings, prompt_index_dir=tmp_path, mvp_site_dm_token=token), handler=TellingHandler())
        page = app.test_client().get("/play?campaign=c").text
        assert (warning in page, remedy in page) == (True, token is None)
    assert warning not in make_app().test_client().get("/play?campaign=c").text


@pytest.mark.parametrize(("error", "status"), [(CampaignConflictError("another writer was faster; send it again"), 409), (NotEntitledError("not for players"), 403)])
def test_a_turn_that_fails_keeps_what_was_typed(local: FlaskClient, told: TellingHandler, error: Exception, status: int) -> None:
    told.fails = error
    response = local.post("/play", data={"campaign": "ashen-keep", "user_input": "I leap & bound"})
    assert response.status_code == status
    assert str(error)[1:] in response.text
    assert ">\nI leap &amp; bound</textarea>" in response.text


def test_a_fallback_is_retried_or_said_differently(local: FlaskClient, handler: TellingHandler) -> None:
    """Its choices play the same words again, or put them back; nothing is sent that nobody said."""
    choices = {key: {"text": text, "description": "", "risk_level": "safe"} for key, text in (("try_again", "Try again"), ("say_it_differently", "Say it differently"))}
    handler.store.records.append(record(1, fallback="contract", answer=as_text(answer(planning_block={"thinking": "", "choices": choices}))))
    page = local.get("/play?campaign=ashen-keep").text.split('class="choices"')[1].split("</section>")[0]
    assert 'name="retry" value="turn-1"' in page
    assert 'value="Try again"' not in page
    assert ">I slip past the brazier.</textarea>" in local.get(page.split('class="choice" href="')[1].split('"')[0].replace("&amp;", "&")).text.replace("\n", "")


def test_a_card_tells_of_a_deep_think_and_a_long_text_is_folded(local: FlaskClient, handler: TellingHandler) -> None:
    handler.store.records.append(record(1, user_input="word " * 4_000, answer=as_text(answer(narrative="", planning_block={"thinking": "Two ways.", "choices": {}}))))
    assert "Two ways." in local.get("/play").text
    page = local.get("/play?campaign=ashen-keep").text
    assert "<summary>All 20,000 characters</summary>" in page
    assert len(page.split("<q>")[1].split("</q>")[0]) < 700


@pytest.mark.parametrize(("mode", "audience", "keys", "means"), [
    ("god", "god", ("god:return_story", "god:more"), ("story", "god")), ("dm", "dm", ("back_to_the_story", "more"), ("story", "story")), ("story", "dm", ("look", "wait"), ("story", "story")),
])
def test_a_choice_goes_to_the_story_as_a_player(local: FlaskClient, handler: TellingHandler, mode: str, audience: str, keys: tuple[str, str], means: tuple[str, str]) -> None:
    choices = {key: {"text": key, "description": "", "risk_level": "safe"} for key in keys}
    handler.store.records.append(record(1, mode=mode, audience=audience, answer=as_text(answer(narrative="", god_mode_response="It is noon.", planning_block={"thinking": "", "choices": choices}))))
    page = local.get("/play?campaign=ashen-keep").text
    assert "It is noon." in page
    forms = [dict(re.findall(r'name="(\w+)" value="([^"]*)"', form)) for form in re.findall(r"<form[^>]*data-stream>(.*?)</form>", page.split('class="choices"')[1], re.DOTALL)][:2]
    assert [(form["mode"], form["user_input"]) for form in forms] == [*zip(means, keys, strict=True)]
    for form in forms:
        local.post("/play", data=form)
    assert [(asked.mode, asked.audience) for asked in handler.asked] == [(one, {"story": "player"}.get(one, one)) for one in means]


def test_a_form_is_played_in_its_mode_or_refused(local: FlaskClient, player: FlaskClient, handler: TellingHandler) -> None:
    for form, status, says in (
        ({"user_input": "  \r\n "}, 400, "Say something first"), ({"user_input": "x" * 20_001}, 400, "at most 20000"), ({"user_input": "a\0b"}, 400, "NUL"), ({"campaign": ""}, 400, "1 to 100 of A-Z"), ({"campaign": "<script>"}, 400, "1 to 100 of A-Z"),
        ({"mode": "bard"}, 400, "must be one of story, dm, god"), ({"audience": "bard"}, 400, "must be one of player"),
    ):
        response = local.post("/play", data={"campaign": "c", "user_input": "x", **form})
        assert (response.status_code, says in response.text, handler.asked) == (status, True, [])
    for form, status in (({"mode": "god"}, 401), ({"audience": "dm"}, 401), ({"audience": "god"}, 401), ({"user_input": "god: heal me"}, 403)):
        assert player.post("/play", data={"campaign": "c", "user_input": "x", **form}).status_code == status
    assert 'value="god"' not in player.get("/play?campaign=c").text
    handler.asked.clear()
    told = [({"mode": "god"}, "god", "god"), ({"mode": "god", "audience": "dm"}, "god", "dm"), ({"mode": "dm"}, "dm", "player"), ({}, "story", "player"), ({"mode": "story", "audience": "god"}, "story", "god")]
    for form, _, _ in told:
        assert local.post("/play", data={"campaign": "c", "user_input": "x", **form}).status_code == 303
    assert [(asked.mode, asked.audience) for asked in handler.asked] == [(mode, audience) for _, mode, audience in told]


def test_what_a_new_campaign_and_a_first_turn_begin_with(local: FlaskClient, player: FlaskClient) -> None:
    page, told = local.get("/").text, "no <code>first_state.json</code>"
    assert "What about Experience?" in page or "What about Mechanics?" in page
    assert "harbour of Saltmere" not in page  # for the DM
    assert [told in client.get("/play?campaign=new").text for client in (local, player)] == [True, False]
    local.post("/play", data={"campaign": "new", "user_input": "I look around."})
    assert told not in local.get("/play?campaign=new").text


def test_settings_of_the_environment_are_the_default(monkeypatch: pytest.MonkeyPatch, make_app: MakeApp) -> None:
    monkeypatch.setenv("MVP_SITE_DM_TOKEN", "from the environment")
    assert create_app().test_client().get("/turns").status_code == 401
