"""The API: what it gives, and what it says to what it cannot use."""

from __future__ import annotations

import json
import re
import shutil
from typing import Any
from unittest.mock import Mock

import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st

from mvp_site import PromptAssembler, build_prompt_index, errors
from mvp_site.archive import build
from mvp_site.operations.prompts import AssembleRequest
from mvp_site.operations.requests import fields, read
from mvp_site.operations.turns import TakeTurn
from mvp_site.text.strict_json import JsonError, check, parse
from mvp_site.turns.handler import TurnHandler
from mvp_site.types import Message
from mvp_site.web import create_app
from mvp_site.web.failures import KINDS

from ..conftest import HEADER, settings_under, write_archive
from ..hashing import HashingEncoder
from .conftest import MakeApp
from .doubles import STATE, TellingHandler, answer

PATHS = ["/api/assemble", "/api/turn"]
TURN = {"campaign_id": "ashen-keep", "user_input": "I listen at the door."}


def error_of(response: Any, status: int) -> tuple[str, str]:
    assert response.status_code == status
    assert response.content_type == "application/json"
    assert response.json.keys() == {"error"}
    assert response.json["error"].keys() == {"kind", "message"}
    assert response.json["error"]["kind"] in KINDS
    for trace in ("Traceback", "File \"", "line 1, in"):
        assert trace not in response.text
    return response.json["error"]["kind"], response.json["error"]["message"]


def test_a_prompt_with_its_account(local: FlaskClient) -> None:
    found = local.post("/api/assemble", json={
        "text": "How much damage does a creature take that falls?", "mode": "story", "audience": "dm", "version": "mar_2026",
        "history": [{"role": "user", "content": "I jump."}, {"role": "assistant", "content": "You fall."}],
        "state": {"combat_state": {"in_combat": True}},
    }).json
    assert found.keys() == {"account", "view", "prompt", "messages", "chunks", "dropped", "sparse", "sparse_reason", "telemetry"}
    assert found["prompt"].startswith(HEADER)
    assert [m["role"] for m in found["messages"]] == ["system", "user", "assistant", "user"]
    assert found["messages"][0] == {"role": "system", "content": HEADER, "breakpoint": True}
    assert found["chunks"][0]["file"] == "mechanics.md"
    assert found["sparse"] is False
    assert found["telemetry"]["version"] == "mar_2026"
    assert found["telemetry"]["facets"] == ["in_combat"]


def test_an_account_tells_a_player_of_nothing_hidden(local: FlaskClient, player: FlaskClient) -> None:
    body = {"text": "What does the harbour master of Saltmere hide, and what of a fall?", "explain": True, "floor": 0.0, "max_tokens_retrieved": 40}
    whole, theirs = (client.post("/api/assemble", json=body).json["account"] for client in (local, player))
    assert {one["id"].partition("#")[0] for one in whole["candidates"]} >= {"fate", "world/harbour", "mechanics"}
    assert not {"fate", "world/harbour"} & {one["id"].partition("#")[0] for one in theirs["candidates"]}
    assert "dies on the last night" not in str(theirs)
    assert {one["when"] for one in theirs["candidates"]} == {""}
    assert whole["steps"] == theirs["steps"] != []


def test_what_a_turn_retrieves_and_why_not_a_passage(local: FlaskClient, player: FlaskClient) -> None:
    body = {"text": "What does the harbour master of Saltmere hide, and what of a fall?", "floor": 0.0}
    whole, theirs = (client.post("/api/retrieve", json=body).json for client in (local, player))
    assert (whole["view"], theirs["view"], whole["why"], theirs["why"]) == ("dm", "player", None, None)
    assert any(one["reason"] == "audience" for one in whole["dropped"])
    assert not any(one["reason"] == "audience" for one in theirs["dropped"])
    assert [one["id"] for one in whole["chunks"]] == [one["id"] for one in theirs["chunks"]]
    assert "file" not in theirs["chunks"][0]
    assert local.post("/api/retrieve", json={**body, "why": "Fate"}).json["why"]["missed"] == [{"bar": "audience", "value": "player", "needed": "god"}]
    assert error_of(player.post("/api/retrieve", json={**body, "why": "Fate"}), 401)[0] == "token_required"


def test_the_usage_of_an_archive_is_for_the_dm(make_app: MakeApp, player: FlaskClient) -> None:
    usage = make_app(handler=None).test_client().get("/api/archive/usage?turns=5&version=mar_2026").json
    assert (usage["version"], usage["turns"], len(usage["unused"])) == ("mar_2026", 0, len(usage["sections"]))
    assert error_of(player.get("/api/archive/usage"), 401)[0] == "token_required"


@pytest.mark.parametrize("version", ["jan_1999", "../dec_2025", "dec_2025/../mar_2026", ".", "dec_2025\n"])
def test_an_unknown_version_lists_those_there_are(local: FlaskClient, version: str) -> None:
    response = local.post("/api/assemble", json={"text": "x", "version": version})
    kind, message = error_of(response, 404)
    assert kind == "unknown_version"
    assert "dec_2025, mar_2026" in message


def test_a_turn_is_handed_on_whole(local: FlaskClient, handler: TellingHandler) -> None:
    response = local.post("/api/turn", json={
        **TURN, "mode": "dm", "audience": "god", "state": STATE, "history": [{"role": "user", "content": "hm"}], "seed": 9.0,
    })
    assert response.status_code == 200
    asked = handler.asked[0]
    assert (asked.campaign_id, asked.user_input, asked.mode, asked.audience) == ("ashen-keep", "I listen at the door.", "dm", "god")
    assert (asked.state, asked.history, asked.seed) == (STATE, (Message("user", "hm"),), 9)
    assert isinstance(asked.seed, int)
    assert response.json["response"] == answer()
    assert response.json["rolls"][0]["total"] == 21


@pytest.mark.parametrize(("error", "status", "kind"), [
    (errors.InvalidTurnError("the turn does not fit the window"), 400, "invalid_turn"),
    (errors.NotEntitledError("a player may not"), 403, "not_entitled"),
    (errors.UnknownCampaignError("no such campaign"), 404, "unknown_campaign"),
    (errors.CampaignConflictError("another writer was faster"), 409, "campaign_conflict"),
    (errors.CampaignExistsError("there is one"), 409, "campaign_conflict"),
    (errors.StoreError("the disk is full"), 503, "unavailable"),
    (errors.SettingsError("MVP_SITE_LLM='x' cannot be used"), 503, "unavailable"),
    (errors.MissingIndexError("build it: mvp-site index build"), 503, "unavailable"),
    (errors.ModelUnavailableError("overloaded"), 503, "model_unavailable"),
])
def test_every_failure_has_a_status_and_a_kind(local: FlaskClient, handler: TellingHandler, error: Exception, status: int, kind: str) -> None:
    handler.fails = error
    response = local.post("/api/turn", json=TURN)
    assert error_of(response, status) == (kind, str(error))
    assert ("Retry-After" in response.headers) is (status == 503)


@pytest.mark.parametrize("path", ["/api/turn", "/play"])
def test_what_nobody_foresaw_says_nothing_and_is_logged(local: FlaskClient, handler: TellingHandler, caplog: pytest.LogCaptureFixture, path: str) -> None:
    handler.fails = ZeroDivisionError("the secret of /etc/shadow")
    sent = {"json": TURN} if path == "/api/turn" else {"data": {"campaign": "c", "user_input": "x"}}
    response = local.post(path, **sent)  # type: ignore[arg-type]
    assert response.status_code == 500
    assert "secret" not in response.text
    assert "ZeroDivisionError" not in response.text
    assert "the secret of /etc/shadow" in caplog.text
    assert "Traceback" in caplog.text


def nested(opened: str, closed: str, levels: int) -> bytes:
    return f'{{"text": "x", "state": {opened * levels}1{closed * levels}}}'.encode()


@pytest.mark.parametrize(("body", "says"), [
    (b"", "is not JSON"), (b"{", "line 1, column 2"), (b'{"text": "x",}', "is not JSON"), (b'{"text": "x"} {"text": "y"}', "Extra data"), (b'\xef\xbb\xbf{"text": "x"}', "BOM"), (b'{"text": "\xff\xfe"}', "not UTF-8: byte 10"),
    ('{"text": "x"}'.encode("utf-16"), "not UTF-8"), (b'{"text": "a\x00b"}', "control character"), (b'{"text": "a\\u0000b"}', "NUL"), (b'{"text": "x", "state": {"a\\u0000": 1}}', "NUL"), (b'{"text": "x", "state": {"a": [["\\u0000"]]}}', "NUL"),
    (b'{"text": "\\ud800"}', "surrogate"), (b'{"text": "x", "state": {"\\udfff": 1}}', "surrogate"), (b"[]", "is a list; it must be a JSON object"), (b"null", "is null"), (b"NaN", "NaN"), (b'{"text": "x", "state": {"a": -Infinity}}', "Infinity"),
    (b'{"text": "x", "state": {"a": 1e999}}', "too large"), (b'{"text": "x", "state": {"a": ' + b"9" * 5000 + b"}}", "too many digits"), (b'{"text": "x", "text": "y"}', "the key 'text' twice"), (b'{"text": "x", "state": {"a": 1, "a": 1}}', "the key 'a' twice"),
    (nested('{"a":', "}", 70), "nested deeper than 64"), (nested("[", "]", 5000), "nested deeper than 64"), (b"[" * 400_000, "nested deeper than 64"), (b'{"a":' * 100_000, "nested deeper than 64"),
], ids=range(25))
def test_a_bad_body_is_told_what_is_wrong(player: FlaskClient, handler: TellingHandler, body: bytes, says: str) -> None:
    for path in PATHS:
        kind, message = error_of(player.post(path, data=body, content_type="application/json"), 400)
        assert (kind, says in message, len(message) < 300) == ("invalid_json", True, True)
    assert handler.asked == []


def test_a_wrong_shape_is_named(local: FlaskClient) -> None:
    said = {"role": "user", "content": "a"}
    for fields_, says in (
        ({"text": 3}, "`text` is a number; it must be a string"), ({"text": None}, "`text` is null; it must be a string"), ({"text": "x" * 100_001}, "`text` has 100001 characters; it must have at most 100000"), ({"mode": 3}, "`mode` is a number; it must be a string"),
        ({"mode": None}, "`mode` is null; it must be a string"), ({"version": "v" * 65}, "`version` has 65 characters"), ({"history": {}}, "`history` is an object; it must be a list"), ({"history": [said] * 20_001}, "`history` has 20001 entries; it must have at most 20000"),
        ({"history": [{}] * 100_000}, "`history[0].role` is missing"), ({"history": [said, {"role": "user"}]}, "`history[1].content` is missing"), ({"history": [{**said, "role": "tool"}]}, "`history[0].role` is 'tool'; it must be one of system, user, assistant"),
        ({"history": [{**said, "breakpoint": True}]}, "unknown field 'breakpoint'; the fields are content, role"), ({"state": "{}"}, "`state` is a string; it must be an object"), ({"max_tokens_retrieved": -1}, "`max_tokens_retrieved` is -1; it must be at least 0"),
        ({"max_tokens_retrieved": 10**7}, "it must be at most 1000000"), ({"max_tokens_retrieved": True}, "`max_tokens_retrieved` is true"), ({"max_tokens_retrieved": "9"}, "`max_tokens_retrieved` is a string; it must be a whole number"),
        ({"audiance": "dm"}, "unknown field 'audiance'; the fields are audience, explain, fill, floor, history, max_tokens_contents, max_tokens_retrieved, mode, only, pin, query, state, text, version, without"), ({"<script>" * 20: 1}, "unknown field '<script><script><script><script><script>…'"),
    ):
        kind, message = error_of(local.post("/api/assemble", json={"text": "x", **fields_}), 400)
        assert (kind, says in message) == ("invalid_request", True), message
    assert "`text` is missing" in error_of(local.post("/api/assemble", json={}), 400)[1]
    assert local.post("/api/assemble", json={"text": "x", "version": None, "history": None, "state": None}).status_code == 200  # as if left out


def test_only_json_in_utf_8_is_read_as_it_is(local: FlaskClient) -> None:
    for kind in (None, "text/plain", "multipart/form-data; boundary=x", "application/jsonp", "application/json; charset=utf-16", "nonsense", "application/ld+json"):
        assert "Content-Type: application/json" in error_of(local.post("/api/assemble", data=b'{"text": "x"}', content_type=kind), 415)[1]
    for encoding in ("gzip", "br"):
        assert encoding in error_of(local.post("/api/assemble", data=b'{"text": "x"}', content_type="application/json", headers={"Content-Encoding": encoding}), 415)[1]
    for kind in ("application/json", "APPLICATION/JSON;charset=UTF-8", 'application/json; charset="utf-8"'):
        assert local.post("/api/assemble", data='{"text": "Zoë"}'.encode(), content_type=kind).status_code == 200


def test_what_is_too_large_is_refused(local: FlaskClient) -> None:
    for path in PATHS:
        kind, message = error_of(local.post(path, data=b'{"text": "' + b"x" * 1024**2, content_type="application/json"), 413)
        assert (kind, "1048576 bytes" in message) == ("too_large", True)
    for form in ({"campaign": "c", "user_input": "x" * 200_000}, {f"field{n}": "x" for n in range(2_000)}):
        assert local.post("/play", data=form, content_type="multipart/form-data").status_code == 413


def test_a_request_has_a_budget_of_its_own(local: FlaskClient) -> None:
    for budget in (0, 100, 900.0):
        found = local.post("/api/assemble", json={"text": "How much damage does a fall do?", "max_tokens_retrieved": budget}).json
        tokens = found["telemetry"]["tokens"]
        assert (tokens["budget"], tokens["retrieved"] <= budget, found["sparse"]) == (budget, True, budget == 0)


@pytest.mark.parametrize(("method", "path", "status", "kind"), [
    ("get", "/api/assemble", 405, "method_not_allowed"), ("put", "/api/turn", 405, "method_not_allowed"), ("post", "/healthz", 405, "method_not_allowed"),
    ("delete", "/api/releases", 405, "method_not_allowed"), ("post", "/metrics", 405, "method_not_allowed"),
    ("get", "/api/", 404, "not_found"), ("get", "/api/nothing", 404, "not_found"), ("post", "/api/assemble/", 404, "not_found"), ("get", "/api/../etc", 404, "not_found"),
])
def test_wrong_addresses_and_methods(local: FlaskClient, method: str, path: str, status: int, kind: str) -> None:
    response = getattr(local, method)(path)
    assert error_of(response, status)[0] == kind
    assert ("Allow" in response.headers) is (status == 405)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4), max_leaves=20,
)


@given(st.binary() | JSON_VALUES.map(lambda value: json.dumps(value).encode()))
def test_any_body_is_read_or_refused_in_words(body: bytes) -> None:
    try:
        value = parse(body)
        check(value)
    except JsonError as error:
        assert str(error).startswith("the body ")  # noqa: PT017
    else:
        assert json.loads(body) == value


@given(st.dictionaries(st.sampled_from([*fields(TakeTurn), *fields(AssembleRequest), "other"]), JSON_VALUES))
def test_any_object_is_valid_or_its_first_error_has_words(value: dict[str, Any]) -> None:
    for type_ in (TakeTurn, AssembleRequest):
        try:
            read(type_, value)
        except errors.InvalidRequestError as error:
            assert re.match("`[a-z_]+[`.[]|unknown field", str(error))  # noqa: PT017
            assert len(str(error)) < 250  # noqa: PT017


def test_a_release_that_is_old_broken_or_missing_says_what_mends_it(tmp_path: Any, site_settings: Any) -> None:
    archive = write_archive(tmp_path)
    shutil.copytree(site_settings.prompt_index_dir, tmp_path / "data/prompt_index")
    client = create_app(settings_under(tmp_path)).test_client()
    found = create_app(site_settings).test_client().get("/api/releases").json
    assert [found["default"], *((r["version"], r["status"], r["remedy"]) for r in found["releases"])] == ["dec_2025", ("dec_2025", "fresh", None), ("mar_2026", "fresh", None)]
    (archive / "jan_2027").mkdir()
    (archive / "jan_2027/a.md").write_text("# A\n\nText.\n")
    broken = next((tmp_path / "data/prompt_index/mar_2026").glob("*/meta.jsonl"))
    broken.write_bytes(broken.read_bytes()[:-10])
    (tmp_path / "data/prompt_index/old_2020").mkdir()
    found = {r["version"]: r for r in client.get("/api/releases").json["releases"]}
    assert {version: r["status"] for version, r in found.items()} == {
        "dec_2025": "stale", "jan_2027": "missing", "mar_2026": "corrupt", "old_2020": "missing",
    }
    assert found["dec_2025"]["remedy"] == "mvp-site index build --version dec_2025"
    assert found["mar_2026"]["remedy"] == "mvp-site index build --version mar_2026 --force"
    assert found["mar_2026"]["chunks"] is None
    shutil.rmtree(archive / "dec_2025")
    assert {r["version"]: r["status"] for r in client.get("/api/releases").json["releases"]}["dec_2025"] == "archive_gone"


def test_without_turns_health_is_degraded(make_app: MakeApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TurnHandler, "open", Mock(side_effect=errors.SettingsError("MVP_SITE_LLM='abacus' cannot be used")))
    client = make_app(handler=None).test_client()
    response = client.get("/healthz")
    assert (response.status_code, response.json["status"], "abacus" in response.text) == (200, "degraded", True)
    assert [client.post("/api/turn", json=TURN).status_code, client.get("/turns").status_code, client.post("/api/assemble", json={"text": "x"}).status_code] == [503, 200, 200]


def test_an_index_that_is_built_later_is_taken_up(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    write_archive(tmp_path)
    found = settings_under(tmp_path)
    opened = PromptAssembler.open

    def open_with_double(settings: Any = None, **more: Any) -> PromptAssembler:
        return opened(settings, **{"encoder": HashingEncoder(), **more})

    monkeypatch.setattr(PromptAssembler, "open", open_with_double)
    client = create_app(found, handler=TellingHandler()).test_client()
    response = client.post("/api/assemble", json={"text": "falling"})
    assert "mvp-site index build" in error_of(response, 503)[1]
    monkeypatch.setattr(build, "load_off_topic", lambda *of: ("what time is the train?", "my printer jams"))
    build_prompt_index(found, encoder=HashingEncoder())
    assert client.post("/api/assemble", json={"text": "falling"}).status_code == 200


def test_the_metrics_count(local: FlaskClient, handler: TellingHandler) -> None:
    local.post("/api/assemble", json={"text": ""})
    local.post("/api/turn", json=TURN)
    local.post("/api/turn", json={**TURN, "mode": "dm"})
    for error in (errors.NotEntitledError("no"), errors.CampaignConflictError("no"), errors.StoreError("no"), KeyError("no")):
        handler.fails = error
        local.post("/api/turn", json=TURN)
    response = local.get("/metrics")
    assert response.content_type.startswith("text/plain; version=0.0.4")
    lines = {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in response.text.splitlines() if not line.startswith("#")}
    for name, value in {
        'mvp_site_turns_total{mode="story",outcome="valid_after_reask"}': 1, 'mvp_site_turns_total{mode="dm",outcome="valid_after_reask"}': 1,
        'mvp_site_turns_total{mode="story",outcome="refused"}': 1, 'mvp_site_turns_total{mode="story",outcome="conflict"}': 1,
        'mvp_site_turns_total{mode="story",outcome="failed"}': 2, 'mvp_site_sparse_turns_total{reason="empty_query"}': 1,
        'mvp_site_assembled_prompts_total{mode="story",version="dec_2025"}': 1, 'mvp_site_violations_total{rule="time_forward"}': 2,
        'mvp_site_model_tokens_total{kind="output"}': 2040, 'mvp_site_retrieved_tokens_total': 2980,
        'mvp_site_assemble_seconds_count': 1, 'mvp_site_turn_seconds_count{mode="story"}': 1,
        'mvp_site_requests_total{route="/api/turn",status="200"}': 2, 'mvp_site_requests_total{route="/api/turn",status="409"}': 1,
    }.items():
        assert lines[name] == value, name
