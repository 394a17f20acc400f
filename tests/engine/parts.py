"""Parts of an engine: evidence, routers, sources and a model that do as they are told."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Sequence
from types import SimpleNamespace
from typing import Any, TypeVar

from mvp_site.engine.central_engine import CentralEngine
from mvp_site.engine.types import Decision, Domain, Evidence, FoundEvidence, NamedEntity, Question
from mvp_site.llm.protocol import Model, ModelReply, ModelRequest

T = TypeVar("T")
THREE: tuple[Domain, ...] = ("character", "rulebook", "session_notes")
INTENTIONS: dict[Domain, str | None] = {
    "character": "magic_info", "rulebook": "spell_details", "session_notes": "spell_ability_usage",
    "books": None,
}


def evidence(domain: Domain, number: int = 1, text: str = "Fire falls on the bridge.", *,
             relevance: float = 0.8, names: Sequence[str] = ("Fireball",), session: int | None = None,
             ) -> Evidence:
    return Evidence(f"{domain}/{number}", domain, f"{domain} {number}", text, f"{domain}, place {number}",
                    relevance, tuple(names), session)


def decision(domain: Domain, needed: bool = True, sure: float = 0.9, *names: str) -> Decision:
    return Decision(domain, needed, sure, INTENTIONS[domain] if needed else None,
                    tuple(NamedEntity(name, "spell") for name in names))


class VirtualTime(asyncio.SelectorEventLoop):
    """An event loop whose clock moves only while nothing can happen, and then to the next timer.

    Work in threads is waited for in real time, but for what says by :meth:`hang` that it hangs.
    """

    def __init__(self) -> None:
        super().__init__()
        self._now, self._busy = 0.0, 0
        self._select, self._selector.select = self._selector.select, self._wait  # type: ignore[attr-defined]

    def time(self) -> float:
        return self._now

    def run_in_executor(self, *work: Any) -> Any:
        self._busy += 1
        future = super().run_in_executor(*work)
        future.add_done_callback(lambda ended: None if ended.cancelled() else self._freed())
        return future

    def hang(self, until: threading.Event) -> None:
        """Block a thread until ``until`` is set, with no virtual time in between."""
        self.call_soon_threadsafe(self._freed)
        assert until.wait(60)

    def _freed(self) -> None:
        self._busy -= 1

    def _wait(self, timeout: float | None) -> Any:
        events = self._select(None if self._busy and timeout != 0 else 0)
        if not events and timeout:
            self._now += timeout
        return events


def in_virtual_time(asked: Coroutine[Any, Any, T]) -> T:
    """What ``asked`` gives; however long it waits for nothing, it takes no time."""
    with asyncio.Runner(loop_factory=VirtualTime) as runner:
        return runner.run(asked)


class Says:
    """A router that decides as told: by domain a decision, an error, or a call to await."""

    def __init__(self, name: str = "first", **said: Any) -> None:
        self.name, self.said = name, said
        self.calls: list[Domain] = []

    async def decide(self, domain: Domain, question: Question) -> Any:
        self.calls.append(domain)
        await asyncio.sleep(0)  # lets the others begin
        said = self.said.get(domain, decision(domain))
        if callable(said):
            said = await said()
        if isinstance(said, BaseException):
            raise said
        return said


class Has:
    """A source that has what it is given, or fails so; its version can be set."""

    def __init__(self, domain: Domain, *found: Evidence, fails: Exception | None = None,
                 version: str = "1", attribution: str = "") -> None:
        self.domain: Domain = domain
        self.attribution = attribution
        self.found, self.fails, self.now = found or (evidence(domain),), fails, version
        self.asked: list[Decision] = []

    def version(self, question: Question) -> str:
        if self.fails:
            raise self.fails
        return self.now

    def find(self, question: Question, decision: Decision) -> FoundEvidence:
        self.asked.append(decision)
        if self.fails:
            raise self.fails
        return FoundEvidence(self.found)


class Remembers:
    """What the engine asks of campaigns; ``opening`` is what calls wait for."""

    def __init__(self, opening: str = "", resolve: Callable[..., Any] = lambda name, campaign: SimpleNamespace(title=name, campaign=campaign or ""),
                 save_routing: Callable[..., str] = lambda *_: "", traits: Callable[..., tuple[str, ...]] = lambda *_: ()) -> None:
        self.opening, self.resolve, self.save_routing, self.traits = opening, resolve, save_routing, traits

    def __call__(self) -> Any:
        return self


class Writes(Model):
    """A model that writes the given texts in turn, or raises; it keeps what it was asked."""

    name, tools = "double", False

    def __init__(self, *said: str | Exception | ModelReply) -> None:
        self.said, self.requests = list(said), list[ModelRequest]()
        self.lock = threading.Lock()

    def complete(self, request: ModelRequest) -> ModelReply:
        with self.lock:
            self.requests.append(request)
            said = self.said.pop(0)
        if isinstance(said, Exception):
            raise said
        return said if isinstance(said, ModelReply) else ModelReply(said)


def engine(routers: Sequence[Any] | None = None, sources: Sequence[Any] | None = None,
           model: Any = None, **more: Any) -> CentralEngine:
    """An engine of three domains whose parts do as they are told."""
    return CentralEngine(
        [Says()] if routers is None else routers,
        [Has(domain) for domain in THREE] if sources is None else sources,
        model, **{"timeout": 5.0, **more},
    )
