"""What can be looked up: a request for each kind, with the filters that fit it.

The fields are the parameters of the index's methods; a filter that is not given asks for nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any, Final, TypeAlias

from pydantic import BeforeValidator, Field

from ..entities.lookups import LIMIT
from .entities import MAX_QUERY, EntityResults, Limit, results_of
from .operation import CLI, Operation
from .requests import Flag, OperationRequest
from .services import Services


def _listed(value: object) -> object:
    return (value,) if isinstance(value, str) else value


def _written(value: object) -> object:
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


Texts: TypeAlias = Annotated[tuple[str, ...], BeforeValidator(_listed)]
"""Several texts, any of which will do; one may be given alone."""
Challenge: TypeAlias = Annotated[str, BeforeValidator(_written)]


@dataclass(frozen=True, slots=True)
class Lookup(OperationRequest):
    """Anything: what every lookup has."""

    # Of fields that others inherit pydantic reads no docstrings.
    name: Annotated[str, Field(
        max_length=MAX_QUERY,
        description="What is meant, by name or in words; empty lists all that the filters leave.",
    )] = ""
    documents: Annotated[Texts | None, Field(description="Only from these documents.")] = None
    limit: Limit = LIMIT


@dataclass(frozen=True, slots=True)
class SpellLookup(Lookup):
    """Spells."""

    level: float | None = None
    """The spell's level; 0 is a cantrip."""
    level_min: float | None = None
    """The lowest level."""
    level_max: float | None = None
    """The highest level."""
    school: Texts | None = None
    """A school of magic: evocation."""
    class_: Annotated[Texts | None, Field(alias="class")] = None
    """Whose spell it is: wizard."""
    concentration: Flag | None = None
    """Whether it is held."""
    ritual: Flag | None = None
    """Whether it is a ritual."""
    casting_time: Texts | None = None
    """As action, bonus action, reaction, 10 minutes."""
    damage_type: Texts | None = None
    """As fire, cold, radiant."""


@dataclass(frozen=True, slots=True)
class CreatureLookup(Lookup):
    """Monsters and other creatures."""

    cr: Challenge | None = None
    """The challenge rating, as 5 or 1/4."""
    cr_min: Challenge | None = None
    """The lowest challenge rating."""
    cr_max: Challenge | None = None
    """The highest challenge rating."""
    type: Texts | None = None
    """As dragon, undead, humanoid."""
    size: Texts | None = None
    """As small, large, huge."""
    armor_class_min: float | None = None
    """The lowest armor class."""
    hit_points_min: float | None = None
    """The fewest hit points."""


@dataclass(frozen=True, slots=True)
class EquipmentLookup(Lookup):
    """Weapons, armor, gear and magic items."""

    type: Texts | None = None
    """As weapon, armor, gear, magic-item."""
    rarity: Texts | None = None
    """Of a magic item: uncommon."""
    attunement: Flag | None = None
    """Whether it needs attunement."""
    cost_min: float | None = None
    """The lowest price in gp."""
    cost_max: float | None = None
    """The highest price in gp."""
    weight_max: float | None = None
    """The greatest weight in lb."""
    finesse: Flag | None = None
    """Of a weapon: has finesse."""
    light: Flag | None = None
    """Of a weapon: is light."""
    magic: Flag | None = None
    """Whether it is magic."""


@dataclass(frozen=True, slots=True)
class RuleLookup(Lookup):
    """Rules and conditions."""

    type: Texts | None = None
    """As rule or condition."""


@dataclass(frozen=True, slots=True)
class CharacterOptionLookup(Lookup):
    """What a character can be made of."""

    type: Texts | None = None
    """As class, subclass, race, feature, trait, background, feat."""


KINDS: Final[Mapping[str, tuple[str, type[Lookup], str]]] = {
    "spell": ("lookup_spell", SpellLookup, "spells"),
    "creature": ("lookup_creature", CreatureLookup, "creatures"),
    "equipment": ("lookup_equipment", EquipmentLookup, "weapons, armor, gear and magic items"),
    "rule": ("lookup_rule", RuleLookup, "rules and conditions"),
    "character-option": ("lookup_character_option", CharacterOptionLookup,
                         "what a character can be made of"),
    "all": ("search_all", Lookup, "anything"),
}
"""What can be looked up: the index's method, what it takes, and what it finds."""


def _run(method: str) -> Callable[[Services, Any, bool], EntityResults]:
    def look_up(services: Services, request: Lookup, _: bool) -> EntityResults:
        parameters = {field.name: getattr(request, field.name) for field in fields(request)}
        name = parameters.pop("name")
        return results_of(services, getattr(services.entities(), method)(name, **parameters))

    return look_up


OPERATIONS: Final[tuple[Operation[Any], ...]] = tuple(
    Operation(
        name=f"entities.lookup.{kind}", run=_run(method), request=request, response=EntityResults,
        # Of the others everything is an operation of its own.
        surfaces=CLI if kind == "all" else frozenset({"cli", "mcp"}), about=f"Look up {what}.",
    ) for kind, (method, request, what) in KINDS.items()
)
