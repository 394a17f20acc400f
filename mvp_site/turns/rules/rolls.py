"""Rolls: ``dice_rolls`` are the rolls that were really made, all of them, shown as they fell.

A roll that was made against nothing may be shown against a target: it cannot be made anew, and to
show a check as DC 0 would turn it into a success. Of a d20 against an AC a 20 hits and a 1 misses,
whatever the total.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from ..lettering import plain
from ..types import Roll, Violation
from .context import Context, Entry, Rule, at, number, quoted

_TWO_DICE: Final = re.compile(r"(?<!\d)[2-9]d20k([hl])1(?!\d)")
_SHOWN: Final = 20


def _roll_made(context: Context) -> Iterator[Violation]:
    made: dict[str, Roll] = {}
    for roll in context.facts.rolls:
        made.setdefault(roll.id, roll)
    used: Counter[str] = Counter()
    for entry in context.entries:
        roll_id = entry.fields.get("roll_id")
        if not isinstance(roll_id, str):
            continue
        used[roll_id] += 1
        found = made.get(roll_id)
        if found is None:
            ids = ", ".join(list(made)[:_SHOWN]) or "none"
            yield Violation("roll_made", entry.path("roll_id"), f"{quoted(roll_id)} is no roll "
                            f"that was made (made: {ids}); never invent a roll")
        elif used[roll_id] > 1:
            yield Violation("roll_made", entry.path("roll_id"), f"{quoted(roll_id)} is used twice; "
                            "each entry has a roll of its own")
        else:
            yield from _altered(entry, found)


def _altered(entry: Entry, roll: Roll) -> Iterator[Violation]:
    """What of a roll an entry shows otherwise."""
    fields = entry.fields
    for field, given, real in (
        ("expression", fields.get("expression"), roll.expression),
        ("dice", fields.get("dice"), list(roll.dice)),
        ("modifier", fields.get("modifier"), roll.modifier),
        ("total", fields.get("total"), roll.total),
    ):
        if _differs(given, real):
            yield Violation("roll_made", entry.path(field), f"is {given!s:.80}, and the roll "
                            f"{roll.id} has {real!s:.80}; never alter a roll")


def _differs(given: Any, real: Any) -> bool:
    """Whether a shown value is another than the roll's; what is of a wrong type is no number."""
    if isinstance(real, str):
        return isinstance(given, str) and _canonical(given) != _canonical(real)
    if isinstance(real, list):
        return isinstance(given, list) and (
            any(number(die) is None for die in given) or sorted(given) != sorted(real)
        )
    return number(given) is not None and given != real


def _canonical(expression: str) -> str:
    """An expression in its one form: ``D20 kh + 5`` is ``1d20kh1+5``."""
    joined = re.sub(r"\s", "", plain(expression)).casefold()
    counted = re.sub(r"(?<![\d)])d(?=[\d%])", "1d", joined).replace("d%", "d100")
    kept = re.sub(r"k([hl])(?!\d)", r"k\g<1>1", counted)
    return re.sub(r"[+-]0+(?!\d)", "", kept)


def _roll_shown(context: Context) -> Iterator[Violation]:
    """Every roll of the turn is an entry, in the order made: none is left out for a better one.

    A deep think may show none, so one that was made there all the same cannot be asked for.
    """
    if context.facts.deep_think:
        return
    made = list(dict.fromkeys(roll.id for roll in context.facts.rolls))
    found = [entry.fields.get("roll_id") for entry in context.entries]
    shown = list(dict.fromkeys(roll_id for roll_id in found if roll_id in made))
    missing = [roll_id for roll_id in made if roll_id not in shown]
    # An entry that names no roll is perhaps the one that is missing: roll_made says so.
    if len(missing) > sum(roll_id not in made for roll_id in found):
        yield Violation("roll_shown", "dice_rolls", f"lacks {', '.join(missing)}; show every roll "
                        "that was made in this turn, in the order made, those before a refused "
                        "answer too")
    elif shown != [roll_id for roll_id in made if roll_id in shown]:
        yield Violation("roll_shown", "dice_rolls", f"shows {', '.join(shown)}; the order in which "
                        f"the rolls were made is {', '.join(made)}")


def _roll_target(context: Context) -> Iterator[Violation]:
    for violation in context.shape:
        if violation.rule == "roll_target":
            yield violation
    made = {roll.id: roll for roll in reversed(context.facts.rolls)}
    for entry in context.entries:
        kind = at(entry.fields, "target", "kind")
        value = number(at(entry.fields, "target", "value"))
        if kind not in ("DC", "AC") or value is None:
            continue
        roll_id = entry.fields.get("roll_id")
        roll = made.get(roll_id) if isinstance(roll_id, str) else None
        if roll and roll.target is not None and (kind, value) != (roll.target, roll.value):
            yield Violation("roll_target", entry.path("target"), f"is {kind} {value}, and the "
                            f"roll {roll.id} was made against {roll.target} {roll.value}")
        total, success = number(entry.fields.get("total")), entry.fields.get("success")
        if total is None or not isinstance(success, bool) or _either_way(entry, kind, total, value):
            continue
        if success != (total >= value):
            reaches = "reaches" if total >= value else "does not reach"
            yield Violation("roll_target", entry.path("success"), f"is {str(success).lower()}, and "
                            f"{total} {reaches} {kind} {value}")


def _either_way(entry: Entry, kind: str, total: float, value: float) -> bool:
    """Whether the total alone does not decide: a natural 20 or 1 of an attack, or no test."""
    if value == 0 and total < 0:
        return True
    dice, expression = entry.fields.get("dice"), entry.fields.get("expression")
    if kind != "AC" or not isinstance(expression, str) or not isinstance(dice, list):
        return False
    thrown = [die for die in map(number, dice) if die is not None]
    canonical = _canonical(expression)
    if not thrown or not re.match(r"[0-9]+d20", canonical):
        return False
    kept = _TWO_DICE.match(canonical)
    natural = thrown[0] if kept is None else (max if kept[1] == "h" else min)(thrown[:2])
    return natural in (1, 20)


def _roll_dice(context: Context) -> Iterator[Violation]:
    for entry in context.entries:
        advantage, dice = entry.fields.get("advantage"), entry.fields.get("dice")
        expression = entry.fields.get("expression")
        if advantage not in ("none", "advantage", "disadvantage"):
            continue
        if isinstance(expression, str):
            kept = _TWO_DICE.search(_canonical(expression))
            says = "none" if kept is None else "advantage" if kept[1] == "h" else "disadvantage"
            if says != advantage:
                yield Violation("roll_dice", entry.path("advantage"), f"is {advantage}, and "
                                f"{quoted(expression)} is {_meaning(says)}")
        if advantage != "none" and isinstance(dice, list) and len(dice) < 2:
            yield Violation("roll_dice", entry.path("dice"), f"shows {len(dice)} dice; with "
                            f"{advantage} show both, the dropped one too")


def _meaning(advantage: str) -> str:
    return "a roll without either" if advantage == "none" else f"rolled with {advantage}"


ROLL_MADE: Final = Rule("roll_made", "Never invent, reuse or alter a number.", _roll_made)
ROLL_SHOWN: Final = Rule("roll_shown", "Show every roll, in order.", _roll_shown)
ROLL_TARGET: Final = Rule("roll_target", "Always show the DC or AC", _roll_target)
ROLL_DICE: Final = Rule(
    "roll_dice", "with advantage or disadvantage show both dice", _roll_dice
)
