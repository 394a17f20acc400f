"""Needles over somebody's own archive: turns with the words that must be printed for each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Final

from pydantic import Field

from ..text.normalising import normalise
from ..types import Mode, SparseReason
from .operation import CLI, declared
from .prompts import MAX_TEXT, AskedVersion, History, State, messages
from .requests import OperationRequest
from .services import Services

MAX_NEEDLES: Final = 10_000


@dataclass(frozen=True, slots=True)
class Needle(OperationRequest):
    """A turn, and the words that the passages printed for it must contain.

    A needle that expects nothing is off topic: nothing may be printed for it.
    """

    text: Annotated[str, Field(max_length=MAX_TEXT)]
    """What the player says."""
    expects: tuple[Annotated[str, Field(min_length=1)], ...]
    """Words that must be printed; none for a turn that is off topic."""
    mode: Mode = "story"
    history: History = ()
    state: State | None = None


@dataclass(frozen=True, slots=True)
class EvaluateNeedles(OperationRequest):
    """Needles to judge a version by."""

    needles: Annotated[tuple[Needle, ...], Field(min_length=1, max_length=MAX_NEEDLES)]
    """Turns with what must be printed."""
    version: AskedVersion | None = None


@dataclass(frozen=True, slots=True)
class NeedleOutcome:
    """What came of a needle: the expected words that are ``missing``, the sections ``printed``."""

    text: str
    passed: bool
    missing: tuple[str, ...]
    printed: tuple[str, ...]
    tokens: int
    sparse_reason: SparseReason | None


@dataclass(frozen=True, slots=True)
class NeedleReport:
    """How many needles passed, and what came of each, in the order of the request.

    ``recall``: the share of on-topic needles whose words were all printed; ``refused``: the share
    of off-topic needles for which nothing was. Each is None where there is no such needle.
    """

    recall: float | None
    refused: float | None
    outcomes: tuple[NeedleOutcome, ...]


def _outcome(services: Services, version: str | None, needle: Needle) -> NeedleOutcome:
    plan = services.assembler(version).retrieve(
        needle.text, needle.mode, "god", messages(needle.history) or (), needle.state,
    )
    printed = normalise(" ".join(chunk.text for chunk in plan.chunks))
    missing = tuple(words for words in needle.expects if normalise(words) not in printed)
    passed = not missing if needle.expects else plan.sparse_reason is not None
    return NeedleOutcome(
        needle.text, passed, missing, tuple(chunk.section for chunk in plan.chunks), plan.tokens,
        plan.sparse_reason,
    )


@declared("eval", surfaces=CLI)
def evaluate_needles(services: Services, request: EvaluateNeedles, _: bool) -> NeedleReport:
    """Check turns of your own: what must be printed for each, and which are off topic.

    Each is asked as the most entitled audience.
    """
    outcomes = []
    for number, needle in enumerate(request.needles, 1):
        outcomes.append(_outcome(services, request.version, needle))
        services.progress("turns", number, len(request.needles))
    passed: Mapping[bool, list[bool]] = {True: [], False: []}
    for needle, outcome in zip(request.needles, outcomes, strict=True):
        passed[bool(needle.expects)].append(outcome.passed)
    return NeedleReport(_share(passed[True]), _share(passed[False]), tuple(outcomes))


def _share(passed: list[bool]) -> float | None:
    return sum(passed) / len(passed) if passed else None
