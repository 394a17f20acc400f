"""Intentions: the design's thirty, described for a prompt; an unknown one names its neighbours."""

from __future__ import annotations

import pytest

from mvp_site.errors import MvpSiteError
from mvp_site.rulebook.intentions import Intention, query_text

# Design 2, sections 2 and 4.
DESIGN = {
    "describe_entity": (1, 2, 3, 6, 9), "compare_entities": (1, 2, 3, 6, 9), "level_progression": (2,),
    "action_options": (4, 7), "rule_mechanics": (7,), "calculate_values": (1, 2, 7), "spell_details": (3,),
    "class_spell_access": (2, 3), "monster_stats": (9,), "condition_effects": (5,), "character_creation": (1,),
    "multiclass_rules": (1, 2), "equipment_properties": (6,), "damage_types": (4, 7), "rest_mechanics": (7, 8),
    "skill_usage": (7,), "find_by_criteria": (1, 2, 3, 6, 9), "prerequisite_check": (1, 2, 6),
    "interaction_rules": (7, 8), "tactical_usage": (4,), "environmental_rules": (8,), "creature_abilities": (9,),
    "saving_throws": (4, 7), "magic_item_usage": (6,), "planar_properties": (10,), "downtime_activities": (8,),
    "subclass_features": (2,), "cost_lookup": (6, 8), "legendary_mechanics": (9,), "optimization_advice": (1, 2),
}


def test_they_are_the_design_s_with_its_categories() -> None:
    assert {i.value: tuple(map(int, i.categories)) for i in Intention} == DESIGN


def test_from_name() -> None:
    for name in ("spell_details", "SPELL_DETAILS", " Spell Details ", "spell-details", "spell__details", Intention.SPELL_DETAILS):
        assert Intention.from_name(name) is Intention.SPELL_DETAILS
    for name, near in (("spel_detail", "spell_details"), ("monster", "monster_stats"), ("multiclassing", "multiclass_rules")):
        with pytest.raises(MvpSiteError, match=rf"unknown intention {name!r}; near it: .*{near}.*; the 30 intentions") as raised:
            Intention.from_name(name)
        assert str(raised.value).split("; the 30 intentions are: ")[1].split(", ") == list(DESIGN)


def test_the_text_of_the_design_s_example() -> None:
    asked = query_text(Intention.SPELL_DETAILS, ["fireball", "wizard"], ["3rd level", "area damage"])
    assert asked == "fireball wizard spell casting components duration 3rd level area damage"
