"""What an expression comes to with numbers that are handed in, die by die.

The meaning is that of ``d20``, which draws from the global ``random`` and rerolls dice in the
order of a set; here the numbers come from outside, in the order in which dice are thrown.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor
from typing import Final

from .dice_expression import (
    MAX_DICE,
    Binary,
    Expression,
    Group,
    Literal,
    Node,
    Operated,
    Operation,
    Pool,
    Selector,
    Signed,
    refuse,
)

MAX_TOTAL: Final = 1_000_000
_ARITHMETIC: Final[dict[str, Callable[[Fraction, Fraction], Fraction]]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "//": lambda left, right: Fraction(left // right), "%": operator.mod,
}


@dataclass(frozen=True, slots=True)
class Thrown:
    """The numbers of all dice thrown, in order, dropped and rerolled ones too; and the total."""

    dice: tuple[int, ...]
    total: int


def evaluate(expression: Expression, throw: Callable[[int], int]) -> Thrown:
    """What ``expression`` comes to; ``throw(size)`` gives each die's number as it is thrown.

    The total is rounded down. Dice are thrown from left to right, then each operation's.

    Raises:
        DiceError: more than ``MAX_DICE`` dice (a reroll or explosion that does not end), a
            division by zero, or a total beyond ``MAX_TOTAL``.
    """
    table = _Table(expression.text, throw)
    try:
        total = floor(table.part(expression.root).total)
    except ZeroDivisionError:
        refuse(expression.text, "it divides by zero")
    if abs(total) > MAX_TOTAL:
        refuse(expression.text, f"its total is beyond {MAX_TOTAL:,}")
    return Thrown(tuple(table.dice), total)


@dataclass(slots=True, eq=False)
class _Part:
    """A value on the table: a number, or the sum of its parts. A dropped one counts 0."""

    number: Fraction = Fraction(0)
    parts: list[_Part] | None = None
    kept: bool = True

    @property
    def total(self) -> Fraction:
        if not self.kept:
            return Fraction(0)
        if self.parts is None:
            return self.number
        return sum((part.total for part in self.parts), Fraction(0))

    @property
    def choices(self) -> list[_Part]:
        """What an operation chooses from: the parts still kept, or the value itself."""
        return [part for part in ([self] if self.parts is None else self.parts) if part.kept]


@dataclass(slots=True)
class _Table:
    """The dice on the table while one expression is rolled."""

    text: str
    throw: Callable[[int], int]
    dice: list[int] = field(default_factory=list)

    def part(self, node: Node) -> _Part:
        """The value of a node."""
        match node:
            case Literal(value=value):
                return _Part(Fraction(value))
            case Pool(count=count, size=size):
                return _Part(parts=[_Part(self._die(size)) for _ in range(count)])
            case Signed(sign=sign, value=value):
                return _Part(sign * self.part(value).total)
            case Binary(op=op, left=left, right=right):
                return _Part(_ARITHMETIC[op](self.part(left).total, self.part(right).total))
            case Group(members=members):
                return _Part(parts=[self.part(member) for member in members])
            case Operated(value=value, operations=operations):
                part = self.part(value)
                size = value.size if isinstance(value, Pool) else 0
                for operation in operations:
                    self._operate(part, operation, size)
                return part

    def _die(self, size: int) -> Fraction:
        if len(self.dice) == MAX_DICE:
            refuse(self.text, f"more than {MAX_DICE} dice with those rerolled and added")
        number = self.throw(size)
        self.dice.append(number)
        return Fraction(number)

    def _operate(self, part: _Part, operation: Operation, size: int) -> None:
        """Do one operation; those that throw dice again are on dice of ``size`` only."""
        chosen = _chosen(part, operation.selectors)
        match operation.op:
            case "k":
                for choice in part.choices:
                    choice.kept = choice in chosen
            case "p":
                for choice in chosen:
                    choice.kept = False
            case "ro":
                self._reroll(chosen, size)
            case "rr":
                while chosen:
                    self._reroll(chosen, size)
                    chosen = _chosen(part, operation.selectors)
            case "ra":
                self._add(part, len(chosen[:1]), size)
            case "e":
                self._explode(part, operation.selectors, size)
            case bound:
                number = Fraction(operation.selectors[-1].number)
                for choice in part.choices:
                    choice.number = (max if bound == "mi" else min)(choice.number, number)

    def _explode(self, part: _Part, selectors: Sequence[Selector], size: int) -> None:
        done: list[_Part] = []
        while chosen := [choice for choice in _chosen(part, selectors) if choice not in done]:
            self._add(part, len(chosen), size)
            done += chosen

    def _reroll(self, chosen: Sequence[_Part], size: int) -> None:
        for choice in chosen:
            choice.number = self._die(size)

    def _add(self, part: _Part, count: int, size: int) -> None:
        if part.parts is not None:
            part.parts.extend(_Part(self._die(size)) for _ in range(count))


def _chosen(part: _Part, selectors: Sequence[Selector]) -> list[_Part]:
    """The parts that any selector means, each once; of equal ones the first thrown."""
    chosen: list[_Part] = []
    for selector in selectors:
        choices, number = part.choices, selector.number
        match selector.kind:
            case "l":
                found = sorted(choices, key=lambda choice: choice.total)[:number]
            case "h":
                found = sorted(choices, key=lambda choice: -choice.total)[:number]
            case "<":
                found = [choice for choice in choices if choice.total < number]
            case ">":
                found = [choice for choice in choices if choice.total > number]
            case _:
                found = [choice for choice in choices if choice.total == number]
        chosen += [choice for choice in found if choice not in chosen]
    return chosen
