"""OpenAI's and Anthropic's own SDKs against a server on this machine."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import closing

import pytest

from mvp_site.concurrency import events_of
from mvp_site.errors import ModelError, ModelRequestError, ModelUnavailableError, SettingsError
from mvp_site.llm.models import open_model
from mvp_site.llm.protocol import ModelReply, ModelRequest, ToolCall, Usage
from mvp_site.llm.sdk_model import RETRIES, SdkModel
from mvp_site.types import Message
from tests.llm.asking import EXCHANGED, MODELS, REQUEST, STREAMS, WAYS, Way, ask, asked, rotated
from tests.llm.loopback import KEY, LoopbackServer
from tests.llm.wire_answers import Answer, Fault, FaultKind

SECRET = "You run a game of secrets."
CALLS = (ToolCall("c1", "roll_dice", '{"expression":"1d20"}'), ToolCall("c2", "roll_dice", "{}"))
VARIABLES = {"openai:gpt-test": "OPENAI", "anthropic:claude-test": "ANTHROPIC"}

ways = pytest.mark.parametrize("way", WAYS)


@pytest.fixture(params=MODELS)
def model(loopback: LoopbackServer, request: pytest.FixtureRequest) -> Iterator[SdkModel]:
    opened = open_model(loopback.settings(request.param))
    assert isinstance(opened, SdkModel)
    with closing(opened):
        yield opened


def failed(model: SdkModel, way: Way, request: ModelRequest = REQUEST) -> ModelError:
    with pytest.raises(ModelError) as caught:
        ask(model, way, request)
    return caught.value


@ways
def test_an_answer(model: SdkModel, way: Way, loopback: LoopbackServer) -> None:
    pieces, reply = asked(model, way)
    assert reply == ModelReply(
        "The bar gives with a groan.", (), Usage(1_000, 50, 800, 100), "end", "model-2026", "req_1"
    )
    assert pieces == (["The bar gives ", "with a groan."] if way in STREAMS else [])
    assert loopback.count == 1


@ways
def test_tools_are_called_and_answered(model: SdkModel, way: Way, loopback: LoopbackServer) -> None:
    loopback.put(Answer("Let me see.", CALLS))
    reply = ask(model, way, EXCHANGED)
    assert reply.stop == "tools"
    assert [(call.id, call.name, json.loads(call.arguments)) for call in reply.calls] == [
        ("c1", "roll_dice", {"expression": "1d20"}), ("c2", "roll_dice", {}),
    ]


def test_a_stream_comes_as_it_is_said(model: SdkModel, loopback: LoopbackServer) -> None:
    gate = threading.Event()
    loopback.put(Answer(gate=gate))
    stream = events_of(model.astream(REQUEST))
    assert str(next(stream)) in "The bar gives with a groan."
    gate.set()
    assert isinstance(list(stream)[-1], ModelReply)


# (fault, requests without and with a stream, what is said of each)
BROKEN = "broke its connection before the answer was whole: try again"
NO_JSON = "sent a damaged answer (it is not JSON): try again; where it stays so, check that {0}_BASE_URL names a server of this API"
NO_END = "sent a damaged answer (its stream ends without"
FAULTS = {
    "drop": (Fault("drop"), 3, BROKEN, 3, BROKEN),
    "cut": (Fault("cut"), 3, BROKEN, 1, BROKEN),
    "quiet_end": (Fault("quiet_end"), 1, NO_JSON, 1, NO_END),
    "malformed": (Fault("malformed"), 1, NO_JSON, 1, NO_JSON),
    "empty": (Fault("empty"), 1, NO_JSON, 1, NO_END),
    "no_choices": (Fault("no_choices"), 1, "sent a damaged answer (it ", 1, NO_END),
    "another object": (Fault("wrong", body={"hello": "world"}), 1, "sent a damaged answer (", 1, NO_END),
    "a list": (Fault("wrong", body=[1, 2]), 1, "(expected `object`, got `array`)", 1, "damaged answer"),
    "page": (Fault("page"), 1, "(expected `object`, got `str`)", 1, NO_END),
    "error_event": (Fault("error_event"), 3, "has a fault of its own (HTTP 500)", 1, "is overloaded (overloaded_error in its stream): try again later"),
    "429": (Fault("status", 429), 3, "takes no more requests now (HTTP 429): try again later", 3, "HTTP 429"),
    "500": (Fault("status", 500), 3, "has a fault of its own (HTTP 500): try again later", 3, "HTTP 500"),
    "500 without JSON": (Fault("status", 500, body=b"<h1>no</h1>"), 3, "HTTP 500", 3, "HTTP 500"),
    "529": (Fault("status", 529), 3, "is overloaded (HTTP 529): try again later", 3, "HTTP 529"),
    "no gzip": (Fault("status", 200, {"content-encoding": "gzip"}, b"no gzip at all"), 3, "cannot be talked to (", 1, "DecodingError"),
    "408": (Fault("status", 408), 3, "did not take the request in time (HTTP 408)", 3, "HTTP 408"),
}


@pytest.mark.parametrize(("fault", "way"), [
    *rotated(zip(FAULTS), "complete", "acomplete"), *rotated(zip(FAULTS), "astream"),
])
def test_faults(model: SdkModel, way: Way, fault: str, loopback: LoopbackServer) -> None:
    sent, requests, message, stream_requests, stream_message = FAULTS[fault]
    if way in STREAMS:
        requests, message = stream_requests, stream_message
    loopback.put(*[sent] * (RETRIES + 2))
    error = failed(model, way)
    assert isinstance(error, ModelUnavailableError)
    assert str(error).startswith(f"{model.name} ")
    assert message.format(VARIABLES[model.name]) in str(error)
    assert loopback.count == requests


@pytest.mark.parametrize(("fault", "requests", "way"), [
    ("slow", 3, "complete"), ("slow", 3, "astream"), ("stall", 3, "acomplete"), ("stall", 1, "astream"),
])
def test_silence(model: SdkModel, way: Way, fault: FaultKind, requests: int, loopback: LoopbackServer) -> None:
    """What has begun to stream is not asked for again."""
    loopback.put(*[Fault(fault)] * (RETRIES + 2))
    error = failed(model, way)
    assert isinstance(error, ModelUnavailableError)
    assert str(error) == f"{model.name} was silent for 5 seconds: try again, or raise MVP_SITE_LLM_TIMEOUT"
    assert loopback.count == requests


@pytest.mark.parametrize(("fault", "way"), rotated([(Fault("status", 429),), (Fault("status", 503),), (Fault("drop"),), (Fault("drop"),)]))
def test_a_fault_that_passes_is_not_noticed(model: SdkModel, way: Way, fault: Fault, loopback: LoopbackServer) -> None:
    loopback.put(*[fault] * RETRIES)
    assert ask(model, way).text == "The bar gives with a groan."
    assert loopback.count == RETRIES + 1


REFUSALS = [
    (400, "does not accept the request (HTTP 400, invalid_request_error): check the model's name in MVP_SITE_LLM, lower"),
    (401, "refuses the key (HTTP 401, invalid_request_error): check {0}_API_KEY"),
    (402, "wants to be paid"),
    (403, "may not be used with this key (HTTP 403, invalid_request_error): check {0}_API_KEY and what"),
    (404, "is not there (HTTP 404, invalid_request_error): check the model's name in MVP_SITE_LLM, and {0}_BASE_URL"),
    (405, "check {0}_BASE_URL"),
    (413, "finds the request too large (HTTP 413, invalid_request_error): lower MVP_SITE_CONTEXT_TOKENS"),
    (422, "does not accept the request (HTTP 422"),
    (304, "is not there (HTTP 304"),
]


@pytest.mark.parametrize(("status", "message", "way"), rotated(REFUSALS))
def test_refusals(model: SdkModel, way: Way, status: int, message: str, loopback: LoopbackServer) -> None:
    quoting = {"error": {"type": "invalid_request_error", "message": f"{SECRET} {KEY}", "code": KEY}}
    loopback.put(Fault("status", status, body=quoting if status != 304 else b""))
    error = failed(model, way)
    assert isinstance(error, ModelRequestError)
    assert message.format(VARIABLES[model.name]) in str(error)
    assert loopback.count == 1
    told = str(error) + repr(error) + "".join(traceback.format_exception(error))
    assert KEY not in told
    assert SECRET not in told


@pytest.mark.parametrize(
    ("code", "kind", "message", "way"),
    rotated([
        ("overloaded_error", ModelUnavailableError, "is overloaded (overloaded_error in its stream)"),
        ("api_error", ModelUnavailableError, "has a fault of its own (api_error in its stream)"),
        ("rate_limit_error", ModelUnavailableError, "takes no more requests now"),
        ("invalid_request_error", ModelRequestError, "does not accept the request ({} in its stream)"),
        ("authentication_error", ModelRequestError, "refuses the key"),
        ("", ModelUnavailableError, "(an error in its stream)"),
    ], *STREAMS),
)
def test_errors_in_a_stream(model: SdkModel, way: Way, code: str, kind: type[ModelError], message: str, loopback: LoopbackServer) -> None:
    loopback.put(Fault("error_event", code=code))
    error = failed(model, way)
    assert isinstance(error, kind)
    narrow = {"openai": "context_length_exceeded", "anthropic": "invalid_request_error"}[model.api.sdk]
    assert message.format(narrow) in str(error)


@pytest.mark.parametrize(
    ("headers", "told", "way"),
    rotated([
        ({"retry-after": "3600"}, "it asks for a pause of 3600 seconds, longer than MVP_SITE_LLM_TIMEOUT"),
        ({"retry-after": "inf"}, "it asks for a pause of inf seconds"),
        ({"retry-after-ms": "60000"}, "it asks for a pause of 60 seconds"),
        ({"retry-after": "Fri, 01 Jan 2999 00:00:00 GMT", "x-should-retry": "true"}, "it asks for a pause of "),
    ]),
)
def test_long_pauses_are_not_kept(model: SdkModel, way: Way, headers: dict[str, str], told: str, loopback: LoopbackServer) -> None:
    loopback.put(Fault("status", 429, headers=headers))
    assert told in str(failed(model, way))
    assert loopback.count == 1


def test_a_short_pause_is_kept(model: SdkModel, loopback: LoopbackServer) -> None:
    loopback.put(Fault("status", 429, headers={"retry-after": "0.001"}))
    assert ask(model, "complete").stop == "end"
    assert loopback.count == 2


def test_a_server_that_is_not_there(loopback: LoopbackServer) -> None:
    for name in MODELS:
        settings = loopback.settings(name, openai_base_url="http://127.0.0.1:9/v1", anthropic_base_url="http://127.0.0.1:9")
        with closing(open_model(settings)) as opened:
            for way in WAYS:
                error = failed(opened, way)
                assert str(error) == f"{name} cannot be reached: check the network, and {VARIABLES[name]}_BASE_URL"


@ways
def test_half_a_surrogate_pair_is_not_sent(model: SdkModel, way: Way, loopback: LoopbackServer) -> None:
    error = failed(model, way, ModelRequest((Message("user", "a \ud800 b"),)))
    assert isinstance(error, ModelRequestError)
    assert "half of a surrogate pair" in str(error)
    assert loopback.count == 0


@ways
def test_the_key_is_sent_and_never_shown(model: SdkModel, way: Way, loopback: LoopbackServer) -> None:
    ask(model, way)
    assert loopback.seen[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in repr(model) + str(model) + repr(loopback.settings())


def test_the_environment_is_not_asked(loopback: LoopbackServer, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {name: loopback.settings(name) for name in MODELS}
    for sdk in ("OPENAI", "ANTHROPIC"):
        monkeypatch.setenv(f"{sdk}_API_KEY", "sk-another")
        monkeypatch.setenv(f"{sdk}_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "another")
    for name in MODELS:
        with closing(open_model(settings[name])) as opened:
            for way in WAYS:
                ask(opened, way)
    assert {seen.headers["authorization"] for seen in loopback.seen} == {f"Bearer {KEY}"}


def test_a_stream_that_nobody_hears_out(model: SdkModel, loopback: LoopbackServer) -> None:
    stream = events_of(model.astream(REQUEST))
    next(stream)
    stream.close()  # type: ignore[attr-defined]

    async def turn_away() -> None:
        async for _ in model.astream(REQUEST):
            break

    asyncio.run(turn_away())
    assert ask(model, "complete").stop == "end"


def test_an_async_request_can_be_cancelled(model: SdkModel, loopback: LoopbackServer) -> None:
    async def give_up() -> None:
        task = asyncio.create_task(model.acomplete(REQUEST))
        await asyncio.to_thread(loopback.wait_until, 1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        cancelled.set()

    cancelled = threading.Event()
    loopback.put(Answer(gate=cancelled))
    asyncio.run(give_up())
    assert ask(model, "acomplete").stop == "end"


@ways
def test_closed_is_closed(model: SdkModel, way: Way, loopback: LoopbackServer) -> None:
    ask(model, way)
    model.close()
    model.close()
    assert str(failed(model, way)) == f"{model.name} is closed: open it again"
    assert loopback.count == 1


def test_a_missing_sdk_names_the_extra(loopback: LoopbackServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in MODELS:
        monkeypatch.setitem(sys.modules, name.split(":")[0], None)
        with pytest.raises(SettingsError, match=rf"^MVP_SITE_LLM='{name}' needs the extra 'llm' .*: pip install 'PATH\[llm\]'"):
            open_model(loopback.settings(name))
