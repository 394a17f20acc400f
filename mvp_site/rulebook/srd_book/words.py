"""Small pieces of print: figures, labelled lines, lists, tables and groups."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any, Final, TypeVar

from ...content.srd_documents.values import names
from ...content.wording import enumerated, natural
from ...srd import Amount, OptionChoice

NOTHING: Final = "—"
"""What a cell or a line shows where the game has no value."""

_NUMBERS: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
)  # fmt: skip
T = TypeVar("T")


def grouped(items: Iterable[T], key: Callable[[T], Any]) -> list[tuple[Any, list[T]]]:
    """The items by their keys, both in order."""
    return [(name, list(held)) for name, held in groupby(sorted(items, key=key), key)]


def number_word(number: int) -> str:
    """``two``; figures past ten."""
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)


def bullets(items: Iterable[str]) -> str:
    """One block: a list of ``items``."""
    return "\n".join(f"- {item}" for item in items)


def facts(values: Mapping[str, str]) -> list[str]:
    """A block ``**Label:** value`` for each value that is not empty."""
    return [f"**{label}:** {value}" for label, value in values.items() if value]


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """One block: a Markdown table, empty without rows; a bar within a cell is escaped."""
    lines = [_row(row) for row in rows]
    return "\n".join([_row(head), "|" + "---|" * len(head), *lines]) if lines else ""


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def pounds(weight: float | None) -> str:
    """``1/4 lb.``, ``1 1/2 lb.``, ``10 lb.``; :data:`NOTHING` for 0 and None."""
    if not weight:
        return NOTHING
    whole, rest = divmod(Fraction(weight).limit_denominator(100), 1)
    return f"{' '.join(str(part) for part in (whole, rest) if part)} lb."


def amount(item: Amount) -> str:
    """``four javelins``, or the name alone for one, as it reads within a sentence."""
    name = in_prose(item.ref.name)
    if item.quantity == 1:
        return name
    return f"{number_word(item.quantity)} {name if name.endswith('s') else f'{name}s'}"


def in_prose(name: str) -> str:
    """``light crossbow`` of ``Crossbow, light``: a name of a thing within a sentence."""
    return natural(name).lower()


def choice_text(choice: OptionChoice, shown: Callable[[str], str] = str) -> str:
    """``choose two from A, B, and C``, each as ``shown``."""
    options = enumerated(map(shown, names(choice.options)))
    return f"choose {number_word(choice.count)} from {options}"
