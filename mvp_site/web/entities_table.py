"""The list of a type as a table: which columns it has, how each is sorted, and its rows. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from ..content.captions import label
from ..content.types import EntityType, fields_of
from ..entities.results import Result
from ..retrieval.filters import FieldKind
from .entities_forms import field_of, said

COLUMNS: Final[Mapping[EntityType, str]] = {
    EntityType.SPELLS: "level school casting_time range concentration ritual",
    EntityType.MONSTERS: "challenge_rating type size armor_class hit_points",
    EntityType.WEAPONS: "category damage_dice damage_type properties cost weight",
    EntityType.ARMOR: "category armor_class strength stealth_disadvantage cost weight",
    EntityType.EQUIPMENT: "category group cost weight",
    EntityType.MAGIC_ITEMS: "item_type rarity attunement",
    EntityType.CLASSES: "hit_die saving_throws spellcasting_ability",
    EntityType.SUBCLASSES: "class spellcaster",
    EntityType.RACES: "size speed ability_bonuses",
    EntityType.FEATURES: "class subclass level",
    EntityType.TRAITS: "races damage_type",
    EntityType.RULES: "category chapter",
    EntityType.BACKGROUNDS: "proficiencies",
    EntityType.FEATS: "prerequisites",
}
"""The fields that each type is compared by in a list."""
_SHORT: Final = {
    "challenge_rating": "CR", "armor_class": "AC", "hit_points": "HP", "casting_time": "Time",
    "concentration": "Conc.", "damage_dice": "Damage", "damage_type": "Of type",
    "stealth_disadvantage": "Stealth", "item_type": "Kind", "spellcasting_ability": "Casts by",
    "ability_bonuses": "Raises",
}
_SORTED_BY: Final = {"range": "range_feet", "damage_dice": "damage_average"}
"""Fields whose texts say a number, each with the number's field."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its field, what stands above it and in full, and what a click on it asks for.

    ``order`` is ``ascending`` or ``descending`` where the list is sorted by it.
    """

    field: str
    title: str
    full: str
    sort: str
    order: str
    number: bool


def columns_of(type_: EntityType, order: str) -> tuple[Column, ...]:
    """The columns of a type's list in an order, the name first; that of the order is turned."""
    kinds = {filter_field.name: filter_field.kind for filter_field in fields_of(type_)}
    named = field_of(order.removeprefix("-"), fields_of(type_))
    order = f"-{named}" if order.startswith("-") else named
    columns = []
    for field in ("name", *COLUMNS.get(type_, "").split()):
        by = _SORTED_BY.get(field, field)
        sorts = {by: "ascending", f"-{by}": "descending"}.get(order, "")
        columns.append(Column(
            field, _SHORT.get(field) or label(field), label(field),
            f"-{by}" if sorts == "ascending" else by, sorts, kinds[field] is FieldKind.NUMBER,
        ))
    return tuple(columns)


def cells_of(entity: Result, columns: Iterable[Column]) -> tuple[str, ...]:
    """What an entity has in each column but that of its name; '' for nothing and for no."""
    return tuple(
        "" if (value := entity.get(column.field)) is False else said(column.field, value)
        for column in columns if column.field != "name"
    )
