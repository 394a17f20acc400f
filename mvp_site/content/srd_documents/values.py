"""Values of records as a document has them: what is empty is left out, numbers stay numbers.

What a character starts with is lines that people read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from ... import srd as records
from ..document import SRD
from ..wording import enumerated, natural, whole

Filled: TypeAlias = dict[str, Any]

_SORTS: Final = ("Skill: ", "Saving Throw: ")


def document(record: records.TextRecord, same: str = "", /, *, name: str = "",
             desc: records.Paragraphs | None = None, **fields: Any) -> Filled:
    """The document of a record: slug, name, description, and the fields that hold something.

    ``same`` are the names, apart by spaces, of fields that are taken over as the record has them.
    """
    text = record.text if desc is None else desc
    return filled(
        slug=record.slug, name=name or record.name, document=SRD, desc=told(text),
        **{field: _plain(getattr(record, field)) for field in same.split()}, **fields,
    )


def _plain(value: Any) -> Any:
    match value:
        case records.Ref():
            return value.name
        case records.OptionChoice():
            return choice(value)
        case (records.Ref(), *_):
            return names(value)
        case tuple():
            return list(value)
        case float():
            return whole(value)
    return value


def filled(**fields: Any) -> Filled:
    """The fields without those that are None or empty; False and 0 stay."""
    return {key: value for key, value in fields.items() if value not in (None, "", [], {})}


def told(blocks: Iterable[str]) -> str:
    """Blocks of Markdown as one text."""
    return "\n\n".join(blocks)


def passage(name: str, blocks: Iterable[str], usage: str = "") -> dict[str, str]:
    """One of a document's named texts."""
    return filled(name=name, desc=told(blocks), usage=usage)


def names(refs: Iterable[records.Ref]) -> list[str]:
    """The names, each once, those of proficiencies without the word for their sort."""
    return list(dict.fromkeys(
        next((ref.name.removeprefix(sort) for sort in _SORTS if ref.name.startswith(sort)),
             ref.name)
        for ref in refs
    ))


def gold(cost: records.Cost | None) -> int | float | None:
    """A price in gp."""
    return None if cost is None else whole(cost.copper / 100)


def counted(items: Iterable[records.Amount]) -> list[Filled]:
    """So many of each: ``[{"name": "Torch", "quantity": 10}]``."""
    return [{"name": item.ref.name, "quantity": item.quantity} for item in items]


def choice(option: records.OptionChoice | None) -> Mapping[str, Any] | None:
    """``{"choose": 2, "from": [names]}``, or None."""
    return None if option is None else {"choose": option.count, "from": names(option.options)}


def scores(values: Iterable[records.AbilityValue], sign: bool = False) -> list[str]:
    """``Strength 13``, or with ``sign`` ``Strength +2``."""
    return [f"{score.ability.name} {score.value:{'+' if sign else ''}d}" for score in values]


def equipment_lines(amounts: Iterable[records.Amount],
                    choices: Iterable[records.EquipmentChoice]) -> list[str]:
    """``rapier; or any 1 of simple weapons``, a line for each choice, then what one has anyway."""
    return list(filter(None, (*_choices(choices), enumerated(map(_amount, amounts)))))


def choice_line(choice: records.OptionChoice) -> str:
    """``choose 2 from Arcana, History, or Insight``."""
    return f"choose {choice.count} from {enumerated(names(choice.options), 'or')}"


def _choices(choices: Iterable[records.EquipmentChoice]) -> Iterator[str]:
    for choice in choices:
        options = "; or ".join(map(_option, choice.options))
        yield options if choice.count == 1 else f"{choice.count} of {options}"


def _option(option: records.EquipmentOption) -> str:
    parts = [_amount(item) for item in option.items]
    parts += [f"any {item.quantity} of {item.ref.name.lower()}" for item in option.categories]
    return " and ".join(parts) + (" (if proficient)" if option.proficiency else "")


def _amount(item: records.Amount) -> str:
    name = natural(item.ref.name).lower()
    return name if item.quantity == 1 else f"{item.quantity} × {name}"
