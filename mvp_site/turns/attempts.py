"""Asking the model until it keeps the contract: attempts, rolls, and the end of both.

The generator decides; the handler calls the model. The generator yields an :class:`AttemptRequest`
for every request, is sent the model's reply or has its error thrown in, and yields a :class:`Stage`
when something happened that a caller may want to know. Calls of tools are answered and answers are
checked in here, by what :mod:`.assembling` put into the :class:`AttemptSettings`.
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
from . import model_look_ups
from .checking import ContractCheck
from .contracts import ObjectForm
from .history import MESSAGE_TOKENS
from .reask import OPENING, reask
from .rules.frame import FRAME
from .tools import ToolHandler, described
from .types import Attempt, FallbackReason, Violation

TOOL_ROUNDS: Final = 8
"""Rounds of tool use within one attempt; a model that goes on calling has given no answer."""
ATTEMPT_CHARS: Final = 40_000
"""How much of a failed answer is kept."""
FORM: Final = FRAME | {"schema", "mode_fields", "choice_keys"}
"""The rules that a schema holds an answer to."""
TAKES_BACK: Final = frozenset({"rolled", "looked_up", "failed", "rejected"})
"""Stages after which nothing counts that was told since ``asked``."""

Check = Callable[[str], ContractCheck]
Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class AttemptRequest:
    """A request that is to be sent; ``attempt`` counts from 1."""

    request: ModelRequest
    attempt: int


@dataclass(frozen=True, slots=True)
class Stage:
    """Something that happened in a turn.

    ``name`` is ``assembled`` (the prompt is made; attempt 0), ``asked``, ``rejected``, ``failed``,
    ``accepted``, or one of two for a round of calls of tools: ``looked_up`` if the model only
    looked things up, else ``rolled``, also if it looked up too, or called a tool that is not there.
    Some take back what was told (:data:`TAKES_BACK`).
    """

    name: str
    attempt: int
    detail: str = ""
    violations: tuple[Violation, ...] = ()


@dataclass(frozen=True, slots=True)
class AttemptSettings:
    """What stays the same over a turn's attempts.

    ``tools`` answer calls of those that are offered, by name. ``most_tokens`` bounds what
    the whole turn may use. ``tool_tokens`` is the room in the window for calls and their results,
    ``named_tokens`` that for what was wrong with an answer, which ``opening`` begins.
    ``cut_terms`` removes internal terms from the last answer, if that is its only fault.
    ``form`` is what answers are held to.
    """

    messages: tuple[Message, ...]
    check_answer: Check
    tools: Mapping[str, ToolHandler]
    max_attempts: int
    answer_tokens: int
    most_tokens: int
    tool_tokens: int
    named_tokens: int
    cache_key: str
    cut_terms: Callable[[ContractCheck], ContractCheck | None] = lambda _: None
    opening: str = OPENING
    form: ObjectForm = field(default_factory=ObjectForm)


@dataclass(frozen=True, slots=True)
class SentStep:
    """One answered request, or one round of tool calls.

    Beside the prompt a request had, in o200k tokens, ``tool_tokens``, calls of all tools with their
    results, and what was ``given_back``, a failed answer with what was wrong with it. ``calls`` are
    the tools' names; a step with calls is no request.
    """

    attempt: int
    seconds: float
    tool_tokens: int = 0
    given_back: int = 0
    calls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the attempts came to: the checked answer, or the reason why there is none."""

    checked: ContractCheck | None
    text: str
    attempts: tuple[Attempt, ...]
    fallback: FallbackReason | None
    model: str = ""
    steps: tuple[SentStep, ...] = ()
    summary_usage: Usage = field(default_factory=Usage)

    @property
    def usage(self) -> Usage:
        """The tokens of all attempts, and of a summary that was written in the turn."""
        return sum((attempt.usage for attempt in self.attempts), self.summary_usage)


@dataclass(slots=True)
class _Progress:
    """What one attempt has gathered so far.

    ``spent`` are the tokens of the attempts before. ``error`` says why there is no answer, and
    ``final`` is the turn's reason for a fallback if that error ends the turn. ``truncated`` is an
    answer that was cut off at its end.
    """

    started: float
    spent: int
    usage: Usage = field(default_factory=Usage)
    text: str = ""
    error: str = ""
    truncated: bool = False
    final: FallbackReason | None = None
    model: str = ""


AttemptGenerator = Generator[AttemptRequest | Stage, ModelReply | None, Outcome]


def run_attempts(settings: AttemptSettings, clock: Clock = time.perf_counter) -> AttemptGenerator:
    """Attempts, one after the other, until an answer keeps the contract or there are no more.

    Every attempt sees the same messages, the rolls that were made so far, which stay made, and of
    the failed answers only the last, with what was wrong with it.
    """
    exchanges: list[ToolExchange] = []
    correction: tuple[Message, ...] = ()
    made_attempts: list[Attempt] = []
    reason: FallbackReason = "model"
    model, schema_first = "", False
    steps: list[SentStep] = []
    for number in range(1, settings.max_attempts + 1):
        yield Stage("asked", number)
        progress = _Progress(clock(), sum(attempt.usage.total_tokens for attempt in made_attempts))
        yield from _attempt(settings, correction, exchanges, progress, number, steps, clock=clock,
                            schema_first=schema_first)
        model = progress.model or model
        checked = None if progress.error else settings.check_answer(progress.text)
        violations = checked.violations if checked else ()
        made_attempts.append(Attempt(
            progress.text[:ATTEMPT_CHARS], violations, progress.usage, clock() - progress.started,
            progress.error, checked.warnings if checked else (),
        ))
        if checked is not None and not violations:
            yield Stage("accepted", number)
            return Outcome(checked, progress.text, tuple(made_attempts), None, model, tuple(steps))
        if progress.error:
            yield Stage("failed", number, progress.error)
            reason = progress.final or "model"
        else:
            yield Stage("rejected", number, violations=violations)
            last = number == settings.max_attempts or (
                progress.spent + progress.usage.total_tokens >= settings.most_tokens)
            if last and checked and (mended := settings.cut_terms(checked)):
                made_attempts[-1] = replace(
                    made_attempts[-1], violations=(), warnings=mended.warnings)
                yield Stage("accepted", number)
                return Outcome(mended, mended.text, tuple(made_attempts), None, model, tuple(steps))
            reason = "contract"
            # What has the wrong form and no other fault needs no more rolls.
            schema_first = all(
                violation.rule in FORM and not violation.path.startswith("dice_rolls")
                for violation in violations
            )
            correction = reask(
                progress.text[:ATTEMPT_CHARS], violations, answer_tokens=settings.answer_tokens,
                named_tokens=settings.named_tokens, truncated=progress.truncated,
                opening=settings.opening)
        if progress.final:
            break
        spent = progress.spent + progress.usage.total_tokens
        if spent >= settings.most_tokens and number < settings.max_attempts:
            reason = "tokens"
            break
    return Outcome(None, "", tuple(made_attempts), reason, model,
                   tuple(steps))


def _attempt(settings: AttemptSettings, correction: tuple[Message, ...],
             exchanges: list[ToolExchange], progress: _Progress, number: int, steps: list[SentStep],
             *, clock: Clock, schema_first: bool,
             ) -> Generator[AttemptRequest | Stage, ModelReply | None, None]:
    """One attempt: rounds of tool use, then an answer or an error, which is left in ``progress``.

    What tools gave is added to the turn's ``exchanges``; those of earlier attempts stand before
    the correction.
    """
    tools = tuple(map(described, settings.tools))
    exchanges_before = len(exchanges)
    for _ in range(TOOL_ROUNDS):
        conversation: tuple[Message | ToolExchange, ...] = (
            *settings.messages, *exchanges[:exchanges_before], *correction,
            *exchanges[exchanges_before:])
        request = ModelRequest(conversation, tools, settings.answer_tokens, settings.cache_key,
                               settings.form.schema, schema_first)
        began = clock()
        try:
            reply = yield AttemptRequest(request, number)
        except ModelError as error:
            progress.error = str(error)
            progress.final = "model" if isinstance(error, ModelRequestError) else None
            return
        assert reply is not None
        steps.append(SentStep(
            number, clock() - began,
            sum(count_tokens(text) for exchange in exchanges for text in _texts(exchange)),
            sum(count_tokens(message.content) for message in correction)))
        progress.usage += reply.usage
        progress.model = reply.model or progress.model
        if not reply.calls:
            progress.text = settings.form.whole(reply.text)
            progress.truncated = reply.stop == "length"
            if reply.stop == "thought":
                progress.error = (
                    "the model thought to the limit and wrote nothing: raise "
                    "MVP_SITE_ANSWER_TOKENS, or lower MVP_SITE_LLM_EFFORT"
                )
            elif not reply.text.strip():
                progress.error = f"the model gave no text (it stopped with {reply.stop!r})"
            return
        if not settings.tools:
            progress.error = "the model called a tool, and none was offered"
            return
        exchange, began = ToolExchange(reply.text, reply.calls, (), reply.native), clock()
        for call in reply.calls:
            room = settings.tool_tokens - sum(map(_tokens, (*exchanges, exchange)))
            if answer := settings.tools.get(call.name):
                result = answer(call, number, room)
            else:
                there_is = " and ".join(settings.tools)
                result = ToolResult(
                    call.id, f"There is no tool {short(call.name)}; there is {there_is}."
                )
            exchange = replace(exchange, results=(*exchange.results, result))
        exchanges.append(exchange)
        names = [call.name for call in reply.calls]
        steps.append(SentStep(number, clock() - began, calls=tuple(names)))
        yield Stage(
            "looked_up" if {*names} == {model_look_ups.TOOL} else "rolled", number, "; ".join(names)
        )
        if sum(map(_tokens, exchanges)) > settings.tool_tokens:
            progress.error = "the calls of tools have filled the window"
        elif progress.spent + progress.usage.total_tokens >= settings.most_tokens:
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
