"""The response contract: an answer's text in, what it says and every rule it breaks out.

The schema says what fields an answer has; :mod:`mvp_site.turns.rules` what a schema cannot say.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from .rules import FRAME_RULES, RULES, Context, Facts, Rule
from .rules.frame import MODE_LINES, Split, split_answer
from .rules.shape import schema, schema_violations
from .state import apply_state_updates, update_problems
from .types import Hint, Violation

MAX_PER_RULE: Final = 20

__all__ = [
    "MAX_PER_RULE", "MODE_LINES", "RULES", "Checked", "Facts", "Rule", "Split", "check",
    "claimed_rolls", "schema", "schema_violations", "split_answer",
]


@dataclass(frozen=True, slots=True)
class Checked:
    """What came of a check.

    ``answer`` is the object, or None where it does not parse; it keeps the contract if there is
    no violation. ``state_after`` is the state with its updates, or None where they cannot be
    applied. ``warnings`` are what may break a rule and may be plain prose.
    """

    answer: Mapping[str, Any] | None
    violations: tuple[Violation, ...]
    state_after: Mapping[str, Any] | None
    warnings: tuple[Violation, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the answer keeps the contract."""
        return not self.violations


def check(raw: str, facts: Facts) -> Checked:
    """The answer ``raw`` with every violation of the contract, in the order of ``RULES``.

    Each is named once, with at most ``MAX_PER_RULE`` of one rule. Of an answer that does not parse
    only the frame is looked at. Pure; the work is bounded by
    :data:`~mvp_site.turns.rules.frame.MAX_CHARS`.
    """
    split = split_answer(raw, facts.mode)
    if split.answer is None:
        return Checked(None, _found(FRAME_RULES, Context(facts, None, split.violations))[0], None)
    updates = split.answer.get("state_updates")
    problems = update_problems(facts.state, updates) if isinstance(updates, Mapping) else ()
    told = {f"state_updates.{problem.path}" for problem in problems}
    shape = schema_violations(split.answer, facts.mode, deep_think=facts.deep_think)
    context = Context(
        facts, split.answer, split.violations,
        tuple(found for found in shape if found.path not in told), problems,
    )
    after = None
    if isinstance(updates, Mapping) and not problems:
        after = apply_state_updates(facts.state, updates)
    violations, warnings = _found(RULES, context)
    return Checked(split.answer, violations, after, warnings)


def claimed_rolls(raw: str) -> tuple[Any, ...]:
    """The entries of ``dice_rolls`` as the answer ``raw`` has them; none where it has no list.

    What they are is not looked at. Where dice come from a tray they say which rolls were made.
    """
    answer = split_answer(raw, "story").answer or {}
    claimed = answer.get("dice_rolls")
    return tuple(claimed) if isinstance(claimed, list) else ()


def _found(rules: tuple[Rule, ...], context: Context,
           ) -> tuple[tuple[Violation, ...], tuple[Violation, ...]]:
    """What ``rules`` find, one violation for each rule and path; and so the hints."""
    found: tuple[list[Violation], list[Violation]] = [], []
    for rule in rules:
        of_rule: tuple[dict[str, Violation], dict[str, Violation]] = {}, {}
        for violation in rule.check(context):
            of_rule[isinstance(violation, Hint)].setdefault(
                violation.path or violation.message, violation)
            if len(of_rule[False]) == MAX_PER_RULE:
                break
        for known, of_kind in zip(found, of_rule, strict=True):
            known.extend(list(of_kind.values())[:MAX_PER_RULE])
    return tuple(found[False]), tuple(found[True])
