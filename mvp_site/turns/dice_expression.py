"""Dice expressions: read and evaluated by ``d20`` within stated limits, with numbers from outside.

``d20`` draws from the global ``random`` and rerolls dice in the order of a set; its dice and its
selections are replaced here, so that the numbers and their order follow from a turn's seed.
"""

from __future__ import annotations

import re
import threading
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from math import floor
from types import SimpleNamespace
from typing import Any, Final, NoReturn

from ..errors import DiceError
from .types import Advantage

MAX_CHARS: Final = 100
MAX_DICE: Final = 100
MAX_SIZE: Final = 1_000
MAX_NUMBER: Final = 10_000
MAX_DEPTH: Final = 10
MAX_TOTAL: Final = 1_000_000
EXAMPLE: Final = "2d20kh1+5"

_ALLOWED: Final = frozenset("0123456789abcdefghijklmnopqrstuvwxyz+-*/%(),<>=!. ")
_COMPARISONS: Final = frozenset(("==", ">=", "<=", "!=", "<", ">"))
_WORD: Final = r"(?:(?:with|at) *)?(?P<word>adv(?:antage)?|dis(?:adv(?:antage)?)?)"
# Not of the grammar, but how people write it: "1d20+5 adv", "d20 advantage + 5".
_ADVANTAGE: Final = (
    re.compile(rf"1?d20(?P<rest>(?!\d).*?) *{_WORD}"), re.compile(rf"1?d20 *{_WORD} *(?P<rest>.*)")
)
_LOCK: Final = threading.Lock()


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression that was read; ``tree`` is that of ``d20``.

    ``modifier`` is the sum of its numbers where it is a plain sum of dice and numbers, else 0;
    ``advantage`` says whether it throws d20s and keeps the highest, or the lowest, one.
    """

    text: str
    tree: Any
    modifier: int
    advantage: Advantage


@lru_cache(maxsize=512)
def read_expression(text: str) -> Expression:
    """What ``text`` asks for, in at most milliseconds whatever it is.

    Letters may be capitals. At most ``MAX_CHARS`` characters, ``MAX_DICE`` dice of at most
    ``MAX_SIZE`` sides, numbers to ``MAX_NUMBER``, parentheses ``MAX_DEPTH`` deep; at least one die.

    Raises:
        DiceError: it cannot be read, or is beyond a limit; the message names it and an example.
    """
    if len(text) > MAX_CHARS:
        _refuse(text, f"{len(text):,} characters, and {MAX_CHARS} is the most")
    if not text.strip():
        _refuse(text, "nothing to roll")
    if odd := [character for character in text.lower() if character not in _ALLOWED]:
        _refuse(text, f"the character {odd[0]!a} has no meaning in it")
    depth = 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if depth > MAX_DEPTH:
            _refuse(text, f"parentheses more than {MAX_DEPTH} deep")
    tree = _parsed(text, _without_words(text.strip().lower()))
    nodes = [*_nodes(tree)]
    for node in nodes:
        for problem in _problems(node):
            _refuse(text, problem)
    dice = sum(node.num for node in nodes if _kind(node) == "Dice")
    if not 1 <= dice <= MAX_DICE:
        _refuse(text, f"{dice:,} dice, and {MAX_DICE} is the most" if dice else "no dice in it")
    modifier = _constant(tree) or 0
    if abs(modifier) > MAX_NUMBER:
        _refuse(text, f"its modifier is {modifier:,}, and {MAX_NUMBER:,} is the most")
    kept = {found for node in nodes for found in _kept(node)}
    return Expression(text, tree, modifier, kept.pop() if len(kept) == 1 else "none")


def evaluate(expression: Expression, throw: Callable[[int], int],
             ) -> tuple[tuple[int, ...], int]:
    """The numbers of all dice thrown, in order, dropped and rerolled ones too; and the total.

    ``throw(size)`` gives each die's number as it is thrown. The total is rounded down. Dice are
    thrown from left to right, then each operation's.

    Raises:
        DiceError: more than ``MAX_DICE`` dice (a reroll or explosion that does not end), a
            division by zero, or a total beyond ``MAX_TOTAL``.
    """
    d20 = _d20()
    dice: list[int] = []

    def thrown(size: int) -> int:
        if len(dice) == MAX_DICE:
            _refuse(expression.text, f"more than {MAX_DICE} dice with those rerolled and added")
        dice.append(throw(size))
        return dice[-1]

    try:
        exact = d20.roller(thrown).total(expression.tree)
    except d20.error:
        _refuse(expression.text, "it divides by zero")
    total = floor(round(exact, 9))
    if abs(total) > MAX_TOTAL:
        _refuse(expression.text, f"its total is beyond {MAX_TOTAL:,}")
    return tuple(dice), total


def _refuse(text: str, problem: str) -> NoReturn:
    """Raise the error that names the expression, what is wrong, and a good one."""
    short = text if len(text) <= 40 else f"{text[:40]}…"
    raise DiceError(f"dice expression {short!a}: {problem}; write one such as {EXAMPLE}")


@cache
def _d20() -> Any:
    """The parser of ``d20``, its errors, and a roller for dice whose numbers are handed in.

    Called under the lock at first: it is imported on first use, since it builds its parser for
    0.1 s, and the filters for warnings that are set meanwhile belong to all threads.
    """
    with warnings.catch_warnings():
        # lark-parser 0.9, which d20 asks for, imports sre_parse.
        warnings.simplefilter("ignore", DeprecationWarning)
        d20, model = import_module("d20"), import_module("d20.expression")

    class Die(model.Die):  # type: ignore[misc, name-defined]
        def _add_roll(self) -> None:
            self.values.append(model.Literal(self._context(self.size)))

    class Dice(model.Dice):  # type: ignore[misc, name-defined]
        @classmethod
        def new(cls, num: int, size: int, context: Any = None) -> Any:
            return cls(num, size, [Die.new(size, context=context) for _ in range(num)],
                       context=context)

        def roll_another(self) -> None:
            self.values.append(Die.new(self.size, context=self._context))

    class Chosen(list[Any]):
        def difference(self, others: Any) -> Chosen:
            return Chosen(one for one in self if one not in others)

    class Operator(model.SetOperator):  # type: ignore[misc, name-defined]
        def select(self, target: Any, max_targets: int | None = None) -> Chosen:
            found: dict[Any, None] = {}
            for selector in self.sels:
                choose = {"l": selector.lowestn, "h": selector.highestn, "<": selector.lessthan,
                          ">": selector.morethan}.get(selector.cat, selector.literal)
                found |= dict.fromkeys(choose(target))
            return Chosen([*found][:max_targets])

    class Roller(d20.Roller):  # type: ignore[misc, name-defined]
        def total(self, node: Any) -> Any:
            return self._eval(node).total

        def _eval_dice(self, node: Any) -> Any:
            return Dice.new(node.num, node.size, context=self.context)

        def _eval_operatedset(self, node: Any) -> Any:
            target = self._eval(node.value)
            for operation in node.operations:
                Operator.from_ast(operation).operate(target)
            return target

    return SimpleNamespace(
        parser=d20.diceast.parser, roller=Roller, error=d20.RollError,
        syntax=import_module("lark.exceptions").LarkError,
    )


def _parsed(text: str, plain: str) -> Any:
    """The syntax tree that ``d20`` reads from ``plain``.

    Not by its ``Roller``, whose cache takes "1d20 5" and "1d205" for the same.
    """
    with _LOCK:
        d20 = _d20()
        try:
            return d20.parser.parse(plain, start="expr").roll
        except d20.syntax as found:
            place = getattr(found, "column", None)
            where = f"at character {place}" if isinstance(place, int) else "at its end"
    _refuse(text, f"it cannot be read {where}")


def _without_words(plain: str) -> str:
    """``plain`` with a word for advantage or disadvantage made into dice of the grammar."""
    for pattern in _ADVANTAGE:
        if found := pattern.fullmatch(plain):
            kept = "kh1" if found["word"].startswith("adv") else "kl1"
            return f"2d20{kept}{found['rest']}"
    return plain


def _kind(node: Any) -> str:
    return type(node).__name__


def _nodes(root: Any) -> Iterator[Any]:
    yield root
    for child in root.children:
        yield from _nodes(child)


def _problems(node: Any) -> Iterator[str]:
    """Why a node is not rolled; nothing where it is."""
    operations = getattr(node, "operations", ())
    numbers = [selector.num for operation in operations for selector in operation.sels]
    if _kind(node) == "Literal":
        if not isinstance(node.value, int):
            yield f"{node.value} is no whole number"
        numbers = [node.value]
    elif _kind(node) == "BinOp" and node.op in _COMPARISONS:
        yield f"the comparison {node.op} is not rolled; give a DC or AC"
    elif _kind(node) == "Dice" and isinstance(node.size, str):
        yield "d% is written d100"
    elif _kind(node) == "Dice" and node.num < 1:
        yield "0 dice, and 1 is the least"
    elif _kind(node) == "Dice" and not 1 <= node.size <= MAX_SIZE:
        yield f"a die of {node.size:,} sides, and 1 to {MAX_SIZE:,} can be rolled"
    for operation in operations:
        if operation.op in {"mi", "ma"} and any(selector.cat for selector in operation.sels):
            yield f"{operation.op} takes a number, as in 1d20{operation.op}10"
    if (largest := max(numbers, default=0)) > MAX_NUMBER:
        yield f"the number {largest:,}, and {MAX_NUMBER:,} is the most"


def _constant(node: Any) -> int | None:
    """The sum of the numbers in a plain sum of numbers and dice; None where it is none."""
    kind, found = _kind(node), None
    if kind == "Literal":
        found = int(node.value)
    elif kind in ("Dice", "OperatedDice", "OperatedSet"):
        found = 0 if _pool(node) else None
    elif kind == "Parenthetical":
        found = _constant(node.value)
    elif kind == "UnOp" and (below := _constant(node.value)) is not None:
        found = below if node.op == "+" else -below
    elif kind == "BinOp" and node.op in ("+", "-"):
        one, other = _constant(node.left), _constant(node.right)
        if one is not None and other is not None:
            found = one + other if node.op == "+" else one - other
    return found


def _pool(node: Any) -> Any:
    """The dice that a node is, or does something with; None where it is no dice."""
    node = getattr(node, "value", node) if hasattr(node, "operations") else node
    while _kind(node) == "Parenthetical":
        node = node.value
    return node if _kind(node) == "Dice" else None


def _kept(node: Any) -> Iterator[Advantage]:
    """Which one of several d20s a node keeps."""
    pool = _pool(node)
    operations = getattr(node, "operations", ())
    if not operations or pool is None or pool.size != 20 or pool.num < 2:
        return
    ways: dict[tuple[str, str, int], Advantage] = {
        ("k", "h", 1): "advantage", ("p", "l", pool.num - 1): "advantage",
        ("k", "l", 1): "disadvantage", ("p", "h", pool.num - 1): "disadvantage",
    }
    for operation in operations:
        only = operation.sels[0] if len(operation.sels) == 1 else None
        if only and (found := ways.get((operation.op, only.cat, only.num))):
            yield found
