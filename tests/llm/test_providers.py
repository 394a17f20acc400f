"""Every provider, through its own SDK, against a server that speaks as it does (tests/llm/dialects.py)."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest

from mvp_site.concurrency import events_of
from mvp_site.errors import ModelError, ModelRequestError, ModelUnavailableError, SettingsError
from mvp_site.llm.models import open_model
from mvp_site.llm.protocol import (
    ModelReply,
    ModelRequest,
    ToolCall,
    ToolExchange,
    ToolResult,
    Usage,
)
from mvp_site.llm.provider_model import RETRIES, ProviderModel
from mvp_site.types import Message
from tests.llm.asking import REQUEST, ROLL, WAYS, Way, ask, asked
from tests.llm.dialects import dialect_of
from tests.llm.loopback import KEY, LoopbackServer
from tests.llm.wire_answers import Answer, Fault

SECRET = REQUEST.messages[0].content  # type: ignore[union-attr]
TEXT = "The bar gives with a groan."
CALLS = (ToolCall("callnumb1", "roll_dice", '{"expression":"1d20"}'), ToolCall("callnumb2", "roll_dice", "{}"))
PROVIDERS = (
    "openai-responses:gpt-5-mini", "openai-chat:gpt-5-mini", "openai:qwen3", "anthropic:claude-haiku-4-5", "google:gemini-2.5-flash",
    "mistral:mistral-large-latest", "groq:llama-3.3-70b-versatile", "ollama:qwen3",
)
WINDOWS = {"openai-responses:gpt-5-mini": 400_000, "openai-chat:gpt-5-mini": 400_000, "anthropic:claude-haiku-4-5": 200_000, "google:gemini-2.5-flash": 1_048_576}
PRICED = {*WINDOWS, "mistral:mistral-large-latest", "groq:llama-3.3-70b-versatile"}

ways = pytest.mark.parametrize("way", WAYS)
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning:.*")


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MISTRAL", "GROQ"):
        monkeypatch.setenv(f"{name}_API_KEY", KEY)


@pytest.fixture(params=[*PROVIDERS[:5], *(pytest.param(name, marks=pytest.mark.slow) for name in PROVIDERS[5:])])
def model(loopback: LoopbackServer, request: pytest.FixtureRequest) -> Iterator[ProviderModel]:
    opened = open_model(loopback.settings(request.param))
    assert isinstance(opened, ProviderModel)
    with closing(opened):
        yield opened


def failed(model: ProviderModel, request: ModelRequest = REQUEST, way: Way = "complete") -> ModelError:
    with pytest.raises(ModelError) as caught:
        ask(model, way, request)
    return caught.value


def named(model: ProviderModel) -> str:
    return model.name.partition(":")[2]


@ways
def test_a_turn(model: ProviderModel, way: Way, loopback: LoopbackServer) -> None:
    loopback.put(Answer(usage=Usage(1_000, 50, 800, 100, 20), model=named(model)))
    pieces, reply = asked(model, way)
    usage = reply.usage
    assert (reply.text, reply.calls, reply.stop, reply.model) == (TEXT, (), "end", named(model))
    assert (usage.input_tokens, usage.output_tokens, usage.cache_read_tokens) == (1_000, 50, 800)
    # Who does not bill the writing of a cache does not tell of it, nor Anthropic of thoughts.
    assert usage.cache_write_tokens == (0 if dialect_of(model.name) in {"google", "mistral", "groq"} else 100)
    assert usage.reasoning_tokens == (0 if dialect_of(model.name) == "anthropic" else 20)
    assert (usage.cost is not None and 0 < usage.cost < 0.01) if model.name in PRICED else usage.cost is None
    assert "".join(pieces) == (TEXT if way == "astream" else "")
    assert model.context_tokens == WINDOWS.get(model.name)
    assert loopback.count == 1


def test_tools_are_called_and_answered(model: ProviderModel, loopback: LoopbackServer) -> None:
    """What the model said goes back as it was said: with ids, signatures and thoughts."""
    loopback.put(Answer("Let me see.", CALLS, thought="Hm."))
    offered = ModelRequest(REQUEST.messages, (ROLL,), cache_key="k")
    reply = ask(model, "astream", offered)
    assert (reply.stop, reply.text) == ("tools", "Let me see.")
    assert [(call.name, json.loads(call.arguments)) for call in reply.calls] == [("roll_dice", {"expression": "1d20"}), ("roll_dice", {})]
    results = tuple(ToolResult(call.id, '{"total": 19}') for call in reply.calls)
    for name in PROVIDERS:  # a second model goes on where the first has failed
        for native in (reply.native, None):
            exchange = ToolExchange(reply.text, reply.calls, results, native)
            with closing(open_model(loopback.settings(name))) as other:
                assert other.complete(ModelRequest((*REQUEST.messages, exchange), (ROLL,))).text == TEXT
            sent = json.dumps(loopback.seen[-1].body)
            assert (sent.count("total"), sent.count("Let me see.")) == (2, 1)


def test_a_stream_comes_as_it_is_said(model: ProviderModel, loopback: LoopbackServer) -> None:
    gate = threading.Event()
    loopback.put(Answer("One. Two. Three. Four.", gate=gate))
    stream = events_of(model.astream(REQUEST))
    assert str(next(stream)) in "One. Two. Three. Four."
    gate.set()
    assert isinstance(list(stream)[-1], ModelReply)


@pytest.mark.parametrize("messages", [
    (Message("user", "Before."), Message("assistant", "After.", breakpoint=True), Message("user", "Now."), Message("assistant", "Bad."), Message("user", "Mend it.")),
    (Message("assistant", "It begins.", breakpoint=True), Message("user", "Now."), Message("user", " "), Message("user", "Now!")),
    (Message("assistant", "It begins."),), (Message("user", "Now."), Message("assistant", " "), Message("user", "Mend it.")),
])
def test_a_re_ask(model: ProviderModel, messages: tuple[Message, ...], loopback: LoopbackServer) -> None:
    """No provider gets a blank text, an answer before a question, or a place in a cache that it does not know."""
    header = (Message("system", "The header.", breakpoint=True), Message("system", "The mode."))
    assert ask(model, "complete", ModelRequest((*header, *messages), cache_key="k")).text == TEXT
    sent = json.dumps(loopback.seen[-1].body)
    assert all(message.content in sent for message in (*header, *messages) if message.content.strip())


def test_where_the_cache_is_marked(loopback: LoopbackServer) -> None:
    """After the header, after the history, and at the end, which is the provider's to find."""
    history = (Message("user", "Before."), Message("assistant", "After.", breakpoint=True))
    request = ModelRequest((
        Message("system", "The header.", breakpoint=True), Message("system", "The mode."), *history, Message("user", "Now.")), (ROLL,))
    marked = {}
    for name in ("anthropic:claude-haiku-4-5", "openai-responses:gpt-5.6"):
        with closing(open_model(loopback.settings(name))) as model:
            model.complete(request)
            body = loopback.seen[-1].body
            marked[name] = [block.get("text", block.get("name", "")) for block in _blocks(body) if {"cache_control", "prompt_cache_breakpoint"} & block.keys()]
    assert marked == {
        "anthropic:claude-haiku-4-5": ["", "After.", "The header.", "roll_dice"], "openai-responses:gpt-5.6": ["The header.", "Before."],
    }


def test_openai_keeps_nothing(loopback: LoopbackServer) -> None:
    for name in PROVIDERS[:3]:
        with closing(open_model(loopback.settings(name))) as model:
            model.complete(REQUEST)
    assert [(seen.body.get("store"), seen.body.get("prompt_cache_key")) for seen in loopback.seen] == [(False, "dec_2025"), (False, "dec_2025"), (None, None)]


def _blocks(value: object) -> Iterator[dict[str, object]]:
    if isinstance(value, dict):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _blocks(part)


def test_429_with_retry_after(model: ProviderModel, loopback: LoopbackServer) -> None:
    loopback.put(*[Fault("status", 429, {"retry-after": "0.001"})] * RETRIES)
    assert ask(model, "complete").text == TEXT
    assert loopback.count == RETRIES + 1
    loopback.put(Fault("status", 429, {"retry-after": "3600"}))
    told = str(failed(model))
    assert "it takes no more requests now" in told
    assert "it asks for a pause of 3600 seconds, longer than MVP_SITE_LLM_TIMEOUT" in told
    assert loopback.count == RETRIES + 2


@pytest.mark.parametrize(("status", "mend"), [
    (400, "it does not accept the request; check the model's name in MVP_SITE_LLM, lower"),
    (401, "it refuses the key; check {}_API_KEY and what its account may use"),
    (403, "it refuses the key"),
    (404, "it has no such model or address; check the model's name in MVP_SITE_LLM, and MVP_SITE_LLM_BASE_URL"),
    (413, "it finds the request too large; lower MVP_SITE_CONTEXT_TOKENS"), (422, "it does not accept the request"),
])
def test_refusals(model: ProviderModel, status: int, mend: str, loopback: LoopbackServer) -> None:
    """The provider's own words come first; none that quote the key or the prompt."""
    if status == 422 and dialect_of(model.name) == "mistral":
        pytest.skip("Mistral's SDK reads 422 as a form of its own: see the next test")
    loopback.put(Fault("status", status))
    error = failed(model)
    assert isinstance(error, ModelRequestError)
    assert str(error).startswith(f"{model.name} says 'it went wrong' (HTTP {status}")
    assert mend.format(model.name.partition(":")[0].partition("-")[0].upper()) in str(error)
    assert loopback.count == 1
    for quoted in (SECRET, KEY):
        loopback.put(Fault("status", status, body={"error": {"message": f"I had {quoted}", "code": quoted, "status": quoted}}))
        error = failed(model)
        assert quoted not in str(error) + repr(error) + "".join(traceback.format_exception(error))


# (model, settings, the request that it refuses, its words)
REFUSING = [
    ("ollama:gemma3:4b", {}, ModelRequest(REQUEST.messages, (ROLL,)), "says 'registry.ollama.ai/library/gemma3:4b does not support tools'"),
    ("openai:gemma-2", {}, REQUEST, "says 'System role not supported' (HTTP 400, invalid_request_error)"),
]


@pytest.mark.parametrize(("name", "fields", "request_", "words"), REFUSING)
def test_what_a_model_cannot_do_is_said(name: str, fields: dict[str, object], request_: ModelRequest, words: str, loopback: LoopbackServer) -> None:
    with closing(open_model(loopback.settings(name, **fields))) as opened:
        error = failed(opened, request_)  # type: ignore[arg-type]
    assert isinstance(error, ModelRequestError)
    assert words in str(error)


def test_the_field_that_a_provider_does_not_know_is_named(loopback: LoopbackServer) -> None:
    """Bodies as they were seen: the places are in the sources of tests/llm/dialects.py."""
    bodies = {
        "mistral:mistral-large-latest": (422, {"object": "error", "message": {"detail": [{"type": "extra_forbidden", "loc": ["body", "n"], "msg": "Extra inputs are not permitted", "input": 1}]}, "type": "invalid_request_error"},
                                         "says 'Extra inputs are not permitted' (HTTP 422, param body.n"),
        "openai:qwen3": (422, {"message": "body.x: property 'body.x' is unsupported", "type": "invalid_request_error", "param": "validation_error", "code": "wrong_api_format"},
                         "(HTTP 422, param validation_error, code wrong_api_format, invalid_request_error)"),
        "openai-chat:gpt-5-mini": (400, {"error": {"message": "Unsupported parameter: 'x'", "type": "invalid_request_error", "param": "x", "code": "unsupported_parameter"}},
                                   """says "Unsupported parameter: 'x'" (HTTP 400, param x, code unsupported_parameter, invalid_request_error)"""),
    }
    for name, (status, body, words) in bodies.items():
        loopback.put(Fault("status", status, body=body))
        with closing(open_model(loopback.settings(name))) as opened:
            assert words in str(failed(opened))  # type: ignore[arg-type]


@pytest.mark.parametrize(("answer", "stop", "text"), [
    (Answer("Half of i", stop="length"), "length", "Half of i"), (Answer("", stop="length", thought="Hm."), "thought", ""),
    (Answer("I will not.", stop="refused"), "refused", "I will not."), (Answer("", stop="refused"), "refused", ""),
    (Answer("Half a", CALLS, stop="length"), "length", "Half a"), (Answer("Yes.", thought="Hm."), "end", "Yes."),
    (Answer(""), None, "sent a damaged answer (it is empty): try again"),
])
def test_cut_answers_and_refusals(model: ProviderModel, answer: Answer, stop: str | None, text: str, loopback: LoopbackServer) -> None:
    if stop == "refused" and dialect_of(model.name) == "mistral":
        pytest.skip("Mistral has no such end: https://docs.mistral.ai/api, finish_reason")
    loopback.put(answer)
    if stop is None:
        assert text in str(failed(model))
        return
    reply = ask(model, "complete")
    assert (reply.stop, reply.text, reply.calls) == (stop, text, ())


# (requests, what is said); what has begun to stream is not asked for again
BROKEN = "broke its connection before the answer was whole: try again"
DAMAGED = "sent a damaged answer (it has neither a text nor a call): try again; where it stays so, check that MVP_SITE_LLM_BASE_URL"
FAULTS = {
    "drop": (Fault("drop"), 3, BROKEN), "cut": (Fault("cut"), 1, BROKEN), "malformed": (Fault("malformed"), 1, "has a fault of its own: try again later"),
    "empty": (Fault("empty"), 1, DAMAGED), "error_event": (Fault("error_event"), 1, "try again later"),
    "503": (Fault("status", 503), 3, "says 'it went wrong' (HTTP 503"), "529": (Fault("status", 529), 3, "it is overloaded; try again later"),
    "500": (Fault("status", 500), 3, "it has a fault of its own; try again later"), "500 without JSON": (Fault("status", 500, body=b"<h1>no</h1>"), 3, "HTTP 500"),
    "408": (Fault("status", 408), 3, "; try again later"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults(model: ProviderModel, fault: str, loopback: LoopbackServer) -> None:
    sent, requests, message = FAULTS[fault]
    loopback.put(*[sent] * (RETRIES + 2))
    error = failed(model)
    assert isinstance(error, ModelUnavailableError)
    assert str(error).startswith(f"{model.name} ")
    assert message in str(error)
    assert loopback.count == requests


@pytest.mark.parametrize(("fault", "requests"), [("slow", 3), ("stall", 1)])
@pytest.mark.parametrize("name", ["openai:qwen3", "anthropic:claude-haiku-4-5", "google:gemini-2.5-flash", "mistral:mistral-large-latest"])
def test_silence(name: str, fault: str, requests: int, loopback: LoopbackServer) -> None:
    loopback.put(*[Fault(fault)] * (RETRIES + 2))  # type: ignore[arg-type]
    with closing(open_model(loopback.settings(name))) as opened:
        error = failed(opened)  # type: ignore[arg-type]
    assert str(error) == f"{name} was silent for 5 seconds: try again, or raise MVP_SITE_LLM_TIMEOUT"
    assert loopback.count == requests


SCHEMA = {"type": "object", "properties": {"bird": {"type": "string"}}, "required": ["bird"], "additionalProperties": False}
HELD = ModelRequest(REQUEST.messages, schema=SCHEMA)
BESIDE = ModelRequest(REQUEST.messages, (ROLL,), schema=SCHEMA)
# (model, settings, what is sent of schema and tools: alone, beside tools, before tools)
HOLDING = [
    ("openai:qwen3", {}, ("", "tools", "tools")), ("openai:qwen3", {"mvp_site_llm_structured": True}, ("schema", "tools", "schema")),
    ("vllm:qwen3", {}, ("schema", "tools", "schema")), ("vllm:qwen3", {"mvp_site_llm_structured": False}, ("", "tools", "tools")),
    ("ollama:qwen3", {}, ("schema", "tools", "schema")), ("groq:openai/gpt-oss-20b", {}, ("schema", "tools", "schema")),
    ("groq:llama-3.3-70b-versatile", {}, ("", "tools", "tools")), ("openai-chat:gpt-5-mini", {}, ("schema", "schema tools", "schema tools")),
]


@ways
@pytest.mark.parametrize(("name", "fields", "sent"), HOLDING)
def test_an_answer_is_held_to_a_schema(name: str, fields: dict[str, object], sent: tuple[str, ...], way: Way, loopback: LoopbackServer) -> None:
    """Beside tools where the provider takes both; where it streams no such answer, the answer comes whole."""
    loopback.responder = lambda _: Answer('{"bird": "wren"}')
    with closing(open_model(loopback.settings(name, **fields))) as opened:
        for request in (HELD, BESIDE, replace(BESIDE, schema_first=True)):
            assert ask(opened, way, request).text == '{"bird": "wren"}'
    keys = {"response_format": "schema", "tools": "tools"}
    assert tuple(" ".join(word for key, word in keys.items() if key in seen.body) for seen in loopback.seen) == sent


@pytest.mark.parametrize(("name", "status", "faults"), [("openai:qwen3", 400, 1), ("vllm:qwen3", 500, 3), ("groq:llama-3.3-70b-versatile", 400, 0)])
def test_a_refused_schema_fails_no_request(name: str, status: int, faults: int, loopback: LoopbackServer, caplog: pytest.LogCaptureFixture) -> None:
    loopback.put(*[Fault("status", status, body={"error": {"message": "response_format: no grammar"}})] * faults)
    with closing(open_model(loopback.settings(name, mvp_site_llm_structured=True))) as opened:
        for _ in range(2):
            assert ask(opened, "astream", HELD).text == TEXT
        assert opened.structured == (status == 500)
    assert ["response_format" in seen.body for seen in loopback.seen] == [*[True] * (faults or 1), False, status == 500]
    (warning,) = caplog.messages
    assert warning.startswith(f"{name} says ")
    assert warning.endswith("set MVP_SITE_LLM_STRUCTURED=0")


def test_a_request_that_is_refused_without_its_schema_too(loopback: LoopbackServer, caplog: pytest.LogCaptureFixture) -> None:
    with closing(open_model(loopback.settings("vllm:gemma-2"))) as opened:
        assert "says 'System role not supported'" in str(failed(opened, HELD))  # type: ignore[arg-type]
        assert opened.structured
    assert (loopback.count, caplog.messages) == (2, [])


def test_effort_goes_where_it_is_known(loopback: LoopbackServer) -> None:
    """Tokens for thoughts are beside those of the answer."""
    sent = {}
    for name in PROVIDERS:
        with closing(open_model(loopback.settings(name, mvp_site_llm_effort="low"))) as opened:
            opened.complete(REQUEST)
        body = loopback.seen[-1].body
        effort = body.get("reasoning", {}).get("effort") or body.get("reasoning_effort") or body.get("thinking") or body.get("generationConfig", {}).get("thinkingConfig")
        sent[name] = effort, next(value for key, value in (body | body.get("generationConfig", {})).items() if "max" in key.lower())
    assert sent == {
        "openai-responses:gpt-5-mini": ("low", 2_748), "openai-chat:gpt-5-mini": ("low", 2_748), "openai:qwen3": (None, 700),
        "anthropic:claude-haiku-4-5": ({"type": "enabled", "budget_tokens": 2_048}, 2_748),
        "google:gemini-2.5-flash": ({"include_thoughts": True, "thinking_budget": 2_048}, 2_748),
        "mistral:mistral-large-latest": (None, 700), "groq:llama-3.3-70b-versatile": (None, 700), "ollama:qwen3": (None, 700),
    }


def test_a_server_that_is_not_there(loopback: LoopbackServer) -> None:
    for name in PROVIDERS:
        with closing(open_model(loopback.settings(name, mvp_site_llm_base_url="http://127.0.0.1:9/v1"))) as opened:
            assert str(failed(opened)) == f"{name} cannot be reached: check the network, and MVP_SITE_LLM_BASE_URL"  # type: ignore[arg-type]


def test_half_a_surrogate_pair(model: ProviderModel, loopback: LoopbackServer) -> None:
    error = failed(model, ModelRequest((Message("user", "a \ud800 b"),)))
    assert isinstance(error, ModelRequestError)
    assert "half of a surrogate pair" in str(error)
    assert loopback.count == 0


def test_the_key_is_sent_and_never_shown(model: ProviderModel, loopback: LoopbackServer) -> None:
    ask(model, "complete")
    assert (KEY in json.dumps(loopback.seen[0].headers)) == (dialect_of(model.name) != "ollama")
    assert KEY not in repr(model) + str(model) + repr(loopback.settings()) + json.dumps(loopback.seen[0].body)


def test_a_stream_that_nobody_hears_out(model: ProviderModel, loopback: LoopbackServer) -> None:
    stream = events_of(model.astream(REQUEST))
    next(stream)
    stream.close()  # type: ignore[attr-defined]
    assert ask(model, "complete").stop == "end"


def test_an_async_request_can_be_cancelled(model: ProviderModel, loopback: LoopbackServer) -> None:
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
def test_closed_is_closed(model: ProviderModel, way: Way, loopback: LoopbackServer) -> None:
    model.close()
    model.close()
    assert str(failed(model, way=way)) == f"{model.name} is closed: open it again"
    assert loopback.count == 0


def test_a_missing_sdk_names_the_extra(loopback: LoopbackServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for sdk, name, source in (("anthropic", "anthropic:claude-x", "mvp-site"), ("groq", "groq:llama", "pydantic-ai-slim"), ("pydantic_ai", "google:gemini", "mvp-site")):
        monkeypatch.setitem(sys.modules, sdk, None)
        for module in [m for m in sys.modules if m.startswith(("pydantic_ai.providers.", "pydantic_ai.models.")) and sdk in m]:
            monkeypatch.delitem(sys.modules, module)
        extra = name.partition(":")[0]
        with pytest.raises(SettingsError, match=rf"^MVP_SITE_LLM='{name}' needs the extra '{extra}' .*: pip install '{source}\[{extra}\]'"):
            open_model(loopback.settings(name))
