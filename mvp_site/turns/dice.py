"""Dice of a turn: seeded, numbered rolls, the tray that is printed, and the model's tool.

The k-th number of a die size follows from the seed, the size and k alone: it is the same whatever
else was thrown in between, in every process, on every machine and with every version of Python.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256
from itertools import count
from typing import Any, Final

from ..errors import DiceError
from ..llm.protocol import ToolCall, ToolResult
from ..text.json_values import at
from ..text.normalising import clean
from .dice_expression import EXAMPLE, evaluate, read_expression
from .tools import CallError, read_call
from .types import Roll, Target

MAX_ROLLS: Final = 30
MAX_VALUE: Final = 1_000
MAX_PURPOSE: Final = 200
TRAY: Final[Mapping[int, int]] = {20: 12, 12: 8, 10: 8, 8: 8, 6: 16, 4: 8, 100: 8}
TOOL: Final = "roll_dice"
_EXAMPLE: Final = f'{{"expression": "{EXAMPLE}", "purpose": "Stealth", "dc": 13}}'


def number_of(seed: int, size: int, index: int) -> int:
    """The number, 1 to ``size``, that a seed's die of ``size`` sides shows at its throw ``index``.

    Every number is equally likely: 64 bits of SHA-256, drawn again where they would favour low
    numbers. The text that is hashed is fixed; a change of it would make old turns unrepeatable.
    """
    fair = 2**64 - 2**64 % size
    drawn = fair
    for again in count():
        digest = sha256(f"mvp-site dice 1:{seed}:{size}:{index}:{again}".encode()).digest()
        drawn = int.from_bytes(digest[:8], "big")
        if drawn < fair:
            break
    return drawn % size + 1


class Dice:
    """The dice of one turn: rolls r1, r2, … from the streams of ``seed``."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._thrown: Counter[int] = Counter()
        self._rolls: list[Roll] = []

    @property
    def rolls(self) -> tuple[Roll, ...]:
        """What was rolled, in order."""
        return tuple(self._rolls)

    def roll(self, expression: str, purpose: str = "", target: Target | None = None,
             value: int | None = None, roll_id: str = "") -> Roll:
        """The next roll, against ``value`` where there is a target; ``r1`` if it is the first.

        DC 0 is a roll against nothing, as in ``dice_rolls``. ``purpose`` is cut at
        ``MAX_PURPOSE`` characters. A roll that is refused takes no number from a stream.

        Raises:
            DiceError: the expression cannot be rolled, or ``MAX_ROLLS`` were made.
        """
        if target == "DC" and value == 0:
            target = value = None
        expression = expression.strip()
        read = read_expression(expression)
        if len(self._rolls) >= MAX_ROLLS:
            raise DiceError(f"{MAX_ROLLS} rolls were made, and that is the most for one turn; "
                            "go on with those")
        thrown = self._thrown.copy()

        def throw(size: int) -> int:
            thrown[size] += 1
            return number_of(self.seed, size, thrown[size] - 1)

        dice, total = evaluate(read, throw)
        self._thrown = thrown
        self._rolls.append(Roll(
            id=roll_id or f"r{len(self._rolls) + 1}", expression=expression,
            purpose=clean(purpose)[:MAX_PURPOSE], dice=dice, modifier=read.modifier,
            total=total, advantage=read.advantage, target=target, value=value,
            success=None if value is None else total >= value,
        ))
        return self._rolls[-1]

    def tray(self) -> str:
        """The first numbers of each size of ``TRAY``, a line for each, as ``d20: 14 3 17``.

        They do not depend on what was rolled. A turn that throws more dice than are printed needs
        the tool.
        """
        return "\n".join(
            f"d{size}: {' '.join(str(number_of(self.seed, size, k)) for k in range(many))}"
            for size, many in TRAY.items()
        )


def tray_rolls(dice: Dice, entries: Sequence[Any]) -> tuple[Roll, ...]:
    """The rolls that ``entries`` of ``dice_rolls`` would really have made from the tray, in order.

    From the beginning of the streams of ``dice`` which stay as they are.
    Expression, purpose and target are the entry's; the roll of the k-th entry is ``r{k}``. An
    entry that is no object, or whose expression cannot be rolled, makes no roll and takes no
    number; one whose target cannot be read makes a roll without a target, so that those after it
    keep their numbers.
    """
    fresh = Dice(dice.seed)
    for number, entry in enumerate(entries[:MAX_ROLLS], 1):
        expression = entry.get("expression") if isinstance(entry, Mapping) else None
        if not isinstance(expression, str):
            continue
        purpose = entry.get("purpose")
        target, value = _read_target(entry.get("target"))
        try:
            fresh.roll(expression, purpose if isinstance(purpose, str) else "", target, value,
                       f"r{number}")
        except DiceError:
            continue
    return fresh.rolls


def entry(roll: Roll) -> dict[str, Any]:
    """``roll`` as it stands in ``dice_rolls``; one against nothing is DC 0 and succeeds."""
    return {
        "roll_id": roll.id, "purpose": roll.purpose, "expression": roll.expression,
        "dice": list(roll.dice), "modifier": roll.modifier, "total": roll.total,
        "advantage": roll.advantage,
        "target": {"kind": roll.target or "DC", "value": roll.value or 0},
        "success": True if roll.success is None else roll.success,
    }


def answer_call(dice: Dice, call: ToolCall) -> ToolResult:
    """What a call of ``roll_dice`` gives: the roll as an entry of ``dice_rolls``, in JSON.

    Where no roll can be made, the text says what was wrong, so that the model can call again:
    nothing is raised. A ``null`` argument counts as none, a missing ``purpose`` as an empty one.
    """
    try:
        arguments = read_call(call, TOOL, _EXAMPLE, purpose="")
        if "dc" in arguments and "ac" in arguments:
            raise CallError("both dc and ac are given; a roll has one target or none")
        target: Target | None = "DC" if "dc" in arguments else "AC" if "ac" in arguments else None
        value = int(arguments[target.lower()]) if target else None
        roll = dice.roll(arguments["expression"], arguments["purpose"], target, value)
    except (CallError, DiceError) as error:
        return ToolResult(call.id, f"No roll was made: {error}.")
    return ToolResult(call.id, json.dumps(entry(roll), ensure_ascii=False))


def _read_target(raw: object) -> tuple[Target | None, int | None]:
    """The target of an entry; none where it cannot be read."""
    kind, value = at(raw, "kind"), at(raw, "value")
    if kind in ("DC", "AC") and type(value) is int and 0 <= value <= MAX_VALUE:
        return kind, value
    return None, None
