"""Characters as other tools write them, each made up here after the tool's public description."""

from __future__ import annotations

import io
from typing import Any

from reportlab.pdfgen import canvas

FORMS: dict[str, dict[str, str]] = {
    "of 2014": {"CharacterName": "Tessa Quill", "ClassLevel": "Cleric 5", "Race ": "Human", "AC": "18", "HPMax": "34", "HPCurrent": "30", "STR": "15", "STRmod": "+2", "WIS": "+4", "WISmod": "18",
                "GP": "128", "Equipment": "2 rope\nMace", "Features and Traits": "Channel Divinity", "Stealth ": "-1", "ST Wisdom": "+7", "Wpn Name": "Mace", "Wpn1 AtkBonus": "+5", "Wpn1 Damage": "1d6+2",
                "Spellcasting Class 2": "Cleric", "SpellSaveDC  2": "15", "SlotsTotal 19": "4", "SlotsRemaining 19": "3", "Spells 1014": "Bless", "Backstory": "Raised by ferrymen."},
    "of D&D Beyond": {"CharacterName": "Tessa Quill", "CLASS  LEVEL": "Cleric 3 / Fighter 2", "RACE": "Human", "AC": "18", "MaxHP": "34", "CurrentHP": "30", "STR": "15", "WIS": "18", "GP": "128",
                      "Eq Name0": "Rope", "Eq Qty0": "2", "spellName0": "Bless", "FeaturesTraits1": "Channel Divinity", "Stealth": "-1"},
    "of a fan": {"Character Name": "Tessa Quill", "Class": "Cleric", "Species": "Human", "Armor Class": "18", "Max HP": "34", "Current HP": "30", "Str": "15", "Wis": "18", "GP": "128",
                 "Equipment": "Rope x2", "Oath": "Never lie"},
}


def pdf_form(fields: dict[str, str]) -> bytes:
    """A PDF with these form fields."""
    out = io.BytesIO()
    page = canvas.Canvas(out)
    for number, (name, value) in enumerate(fields.items()):
        page.acroForm.textfield(name=name, value=value, x=50, y=800 - 25 * number, width=300, height=20, fieldFlags="multiline" if "\n" in value else "")
    page.drawString(10, 10, "sheet")
    page.showPage()
    page.save()
    return out.getvalue()


CLERIC = {"levels": 5, "identifier": "cleric", "hd": {"denomination": "d8", "spent": 2}, "spellcasting": {"progression": "full", "ability": "wis"},
          "advancement": [{"type": "HitPoints", "value": {"1": "max", "2": "avg", "3": "avg", "4": 6, "5": 6}}]}
ITEMS: list[dict[str, Any]] = [
    {"name": "Cleric", "type": "class", "system": CLERIC}, {"name": "Tide Domain", "type": "subclass", "system": {"classIdentifier": "cleric"}},
    {"name": "Human", "type": "race", "system": {}}, {"name": "Ferryman", "type": "background", "system": {"description": {"value": "<p>You rowed.</p>"}}},
    {"name": "Scale Mail", "type": "equipment", "system": {"equipped": True, "type": {"value": "medium"}, "armor": {"value": 14, "dex": 2}}},
    {"name": "Shield", "type": "equipment", "system": {"equipped": True, "type": {"value": "shield"}, "armor": {"value": 2}}},
    {"name": "Mace", "type": "weapon", "system": {"equipped": True, "type": {"value": "simpleM"}, "damage": {"base": {"number": 1, "denomination": 6, "types": ["bludgeoning"]}}, "properties": ["mgc"], "magicalBonus": 1}},
    {"name": "Rope", "type": "loot", "system": {"quantity": 2, "weight": {"value": 10, "units": "lb"}}},
    {"name": "Turn Undead", "type": "feat", "system": {"activation": {"type": "action"}, "uses": {"max": "2", "spent": 1, "recovery": [{"period": "sr"}]},
                                                       "description": {"value": "<p>They &amp;Reference[frightened] flee, @UUID[Compendium.a.b]{Bless}.</p>"}}},
    {"name": "Bless", "type": "spell", "system": {"level": 1, "school": "enc", "method": "spell", "prepared": 1, "properties": ["concentration", "vocal"], "description": {"value": "<p>A d4.</p>"}}},
]
FOUNDRY: dict[str, Any] = {
    "name": "Tessa Quill", "type": "character", "items": ITEMS, "effects": [], "flags": {"x": {"y": 1}}, "system": {
        "abilities": {"str": {"value": 15}, "dex": {"value": 14}, "con": {"value": 12}, "int": {"value": 8}, "wis": {"value": 18, "proficient": 1}, "cha": {"value": 12}},
        "attributes": {"ac": {"calc": "default", "flat": None}, "hp": {"value": 30, "max": None, "temp": 3}, "movement": {"walk": 30, "units": "ft"}, "senses": {"ranges": {"darkvision": 60}}},
        "details": {"alignment": "Neutral Good", "trait": "I hum.", "biography": {"value": "<p>Raised by ferrymen.</p><section class='secret' id='s1'><section><p>Her father is zanzibar.</p></section>So is zanzibar.</section>"}},
        "traits": {"size": "med", "languages": {"value": ["common"], "custom": "Marsh Cant"}, "dr": {"value": ["cold"]}},
        "skills": {"ste": {"value": 0}, "rel": {"value": 1}, "ins": {"value": 2}}, "currency": {"gp": 128}, "spells": {"spell1": {"value": 3}, "spell2": {"value": 3}, "spell3": {"value": 2}}}}
