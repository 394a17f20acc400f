"""The hand: the rolls of a turn as the narrator gets them, from the tool or off the tray.

With the tool, a roll that was not made yet is asked for and the turn is told once it is there. A
roll that cannot be had is None, and the scene goes without.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ...llm.protocol import ToolCall
from .reading import ROLL_TOOL, Reading


@dataclass(frozen=True, slots=True)
class Throw:
    """One die and a modifier, thrown for a purpose; ``target`` is None where nothing is tested."""

    sides: int
    modifier: int
    purpose: str
    target: Literal["DC", "AC"] | None = None
    value: int = 0

    @property
    def expression(self) -> str:
        """The throw in dice notation."""
        return f"1d{self.sides}{self.modifier:+}" if self.modifier else f"1d{self.sides}"


class Hand:
    """The rolls of one turn. ``entries`` are those used, ``wanted`` the one to ask for."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._drawn: dict[int, int] = {}
        self.entries: list[Mapping[str, Any]] = []
        self.wanted: Throw | None = None

    def throw(self, throw: Throw) -> Mapping[str, Any] | None:
        """The entry of the next roll, or None where there is none, or none yet."""
        number = len(self.entries)
        entry: Mapping[str, Any] | None = None
        if self._reading.tools:
            if number < len(self._reading.rolls):
                entry = self._reading.rolls[number]
            elif self._reading.asked <= number:
                self.wanted = throw
        else:
            entry = self._off_tray(throw)
        if entry is not None:
            self.entries.append(entry)
        return entry

    def call(self) -> ToolCall | None:
        """The call that asks for the wanted roll."""
        if self.wanted is None:
            return None
        arguments: dict[str, Any] = {
            "expression": self.wanted.expression, "purpose": self.wanted.purpose,
        }
        if self.wanted.target:
            arguments[self.wanted.target.lower()] = self.wanted.value
        return ToolCall(f"offline_{len(self.entries) + 1}", ROLL_TOOL, json.dumps(arguments))

    def _off_tray(self, throw: Throw) -> Mapping[str, Any] | None:
        numbers = self._reading.tray.get(throw.sides, ())
        drawn = self._drawn.get(throw.sides, 0)
        if drawn >= len(numbers):
            return None
        self._drawn[throw.sides] = drawn + 1
        total = numbers[drawn] + throw.modifier
        return {
            "roll_id": f"r{len(self.entries) + 1}", "purpose": throw.purpose,
            "expression": throw.expression, "dice": [numbers[drawn]], "modifier": throw.modifier,
            "total": total, "advantage": "none",
            "target": {"kind": throw.target or "DC", "value": throw.value},
            "success": total >= throw.value if throw.target else True,
        }
