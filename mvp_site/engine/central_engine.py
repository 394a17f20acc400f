"""The central engine: a question is routed, its domains are searched, one answer is made.

A question goes six steps, in this file's order: route (:mod:`.llm_router`, :mod:`.local_router`),
retrieve (:mod:`.sources`), join and assemble (:mod:`.context`), ask (:mod:`.final_prompt`), check
citations (:mod:`.citations`). Without a model :mod:`.answer_text` cites. The routers of all domains
are asked at once, and then the domains that they need. What fails is
done without, and told (design 5).
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, Self, TypeVar

import msgspec
from cachetools import LRUCache

from ..concurrency import own_loop
from ..errors import (
    EngineError,
    ModelUnavailableError,
    MvpSiteError,
    UnknownCharacterError,
    require_text,
)
from ..library.library import Library
from ..llm.models import open_model
from ..llm.protocol import Model, ModelRequest, ToolCall, ToolExchange, ToolResult
from ..retrieval.building import Progress
from ..rulebook.rulebook import Rulebook
from ..sessions.session_notes import SessionNotes, one_moment
from ..settings import Settings, settings_of
from ..types import Audience, Message, audiences_of
from .answer_text import MOST, evidence_text
from .citations import CheckedAnswer, check_citations, in_order
from .context import assemble_context, chance, relations_of
from .final_prompt import HEADINGS, final_messages
from .llm_router import LlmRouter
from .local_router import CorrectedRouter, DomainRouter, LocalRouter, Taught
from .look_ups import LOOK_UPS, NO_MORE, TOOL, UNREAD, chosen, query_of, result_text
from .sources import BooksSource, Lazy, MemorySource, RulebookSource
from .steps import Steps
from .types import (
    Answer,
    AssembledContext,
    Decision,
    Domain,
    DomainSource,
    Failure,
    FoundEvidence,
    Length,
    Question,
    Router,
    Style,
)

T = TypeVar("T")
MAX_TOKENS: Final = 4_000
THREADS: Final = 16
DOUBTED: Final = 0.02
"""Beside needed ones a domain is searched that is needed with at least this chance: routers are
often too sure, and what does not answer gives way to what does."""
ALONE: Final = 0.2
"""The chance from which on a domain is searched where none is needed."""
PREPARING: Final = 0.2
ROUTING: Final = 0.3
SEARCHING: Final = 0.6
"""The parts of the time that is left which a call of each stage may take."""
_WRITING: Final = "No answer could be written; this is the evidence itself."
REMINDER: Final = (
    "Your answer cites no evidence. Write it again with the number of the passage behind each "
    "sentence, as in [1]; where no passage tells, say so."
)
UNTOLD: Final = "The answer cites no evidence, though there is some."
CUT: Final = "The answer reached its greatest length and may be cut."

Versions = Mapping[Domain, str | None]


@dataclass(frozen=True, slots=True)
class _Retrieved:
    """What was decided and assembled for a question, what failed, and what is told of that."""

    decisions: tuple[Decision, ...]
    context: AssembledContext
    errors: tuple[Failure, ...]
    told: tuple[str, ...]


class _Clock:
    """The time of one answer by its event loop: what is left, and what each stage took."""

    def __init__(self, timeout: float, deadline: float | None) -> None:
        self._timeout, self._now = timeout, asyncio.get_running_loop().time
        self._start = self._lap = self._now()
        self._end = self._start + (float("inf") if deadline is None else deadline)
        self.timings: dict[str, float] = {}

    def left(self, share: float = 1.0) -> float:
        """Seconds that a call may take."""
        return max(min(self._timeout, (self._end - self._now()) * share), 0.0)

    def took(self, stage: str) -> None:
        """Note a stage that ends now."""
        moment = self._now()
        self.timings |= {stage: moment - self._lap, "total": moment - self._start}
        self._lap = moment


class CentralEngine:
    """Answers questions from all domains. Thread-safe, and of no one event loop.

    ``routers`` are asked in their order until one decides. ``memory`` gives sheets by their
    characters' names, and keeps routings for corrections; without it names are taken as they stand.
    ``steps`` looks up again what was found; ``owned`` is closed with the engine. ``timeout`` are
    the seconds that any one call may take. ``style`` are length and voice of answers.
    """

    def __init__(self, routers: Sequence[Router],  # noqa: PLR0913 (a part each)
                 sources: Sequence[DomainSource],
                 model: Model | None = None, *,
                 memory: Callable[[], SessionNotes] | None = None, owned: ExitStack | None = None,
                 steps: Steps | None = None, timeout: float = 60.0, answer_tokens: int = 3_000,
                 cache_size: int = 256, style: tuple[Length, bool] = ("normal", False),
                 ) -> None:
        self._routers, self._model = tuple(routers), model
        self._sources = {source.domain: source for source in sources}
        self._memory, self._owned = memory, owned or ExitStack()
        self._steps, self._style = steps, style
        self._timeout, self._answer_tokens = timeout, answer_tokens
        self._kept: LRUCache[tuple[Question, int, str], tuple[Versions, _Retrieved]]
        self._kept = LRUCache(cache_size)
        self._lock = threading.Lock()
        self._threads = ThreadPoolExecutor(THREADS, "engine")

    @classmethod
    def open(cls, settings: Settings | None = None, *, notes: SessionNotes | None = None,
             rulebook: Rulebook | None = None, library: Library | None = None,
             progress: Progress | None = None) -> Self:
        """The engine over what the settings name; what is given is used, and left open.

        Without a model (``MVP_SITE_LLM=offline``) the local router decides, and the answer is the
        evidence. A domain is opened by the first question that needs it. ``progress`` is told
        (stage, done, of) where the router's examples must be encoded.

        Raises:
            SettingsError: the model cannot be opened.
            EncoderError: there is no encoder.
        """
        settings = settings_of(settings)
        model = None if settings.mvp_site_llm == "offline" else open_model(settings)
        books = Lazy(lambda: Library.open(settings), library)
        rules = Lazy(lambda: Rulebook.open(settings), rulebook)
        memory = Lazy(lambda: SessionNotes.open(settings), notes)
        with suppress(MvpSiteError):
            rulebook = rules()
        router = LocalRouter.open(settings, rulebook=rulebook, memory=memory, progress=progress)
        local = DomainRouter(router)

        owned = ExitStack()
        for close in (books.close, memory.close, *([model.close] if model else [])):
            owned.callback(close)
        return cls(
            (CorrectedRouter(router), LlmRouter(model), local) if model else (local,),
            (MemorySource("character", memory), RulebookSource(rules),
             MemorySource("session_notes", memory),
             BooksSource(books, lambda campaign: memory().bound(campaign))),
            model, memory=memory, owned=owned, steps=Steps(rules),
            timeout=settings.mvp_site_llm_timeout,
            answer_tokens=settings.mvp_site_answer_tokens, cache_size=settings.prompt_cache_size,
            style=(settings.mvp_site_answer_length, settings.mvp_site_answer_voice),
        )

    def close(self) -> None:
        """Close what was opened."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._owned.close()

    def taught(self, campaign: str) -> tuple[Taught, float, float]:
        """What a campaign's corrections taught, and its gain: :meth:`.LocalRouter.taught`.

        Raises:
            EngineError: no router of this engine learns.
        """
        for router in self._routers:
            if isinstance(router, DomainRouter):
                return router.taught(campaign)
        raise EngineError("no router of this engine learns from corrections")

    def process_query(self, user_query: str, character_name: str, *, campaign: str | None = None,
                      audience: Audience = "player") -> str:
        """The text of :meth:`answer`."""
        return self.answer(user_query, character_name, campaign=campaign, audience=audience).text

    def answer(self, user_query: str, character_name: str = "", *, campaign: str | None = None,
               audience: Audience = "player", max_tokens: int = MAX_TOKENS,
               deadline: float | None = None, length: Length | None = None,
               voice: bool | None = None) -> Answer:
        """What :meth:`aanswer` gives; works where an event loop runs too, which it blocks."""
        with own_loop() as run:
            return run(self.aanswer(
                user_query, character_name, campaign=campaign, audience=audience,
                max_tokens=max_tokens, deadline=deadline, length=length, voice=voice,
            ))

    async def aanswer(self, user_query: str, character_name: str = "", *,
                      campaign: str | None = None, audience: Audience = "player",
                      max_tokens: int = MAX_TOKENS, deadline: float | None = None,
                      length: Length | None = None, voice: bool | None = None) -> Answer:
        """The answer to a question, from evidence of at most ``max_tokens`` o200k tokens.

        ``character_name`` is whose question it is, '' for nobody's; ``campaign`` may be left out
        where one alone has the character. ``deadline`` are the seconds for all of it. ``length``
        and ``voice`` are the settings' where they are None: how long the answer is, and whether a
        model tells it in the character's voice.

        Raises:
            UnknownCharacterError: there is no such character, or several campaigns have one.
            EngineError: every domain that the question needs has failed; names each.
        """
        question = _question(user_query, character_name, campaign, audience)
        if type(max_tokens) is not int or not isinstance(deadline, int | float | None):
            raise EngineError("max_tokens must be a whole number, and deadline a number of seconds")
        length = length or self._style[0]
        if length not in MOST:
            raise EngineError(f"length={length!r}: it is one of {', '.join(MOST)}")
        clock = _Clock(self._timeout, deadline)
        with one_moment():
            question, unresolved = await self._resolved(question, clock)
            versions = await self._versions(question, clock)
            corrected = await self._corrected(question, clock)
            key = question, max_tokens, corrected
            with self._lock:
                cached_versions, retrieved = self._kept.get(key, (None, None))
            if retrieved is None or cached_versions != versions:
                retrieved = await self._retrieved(question, versions, max_tokens, clock)
                if not (unresolved or retrieved.errors or None in versions.values()):
                    with self._lock:
                        self._kept[key] = versions, retrieved
            if unresolved and not retrieved.context.evidence:
                raise EngineError("; ".join(f"{failure.told} {failure.where}: {failure.why}"
                                            for failure in unresolved))
            style = Style(length, await self._traits(question, clock)
                          if (self._style[1] if voice is None else voice) else ())
            return await self._answered(question, retrieved, unresolved, style, clock)

    async def _traits(self, question: Question, clock: _Clock) -> tuple[str, ...]:
        """The traits on the asker's sheet, where a model is there to speak by them."""
        if self._model is None or self._memory is None or not question.character:
            return ()
        memory = self._memory
        traits = await self._tried("voice", "", clock.left(PREPARING), self._in_thread, lambda:
                                   memory().traits(question.campaign, question.character))
        return () if isinstance(traits, Failure) else traits

    async def _resolved(self, question: Question, clock: _Clock,
                        ) -> tuple[Question, tuple[Failure, ...]]:
        """The question with its character's full name and campaign, or why it has not.

        A player who names nobody asks for the only character of the campaign, where it has one.
        """
        if self._memory is None:
            return question, ()
        memory = self._memory
        if not question.character:
            sheets = await self._tried(
                "character name", "", clock.left(PREPARING), self._in_thread,
                lambda: memory().sheets(question.campaign or ""),
            ) if question.campaign and question.audience == "player" else ()
            titles = () if isinstance(sheets, Failure) else [sheet.title for sheet in sheets]
            return replace(question, character=titles[0] if len(titles) == 1 else ""), ()
        unasked = "" if question.campaign else "; so no sheet, notes or books were asked"
        sheet = await self._tried(
            "character name", f"The character's name could not be looked up{unasked}.",
            clock.left(PREPARING), self._in_thread,
            lambda: memory().resolve(question.character, question.campaign or None),
        )
        if isinstance(sheet, Failure):
            return question, (sheet,)
        return replace(question, character=sheet.title, campaign=sheet.campaign), ()

    async def _versions(self, question: Question, clock: _Clock) -> Versions:
        """What each domain's answers follow from, '' where it has none, None where it failed."""
        versions = await self._all({
            domain: self._tried(domain, "", clock.left(PREPARING), self._in_thread,
                                source.version, question)
            for domain, source in self._sources.items()
        })
        clock.took("prepare")
        return {domain: None if isinstance(version, Failure) else version
                for domain, version in versions.items()}

    async def _corrected(self, question: Question, clock: _Clock) -> str:
        """What is corrected in the campaign: another text after each correction."""
        if self._memory is None or not question.campaign:
            return ""
        memory = self._memory
        corrections = await self._tried("corrections", "", clock.left(PREPARING), self._in_thread,
                                        lambda: memory().corrections(question.campaign))
        return "" if isinstance(corrections, Failure) else " ".join(
            f"{row.id} {sorted(row.corrected or {})} {row.corrected}" for row in corrections)

    async def _retrieved(self, question: Question, versions: Versions, max_tokens: int,
                         clock: _Clock) -> _Retrieved:
        """Route, retrieve, join, assemble: the evidence of the domains that the question needs."""
        domains = [domain for domain, version in versions.items() if version != ""]
        decisions, unread = await self.make_parallel_router_decisions(
            question, domains, clock.left(ROUTING)
        )
        clock.took("route")
        results, failed = await self.execute_needed_routers(
            question, decisions, clock.left(SEARCHING)
        )
        clock.took("search")
        errors, needed = (*unread, *failed), [row.domain for row in decisions if row.is_needed]
        undecided = set(domains).difference(decision.domain for decision in decisions)
        if not set(needed).intersection(results) and undecided.union(needed):
            raise EngineError("nothing that the question needs could be asked: "
                              + "; ".join(f"{error.where}: {error.why}" for error in errors))
        if self._steps and results.get("rulebook") is not None:
            more = await self._tried(
                "rulebook", f"{HEADINGS['rulebook']}: could be searched in part only.",
                clock.left(SEARCHING), self._in_thread, self._steps.more, results, question)
            if isinstance(more, Failure):
                errors = (*errors, more)
            elif more:
                results = results | {"rulebook": FoundEvidence({
                    piece.id: piece for piece in (*results["rulebook"], *more)}.values())}
        relations = await self._in_thread(relations_of, results, question, decisions)
        context = await self._in_thread(
            assemble_context, results, question, decisions, max_tokens, relations
        )
        clock.took("assemble")
        return _Retrieved(decisions, context, errors, (
            *dict.fromkeys(failure.told for failure in errors),
            *(f"{HEADINGS[domain]}: not searched, because no router could read the question."
              for domain in domains if domain in undecided),
        ))

    async def _answered(self, question: Question, retrieved: _Retrieved,
                        errors: tuple[Failure, ...], style: Style, clock: _Clock) -> Answer:
        """Ask, check citations: the model's answer, else the evidence itself, and what failed."""
        context, by = retrieved.context, "evidence"
        final = evidence_text(context, question, retrieved.decisions, style.length)
        if self._model is not None and context.evidence:
            written = await self._tried("final call", _WRITING, clock.left(), self._model_answer,
                                        self._model, context, question, style, clock)
            if isinstance(written, Failure):
                errors = (*errors, written)
            else:
                (final, context), by = written, self._model.name
        final, evidence = in_order(final, context.evidence)
        notes = (*final.faults, *retrieved.told, *(failure.told for failure in errors))
        clock.took("final")
        printed = dict.fromkeys(evidence.domain for evidence in context.evidence)
        return await self._recorded(Answer(
            question, "\n\n".join((final.text, *(f"Note: {note}" for note in notes))),
            final.sentences, evidence, retrieved.decisions, context.confidence,
            context.relations, context.left_out, notes, (*retrieved.errors, *errors), clock.timings,
            context.tokens, by,
            "\n".join(filter(None, (self._sources[domain].attribution for domain in printed))),
        ))

    async def _model_answer(self, model: Model, context: AssembledContext, question: Question,
                            style: Style, clock: _Clock) -> tuple[CheckedAnswer, AssembledContext]:
        """The model's answer, its citations checked, and the context with what it looked up.

        An answer that cites nothing is asked for once more, and kept with a fault where that does
        not help; its faults are for whoever asked.

        Raises:
            ModelError: there is none.
        """
        tools = (TOOL,) if model.tools else ()
        messages: tuple[Message | ToolExchange, ...] = final_messages(
            context, question, style, steps=bool(tools))
        looked_up = 0
        for last in (False, True):
            while True:
                reply = await model.acomplete(ModelRequest(
                    messages, tools, max_tokens=self._answer_tokens, cache_key="engine"))
                if not reply.calls or looked_up > LOOK_UPS:
                    break
                results = []
                for call in reply.calls:
                    looked_up += 1
                    text, context = (NO_MORE, context) if looked_up > LOOK_UPS else (
                        await self._looked_up(call, context, question, clock))
                    results.append(ToolResult(call.id, text))
                messages = (*messages, ToolExchange(
                    reply.text, reply.calls, tuple(results), reply.native))
            answer = check_citations(reply.text, context.evidence)
            if not answer.text or reply.stop == "refused":
                raise ModelUnavailableError(
                    f"{model.name} wrote no answer (it stopped: {reply.stop})"
                )
            cites = any(sentence.evidence for sentence in answer.sentences)
            if cites or last:
                break
            messages = (*messages, Message("assistant", reply.text), Message("user", REMINDER))
        cut = reply.stop == "length"
        return answer._replace(faults=(
            *answer.faults, *([] if cites else [UNTOLD]), *([CUT] if cut else []),
        )), context

    async def _looked_up(self, call: ToolCall, context: AssembledContext, question: Question,
                         clock: _Clock) -> tuple[str, AssembledContext]:
        """What a look-up of the model gives, and the context with it."""
        if not (query := query_of(call)):
            return UNREAD, context
        results, _ = await self.execute_needed_routers(
            replace(question, text=query),
            [Decision(domain, True, 1.0, by=call.name) for domain in self._sources],
            clock.left(SEARCHING))
        first = len(context.evidence) + 1
        pieces = chosen((piece for result in results.values() for piece in result),
                        {piece.id for piece in context.evidence}, first)
        return result_text(pieces, first), replace(
            context, evidence=(*context.evidence, *pieces))

    async def _recorded(self, answer: Answer) -> Answer:
        """The answer with the id under which its routing is kept, for corrections."""
        if self._memory is None:
            return answer
        question, memory = answer.question, self._memory
        request = {"query": question.text, "character": question.character,
                 "audience": question.audience}
        decided = {str(row.domain): msgspec.to_builtins(row) for row in answer.decisions}
        routing = await self._tried(
            "record", "", self._timeout, self._in_thread,
            lambda: memory().save_routing(question.campaign or None, request, decided),
        )
        if isinstance(routing, Failure):
            return replace(answer, errors=(*answer.errors, routing))
        return replace(answer, id=routing)

    async def make_parallel_router_decisions(
            self, question: Question, domains: Sequence[Domain], seconds: float,
    ) -> tuple[tuple[Decision, ...], tuple[Failure, ...]]:
        """A decision of each domain, all made at once, and what failed.

        A router may take so many seconds; after a failure the next one decides. A domain for which
        all fail has no decision.
        """
        async def decided(domain: Domain) -> tuple[Decision | None, list[Failure]]:
            failures: list[Failure] = []
            for router in self._routers:
                outcome = await self._tried(
                    domain, f"{HEADINGS[domain]}: the question could not be read as it should be.",
                    seconds, router.decide, domain, question,
                )
                if isinstance(outcome, Decision):
                    return outcome, failures
                if outcome is None:
                    continue
                failures.append(replace(outcome, where=f"{router.name} router of {domain}"))
            return None, failures

        outcomes = (await self._all({domain: decided(domain) for domain in domains})).values()
        return (tuple(decision for decision, _ in outcomes if decision),
                tuple(failure for _, failures in outcomes for failure in failures))

    async def execute_needed_routers(
            self, question: Question, decisions: Sequence[Decision], seconds: float,
    ) -> tuple[dict[Domain, FoundEvidence], tuple[Failure, ...]]:
        """The evidence of each domain that is needed, or may be, and what failed, by domain."""
        least = DOUBTED if any(decision.is_needed for decision in decisions) else ALONE
        outcomes = await self._all({
            decision.domain: self._tried(
                decision.domain,
                f"{HEADINGS[decision.domain]}: could not be searched; this does without.",
                seconds, self._in_thread, self._sources[decision.domain].find, question, decision,
            ) for decision in decisions if decision.is_needed or chance(decision) >= least
        })
        failed = [outcome for outcome in outcomes.values() if isinstance(outcome, Failure)]
        results: dict[Domain, FoundEvidence] = {
            domain: outcome for domain, outcome in outcomes.items()
            if not isinstance(outcome, Failure)
        }
        lacking = [Failure(domain, lacks, f"{HEADINGS[domain]}: could be searched in part only.")
                   for domain, hits in results.items() if (lacks := getattr(hits, "lacks", ""))]
        return results, (*failed, *lacking)

    async def _in_thread(self, call: Callable[..., T], *arguments: Any) -> T:
        """What a call that blocks gives. One that is given up ends by itself, unheeded."""
        return await asyncio.get_running_loop().run_in_executor(
            self._threads, partial(copy_context().run, call, *arguments)
        )

    async def _tried(self, where: str, message: str, seconds: float,
                     call: Callable[..., Coroutine[Any, Any, T]], *arguments: Any) -> T | Failure:
        """What is awaited, or how it failed; a wrong name is the asker's mistake, and raised."""
        try:
            async with asyncio.timeout(seconds):
                return await call(*arguments)
        except UnknownCharacterError:
            raise
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():  # and not merely what it waited for
                raise
            why = "it was cancelled"
        except TimeoutError:
            opening = self._memory().opening if self._memory else ""
            why = ": ".join(filter(None, (f"no answer within {seconds:.1f} s", opening)))
        except Exception as error:  # noqa: BLE001 - whatever fails, the rest goes on without it
            why = f"{type(error).__name__}: {error}"
        return Failure(where, why, message)

    @staticmethod
    async def _all(waiting: Mapping[Domain, Coroutine[Any, Any, T]]) -> dict[Domain, T]:
        """What all of them give, at once; where one raises, or is cancelled, none goes on."""
        async with asyncio.TaskGroup() as group:
            tasks = {domain: group.create_task(coroutine) for domain, coroutine in waiting.items()}
        return {domain: task.result() for domain, task in tasks.items()}


def _question(user_query: str, character_name: str, campaign: str | None, audience: Audience,
              ) -> Question:
    """The question as parts are asked it.

    Raises:
        EngineError: a part of it is none, or it is empty.
    """
    for value, label in ((user_query, "the question"), (character_name, "the character's name"),
                         (campaign or "", "the campaign")):
        require_text(value, label, EngineError)
    audiences_of(audience, EngineError)
    question = Question(" ".join(user_query.split()), " ".join(character_name.split()),
                        campaign or "", audience)
    if not question.text:
        raise EngineError("the question is empty: ask something")
    return question
