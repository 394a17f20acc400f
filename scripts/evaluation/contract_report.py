"""What came of the contract's turns: breaches by rule and mode, fallbacks, tokens. Pure.

A turn's first answer is that of the first attempt that gave one, its last that of the last: the
difference is what asking again is worth. Turns without any answer count as failed, and in no share
of answers.

Shares have 95 % intervals by Wilson's score (E. B. Wilson, JASA 22 (1927), 209-212). They hold for
few turns and for shares near 0 and 1, where the usual ones do not: no breach in 72 turns still
leaves up to 5 %.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from mvp_site.llm.protocol import Usage
from mvp_site.turns.checking import RULES
from mvp_site.turns.types import Attempt
from mvp_site.types import MODES

from .report import Item, Table, lines

if TYPE_CHECKING:
    from .contract import Taken

ANY: Final = "any rule"
RULE_NAMES: Final = RULES
_FAILURES_SHOWN: Final = 5
_Z: Final = 1.959963984540054
"""The normal distribution's 97.5 % quantile."""


def share(count: int, of: int) -> dict[str, Any]:
    """``count`` of ``of`` turns, with the bounds of its interval, all of [0, 1] of no turns."""
    if of == 0:
        return {"count": 0, "of": 0, "low": 0.0, "high": 1.0}
    part, weight = count / of, _Z * _Z / of
    middle = (part + weight / 2) / (1 + weight)
    reach = _Z / (1 + weight) * math.sqrt(part * (1 - part) / of + weight / (4 * of))
    low = 0.0 if count == 0 else max(0.0, middle - reach)
    high = 1.0 if count == of else min(1.0, middle + reach)
    return {"count": count, "of": of, "low": low, "high": high}


def condition(name: str, taken: Sequence[Taken]) -> dict[str, Any]:
    """One condition as JSON values.

    ``rules[rule][group]`` tells how many turns break a rule with the ``first`` answer and with the
    ``last``, of those answered. It has every rule, and first :data:`ANY`; groups are ``all`` and
    the modes. ``fallbacks`` counts all turns, by group, and ``reasons`` why; ``attempts`` says how
    many turns took 1, 2, … of them. ``sparse`` turns had no passage.
    """
    groups = {"all": taken} | {
        mode: [one for one in taken if one.turn.mode == mode] for mode in MODES
    }
    return {
        "name": name, "turns": len(taken), "answered": sum(bool(one.answers) for one in taken),
        "failed": {one.turn.id: one.failure for one in taken if one.failure},
        "rules": {
            rule: {group: _breaches(rule, held) for group, held in groups.items()}
            for rule in (ANY, *RULE_NAMES)
        },
        "fallbacks": {
            group: share(sum(one.fallback is not None for one in held), len(held))
            for group, held in groups.items()
        },
        "reasons": _counted([one.fallback for one in taken if one.fallback]),
        "attempts": _counted([str(len(one.attempts)) for one in taken if one.attempts]),
        "usage": asdict(sum((tried.usage for one in taken for tried in one.attempts), Usage())),
        "sparse": sum(not one.chunks for one in taken if not one.error),
    }


def _breaches(rule: str, taken: Sequence[Taken]) -> dict[str, Any]:
    answered = [one.answers for one in taken if one.answers]

    def broken(attempt: Attempt) -> bool:
        return any(rule in {ANY, violation.rule} for violation in attempt.violations)

    return {
        name: share(sum(broken(answers[at]) for answers in answered), len(answered))
        for name, at in (("first", 0), ("last", -1))
    }


def _counted(values: Sequence[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))


def page(ran: Mapping[str, Any], conditions: Sequence[Mapping[str, Any]]) -> Iterator[Item]:
    """The report for people: of the rules, those that were broken."""
    yield f"{ran['model']}: {ran['turns']} turns in two conditions"
    yield from lines(ran)
    for one in conditions:
        yield f"\n{one['name']}: turns whose first and last answers break a rule (95 % interval)"
        rows = [
            (
                name, _shown(found["all"]["first"]), _shown(found["all"]["last"]),
                *(
                    f"{found[mode]['first']['count']}→{found[mode]['last']['count']}"
                    f"/{found[mode]['last']['of']}" for mode in MODES
                ),
            )
            for name, found in one["rules"].items()
            if name == ANY or found["all"]["first"]["count"] or found["all"]["last"]["count"]
        ]
        told = one["fallbacks"]
        rows.append((
            "fallback", "", _shown(told["all"]),
            *(f"{told[mode]['count']}/{told[mode]['of']}" for mode in MODES),
        ))
        yield Table(("rule", "first", "last", *MODES), tuple(rows))
        failed = list(one["failed"].items())
        yield from lines({
            name: value for name, value in one.items()
            if name not in {"name", "rules", "fallbacks", "failed"}
        })
        yield from (f"failed {turn}: {why}" for turn, why in failed[:_FAILURES_SHOWN])
        if len(failed) > _FAILURES_SHOWN:
            yield f"failed {len(failed) - _FAILURES_SHOWN} more"


def _shown(share: Mapping[str, Any]) -> str:
    """A count of turns with the 95 % interval of its share, in per cent."""
    if not share["of"]:
        return "-"
    return f"{share['count']}/{share['of']} ({100 * share['low']:.0f}–{100 * share['high']:.0f} %)"
