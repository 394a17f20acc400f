"""Both wire formats, without a network: what is sent, and what is read."""

from __future__ import annotations

import json
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.llm import anthropic_wire, openai_wire
from mvp_site.llm.protocol import (
    ModelReply,
    ModelRequest,
    ToolCall,
    ToolExchange,
    ToolResult,
    Usage,
)
from mvp_site.llm.wire import DamagedAnswerError
from mvp_site.types import Message
from tests.llm.asking import EXCHANGED, ROLL
from tests.llm.wire_answers import Answer, Wire, body, events
from tests.llm.wire_rules import broken_rule

WIRES: dict[Wire, ModuleType] = {"openai": openai_wire, "anthropic": anthropic_wire}
CALL = ToolCall("c1", "roll_dice", '{"expression":"1d20"}')

wires = pytest.mark.parametrize("wire", WIRES)


def sent(wire: Wire, request: ModelRequest, *, stream: bool = False) -> dict[str, Any]:
    fields: dict[str, Any] = WIRES[wire].payload("m", request, stream=stream)
    seen: dict[str, Any] = json.loads(json.dumps(fields))
    return seen


def read(wire: Wire, value: Any) -> ModelReply:
    reply: ModelReply = WIRES[wire].reply(value, "asked")
    return reply


def fed(wire: Wire, values: list[Any]) -> ModelReply:
    pieces = WIRES[wire].Stream("asked")
    for value in values:
        pieces.feed(value)
    reply: ModelReply = pieces.finish()
    return reply


def streamed(wire: Wire, answer: Answer) -> list[Any]:
    """The answer's events as the SDK would hand them over."""
    lines = b"".join(events(wire, answer)).decode().split("\n")
    return [json.loads(line[6:]) for line in lines if line.startswith("data: {")]


def test_a_plain_request() -> None:
    asked = ModelRequest((Message("system", "Be brief.", breakpoint=True), Message("user", "Go.")), max_tokens=300, cache_key="k")
    assert sent("openai", asked, stream=True) == {
        "model": "m", "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Go."}], "max_completion_tokens": 300,
        "prompt_cache_key": "k", "stream": True, "stream_options": {"include_usage": True},
    }
    assert sent("anthropic", asked, stream=True) == {
        "model": "m", "messages": [{"role": "user", "content": [{"type": "text", "text": "Go."}]}], "max_tokens": 300, "stream": True,
        "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
    }


def test_openai_gets_an_exchange_as_calls_and_results() -> None:
    fields = sent("openai", EXCHANGED)
    assert fields["messages"][2:] == [
        {"role": "assistant", "content": "Let me see.", "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "roll_dice", "arguments": '{"expression": "1d20+5"}'}},
            {"id": "c2", "type": "function", "function": {"name": "roll_dice", "arguments": "no JSON"}},
        ]},
        {"role": "tool", "tool_call_id": "c1", "content": '{"total": 19}'},
        {"role": "tool", "tool_call_id": "c2", "content": "error: no JSON"},
    ]
    assert fields["tools"] == [{"type": "function", "function": {
        "name": "roll_dice", "description": "Roll dice.", "parameters": dict(ROLL.parameters),
    }}]
    assert "prompt_cache_key" not in fields


def test_anthropic_gets_an_exchange_as_blocks() -> None:
    fields = sent("anthropic", EXCHANGED)
    assert fields["messages"][1:] == [
        {"role": "assistant", "content": [
            {"type": "text", "text": "Let me see."},
            {"type": "tool_use", "id": "c1", "name": "roll_dice", "input": {"expression": "1d20+5"}},
            {"type": "tool_use", "id": "c2", "name": "roll_dice", "input": {}},
        ]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "c1", "content": '{"total": 19}'},
            {"type": "tool_result", "tool_use_id": "c2", "content": "error: no JSON"},
        ]},
    ]
    assert fields["tools"] == [
        {"name": "roll_dice", "description": "Roll dice.", "input_schema": dict(ROLL.parameters)}
    ]


@pytest.mark.parametrize(
    ("arguments", "input_"),
    [
        ('{"a": 1}', {"a": 1}), ("", {}), ("[1]", {}), ("{", {}), ('{"a": NaN}', {}), ('"text"', {}),
        ("[" * 100_000, {}), ('{"a": ' + "9" * 5_000 + "}", {}),
    ],
    ids=["object", "none", "list", "cut", "nan", "text", "deep", "long number"],
)
def test_anthropic_arguments_are_an_object(arguments: str, input_: dict[str, Any]) -> None:
    exchange = ToolExchange("", (ToolCall("c", "f", arguments),), (ToolResult("c", "r"),))
    fields = sent("anthropic", ModelRequest((Message("user", "x"), exchange)))
    assert fields["messages"][1]["content"][0]["input"] == input_


def test_anthropic_keeps_the_last_four_breakpoints() -> None:
    turns = [Message("user" if n % 2 else "assistant", str(n), breakpoint=True) for n in range(1, 7)]
    fields = sent("anthropic", ModelRequest((Message("system", "s", breakpoint=True), *turns)))
    marked = [
        block["text"] for message in fields["messages"] for block in message["content"]
        if block.get("cache_control") == {"type": "ephemeral"}
    ]
    assert marked == ["3", "4", "5", "6"]
    assert "cache_control" not in fields["system"][0]


words = st.text("ab \n", max_size=6)


@st.composite
def conversations(draw: st.DrawFn) -> ModelRequest:
    messages: list[Message | ToolExchange] = [Message("system", draw(words), draw(st.booleans()))]
    for turn in range(draw(st.integers(0, 8))):
        if draw(st.integers(0, 3)):
            messages.append(Message(draw(st.sampled_from(["user", "assistant", "system"])), draw(words), draw(st.booleans())))
        else:
            ids = [f"c{turn}_{n}" for n in range(draw(st.integers(1, 3)))]
            messages.append(ToolExchange(
                draw(words), tuple(ToolCall(i, "f", draw(words)) for i in ids), tuple(ToolResult(i, draw(words)) for i in ids),
            ))
    return ModelRequest((*messages, Message("user", "Go on.")), cache_key=draw(st.text(max_size=64)))


@wires
@given(request_=conversations())
def test_any_conversation_is_sent_as_the_api_wants_it(wire: Wire, request_: ModelRequest) -> None:
    assert broken_rule(wire, sent(wire, request_)) == ""


@wires
@pytest.mark.parametrize(
    ("answer", "stop", "text", "calls"),
    [
        (Answer("Hi."), "end", "Hi.", ()),
        (Answer("", (CALL,)), "tools", "", (CALL,)),
        (Answer("Wait.", (CALL, ToolCall("c2", "f", "{}"))), "tools", "Wait.", (CALL, ToolCall("c2", "f", "{}"))),
        (Answer("Cut of", stop="length"), "length", "Cut of", ()),
        (Answer("", stop="length"), "length", "", ()),
        (Answer("No.", stop="refused"), "refused", "No.", ()),
        (Answer("", stop="refused"), "refused", "", ()),
        (Answer("Hi.", raw_stop="something new"), "end", "Hi.", ()),
        (Answer("Hi.", (CALL,), stop="end"), "tools", "Hi.", (CALL,)),
        (Answer("Hi.", (CALL,), stop="length"), "length", "Hi.", ()),
    ],
    ids=["text", "call", "text and calls", "cut", "cut at once", "refused", "refused in silence", "unknown", "calls all the same", "cut calls"],
)
def test_answers(wire: Wire, answer: Answer, stop: str, text: str, calls: tuple[ToolCall, ...]) -> None:
    reply = read(wire, body(wire, answer))
    assert (reply.stop, reply.text, reply.calls) == (stop, text, calls)
    assert reply.usage == Usage(1_000, 50, 800, 100)
    assert reply.model == "model-2026"
    assert fed(wire, streamed(wire, answer)) == reply


def test_an_openai_refusal_is_one_whatever_the_finish_reason() -> None:
    answer = Answer("", refusal="I cannot.", raw_stop="stop")
    for reply in (read("openai", body("openai", answer)), fed("openai", streamed("openai", answer))):
        assert (reply.stop, reply.text) == ("refused", "I cannot.")


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}, 3]}, ("ab", ())),
        ({"content": "a", "tool_calls": None}, ("a", ())), ({"content": "a", "refusal": None, "audio": 3}, ("a", ())),
        ({"content": None, "tool_calls": [{"function": {"name": "f", "arguments": {"x": "é"}}}]}, ("", (ToolCall("call_0", "f", '{"x":"é"}'),))),
        ({"tool_calls": [{"id": "c", "function": {"name": "f"}}]}, ("", (ToolCall("c", "f", "{}"),))),
        ({"content": "lone \ud800 half"}, ("lone � half", ())),
        ({"content": "whole \ud83d\ude00"}, ("whole 😀", ())),
    ],
    ids=["parts", "null calls", "others", "arguments as an object", "no arguments", "lone surrogate", "split pair"],
)
def test_liberties_of_compatible_servers(message: dict[str, Any], expected: tuple[str, Any]) -> None:
    reply = read("openai", {"choices": [{"message": message}]})
    assert (reply.text, reply.calls) == expected
    assert (reply.model, reply.usage) == ("asked", Usage())


def test_calls_of_a_stream_without_indexes() -> None:
    def chunk(*calls: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        return {"choices": [{"delta": {"tool_calls": list(calls)}, "finish_reason": finish}]}

    reply = fed("openai", [
        chunk({"id": "a", "function": {"name": "f", "arguments": '{"x":'}}), chunk({"function": {"arguments": "1}"}}),
        chunk({"id": "b", "function": {"name": "g", "arguments": ""}}), chunk(finish="stop"), {"choices": [{"delta": None}]}, {"choices": None},
    ])
    assert reply.calls == (ToolCall("a", "f", '{"x":1}'), ToolCall("b", "g", "{}"))


DAMAGED: list[tuple[Wire, Any, str]] = [
    *((wire, value, "expected `object`, got") for wire in ("openai", "anthropic") for value in (None, "<html>", [1], 3)),
    ("openai", {}, "no choice"), ("openai", {"choices": "x"}, r"got `str` - at `\$.choices`"),
    ("openai", {"choices": [None]}, r"at `\$.choices\[0\]`"), ("openai", {"choices": [{}]}, "empty"),
    ("openai", {"choices": [{"message": {"content": " \n"}}]}, "empty"),
    ("openai", {"choices": [{"message": {"content": "a"}, "finish_reason": "tool_calls"}]}, "calls none"),
    ("openai", {"choices": [{"message": {"tool_calls": [{"id": "c"}]}}]}, "names no tool"),
    ("openai", {"choices": [{"message": {"content": "a", "\ud800": 1}}]}, "no text"),
    ("anthropic", {}, "no `content`"), ("anthropic", {"content": ["a"]}, "got `str`"),
    ("anthropic", {"content": []}, "empty"), ("anthropic", {"content": [{"type": "tool_use", "id": "c"}]}, "names no tool"),
]


@pytest.mark.parametrize(("wire", "value", "message"), DAMAGED)
def test_damage_is_named(wire: Wire, value: Any, message: str) -> None:
    with pytest.raises(DamagedAnswerError, match=message):
        read(wire, value)


@wires
def test_a_stream_has_to_reach_its_end(wire: Wire) -> None:
    chunks = streamed(wire, Answer())
    closing = {"openai": 2, "anthropic": 1}[wire]
    for kept in range(len(chunks) - closing + 1):
        with pytest.raises(DamagedAnswerError, match="stream ends without"):
            fed(wire, chunks[:kept])


leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
junk = st.recursive(leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3), max_leaves=8)


@st.composite
def mutated(draw: st.DrawFn, value: Any) -> Any:
    """``value`` with junk in one place of it."""
    if isinstance(value, dict) and value and draw(st.integers(0, 5)):
        key = draw(st.sampled_from(sorted(value)))
        return {**value, key: draw(mutated(value[key]))}
    if isinstance(value, list) and value and draw(st.integers(0, 5)):
        at = draw(st.integers(0, len(value) - 1))
        return [*value[:at], draw(mutated(value[at])), *value[at + 1 :]]
    return draw(junk)


ANSWER = Answer("Wait.", (CALL,))


@wires
@given(data=st.data())
def test_any_body_is_read_or_refused(wire: Wire, data: st.DataObject) -> None:
    value = data.draw(mutated(body(wire, ANSWER)))
    try:
        reply = read(wire, value)
    except DamagedAnswerError:
        return
    assert bool(reply.calls) == (reply.stop == "tools")
    reply.text.encode()


@wires
@given(data=st.data())
def test_any_stream_is_read_or_refused(wire: Wire, data: st.DataObject) -> None:
    values = data.draw(mutated(streamed(wire, ANSWER)))
    try:
        reply = fed(wire, values if isinstance(values, list) else [values])
    except DamagedAnswerError:
        return
    assert bool(reply.calls) == (reply.stop == "tools")
