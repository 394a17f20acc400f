"""Dice expressions: text in the grammar of ``d20``, read into a small tree within stated limits."""

from __future__ import annotations

import re
import threading
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from typing import Any, Final, NoReturn

from ..errors import DiceError
from .types import Advantage

MAX_CHARS: Final = 100
MAX_DICE: Final = 100
MAX_SIZE: Final = 1_000
MAX_NUMBER: Final = 10_000
MAX_DEPTH: Final = 10
EXAMPLE: Final = "2d20kh1+5"

_ALLOWED: Final = frozenset("0123456789abcdefghijklmnopqrstuvwxyz+-*/%(),<>=!. ")
_COMPARISONS: Final = frozenset(("==", ">=", "<=", "!=", "<", ">"))
_WORD: Final = r"(?:(?:with|at) )?(?P<word>adv(?:antage)?|dis(?:adv(?:antage)?)?)"
# Not of the grammar, but how people write it: "1d20+5 adv", "d20 advantage + 5".
_ADVANTAGE: Final = (
    re.compile(rf"1?d20(?P<rest>(?!\d).*?) *{_WORD}"), re.compile(rf"1?d20 *{_WORD} *(?P<rest>.*)")
)
_LOCK: Final = threading.Lock()


@dataclass(frozen=True, slots=True)
class Literal:
    """A number that is written out."""

    value: int


@dataclass(frozen=True, slots=True)
class Pool:
    """``count`` dice of ``size`` sides."""

    count: int
    size: int


@dataclass(frozen=True, slots=True)
class Signed:
    """A sign before a value."""

    sign: int
    value: Node


@dataclass(frozen=True, slots=True)
class Binary:
    """Two values and one of ``+ - * / // %`` between them."""

    op: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Group:
    """Values in parentheses with commas between them; their sum, unless some are dropped."""

    members: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Selector:
    """Which dice: the ``number`` lowest (l) or highest (h), or those <, > or = to ``number``."""

    kind: str
    number: int


@dataclass(frozen=True, slots=True)
class Operation:
    """What is done with them: k keep, p drop, rr ro reroll, e ra explode, mi ma bound."""

    op: str
    selectors: tuple[Selector, ...]


@dataclass(frozen=True, slots=True)
class Operated:
    """A pool or group with operations, done in order."""

    value: Node
    operations: tuple[Operation, ...]


Node = Literal | Pool | Signed | Binary | Group | Operated


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression that was read.

    ``modifier`` is the sum of its numbers where it is a plain sum of dice and numbers, else 0;
    ``advantage`` says whether it throws d20s and keeps the highest, or the lowest, one.
    """

    text: str
    root: Node
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
        refuse(text, f"{len(text):,} characters, and {MAX_CHARS} is the most")
    if not text.strip():
        refuse(text, "nothing to roll")
    if odd := [character for character in text.lower() if character not in _ALLOWED]:
        refuse(text, f"the character {odd[0]!a} has no meaning in it")
    _check_depth(text)
    plain = _without_words(text.strip().lower())
    root = _Reading(text).node(_parsed(text, plain).roll)
    dice = sum(node.count for node in _nodes(root) if isinstance(node, Pool))
    if not dice:
        refuse(text, "no dice in it")
    if dice > MAX_DICE:
        refuse(text, f"{dice:,} dice, and {MAX_DICE} is the most")
    modifier = _constant(root) or 0
    if abs(modifier) > MAX_NUMBER:
        refuse(text, f"its modifier is {modifier:,}, and {MAX_NUMBER:,} is the most")
    return Expression(text, root, modifier, _advantage(root))


def refuse(text: str, problem: str) -> NoReturn:
    """Raise the error that names the expression, what is wrong, and a good one."""
    short = text if len(text) <= 40 else f"{text[:40]}…"
    raise DiceError(f"dice expression {short!a}: {problem}; write one such as {EXAMPLE}")


@cache
def _grammar() -> tuple[Any, type[Exception]]:
    """The syntax tree module of ``d20``, with its parser, and the errors that the parser raises.

    Called under the lock: imported on first use, since it builds its parser for 0.1 s, and the
    filters for warnings that are set meanwhile belong to all threads.
    """
    with warnings.catch_warnings():
        # lark-parser 0.9, which d20 asks for, imports sre_parse.
        warnings.simplefilter("ignore", DeprecationWarning)
        grammar = import_module("d20.diceast")
    return grammar, import_module("lark.exceptions").LarkError


def _parsed(text: str, plain: str) -> Any:
    """The syntax tree that ``d20`` reads from ``plain``.

    Not by its ``Roller``, whose cache takes "1d20 5" and "1d205" for the same.
    """
    with _LOCK:
        grammar, error = _grammar()
        try:
            return grammar.parser.parse(plain, start="expr")
        except error as found:
            place = getattr(found, "column", None)
            where = f"at character {place}" if isinstance(place, int) else "at its end"
            problem = f"it cannot be read {where}"
    refuse(text, problem)


class _Reading:
    """The tree of ``d20`` made into ours, with every limit that holds for a single node."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._grammar = _grammar()[0]

    def node(self, found: Any) -> Node:
        """One node and all below it."""
        grammar = self._grammar
        while isinstance(found, grammar.Parenthetical):
            found = found.value
        if isinstance(found, grammar.Literal | grammar.Dice):
            return self._end(found)
        if isinstance(found, grammar.UnOp):
            return Signed(-1 if found.op == "-" else 1, self.node(found.value))
        if isinstance(found, grammar.BinOp):
            if found.op in _COMPARISONS:
                refuse(self._text, f"the comparison {found.op} is not rolled; give a DC or AC")
            return Binary(found.op, self.node(found.left), self.node(found.right))
        if isinstance(found, grammar.NumberSet):
            return Group(tuple(self.node(value) for value in found.values))
        return Operated(self.node(found.value), tuple(map(self._operation, found.operations)))

    def _end(self, found: Any) -> Literal | Pool:
        if isinstance(found, self._grammar.Dice):
            return self._pool(found.num, found.size)
        if not isinstance(found.value, int):
            refuse(self._text, f"{found.value} is no whole number")
        return Literal(self._number(found.value))

    def _pool(self, count: int, size: int | str) -> Pool:
        if isinstance(size, str):
            refuse(self._text, "d% is written d100")
        if count < 1:
            refuse(self._text, "0 dice, and 1 is the least")
        if not 1 <= size <= MAX_SIZE:
            refuse(self._text, f"a die of {size:,} sides, and 1 to {MAX_SIZE:,} can be rolled")
        return Pool(count, size)

    def _operation(self, found: Any) -> Operation:
        selectors = tuple(
            Selector(selector.cat or "=", self._number(selector.num)) for selector in found.sels
        )
        if found.op in {"mi", "ma"} and any(selector.kind != "=" for selector in selectors):
            refuse(self._text, f"{found.op} takes a number, as in 1d20{found.op}10")
        return Operation(found.op, selectors)

    def _number(self, value: int) -> int:
        if value > MAX_NUMBER:
            refuse(self._text, f"the number {value:,}, and {MAX_NUMBER:,} is the most")
        return value


def _check_depth(text: str) -> None:
    depth = 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if depth > MAX_DEPTH:
            refuse(text, f"parentheses more than {MAX_DEPTH} deep")


def _without_words(plain: str) -> str:
    """``plain`` with a word for advantage or disadvantage made into dice of the grammar."""
    for pattern in _ADVANTAGE:
        if found := pattern.fullmatch(plain):
            kept = "kh1" if found["word"].startswith("adv") else "kl1"
            return f"2d20{kept}{found['rest']}"
    return plain


def _nodes(root: Node) -> Iterator[Node]:
    yield root
    match root:
        case Signed(value=value) | Operated(value=value):
            yield from _nodes(value)
        case Binary(left=left, right=right):
            yield from _nodes(left)
            yield from _nodes(right)
        case Group(members=members):
            for member in members:
                yield from _nodes(member)


def _constant(root: Node) -> int | None:
    """The sum of the numbers in a plain sum of numbers and dice; None where it is none."""
    match root:
        case Literal(value=value):
            return value
        case Pool() | Operated(value=Pool()):
            return 0
        case Signed(sign=sign, value=below):
            constant = _constant(below)
            return None if constant is None else sign * constant
        case Binary(op="+" | "-" as op, left=left, right=right):
            one, other = _constant(left), _constant(right)
            if one is None or other is None:
                return None
            return one + other if op == "+" else one - other
        case _:
            return None


def _advantage(root: Node) -> Advantage:
    """Which one of several d20s is kept; ``none`` where that differs within the expression."""
    found: set[Advantage] = set()
    for node in _nodes(root):
        match node:
            case Operated(value=Pool(count=count, size=20), operations=operations) if count > 1:
                found.update(_kept(count, operations))
    return found.pop() if len(found) == 1 else "none"


def _kept(count: int, operations: tuple[Operation, ...]) -> Iterator[Advantage]:
    highest = {Operation("k", (Selector("h", 1),)), Operation("p", (Selector("l", count - 1),))}
    lowest = {Operation("k", (Selector("l", 1),)), Operation("p", (Selector("h", count - 1),))}
    for operation in operations:
        if operation in highest:
            yield "advantage"
        elif operation in lowest:
            yield "disadvantage"
