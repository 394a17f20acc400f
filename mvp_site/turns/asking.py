"""Asking the model until it keeps the contract: attempts, rolls, and the end of both. No I/O.

A generator does the thinking and the handler the talking: it yields a :class:`AttemptRequest` for
every request, is sent the model's reply or has its error thrown in, and yields a :class:`Stage`
where something is worth telling.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from ..errors import ModelError, ModelRequestError
from ..llm.protocol import ModelReply, ModelRequest, ToolExchange, ToolResult, Usage
from ..text.strict_json import short
from ..text.tokens import count_tokens
from ..types import Message
from . import looking_up
from .calls import Answer, described
from .checking import ContractCheck
from .history import MESSAGE_TOKENS
from .reask import OPENING, reask
from .rules.frame import FRAME
from .structured import ObjectForm
from .types import Attempt, FallbackReason, Violation

TOOL_ROUNDS: Final = 8
"""Rounds of tool use within one attempt; a model that goes on calling has given no answer."""
ATTEMPT_CHARS: Final = 40_000
"""How much of a failed answer is kept."""
FORM: Final = FRAME | {"schema", "mode_fields", "choice_keys"}
"""The rules that a schema holds an answer to."""

Check = Callable[[str], ContractCheck]
Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class AttemptRequest:
    """A request that is to be sent; ``attempt`` counts from 1."""

    request: ModelRequest
    attempt: int


@dataclass(frozen=True, slots=True)
class Stage:
    """Something that happened: ``asked``, ``rejected``, ``failed``, ``accepted``; calls of tools.

    Those are ``looked_up`` where the model did nothing else, and ``rolled`` in all other cases.
    """

    name: str
    attempt: int
    detail: str = ""
    violations: tuple[Violation, ...] = ()


@dataclass(frozen=True, slots=True)
class Frozen:
    """What stays the same over a turn's attempts.

    ``tools`` answer calls of those that are offered, by name. ``most_tokens`` bounds what
    the whole turn may use. ``tool_tokens`` is the room in the window for calls and their results,
    ``named_tokens`` that for what was wrong with an answer, which ``opening`` begins. ``cut``
    mends the last answer, where that is enough, before the turn is lost. ``form`` is what answers
    are held to.
    """

    messages: tuple[Message, ...]
    check: Check
    tools: Mapping[str, Answer]
    attempts: int
    answer_tokens: int
    most_tokens: int
    tool_tokens: int
    named_tokens: int
    cache_key: str
    cut: Callable[[ContractCheck], ContractCheck | None] = lambda _: None
    opening: str = OPENING
    form: ObjectForm = field(default_factory=ObjectForm)


@dataclass(frozen=True, slots=True)
class SentStep:
    """A request of an attempt that was answered, or the tools that were called between two.

    ``tokens`` are what the request had beside the prompt, ``calls`` the tools' names; a step with
    calls is no request.
    """

    attempt: int
    seconds: float
    tokens: int = 0
    calls: tuple[str, ...] = ()


@dataclass(slots=True)
class Sent:
    """What the requests of a turn had beside its prompt, in o200k tokens, over all ``requests``.

    ``rolls`` are calls of all tools with their results, ``given_back`` failed answers with what was
    wrong with them. Requests that were not answered do not count. ``steps`` tell of each.
    """

    requests: int = 0
    rolls: int = 0
    given_back: int = 0
    steps: list[SentStep] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the attempts came to: the checked answer, or the reason why there is none."""

    checked: ContractCheck | None
    text: str
    attempts: tuple[Attempt, ...]
    fallback: FallbackReason | None
    model: str = ""
    sent: Sent = field(default_factory=Sent)
    beside: Usage = field(default_factory=Usage)

    @property
    def usage(self) -> Usage:
        """The tokens of all attempts, and of a summary that was written ``beside`` them."""
        return sum((attempt.usage for attempt in self.attempts), self.beside)


@dataclass(slots=True)
class _Progress:
    """What one attempt has gathered so far; ``error`` with the ``reason``, if that ends the turn.

    ``spent`` are the tokens of the attempts before.
    """

    started: float
    spent: int
    usage: Usage = field(default_factory=Usage)
    text: str = ""
    error: str = ""
    cut: bool = False
    final: FallbackReason | None = None
    model: str = ""


Attempts = Generator[AttemptRequest | Stage, ModelReply | None, Outcome]


def attempts(frozen: Frozen, clock: Clock = time.perf_counter) -> Attempts:
    """Attempts, one after the other, until an answer keeps the contract or there are no more.

    Every attempt sees the same messages, the rolls that were made so far, which stay made, and of
    the failed answers only the last, with what was wrong with it.
    """
    exchanges: list[ToolExchange] = []
    correction: tuple[Message, ...] = ()
    taken: list[Attempt] = []
    reason: FallbackReason = "model"
    model, schema_first = "", False
    sent = Sent()
    for number in range(1, frozen.attempts + 1):
        yield Stage("asked", number)
        progress = _Progress(clock(), sum(attempt.usage.total_tokens for attempt in taken))
        yield from _attempt(frozen, correction, exchanges, progress, number, sent, clock=clock,
                            schema_first=schema_first)
        model = progress.model or model
        checked = None if progress.error else frozen.check(progress.text)
        violations = checked.violations if checked else ()
        taken.append(Attempt(
            progress.text[:ATTEMPT_CHARS], violations, progress.usage, clock() - progress.started,
            progress.error, checked.warnings if checked else (),
        ))
        if checked is not None and not violations:
            yield Stage("accepted", number)
            return Outcome(checked, progress.text, tuple(taken), None, model, sent)
        if progress.error:
            yield Stage("failed", number, progress.error)
            reason = progress.final or "model"
        else:
            yield Stage("rejected", number, violations=violations)
            last = number == frozen.attempts or (
                progress.spent + progress.usage.total_tokens >= frozen.most_tokens)
            if last and checked and (mended := frozen.cut(checked)):
                taken[-1] = replace(taken[-1], violations=(), warnings=mended.warnings)
                yield Stage("accepted", number)
                return Outcome(mended, mended.text, tuple(taken), None, model, sent)
            reason = "contract"
            # What has the wrong form and no other fault needs no more rolls.
            schema_first = all(
                violation.rule in FORM and not violation.path.startswith("dice_rolls")
                for violation in violations
            )
            correction = reask(
                progress.text[:ATTEMPT_CHARS], violations, answer_tokens=frozen.answer_tokens,
                named_tokens=frozen.named_tokens, cut=progress.cut, opening=frozen.opening,
            )
        if progress.final:
            break
        spent = progress.spent + progress.usage.total_tokens
        if spent >= frozen.most_tokens and number < frozen.attempts:
            reason = "tokens"
            break
    return Outcome(None, "", tuple(taken), reason, model, sent)


def _attempt(frozen: Frozen, correction: tuple[Message, ...], exchanges: list[ToolExchange],
             progress: _Progress, number: int, sent: Sent, *, clock: Clock,
             schema_first: bool) -> Generator[AttemptRequest | Stage, ModelReply | None, None]:
    """One attempt: rounds of tool use, then an answer or an error, which is left in ``progress``.

    What tools gave is added to the turn's ``exchanges``; those of earlier attempts stand before
    the correction.
    """
    tools = tuple(map(described, frozen.tools))
    before = len(exchanges)
    for _ in range(TOOL_ROUNDS):
        conversation: tuple[Message | ToolExchange, ...] = (
            *frozen.messages, *exchanges[:before], *correction, *exchanges[before:]
        )
        request = ModelRequest(conversation, tools, frozen.answer_tokens, frozen.cache_key,
                               frozen.form.schema, schema_first)
        began = clock()
        try:
            reply = yield AttemptRequest(request, number)
        except ModelError as error:
            progress.error = str(error)
            progress.final = "model" if isinstance(error, ModelRequestError) else None
            return
        assert reply is not None
        rolls = sum(count_tokens(text) for exchange in exchanges for text in _texts(exchange))
        given_back = sum(count_tokens(message.content) for message in correction)
        sent.requests += 1
        sent.rolls += rolls
        sent.given_back += given_back
        sent.steps.append(SentStep(number, clock() - began, rolls + given_back))
        progress.usage += reply.usage
        progress.model = reply.model or progress.model
        if not reply.calls:
            progress.text, progress.cut = frozen.form.whole(reply.text), reply.stop == "length"
            if reply.stop == "thought":
                progress.error = (
                    "the model thought to the limit and wrote nothing: raise "
                    "MVP_SITE_ANSWER_TOKENS, or lower MVP_SITE_LLM_EFFORT"
                )
            elif not reply.text.strip():
                progress.error = f"the model gave no text (it stopped with {reply.stop!r})"
            return
        if not frozen.tools:
            progress.error = "the model called a tool, and none was offered"
            return
        exchange, began = ToolExchange(reply.text, reply.calls, (), reply.native), clock()
        for call in reply.calls:
            room = frozen.tool_tokens - sum(map(_tokens, (*exchanges, exchange)))
            if answer := frozen.tools.get(call.name):
                result = answer(call, number, room)
            else:
                there_is = " and ".join(frozen.tools)
                result = ToolResult(
                    call.id, f"There is no tool {short(call.name)}; there is {there_is}."
                )
            exchange = replace(exchange, results=(*exchange.results, result))
        exchanges.append(exchange)
        names = [call.name for call in reply.calls]
        sent.steps.append(SentStep(number, clock() - began, calls=tuple(names)))
        yield Stage(
            "looked_up" if {*names} == {looking_up.TOOL} else "rolled", number, "; ".join(names)
        )
        if sum(map(_tokens, exchanges)) > frozen.tool_tokens:
            progress.error = "the calls of tools have filled the window"
        elif progress.spent + progress.usage.total_tokens >= frozen.most_tokens:
            progress.error = "the turn's tokens were used up while the model called tools"
        if progress.error:
            progress.final = "tokens"
            return
    progress.error = f"the model went on calling tools after {TOOL_ROUNDS} rounds"


def _tokens(exchange: ToolExchange) -> int:
    """The o200k tokens of a round, with those of its frame."""
    return sum(count_tokens(text) + MESSAGE_TOKENS for text in _texts(exchange))


def _texts(exchange: ToolExchange) -> list[str]:
    texts = [exchange.text, *(result.content for result in exchange.results)]
    return texts + [f"{call.id} {call.name} {call.arguments}" for call in exchange.calls]
