"""Rolls: ``dice_rolls`` are the rolls that were really made, all of them, shown as they fell.

A roll that was made against nothing may be shown against a target: it cannot be made anew, and to
show a check as DC 0 would turn it into a success. Of a d20 against an AC a 20 hits and a 1 misses,
whatever the total.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ...errors import DiceError
from ...text.json_values import at, number
from ..dice_expression import Expression, read_expression
from ..types import Roll, Violation
from .context import Context, quoted

_SHOWN: Final = 20
_D20: Final = 20


def roll_made(context: Context) -> Iterator[Violation]:
    """Each entry is a roll that was made, no two the same one."""
    rolls, used = _made(context), set[str]()
    for place, entry in context.entries:
        roll_id = entry.get("roll_id")
        if not isinstance(roll_id, str):
            continue
        if roll_id not in rolls:
            ids = ", ".join([*rolls][:_SHOWN]) or "none"
            mend = ("take the next numbers of the tray" if context.facts.tray else
                    "call roll_dice for each roll that you have not made")
            yield Violation("roll_made", f"{place}.roll_id", f"{quoted(roll_id)} is no roll "
                            f"that was made (made: {ids}); never invent a roll: {mend}")
        elif roll_id in used:
            yield Violation("roll_made", f"{place}.roll_id", f"{quoted(roll_id)} is used twice; "
                            "each entry has a roll of its own")
        else:
            roll = rolls[roll_id]
            real = {"expression": roll.expression, "dice": list(roll.dice),
                    "modifier": roll.modifier, "total": roll.total}
            for field, value in real.items():
                if _differs(stated := entry.get(field), value):
                    yield Violation("roll_made", f"{place}.{field}", f"is {stated!s:.80}, and the "
                                    f"roll {roll.id} has {value!s:.80}; never alter a roll")
        used.add(roll_id)


def _made(context: Context) -> dict[str, Roll]:
    """The rolls that were made, by their ids."""
    return {roll.id: roll for roll in context.facts.rolls}


def _differs(stated: Any, real: Any) -> bool:
    """Whether a shown value is another than the roll's; what is of a wrong type is no number."""
    if isinstance(real, str):
        return isinstance(stated, str) and _dice(stated) != _dice(real)
    if isinstance(real, list):
        return isinstance(stated, list) and (
            any(number(die) is None for die in stated) or sorted(stated) != sorted(real)
        )
    return number(stated) is not None and bool(stated != real)


def _dice(expression: object) -> Expression | None:
    """What an entry's expression throws, however it is written; None where it cannot be rolled."""
    try:
        return read_expression(expression) if isinstance(expression, str) else None
    except DiceError:
        return None


def roll_shown(context: Context) -> Iterator[Violation]:
    """Every roll of the turn is an entry, in the order made: none is left out for a better one.

    A deep think may show none, so one that was made there all the same cannot be asked for.
    """
    if context.facts.deep_think:
        return
    rolls = [*_made(context)]
    roll_ids = [entry.get("roll_id") for _, entry in context.entries]
    ids = list(dict.fromkeys(roll_id for roll_id in roll_ids if roll_id in rolls))
    missing = [roll_id for roll_id in rolls if roll_id not in ids]
    # An entry that names no roll is perhaps the one that is missing: roll_made says so.
    if len(missing) > sum(roll_id not in rolls for roll_id in roll_ids):
        yield Violation("roll_shown", "dice_rolls", f"lacks {', '.join(missing)}; show every roll "
                        "that was made in this turn, in the order made, those before a refused "
                        "answer too")
    elif ids != [roll_id for roll_id in rolls if roll_id in ids]:
        yield Violation("roll_shown", "dice_rolls", f"shows {', '.join(ids)}; the order in which "
                        f"the rolls were made is {', '.join(rolls)}")


def roll_target(context: Context) -> Iterator[Violation]:
    """An entry's target is the roll's, and its success follows from the total."""
    rolls = _made(context)
    for place, entry in context.entries:
        kind, value = at(entry, "target", "kind"), number(at(entry, "target", "value"))
        if kind not in ("DC", "AC") or value is None:
            continue
        roll_id = entry.get("roll_id")
        roll = rolls.get(roll_id) if isinstance(roll_id, str) else None
        if roll and roll.target is not None and (kind, value) != (roll.target, roll.value):
            yield Violation("roll_target", f"{place}.target", f"is {kind} {value}, and the "
                            f"roll {roll.id} was made against {roll.target} {roll.value}")
        total, success = number(entry.get("total")), entry.get("success")
        if (total is not None and isinstance(success, bool) and success != (total >= value)
                and not _either_way(entry, kind, total, value)):
            reaches = "reaches" if total >= value else "does not reach"
            yield Violation("roll_target", f"{place}.success", f"is {str(success).lower()}, and "
                            f"{total} {reaches} {kind} {value}")


def _either_way(entry: Mapping[str, Any], kind: str, total: float, value: float) -> bool:
    """Whether the total alone does not decide: a natural 20 or 1 of an attack, or no test."""
    if value == 0 and total < 0:
        return True
    dice, expression = entry.get("dice"), _dice(entry.get("expression"))
    thrown = [die for die in map(number, dice if isinstance(dice, list) else ()) if die is not None]
    if kind != "AC" or not thrown or not expression or expression.terms[0].size != _D20:
        return False
    mode = expression.advantage
    natural = thrown[0] if mode == "none" else (max if mode == "advantage" else min)(thrown[:2])
    return natural in (1, 20)


def roll_dice(context: Context) -> Iterator[Violation]:
    """With advantage or disadvantage both dice are shown, and the expression says so."""
    for place, entry in context.entries:
        advantage, dice = entry.get("advantage"), entry.get("dice")
        expression = entry.get("expression")
        if advantage not in ("none", "advantage", "disadvantage"):
            continue
        dice_asked = _dice(expression)
        says = dice_asked.advantage if dice_asked else "none"
        if isinstance(expression, str) and says != advantage:
            meaning = "a roll without either" if says == "none" else f"rolled with {says}"
            yield Violation("roll_dice", f"{place}.advantage", f"is {advantage}, and "
                            f"{quoted(expression)} is {meaning}")
        if advantage != "none" and isinstance(dice, list) and len(dice) < 2:
            yield Violation("roll_dice", f"{place}.dice", f"shows {len(dice)} dice; with "
                            f"{advantage} show both, the dropped one too")
