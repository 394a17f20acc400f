"""Dice expressions: sums of whole numbers and dice, evaluated with numbers from outside.

A die may be kept (``kh``, ``kl``), rerolled once (``ro``) or raised (``mi``): what the fifth
edition rolls. Everything else is refused, so that each expression has one meaning and ends.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NoReturn

from ..errors import DiceError
from .types import Advantage

MAX_CHARS: Final = 100
MAX_DICE: Final = 100
MAX_SIZE: Final = 1_000
MAX_NUMBER: Final = 10_000
EXAMPLE: Final = "2d20kh1+5"

_TERM: Final = re.compile(
    r" *(?P<sign>[+-]) *(?:(?P<number>\d+)(?!d)|"
    r"(?P<count>\d*)d(?P<size>\d+)(?P<changes>(?:[a-z]+<?\d+)*[a-z]*))(?![\d(])", re.ASCII
)
_CHANGE: Final = re.compile(r"(kh|kl)(\d*)|(ro<?|mi)(\d+)")


@dataclass(frozen=True, slots=True)
class DiceTerm:
    """``count`` dice of ``size`` sides, added or taken away by ``sign``.

    ``changes`` are made to the thrown dice: ``kh`` or ``kl`` keeps so many of the highest or
    lowest; ``ro`` rerolls once those of a number, ``ro<`` those below it; ``mi`` raises to it.
    """

    sign: int
    count: int
    size: int
    changes: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression that was read: its dice, and the sum of its numbers as ``modifier``.

    ``advantage`` says whether it throws d20s and keeps the highest, or the lowest, one.
    """

    terms: tuple[DiceTerm, ...]
    modifier: int
    advantage: Advantage


@lru_cache(maxsize=512)
def read_expression(text: str) -> Expression:
    """What ``text`` asks for. Letters may be capitals.

    At most ``MAX_CHARS`` characters, ``MAX_DICE`` dice of at most ``MAX_SIZE`` sides, numbers to
    ``MAX_NUMBER``; at least one die.

    Raises:
        DiceError: it cannot be read, or is beyond a limit; the message names it and an example.
    """
    if len(text) > MAX_CHARS:
        _refuse(text, f"{len(text):,} characters, and {MAX_CHARS} is the most")
    plain = text.strip().lower()
    if not plain:
        _refuse(text, "nothing to roll")
    signed = plain if plain[0] in "+-" else f"+{plain}"
    terms: list[DiceTerm] = []
    modifier = at = 0
    while at < len(signed):
        match = _TERM.match(signed, at)
        if match is None:
            rest = signed[at:].lstrip("+ ")[:20]
            _refuse(text, f"it cannot be read from {rest!a} on: it may add whole numbers and dice "
                    "with kh, kl, ro or mi; give a DC or AC beside it")
        at = match.end()
        sign = -1 if match["sign"] == "-" else 1
        if match["number"] is not None:
            modifier += sign * _number(text, match["number"])
        else:
            terms.append(_term(text, sign, match))
    dice = sum(term.count for term in terms)
    if not 1 <= dice <= MAX_DICE:
        _refuse(text, f"{dice:,} dice, and {MAX_DICE} is the most" if dice else "no dice in it")
    if abs(modifier) > MAX_NUMBER:
        _refuse(text, f"its modifier is {modifier:,}, and {MAX_NUMBER:,} is the most")
    return Expression(tuple(terms), modifier, _advantage(terms))


def evaluate(expression: Expression, throw: Callable[[int], int]) -> tuple[tuple[int, ...], int]:
    """The numbers of all dice thrown, in order, dropped and rerolled ones too; and the total.

    ``throw(size)`` gives each die's number as it is thrown: a term's dice from left to right, then
    those that its changes reroll.
    """
    dice: list[int] = []
    total = expression.modifier

    def thrown(size: int) -> int:
        dice.append(throw(size))
        return dice[-1]

    for term in expression.terms:
        rolls = [thrown(term.size) for _ in range(term.count)]
        for kind, bound in term.changes:
            if kind in {"ro", "ro<"}:
                again = operator.eq if kind == "ro" else operator.lt
                rolls = [thrown(term.size) if again(number, bound) else number for number in rolls]
            elif kind == "mi":
                rolls = [max(number, bound) for number in rolls]
            else:
                rolls = sorted(rolls, reverse=kind == "kh")[:bound]
        total += term.sign * sum(rolls)
    return tuple(dice), total


def _term(text: str, sign: int, match: re.Match[str]) -> DiceTerm:
    count, size = int(match["count"] or "1"), int(match["size"])
    if count < 1:
        _refuse(text, "0 dice, and 1 is the least")
    if not 1 <= size <= MAX_SIZE:
        _refuse(text, f"a die of {size:,} sides, and 1 to {MAX_SIZE:,} can be rolled")
    if rest := _CHANGE.sub("", match["changes"]):
        _refuse(text, f"{rest!a} cannot be done to dice: only kh, kl, ro, mi")
    return DiceTerm(sign, count, size, tuple(
        (change[1] or change[3], _number(text, change[2] or change[4] or "1"))
        for change in _CHANGE.finditer(match["changes"])
    ))


def _number(text: str, digits: str) -> int:
    number = int(digits)
    if number > MAX_NUMBER:
        _refuse(text, f"the number {number:,}, and {MAX_NUMBER:,} is the most")
    return number


def _advantage(terms: list[DiceTerm]) -> Advantage:
    """Which one of several d20s is kept, if all terms that keep one keep the same."""
    kinds = {
        kind for term in terms if term.size == 20 and term.count > 1
        for kind, kept in term.changes if kind in {"kh", "kl"} and kept == 1
    }
    if len(kinds) != 1:
        return "none"
    return "advantage" if kinds == {"kh"} else "disadvantage"


def _refuse(text: str, problem: str) -> NoReturn:
    """Raise the error that names the expression, what is wrong, and a good one."""
    short = text if len(text) <= 40 else f"{text[:40]}…"
    raise DiceError(f"dice expression {short!a}: {problem}; write one such as {EXAMPLE}")
