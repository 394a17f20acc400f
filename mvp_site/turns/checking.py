"""The response contract: an answer's text in, what it says and every rule it breaks out.

The schema says what fields an answer has; :mod:`mvp_site.turns.rules` what a schema cannot say.
:mod:`mvp_site.turns.contracts` has what differs from one contract to another.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any, Final

from .contracts import BUILT_IN, Contract
from .mending import mended
from .rules import CHECKS, RULES, Context, Facts
from .rules.frame import FRAME, MODE_LINES, split_answer
from .rules.prose import terms_in, without_terms
from .rules.shape import schema
from .state import leaf_problems, update_problems
from .types import Hint, Violation

MAX_PER_RULE: Final = 20
MAX_PER_CHECK: Final = 2_000
TERMS: Final = "internal_terms"
UNREAD: Final = frozenset({"god_mode_response", "debug_info", "thinking", "context",
                           "state_updates", "dice_rolls"})
"""Fields in which internal terms may stand."""
GUESSES: Final = frozenset({"travel_time", "rest_time", "half_caster"})
"""Rules whose breach is guessed from a state's own names: a warning, unless checks are strict."""

__all__ = ["MAX_PER_RULE", "MODE_LINES", "RULES", "ContractCheck", "Facts", "check_answer",
           "claimed_rolls", "schema"]


@dataclass(frozen=True, slots=True)
class ContractCheck:
    """What came of a check.

    ``answer`` is the object, or None where it does not parse; it keeps the contract if there is
    no violation. ``state_after`` is the state with its updates, or None where they cannot be
    applied. ``warnings`` are what was repaired, and what may break a rule and may be plain prose.
    ``text`` is the answer as it is kept: as it came, or as it should have been written.
    """

    answer: Mapping[str, Any] | None
    violations: tuple[Violation, ...]
    state_after: Mapping[str, Any] | None
    warnings: tuple[Violation, ...] = ()
    text: str = ""


def check_answer(raw: str, facts: Facts, contract: Contract = BUILT_IN, *,
                 strict: bool = True) -> ContractCheck:
    """The answer ``raw`` with every violation of the contract, in the order of ``RULES``.

    Without ``strict`` a breach of one of ``GUESSES`` is a warning, and so is what leaves no doubt
    of what the answer says: that is repaired (:mod:`.rules.frame`, :mod:`.mending`). Each is named
    once, with at most ``MAX_PER_RULE`` of one rule. Of an answer that does not parse only the frame
    is looked at. Pure; the work is bounded by :data:`~mvp_site.turns.rules.frame.MAX_CHARS`.
    """
    checked = _check(raw, facts, contract, (), strict=strict)
    if strict or checked.answer is None or not checked.violations or not contract.turn_schema:
        return checked
    answer, mendings = mended(contract.turn_schema(facts), checked.answer)
    if not mendings:
        return checked
    frame = (fault for fault in checked.warnings if fault.rule in FRAME)
    return _check(contract.written(facts.mode, answer), facts, contract, (*frame, *mendings),
                  strict=False)


def cut_terms(checked: ContractCheck, facts: Facts, contract: Contract = BUILT_IN, *,
              strict: bool = True) -> ContractCheck | None:
    """The answer without the sentences that name internal terms, with a warning for each place.

    None where it breaks other rules too, or would then.
    """
    if checked.answer is None or {fault.rule for fault in checked.violations} != {TERMS}:
        return None
    answer = {key: value if key in UNREAD else _cut(value) for key, value in checked.answer.items()}
    rechecked = check_answer(contract.written(facts.mode, answer), facts, contract, strict=strict)
    if rechecked.violations:
        return None
    return replace(rechecked, warnings=(*(
        Hint(TERMS, fault.path, f"the sentence was cut: it {fault.message}")
        for fault in checked.violations), *rechecked.warnings))


def _cut(value: Any, label: str = "") -> Any:
    """A value whose texts name no internal term; an empty one is told as its record's label."""
    if isinstance(value, Mapping):
        return {key: entry if key in UNREAD else
                _cut(entry, key if isinstance(entry, Mapping) else label)
                for key, entry in value.items()}
    if isinstance(value, list):
        return [_cut(entry, label) for entry in value]
    if not isinstance(value, str) or not terms_in(value):
        return value
    return without_terms(value) or label.replace("_", " ").capitalize()


def _check(raw: str, facts: Facts, contract: Contract,
           earlier_violations: tuple[Violation, ...], *, strict: bool) -> ContractCheck:
    """The answer ``raw`` as :func:`check_answer` gives it, without a repair of its fields.

    ``earlier_violations`` were found while repairing the answer.
    """
    split = contract.split(raw, facts.mode)
    around = [Violation(fault.rule, fault.path, fault.message) if strict else fault
              for fault in split.violations]
    if split.answer is None:
        violations, warnings = _by_rule(around, contract.rules, strict=strict)
        return ContractCheck(None, violations, None, warnings)
    contract_fields = contract.read(split.answer)
    updates = contract_fields.get("state_updates")
    problems = update_problems(facts.state, updates) if isinstance(updates, Mapping) else ()
    if isinstance(updates, Mapping) and "state_name" in contract.rules:
        problems += leaf_problems(facts.state, updates, contract.leaves)
    context = Context(facts, contract_fields, problems, contract.leaves)
    faults = (islice(rule(context), MAX_PER_CHECK) for rule in CHECKS)
    violations, warnings = _by_rule(
        chain(earlier_violations, around, contract.shape(context), *faults),
        contract.rules, strict=strict,
    )
    after = context.after if isinstance(updates, Mapping) and not problems else None
    repaired = earlier_violations or any(isinstance(fault, Hint) for fault in around)
    text = contract.written(facts.mode, split.answer) if repaired else raw
    return ContractCheck(split.answer, violations, after, warnings, text)


def claimed_rolls(raw: str) -> tuple[Any, ...]:
    """The entries of ``dice_rolls`` as the answer ``raw`` has them; none where it has no list.

    What they are is not looked at. Where dice come from a tray they say which rolls were made.
    """
    claimed = (split_answer(raw, "story").answer or {}).get("dice_rolls")
    return tuple(claimed) if isinstance(claimed, list) else ()


def _by_rule(faults: Iterable[Violation], rules: Collection[str], *, strict: bool,
             ) -> tuple[tuple[Violation, ...], tuple[Violation, ...]]:
    """One violation per rule and path, in the order of rules; hints apart."""
    kinds: tuple[dict[str, dict[str, Violation]], ...] = tuple(
        {rule: {} for rule in RULES} for _ in range(2)
    )
    for violation in faults:
        hint = isinstance(violation, Hint) or (not strict and violation.rule in GUESSES)
        # What was repaired around an answer is told, whatever its contract asks.
        around = hint and violation.rule in FRAME and not violation.path
        if violation.rule not in rules and not around:
            continue
        of_rule = kinds[hint][violation.rule]
        of_rule.setdefault(violation.path or violation.message, violation)
    violations, hints = (
        tuple(chain(*(islice(of_rule.values(), MAX_PER_RULE) for of_rule in kind.values())))
        for kind in kinds
    )
    return violations, hints
