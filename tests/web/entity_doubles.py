"""A double of the entity index: a few entities in our own words; finds words, and keeps the filters' contract."""

from __future__ import annotations

import copy
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from mvp_site.content.types import EntityType, entity_type, fields_of
from mvp_site.entities.results import Result, Results
from mvp_site.errors import UnknownEntityError
from mvp_site.retrieval.filters import (
    AnyOf,
    Clause,
    Contains,
    FieldKind,
    Range,
    fold,
    parse_filters,
)
from mvp_site.srd import ATTRIBUTION

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
    EntityType.CONDITIONS: [{"name": "Soaked", "slug": "soaked", "document": "SRD 5.1", "desc": "- Fire hurts less.\n- It ends when dry."}],
}


def holds(clause: Clause, document: Mapping[str, Any]) -> bool:
    value = document.get(clause.field)
    values = value if isinstance(value, list) else [value]
    folded = [fold(one) if isinstance(one, str) else one for one in values if one is not None]
    match clause:
        case AnyOf(_, wanted):
            return any(one in wanted and isinstance(one, bool) is isinstance(wanted[0], bool) for one in folded)
        case Range(_, low, high):
            return any((low is None or one >= low) and (high is None or one <= high) for one in folded)
        case Contains(_, part):
            return any(part in one for one in folded)


@dataclass
class WordsIndex:
    """Finds the entities that have words of the query; says what it was asked. ``fails`` is raised instead."""

    documents: Mapping[EntityType, Sequence[Mapping[str, Any]]] = field(default_factory=lambda: DOCUMENTS)
    fails: Exception | None = None
    attribution: str = ATTRIBUTION
    asked: list[dict[str, Any]] = field(default_factory=list)
    lanes_failed: dict[str, str] = field(default_factory=dict)

    def close(self) -> None:
        pass

    def search_entities(self, entity_type: str, query: str = "", filters: Mapping[str, Any] | None = None, limit: int = 20, offset: int = 0, bind_stated: bool = False) -> Results:
        self.asked.append({"entity_type": str(entity_type), "query": query, "filters": dict(filters or {}), "limit": limit, "offset": offset, "bind_stated": bind_stated})
        stated = {"level": int(found[1])} if str(entity_type) == "spells" and (found := re.search(r"level (\d)", query)) else {}
        held = self._held(entity_type, {**(filters or {}), **(stated if bind_stated else {})})
        words = set(re.sub(r"level \d", "", query.lower()).split())
        scored = [(self._score(document, words), document) for document in held]
        best = [(score, document) for score, document in scored if not words or score > 0.3]
        best.sort(key=lambda one: (-one[0] if words else 0, one[1]["slug"]))
        page = Results([self._result(entity_type, document, score) for score, document in best[offset:offset + limit]], total=len(best), stated=stated, bound=bind_stated)
        page.lanes_failed = self.lanes_failed
        return page

    def find_similar_entities(self, entity_type: str, reference_slug: str, limit: int = 20) -> Results:
        self.entity(entity_type, reference_slug)
        others = [document for document in self._held(entity_type, None) if document["slug"] != reference_slug]
        return Results([self._result(entity_type, document, 0.9 - 0.1 * place) for place, document in enumerate(others[:limit])], total=len(others))

    def search_all(self, query: str, limit: int = 20, *, types: Sequence[str] | None = None, documents: Any = None, bind_stated: bool = True) -> Results:
        wanted = [entity_type(name) for name in types] if types else list(self.documents)
        filters = {"document": documents} if documents else None
        found = [result for name in wanted for result in self.search_entities(name, query, filters, 100, 0, bind_stated)]
        found.sort(key=lambda result: (-result["_score"], result["slug"]))
        return Results(found[:limit], total=len(found), bound=bind_stated)

    def entity(self, entity_type: str, slug: str) -> Result:
        for document in self._held(entity_type, None):
            if document["slug"] == slug:
                return self._result(entity_type, document, 1.0)
        raise UnknownEntityError(f"{entity_type} have no {slug[:60]!r}; near it: ember-lance")

    def list_documents(self) -> list[dict[str, Any]]:
        counts: dict[str, Counter[str]] = {}
        for name, documents in self.documents.items():
            for document in documents:
                counts.setdefault(document["document"], Counter())[str(name)] += 1
        return [{"document": name, "attribution": self.attribution if name == "SRD 5.1" else "", "entities": sum(types.values()), "types": dict(types), "shadowed": int(name == "SRD 5.1")}
                for name, types in counts.items()]

    def facets(self, entity_type: str, filters: Mapping[str, Any] | None = None) -> dict[str, dict[Any, int]]:
        found: dict[str, Counter[Any]] = {}
        clauses = parse_filters(filters, fields_of(self._type(entity_type)), entity_type)
        for one in fields_of(self._type(entity_type)):
            others = [clause for clause in clauses if clause.field != one.name]
            for document in self.documents.get(self._type(entity_type), ()):
                if not all(holds(clause, document) for clause in others):
                    continue
                value = document.get(one.name)
                for part in value if isinstance(value, list) else [value]:
                    if part is not None:
                        found.setdefault(one.name, Counter())[float(part) if one.kind is FieldKind.NUMBER else part] += 1
        return {name: dict(counts) for name, counts in found.items()}

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("lookup_"):
            raise AttributeError(name)

        def lookup(query: str = "", **asked: Any) -> Results:
            self.asked.append({"lookup": name, "name": query, **asked})
            type_ = {"lookup_spell": "spells", "lookup_creature": "monsters", "lookup_equipment": "weapons"}.get(name, "conditions")
            return self.search_entities(type_, query, None, asked.get("limit", 20), 0, True)

        return lookup

    @property
    def manifest(self) -> Any:
        return SimpleNamespace(types={str(name): len(documents) for name, documents in self.documents.items()})

    def _type(self, name: str) -> EntityType:
        if self.fails is not None:
            raise self.fails
        return entity_type(name)

    def _held(self, name: str, filters: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
        type_ = self._type(name)
        clauses = parse_filters(filters, fields_of(type_), str(type_))
        return [document for document in self.documents.get(type_, ()) if all(holds(clause, document) for clause in clauses)]

    def _score(self, document: Mapping[str, Any], words: set[str]) -> float:
        text = set(re.findall(r"[a-z]+", str(document).lower()))
        title = set(document["name"].lower().split())
        return min(0.55 * len(words & text) / max(len(words), 1) + 0.4 * len(words & title) / max(len(words), 1), 1.0) if words else 1.0

    def _result(self, name: str, document: Mapping[str, Any], score: float) -> Result:
        return {**copy.deepcopy(dict(document)), "entity_type": str(self._type(name)), "_score": score}
