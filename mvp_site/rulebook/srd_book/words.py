"""Small pieces of print: ordinals, enumerations, figures, labelled lines and tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Final

from ...srd import AbilityValue, Amount, Choice, Cost, Ref

NOTHING: Final = "—"
"""What a cell or a line shows where the game has no value."""

_NUMBERS: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
)  # fmt: skip
_ORDINALS: Final = {1: "st", 2: "nd", 3: "rd"}
_TEENS: Final = range(11, 14)
_PREFIXES: Final = ("Skill: ", "Saving Throw: ")


def ordinal(number: int) -> str:
    """``1st``, ``2nd``, ``11th``."""
    ending = "th" if number % 100 in _TEENS else _ORDINALS.get(number % 10, "th")
    return f"{number}{ending}"


def number_word(number: int) -> str:
    """``two``; figures past ten."""
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)


def signed(number: int) -> str:
    """``+2``, ``+0``, ``-1``."""
    return f"{number:+d}"


def enumerated(items: Iterable[str], last: str = "and") -> str:
    """``a``, ``a and b``, ``a, b, and c``; empty for nothing."""
    listed = list(items)
    if len(listed) < 3:
        return f" {last} ".join(listed)
    return f"{', '.join(listed[:-1])}, {last} {listed[-1]}"


def listed(items: Iterable[str]) -> str:
    """``a, b, c``, or :data:`NOTHING`."""
    return ", ".join(items) or NOTHING


def bullets(items: Iterable[str]) -> str:
    """One block: a list of ``items``."""
    return "\n".join(f"- {item}" for item in items)


def labelled(label: str, value: str) -> str:
    """``**Label:** value``."""
    return f"**{label}:** {value}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """One block: a Markdown table, empty without rows; a bar within a cell is escaped."""
    lines = [_row(row) for row in rows]
    return "\n".join([_row(head), "|" + "---|" * len(head), *lines]) if lines else ""


def price(cost: Cost | None) -> str:
    """``5 gp``, or :data:`NOTHING`."""
    return NOTHING if cost is None else str(cost)


def pounds(weight: float | None) -> str:
    """``1/4 lb.``, ``1 1/2 lb.``, ``10 lb.``; :data:`NOTHING` for 0 and None."""
    if not weight:
        return NOTHING
    whole, rest = divmod(Fraction(weight).limit_denominator(100), 1)
    shown = " ".join(str(part) for part in (whole, rest) if part)
    return f"{shown} lb."


def dice(text: str) -> str:
    """``2d6 + 3`` of ``2d6+3``; what is spaced already stays."""
    return " ".join(text.replace("+", " + ").replace("-", " - ").split())


def names(refs: Iterable[Ref]) -> list[str]:
    """The names, those of proficiencies without the word for their sort."""
    found = []
    for ref in refs:
        name = ref.name
        for prefix in _PREFIXES:
            name = name.removeprefix(prefix)
        found.append(name)
    return found


def amount(item: Amount) -> str:
    """``four javelins``, or the name alone for one, as it reads within a sentence."""
    name = in_prose(item.ref.name)
    if item.quantity == 1:
        return name
    return f"{number_word(item.quantity)} {name if name.endswith('s') else f'{name}s'}"


def in_prose(name: str) -> str:
    """``light crossbow`` of ``Crossbow, light``: a name of a thing within a sentence."""
    thing, comma, kind = name.partition(", ")
    return f"{kind} {thing}".lower() if comma else name.lower()


def ability_values(values: Iterable[AbilityValue], sign: bool = False) -> list[str]:
    """``Strength 13``, or with ``sign`` ``Strength +2``."""
    return [f"{one.ability.name} {signed(one.value) if sign else one.value}" for one in values]


def choice_text(choice: Choice) -> str:
    """``choose two from A, B, and C``."""
    return f"choose {number_word(choice.count)} from {enumerated(names(choice.options))}"


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
