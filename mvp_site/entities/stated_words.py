"""The words in which people state constraints, by the fields that these are on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from ..retrieval.filters import AnyOf, Clause, Contains, Range
from .types import EntityType


@dataclass(frozen=True, slots=True)
class Speech:
    """How a type's fields are spoken of.

    ``numbers`` gives a field's nouns and units ("CR 5", "100 hit points", "10 gp"), as a regular
    expression; ``whole`` are fields of whole numbers. ``flags`` are words that say true. ``values``
    are fields whose values are said as they are ("undead", "evocation"), each with the words that
    must stand before the value and behind it, as regular expressions; '' where none has to.
    ``phrases`` are clauses by what says them; a clause on a number in the phrase is a field's name.
    """

    numbers: Mapping[str, str]
    flags: Mapping[str, str]
    values: Mapping[str, tuple[str, str]]
    whole: frozenset[str] = frozenset()
    phrases: Mapping[str, Clause | str] = field(default_factory=dict)


_COST: Final = r"(?:gp|gold(?: pieces?| coins?)?|gps)"
_SILVER: Final = r"(?:sp|silver(?: pieces?| coins?)?)"
_COPPER: Final = r"(?:cp|copper(?: pieces?| coins?)?)"
COINS: Final = {_COST: 1.0, _SILVER: 0.1, _COPPER: 0.01}
"""The coins in gp."""
_POUNDS: Final = r"(?:pounds?|lbs?\.?)"
_DAMAGE: Final = ("", r"damage")
_ALONE: Final = ("", "")
_WARES: Final = {"cost": _COST, "weight": _POUNDS}
_WEAPON_FLAGS: Final = {
    "finesse": "finesse", "heavy": "heavy", "light": "light", "two_handed": "two[- ]?handed",
    "versatile": "versatile", "thrown": "thrown|throwing|throwable", "reach": "reach",
    "loading": "loading",
}

def _some(name: str) -> Clause:
    return Range(name, 1.0, None)


SPEECH: Final[Mapping[EntityType, Speech]] = {
    EntityType.SPELLS: Speech(
        {"level": r"(?:spell[- ])?(?:levels?|lvls?)"},
        {"ritual": "rituals?", "concentration": "concentration|concentrating|concentrate on"},
        {
            "school": _ALONE, "classes": _ALONE, "damage_type": _DAMAGE,
            "save": ("", r"(?:saving throws?|saves?)"),
            "area_shape": ("", r"(?:spells?|shaped|area|effect)"),
        },
        frozenset({"level"}),
        {r"bonus actions?": Contains("casting_time", "bonus action"),
         r"(?:as|with|using|for) (?:a|my|your|his|her|their) reaction|reaction spells?":
         Contains("casting_time", "reaction")},
    ),
    EntityType.MONSTERS: Speech(
        {
            "challenge_rating": r"(?:crs?|challenge(?: ratings?)?)",
            "armor_class": r"(?:ac|armou?r class)", "hit_points": r"(?:hps?|hit points?)",
            "xp": r"(?:xp|experience(?: points)?)",
        },
        {
            "flying": "flying|flies|fly|fliers?|flyers?|airborne|winged",
            "legendary": "legendary(?: actions?| creatures?| monsters?)?",
            "spellcaster": "spell ?casters?|spell ?casting|casts? spells",
        },
        {
            "type": _ALONE, "size": _ALONE, "alignment": _ALONE, "subtype": _ALONE,
            "immunities": (r"(?:immune|immunity) to(?: damage from)?", ""),
            "resistances": (r"(?:resistant|resistance|resists?)(?: to)?", ""),
            "vulnerabilities": (r"(?:vulnerable|vulnerability|weak) to", ""),
            "condition_immunities": (
                r"(?:immune|immunity) to(?: being)?|(?:cannot|can't) be", ""),
            "languages": (r"(?:speaks?|speaking|understands?|knows?)", ""),
        },
        frozenset({"armor_class", "hit_points", "xp"}),
        {
            r"swimming|swims?|swimmers?": _some("swim"), r"climbing|climbs?": _some("climb"),
            r"burrowing|burrows?|burrowers?": _some("burrow"), r"truesight": _some("truesight"),
            r"blindsight": _some("blindsight"), r"tremorsense": _some("tremorsense"),
            r"darkvision": _some("darkvision"),
        },
    ),
    EntityType.WEAPONS: Speech(
        _WARES, _WEAPON_FLAGS, {"category": _ALONE, "style": _ALONE, "damage_type": _ALONE},
    ),
    EntityType.ARMOR: Speech(
        {**_WARES, "armor_class": r"(?:ac|armou?r class)"},
        {"stealth_disadvantage":
         "(?:stealth )?disadvantage(?: on stealth| to stealth)?(?: checks?)?"},
        {"category": ("", r"(?:armou?rs?|suits?)")},
        frozenset({"armor_class"}),
        {r"(?:no|without (?:a|any)) strength(?: score| requirement| minimum)?":
         AnyOf("strength", (0.0,))},
    ),
    EntityType.EQUIPMENT: Speech(_WARES, {}, {"category": _ALONE, "group": _ALONE}),
    EntityType.MAGIC_ITEMS: Speech(
        {}, {"attunement": "attunement|attuned?|attuning|attunes"},
        {"rarity": _ALONE, "item_type": _ALONE},
    ),
    EntityType.CLASSES: Speech(
        {}, {"spellcaster": "spell ?casters?|spell ?casting|casts? spells"},
        {"spellcasting_ability": ("", r"(?:spell ?casters?|spell ?casting|casters?)"),
         "saving_throws": ("", r"(?:saving throws?|saves?)")},
        phrases={r"d(?P<number>\d+) (?:for |as )?(?:a |its |their )?hit (?:die|dice)": "hit_die",
                 r"hit (?:die|dice) (?:of |is )?(?:a )?1?d(?P<number>\d+)": "hit_die"},
    ),
    EntityType.SUBCLASSES: Speech({}, {}, {"class": _ALONE}),
    EntityType.RACES: Speech({}, {}, {"size": _ALONE, "languages": (
        r"(?:speaks?|speaking|knows?)", "")}),
    EntityType.FEATURES: Speech(
        {"level": r"(?:levels?|lvls?)"}, {}, {"class": _ALONE, "subclass": _ALONE},
        frozenset({"level"}),
    ),
    EntityType.TRAITS: Speech({}, {}, {"races": _ALONE}),
}
"""The types without an entry have nothing that people state."""
