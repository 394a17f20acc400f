"""Texts of D&D Beyond as its sheet shows them: templates as their values, tags as their names."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable
from typing import Final

Value = Callable[[str], float | str | None]
"""What a name in a template stands for, as ``modifier:dex``; None for a name that is unknown."""
_TEMPLATE: Final = re.compile(r"((?:\d{0,3}d\d{1,3}|\+)\s?)?\{\{([^{}]*)\}\}")
_TAG: Final = re.compile(r"\[([a-z][a-z-]{0,30})\](.{0,600}?)\[/\1\]", re.IGNORECASE | re.DOTALL)
_NAME: Final = re.compile(r"[a-z]+(?::[a-z]{3}(?:,[a-z]{3})*)?")
_LIMIT: Final = re.compile(r"(min|max):(-?\d+)|(roundup)")
_SIGNED: Final = re.compile(r"(?:modifier|spellattack):[a-z]{3}|proficiency")
_LONGEST: Final = 120
_UNKNOWN: Final = "…"


def shown(text: str, value: Value) -> str:
    """``text`` without templates and tags; what cannot be worked out is an ellipsis."""
    text = _TEMPLATE.sub(lambda match: _filled(match[1] or "", match[2], value), text)
    # A tag has what is meant before what is shown, but for dice, which have their roll behind it.
    return _TAG.sub(lambda match: match[2].split(";{")[0].rpartition(";")[2].strip(), text)


def _filled(before: str, template: str, value: Value) -> str:
    """The value of a template with the die or the plus that stands before it."""
    expression, _, rest = template.lower().replace(" ", "").partition("@")
    expression, _, form = expression.partition("#")
    result = value(expression) if _NAME.fullmatch(expression) else None
    if isinstance(result, str):
        return before + result
    if result is None:
        result = _worked_out(expression, value)
    if result is None:
        return before + _UNKNOWN
    up = False
    for kind, limit, rounding in _LIMIT.findall(rest):
        up = up or bool(rounding)
        if kind:
            result = (max if kind == "min" else min)(result, int(limit))
    whole = math.ceil(result) if up else math.floor(result)
    form += rest
    if "unsigned" in form or "+" in before or not (
            "signed" in form or _SIGNED.fullmatch(expression)):
        return f"{before}{whole}"
    return f"{before.strip()} {'-' if whole < 0 else '+'} {abs(whole)}" if before else f"{whole:+d}"


def _worked_out(expression: str, value: Value) -> float | None:
    """The number that sums, products and names in brackets make; None where one is not known."""
    names = {name: value(name) for name in _NAME.findall(expression)}
    if len(expression) > _LONGEST or not all(
            isinstance(name, (int, float)) for name in names.values()):
        return None
    try:
        tree = ast.parse(_NAME.sub(lambda name: f"({names[name[0]]})", expression), mode="eval")
        return _sum(tree.body)
    except (SyntaxError, ValueError, ZeroDivisionError):
        return None


def _sum(node: ast.AST) -> float:
    """Raises ValueError for what is no arithmetic."""
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_sum(node.operand)
    if isinstance(node, ast.BinOp):
        left, right = _sum(node.left), _sum(node.right)
        for operator, result in ((ast.Add, left + right), (ast.Sub, left - right),
                                 (ast.Mult, left * right)):
            if isinstance(node.op, operator):
                return result
        if isinstance(node.op, ast.Div):
            return left / right
    raise ValueError
