"""Records of other tools, written after their public descriptions, of invented creatures and things."""

from __future__ import annotations

from typing import Any

HTML = "<p>It @UUID[Compendium.x.y]{grapples} and &Reference[prone], [[/damage 2d6 fire]]{2d6 fire}.</p><section id='s' class='secret'><section>x</section><p>zanzibar</p>"

ENTITIES: dict[str, tuple[str, Any, dict[str, Any]]] = {
    "foundry npc of today": ("monsters", {
        "name": "Mire Hound", "type": "npc", "img": "a.webp", "system": {
            "abilities": {"str": {"value": 14}, "dex": {"value": 15}, "con": {"value": 12}, "int": {"value": 3}, "wis": {"value": 12}, "cha": {"value": 6}},
            "attributes": {"ac": {"flat": 13, "calc": "natural"}, "hp": {"value": 22, "max": 22, "formula": "4d8 + 4"}, "movement": {"walk": 40, "swim": 20, "units": "ft"},
                           "senses": {"ranges": {"darkvision": 60}}},
            "details": {"cr": 0.5, "type": {"value": "beast", "subtype": "bog"}, "alignment": "Unaligned", "biography": {"value": HTML}},
            "traits": {"size": "med", "dr": {"value": ["cold"], "custom": ""}, "languages": {"value": []}}},
        "items": [{"name": "Bite", "type": "weapon", "system": {"activities": {"a": {"activation": {"type": "action"}}}, "damage": {"base": {"number": 1, "denomination": 8, "types": ["piercing"]}},
                                                                "description": {"value": ""}}},
                  {"name": "Keen Nose", "type": "feat", "system": {"description": {"value": "<p>It smells fear.</p>"}}}],
        "prototypeToken": {"hidden": True}, "ownership": {"default": 0}},
        {"armor_class": 13, "hit_points": 22, "challenge_rating": 0.5, "type": "beast", "size": "Medium", "walk": 40, "swim": 20, "darkvision": 60, "resistances": ["Cold"], "strength": 14,
         "desc": "It grapples and prone, 2d6 fire."}),
    "foundry npc of before": ("monsters", {
        "name": "Toll Warden", "type": "npc", "data": {"abilities": {"dex": {"value": 12}}, "attributes": {"ac": {"value": 15}, "hp": {"value": 30, "max": 33}, "speed": {"value": "30 ft"}},
                                                       "details": {"cr": 2, "type": "humanoid"}, "traits": {"size": "sm"}}, "items": []},
        {"armor_class": 15, "hit_points": 33, "challenge_rating": 2, "type": "humanoid", "size": "Small"}),
    "foundry spell": ("spells", {
        "name": "Lamp Out", "type": "spell", "system": {"level": 2, "school": "evo", "components": {"vocal": True, "somatic": True, "ritual": True}, "activation": {"type": "action", "cost": 1},
                                                        "range": {"value": 60, "units": "ft"}, "duration": {"value": None, "units": "inst"}, "description": {"value": "<p>Lamps go out.</p>"}}},
        {"level": 2, "school": "evocation", "range": "60 feet", "duration": "Instantaneous", "ritual": True, "components": ["V", "S"], "desc": "Lamps go out."}),
    "foundry magic item": ("magic-items", {
        "name": "Tin Crown", "type": "equipment", "system": {"rarity": "rare", "attunement": "required", "weight": {"value": 2, "units": "lb"}, "description": {"value": "<p>It hums.</p>"}}},
        {"rarity": ["rare"], "attunement": True, "desc": "It hums."}),
    "5e.tools monster": ("monsters", {"_meta": {}, "monster": [{
        "name": "Marsh Lurk", "source": "XYZ", "page": 3, "size": ["L"], "type": {"type": "plant", "tags": ["bog"]}, "alignment": ["N", "E"], "ac": [{"ac": 14, "from": ["natural armor"]}],
        "hp": {"average": 45, "formula": "6d10 + 12"}, "speed": {"walk": 30, "fly": {"number": 20, "condition": "(hover)"}}, "str": 16, "dex": 10, "con": 14, "int": 5, "wis": 10, "cha": 5,
        "save": {"con": "+4"}, "skill": {"stealth": "+4"}, "senses": ["blindsight 60 ft."], "passive": 10, "languages": ["Sylvan"], "cr": {"cr": "3", "lair": "4"},
        "resist": ["fire", {"resist": ["bludgeoning", "piercing"], "note": "from nonmagical attacks"}], "conditionImmune": ["prone"],
        "trait": [{"name": "Mud Walk", "entries": ["It ignores {@condition restrained|PHB|being held} by mud."]}],
        "action": [{"name": "Lash {@recharge 5}", "entries": ["{@atk mw} {@hit 5} to hit, reach 10 ft. {@h}12 ({@damage 2d8 + 3}) slashing damage, {@dc 13} or worse."]}]}]},
        {"armor_class": 14, "hit_points": 45, "challenge_rating": 3, "type": "plant", "size": "Large", "fly": 20, "walk": 30, "blindsight": 60, "alignment": "neutral evil",
         "condition_immunities": ["prone"]}),
    "5e.tools spell": ("spells", {"spell": [{
        "name": "Bog Step", "source": "XYZ", "level": 1, "school": "C", "time": [{"number": 1, "unit": "bonus"}], "range": {"type": "point", "distance": {"type": "feet", "amount": 30}},
        "components": {"v": True, "m": "a reed"}, "duration": [{"type": "timed", "duration": {"type": "minute", "amount": 1}, "concentration": True}], "meta": {"ritual": True},
        "entries": ["You step.", {"type": "list", "items": ["wet", "dry"]}], "entriesHigherLevel": [{"type": "entries", "name": "At Higher Levels", "entries": ["Farther."]}],
        "classes": {"fromClassList": [{"name": "Druid", "source": "PHB"}]}}]},
        {"level": 1, "school": "conjuration", "casting_time": "1 bonus", "range": "30 feet", "components": ["V", "M"], "material": "a reed", "concentration": True, "ritual": True,
         "classes": ["Druid"], "duration": "Concentration, up to 1 minute"}),
    "5e.tools item": ("magic-items", {"item": [{"name": "Reed Flute", "source": "XYZ", "rarity": "uncommon", "wondrous": True, "reqAttune": "by a bard", "weight": 1, "entries": ["It sings."]}]},
                      {"rarity": ["uncommon"], "attunement": True, "attunement_by": "a bard", "item_type": "Wondrous item", "desc": "It sings."}),
    "5e.tools weapon": ("weapons", [{"name": "Eel Spear", "source": "XYZ", "rarity": "none", "type": "M|XPHB", "weaponCategory": "martial", "property": ["V|XPHB", "T"], "dmg1": "1d8", "dmgType": "P",
                                     "weight": 3, "value": 500}],
                        {"category": "Martial", "damage_dice": "1d8", "damage_type": "Piercing", "properties": ["Versatile", "Thrown"], "cost": 5, "weight": 3}),
    "open5e 1 monster": ("monsters", {"count": 1, "next": None, "results": [{
        "slug": "salt-crab", "name": "Salt Crab", "size": "Large", "type": "beast", "subtype": "", "alignment": "unaligned", "armor_class": 15, "armor_desc": "natural armor", "hit_points": 52,
        "hit_dice": "7d10+14", "speed": {"walk": 30, "swim": 30}, "strength": 17, "dexterity": 10, "constitution": 15, "intelligence": 1, "wisdom": 9, "charisma": 3, "strength_save": 5,
        "dexterity_save": None, "perception": None, "skills": {}, "damage_vulnerabilities": "", "damage_resistances": "cold", "damage_immunities": "", "condition_immunities": "",
        "senses": "blindsight 30 ft., passive Perception 9", "languages": "", "challenge_rating": "3", "cr": 3.0, "actions": [{"name": "Claw", "desc": "It pinches."}], "bonus_actions": None,
        "reactions": "", "legendary_desc": "", "legendary_actions": "", "special_abilities": [{"name": "Amphibious", "desc": "It breathes both."}], "spell_list": [], "page_no": 3,
        "img_main": None, "document__slug": "xyz", "document__title": "Salt Tome", "document__url": "http://x.y", "document__license_url": "http://x.z"}]},
        {"armor_class": 15, "hit_points": 52, "challenge_rating": 3, "swim": 30, "blindsight": 30, "document": "Salt Tome", "resistances": ["cold"]}),
    "open5e 1 spell": ("spells", {
        "slug": "salt-ward", "name": "Salt Ward", "desc": "A ring.", "higher_level": "Wider.", "range": "Self", "target_range_sort": 0, "components": "V, S, M", "material": "salt",
        "can_be_cast_as_ritual": True, "ritual": "yes", "duration": "1 hour", "concentration": "no", "casting_time": "1 action", "level": "3rd-level", "level_int": 3, "spell_level": 3,
        "school": "Abjuration", "dnd_class": "Cleric, Druid", "spell_lists": ["cleric"], "archetype": "", "document__slug": "xyz", "document__title": "Salt Tome"},
        {"level": 3, "school": "Abjuration", "classes": ["Cleric", "Druid"], "ritual": True, "concentration": False, "components": ["V", "S", "M"], "material": "salt"}),
    "open5e 2 monster": ("monsters", {
        "url": "https://x/v2/creatures/xyz_fen-owl/", "key": "xyz_fen-owl", "name": "Fen Owl", "document": {"name": "Fen Tome", "key": "xyz"}, "type": {"name": "Beast", "key": "beast"},
        "size": {"name": "Tiny", "key": "tiny"}, "challenge_rating_decimal": "0.125", "challenge_rating_text": "1/8", "armor_class": 12, "hit_points": 3, "hit_dice": "1d4+1",
        "ability_scores": {"strength": 3, "dexterity": 15, "constitution": 12, "intelligence": 4, "wisdom": 14, "charisma": 7}, "speed": {"walk": 5.0, "unit": "feet", "fly": 60.0},
        "darkvision_range": 120.0, "skill_bonuses": {"perception": 4}, "resistances_and_immunities": {"damage_resistances_display": "cold"}, "languages": {"as_string": "", "data": []},
        "traits": [{"name": "Flyby", "desc": "No opportunity attacks."}], "actions": [{"name": "Talons", "desc": "It scratches.", "attacks": []}]},
        {"armor_class": 12, "hit_points": 3, "challenge_rating": 0.125, "fly": 60, "darkvision": 120, "size": "Tiny", "type": "Beast", "dexterity": 15, "document": "Fen Tome"}),
    "open5e 2 spell": ("spells", {
        "url": "https://x/v2/spells/xyz_fen-light/", "key": "xyz_fen-light", "document": {"name": "Fen Tome"}, "school": {"name": "Evocation", "key": "evocation"}, "classes": [{"name": "Wizard"}],
        "name": "Fen Light", "desc": "It glows.", "level": 1, "higher_level": "", "range_text": "60 feet", "range": 60.0, "ritual": False, "casting_time": "action", "verbal": True, "somatic": False,
        "material": True, "material_specified": "a firefly", "duration": "1 minute", "concentration": True, "damage_types": [], "saving_throw_ability": ""},
        {"level": 1, "school": "Evocation", "classes": ["Wizard"], "range": "60 feet", "components": ["V", "M"], "material": "a firefly", "concentration": True}),
}
"""Folder, file and the fields that it must give, by what it is."""
