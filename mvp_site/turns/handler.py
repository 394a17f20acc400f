"""Takes a player's turn and returns an answer that keeps the contract.

:meth:`TurnHandler._turn` goes through these steps; each file is in ``turns/`` unless its path says
otherwise:

1. ``assembling.py``, ``checked_request``: the request's types and sizes are checked. Then the turn
   waits for its campaign's lock (``concurrency.py``).
2. ``idempotency.py``, ``earlier_result``: a turn that was sent before gives its stored result, and
   ends here.
3. ``routing.py``: the turn's mode and audience.
4. ``assembling.py``, ``assemble``: reads the campaign from the store, then calls ``prompt_of``
   (``prompting.py``), which lays out the past (``history.py``, ``secret_notes.py``) and calls
   ``PromptAssembler.assemble`` (``assembly/assembler.py``). It also decides what answers calls of
   tools (``dice.py``; ``model_look_ups.py``, with a campaign's own texts from
   ``campaign_passages.py``), and what checks an answer.
5. ``attempts.py``, ``run_attempts``: a generator that yields each request. The handler sends it to
   the model, and sends the reply to the generator, on a worker thread (``_next_step``). In there
   calls of tools are answered (``tools.py`` reads them) and the answer is checked
   (``checking.py``, ``rules/``). A broken answer goes back with its faults (``reask.py``), until
   one keeps the contract or no attempt is left.
6. ``summaries.py``: with ``MVP_SITE_SUMMARY=1``, if a summary of earlier turns is due, the model is
   asked for it.
7. ``committing.py``: writes the answer, or the fallback (``draft.py``), with the new state, the
   manifest (``manifests.py``) and what later turns are told (``memory.py``) in one transaction.

Steps 2 and 4 read the store, as do look-ups in step 5 (session notes, bound books); step 7 writes
it. Turns of one campaign are taken one after the other in this process; if another process wrote a
turn meanwhile, the store refuses this one.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from typing import Final, Self

from ..assembly.assembler import PromptAssembler
from ..assembly.assemblers import Assemblers
from ..concurrency import BlockingThreads, NamedLocks, ended_async, events_of, own_loop
from ..errors import (
    CampaignConflictError,
    ModelError,
    ModelUnavailableError,
    SettingsError,
    StoreError,
)
from ..llm.models import open_model
from ..llm.protocol import Model, ModelReply
from ..settings import Settings, settings_of
from ..store.campaigns import CampaignStore
from ..text.normalising import clean
from . import summaries
from .assembling import PreparedTurn, assemble, checked_request
from .attempts import AttemptGenerator, AttemptRequest, Outcome, Stage
from .campaign_passages import CampaignPassages
from .committing import commit
from .idempotency import earlier_result
from .memory import RunningSummary
from .narration import Reader
from .offline import OfflineNarrator
from .replay import Replayed, replay
from .routing import TurnRoute, route
from .types import TurnRequest, TurnResult

OFFLINE: Final = "offline"
_log = logging.getLogger("mvp_site.turns")
_MODEL: Final = ("name", "tools", "complete", "acomplete", "astream", "close")


@dataclass(frozen=True, slots=True)
class Narrative:
    """A piece of the narrative as it arrived in an attempt, not yet checked."""

    text: str
    attempt: int


TurnEvent = Stage | Narrative | TurnResult


class TurnHandler:
    """Takes turns. Safe to use from several threads and event loops; :meth:`close` when done.

    Turns of one campaign are taken in the order in which they came. While a stream is being read
    the others wait: who reads one must not take another turn of its campaign before it ends.
    """

    def __init__(self, settings: Settings, assembler: PromptAssembler, model: Model,
                 store: CampaignStore, assemblers: Assemblers | None = None) -> None:
        self.settings = settings.fitted(getattr(model, "context_tokens", None))
        self.assembler = assembler
        self.model = model
        self.store = store
        self._campaign_passages = CampaignPassages(settings, store)
        self._assemblers = assemblers or Assemblers(settings)
        self._locks = NamedLocks()
        self._threads = BlockingThreads()

    @classmethod
    def open(cls, settings: Settings | None = None, *, model: Model | None = None,
             store: CampaignStore | None = None, assembler: PromptAssembler | None = None,
             assemblers: Assemblers | None = None) -> Self:
        """A handler of the settings' version, model and database; parts can be handed in.

        ``assemblers`` are those of the versions that turns name.

        Where no release can be served, turns are taken on the header alone (reason ``no_index``).

        Raises:
            SettingsError: the model or the database cannot be opened as the settings say.
            UnknownVersionError: the version does not exist; lists those that do.
            StoreError: the database cannot be used.
        """
        settings = settings_of(settings)
        if model is not None and not all(hasattr(model, part) for part in _MODEL):
            raise SettingsError(
                f"model is of the type {type(model).__name__}, which lacks a part of a Model: give "
                "one, or leave it out and name it in MVP_SITE_LLM"
            )
        if assembler is None:
            assembler = PromptAssembler.open(settings, degraded=True)
        opened = store or CampaignStore.open(settings)
        try:
            if model is None:
                offline = settings.mvp_site_llm == OFFLINE
                model = OfflineNarrator() if offline else open_model(settings)
        except BaseException:
            if store is None:
                opened.close()
            raise
        return cls(settings, assembler, model, opened, assemblers)

    def close(self) -> None:
        """Close the model's connections and the store, when turns on event loops are written."""
        self._threads.close()
        self.model.close()
        self._campaign_passages.close()
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def handle(self, request: TurnRequest) -> TurnResult:
        """Take one turn; works where an event loop runs too, which it blocks.

        A model that fails or breaks the contract gives no error but a fallback, and says so.

        Raises:
            InvalidTurnError: an unknown mode or audience, or a turn that does not fit the window.
            UnknownVersionError: the turn names a version that does not exist; lists those that do.
            NotEntitledError: god mode for an audience that may not use it.
            CampaignConflictError: another process took a turn of this campaign meanwhile; nothing
                was written.
            StoreError: the store cannot be read or written.
        """
        with own_loop() as run:
            return run(self.ahandle(request))

    async def ahandle(self, request: TurnRequest) -> TurnResult:
        """Take one turn without blocking the event loop; raises as :meth:`handle` does."""
        *_, result = [event async for event in self._turn(request, streamed=False)]
        assert isinstance(result, TurnResult)
        return result

    def stream(self, request: TurnRequest) -> Iterator[TurnEvent]:
        """Take one turn and yield stages, the narrative in pieces, and last the result.

        The narrative is checked when it is whole: a stage ``rolled``, ``looked_up``, ``failed`` or
        ``rejected`` takes back what was told since ``asked``. Raises as :meth:`handle` does, at the
        first event. A consumer who stops early leaves the campaign as it was.
        """
        return events_of(self.astream(request))

    def astream(self, request: TurnRequest) -> AsyncIterator[TurnEvent]:
        """The asynchronous twin of :meth:`stream`."""
        return self._turn(request, streamed=True)

    async def _turn(self, request: TurnRequest, *, streamed: bool) -> AsyncIterator[TurnEvent]:
        """One turn: the steps of this file's docstring. The result comes last."""
        request = checked_request(request)
        if self._threads.closed:
            raise StoreError("the turn handler is closed: open another")
        async with self._locks.hold(request.campaign_id):
            earlier = await self._threads.run(earlier_result, self.store, request)
            if earlier is not None:
                yield earlier
                return
            turn_route = route(request)
            prepared = await self._threads.run(self._assemble, request, turn_route)
            yield Stage("assembled", 0)
            attempts = prepared.start_attempts()
            step = _next_step(attempts, None)
            while not isinstance(step, Outcome):
                reply = None
                if isinstance(step, Stage):
                    yield step
                else:
                    async with ended_async(self._ask(prepared, step, streamed=streamed)) as pieces:
                        async for piece in pieces:
                            if isinstance(piece, Narrative):
                                yield piece
                            else:
                                reply = piece
                # Tools and checks run in here and may take a while; without a reply, this only
                # advances the generator.
                step = _next_step(attempts, None) if reply is None else await self._threads.run(
                    _next_step, attempts, reply)
            summary = None
            if step.fallback is None and self.settings.mvp_site_summary:
                summary, step = await self._summarised(prepared, step)
            try:
                result = await self._threads.run(
                    commit, self.settings, self.store, prepared, step, self.model.name, summary)
            except CampaignConflictError:  # by the very same turn, sent to another process
                earlier = await self._threads.run(earlier_result, self.store, request)
                if earlier is None:
                    raise
                result = earlier
            yield result

    def _assemble(self, request: TurnRequest, turn_route: TurnRoute) -> PreparedTurn:
        """The turn's prompt, on the campaign as it stands."""
        seed = secrets.randbits(63) if request.seed is None else request.seed
        assembler = self.assembler
        if request.version not in {None, assembler.version}:
            assembler = self._assemblers.get(str(request.version))
        return assemble(self.settings, assembler, self.store, request, turn_route, seed=seed,
                        model=self.model, campaign_passages=self._campaign_passages)

    async def _ask(self, prepared: PreparedTurn, attempt_request: AttemptRequest, *, streamed: bool,
                   ) -> AsyncIterator[Narrative | ModelReply | ModelError]:
        """The model's reply, or its error; when streaming, narrative pieces first."""
        model = self._speaker(prepared)
        reader = prepared.form.reader(prepared.contract, prepared.route)
        reply: ModelReply | None = None
        try:
            if not streamed:
                reply = await model.acomplete(attempt_request.request)
            else:
                async with ended_async(model.astream(attempt_request.request)) as pieces:
                    async for piece in pieces:
                        reply = piece if isinstance(piece, ModelReply) else None
                        if new_text := _new_text(reader, piece):
                            yield Narrative(new_text, attempt_request.attempt)
        except ModelError as error:
            yield error
        else:
            yield reply or ModelUnavailableError(
                f"{model.name} ended its stream without a reply: try again"
            )

    async def _summarised(self, prepared: PreparedTurn, outcome: Outcome,
                          ) -> tuple[RunningSummary | None, Outcome]:
        """The summary that is due in this turn, and the outcome with what it cost.

        Where the model gives none, the turn goes on, and the next one asks again.
        """
        past = prepared.past.turns
        upto = summaries.due(past, prepared.campaign.turns)
        if not upto or isinstance(self.model, OfflineNarrator):
            return None, outcome
        try:
            reply = await self.model.acomplete(summaries.request_of(past, upto))
        except Exception as error:  # noqa: BLE001 - whatever fails, the turn stands
            _log.error("no summary was written (%s); the next turn asks again",
                       type(error).__name__)
            return None, outcome
        text = clean(reply.text).strip() if reply.stop == "end" else ""
        summary = RunningSummary(upto, text) if text else None
        return summary, replace(outcome, summary_usage=reply.usage)

    def replay(self, turn_id: str) -> Replayed:
        """The prompt of a turn of the store, rebuilt; see :func:`mvp_site.turns.replay.replay`.

        Raises:
            UnknownTurnError: the store has no such turn.
        """
        return replay(self.settings, self.store, turn_id)

    def _speaker(self, prepared: PreparedTurn) -> Model:
        """The model; the offline narrator speaks as the turn's contract has it."""
        contract = prepared.contract
        if isinstance(self.model, OfflineNarrator):
            return OfflineNarrator(contract.offline, plays=not contract.digest)
        return self.model


def _next_step(attempts: AttemptGenerator, reply: ModelReply | ModelError | None,
               ) -> AttemptRequest | Stage | Outcome:
    """The next step of the attempts, which check the reply: a request, a stage, or the outcome."""
    try:
        if isinstance(reply, ModelError):
            return attempts.throw(reply)
        return attempts.send(reply)
    except StopIteration as end:
        outcome: Outcome = end.value
        return outcome


def _new_text(reader: Reader, piece: str | ModelReply) -> str:
    """What a piece of a stream adds to the narrative; of the reply, what did not come before."""
    if isinstance(piece, str):
        return reader.feed(piece)
    return "" if piece.calls else reader.finish(piece.text)
