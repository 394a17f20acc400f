"""The central engine: a question is routed, its domains are searched, one answer is made.

The steps are listed at :class:`CentralEngine`. If a part fails, the others answer without it, and
the answer says what failed (design 5).
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
from ..text.tokens import count_tokens
from ..types import Audience, Message, audiences_of
from .answer_text import MAX_QUOTED, evidence_text
from .citations import CheckedAnswer, check_citations, in_order
from .evidence_selection import assemble_context
from .final_prompt import HEADINGS, final_messages
from .joining import relations_of
from .llm_router import LlmRouter
from .local_router import CampaignRouter, CorrectedRouter, DomainRouter, LocalRouter
from .model_look_ups import LOOK_UP_TOOL, LOOK_UPS, NO_MORE, UNREAD, chosen, query_of, result_text
from .second_search import Steps
from .sources import BooksSource, CampaignDocumentsSource, Lazy, RulebookSource
from .types import (
    Answer,
    AssembledContext,
    Decision,
    Domain,
    DomainSource,
    Evidence,
    Failure,
    Length,
    Question,
    Router,
    Style,
)

T = TypeVar("T")
MAX_TOKENS: Final = 4_000
THREADS: Final = 16
MIN_CHANCE_BESIDE_NEEDED: Final = 0.005
"""The least chance of being needed at which a domain is searched beside needed domains. It is low
because routers are often too sure, and evidence that does not answer ranks below what does."""
MIN_CHANCE_ALONE: Final = 0.2
"""The least chance of being needed at which a domain is searched if no domain is needed."""
PREPARING: Final = 0.2
ROUTING: Final = 0.3
SEARCHING: Final = 0.6
"""The share of the time left that one call of each stage may take."""
_WRITING: Final = "No answer could be written; this is the evidence itself."
REMINDER: Final = (
    "Your answer cites no evidence. Write it again with the number of the passage behind each "
    "sentence, as in [1]; where no passage tells, say so."
)
NO_CITATIONS: Final = "The answer cites no evidence, though there is some."
TRUNCATED: Final = "The answer reached its greatest length and may be cut."

Versions = Mapping[Domain, str | None]


@dataclass(frozen=True, slots=True)
class _Gathered:
    """The decisions and the context of a question, what failed, and notes about that for users."""

    decisions: tuple[Decision, ...]
    context: AssembledContext
    errors: tuple[Failure, ...]
    told: tuple[str, ...]


class _Clock:
    """The time of one answer by its event loop: the time left, and the time of each stage."""

    def __init__(self, timeout: float, deadline: float | None) -> None:
        self._timeout, self._now = timeout, asyncio.get_running_loop().time
        self._start = self._lap = self._now()
        self._end = self._start + (float("inf") if deadline is None else deadline)
        self.timings: dict[str, float] = {}

    def left(self, share: float = 1.0) -> float:
        """Seconds that a call may take."""
        return max(min(self._timeout, (self._end - self._now()) * share), 0.0)

    def note_stage(self, stage: str) -> None:
        """Record the time of a stage that ends now."""
        moment = self._now()
        self.timings |= {stage: moment - self._lap, "total": moment - self._start}
        self._lap = moment


class CentralEngine:
    """Answers questions from all domains. Thread-safe, and usable from any event loop.

    The steps of :meth:`aanswer`; what has no file is in this one:

    1. Resolve the character's full name and campaign: ``_resolve_character``.
    2. Read each domain's version and the campaign's corrections: ``_versions`` (``sources.py``),
       ``_corrections_key``.
    3. Look in the cache of evidence. If question, versions and corrections are the same as before,
       go on at step 8. Decisions and evidence are cached, never the text of an answer.
    4. Route: :meth:`make_parallel_router_decisions` asks the routers (``llm_router.py``,
       ``local_router.py``) about all domains at once, each router only if those before it do not
       decide.
    5. Search: :meth:`execute_needed_routers` searches all domains that are, or may be, needed at
       once (``sources.py``). It runs no router.
    6. Look up a second time, if the question has two steps: the rules are searched for what the
       first search found (``second_search.py``).
    7. Relate the evidence of several domains and fit it into the budget (``joining.py``,
       ``evidence_selection.py``).
    8. Read the traits of the character, if a model answers in its voice: ``_traits``.
    9. Write the answer: ``_write_answer``. The evidence itself is always made into a text
       (``answer_text.py``). If there is a model and any evidence, the model is asked too
       (``final_prompt.py``), may look up more (``model_look_ups.py``), and its citations are
       checked (``citations.py``); its text then replaces the other, unless the call fails. Without
       a model nothing is left to check, because ``answer_text.py`` makes its own citations.
    10. Renumber the evidence as the answer cites it: ``in_order`` (``citations.py``).
    11. Store the decisions, so that they can be corrected: ``_record_routing``.

    ``routers`` are asked in their order until one decides. ``open_notes`` gives the sheets and
    notes, and stores routings for corrections; without it names are taken as they stand.
    ``steps`` searches the rules for what the first search found. ``owned`` is closed with the
    engine. ``timeout`` is the number of seconds that one call may take. ``style`` is the length of
    answers, and whether they are in the character's voice.
    """

    def __init__(self, routers: Sequence[Router],  # noqa: PLR0913 (a part each)
                 sources: Sequence[DomainSource],
                 model: Model | None = None, *,
                 open_notes: Callable[[], SessionNotes] | None = None,
                 owned: ExitStack | None = None, steps: Steps | None = None,
                 timeout: float = 60.0, answer_tokens: int = 3_000,
                 cache_size: int = 256, style: tuple[Length, bool] = ("normal", False),
                 ) -> None:
        self._routers, self._model = tuple(routers), model
        self._sources = {source.domain: source for source in sources}
        self._open_notes, self._owned = open_notes, owned or ExitStack()
        self._steps, self._style = steps, style
        self._timeout, self._answer_tokens = timeout, answer_tokens
        self._evidence_cache: LRUCache[tuple[Question, int, str], tuple[Versions, _Gathered]]
        self._evidence_cache = LRUCache(cache_size)
        self._lock = threading.Lock()
        self._threads = ThreadPoolExecutor(THREADS, "engine")

    @classmethod
    def open(cls, settings: Settings | None = None, *, notes: SessionNotes | None = None,
             rulebook: Rulebook | None = None, library: Library | None = None,
             progress: Progress | None = None) -> Self:
        """The engine over what the settings name; parts that are given are used, and left open.

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
        open_notes = Lazy(lambda: SessionNotes.open(settings), notes)
        with suppress(MvpSiteError):
            rulebook = rules()
        router = LocalRouter.open(
            settings, rulebook=rulebook, open_notes=open_notes, progress=progress)
        local = DomainRouter(router)

        owned = ExitStack()
        for close in (books.close, open_notes.close, *([model.close] if model else [])):
            owned.callback(close)
        return cls(
            (CorrectedRouter(router), LlmRouter(model), local) if model else (local,),
            (CampaignDocumentsSource("character", open_notes), RulebookSource(rules),
             CampaignDocumentsSource("session_notes", open_notes),
             BooksSource(books, lambda campaign: open_notes().bound(campaign))),
            model, open_notes=open_notes, owned=owned, steps=Steps(rules),
            timeout=settings.mvp_site_llm_timeout,
            answer_tokens=settings.mvp_site_answer_tokens, cache_size=settings.prompt_cache_size,
            style=(settings.mvp_site_answer_length, settings.mvp_site_answer_voice),
        )

    def close(self) -> None:
        """Close what was opened."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._owned.close()

    def taught(self, campaign: str) -> tuple[CampaignRouter, float, float]:
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
        """As :meth:`aanswer`, for callers that are not async; blocks an event loop that runs."""
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
        if length not in MAX_QUOTED:
            raise EngineError(f"length={length!r}: it is one of {', '.join(MAX_QUOTED)}")
        clock = _Clock(self._timeout, deadline)
        with one_moment():
            question, unresolved = await self._resolve_character(question, clock)
            versions = await self._versions(question, clock)
            corrections_key = await self._corrections_key(question, clock)
            key = question, max_tokens, corrections_key
            with self._lock:
                cached_versions, retrieved = self._evidence_cache.get(key, (None, None))
            if retrieved is None or cached_versions != versions:
                retrieved = await self._retrieve(question, versions, max_tokens, clock)
                if not (unresolved or retrieved.errors or None in versions.values()):
                    with self._lock:
                        self._evidence_cache[key] = versions, retrieved
            if unresolved and not retrieved.context.evidence:
                raise EngineError("; ".join(f"{failure.told} {failure.where}: {failure.why}"
                                            for failure in unresolved))
            style = Style(length, await self._traits(question, clock)
                          if (self._style[1] if voice is None else voice) else ())
            return await self._write_answer(question, retrieved, unresolved, style, clock)

    async def _traits(self, question: Question, clock: _Clock) -> tuple[str, ...]:
        """The traits on the asker's sheet; () without a model."""
        if self._model is None or self._open_notes is None or not question.character:
            return ()
        open_notes = self._open_notes
        traits = await self._call_or_failure(
            "voice", "", clock.left(PREPARING), self._in_thread,
            lambda: open_notes().traits(question.campaign, question.character))
        return () if isinstance(traits, Failure) else traits

    async def _resolve_character(self, question: Question, clock: _Clock,
                                 ) -> tuple[Question, tuple[Failure, ...]]:
        """The question with its character's full name and campaign, and what failed.

        If a player names no character, and the campaign has one only, it is that one.
        """
        if self._open_notes is None:
            return question, ()
        open_notes = self._open_notes
        if not question.character:
            sheets = await self._call_or_failure(
                "character name", "", clock.left(PREPARING), self._in_thread,
                lambda: open_notes().sheets(question.campaign or ""),
            ) if question.campaign and question.audience == "player" else ()
            titles = () if isinstance(sheets, Failure) else [sheet.title for sheet in sheets]
            return replace(question, character=titles[0] if len(titles) == 1 else ""), ()
        unasked = "" if question.campaign else "; so no sheet, notes or books were asked"
        sheet = await self._call_or_failure(
            "character name", f"The character's name could not be looked up{unasked}.",
            clock.left(PREPARING), self._in_thread,
            lambda: open_notes().resolve(question.character, question.campaign or None),
        )
        if isinstance(sheet, Failure):
            return question, (sheet,)
        return replace(question, character=sheet.title, campaign=sheet.campaign), ()

    async def _versions(self, question: Question, clock: _Clock) -> Versions:
        """Each domain's version; '' if it has no data, None if it failed."""
        versions = await self._gather({
            domain: self._call_or_failure(
                domain, "", clock.left(PREPARING), self._in_thread, source.version, question)
            for domain, source in self._sources.items()
        })
        clock.note_stage("prepare")
        return {domain: None if isinstance(version, Failure) else version
                for domain, version in versions.items()}

    async def _corrections_key(self, question: Question, clock: _Clock) -> str:
        """A cache key that changes with every correction."""
        if self._open_notes is None or not question.campaign:
            return ""
        open_notes = self._open_notes
        corrections = await self._call_or_failure(
            "corrections", "", clock.left(PREPARING), self._in_thread,
            lambda: open_notes().corrections(question.campaign))
        return "" if isinstance(corrections, Failure) else " ".join(
            f"{row.id} {sorted(row.corrected or {})} {row.corrected}" for row in corrections)

    async def _retrieve(self, question: Question, versions: Versions, max_tokens: int,
                        clock: _Clock) -> _Gathered:
        """Steps 4 to 7: the evidence of the domains that the question needs."""
        domains = [domain for domain, version in versions.items() if version != ""]
        decisions, unread = await self.make_parallel_router_decisions(
            question, domains, clock.left(ROUTING)
        )
        if self._steps:
            decisions = self._steps.needed(question, decisions)
        clock.note_stage("route")
        results, failed = await self.execute_needed_routers(
            question, decisions, clock.left(SEARCHING)
        )
        clock.note_stage("search")
        errors, needed = (*unread, *failed), [row.domain for row in decisions if row.is_needed]
        undecided = set(domains).difference(decision.domain for decision in decisions)
        if not set(needed).intersection(results) and undecided.union(needed):
            raise EngineError("nothing that the question needs could be asked: "
                              + "; ".join(f"{error.where}: {error.why}" for error in errors))
        if self._steps and results.get("rulebook") is not None:
            more = await self._call_or_failure(
                "rulebook", f"{HEADINGS['rulebook']}: could be searched in part only.",
                clock.left(SEARCHING), self._in_thread,
                self._steps.second_look_up, results, question)
            if isinstance(more, Failure):
                errors = (*errors, more)
            elif more:
                results = results | {"rulebook": tuple({
                    piece.id: piece for piece in (*results["rulebook"], *more)}.values())}
        relations = await self._in_thread(relations_of, results, question, decisions)
        context = await self._in_thread(
            assemble_context, results, question, decisions, max_tokens, relations
        )
        clock.note_stage("assemble")
        return _Gathered(decisions, context, errors, (
            *dict.fromkeys(failure.told for failure in errors),
            *(f"{HEADINGS[domain]}: not searched, because no router could read the question."
              for domain in domains if domain in undecided),
        ))

    async def _write_answer(self, question: Question, retrieved: _Gathered,
                            errors: tuple[Failure, ...], style: Style, clock: _Clock) -> Answer:
        """The model's answer, else the evidence itself, with notes about what failed."""
        context, by = retrieved.context, "evidence"
        final = evidence_text(context, question, retrieved.decisions, style.length)
        if self._model is not None and context.evidence:
            written = await self._call_or_failure(
                "final call", _WRITING, clock.left(), self._model_answer,
                self._model, context, question, style, clock)
            if isinstance(written, Failure):
                errors = (*errors, written)
            else:
                (final, context), by = written, self._model.name
        final, evidence = in_order(final, context.evidence)
        notes = (*final.faults, *retrieved.told, *(failure.told for failure in errors))
        clock.note_stage("final")
        printed = dict.fromkeys(evidence.domain for evidence in context.evidence)
        return await self._record_routing(Answer(
            question, "\n\n".join((final.text, *(f"Note: {note}" for note in notes))),
            final.sentences, evidence, retrieved.decisions, context.confidence,
            context.relations, context.left_out, notes, (*retrieved.errors, *errors), clock.timings,
            context.tokens, by,
            "\n".join(filter(None, (self._sources[domain].attribution for domain in printed))),
        ))

    async def _model_answer(self, model: Model, context: AssembledContext, question: Question,
                            style: Style, clock: _Clock) -> tuple[CheckedAnswer, AssembledContext]:
        """The model's answer, its citations checked, and the context with what it looked up.

        If an answer cites nothing, the model is asked once more; if the second cites nothing
        either, it is kept with a fault. Faults are shown to the user.

        Raises:
            ModelError: the model gave no answer.
        """
        tools = (LOOK_UP_TOOL,) if model.tools else ()
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
                        await self._look_up(call, context, question, clock))
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
            *answer.faults, *([] if cites else [NO_CITATIONS]), *([TRUNCATED] if cut else []),
        )), context

    async def _look_up(self, call: ToolCall, context: AssembledContext, question: Question,
                       clock: _Clock) -> tuple[str, AssembledContext]:
        """The result of a model's look-up, and the context with what it found."""
        if not (query := query_of(call)):
            return UNREAD, context
        results, _ = await self._search_domains(
            replace(question, text=query),
            [Decision(domain, True, 1.0, by=call.name) for domain in self._sources],
            clock.left(SEARCHING))
        first = len(context.evidence) + 1
        pieces = chosen((piece for result in results.values() for piece in result),
                        {piece.id for piece in context.evidence}, first)
        text = result_text(pieces, first)
        return text, replace(context, evidence=(*context.evidence, *pieces),
                             tokens=context.tokens + (count_tokens(text) if pieces else 0))

    async def _record_routing(self, answer: Answer) -> Answer:
        """The answer with the id under which its decisions are stored, for corrections."""
        if self._open_notes is None:
            return answer
        question, open_notes = answer.question, self._open_notes
        request = {"query": question.text, "character": question.character,
                 "audience": question.audience}
        decided = {str(row.domain): msgspec.to_builtins(row) for row in answer.decisions}
        routing = await self._call_or_failure(
            "record", "", self._timeout, self._in_thread,
            lambda: open_notes().save_routing(question.campaign or None, request, decided),
        )
        if isinstance(routing, Failure):
            return replace(answer, errors=(*answer.errors, routing))
        return replace(answer, id=routing)

    async def make_parallel_router_decisions(
            self, question: Question, domains: Sequence[Domain], seconds: float,
    ) -> tuple[tuple[Decision, ...], tuple[Failure, ...]]:
        """A decision about each domain, all made at once, and what failed.

        Each router has ``seconds``; if it fails, the next one decides. A domain for which all fail
        has no decision.
        """
        async def first_decision(domain: Domain) -> tuple[Decision | None, list[Failure]]:
            failures: list[Failure] = []
            for router in self._routers:
                outcome = await self._call_or_failure(
                    domain, f"{HEADINGS[domain]}: the question could not be read as it should be.",
                    seconds, router.decide, domain, question,
                )
                if isinstance(outcome, Decision):
                    return outcome, failures
                if outcome is None:
                    continue
                failures.append(replace(outcome, where=f"{router.name} router of {domain}"))
            return None, failures

        outcomes = await self._gather({domain: first_decision(domain) for domain in domains})
        return (tuple(decision for decision, _ in outcomes.values() if decision),
                tuple(failure for _, failures in outcomes.values() for failure in failures))

    async def _search_domains(
            self, question: Question, decisions: Sequence[Decision], seconds: float,
    ) -> tuple[dict[Domain, tuple[Evidence, ...]], tuple[Failure, ...]]:
        """The evidence of each domain that is, or may be, needed, and what failed.

        All are searched at once, each for at most ``seconds``.
        """
        any_needed = any(decision.is_needed for decision in decisions)
        least = MIN_CHANCE_BESIDE_NEEDED if any_needed else MIN_CHANCE_ALONE
        outcomes = await self._gather({
            decision.domain: self._call_or_failure(
                decision.domain,
                f"{HEADINGS[decision.domain]}: could not be searched; this does without.",
                seconds, self._in_thread, self._sources[decision.domain].find, question, decision,
            ) for decision in decisions if decision.is_needed or decision.chance >= least
        })
        failed = [outcome for outcome in outcomes.values() if isinstance(outcome, Failure)]
        results = {domain: outcome for domain, outcome in outcomes.items()
                   if not isinstance(outcome, Failure)}
        lacking = [
            Failure(domain, hits.lacks, f"{HEADINGS[domain]}: could be searched in part only.")
            for domain, hits in results.items() if hits.lacks]
        return {domain: hits.pieces for domain, hits in results.items()}, (*failed, *lacking)

    execute_needed_routers = _search_domains
    """The design's name of it, though it runs no router."""

    async def _in_thread(self, call: Callable[..., T], *arguments: Any) -> T:
        """The result of a call that blocks. After a timeout it runs on; its result is ignored."""
        return await asyncio.get_running_loop().run_in_executor(
            self._threads, partial(copy_context().run, call, *arguments)
        )

    async def _call_or_failure(self, where: str, message: str, seconds: float,
                               call: Callable[..., Coroutine[Any, Any, T]], *arguments: Any,
                               ) -> T | Failure:
        """The result of a call, or how it failed; an unknown character's name is raised."""
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
            opening = self._open_notes().opening if self._open_notes else ""
            why = ": ".join(filter(None, (f"no answer within {seconds:.1f} s", opening)))
        except Exception as error:  # noqa: BLE001 - whatever fails, the rest goes on without it
            why = f"{type(error).__name__}: {error}"
        return Failure(where, why, message)

    @staticmethod
    async def _gather(waiting: Mapping[Domain, Coroutine[Any, Any, T]]) -> dict[Domain, T]:
        """The results of all, run at once; if one raises, the others are cancelled."""
        async with asyncio.TaskGroup() as group:
            tasks = {domain: group.create_task(coroutine) for domain, coroutine in waiting.items()}
        return {domain: task.result() for domain, task in tasks.items()}


def _question(user_query: str, character_name: str, campaign: str | None, audience: Audience,
              ) -> Question:
    """The question with its texts cleaned.

    Raises:
        EngineError: an argument is not valid text, or the question is empty.
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
