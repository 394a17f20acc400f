"""Values of records as a document has them: what is empty is left out, numbers stay numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

from ...srd import AbilityValue, Amount, Choice, Cost, Paragraphs, Ref, TextRecord
from ..document import SRD

Filled: TypeAlias = dict[str, Any]

_SORTS: Final = ("Skill: ", "Saving Throw: ")
_DICE: Final = re.compile(r"(\d+)d(\d+)")


def document(record: TextRecord, /, *, name: str = "", desc: Paragraphs | None = None,
             **fields: Any) -> Filled:
    """The document of a record: slug, name, description, and the fields that hold something."""
    text = record.text if desc is None else desc
    return filled(
        slug=record.slug, name=name or record.name, document=SRD, desc=told(text), **fields
    )


def filled(**fields: Any) -> Filled:
    """The fields without those that are None or empty; False and 0 stay."""
    return {key: value for key, value in fields.items() if value not in (None, "", [], {})}


def told(blocks: Iterable[str]) -> str:
    """Blocks of Markdown as one text."""
    return "\n\n".join(blocks)


def passage(name: str, blocks: Iterable[str], usage: str = "") -> dict[str, str]:
    """One of a document's named texts."""
    return filled(name=name, desc=told(blocks), usage=usage)


def names(refs: Iterable[Ref]) -> list[str]:
    """The names, each once, those of proficiencies without the word for their sort."""
    return list(dict.fromkeys(
        next((ref.name.removeprefix(sort) for sort in _SORTS if ref.name.startswith(sort)),
             ref.name)
        for ref in refs
    ))


def name_of(ref: Ref | None) -> str | None:
    """The name, or None."""
    return None if ref is None else ref.name


def whole(value: float) -> int | float:
    """The number, an int where it is one."""
    return int(value) if value == int(value) else value


def gold(cost: Cost | None) -> int | float | None:
    """A price in gp."""
    return None if cost is None else whole(cost.copper / 100)


def average(dice: str) -> int | float:
    """What the dice show on average; a plain number is itself."""
    rolled = sum(int(count) * (int(sides) + 1) / 2 for count, sides in _DICE.findall(dice))
    added = sum(map(int, re.findall(r"[+-]?\d+", _DICE.sub("", dice).replace(" ", ""))))
    return whole(rolled + added)


def counted(items: Iterable[Amount]) -> list[Filled]:
    """So many of each: ``[{"name": "Torch", "quantity": 10}]``."""
    return [{"name": item.ref.name, "quantity": item.quantity} for item in items]


def choice(one: Choice | None) -> Mapping[str, Any] | None:
    """``{"choose": 2, "from": [names]}``, or None."""
    return None if one is None else {"choose": one.count, "from": names(one.options)}


def scores(values: Iterable[AbilityValue], sign: bool = False) -> list[str]:
    """``Strength 13``, or with ``sign`` ``Strength +2``."""
    return [f"{one.ability.name} {one.value:{'+' if sign else ''}d}" for one in values]
