"""The central engine: a question is routed, its domains are searched, one answer is made.

The routers of all domains are asked at once, and then the domains that they need. What fails is
done without, and told (design 5).
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, Self, TypeVar

import msgspec
from cachetools import LRUCache

from ..concurrency import own_loop
from ..errors import EngineError, MvpSiteError, RouterError, UnknownCharacterError, require_text
from ..library.library import Library
from ..llm.models import open_model
from ..llm.protocol import Model
from ..rulebook.rulebook import Rulebook
from ..sessions.session_notes import ListedDocument, SessionNotes
from ..settings import Settings, settings_of
from ..types import AUDIENCES, Audience
from . import sources as domains
from .answer_text import evidence_text, written
from .context import ContextAssembler, Results, chance
from .final_prompt import HEADINGS
from .gazetteer import HELPERS
from .llm_router import LlmRouter
from .local_router import LocalRouter
from .types import (
    MAX_HINTS,
    Answer,
    AssembledContext,
    Decision,
    Domain,
    DomainSource,
    Failure,
    NamedEntity,
    Question,
    Router,
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

Versions = Mapping[Domain, str | None]


@dataclass(frozen=True, slots=True)
class _Found:
    """What was decided and found for a question, what failed, and what is told of that."""

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

    ``routers`` are asked in their order until one decides. ``resolve`` gives the sheet of a
    character's name; ``record`` keeps an answer's routing and gives its id; ``attribution`` says
    whose text the rules are; ``opening`` what calls wait for now, '' for nothing. ``timeout`` are
    the seconds that any one call may take.
    """

    def __init__(self, routers: Sequence[Router], sources: Sequence[DomainSource],  # noqa: PLR0913 (one a part)
                 assembler: ContextAssembler, model: Model | None = None, *,
                 resolve: Callable[[str, str | None], ListedDocument] | None = None,
                 record: Callable[[Answer], str] | None = None,
                 attribution: Callable[[], str] = lambda: "",
                 opening: Callable[[], str] = lambda: "", timeout: float = 60.0,
                 answer_tokens: int = 3_000, cache_size: int = 256,
                 closing: Callable[[], None] = lambda: None) -> None:
        self._routers, self._assembler, self._model = tuple(routers), assembler, model
        self._sources = {source.domain: source for source in sources}
        self._resolve, self._record, self._attribution = resolve, record, attribution
        self._opening, self._closing = opening, closing
        self._timeout, self._answer_tokens = timeout, answer_tokens
        self._kept: LRUCache[tuple[Question, int], tuple[Versions, _Found]] = LRUCache(cache_size)
        self._lock = threading.Lock()
        self._threads = ThreadPoolExecutor(THREADS, "engine")

    @classmethod
    def open(cls, settings: Settings | None = None, *, notes: SessionNotes | None = None,
             rulebook: Rulebook | None = None, library: Library | None = None) -> Self:
        """The engine over what the settings name; what is given is used, and left open.

        Without a model (``MVP_SITE_LLM=offline``) the local router decides, and the answer is the
        evidence. A domain is opened by the first question that needs it.

        Raises:
            SettingsError: the model cannot be opened.
            EncoderError: there is no encoder.
        """
        settings = settings_of(settings)
        model = None if settings.mvp_site_llm == "offline" else open_model(settings)
        books = domains.Lazy(lambda: Library.open(settings), library)
        rules = domains.Lazy(lambda: Rulebook.open(settings), rulebook)
        memory = domains.Lazy(lambda: SessionNotes.open(settings), notes)
        with suppress(MvpSiteError):
            rulebook = rules()
        local = LocalRouter.open(settings, rulebook=rulebook, memory=memory).by_domain()

        def close() -> None:
            for closer in (books.close, memory.close, *([model.close] if model else [])):
                closer()

        return cls(
            (LlmRouter(model), local) if model else (local,),
            (domains.MemorySource("character", memory), domains.RulebookSource(rules),
             domains.MemorySource("session_notes", memory),
             domains.BooksSource(books, lambda campaign: memory().bound(campaign))),
            ContextAssembler(), model, resolve=lambda *who: memory().resolve(*who),
            record=lambda answer: memory().save_routing(*_recorded(answer)),
            attribution=lambda: rules().attribution,
            opening=lambda: memory.part.opening if memory.part else "",
            timeout=settings.mvp_site_llm_timeout,
            answer_tokens=settings.mvp_site_answer_tokens, cache_size=settings.prompt_cache_size,
            closing=close,
        )

    def close(self) -> None:
        """Close what was opened."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._closing()

    def process_query(self, user_query: str, character_name: str, *, campaign: str | None = None,
                      audience: Audience = "player") -> str:
        """The text of :meth:`answer`."""
        return self.answer(user_query, character_name, campaign=campaign, audience=audience).text

    def answer(self, user_query: str, character_name: str = "", *, campaign: str | None = None,
               audience: Audience = "player", max_tokens: int = MAX_TOKENS,
               deadline: float | None = None) -> Answer:
        """What :meth:`aanswer` gives; works where an event loop runs too, which it blocks."""
        with own_loop() as run:
            return run(self.aanswer(
                user_query, character_name, campaign=campaign, audience=audience,
                max_tokens=max_tokens, deadline=deadline,
            ))

    async def aanswer(self, user_query: str, character_name: str = "", *,
                      campaign: str | None = None, audience: Audience = "player",
                      max_tokens: int = MAX_TOKENS, deadline: float | None = None) -> Answer:
        """The answer to a question, from evidence of at most ``max_tokens`` o200k tokens.

        ``character_name`` is whose question it is, '' for nobody's; ``campaign`` may be left out
        where one alone has the character. ``deadline`` are the seconds for all of it.

        Raises:
            UnknownCharacterError: there is no such character, or several campaigns have one.
            EngineError: every domain that the question needs has failed; names each.
        """
        for value, label in ((user_query, "the question"), (character_name, "the character's name"),
                            (campaign or "", "the campaign")):
            require_text(value, label, EngineError)
        if audience not in AUDIENCES:
            raise EngineError(f"unknown audience {audience!r:.40}; the audiences are "
                              f"{', '.join(AUDIENCES)}")
        if type(max_tokens) is not int or not isinstance(deadline, int | float | None):
            raise EngineError("max_tokens must be a whole number, and deadline a number of seconds")
        clock = _Clock(self._timeout, deadline)
        question = Question(" ".join(user_query.split()), " ".join(character_name.split()),
                            campaign or "", audience)
        if not question.text:
            raise EngineError("the question is empty: ask something")
        errors: tuple[Failure, ...] = ()
        if self._resolve and question.character:
            unasked = "" if campaign else "; so no sheet, notes or books were asked"
            who = await self._tried(
                "character name", f"The character's name could not be looked up{unasked}.",
                clock.left(PREPARING), self._in_thread, self._resolve, question.character,
                campaign,
            )
            if isinstance(who, Failure):
                errors = (who,)
            else:
                question = replace(question, character=who.title, campaign=who.campaign)
        versions: Versions = {
            domain: None if isinstance(outcome, Failure) else outcome
            for domain, outcome in (await self._all({
                domain: self._tried(domain, "", clock.left(PREPARING),
                                    self._in_thread, source.version, question)
                for domain, source in self._sources.items()
            })).items()
        }
        clock.took("prepare")
        with self._lock:
            cached = self._kept.get((question, max_tokens))
        if cached and cached[0] == versions:
            outcome = cached[1]
        else:
            domains = [domain for domain, version in versions.items() if version != ""]
            outcome = await self._find(question, domains, max_tokens, clock)
            if not (errors or outcome.errors or None in versions.values()):
                with self._lock:
                    self._kept[question, max_tokens] = versions, outcome
        if errors and not outcome.context.evidence:
            raise EngineError("; ".join(f"{one.told} {one.where}: {one.why}" for one in errors))
        return await self._answered(question, outcome, errors, clock)

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
                    seconds, _decision, router, domain, question,
                )
                if isinstance(outcome, Decision):
                    return outcome, failures
                failures.append(replace(outcome, where=f"{router.name} router of {domain}"))
            return None, failures

        outcomes = (await self._all({domain: decided(domain) for domain in domains})).values()
        return (tuple(decision for decision, _ in outcomes if decision),
                tuple(failure for _, failures in outcomes for failure in failures))

    async def execute_needed_routers(
            self, question: Question, decisions: Sequence[Decision], seconds: float,
    ) -> tuple[Results, tuple[Failure, ...]]:
        """The evidence of each domain that is needed, or may be, and what failed, by domain."""
        least = DOUBTED if any(decision.is_needed for decision in decisions) else ALONE
        outcomes = await self._all({
            one.domain: self._tried(
                one.domain, f"{HEADINGS[one.domain]}: could not be searched; this does without.",
                seconds, self._in_thread, self._sources[one.domain].find, question, one,
            ) for one in decisions if one.is_needed or chance(one) >= least
        })
        lacking = (Failure(domain, lacks, f"{HEADINGS[domain]}: could be searched in part only.")
                   for domain, one in outcomes.items() if (lacks := getattr(one, "lacks", "")))
        return ({domain: one for domain, one in outcomes.items() if not isinstance(one, Failure)},
                (*(one for one in outcomes.values() if isinstance(one, Failure)), *lacking))

    async def _find(self, question: Question, domains: Sequence[Domain], max_tokens: int,
                    clock: _Clock) -> _Found:
        decisions, unread = await self.make_parallel_router_decisions(
            question, domains, clock.left(ROUTING)
        )
        clock.took("route")
        results, failed = await self.execute_needed_routers(
            question, decisions, clock.left(SEARCHING)
        )
        clock.took("search")
        errors, needed = (*unread, *failed), [one.domain for one in decisions if one.is_needed]
        undecided = set(domains).difference(decision.domain for decision in decisions)
        if not set(needed).intersection(results) and undecided.union(needed):
            raise EngineError("nothing that the question needs could be asked: "
                              + "; ".join(f"{error.where}: {error.why}" for error in errors))
        context = await self._in_thread(
            self._assembler.assemble_context, results, question, decisions, max_tokens
        )
        clock.took("assemble")
        return _Found(decisions, context, errors, (
            *dict.fromkeys(failure.told for failure in errors),
            *(f"{HEADINGS[one]}: not searched, because no router could read the question."
              for one in domains if one in undecided),
        ))

    async def _answered(self, question: Question, retrieved: _Found, errors: tuple[Failure, ...],
                        clock: _Clock) -> Answer:
        """The answer: the model's, else the evidence itself; with what is told of failures."""
        context, by = retrieved.context, "evidence"
        final = evidence_text(context, question, retrieved.decisions)
        if self._model is not None and context.evidence:
            text = await self._tried("final call", _WRITING, clock.left(), written,
                                     self._model, context, question, self._answer_tokens)
            if isinstance(text, Failure):
                errors = (*errors, text)
            else:
                final, by = text, self._model.name
        notes = (*final.faults, *retrieved.told, *(failure.told for failure in errors))
        clock.took("final")
        rules = any(evidence.domain == "rulebook" for evidence in context.evidence)
        answer = Answer(
            question, "\n\n".join((final.text, *(f"Note: {note}" for note in notes))),
            final.sentences, context.evidence, retrieved.decisions, context.confidence_score,
            context.relations, context.left_out, notes, (*retrieved.errors, *errors), clock.timings,
            context.tokens, by, self._attribution() if rules else "",
        )
        if self._record is None:
            return answer
        recorded = await self._tried("record", "", self._timeout, self._in_thread, self._record,
                                 answer)
        if isinstance(recorded, Failure):
            return replace(answer, errors=(*answer.errors, recorded))
        return replace(answer, id=recorded)

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
            why = ": ".join(filter(None, (f"no answer within {seconds:.1f} s", self._opening())))
        except Exception as error:  # noqa: BLE001 - whatever fails, the rest goes on without it
            why = f"{type(error).__name__}: {error}"
        return Failure(where, why, message)

    @staticmethod
    async def _all(waiting: Mapping[Domain, Coroutine[Any, Any, T]]) -> dict[Domain, T]:
        """What all of them give, at once; where one raises, or is cancelled, none goes on."""
        async with asyncio.TaskGroup() as group:
            tasks = {domain: group.create_task(coroutine) for domain, coroutine in waiting.items()}
        return {domain: task.result() for domain, task in tasks.items()}


async def _decision(router: Router, domain: Domain, question: Question) -> Decision:
    """A router's decision, its hints capped.

    Raises:
        RouterError: it is no decision on ``domain``; the message says what is wrong.
    """
    reply: Any = await router.decide(domain, question)
    if not isinstance(reply, Decision) or reply.domain != domain:
        raise RouterError(f"{reply!r:.200} is no decision on {domain}")
    if not isinstance(reply.is_needed, bool) or not 0 <= reply.confidence <= 1:
        raise RouterError(f"is_needed={reply.is_needed!r:.40} with confidence="
                          f"{reply.confidence!r:.40}: give true or false, and a number in [0, 1]")
    intents = HELPERS[domain].intents if domain in HELPERS else {}
    if reply.intention is not None and reply.intention not in intents:
        raise RouterError(f"{domain} has no intention {reply.intention!r:.80}")
    if not all(isinstance(part, NamedEntity) and part.name.strip() for part in reply.entities):
        raise RouterError(f"an entity of {domain} has no name")
    return replace(reply, context_hints=reply.context_hints[:MAX_HINTS])


def _recorded(answer: Answer) -> tuple[str | None, dict[str, Any], dict[str, Any]]:
    """The campaign, what was asked and what was decided, as they are kept for corrections."""
    question = answer.question
    return (
        question.campaign or None,
        {"query": question.text, "character": question.character, "audience": question.audience},
        {decision.domain: msgspec.to_builtins(decision) for decision in answer.decisions},
    )
