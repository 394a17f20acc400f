"""Turn times, interleaved: every operation on a query before the next query, in random order."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt
from evaluation.needles import Needle

from mvp_site.text.normalising import normalise

from .handling import Handling, Stopwatch
from .ours import Ours, ask, log_telemetry
from .rival import Rival

UNCACHED: Final = "uncached turn"
PINNED: Final = "uncached turn with pins and 6,000 tokens"
UNIT: Final = "one encoding of the text"
REPEATED: Final = "repeated turn"
RETRIEVAL: Final = "repeated retrieval"
OVERHEAD: Final = "handling a turn, the rest"
RIVAL: Final = "rival's turn"
RIVAL_REPEATED: Final = "rival's repeated turn"
ROUNDS: Final = 7
"""How often each operation is timed on each query."""
_SEED: Final = 7
_CALLS: Final = 10
"""Calls that are timed as one where one takes microseconds."""

Seconds = npt.NDArray[np.float64]
Asked = TypeVar("Asked")


@dataclass(frozen=True, slots=True)
class Timed:
    """What is timed, prepared: ``run``, called ``times`` times in a row.

    ``apart``, where it is given, has run for those parts of it that are not to be counted.
    """

    run: Callable[[], object]
    times: int = 1
    apart: Stopwatch | None = None


Operation = Callable[[Needle], Timed]


@dataclass(frozen=True, slots=True)
class Spread:
    """A median over queries with the 10th and 90th percentile."""

    median: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds of each operation, one a query: the median of its rounds.

    ``cpu`` are the seconds that the processor worked for it: a busy machine disturbs them less.
    """

    seconds: Mapping[str, Seconds]
    cpu: Mapping[str, Seconds]

    def of(self, name: str) -> Spread:
        """The seconds of an operation."""
        return spread(self.seconds[name])

    def ratio(self, name: str, to: str) -> Spread:
        """How many times ``to`` an operation costs, query by query."""
        return spread(self.seconds[name] / self.seconds[to])

    def cpu_ratio(self, name: str, to: str) -> float:
        """The median of the same ratio in processor time."""
        return spread(self.cpu[name] / self.cpu[to]).median


def spread(values: Seconds) -> Spread:
    """The median of ``values`` and their 10th and 90th percentile."""
    low, median, high = np.percentile(values, [10, 50, 90])
    return Spread(float(median), float(low), float(high))


def operations(ours: Ours, rival: Rival, handling: Handling,
               ) -> dict[str, Operation]:
    """What is timed, by name."""
    return {
        UNCACHED: _uncached(ours),
        PINNED: _uncached(ours, pin=ours.pinned(), max_tokens_retrieved=6_000),
        UNIT: unit(ours), **_repeated(ours),
        OVERHEAD: overhead(handling),
        RIVAL: lambda needle: Timed(lambda: rival.turn(needle.query)),
        RIVAL_REPEATED: _rival_repeated(rival),
    }


def measure(timed: Mapping[str, Callable[[Asked], Timed]], queries: Sequence[Asked],
            step: Callable[[str], None], what: str = "turns") -> Times:
    """The times of all operations on all ``queries``; ``what`` they are is told on the way."""
    log_telemetry()
    shape = (len(queries), ROUNDS)
    seconds = {name: np.zeros(shape) for name in timed}
    cpu = {name: np.zeros(shape) for name in timed}
    shuffled = random.Random(_SEED)  # noqa: S311 - an order, not a secret
    for name, operation in timed.items():  # nobody pays for a first call
        step(f"warming up: {name}")
        for query in queries[:3]:
            operation(query).run()
    gc.collect()
    gc.freeze()  # what is loaded by now is not walked again in anybody's turn
    for number in range(ROUNDS):
        step(f"{what}, round {number + 1} of {ROUNDS}")
        for row, query in enumerate(queries):
            for name in shuffled.sample(list(timed), len(timed)):
                prepared = timed[name](query)
                started, working = time.perf_counter(), time.process_time()
                for _ in range(prepared.times):
                    prepared.run()
                worked = time.process_time() - working
                taken = time.perf_counter() - started
                if prepared.apart:
                    taken -= prepared.apart.seconds
                    worked -= prepared.apart.cpu
                seconds[name][row, number] = taken / prepared.times
                cpu[name][row, number] = worked / prepared.times
    gc.unfreeze()
    return Times(*(
        {name: np.median(values, axis=1) for name, values in held.items()}
        for held in (seconds, cpu)
    ))


def overhead(handling: Handling) -> Operation:
    """What is left of a handled turn without assembly, the model and the commit."""
    def prepare(needle: Needle) -> Timed:
        handler, request = handling.begin(needle)
        return Timed(lambda: handler.handle(request), apart=handling.apart)

    return prepare


def _uncached(ours: Ours, **more: Any) -> Operation:
    def prepare(needle: Needle) -> Timed:
        assembler = ours.assembler()
        said = [m.content for m in needle.history if m.role == "user"]
        if said:  # the turn before was a turn, too
            assembler.retrieve(said[-1], needle.mode, "god")
        return Timed(lambda: ask(assembler, needle, **more))

    return prepare


def unit(ours: Ours) -> Operation:
    """One encoding of the turn's text."""
    encoder = ours.served.encoder

    def prepare(needle: Needle) -> Timed:
        text = normalise(needle.query)
        return Timed(lambda: encoder.encode([text]))

    return prepare


def _repeated(ours: Ours) -> dict[str, Operation]:
    assembler = ours.assembler()

    def turn(needle: Needle) -> Timed:
        ask(assembler, needle)
        return Timed(lambda: ask(assembler, needle), _CALLS)

    def retrieval(needle: Needle) -> Timed:
        def run() -> object:
            return assembler.retrieve(
                needle.query, needle.mode, "god", needle.history, needle.state
            )

        run()
        return Timed(run, _CALLS)

    return {REPEATED: turn, RETRIEVAL: retrieval}


def _rival_repeated(rival: Rival) -> Operation:
    def prepare(needle: Needle) -> Timed:
        rival.turn(needle.query)
        return Timed(lambda: rival.turn(needle.query))

    return prepare
