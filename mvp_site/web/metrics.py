"""Metrics in Prometheus' text format, on a registry of the app's own, and the last one by one."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from ..errors import CampaignConflictError, InvalidTurnError
from ..operations.services import Played
from ..turns.types import TurnRequest, TurnResult
from ..types import AssembledTurn
from .limits import Places

CONTENT_TYPE: Final = CONTENT_TYPE_PLAIN_0_0_4
_QUICK: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
_SLOW: Final = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0)
_COUNTERS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "turns": (
        ("Turns played, by mode and outcome: valid, valid_after_reask, fallback_contract, "
        "fallback_model, fallback_tokens, refused, conflict, failed, left."), ("mode", "outcome"),
    ),
    "sparse_turns": (
        "Assembled or played turns for which no passage was printed, by reason.", ("reason",),
    ),
    "assembled_prompts": ("Prompts assembled without a turn played.", ("version", "mode")),
    "violations": ("Rules that answers of the model broke, by rule.", ("rule",)),
    "model_tokens": (
        "Tokens of the model's requests and answers: input, output, cache_read, cache_write.",
        ("kind",),
    ),
    "retrieved_tokens": ("Tokens of the retrieved passages, as printed.", ()),
    "requests": ("Requests answered, by route and status.", ("route", "status")),
}
LAST: Final = 100
"""How many prompts, and how many failures, are kept one by one."""


@dataclass(frozen=True, slots=True)
class Failed:
    """A request that failed for no fault of who asked."""

    when: datetime
    route: str
    status: int
    message: str
    campaign: str = ""


class Metrics:
    """What the app counts. One process counts for itself.

    ``since`` is when it began; ``assembling`` has the last prompts, each with its milliseconds,
    ``failures`` the last requests that failed.
    """

    def __init__(self) -> None:
        self.since = datetime.now(UTC)
        self.assembling: deque[tuple[datetime, float]] = deque(maxlen=LAST)
        self.failures: deque[Failed] = deque(maxlen=LAST)
        self._registry = CollectorRegistry()
        self._counters = {
            name: Counter(f"mvp_site_{name}_total", about, labels, registry=self._registry)
            for name, (about, labels) in _COUNTERS.items()
        }
        self._assemble_seconds = Histogram(
            "mvp_site_assemble_seconds", "Seconds that the assembly of a prompt took.",
            buckets=_QUICK, registry=self._registry,
        )
        self._turn_seconds = Histogram(
            "mvp_site_turn_seconds", "Seconds that a whole turn took, by mode.", ("mode",),
            buckets=_SLOW, registry=self._registry,
        )

    def assembled(self, turn: AssembledTurn, seconds: float) -> None:
        """Count a prompt that took ``seconds``."""
        self._count("assembled_prompts", turn.telemetry["version"], turn.telemetry["mode"])
        self._assemble_seconds.observe(seconds)
        self._prompt(turn.telemetry)

    def played(self, result: TurnResult, seconds: float) -> None:
        """Count a turn that took ``seconds``, its attempts and its tokens."""
        if result.fallback is not None:
            outcome = f"fallback_{result.fallback}"
        else:
            outcome = "valid" if len(result.attempts) <= 1 else "valid_after_reask"
        self._count("turns", result.mode, outcome)
        self._turn_seconds.labels(result.mode).observe(seconds)
        for attempt in result.attempts:
            for violation in attempt.violations:
                self._count("violations", violation.rule)
        for kind in ("input", "output", "cache_read", "cache_write"):
            self._count("model_tokens", kind, by=getattr(result.usage, f"{kind}_tokens"))
        self._prompt(result.telemetry)

    @contextmanager
    def playing(self, places: Places, turn: TurnRequest) -> Iterator[Played]:
        """A place for ``turn`` among ``places``, and what counts its result.

        Raises:
            RequestError: 409 or 503, where too many turns are under way.
        """
        with places.place(turn.campaign_id):
            started = time.perf_counter()
            try:
                yield lambda result: self.played(result, time.perf_counter() - started)
            except GeneratorExit:
                self._count("turns", turn.mode, "left")
                raise
            except Exception as error:
                error.add_note(turn.campaign_id)  # for :meth:`failed`
                refused = "refused" if isinstance(error, InvalidTurnError) else "failed"
                conflict = isinstance(error, CampaignConflictError)
                self._count("turns", turn.mode, "conflict" if conflict else refused)
                raise

    def answered(self, route: str, status: int) -> None:
        """Count a request that was answered."""
        self._count("requests", route, str(status))

    def failed(self, route: str, status: int, message: str, campaign: str = "") -> None:
        """Keep a request that failed, with the campaign whose turn it was."""
        self.failures.append(Failed(datetime.now(UTC), route, status, message, campaign))

    def counted(self, name: str, label: int = 0) -> dict[str, int]:
        """What a counter of :data:`_COUNTERS` has, by one of its labels, the most first."""
        counts: dict[str, int] = {}
        for sample in next(iter(self._counters[name].collect())).samples:
            if sample.name.endswith("_total"):
                key = [*sample.labels.values(), ""][label]
                counts[key] = counts.get(key, 0) + int(sample.value)
        return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))

    def text(self) -> bytes:
        """All of it, as Prometheus reads it."""
        return generate_latest(self._registry)

    def _prompt(self, event: Mapping[str, Any]) -> None:
        if event.get("retrieval_sparse"):
            self._count("sparse_turns", str(event.get("sparse_reason")))
        self._count("retrieved_tokens", by=event["tokens"]["retrieved"] or 0)
        spent = event["ms"]["retrieve"] + event["ms"]["assemble"]
        self.assembling.append((datetime.now(UTC), spent))

    def _count(self, name: str, *labels: str, by: float = 1) -> None:
        counter = self._counters[name]
        (counter.labels(*labels) if labels else counter).inc(by)
