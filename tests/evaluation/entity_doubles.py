"""An index of a few entities, and queries to it, for the tests of the entities' evaluation."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mvp_site.entities.results import Result, Results

SPELLS: tuple[dict[str, Any], ...] = (
    {"slug": "ember", "name": "Ember", "desc": "A spark sets fire to straw.", "level": 0, "school": "Evocation",
     "ritual": False, "classes": ["Wizard"], "damage_type": ["fire"]},
    {"slug": "fire-wall", "name": "Fire Wall", "desc": "Flames stand in a row.", "level": 4, "school": "Evocation",
     "ritual": False, "classes": ["Druid", "Wizard"], "damage_type": ["fire"]},
    {"slug": "mend-flesh", "name": "Mend Flesh", "desc": ["Wounds close.", "Pain goes."], "higher_level": "More wounds close.",
     "level": 1, "school": "Evocation", "ritual": True, "classes": ["Cleric"]},
    {"slug": "sleepless-eye", "name": "Sleepless Eye", "desc": "It watches a door.", "level": 1, "school": "Divination",
     "ritual": True, "classes": ["Wizard"]},
)
MONSTERS: tuple[dict[str, Any], ...] = (
    {"slug": "bog-imp", "name": "Bog Imp", "type": "fiend", "challenge_rating": 0.5,
     "actions": [{"name": "Bite", "desc": "A wet bite."}]},
    {"slug": "bog-ogre", "name": "Bog Ogre", "type": "giant", "challenge_rating": 2,
     "actions": [{"name": "Club", "desc": "A muddy club."}]},
)
ENTITIES = {"spells": SPELLS, "monsters": MONSTERS}


def result(type_: str, slug: str, score: float = 0.9) -> Result:
    (one,) = (entity for entity in ENTITIES[type_] if entity["slug"] == slug)
    return {**one, "entity_type": type_, "document": "SRD 5.1", "_score": score}


class FakeIndex:
    """Answers with what it was told to by query, and with nothing to anything else."""

    def __init__(self, answers: Mapping[str, Sequence[str]], stated: Mapping[str, Mapping[str, Any]] | None = None) -> None:
        self.answers = answers
        self.stated = stated or {}
        self.asked: list[tuple[Any, ...]] = []

    def search_entities(self, entity_type: str, query: str = "", filters: Mapping[str, Any] | None = None,
                        limit: int = 20, offset: int = 0, bind_stated: bool = False) -> Results:
        if query or filters:
            self.asked.append(("search", entity_type, query, filters, limit, bind_stated))
            return self._given(query, entity_type)
        held = [result(entity_type, one["slug"]) for one in ENTITIES.get(entity_type, ())]
        return Results(held[offset : offset + min(limit, 3)], total=len(held))

    def find_similar_entities(self, entity_type: str, reference_slug: str, limit: int = 20) -> Results:
        self.asked.append(("similar", entity_type, reference_slug, limit))
        return self._given(f"like {reference_slug}", entity_type)

    def lookup_spell(self, name: str = "", *, level: int | None = None) -> Results:
        self.asked.append(("lookup_spell", name, level))
        return self._given(name, "spells")

    def scored(self, entity_type: str, query: str) -> list[tuple[str, float]]:
        return [(one["slug"], 0.8 if one["slug"] in self.answers.get(query, ()) else 0.1) for one in ENTITIES[entity_type]]

    def _given(self, query: str, type_: str) -> Results:
        return Results([result(type_, slug) for slug in self.answers.get(query, ())], stated=self.stated.get(query))


QUERIES: tuple[dict[str, Any], ...] = (
    {"id": "x-1", "kind": "semantic", "type": "spells", "query": "burning", "relevant": {"spells/ember": 3, "spells/fire-wall": 2}},
    {"id": "x-2", "kind": "filtered", "type": "spells", "query": "wounds", "filters": {"level": 1, "ritual": True},
     "relevant": {"spells/mend-flesh": 3}},
    {"id": "x-3", "kind": "filtered", "type": "spells", "query": "level 1 rituals", "stated": {"level": 1, "ritual": True},
     "relevant": {"spells/mend-flesh": 1, "spells/sleepless-eye": 1}},
    {"id": "x-4", "kind": "similar", "type": "monsters", "reference": "bog-imp", "relevant": {"monsters/bog-ogre": 2}},
    {"id": "x-5", "kind": "lookup", "lookup": "lookup_spell", "params": {"name": "wall of fire", "level": 4},
     "relevant": {"spells/fire-wall": 3}},
    {"id": "x-6", "kind": "typo", "type": "spells", "query": "embr", "relevant": {"spells/ember": 3}},
    {"id": "x-7", "kind": "negative", "type": "spells", "query": "printer toner", "relevant": {}},
)
RIGHT = {
    "burning": ["ember", "fire-wall"], "wounds": ["mend-flesh"], "level 1 rituals": ["mend-flesh", "sleepless-eye"],
    "like bog-imp": ["bog-ogre"], "wall of fire": ["fire-wall"], "embr": ["ember"],
}


def write(file: Path, *lines: Any) -> Path:
    """Writes lines to a file: objects as JSON, text as it is."""
    file.write_text("\n".join(one if isinstance(one, str) else json.dumps(one) for one in lines))
    return file
