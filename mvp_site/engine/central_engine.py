"""The central engine: a question is routed, the domains are searched, one answer is made (design 5).

Routers of all domains are asked at once, and the domains that they need are searched at once. What
fails is done without, and told. Nothing is asked of a model but the routers' decisions and the
text of the answer.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, Self, TypeVar

from cachetools import LRUCache

from ..errors import EngineError, UnknownCharacterError
from ..llm.models import open_model
from ..llm.protocol import Model
from ..library.library import Library
from ..rulebook.rulebook import Rulebook
from ..settings import Settings
from ..store.campaigns import CampaignStore
from ..types import Audience
from .context import ContextAssembler, Results, chance
from .deciding import decided, is_cancelled, shown
from .evidence_text import evidence_text
from .final_answer import Written, written
from .final_prompt import HEADINGS
from .sources import (
    BooksSource,
    CharacterSource,
    Lazy,
    ListedSheet,
    Notes,
    NotesSource,
    RulebookSource,
)
from .types import (
    Answer,
    AssembledContext,
    Decision,
    Domain,
    Evidence,
    Failure,
    Question,
    Router,
    Source,
)

T = TypeVar("T")
MAX_TOKENS: Final = 4_000
THREADS: Final = 16
DOUBTED: Final = 0.35
"""A domain that is needed with at least this chance is searched too, though nothing waits for it."""
SHARES: Final = {"prepare": 0.2, "route": 0.3, "search": 0.6}
"""The part of the time that is left which each of a stage's calls may take."""

Versions = Mapping[Domain, str | None]


@dataclass(frozen=True, slots=True)
class _Found:
    """What was decided and found for a question; ``failed`` are domains that were not searched."""

    decisions: tuple[Decision, ...]
    context: AssembledContext
    errors: tuple[Failure, ...] = ()
    told: tuple[str, ...] = ()


class _Clock:
    """The time of one answer: what is left of it, and what each stage took."""

    def __init__(self, timeout: float, deadline: float | None) -> None:
        self._timeout = timeout
        self._start = self._lap = time.perf_counter()
        self._end = None if deadline is None else self._start + deadline
        self.timings: dict[str, float] = {}

    def left(self, share: float = 1.0) -> float:
        """Seconds that a call may take."""
        if self._end is None:
            return self._timeout
        return max(min(self._timeout, (self._end - time.perf_counter()) * share), 0.0)

    def took(self, stage: str) -> None:
        """Note a stage that ends now."""
        now = time.perf_counter()
        self.timings[stage], self._lap = now - self._lap, now
        self.timings["total"] = now - self._start


class CentralEngine:
    """Answers questions from all domains. Thread-safe, and of no one event loop.

    ``routers`` are asked in their order until one decides. ``resolve`` gives the sheet of a
    character's name; ``record`` keeps an answer's routing and gives its id; ``attribution`` says
    whose text the rules are. ``timeout`` are the seconds that any one call may take.
    """

    def __init__(self, routers: Sequence[Router], sources: Sequence[Source],  # noqa: PLR0913 (one a part)
                 assembler: ContextAssembler, model: Model | None = None, *,
                 resolve: Callable[[str, str | None], ListedSheet] | None = None,
                 record: Callable[[Answer], str] | None = None,
                 attribution: Callable[[], str] = lambda: "", timeout: float = 60.0,
                 answer_tokens: int = 3_000, cache_size: int = 256,
                 closing: Callable[[], None] = lambda: None) -> None:
        self._routers, self._assembler, self._model = tuple(routers), assembler, model
        self._sources = {one.domain: one for one in sources}
        self._resolve, self._record, self._attribution = resolve, record, attribution
        self._timeout, self._answer_tokens, self._closing = timeout, answer_tokens, closing
        self._kept: LRUCache[tuple[Question, int], tuple[Versions, _Found]] = LRUCache(cache_size)
        self._lock = threading.Lock()
        self._threads = ThreadPoolExecutor(THREADS, "engine")

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
        asking = partial(asyncio.run, self.aanswer(
            user_query, character_name, campaign=campaign, audience=audience,
            max_tokens=max_tokens, deadline=deadline,
        ))
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asking()
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(copy_context().run, asking).result()

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
        clock = _Clock(self._timeout, deadline)
        question, errors = await self._question(
            Question(" ".join(user_query.split()), character_name.strip(), campaign or "",
                     audience), clock,
        )
        versions = await self._versions(question, clock)
        clock.took("prepare")
        key = question, max_tokens
        with self._lock:
            kept = self._kept.get(key)
        if kept is not None and kept[0] == versions and not errors:
            found = kept[1]
        else:
            found = await self._find(question, [one for one, now in versions.items() if now != ""],
                                     max_tokens, clock)
            if not errors and not found.errors and None not in versions.values():
                with self._lock:
                    self._kept[key] = versions, found
        answer = await self._answer(question, found, errors, clock)
        return await self._recorded(answer, clock)

    async def make_parallel_router_decisions(
            self, question: Question, domains: Sequence[Domain] | None = None,
            seconds: float | None = None,
    ) -> tuple[tuple[Decision, ...], tuple[Failure, ...], tuple[Domain, ...]]:
        """One decision a domain, all made at once; what failed; the domains without a decision."""
        asked = tuple(self._sources) if domains is None else domains
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(decided(self._routers, domain, question,
                                          self._timeout if seconds is None else seconds))
                for domain in asked
            ]
        found = [one.result() for one in tasks]
        return (
            tuple(decision for decision, _ in found if decision),
            tuple(failure for _, failures in found for failure in failures),
            tuple(domain for domain, (decision, _) in zip(asked, found, strict=True)
                  if decision is None),
        )

    async def execute_needed_routers(
            self, question: Question, decisions: Sequence[Decision], seconds: float | None = None,
    ) -> tuple[Results, tuple[Failure, ...]]:
        """The evidence of each domain that is needed, or may be; what failed, by its domain."""
        async def search(one: Decision) -> tuple[Evidence, ...] | Failure:
            return await self._tried(
                one.domain, f"{HEADINGS[one.domain]}: could not be searched; this does without.",
                self._timeout if seconds is None else seconds,
                self._sources[one.domain].find, question, one,
            )

        needed = [one for one in decisions if chance(one) >= DOUBTED or one.is_needed]
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(search(one)) for one in needed]
        found = {one.domain: task.result() for one, task in zip(needed, tasks, strict=True)}
        return (
            {domain: one for domain, one in found.items() if not isinstance(one, Failure)},
            tuple(one for one in found.values() if isinstance(one, Failure)),
        )

    async def _question(self, asked: Question, clock: _Clock,
                        ) -> tuple[Question, tuple[Failure, ...]]:
        """The question with its character's name in full and its campaign."""
        if not asked.text:
            raise EngineError("the question is empty: ask something")
        if self._resolve is None or not asked.character:
            return asked, ()
        sheet = await self._tried(
            "character name", "The character's name could not be looked up.",
            clock.left(SHARES["prepare"]), self._resolve, asked.character, asked.campaign or None,
            through=UnknownCharacterError,
        )
        if isinstance(sheet, Failure):
            return asked, (sheet,)
        return replace(asked, character=sheet.title, campaign=sheet.campaign), ()

    async def _versions(self, question: Question, clock: _Clock) -> Versions:
        """What the domains' answers follow from now; None where that is not known."""
        seconds = clock.left(SHARES["prepare"])
        async with asyncio.TaskGroup() as group:
            tasks = {
                domain: group.create_task(
                    self._tried(domain, "", seconds, source.version, question)
                ) for domain, source in self._sources.items()
            }
        return {domain: None if isinstance(one := task.result(), Failure) else one
                for domain, task in tasks.items()}

    async def _find(self, question: Question, domains: Sequence[Domain], max_tokens: int,
                    clock: _Clock) -> _Found:
        decisions, unread, lost = await self.make_parallel_router_decisions(
            question, domains, clock.left(SHARES["route"])
        )
        clock.took("route")
        results, failed = await self.execute_needed_routers(
            question, decisions, clock.left(SHARES["search"])
        )
        clock.took("search")
        needed = {one.domain for one in decisions if one.is_needed}
        gone = {*lost, *(one.where for one in failed if one.where in needed)}
        if gone and not needed.intersection(results):
            raise EngineError(
                "the question was not answered, because nothing that it needs could be asked: "
                + "; ".join(f"{one.where}: {one.why}" for one in (*unread, *failed))
            )
        context = await asyncio.get_running_loop().run_in_executor(
            self._threads, self._assembler.assemble_context, results, question, decisions,
            max_tokens,
        )
        clock.took("assemble")
        told = [one.told for one in failed]
        told += [f"{HEADINGS[one]}: not looked at, because no router could read the question."
                 for one in lost]
        return _Found(decisions, context, (*unread, *failed), tuple(told))

    async def _answer(self, question: Question, found: _Found, errors: tuple[Failure, ...],
                      clock: _Clock) -> Answer:
        """The text of the answer: the model's, else the evidence itself."""
        context, told = found.context, [*found.told, *(one.told for one in errors)]
        final: Written | Failure | None = None
        if self._model is not None and context.evidence:
            final = await written(self._model, context, question, self._answer_tokens, clock.left())
        if isinstance(final, Failure):
            errors, told = (*errors, final), [*told, final.told]
        if isinstance(final, Written):
            notes = (*final.notes, *told)
            text, sentences, by = final.text, final.sentences, final.by
            if told:
                text = "\n\n".join((text, *(f"Note: {one}" for one in told)))
        else:
            notes, by = tuple(told), "evidence"
            searched = [one for one in found.decisions if one.is_needed]
            text, sentences = evidence_text(context, question, searched, told)
        clock.took("final")
        rules = any(one.domain == "rulebook" for one in context.evidence)
        return Answer(
            question, text, sentences, context.evidence, found.decisions,
            context.confidence_score, context.relations, context.left_out, notes,
            (*found.errors, *errors), clock.timings, context.tokens, by,
            self._attribution() if rules else "",
        )

    async def _recorded(self, answer: Answer, clock: _Clock) -> Answer:
        if self._record is None:
            return answer
        kept = await self._tried("record", "This answer cannot be corrected later.",
                                 max(clock.left(), 1.0), self._record, answer)
        if isinstance(kept, Failure):
            return replace(answer, errors=(*answer.errors, kept))
        return replace(answer, id=kept)

    async def _tried(self, where: str, told: str, seconds: float, call: Callable[..., T],
                     *given: Any, through: type[Exception] | tuple[()] = ()) -> T | Failure:
        """What a call that blocks gives, made in a thread; what of it failed, but for ``through``.

        A call that is late or given up ends by itself; nobody waits for it.
        """
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(seconds):
                return await loop.run_in_executor(
                    self._threads, partial(copy_context().run, call, *given)
                )
        except asyncio.CancelledError:
            if is_cancelled():
                raise
            why = "it was cancelled"
        except TimeoutError:
            why = f"no answer within {seconds:.1f} s"
        except through:
            raise
        except Exception as error:  # noqa: BLE001 - the rest goes on without it
            why = shown(error)
        return Failure(where, why, told)

    @classmethod
    def open(cls, settings: Settings | None = None, *, notes: Notes | None = None,
             rulebook: Rulebook | None = None, library: Library | None = None) -> Self:
        """The engine over what the settings name; what is given is used, and left open.

        Without a model (``MVP_SITE_LLM=offline``) the local router decides, and the answer is the
        evidence. A domain is opened by the first question that needs it.

        Raises:
            SettingsError: the model cannot be opened.
        """
        from ._opening import opened  # noqa: PLC0415
        raise NotImplementedError
