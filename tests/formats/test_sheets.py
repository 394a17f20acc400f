"""Sheets of other tools: what they say, and what follows from it by the rules."""

from __future__ import annotations

import json
from base64 import b64encode
from contextlib import suppress
from typing import Any

import pytest

from mvp_site.errors import SessionsError
from mvp_site.sessions.characters.reading import form_text, read_sheet

from .sheets import FORMS, FOUNDRY, pdf_form


def sheet(value: Any) -> Any:
    return read_sheet(json.dumps(value), "hero.json")[0]


def test_a_foundry_character_of_today_has_what_foundry_derives() -> None:
    hero = sheet(FOUNDRY)
    stats, casting = hero.combat_stats, hero.spell_list[0]
    assert (stats.armor_class, stats.armor, stats.max_hit_points, stats.current_hit_points, stats.temporary_hit_points) == (18, "Scale Mail and Shield", 35, 30, 3)
    assert (hero.base.classes[0].subclass, hero.base.race, hero.base.background, stats.proficiency_bonus, stats.hit_dice_left) == ("Tide Domain", "Human", "Ferryman", 3, 3)
    assert {one.name: one.bonus for one in hero.proficiencies.skills if one.name in {"Stealth", "Religion", "Insight"}} == {"Stealth": 2, "Religion": 2, "Insight": 10}
    assert [(one.level, one.total, one.used) for one in casting.slots] == [(1, 4, 1), (2, 3, 0), (3, 2, 0)]
    assert (casting.save_dc, casting.attack_bonus, casting.spells[0].prepared, casting.spells[0].concentration) == (15, 7, True, True)
    assert (stats.attacks[0].bonus, stats.attacks[0].damage) == (6, "1d6+3 bludgeoning")
    assert (hero.features_and_traits[-1].uses, hero.features_and_traits[-1].uses_left) == ("2 per short rest", 1)
    assert hero.action_economy.actions[0].description == "They frightened flee, Bless."
    assert (hero.proficiencies.languages, hero.damage_modifiers.resistances) == (("Common", "Marsh Cant"), ("Cold",))
    assert "zanzibar" in hero.dm_notes[0].text
    assert "zanzibar" not in str(hero.backstory) + str(hero.notes)


@pytest.mark.parametrize("change", [{"system": {"abilities": 3}}, {"system": {"attributes": {"hp": []}, "abilities": []}}, {"items": {"a": 1}}, {"items": [{"type": "class", "system": {"levels": "x"}}]}])
def test_a_damaged_export_is_read_in_part_or_refused(change: dict[str, Any]) -> None:
    with suppress(SessionsError):
        assert sheet(FOUNDRY | change).base.name == "Tessa Quill"


@pytest.mark.parametrize("kind", FORMS)
def test_the_fields_of_a_form_are_a_sheet(kind: str) -> None:
    hero = read_sheet(form_text(pdf_form(FORMS[kind]), "hero.pdf"), "hero.pdf")[0]
    assert (hero.base.name, hero.base.race, hero.base.classes[0].name) == ("Tessa Quill", "Human", "Cleric")
    assert (hero.combat_stats.armor_class, hero.combat_stats.max_hit_points, hero.combat_stats.current_hit_points) == (18, 34, 30)
    assert (hero.ability_scores.strength, hero.ability_scores.wisdom, hero.inventory.coins.gp) == (15, 18, 128)
    assert ("Rope", 2) in [(one.name.capitalize(), one.quantity) for one in hero.inventory.items]
    if kind == "of 2014":
        assert (hero.spell_list[0].slots[0].used, hero.spell_list[0].spells[0].name, hero.combat_stats.attacks[0].bonus) == (1, "Bless", 5)
        assert "Channel Divinity" in str(hero.notes)


@pytest.mark.parametrize("content", [pdf_form({"Total": ""}), b"%PDF-1.7\n/AcroForm broken"])
def test_a_pdf_without_a_filled_form_is_refused_with_what_to_do(content: bytes, shared_services: Any, campaign: str) -> None:
    from mvp_site.operations.all import operation
    from mvp_site.operations.sessions import FileText, ImportFiles
    with pytest.raises(SessionsError, match="without the filled form fields"):
        operation("characters.import").run(shared_services, ImportFiles(campaign, (FileText("a.pdf", base64=b64encode(content).decode()),)), True)
