"""What came of the contract's turns: breaches by rule and mode, fallbacks, tokens. Pure.

A turn's first answer is that of the first attempt that gave one, its last that of the last: the
difference is what asking again is worth. Turns without any answer count as failed, and in no share
of answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from ..llm.protocol import Usage
from ..turns.contract import RULES
from ..turns.types import Attempt, FallbackReason
from ..types import MODES
from .turn_set import ContractTurn
from .wilson import Share, share

ANY: Final = "any rule"
RULE_NAMES: Final = tuple(rule.name for rule in RULES)


@dataclass(frozen=True, slots=True)
class Ran:
    """What was run. ``releases`` are fingerprints, ``answered_by`` the provider's model names.

    ``note`` says what the figures do not show. ``tools`` tells whether dice came by tool calls, or
    from the tray.
    """

    model: str
    answered_by: tuple[str, ...]
    note: str
    prompt_version: str
    releases: tuple[str, ...]
    packages: Mapping[str, str]
    turns: int
    turns_sha256: str
    seed: int
    max_attempts: int
    tools: bool
    retrieved_tokens: int
    context_tokens: int
    answer_tokens: int


@dataclass(frozen=True, slots=True)
class Taken:
    """One turn in one condition.

    ``error`` says why there is no result, where the handler itself refused the turn. ``chunks``
    counts the passages that were retrieved, ``model`` is what the provider calls the one that
    answered.
    """

    turn: ContractTurn
    condition: str
    attempts: tuple[Attempt, ...] = ()
    fallback: FallbackReason | None = None
    chunks: int = 0
    model: str = ""
    release: str = ""
    error: str = ""

    @property
    def answers(self) -> tuple[Attempt, ...]:
        """The attempts that gave an answer."""
        return tuple(attempt for attempt in self.attempts if not attempt.error)

    @property
    def failure(self) -> str:
        """Why there is no answer at all; '' where there is one."""
        return "" if self.answers else self.error or self.attempts[-1].error

    @property
    def usage(self) -> Usage:
        """The tokens of all attempts."""
        return sum((attempt.usage for attempt in self.attempts), Usage())


@dataclass(frozen=True, slots=True)
class Breaches:
    """How many turns break a rule with the first answer, and with the last, of those answered."""

    first: Share
    last: Share


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition. ``rules[rule][group]``: groups are ``all`` and the modes.

    ``rules`` has every rule, and first :data:`ANY`. ``fallbacks`` counts all turns, by group, and
    ``reasons`` why; ``attempts`` says how many turns took 1, 2, … of them. ``sparse`` turns had no
    passage.
    """

    name: str
    turns: int
    answered: int
    failed: Mapping[str, str]
    rules: Mapping[str, Mapping[str, Breaches]]
    fallbacks: Mapping[str, Share]
    reasons: Mapping[str, int]
    attempts: Mapping[str, int]
    usage: Usage
    sparse: int


@dataclass(frozen=True, slots=True)
class ContractReport:
    """Everything that one run showed."""

    ran: Ran
    conditions: tuple[Condition, ...]
    taken: tuple[Taken, ...]

    def as_dict(self, *, turns: bool = False) -> dict[str, Any]:
        """The report as plain JSON values; ``turns``: with every turn and what was answered."""
        report: dict[str, Any] = {
            "ran": asdict(self.ran), "conditions": [asdict(one) for one in self.conditions],
        }
        if turns:
            report["turns"] = [_account(one) for one in self.taken]
        return report


def report(ran: Ran, conditions: Sequence[str], taken: Iterable[Taken]) -> ContractReport:
    """The report of all turns that were taken."""
    every = tuple(taken)
    return ContractReport(
        ran,
        tuple(_condition(name, [t for t in every if t.condition == name]) for name in conditions),
        every,
    )


def _condition(name: str, taken: Sequence[Taken]) -> Condition:
    groups = {"all": taken} | {
        mode: [one for one in taken if one.turn.mode == mode] for mode in MODES
    }
    return Condition(
        name=name, turns=len(taken), answered=sum(bool(one.answers) for one in taken),
        failed={one.turn.id: one.failure for one in taken if one.failure},
        rules={
            rule: {group: _breaches(rule, held) for group, held in groups.items()}
            for rule in (ANY, *RULE_NAMES)
        },
        fallbacks={
            group: share(sum(one.fallback is not None for one in held), len(held))
            for group, held in groups.items()
        },
        reasons=_counted(one.fallback for one in taken if one.fallback),
        attempts=_counted(str(len(one.attempts)) for one in taken if one.attempts),
        usage=sum((one.usage for one in taken), Usage()),
        sparse=sum(not one.chunks for one in taken if not one.error),
    )


def _breaches(rule: str, taken: Iterable[Taken]) -> Breaches:
    answered = [one.answers for one in taken if one.answers]

    def counted(of: Callable[[tuple[Attempt, ...]], Attempt]) -> Share:
        return share(sum(_breaks(of(answers), rule) for answers in answered), len(answered))

    return Breaches(counted(lambda answers: answers[0]), counted(lambda answers: answers[-1]))


def _breaks(attempt: Attempt, rule: str) -> bool:
    broken = {violation.rule for violation in attempt.violations}
    return bool(broken) if rule == ANY else rule in broken


def _counted(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))


def _account(taken: Taken) -> dict[str, Any]:
    """One turn for the file: enough to see what a model did and why it counted."""
    return {
        "id": taken.turn.id, "condition": taken.condition, "mode": taken.turn.mode,
        "fallback": taken.fallback, "error": taken.error, "chunks": taken.chunks,
        "seed": taken.turn.seed, "attempts": [asdict(attempt) for attempt in taken.attempts],
    }
