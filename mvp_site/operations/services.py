"""The opened parts that operations ask: assemblers of each version, turns, rulebook, entities.

They are opened when they are first needed. What could not be opened is tried again by the next
request, so that an index that has been built meanwhile is taken up without a restart.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, Final, TypedDict, TypeVar, Unpack

from .. import errors
from ..archive.versions import default_version, promotions, read_beside
from ..assembly.assembler import PromptAssembler
from ..assembly.assemblers import Assemblers
from ..concurrency import ended
from ..engine.central_engine import CentralEngine
from ..entities.index import EntityIndex
from ..library.library import Library
from ..llm.models import open_model
from ..llm.protocol import Model
from ..retrieval.building import Progress
from ..rulebook.build import store_of as rulebooks
from ..rulebook.rulebook import Rulebook
from ..sessions.session_notes import SessionNotes
from ..settings import Settings
from ..store.campaigns import CampaignStore
from ..store.urls import is_there
from ..turns.handler import OFFLINE, TurnEvent, TurnHandler
from ..turns.offline import OfflineNarrator
from ..turns.replay import Replayed, replay
from ..turns.types import TurnRequest, TurnResult
from ..types import AssembledTurn

SECONDS: Final = 0.9
"""Seconds that a part that was well before is waited for: probes are asked to answer in a
second."""
OPENING_SECONDS: Final = 3.0
"""Seconds for one that may have to be opened first."""
SETTLING: Final = 30.0
_WARMING: Final = "I look around"
FRESH: Final = 1.0
"""Seconds for which an answer holds."""
_log: Final = logging.getLogger("mvp_site.operations")
Probes = Mapping[str, Callable[[], str]]
ProbeAnswers = dict[str, tuple[str, bool]]
T = TypeVar("T")
Played = Callable[[TurnResult], None]
_PROGRESS: Final[ContextVar[Progress]] = ContextVar("progress", default=lambda *_: None)


@contextmanager
def reporting_to(progress: Progress) -> Iterator[None]:
    """Within it, operations of this context tell ``progress`` how far they are.

    What it raises ends the operation, which then leaves everything as it was.
    """
    token = _PROGRESS.set(progress)
    try:
        yield
    finally:
        _PROGRESS.reset(token)


class GivenParts(TypedDict, total=False):
    """Parts that are open already; ``assemblers`` has one for each version."""

    handler: TurnHandler | None
    assemblers: Mapping[str, PromptAssembler]
    rulebook: Rulebook
    entities: EntityIndex
    library: Library
    notes: SessionNotes
    engine: CentralEngine


class Probe:
    """Asks parts at once, each in a thread of its own; what it says holds for a while.

    Who comes while a part is asked waits for the same answer.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._asked: dict[str, _Asked] = {}

    def ask(self, parts: Probes) -> ProbeAnswers:
        """What each part says, and whether it is well; one that hangs is not."""
        now = time.monotonic()
        with self._guard:
            for name, ask in parts.items():
                last = self._asked.get(name)
                if last is None or (not last.thread.is_alive() and now - last.ended > FRESH):
                    self._asked[name] = _Asked(name, ask, last is not None and last.answered)
            asked_of = {name: self._asked[name] for name in parts}
        return {name: part.answer() for name, part in asked_of.items()}


class _Asked:
    """A part that is asked; ``answered`` says whether it ever was well, and so is open."""

    def __init__(self, name: str, ask: Callable[[], str], answered: bool) -> None:
        self.answered, self.began, self.ended = answered, time.monotonic(), 0.0
        self._patience = SECONDS if answered else OPENING_SECONDS
        self._name, self._ask = name, ask
        self._answer: tuple[str, bool] | None = None
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def answer(self) -> tuple[str, bool]:
        """What it says, waited for until it has had its time."""
        self.thread.join(max(0.0, self.began + self._patience - time.monotonic()))
        age = max(time.monotonic() - self.began, self._patience)
        return self._answer or (f"it gave no answer for {age:.0f} seconds", False)

    def _run(self) -> None:
        try:
            answer = self._ask(), True
            self.answered = True
        except errors.MvpSiteError as error:
            answer = str(error), False
        except Exception as error:  # noqa: BLE001 - whatever it is, the part is not well
            _log.warning("%s failed", self._name, exc_info=error)
            answer = f"it failed: {error}", False
        self.ended = time.monotonic()
        self._answer = answer


class Services:
    """The parts of one process. Thread-safe.

    What is given is served; the rest is opened by ``settings``. ``assembled`` is told of every
    prompt with its seconds. Turns are played within what ``around`` gives for each, which may
    refuse it, and is told what came of it. With ``degraded`` an assembler without an index serves
    the header alone.

    A part that cannot be opened raises an MvpSiteError; its message has what mends it. A version
    that a caller names and nobody knows is an UnknownVersionError.
    """

    def __init__(self, settings: Settings, *,
                 assembled: Callable[[AssembledTurn, float], None] = lambda *_: None,
                 around: Callable[[TurnRequest], AbstractContextManager[Played]] =
                 lambda _: nullcontext(lambda _: None),
                 degraded: bool = False, **given: Unpack[GivenParts]) -> None:
        self.settings = settings
        self._opened: dict[str, Any] = {
            name: part for name, part in given.items() if part is not None
        }
        self._given: dict[str, PromptAssembler] | None = self._opened.pop("assemblers", None)
        self._assemblers = Assemblers(settings, self._given)
        self._opening: defaultdict[str, threading.RLock] = defaultdict(threading.RLock)
        self._newest = self._played = ""
        self._assembled = assembled
        self._around = around
        self._degraded = degraded
        self.probe = Probe()

    def progress(self, stage: str, done: int, of: int) -> None:
        """Tell who asked for this operation that ``done`` of ``of`` is: :func:`reporting_to`."""
        _PROGRESS.get()(stage, done, of)

    def versions(self) -> list[str]:
        """The versions that exist, as authored text or as an index, by name."""
        return self._assemblers.versions()

    @property
    def default_version(self) -> str:
        """The version that is served where none is asked for; it need not exist, and may be ''."""
        name = self.settings.prompt_version
        if not name:
            promoted = promotions(self.settings)
            name = promoted[-1] if promoted else self._newest
        if not name:
            name = self._newest = default_version(self.settings) or ""
        return min(self._given) if self._given and name not in self._given else name

    def assembler(self, version: str | None = None) -> PromptAssembler:
        """The assembler of ``version``, else of the default one."""
        name = self.default_version if version is None else version
        if version is None and self._given == {}:
            raise errors.MissingIndexError("this app was given no assembler: hand one in")
        if self._given is None and name == self.default_version:
            return self._open(f"assembler {name}", lambda: self._open_assembler(name))
        prompt_assembler = self._assemblers.get(name)
        if self._given is None and prompt_assembler.problem and not self._degraded:
            raise errors.IndexLoadError(prompt_assembler.problem)
        return prompt_assembler

    def assemble(self, version: str | None, *turn: Any, **more: Any) -> AssembledTurn:
        """The prompt of a turn, given as :meth:`PromptAssembler.assemble` takes it."""
        assembler = self.assembler(version)
        started = time.perf_counter()
        assembled_turn = assembler.assemble(*turn, **more)
        self._assembled(assembled_turn, time.perf_counter() - started)
        return assembled_turn

    def problem(self) -> str:
        """Why turns are played on the core header alone, and what mends it; '' if they are not."""
        try:
            return self.assembler().problem
        except errors.MvpSiteError as error:
            return str(error)

    def beside(self) -> Mapping[str, bytes]:
        """What stands beside the default version's header (:mod:`~..archive.header_files`)."""
        try:
            return self.assembler().beside
        except (errors.IndexLoadError, errors.EncoderError):
            return read_beside(self.settings, self.default_version)

    def examples(self, version: str) -> list[tuple[str, str]]:
        """Turns to try with a version, each with its mode; none where it cannot be opened."""
        try:
            return self.assembler(version).examples()
        except errors.MvpSiteError:
            return []

    def handler(self) -> TurnHandler:
        """The turn handler. It shares the default version's assembler, where there is one."""
        return self._open("handler", self._open_handler)

    @property
    def offline(self) -> bool:
        """Whether turns are answered without a language model."""
        handler: TurnHandler | None = self._opened.get("handler")
        if handler is not None:
            return isinstance(handler.model, OfflineNarrator)
        return self.settings.mvp_site_llm == OFFLINE

    def play(self, turn: TurnRequest) -> TurnResult:
        """What came of a turn."""
        handler, turn = self.handler(), self._with_promoted_version(turn)
        with self._around(turn) as report:
            result = handler.handle(turn)
            report(result)
        return result

    def stream(self, turn: TurnRequest) -> Iterator[TurnEvent]:
        """A turn as it is played, as :meth:`TurnHandler.stream` tells it."""
        handler, turn = self.handler(), self._with_promoted_version(turn)
        with self._around(turn) as report, ended(handler.stream(turn)) as events:
            for event in events:
                if isinstance(event, TurnResult):
                    report(event)
                yield event

    def is_new(self, campaign_id: str) -> bool:
        """Whether the store does not have a campaign yet."""
        try:
            self.store().turns(limit=1, campaign_id=campaign_id)
        except errors.UnknownCampaignError:
            return True
        return False

    def title_of(self, campaign: str) -> str:
        """What people call a campaign: its id where it has no title, or does not exist."""
        with suppress(errors.MvpSiteError):
            return self.store().load(campaign).title or campaign
        return campaign

    def replay(self, turn_id: str) -> Replayed:
        """The prompt of a past turn, rebuilt."""
        handler: TurnHandler | None = self._opened.get("handler")
        if handler is not None:
            return handler.replay(turn_id)
        return replay(self.settings, self.store(), turn_id)

    def rulebook(self) -> Rulebook:
        """The rulebook."""
        return self._open("rulebook", lambda: Rulebook.open(self.settings))

    def entities(self) -> EntityIndex:
        """The index of entities."""
        return self._open("entities", lambda: EntityIndex.open(self.settings))

    def library(self) -> Library:
        """The library of books."""
        return self._open("library", lambda: Library.open(self.settings))

    def session_notes(self) -> SessionNotes:
        """Characters' sheets and the notes of sessions, of the campaigns of :meth:`store`."""
        return self._open("notes", lambda: SessionNotes(self.settings, self.store()))

    def has_campaigns(self) -> bool:
        """Whether there is anything to read of campaigns; where not, nothing need be opened."""
        return bool(self._opened.keys() & {"notes", "handler", "engine"}) or is_there(self.settings)

    def has_rules(self) -> bool:
        """Whether a rulebook is open or built."""
        return "rulebook" in self._opened or rulebooks(self.settings).current() is not None

    def engine(self) -> CentralEngine:
        """What answers from sheets, rules, notes and books together; it shares what is open."""
        return self._open("engine", lambda: CentralEngine.open(
            self.settings,
            notes=self.session_notes() if "handler" in self._opened else self._opened.get("notes"),
            rulebook=self._opened.get("rulebook"), library=self._opened.get("library"),
            progress=self.progress,
        ))

    def warm(self) -> None:
        """Open what first turns, questions and look-ups need, and load the encoder.

        What cannot be opened is left to whoever asks for it.
        """
        for use in (lambda: self.assembler().assemble(_WARMING), self.handler,
                    lambda: self.entities().search_all(_WARMING, 1),
                    lambda: self.rulebook().search(_WARMING, limit=1),
                    self.library, self.engine):
            with suppress(errors.MvpSiteError):
                use()

    def settings_store(self) -> CampaignStore:
        """The store of the settings; :meth:`store` has the campaigns."""
        return self._open("campaigns", lambda: CampaignStore.open(self.settings))

    def store(self) -> CampaignStore:
        """The store that turns are kept in: a given handler's, else that of the settings."""
        handler: TurnHandler | None = self._opened.get("handler")
        return self.settings_store() if handler is None else handler.store

    @contextmanager
    def model(self) -> Iterator[Model | None]:
        """The language model of the settings, None where they name none."""
        if self.settings.mvp_site_llm == OFFLINE:
            yield None
            return
        with closing(open_model(self.settings)) as model:
            yield model

    def later(self, work: Callable[[], object]) -> None:
        """Do ``work`` after the answer, one after the other; what fails is logged."""
        def done() -> None:
            try:
                work()
            except Exception as error:  # noqa: BLE001 - nobody waits for it
                _log.error("what was to be done later failed", exc_info=error)

        self._open("later", lambda: ThreadPoolExecutor(1, "mvp-site-later")).submit(done)

    def settle(self) -> None:
        """Wait for what is being done after an answer, at most :data:`SETTLING` seconds."""
        if later := self._opened.get("later"):
            wait({later.submit(int)}, SETTLING)

    def close(self) -> None:
        """Close what was opened, or given; what was to be done later is done before."""
        if later := self._opened.pop("later", None):
            later.shutdown()
        for key in ("handler", "engine", "notes", "entities", "library", "campaigns"):
            if (part := self._opened.pop(key, None)) is not None:
                part.close()

    def _open(self, key: str, opens: Callable[[], T]) -> T:
        if key not in self._opened:
            with self._opening[key]:  # parts do not wait for each other
                if key not in self._opened:
                    self._opened[key] = opens()
        part: T = self._opened[key]
        return part

    def _open_assembler(self, name: str) -> PromptAssembler:
        settings = replace(self.settings, prompt_version=name)
        try:
            return PromptAssembler.open(settings, degraded=self._degraded)
        except errors.UnknownVersionError as error:
            # Not the caller's mistake: nobody asked for it by name.
            raise errors.SettingsError(str(error)) from error

    def _with_promoted_version(self, turn: TurnRequest) -> TurnRequest:
        """``turn``, of the default version where another was promoted since the handler opened."""
        moved = turn.version is None and self._played not in {"", self.default_version}
        return replace(turn, version=self.default_version) if moved else turn

    def _open_handler(self) -> TurnHandler:
        self._played = self.default_version
        assembler: PromptAssembler | None = None
        # Without it turns are taken on the header alone.
        with suppress(errors.IndexLoadError, errors.EncoderError):
            name = self._played
            assembler = self._open(f"assembler {name}", lambda: self._open_assembler(name))
        return TurnHandler.open(self.settings, store=self.settings_store(), assembler=assembler,
                                assemblers=self._assemblers)
