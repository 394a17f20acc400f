"""Design 3, its scenarios: the SRD as it is built under data/, with the real encoder."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from mvp_site import Settings
from mvp_site.entities.build import build_entities
from mvp_site.entities.index import EntityIndex
from mvp_site.errors import EncoderError, IndexLoadError

from ..conftest import REPOSITORY
from .small_stock import slugs

pytestmark = pytest.mark.encoder


@pytest.fixture(scope="module")
def srd() -> EntityIndex:
    """The entities that are built under data/; without them the test is skipped, in CI it fails."""
    try:
        return EntityIndex.open(Settings(mvp_site_data_dir=REPOSITORY / "data"))
    except (IndexLoadError, EncoderError) as error:
        if os.environ.get("CI", "").lower() == "true":
            raise
        pytest.skip(f"data/entities is not built, or not by this program: {error}")


@pytest.mark.parametrize(("type_", "query", "filters", "among", "wanted", "never"), [
    ("spells", "protect from fire", None, 3, {"protection-from-energy", "fire-shield"}, {"fireball", "wall-of-fire"}),
    ("spells", "protect from fire", {"level": {"max": 3}}, 1, {"protection-from-energy"}, {"fireball", "burning-hands"}),
    ("monsters", "undead that drain life", None, 6, {"specter", "wraith", "wight"}, {"wolf", "iron-golem"}),
    # The showcase of README.
    ("monsters", "undead that drain life", {"challenge_rating": {"max": 5}}, 4, {"specter", "wraith", "wight"}, {"vampire-vampire"}),
    ("weapons", "light weapon for rogues", None, 4, {"dagger", "shortsword"}, {"greatsword", "maul"}),
    ("spells", "combat damage", None, 20, {"inflict-wounds", "fireball"}, {"cure-wounds", "healing-word", "mass-healing-word"}),
    ("spells", "heal wounds", None, 5, {"cure-wounds", "healing-word"}, {"inflict-wounds", "teleport"}),
    ("spells", "fire damage", None, 10, {"fireball", "fire-bolt", "burning-hands"}, {"cone-of-cold", "cure-wounds"}),
    ("spells", "healing", None, 6, {"cure-wounds", "healing-word", "heal"}, {"teleport", "fireball"}),
    ("monsters", "paralysis attack", None, 6, {"ghoul", "ghast", "lich"}, set()),
])
def test_what_is_meant_comes_first_and_its_opposite_does_not_come(
        srd: EntityIndex, type_: str, query: str, filters: dict[str, Any] | None, among: int, wanted: set[str],
        never: set[str]) -> None:
    found = slugs(srd.search_entities(type_, query, filters, limit=20))
    assert wanted <= {*found[:among]}, found
    assert not never & {*found}


@pytest.mark.parametrize(("query", "field", "value"), [
    ("healing magic", "healing", True), ("damage spell", "damage_type", None), ("protect us from lightning", "resistances", None),
])
def test_all_that_is_found_has_what_is_asked(srd: EntityIndex, query: str, field: str, value: object) -> None:
    found = srd.search_entities("spells", query, limit=10, bind_stated=True)
    assert found
    assert all(one[field] == value if value else one[field] for one in found)


Kind = Callable[[Mapping[str, Any]], bool]
SCENARIOS: list[tuple[str, str, dict[str, Any] | None, int, set[str], Kind]] = [
    ("spells", "protect from fire damage", None, 10, {"protection-from-energy", "fire-shield"}, lambda one: not one.get("damage_type") or one["slug"] == "fire-shield"),
    ("monsters", "undead creatures that drain life", None, 5, {"wraith", "wight", "vampire"}, lambda one: one["type"] == "undead" and one["drains_life"]),
    ("weapons", "light weapon for rogues", None, 10, {"dagger", "shortsword", "rapier"}, lambda one: not one["heavy"]),
    ("monsters", "paralysis attack", None, 100, {"ghoul", "lich", "giant-spider", "young-silver-dragon"},
     lambda one: "Paralyzed" in one["inflicts"]),
    ("monsters", "ogre", None, 20, {"ogre", "ogre-zombie"}, lambda one: one["_score"] >= 0.7),
    ("spells", "healing magic", {"level": 2}, 10, set(), lambda one: one["level"] == 2 and one["healing"]),
    ("spells", "combat damage", {"level": 3, "school": "Evocation"}, 10, {"fireball", "lightning-bolt"},
     lambda one: (one["level"], one["school"]) == (3, "Evocation") and bool(one["damage_type"])),
    ("monsters", "dangerous flying creature", {"challenge_rating": [5.0, 6.0]}, 5, set(),
     lambda one: one["flying"] and one["challenge_rating"] in {5, 6}),
    ("spells", "heal wounds", None, 20, {"cure-wounds"}, lambda one: one["healing"] and one["_score"] > 0.3),
]


@pytest.mark.requirement("3", "Natural language semantic search; combined with structured filters; relevance scoring")
@pytest.mark.parametrize(("type_", "query", "filters", "limit", "wanted", "kind"), SCENARIOS, ids=lambda value: value if isinstance(value, str) else "")
def test_the_designs_searches_with_its_limits(
        srd: EntityIndex, type_: str, query: str, filters: dict[str, Any] | None, limit: int, wanted: set[str], kind: Kind) -> None:
    found = srd.search_entities(type_, query, filters, limit=limit)
    assert found
    assert len(found) <= limit
    assert wanted <= {*slugs(found)}, slugs(found)
    assert [one["slug"] for one in found if not kind(one)] == []
    scores = [one["_score"] for one in found]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.requirement("3", "Semantic search pagination: the limit, and twenty by default")
def test_of_many_exactly_as_many_as_the_limit_and_twenty_by_default(srd: EntityIndex) -> None:
    assert len(srd.search_entities("spells", "damage spell", limit=10)) == 10
    assert len(srd.search_entities("spells", "")) == 20


SIMILAR = {
    ("spells", "fireball"): {"lightning-bolt", "cone-of-cold", "meteor-swarm"},
    ("monsters", "goblin"): {"kobold", "hobgoblin", "orc"},
    ("weapons", "longsword"): {"greatsword", "shortsword", "scimitar"},
}
LIKE: dict[str, Kind] = {
    "spells": lambda one: bool(one["damage_type"]), "monsters": lambda one: one["type"] == "humanoid" and one["size"] in {"Small", "Medium"},
    "weapons": lambda one: one["style"] == "Melee",
}


@pytest.mark.requirement("3", "Similarity-based entity discovery")
@pytest.mark.parametrize(("type_", "slug"), SIMILAR)
def test_the_designs_likenesses_with_their_limit(srd: EntityIndex, type_: str, slug: str) -> None:
    found = srd.find_similar_entities(type_, reference_slug=slug, limit=5)
    assert SIMILAR[type_, slug] <= {*slugs(found)}, slugs(found)
    assert [one["slug"] for one in found if not LIKE[type_](one) or one["slug"] == slug] == []


ABSORB = {
    "name": "Absorb Elements", "level": 1, "school": "Abjuration", "range": "Self", "duration": "1 round", "components": ["S"],
    "casting_time": "1 reaction, which you take when you take acid, cold, fire, lightning, or thunder damage",
    "desc": "The spell captures some of the incoming energy, lessening its effect on you and storing it for your next melee attack. "
            "You have resistance to the triggering damage type until the start of your next turn. The first time you hit with a melee "
            "attack on your next turn, the target takes an extra 1d6 damage of the triggering type, and the spell ends.",
}


@pytest.mark.slow
@pytest.mark.requirement("3", "Semantic spell search with natural language, with a spell of the user's own")
def test_a_users_spell_is_found_by_what_its_text_alone_says(srd: EntityIndex, tmp_path: Path) -> None:
    shutil.copytree(REPOSITORY / "data" / "entities", tmp_path / "entities")  # what is encoded need not be again
    if (REPOSITORY / "data" / "encoder").is_dir():
        (tmp_path / "encoder").symlink_to(REPOSITORY / "data" / "encoder")
    (tmp_path / "own_entities" / "spells").mkdir(parents=True)
    (tmp_path / "own_entities" / "spells" / "absorb.json").write_text(json.dumps(ABSORB))
    settings = Settings(mvp_site_data_dir=tmp_path)
    build_entities(settings)
    own = EntityIndex.open(settings)
    found = own.search_entities("spells", "protect from fire damage", limit=10)
    assert {"absorb-elements", "protection-from-energy", "fire-shield"} <= {*slugs(found)}
    absorb = own.entity("spells", "absorb-elements")
    assert absorb["resistances"] == ["Acid", "Cold", "Fire", "Lightning", "Thunder"]
    assert absorb["derived"]["resistances"] == "desc"


def test_what_is_said_of_an_entity_has_its_source(srd: EntityIndex) -> None:
    assert srd.entity("monsters", "ghoul")["derived"]["inflicts"] == "Claws"
    assert srd.entity("weapons", "rapier")["classes"] == ["Barbarian", "Bard", "Fighter", "Paladin", "Ranger", "Rogue"]


def test_all_types_together_list_what_is_meant(srd: EntityIndex) -> None:
    assert srd.search_all("ogre", limit=100).total <= 10


@pytest.mark.requirement("3", "Tool functions use semantic search by default")
def test_a_look_up_is_found_by_meaning(srd: EntityIndex) -> None:
    assert slugs(srd.lookup_spell("protect from fire", level_max=3))[:1] == ["protection-from-energy"]
    assert all(one["flying"] for one in srd.lookup_creature("flying monster", limit=5))
