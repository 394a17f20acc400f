"""What a character starts with, as lines that people read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...srd import Amount, Choice, EquipmentChoice, EquipmentOption
from ..verbalisation.words import enumerated, natural
from .values import names


def equipment_lines(given: Iterable[Amount], choices: Iterable[EquipmentChoice]) -> list[str]:
    """``rapier; or any 1 of simple weapons``, a line for each choice, then what one has anyway."""
    return list(filter(None, (*_choices(choices), enumerated(map(_amount, given)))))


def choice_line(choice: Choice) -> str:
    """``choose 2 from Arcana, History, or Insight``."""
    return f"choose {choice.count} from {enumerated(names(choice.options), 'or')}"


def _choices(choices: Iterable[EquipmentChoice]) -> Iterator[str]:
    for choice in choices:
        options = "; or ".join(map(_option, choice.options))
        yield options if choice.count == 1 else f"{choice.count} of {options}"


def _option(option: EquipmentOption) -> str:
    parts = [_amount(item) for item in option.items]
    parts += [f"any {item.quantity} of {item.ref.name.lower()}" for item in option.categories]
    return " and ".join(parts) + (" (if proficient)" if option.proficiency else "")


def _amount(item: Amount) -> str:
    name = natural(item.ref.name).lower()
    return name if item.quantity == 1 else f"{item.quantity} × {name}"
