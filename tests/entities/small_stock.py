"""A small stock of invented entities of every type, and indexes of it that tests share."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mvp_site.content.types import EntityType
from mvp_site.entities import build as build_module
from mvp_site.entities.index import EntityIndex
from mvp_site.entities.results import Results
from mvp_site.retrieval.encoder import Vectors
from mvp_site.settings import Settings

from ..hashing import HashingEncoder

T = EntityType
Documents = dict[EntityType, tuple[dict[str, Any], ...]]


def _entity(name: str, desc: str = "", **fields: Any) -> dict[str, Any]:
    slug = name.lower().replace(",", "").replace("'", "").replace(" ", "-")
    text = {"desc": desc} if desc else {}
    return {"slug": slug, "name": name, "document": "SRD 5.1", **text, **fields}


def _spell(name: str, level: int, school: str, classes: str, desc: str, **fields: Any) -> dict[str, Any]:
    plain = {"ritual": False, "concentration": False, "casting_time": "1 action", "range_feet": 60}
    return _entity(name, desc, level=level, school=school, classes=classes.split(), **{**plain, **fields})


def _monster(name: str, cr: float, size: str, type_: str, desc: str, **fields: Any) -> dict[str, Any]:
    plain = {"armor_class": 12, "hit_points": 10 + int(cr * 15), "flying": False, "fly": 0, "swim": 0,
             "legendary": False, "spellcaster": False, "alignment": "neutral evil"}
    return _entity(name, challenge_rating=cr, size=size, type=type_, **{**plain, **fields},
                   actions=[{"name": "Strike", "desc": desc}])


def _weapon(name: str, cost: float, weight: float, damage: str, properties: Sequence[str], **fields: Any,
            ) -> dict[str, Any]:
    flags = {one: one.title() in properties for one in ("finesse", "light", "heavy", "thrown", "reach")}
    plain = {"category": "Martial", "style": "Melee", "damage_average": 4.5, "magic": False}
    return _entity(name, cost=cost, weight=weight, damage_type=damage, properties=list(properties),
                   **flags, **{**plain, **fields})


_STOCK: Documents = {
    T.SPELLS: (
        _spell("Ember Lash", 1, "Evocation", "Sorcerer Wizard", "A whip of glowing coals burns one foe.",
               damage_type=["Fire"], attack="ranged",
               higher_level="Each slot above the first lengthens the whip and burns a further foe."),
        _spell("Ember Storm", 5, "Evocation", "Sorcerer", "Coals rain from the sky and burn everyone below.",
               damage_type=["Fire"], save="Dexterity", area_shape="sphere"),
        _spell("Frost Veil", 2, "Abjuration", "Wizard Druid", "Rime hangs about you and chills attackers.",
               damage_type=["Cold"], concentration=True),
        _spell("Gentle Mending", 1, "Evocation", "Cleric Druid", "A touch closes wounds and restores health.",
               healing=True, range_feet=5),
        _spell("Greater Mending", 4, "Evocation", "Cleric", "Many wounds close at once around you.",
               healing=True, area_shape="sphere"),
        _spell("Lantern Moth", 0, "Conjuration", "Wizard Bard", "A moth of light circles your head."),
        _spell("Hollow Footsteps", 2, "Illusion", "Bard", "Sounds of walking lead pursuers astray.",
               casting_time="1 bonus action", concentration=True),
        _spell("Speak with Rivers", 3, "Divination", "Druid", "The water tells who crossed it of late.",
               ritual=True),
        _spell("Ward of the Old Oak", 3, "Abjuration", "Druid", "Bark covers the skin of a companion.",
               concentration=True, ritual=True),
        _spell("Night's Bargain", 9, "Necromancy", "Warlock Wizard", "You trade a memory for a death undone."),
    ),
    T.MONSTERS: (
        _monster("Marsh Goblet", 0.25, "Small", "humanoid", "It stabs with a rusty fork.", languages=["Goblin"]),
        _monster("Marsh Goblet Chief", 1, "Small", "humanoid", "It shouts and stabs with two forks."),
        _monster("Ash Wyrm", 13, "Huge", "dragon", "It breathes choking ash over the field.", flying=True,
                 fly=80, legendary=True, immunities=["fire"], damage_types=["fire"], armor_class=19,
                 legendary_actions=[{"name": "Tail", "desc": "The tail sweeps all around it."}]),
        _monster("Ash Wyrmling", 2, "Medium", "dragon", "It spits a little ash.", flying=True, fly=40,
                 immunities=["fire"], armor_class=16),
        _monster("Bone Clerk", 3, "Medium", "undead", "It writes a name, and who bears it withers.",
                 spellcaster=True, resistances=["necrotic"], vulnerabilities=["radiant"],
                 condition_immunities=["charmed", "poisoned"], languages=["Common", "Abyssal"]),
        _monster("Grave Ox", 4, "Large", "undead", "It gores whoever stands in its way.", armor_class=14),
        _monster("Reed Viper", 0.125, "Tiny", "beast", "Its bite numbs the limbs and leaves them paralysed.",
                 swim=30),
        _monster("Sky Ray", 5, "Large", "elemental", "Sparks leap from its wings.", flying=True, fly=60),
        _monster("Toll Troll", 6, "Large", "giant", "It clubs whoever will not pay the bridge toll.",
                 special_abilities=[{"name": "Regrowth", "desc": "Lost limbs grow back within a minute."}]),
        _monster("Glass Sentinel", 7, "Large", "construct", "Splinters of glass fly from its fists."),
    ),
    T.WEAPONS: (
        _weapon("Fishing Spear", 2, 3, "Piercing", ["Thrown"], category="Simple"),
        _weapon("Needle Blade", 15, 1, "Piercing", ["Finesse", "Light"]),
        _weapon("Parlour Sword", 25, 2, "Piercing", ["Finesse"]),
        _weapon("Mill Hammer", 30, 12, "Bludgeoning", ["Heavy"], damage_average=7),
        _weapon("Hook Halberd", 20, 6, "Slashing", ["Heavy", "Reach"]),
        _weapon("Crossbow, pocket", 60, 2, "Piercing", ["Light"], style="Ranged", damage_average=3.5),
    ),
    T.ARMOR: (
        _entity("Bark Coat", category="Light", armor_class=11, cost=5, weight=10, strength=0,
                stealth_disadvantage=False, magic=False),
        _entity("Drum Plate", category="Heavy", armor_class=18, cost=900, weight=60, strength=15,
                stealth_disadvantage=True, magic=False),
    ),
    T.EQUIPMENT: (
        _entity("Lantern, shuttered", "Burns six hours on a pint of oil.", category="Adventuring Gear",
                group="Standard Gear", cost=5, weight=2, magic=False),
        _entity("Rope, silken", category="Adventuring Gear", group="Standard Gear", cost=10, weight=5,
                magic=False),
        _entity("Forger's Tools", category="Tools", group="Artisan's Tools", cost=15, weight=5, magic=False),
        _entity("Needle Blade", "A tailor's needle, long as a hand.", category="Tools", cost=0.1, magic=False),
    ),
    T.MAGIC_ITEMS: (
        _entity("Cloak of the Quiet Hour", "Its wearer makes no sound.", item_type="Wondrous Item",
                rarity=["uncommon"], attunement=True, magic=True),
        _entity("Ring of Ember Resistance", "Fire hurts its wearer less.", item_type="Ring", rarity=["rare"],
                attunement=True, magic=True),
        _entity("Ferryman's Coin", "It pays for any crossing, once.", item_type="Wondrous Item",
                rarity=["rare", "very rare"], attunement=False, magic=True),
        _entity("Singing Blade", "This sword hums near liars.", item_type="Weapon", rarity=["legendary"],
                attunement=True, magic=True),
    ),
    T.CLASSES: (
        _entity("Druid", hit_die=8, saving_throws=["Wisdom"], spellcaster=True, spellcasting_ability="Wisdom"),
        _entity("Duellist", hit_die=10, saving_throws=["Dexterity"], spellcaster=False),
    ),
    T.SUBCLASSES: (_entity("Circle of Tides", "Druids of the coast.", **{"class": "Druid"}, spellcaster=True),),
    T.RACES: (
        _entity("Marshfolk", size="Small", speed=25, languages=["Common", "Goblin"]),
        _entity("Reed Marshfolk", size="Small", speed=25, race="Marshfolk", languages=["Common"]),
    ),
    T.FEATURES: (
        _entity("Riposte", "Answer a miss with a thrust.", **{"class": "Duellist"}, level=3),
        _entity("Tidal Step", "Walk upon the sea.", **{"class": "Druid"}, subclass="Circle of Tides", level=6),
    ),
    T.TRAITS: (_entity("Mudwalker", "Mires do not slow you.", races=["Marshfolk", "Reed Marshfolk"]),),
    T.CONDITIONS: (
        _entity("Dazzled", "A dazzled creature sees nothing beyond arm's length."),
        _entity("Rooted", "A rooted creature has a speed of nought."),
    ),
    T.RULES: (
        _entity("Bartering", "Haggle with a contest of wits.", category="section", chapter="Trade"),
        _entity("Drowning", "Who holds the breath too long drops to nought.", category="section",
                chapter="Perils"),
    ),
    T.BACKGROUNDS: (_entity("Lamplighter", "You kept a town's lamps.", proficiencies=["Insight"]),),
    T.FEATS: (_entity("Iron Stomach", "No meal makes you ill.", prerequisites=["Constitution"]),),
}


def stock() -> Documents:
    """The documents, the caller's own copy."""
    return copy.deepcopy(_STOCK)


@cache
def small_index() -> EntityIndex:
    """An index of the stock; tests read it and nothing else."""
    return EntityIndex.from_documents(stock(), HashingEncoder())


def index_of(documents: Documents, encoder: HashingEncoder | None = None, **fields: Any) -> EntityIndex:
    """An index of its own of those documents."""
    return EntityIndex.from_documents(documents, encoder or HashingEncoder(), settings=Settings(**fields))


def slugs(results: Results) -> list[str]:
    """The slugs of results, in order."""
    return [result["slug"] for result in results]


def fields_matching(type_: EntityType, test: Any) -> list[str]:
    """The slugs of the stock's documents of a type that ``test`` takes, by name."""
    held = sorted(_STOCK[type_], key=lambda one: one["name"].casefold())
    return [one["slug"] for one in held if test(one)]


class CountingEncoder(HashingEncoder):
    """The double, which remembers the texts that it was given."""

    def __init__(self, dimension: int = 64) -> None:
        super().__init__(dimension)
        self.texts: list[str] = []

    def encode(self, texts: Sequence[str]) -> Vectors:
        self.texts += texts
        return super().encode(texts)


@contextmanager
def stock_as_srd(patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Within it builds take the stock for the SRD's entities."""
    patch.setattr(build_module, "load_srd", lambda: None)
    patch.setattr(build_module, "srd_documents", lambda _: stock())
    yield


def settings_in(folder: Path, **fields: Any) -> Settings:
    """Settings with every folder below ``folder``."""
    return Settings(**{"mvp_site_data_dir": folder / "data", "mvp_site_cache_dir": folder / "cache", "prompt_index_dir": folder / "data/prompts",
                       **fields})
