"""Who may see what: this machine without a token, players and the DM with one, and who pretends."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from mvp_site import PromptAssembler
from mvp_site.errors import MissingIndexError, UnknownCampaignError
from mvp_site.operations.player_view import players_state
from mvp_site.web import create_app

from ..conftest import settings_under, write_archive
from ..hashing import HashingEncoder
from .conftest import HARBOUR, TOKEN, MakeApp
from .doubles import SECRET, TellingHandler, record


def refused(response: Any) -> str:
    """The kind of the error that ``response`` is, for programs and in pages alike."""
    return response.json["error"]["kind"] if response.is_json else response.text


ELSEWHERE = {"REMOTE_ADDR": "8.8.8.8", "HTTP_HOST": "play.example"}


@pytest.mark.parametrize("path", ["/metrics", "/?q=x&audience=dm", "/?q=x&mode=god&audience=god", "/api/releases", "/healthz", "/openapi.json"])
def test_who_may_look_at_what(local: FlaskClient, player: FlaskClient, dm: FlaskClient, path: str) -> None:
    """Pages are in test_every_page."""
    assert local.get(path).status_code == dm.get(path, environ_overrides=ELSEWHERE).status_code == 200
    response = player.get(path, environ_overrides=ELSEWHERE)
    open_ = path in {"/api/releases", "/healthz", "/openapi.json"}
    assert response.status_code == (200 if open_ else 401)
    assert open_ or ("sign in" in response.text.lower() and response.headers["WWW-Authenticate"].startswith("Bearer"))


HERE = "127.0.0.1"


@pytest.mark.parametrize(("address", "host", "header", "why"), [
    *((address, "localhost", "", "another machine") for address in ("192.168.1.7", "8.8.8.8", "", "::ffff:10.0.0.1")),
    *((HERE, host, "", "Host header") for host in (
        "evil.example", "evil.example:8000", "localhost.evil.example", "127.0.0.1.evil.example", "evil.example@localhost", "localhost@evil.example", "192.168.1.7", "0.0.0.0", "", "localhost:notaport", "[::1",
        "127.0.0.1:99999", "localhost/x", "localhost?x", "127.1", "2130706433", "[::]",
    )),
    *((HERE, "localhost", header, header.title()) for header in ("X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "Forwarded", "X-Real-IP", "Via", "CF-Connecting-IP")),
    *((address, host, "", "") for address in ("127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1") for host in ("localhost", "localhost:8000", "127.0.0.1:80", "[::1]:8000", "LOCALHOST")),
])
def test_without_a_token_only_this_machine_is_answered(whole: FlaskClient, address: str, host: str, header: str, why: str) -> None:
    for path in ("/", "/healthz", "/static/site.css", "/nowhere") if why else ("/healthz",):
        response = whole.get(path, headers={header: HERE} if header else {}, environ_overrides={"REMOTE_ADDR": address, "HTTP_HOST": host})
        assert (path, response.status_code, why in response.text) == (path, 403 if why else 200, True)
        assert not why or "MVP_SITE_DM_TOKEN" in response.text


def test_a_trusted_proxy_names_addresses_and_opens_nothing(make_app: MakeApp) -> None:
    closed = make_app(config={"TRUSTED_PROXIES": 1}).test_client()
    assert closed.get("/", headers={"X-Forwarded-For": "127.0.0.1", "X-Forwarded-Host": "localhost"}).status_code == 403
    client = make_app(TOKEN, config={"MVP_SITE_PAGE_LIMIT": "1/hour", "TRUSTED_PROXIES": 1}).test_client()
    asked = [client.get("/", headers={"X-Forwarded-For": f"made.up, {address}"}).status_code for address in ("10.0.0.1", "10.0.0.1", "10.0.0.2", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2:ffff::")]
    assert asked == [200, 429, 200, 200, 429]


SENT = TOKEN.encode().decode("latin-1")


@pytest.mark.parametrize(("header", "status"), [
    *((header, 401) for header in ("Bearer wrong", "Bearer ", "Bearer", "", "Basic dXNlcjpwYXNz", SENT, f"Token {SENT}", f"Bearer {SENT}x", f"Bearer {SENT[:-1]}", f"Bearer {SENT.upper()}", "Bearer \x00", "Bearer " + "x" * 5000)),
    *((header.format(SENT), 200) for header in ("bearer {}", "BEARER {}", "Bearer  {}  ")),
])
def test_the_token_is_right_or_told_to_be_wrong(player: FlaskClient, header: str, status: int) -> None:
    for path in ("/", "/api/releases", "/healthz", "/turns"):
        response = player.get(path, headers={"Authorization": header})
        assert (path, response.status_code) == (path, status)
        assert status == 200 or ("his is not the DM token" in response.text and response.headers["WWW-Authenticate"].startswith("Bearer"))


def test_players_ask_as_players_alone(player: FlaskClient, dm: FlaskClient, handler: TellingHandler) -> None:
    asked = ({"audience": "dm"}, {"audience": "god"}, {"mode": "god", "audience": "god"}, {"mode": "god"})
    for path, body, more in (("/api/assemble", {"text": "x"}, asked), ("/api/turn", {"campaign_id": "ashen-keep", "user_input": "I wait."}, (*asked, {"state": {}}, {"history": []}, {"seed": 3}))):
        for fields in more:
            response = player.post(path, json={**body, **fields})
            assert (response.status_code, refused(response), handler.asked) == (401, "token_required", [])
        assert [dm.post(path, json={**body, **fields}).status_code for fields in more[:3]] == [200] * 3
        handler.asked.clear()
    for words in ("god: heal me", "GOD MODE: heal me"):
        response = player.post("/api/turn", json={"campaign_id": "c", "user_input": words})
        assert (response.status_code, refused(response)) == (403, "not_entitled")
    handler.fails = UnknownCampaignError("there is no campaign 'ashen'; near: 'ashen-keep'")
    response = player.post("/api/turn", json={"campaign_id": "ashen", "user_input": "x"})
    assert (response.status_code, "ashen-keep" in response.text) == (404, False)


@pytest.mark.parametrize("path", ["/?q=x&mode=god", "/compare?q=x&mode=god&a=dec_2025&b=mar_2026"])
def test_god_mode_is_asked_for_with_the_audience(dm: FlaskClient, path: str) -> None:
    refusal, answered = dm.get(path), dm.get(f"{path}&audience=dm")
    assert (refusal.status_code, answered.status_code) == (403, 200)
    assert "it needs dm or god, which the caller states" in refusal.text


def test_a_player_gets_a_players_part_of_a_prompt(player: FlaskClient, dm: FlaskClient) -> None:
    body = {"text": "I fall. Where does the harbour master keep the true ledger?"}
    theirs, whole = player.post("/api/assemble", json=body), dm.post("/api/assemble", json={**body, "audience": "god"})
    assert (theirs.json["view"], whole.json["view"]) == ("player", "dm")
    assert HARBOUR in whole.text
    assert HARBOUR not in theirs.text
    assert any(d["reason"] == "audience" for d in dm.post("/api/assemble", json=body).json["dropped"])
    for hidden in ("harbour#", "fate#", '"audience":"dm"', ".md"):
        assert hidden not in theirs.text.replace(" ", "")
    assert theirs.json["chunks"]
    assert not any({"file", "lines"} & chunk.keys() for chunk in theirs.json["chunks"])
    assert "sources" not in theirs.json["telemetry"]
    assert {d["reason"] for d in theirs.json["telemetry"]["dropped"]} <= {"below_floor", "over_budget", "duplicate", "outranked", "mode"}


def test_a_question_after_a_secret_does_not_tell_that_there_is_one(make_app: MakeApp, site_settings: Any, dm_headers: dict[str, str]) -> None:
    strict = replace(site_settings, prompt_retriever_score_floor=0.6, prompt_version="dec_2025")
    assembler = PromptAssembler.open(strict, encoder=HashingEncoder())
    client = make_app(TOKEN, assemblers={"dec_2025": assembler}).test_client()
    ask = {"text": "the harbour master skims a tenth of every cargo and keeps the true ledger under a loose flagstone"}
    theirs, whole = client.post("/api/assemble", json=ask), client.post("/api/assemble", json=ask, headers=dm_headers)
    assert whole.json["sparse_reason"] == "filtered"
    assert theirs.json["sparse_reason"] in {"below_floor", "no_hits"}
    assert theirs.json["telemetry"]["sparse_reason"] == theirs.json["sparse_reason"]
    page = client.get("/", query_string=ask)
    assert "filtered" not in page.text
    assert "harbour#" not in page.text


def test_a_player_gets_a_players_part_of_a_turn(player: FlaskClient, dm: FlaskClient) -> None:
    body = {"campaign_id": "ashen-keep", "user_input": "I slip past."}
    theirs, whole = player.post("/api/turn", json=body), dm.post("/api/turn", json=body)
    assert (theirs.json["view"], whole.json["view"]) == ("player", "dm")
    assert SECRET in whole.text
    assert SECRET not in theirs.text
    assert not {"attempts", "text", "rolls", "telemetry", "chunks", "usage"} & theirs.json.keys()
    assert not {"debug_info", "entities_mentioned"} & theirs.json["response"].keys()
    assert theirs.json["state"].keys() == {"player_character_data", "world_data"}
    assert theirs.json["state"]["world_data"].keys() == {"world_time"}
    assert theirs.json["response"]["state_updates"] == {
        "player_character_data": {"hp_current": 24}, "world_data": {"world_time": {"hour": 21, "minute": 15}},
    }
    assert whole.json["attempts"][0]["violations"][0]["rule"] == "time_forward"


def test_a_player_gets_no_secret_of_a_characters_record() -> None:
    record = {"name": "Ilva", "hp": 7, "secret": "a wolf", "bonds": {"public": "a debt", "dm_only": "to the wolf"}, "hidden": True}
    assert players_state({"player_character_data": record})["player_character_data"] == {"name": "Ilva", "hp": 7, "bonds": {"public": "a debt"}}


def test_a_player_sees_no_turn_of_the_dm_on_the_page_to_play(player: FlaskClient, dm: FlaskClient, handler: TellingHandler) -> None:
    handler.store.records += [
        record(1, user_input="I knock."), record(2, audience="dm", user_input="who is the traitor?"), record(3, audience="god", user_input="kill the reeve"),
    ]
    theirs, whole = player.get("/play?campaign=ashen-keep").text, dm.get("/play?campaign=ashen-keep").text
    assert [text in theirs for text in ("I knock.", "traitor", "kill the reeve", "/turns/")] == [True, False, False, False]
    assert all(text in whole for text in ("I knock.", "traitor", "kill the reeve", "/turns/"))


def test_a_player_learns_nothing_of_the_servers_folders(make_app: MakeApp, tmp_path: Path, dm_headers: dict[str, str]) -> None:
    class Missing:
        version = "dec_2025"
        modes = ("story", "dm", "god")

        def assemble(self, *args: Any, **more: Any) -> Any:
            raise MissingIndexError(f"there is no index under {tmp_path}; build it: mvp-site index build")

    client = make_app(TOKEN, assemblers={"dec_2025": Missing()}).test_client()
    for ask in (lambda **more: client.post("/api/assemble", json={"text": "x"}, **more), lambda **more: client.get("/?q=x", **more)):
        theirs, whole = ask(), ask(headers=dm_headers)
        assert theirs.status_code == whole.status_code == 503
        assert str(tmp_path) not in theirs.text
        assert "mvp-site index build" in whole.text
        assert str(tmp_path) in whole.text


def unbuilt(folder: Path, **fields: Any) -> FlaskClient:
    write_archive(folder)
    return create_app(settings_under(folder, mvp_site_dm_token=TOKEN, **fields), config={"RATELIMIT_ENABLED": False}).test_client()


def test_health_says_what_mends_it_to_who_may_know(tmp_path: Path, dm_headers: dict[str, str]) -> None:
    client = unbuilt(tmp_path)
    theirs, whole = client.get("/healthz"), client.get("/healthz", headers=dm_headers)
    assert theirs.status_code == whole.status_code == 503
    assert whole.json["status"] == "failing"
    assert "mvp-site index build" in whole.text
    assert "mvp-site index" not in theirs.text
    assert theirs.json["checks"][0] == {"name": "index dec_2025", "ok": False, "message": "not ready"}


@pytest.mark.parametrize(("path", "body"), [("/api/assemble", {"text": "x"}), ("/api/turn", {"campaign_id": "c", "user_input": "x"})])
def test_a_default_version_that_is_not_there_is_the_operators_mistake(tmp_path: Path, dm_headers: dict[str, str], path: str, body: dict[str, str]) -> None:
    client = unbuilt(tmp_path, prompt_version="jan_1999")
    theirs, whole = client.post(path, json=body), client.post(path, json=body, headers=dm_headers)
    assert theirs.status_code == whole.status_code == 503
    assert "'jan_1999'; existing versions: dec_2025, mar_2026" in whole.text
    assert "jan_1999" not in theirs.text


def sign_in(client: FlaskClient, token: str = TOKEN, **form: str) -> Any:
    return client.post("/sign-in", data={"token": token, **form})


def test_signing_in_opens_the_pages_and_signing_out_closes_them(player: FlaskClient) -> None:
    response = sign_in(player, next="/turns?sparse=true")
    assert (response.status_code, response.location) == (303, "/turns?sparse=true")
    cookie = response.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert TOKEN not in cookie
    assert player.get("/turns").status_code == 200
    assert player.get("/metrics").status_code == 200
    assert "Sign out" in player.get("/").text
    assert player.post("/sign-out").status_code == 303
    assert player.get("/turns").status_code == 401


def test_a_copied_cookie_does_not_outlive_its_session(make_app: MakeApp) -> None:
    app = make_app(TOKEN)
    mine, thief, other = (app.test_client() for _ in range(3))
    for signed_in in (mine, other):
        sign_in(signed_in)
    copied = mine.get_cookie("mvp_site_session")
    thief.set_cookie("mvp_site_session", copied.value)
    assert thief.get("/turns").status_code == 200
    mine.post("/sign-out")
    assert [client.get("/turns").status_code for client in (mine, thief, other)] == [401, 401, 200]
    sign_in(mine)
    assert [client.get("/turns").status_code for client in (mine, thief, other)] == [200, 401, 200]
    copied = other.get_cookie("mvp_site_session")
    thief.set_cookie("mvp_site_session", copied.value)
    sign_in(other)  # a new session in place of the old one
    assert [client.get("/turns").status_code for client in (mine, thief, other)] == [200, 401, 200]


def test_another_token_makes_cookies_worthless(make_app: MakeApp) -> None:
    old = make_app(TOKEN).test_client()
    name, _, value = sign_in(old).headers["Set-Cookie"].split(";")[0].partition("=")
    new = make_app("another token of the DM").test_client()
    new.set_cookie(name, value)
    assert new.get("/turns").status_code == 401
    for copy in (value, value[:-3] + "abc"):  # a server that was started again knows nobody, nor what is forged
        again = make_app(TOKEN).test_client()
        again.set_cookie(name, copy)
        assert again.get("/turns").status_code == 401


@pytest.mark.parametrize(("target", "leads"), [
    *((target, "/") for target in (
        "https://evil.example", "//evil.example", "/\\evil.example", "\\\\evil.example", "javascript:alert(1)", "evil", "", "/\t/evil.example", "http:evil", "///evil.example", "/\n/evil.example", "//[", "/ok\x00",
    )), ("/turns?sparse=true", "/turns?sparse=true"),
])
def test_signing_in_leads_nowhere_else(whole_player: FlaskClient, target: str, leads: str) -> None:
    assert sign_in(whole_player, next=target).location == leads
    assert f'name="next" value="{leads}"' in whole_player.get("/sign-in", query_string={"next": target}).text


def test_who_cannot_or_need_not_sign_in(player: FlaskClient, local: FlaskClient) -> None:
    response = sign_in(player, "wrong")
    assert (response.status_code, player.get("/turns").status_code, "Wrong token" in response.text) == (401, 401, True)
    secure = player.post("/sign-in", data={"token": TOKEN}, base_url="https://play.example")
    assert "; Secure" in secure.headers["Set-Cookie"]
    sign_in(player)  # a cookie is not enough to change by the API
    assert player.post("/api/turn", json={"campaign_id": "c", "user_input": "x", "audience": "dm"}).status_code == 401
    assert "No DM token is configured" in local.get("/sign-in").text
    assert [sign_in(local, "x").status_code, local.post("/sign-out").status_code] == [303, 303]


@pytest.mark.parametrize(("headers", "let_in"), [
    ({}, True), ({"Sec-Fetch-Site": "same-origin"}, True), ({"Sec-Fetch-Site": "none"}, True), ({"Origin": "http://localhost"}, True), ({"Origin": "http://LOCALHOST", "Sec-Fetch-Site": "same-origin"}, True),
    ({"Sec-Fetch-Site": "cross-site"}, False), ({"Sec-Fetch-Site": "same-site"}, False), ({"Origin": "http://localhost", "Sec-Fetch-Site": "cross-site"}, False),
    *(({"Origin": origin}, False) for origin in ("http://evil.example", "http://localhost:9999", "null", "", "http://[", "\x00")),
])
def test_other_sites_cannot_send_for_us(whole: FlaskClient, headers: dict[str, str], let_in: bool) -> None:
    for path in ("/play", "/sign-in", "/sign-out", "/operations/promote", "/library/atlas/extract", "/api/turn"):
        response = whole.post(path, headers=headers)
        assert (response.status_code != 403, "another site" in response.text) == (let_in, not let_in)
    assert whole.get("/", headers=headers).status_code == 200


def test_wrong_tokens_are_counted_by_address(make_app: MakeApp, dm_headers: dict[str, str]) -> None:
    app = make_app(TOKEN, config={"MVP_SITE_ATTEMPT_LIMIT": "3/hour"})
    client, signed_in = app.test_client(), app.test_client()
    sign_in(signed_in)
    wrong = {"Authorization": "Bearer wrong"}
    assert [client.get("/", headers=wrong).status_code for _ in range(2)] == [401, 401]
    assert sign_in(client, "wrong").status_code == 401
    for response in (client.get("/api/releases", headers=wrong), client.get("/turns", headers=dm_headers), sign_in(client)):
        assert response.status_code == 429
        assert 0 < int(response.headers["Retry-After"]) <= 7200
        assert "oo many wrong tokens" in response.text
    assert client.get("/").status_code == 200
    assert client.get("/turns", headers=dm_headers, environ_overrides={"REMOTE_ADDR": "10.0.0.9"}).status_code == 200
    assert signed_in.get("/turns").status_code == 200  # is not shut out by others


def test_requests_are_counted_by_address(make_app: MakeApp) -> None:
    client = make_app(TOKEN, config={"MVP_SITE_API_LIMIT": "3/hour", "MVP_SITE_PAGE_LIMIT": "2/hour"}).test_client()
    assert [client.post("/api/assemble", json={"text": "x"}).status_code for _ in range(2)] == [200, 200]
    assert [client.get("/api/releases").status_code for _ in range(2)] == [200, 429]
    response = client.post("/api/assemble", json={"text": "x"})
    assert (response.status_code, refused(response)) == (429, "too_many_requests")
    assert int(response.headers["Retry-After"]) > 0
    assert [client.get(path).status_code for path in ("/", "/metrics", "/play", "/healthz", "/livez")] == [200, 401, 429, 200, 200]
    assert "Too many requests" in client.get("/").text
    elsewhere = {"REMOTE_ADDR": "10.0.0.9"}
    assert client.get("/", environ_overrides=elsewhere).status_code == 200
    assert client.get("/static/site.css", buffered=True).status_code == 200


def test_every_answer_has_its_headers(local: FlaskClient) -> None:
    for path in ("/", "/?q=x", "/nowhere", "/api/releases", "/api/nowhere", "/static/site.css", "/static/none.css", "/metrics"):
        headers = local.get(path, buffered=True).headers
        policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
        assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
        assert policy["script-src"] == policy["style-src"] == policy["form-action"] == "'self'"
        assert [headers[name] for name in ("X-Content-Type-Options", "Referrer-Policy", "Cross-Origin-Opener-Policy")] == ["nosniff", "same-origin", "same-origin"]
        assert headers["Cache-Control"] == ("no-cache" if path.startswith("/static/") else "no-store")
        assert "Access-Control-Allow-Origin" not in headers


def test_the_token_is_nowhere_in_an_answer_or_a_representation(dm: FlaskClient, make_app: MakeApp) -> None:
    for path in ("/", "/healthz", "/openapi.json", "/metrics", "/turns"):
        assert TOKEN not in dm.get(path).text
    assert TOKEN not in repr(make_app(TOKEN).config)
