"""Characters out of D&D Beyond: what the sheet says is what the rules and the player's hand make it."""

import copy
import json
from typing import Any

import pytest

from mvp_site import SessionNotes, Settings
from tests.front.conftest import CASES


def export(case: str, file: str) -> dict[str, Any]:
    return json.loads((CASES / "books" / case / file).read_text("utf-8"))


FULL = export("ddb_full", "vessa.json")


def sheet(values: dict[str, Any]) -> Any:
    notes = SessionNotes.open(Settings())
    try:
        (document,) = notes.import_characters("vale", [("export.json", json.dumps(values))])
        return notes.character("vale", document.id)
    finally:
        notes.close()


def changed(**values: Any) -> dict[str, Any]:
    """The full sheet with other values of its character."""
    full = copy.deepcopy(FULL)
    full["data"].update(values)
    return full


def test_every_number_of_a_full_sheet(project):
    vessa = sheet(FULL)
    assert [(kind.name, kind.level, kind.subclass) for kind in vessa.base.classes] == [
        ("Paladin", 6, "Oath of Devotion"), ("Warlock", 3, "The Hexblade"),
        ("Bard", 3, "College of Lore")]
    scores, stats = vessa.ability_scores, vessa.combat_stats
    assert (scores.strength, scores.dexterity, scores.constitution, scores.intelligence,
            scores.wisdom, scores.charisma) == (13, 15, 19, 11, 13, 20)
    assert (stats.max_hit_points, stats.current_hit_points, stats.temporary_hit_points) == (153, 113, 6)
    assert (stats.armor_class, stats.initiative, stats.proficiency_bonus) == (22, 8, 4)
    assert (stats.hit_dice, stats.hit_dice_left) == ("6d10 + 3d8 + 3d8", 10)
    assert stats.conditions == ("exhaustion 2",)
    assert {one.name: one.description for one in stats.speeds} == {"walk": "35 ft.", "fly": "40 ft."}
    assert {one.name: one.description for one in vessa.senses} == {
        "darkvision": "60 ft.", "blindsight": "10 ft."}
    assert [(one.bonus, one.proficient) for one in stats.saves] == [
        (8, False), (8, False), (10, False), (6, False), (11, True), (15, True)]
    skills = {one.name: (one.bonus, one.proficient, one.note) for one in vessa.proficiencies.skills}
    assert len(skills) == 19
    assert skills.items() >= {"Persuasion": (13, True, "expertise"), "Arcana": (7, False, "half proficiency"), "Athletics": (5, True, ""), "Ropework": (11, True, "")}.items()
    assert {one.name: one.score for one in vessa.passive_scores} == {
        "Perception": 20, "Insight": 15, "Investigation": 17}
    assert [(one.name, one.bonus, one.damage, one.range) for one in stats.attacks] == [
        ("Vow", 11, "1d8+8 slashing", "5 ft."), ("Crossbow, Light", 6, "1d8+2 piercing", "80/320 ft."),
        ("Net", 6, "", "5/15 ft."), ("Blowgun", 6, "3 piercing", "25/100 ft."),
        ("Sun Blade", 6, "1d8+4 radiant", "5 ft."), ("Boot Kick", 6, "1d4+2 bludgeoning", "")]
    assert stats.attacks[0].description == "versatile (1d10)"
    assert [(block.source, block.save_dc, block.attack_bonus,
             [(slot.level, slot.total, slot.used) for slot in block.slots],
             [(spell.name, spell.prepared) for spell in block.spells])
            for block in vessa.spell_list] == [
        ("Paladin", 17, 9, [(1, 4, 2), (2, 3, 0), (3, 3, 0)],
         [("Bless", True), ("Cure Wounds", False), ("Sanctuary", True)]),
        ("Warlock", 18, 10, [(2, 2, 1)], [("Eldritch Blast", None), ("Hex", None)]),
        ("Bard", 17, 9, [], [("Healing Word", None)]),
        ("feat", 17, 9, [], [("Misty Step", None)])]
    coins = vessa.inventory.coins
    assert (coins.cp, coins.sp, coins.ep, coins.gp, coins.pp) == (1, 2, 3, 456, 5)
    carried = {one.name: (one.quantity, one.weight) for one in vessa.inventory.items}
    assert (carried["Arrows"], carried["Silver oar"], carried["Potion of Healing"]) == (
        (20, 0.05), (2, 3), (3, None))
    assert vessa.proficiencies.languages == ("Common", "Elvish", "Marsh Cant")
    assert vessa.proficiencies.tools == ("Lute", "Smuggler's charts")
    assert vessa.proficiencies.weapons == ("Simple Weapons", "Martial Weapons")
    assert vessa.damage_modifiers.immunities == ("Magical Sleep",)


def test_texts_of_a_full_sheet_have_their_values(project):
    vessa = sheet(FULL)
    told = {one.name: one.description for one in vessa.features_and_traits}
    assert told == {
        "Fey Ancestry": "Magic can't put you to sleep.",
        "Lay on Hands": "A pool of 30 hit points.", "Aura of Protection": "Allies add +5 to saves.",
        "Eldritch Invocations": "Choose two.",
        "Bardic Inspiration": "Bardic Inspiration 1d6 at this level. A die of the table.",
        "Jack of All Trades": "Half of 4.", "Agonizing Blast": "Add 5 at warlock level 3.",
        "Tough": "24 more hit points."}
    assert vessa.background.description == "You sang.\n\nFree lodging, not prone, DC 17."
    economy = vessa.action_economy
    assert [(one.name, one.description) for one in economy.bonus_actions] == [
        ("Bardic Inspiration", "5 per long rest, 3 left. Give a 1d6 die, 5 times."),
        ("Hexblade's Curse",
         "1 per short rest. Add 4; heal 8; half is 3; DC 17; … and 1d8 + 1, +2, +9.")]
    assert [(one.name, one.description) for one in economy.actions] == [
        ("Lay on Hands: Healing Pool", "30 per long rest, 18 left. Heal from 30 points."),
        ("Boot Kick", "With the heel.")]
    carried = {one.name: one for one in vessa.inventory.items}
    assert carried["Potion of Healing"].description == "Heals 2d4 + 2."
    assert carried["Rod of the Pact Keeper, +1"].description == (
        "1 per long rest, 0 left.\n\nRegain a slot.")
    assert (carried["Vow"].aliases, carried["Vow"].description) == (
        ("Longsword, +1",), "Her father's.")
    assert vessa.spell_list[0].spells[0].note == "A charmed foe."
    assert vessa.spell_list[3].spells[0].note == "1 per long rest. A charmed foe."


MODIFIERS = FULL["data"]["modifiers"]
UNARMORED = {"type": "set", "subType": "unarmored-armor-class", "value": None}
STYLE = {"type": "bonus", "subType": "armored-armor-class", "value": 1}


@pytest.mark.parametrize(("worn", "granted", "by_hand", "armor_class"), [
    # With DEX +2, WIS +1 and, without the amulet, CON +2.
    ((), STYLE, (3, 1), 10 + 2 + 1),
    ((3,), STYLE, (3, 1), 18 + 1 + 1),
    ((3, 2), STYLE, (2, 1), 18 + 2 + 1 + 1),
    ((), UNARMORED | {"statId": 5}, (3, 0), 10 + 2 + 1),
    ((2,), UNARMORED | {"statId": 5}, (3, 0), 10 + 2 + 2),  # a monk has it without a shield
    ((2,), UNARMORED | {"statId": 3}, (3, 0), 10 + 2 + 2 + 2),  # a barbarian with one
    ((1,), STYLE, (4, 16), 16),
    ((1, 2), STYLE, (1, 25), 25),
])
def test_armor_class_by_what_is_worn(project, worn, granted, by_hand, armor_class):
    inventory = [{**one, "equipped": one["id"] in worn} for one in FULL["data"]["inventory"][:3]]
    found = sheet(changed(
        inventory=inventory, modifiers={"race": MODIFIERS["race"], "class": [granted]},
        characterValues=[{"typeId": by_hand[0], "value": by_hand[1], "valueId": None}]))
    assert found.combat_stats.armor_class == armor_class


@pytest.mark.parametrize(("values", "hit_points"), [
    ({"overrideHitPoints": 100}, (100, 60)),
    ({"bonusHitPoints": None, "removedHitPoints": 0}, (150, 150)),
    ({"modifiers": {"race": MODIFIERS["race"]}}, (78 + 12 * 2 + 3, 65)),
])
def test_hit_points_by_what_is_set(project, values, hit_points):
    stats = sheet(changed(**values)).combat_stats
    assert (stats.max_hit_points, stats.current_hit_points) == hit_points


@pytest.mark.parametrize(("value", "bonus", "proficient"), [
    (1, 0, False), (2, 1, False), (3, 2, True), (4, 4, True), (None, 0, False),
])
def test_how_well_a_skill_is_learnt_is_set_by_hand(project, value, bonus, proficient):
    values = export("ddb_skill_override", "skill.json")
    values["data"]["characterValues"][0]["value"] = value
    found = sheet(values)
    religion = next(one for one in found.proficiencies.skills if one.name == "Religion")
    assert (religion.bonus, religion.proficient) == (bonus, proficient)
    assert found.proficiencies.languages == ("Marsh Cant",)
    assert found.proficiencies.tools == ()


def test_cases_of_potions_scales_and_templates(project):
    assert sheet(export("ddb_potion", "potion.json")).combat_stats.max_hit_points == 26
    (sneak,) = sheet(export("ddb_level_scale", "scale.json")).features_and_traits
    assert sneak.description.startswith("Sneak Attack 3d6 at this level. Once per turn")
    (points,) = sheet(export("ddb_tokens", "token.json")).action_economy.other
    assert points.description == (
        "5 per short rest, 4 left. You have 5 points and your save DC is 13. A catch reduces the "
        "damage by 1d10 + 8. See prone.")
    boiler = sheet(export("ddb_boilerplate", "boiler.json"))
    assert boiler.features_and_traits == ()
    assert (boiler.combat_stats.current_hit_points, boiler.combat_stats.max_hit_points) == (25, 32)


def test_a_sheet_answers_in_the_first_line(project, command):
    (project / "boiler.json").write_text(json.dumps(export("ddb_boilerplate", "boiler.json")))
    assert command("characters", "import", "vale", "boiler.json").exit_code == 0
    notes = SessionNotes.open(Settings())
    first = notes.search("vale", "how many hit points do I have left?", "character",
                         intention="combat_info")[0].piece.text
    notes.close()
    assert "hit points: 25 of 32" in first
