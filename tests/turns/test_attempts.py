"""Steps: every path from the first question to an answer or the end of patience."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mvp_site.errors import ModelError, ModelRequestError, ModelUnavailableError
from mvp_site.llm.protocol import ModelReply, ModelRequest, ToolCall, ToolExchange, Usage
from mvp_site.turns.attempts import (
    TOOL_ROUNDS,
    AttemptRequest,
    AttemptSettings,
    Outcome,
    Stage,
    run_attempts,
)
from mvp_site.turns.checking import ContractCheck
from mvp_site.turns.dice import Dice, answer_call
from mvp_site.turns.tools import ToolHandler
from mvp_site.turns.types import Violation
from mvp_site.types import Message

from .game import calling, contents, roll_call, said

PROMPT = (Message("system", "header", breakpoint=True), Message("user", "the turn"))
DOWN = ModelUnavailableError("the model is overloaded")
NO_KEY = ModelRequestError("the key is refused")


def check(text: str) -> ContractCheck:
    """Good texts begin with "good"; each other word of a bad one is a violation."""
    if text.startswith("good"):
        return ContractCheck({"text": text}, (), {})
    return ContractCheck(None, tuple(Violation(word, "", f"mend {word}") for word in text.split()), None)


def attempt_settings(*, dice: Dice | None = None, tools: bool = True, **fields: Any) -> AttemptSettings:
    own = dice or Dice(7)
    offered: dict[str, ToolHandler] = {"roll_dice": lambda call, attempt, room: answer_call(own, call)}
    values: dict[str, Any] = {
        "messages": PROMPT, "check_answer": check, "tools": offered if tools else {}, "max_attempts": 2, "answer_tokens": 300,
        "most_tokens": 100_000, "tool_tokens": 4_000, "named_tokens": 500, "cache_key": "key",
    }
    return AttemptSettings(**(values | fields))


@dataclass
class Run:
    """What became of a turn: the requests that were sent, what was told, and the outcome."""

    outcome: Outcome
    requests: list[ModelRequest]
    stages: list[Stage]
    left: list[str | ModelReply | ModelError]

    @property
    def told(self) -> list[tuple[str, int]]:
        return [(stage.name, stage.attempt) for stage in self.stages]


def run(replies: Sequence[str | ModelReply | ModelError], **fields: Any) -> Run:
    """Drive a turn with these replies."""
    left, requests, stages = list(replies), list[ModelRequest](), list[Stage]()
    steps = run_attempts(attempt_settings(**fields), clock=iter(range(1000)).__next__)
    step = next(steps)
    while True:
        try:
            if isinstance(step, Stage):
                stages.append(step)
                step = steps.send(None)
                continue
            assert isinstance(step, AttemptRequest)
            requests.append(step.request)
            reply = left.pop(0)
            if isinstance(reply, ModelError):
                step = steps.throw(reply)
            else:
                step = steps.send(said(reply) if isinstance(reply, str) else reply)
        except StopIteration as end:
            return Run(end.value, requests, stages, left)


# --- answers ------------------------------------------------------------------------------------


def test_a_failed_answer_is_replaced_and_not_appended() -> None:
    found = run(["bad one", "bad two", "bad three", "good"], max_attempts=4)
    assert [len(request.messages) for request in found.requests] == [2, 4, 4, 4]
    for number, request in zip(("one", "two", "three"), found.requests[1:], strict=True):
        assert contents(request.messages[:2]) == contents(PROMPT)
        assert request.messages[2] == Message("assistant", f"bad {number}")
        told = request.messages[3]
        assert isinstance(told, Message)
        others = {"one", "two", "three"} - {number}
        assert f"- {number}:" in told.content
        assert not any(f"- {other}:" in told.content for other in others)


# --- tools --------------------------------------------------------------------------------------


@pytest.mark.parametrize("long", ["arguments", "text", "many"])
def test_calls_that_fill_the_window_end_the_turn(long: str) -> None:
    call = roll_call("1d4", None)
    if long == "arguments":
        reply = calling(replace(call, arguments='{"expression": "' + "d1 + " * 3_000 + '"}'))
    elif long == "text":
        reply = calling(call, text="well now " * 3_000)
    else:
        reply = calling(*(replace(call, id=f"c{n}") for n in range(200)))
    found = run([reply], max_attempts=3)
    assert found.told == [("asked", 1), ("rolled", 1), ("failed", 1)]
    assert found.outcome.fallback == "tokens"
    assert "filled the window" in found.outcome.attempts[0].error


# --- no answer ----------------------------------------------------------------------------------


@pytest.mark.parametrize("before", [[], ["bad"], [calling()], ["bad", calling()]], ids=["first", "second", "rolled", "both"])
def test_a_request_that_is_refused_ends_the_turn(before: list[Any]) -> None:
    found = run([*before, NO_KEY], max_attempts=5)
    assert found.told[-1] == ("failed", 1 + ("bad" in before))
    assert found.outcome.fallback == "model"
    assert found.outcome.attempts[-1].error == "the key is refused"


# --- tokens -------------------------------------------------------------------------------------


def test_calls_end_when_the_tokens_are_used_up() -> None:
    call = calling(usage=Usage(40, 10))
    found = run([call, call], most_tokens=100, max_attempts=5)
    assert found.outcome.fallback == "tokens"
    assert "tokens were used up" in found.outcome.attempts[0].error
    # Those of earlier attempts count as well.
    found = run([said("bad", Usage(60, 0)), call], most_tokens=100, max_attempts=5)
    assert (found.outcome.fallback, len(found.outcome.attempts)) == ("tokens", 2)


# --- any script ---------------------------------------------------------------------------------

_replies = st.sampled_from(("good", "bad", "", calling(), calling(ToolCall("c", "x", "{")), DOWN, NO_KEY, said("x", Usage(40_000, 9))))


@settings(max_examples=100)
@given(st.lists(_replies, min_size=60, max_size=60), st.integers(1, 5), st.booleans())
def test_any_script_comes_to_an_end_that_adds_up(script: list[Any], attempts: int, tools: bool) -> None:
    dice = Dice(3)
    found = run(script, max_attempts=attempts, tools=tools, dice=dice)
    used, outcome = script[: len(script) - len(found.left)], found.outcome
    assert 1 <= len(outcome.attempts) <= attempts
    assert len(found.requests) == len(used) <= attempts * TOOL_ROUNDS
    assert (outcome.checked is None) == (outcome.fallback is not None)
    assert (outcome.fallback is None) == (used[-1] == "good")
    for request in found.requests:
        assert request.messages[:2] == PROMPT
        assert sum(isinstance(m, Message) and m.role == "assistant" for m in request.messages) <= 1
    exchanges = [m for m in found.requests[-1].messages if isinstance(m, ToolExchange)]
    assert sum(r.content.startswith("{") for e in exchanges for r in e.results) <= len(dice.rolls)
    spent = sum((reply.usage for reply in used if isinstance(reply, ModelReply)), Usage()).total_tokens
    assert outcome.usage.total_tokens == spent + 150 * sum(isinstance(reply, str) for reply in used)
