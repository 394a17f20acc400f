"""Small pieces of wording: numbers, prices and distances as people write them; lists, articles."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

_ORDINALS: Final = {1: "st", 2: "nd", 3: "rd"}
_TURNED: Final = re.compile(r"([^,()]+), ([^,()]*[^\W\d][^,()]*?)( \(.*\))?")
_DISTANCE: Final = re.compile(
    r"(self|touch)|([0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,7})[ -]*(?:(feet|foot|ft)|miles?)\b",
    re.IGNORECASE,
)
_DICE: Final = re.compile(r"([0-9]{0,3})d([0-9]{1,4})\s*(?:([+-])\s*([0-9]{1,4}))?", re.IGNORECASE)


def whole(value: float) -> int | float:
    """The number, an int where it is one."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def number(value: float) -> str:
    """A number without more digits than it has."""
    return f"{value:.10g}"


def ordinal(value: int) -> str:
    """``1st``, ``2nd``, ``11th``."""
    ending = "th" if value % 100 in range(11, 14) else _ORDINALS.get(value % 10, "th")
    return f"{value}{ending}"


def coins(gold: float) -> str:
    """A price in the largest coin that makes it a whole number, of gold, silver and copper."""
    for coin, worth in (("gp", 1), ("sp", 10), ("cp", 100)):
        amount = round(gold * worth, 6)
        if amount == int(amount):
            return f"{int(amount):,} {coin}"
    return f"{number(gold)} gp"


def feet_of(distance: str) -> int | None:
    """The feet of a range that opens with a distance, 0 for self, 5 for touch; None of others."""
    match = _DISTANCE.match(distance)
    if match is None:
        return None
    if match[1]:
        return 0 if match[1].casefold() == "self" else 5
    return int(match[2].replace(",", "")) * (1 if match[3] else 5_280)


def average(dice: str) -> int | float | None:
    """What dice such as ``2d6 + 1`` show on average; a plain number is itself; None of neither."""
    match = _DICE.fullmatch(dice.strip())
    if match is None:
        return int(dice) if dice.strip().isdecimal() else None
    more = int(f"{match[3]}{match[4]}") if match[3] else 0
    return max(0, whole(int(match[1] or 1) * (int(match[2]) + 1) / 2 + more))


def enumerated(items: Iterable[str], last: str = "and") -> str:
    """``a``, ``a and b``, ``a, b, and c``; empty for nothing."""
    listed = [item for item in items if item]
    if len(listed) < 3:
        return f" {last} ".join(listed)
    return f"{', '.join(listed[:-1])}, {last} {listed[-1]}"


def commas(*parts: str) -> str:
    """The parts that are not empty, with commas between them."""
    return ", ".join(part for part in parts if part)


def natural(name: str) -> str:
    """``light Crossbow`` of ``Crossbow, light``: a name of a thing as one says it."""
    turned = _TURNED.fullmatch(name)
    return f"{turned[2]} {turned[1]}{turned[3] or ''}" if turned else name


def counted(name: str, count: Any) -> str:
    """``torch``, ``10 torches``; what ends in s or a bracket stays."""
    thing = natural(name).lower()
    if count == 1:
        return thing
    plural = "es" if thing.endswith(("ch", "sh", "x")) else "s"
    return f"{count} {thing}{plural if thing[-1:].isalpha() and not thing.endswith('s') else ''}"


def sentence(text: str) -> str:
    """``text`` with a capital in front and an end."""
    text = text.strip()
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."
