"""What can be looked up: a request for each kind, with the filters that fit it.

The fields are the parameters of the index's methods; a filter that is not given asks for nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Annotated, Any, Final, TypeAlias

from pydantic import BeforeValidator, Field

from .entities import LIMIT, LOOKUPS, MAX_QUERY, EntityResults, Limit, results_of
from .operation import Operation
from .requests import OperationRequest
from .services import Services


def _listed(value: object) -> object:
    return (value,) if isinstance(value, str) else value


def _written(value: object) -> object:
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


Texts: TypeAlias = Annotated[tuple[str, ...], BeforeValidator(_listed)]
"""Several texts, any of which will do; one may be given alone."""
Challenge: TypeAlias = Annotated[str, BeforeValidator(_written)]
Flag: TypeAlias = Annotated[bool, Field(strict=True)]


@dataclass(frozen=True, slots=True)
class _Lookup(OperationRequest):
    """What every lookup has."""

    name: Annotated[str, Field(
        max_length=MAX_QUERY,
        description="What is meant, by name or in words; empty lists all that the filters leave.",
    )] = ""
    documents: Annotated[Texts | None, Field(description="Only from these documents.")] = None
    limit: Limit = LIMIT


@dataclass(frozen=True, slots=True)
class SpellLookup(_Lookup):
    """Spells."""

    level: Annotated[float | None, Field(description="The spell's level; 0 is a cantrip.")] = None
    level_min: Annotated[float | None, Field(description="The lowest level.")] = None
    level_max: Annotated[float | None, Field(description="The highest level.")] = None
    school: Annotated[Texts | None, Field(description="A school of magic: evocation.")] = None
    class_: Annotated[Texts | None, Field(
        alias="class", description="Whose spell it is: wizard.",
    )] = None
    concentration: Annotated[Flag | None, Field(description="Whether it is held.")] = None
    ritual: Annotated[Flag | None, Field(description="Whether it is a ritual.")] = None
    casting_time: Annotated[Texts | None, Field(
        description="As action, bonus action, reaction, 10 minutes.",
    )] = None
    damage_type: Annotated[Texts | None, Field(description="As fire, cold, radiant.")] = None


@dataclass(frozen=True, slots=True)
class CreatureLookup(_Lookup):
    """Monsters and other creatures."""

    cr: Annotated[Challenge | None, Field(description="The challenge rating, as 5 or 1/4.")] = None
    cr_min: Annotated[Challenge | None, Field(description="The lowest challenge rating.")] = None
    cr_max: Annotated[Challenge | None, Field(description="The highest challenge rating.")] = None
    type: Annotated[Texts | None, Field(description="As dragon, undead, humanoid.")] = None
    size: Annotated[Texts | None, Field(description="As small, large, huge.")] = None
    armor_class_min: Annotated[float | None, Field(description="The lowest armor class.")] = None
    hit_points_min: Annotated[float | None, Field(description="The fewest hit points.")] = None


@dataclass(frozen=True, slots=True)
class EquipmentLookup(_Lookup):
    """Weapons, armor, gear and magic items."""

    type: Annotated[Texts | None, Field(description="As weapon, armor, gear, magic-item.")] = None
    rarity: Annotated[Texts | None, Field(description="Of a magic item: uncommon.")] = None
    attunement: Annotated[Flag | None, Field(description="Whether it needs attunement.")] = None
    cost_min: Annotated[float | None, Field(description="The lowest price in gp.")] = None
    cost_max: Annotated[float | None, Field(description="The highest price in gp.")] = None
    weight_max: Annotated[float | None, Field(description="The greatest weight in lb.")] = None
    finesse: Annotated[Flag | None, Field(description="Of a weapon: has finesse.")] = None
    light: Annotated[Flag | None, Field(description="Of a weapon: is light.")] = None
    magic: Annotated[Flag | None, Field(description="Whether it is magic.")] = None


@dataclass(frozen=True, slots=True)
class RuleLookup(_Lookup):
    """Rules and conditions."""

    type: Annotated[Texts | None, Field(description="As rule or condition.")] = None


@dataclass(frozen=True, slots=True)
class CharacterOptionLookup(_Lookup):
    """What a character can be made of."""

    type: Annotated[Texts | None, Field(
        description="As class, subclass, race, feature, trait, background, feat.",
    )] = None


def _run(method: str) -> Callable[[Services, Any, bool], EntityResults]:
    def look_up(services: Services, request: _Lookup, _: bool) -> EntityResults:
        parameters = {field.name: getattr(request, field.name) for field in fields(request)}
        return results_of(services, getattr(services.entities(), method)(**parameters))

    return look_up


OPERATIONS: Final[tuple[Operation[Any], ...]] = tuple(
    Operation(
        name=f"entities.lookup.{kind}", run=_run(LOOKUPS[kind]), request=request,
        response=EntityResults, surfaces=frozenset({"mcp"}), about=f"Look {what} up.",
    ) for kind, request, what in (
        ("spell", SpellLookup, "spells"), ("creature", CreatureLookup, "creatures"),
        ("equipment", EquipmentLookup, "weapons, armor, gear and magic items"),
        ("rule", RuleLookup, "rules and conditions"),
        ("character-option", CharacterOptionLookup, "what a character can be made of"),
    )
)
