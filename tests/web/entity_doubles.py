"""A few entities in our own words, and an index of them that says what it was asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from mvp_site.content.types import EntityType
from mvp_site.entities.index import EntityIndex
from mvp_site.entities.results import Results
from mvp_site.srd import ATTRIBUTION

from ..hashing import HashingEncoder

HOME = "Our Table"


def spell(name: str, level: int, school: str, desc: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "slug": name.lower().replace(" ", "-"), "document": "SRD 5.1", "level": level, "school": school, "desc": desc, "classes": ["Wizard"], "concentration": False,
            "ritual": False, "casting_time": "1 action", "range": "60 feet", "range_feet": 60, "duration": "Instantaneous", "components": ["V", "S"], **more}


def monster(name: str, type_: str, size: str, cr: float, **more: Any) -> dict[str, Any]:
    return {"name": name, "slug": name.lower().replace(" ", "-"), "document": "SRD 5.1", "size": size, "type": type_, "alignment": "neutral", "armor_class": 12, "hit_points": 11,
            "challenge_rating": cr, "xp": 50, "walk": 30, "fly": 0, "flying": False, "legendary": False, "spellcaster": False, "strength": 8, "dexterity": 15, "constitution": 10,
            "intelligence": 7, "wisdom": 11, "charisma": 6, "languages": ["Common"], "darkvision": 60, **more}


DOCUMENTS: dict[EntityType, list[dict[str, Any]]] = {
    EntityType.SPELLS: [
        spell("Ember Lance", 2, "Evocation", "A lance of **fire** flies at one creature.\n\nIt burns.\n\n| Slot | Dice |\n|---|---|\n| 3 | 4d6 |", damage_type=["Fire"], save="dexterity",
              higher_level="One more die of fire for each level above the second."),
        spell("Ember Rain", 3, "Evocation", "Fire falls on every creature there.", classes=["Wizard", "Druid"], damage_type=["Fire"], concentration=True),
        spell("Quiet Step", 1, "Illusion", "Nobody hears the creature that you touch.", concentration=True, classes=["Bard"]),
        spell("Lamp", 0, "Evocation", "A light without fire.", ritual=True, document=HOME, shadows="SRD 5.1", classes=["Wizard", "Bard"]),
    ],
    EntityType.MONSTERS: [
        monster("Marsh Imp", "humanoid", "Small", 0.25, subtype="imp", special_abilities=[{"name": "Slip Away", "desc": "It leaves *unseen*."}], actions=[{"name": "Bite", "desc": "A bite of 1d6."}]),
        monster("Bog Wyrm", "dragon", "Large", 6, flying=True, fly=60, legendary=True, immunities=["Fire"], actions=[{"name": "Breath", "desc": "Fire in a line.", "usage": "Recharge 5–6"}],
                legendary_actions=[{"name": "Tail", "desc": "It strikes."}], reactions=[{"name": "Parry", "desc": "It parries."}]),
        monster("Reed Wight", "undead", "Medium", 3, desc="It drains life."),
    ],
    EntityType.WEAPONS: [{
        "name": "Hook Blade", "slug": "hook-blade", "document": "SRD 5.1", "category": "Simple", "style": "Melee", "cost": 0.2, "weight": 2, "damage_dice": "1d6", "damage_type": "Slashing",
        "properties": ["Finesse", "Light"], "finesse": True, "light": True, "heavy": False,
    }],
    EntityType.MAGIC_ITEMS: [{
        "name": "Ring of Dusk", "slug": "ring-of-dusk", "document": "SRD 5.1", "item_type": "Ring", "rarity": ["Rare", "Very Rare"], "attunement": True, "attunement_by": "a druid", "magic": True,
        "desc": "It dims every fire near it.",
    }],
    EntityType.CLASSES: [{
        "name": "Reaver", "slug": "reaver", "document": "SRD 5.1", "hit_die": 12, "saving_throws": ["Wisdom"], "features": ["Rage"],
        "levels": [{"level": 1, "proficiency_bonus": 2, "features": ["Rage"], "spell_slots": {"1": 2}}, {"level": 2, "proficiency_bonus": 2, "spell_slots": {"1": 3, "2": 1}, "fury": "—"}],
    }],
    EntityType.CONDITIONS: [{"name": "Soaked", "slug": "soaked", "document": "SRD 5.1", "desc": "- Fire hurts less.\n- It ends when dry."}],
}


@cache
def _indexed() -> EntityIndex:
    return EntityIndex.from_documents(DOCUMENTS, HashingEncoder())


class WordsIndex(EntityIndex):
    """The real index in memory, by the encoder's double. ``fails`` is raised instead."""

    def __init__(self, documents: Mapping[EntityType, Sequence[Mapping[str, Any]]] = DOCUMENTS, *, fails: Exception | None = None, attribution: str = ATTRIBUTION) -> None:
        real = _indexed() if documents is DOCUMENTS else EntityIndex.from_documents(documents, HashingEncoder())
        super().__init__(real._source)
        self.fails, self.attribution, self.asked, self.lanes_failed = fails, attribution, [], {}

    def search_entities(self, entity_type: str, query: str = "", filters: Mapping[str, Any] | None = None, limit: int = 20, offset: int = 0, bind_stated: bool = False) -> Results:
        self.asked.append({"entity_type": str(entity_type), "query": query, "filters": dict(filters or {}), "limit": limit, "offset": offset, "bind_stated": bind_stated})
        found = super().search_entities(entity_type, query, filters, limit, offset, bind_stated)
        found.lanes_failed = self.lanes_failed
        return found

    def list_documents(self) -> list[dict[str, Any]]:
        return [{**one, "attribution": self.attribution if one["document"] == "SRD 5.1" else ""} for one in super().list_documents()]

    def close(self) -> None:
        """It stays for the next test."""

    def _now(self) -> Any:
        if self.fails is not None:
            raise self.fails
        return super()._now()
