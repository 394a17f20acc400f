"""Answers without a model lead with the field of the sheet that was asked for, whole, as key and value."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mvp_site.operations.asking import Ask
from mvp_site.operations.sessions import FileText, ImportFiles

from .conftest import Operate

SHEET = """
base: {name: Ilse Varn, race: high elf, classes: [{name: wizard, level: 5}], alignment: neutral good, deity: Mystra, xp: 8200}
characteristics: {age: 137 years, height: 5 ft. 7 in.}
ability_scores: {strength: 8, dexterity: 15, constitution: 14, intelligence: 18, wisdom: 12, charisma: 10}
combat_stats:
  max_hit_points: 32
  current_hit_points: 25
  armor_class: 12
  armor: unarmored; 15 with Mage Armor
  initiative: 2
  proficiency_bonus: 3
  hit_dice: 5d6
  hit_dice_left: 4
  speeds: {walk: 30 ft., swim: 20 ft., climb: 15 ft.}
  attacks: [{name: Longsword +1, bonus: 8, damage: 1d8+4 slashing}, {name: Dagger, bonus: 5, damage: 1d4+2}]
  saves: [{name: Strength, bonus: -1}, {name: Dexterity, bonus: 2}, {name: Intelligence, bonus: 7, proficient: true}, {name: Constitution, bonus: 4}]
  conditions: ["tired from two nights of watch on the wall above the drowned quarter, where nobody ever sleeps well"]
proficiencies:
  skills: {Arcana: 7, History: 7, Investigation: 7, Insight: 4, Perception: 4, Stealth: 2, Athletics: -1, Acrobatics: 2, Medicine: 1, Nature: 4, Religion: 4, Survival: 1, Deception: 0, Persuasion: 12}
  languages: [Common, Elvish, Draconic]
passive_scores: {Perception: 14, Investigation: 17}
senses: {darkvision: 60 ft.}
inventory: {coins: {gp: 141, sp: 7, pp: 2}, items: [{name: rope, weight: 10}, {name: Potion of Healing, quantity: 2}]}
spell_list: {ability: Intelligence, save_dc: 15, attack_bonus: 7, slots: [{level: 1, total: 4, used: 1}], spells: [Shield, Mage Armor, Fire Bolt, Sleep]}
features_and_traits:
  - {name: Hit Points, description: "Hit Dice: 1d6 per wizard level. Hit Points at 1st Level: 6 + your Constitution modifier."}
  - {name: Armor Class, description: Your armor class is what you wear; a shield gives more armor class.}
  - {name: Proficiencies, description: "Skills: Choose two from Arcana, History, Stealth and Insight. Speed: none."}
  - {name: Stealth Training, description: You have learnt stealth and a bonus to it from the guild.}
"""


@pytest.fixture(scope="module")
def ask(shared: Operate) -> Callable[[str], str]:
    """Asks as Ilse; gives the whole answer."""
    assert shared("characters.import", ImportFiles("c", (FileText("ilse.yaml", SHEET),))).documents
    return lambda query: str(shared("ask", Ask(query, character="Ilse", campaign="c")).text)


@pytest.mark.parametrize(("query", "says"), [
    ("How many hit points do I have?", "hit points: 25 of 32"), ("How many HP do I have left?", "hit points: 25 of 32"), ("my hitpoints?", "hit points: 25 of 32"),
    ("What is my AC?", "armor class: 12"), ("What's my armor class?", "armor class: 12"), ("my initiative?", "initiative: +2"),
    ("What is my speed?", "walk: 30 ft."), ("What is my stealth bonus?", "Stealth +2"), ("What is my Perception?", "Perception +4"),
    ("What is my passive perception?", "Perception 14"), ("What is my strength?", "Strength 8 (-1)"), ("How high is my intelligence save?", "Intelligence +7"),
    ("What's my DEX?", "Dexterity 15 (+2)"), ("How much gold do I have?", "gold: 141"), ("Which languages do I speak?", "languages: Common; Elvish; Draconic"),
    ("What is my spell save DC?", "save DC: 15"), ("How old am I, what is my age?", "age: 137 years"), ("What is my alignment?", "alignment: neutral good"),
    ("How many experience points have I got?", "experience points: 8200"), ("What is my proficiency bonus?", "proficiency bonus: +3"),
    ("How many hit dice do I have?", "hit dice: 4 of 5d6"), ("What level am I?", "wizard of level 5"), ("What is my race?", "high elf"),
    ("How far does my darkvision reach?", "darkvision: 60 ft."), ("What armor do I wear?", "armor: unarmored; 15 with Mage Armor"),
    ("Which conditions do I have?", "tired from two nights of watch on the wall above the drowned quarter, where nobody ever sleeps well"),
    ("what's my dex save", "Dexterity +2"), ("what's my con save?", "Constitution +4"), ("my dex saving throw bonus", "Dexterity +2"), ("my int save", "Intelligence +7"),
    ("my swim speed", "swim: 20 ft."), ("my armour class", "armor class: 12"), ("my longsword attack", "+8"),
    ("my climb speed", "climb: 15 ft."), ("my persuasion", "Persuasion +12"), ("How much platinum do I have?", "platinum: 2"),
    ("who is my god", "deity: Mystra"), ("How many spell slots do I have?", "level 1, total 4, used 1"),
])
def test_a_question_about_a_field_leads_with_it(ask: Callable[[str], str], query: str, says: str) -> None:
    line = ask(query).splitlines()[0]
    assert says in line
    assert line.endswith("[1]")
    assert len(line) < 300


def test_a_long_part_is_cut_between_fields(ask: Callable[[str], str]) -> None:
    quoted = [line for line in ask("Tell me of my skills and combat stats").splitlines() if "skills**" in line or "combat stats**" in line]
    fields = {"Arcana +7", "armor class: 12", "armor: unarmored; 15 with Mage Armor"}
    assert quoted
    for line in quoted:
        text = line.partition("**: ")[2]
        assert ":" not in text[-6:], line
        assert any(one in line for one in fields)


def test_nothing_is_said_that_the_sheet_does_not_say(shared: Operate, campaign: str) -> None:
    shared("characters.import", ImportFiles(campaign, (FileText("a.yaml", "base: {name: Ada}\ndamage_modifiers: {resistances: [cold]}"),)))
    found = shared("ask", Ask("Am I resistant to fire?", character="Ada", campaign=campaign))
    assert "resistances: cold" in found.text
    assert ": none" not in found.text


@pytest.mark.parametrize("written", ["speed: 25 ft", "speed: 25", "combat_stats: {speed: 25 ft}"])
@pytest.mark.parametrize(("query", "says"), [("What is my speed?", "walk: 25"), ("How much gold do I have?", "gold: 212")])
def test_short_keys_at_the_top_are_fields(shared: Operate, campaign: str, written: str, query: str, says: str) -> None:
    done = shared("characters.import", ImportFiles(campaign, (FileText("a.yaml", f"name: Ada\ninventory: {{coins: {{gold: 212}}}}\n{written}"),)))
    assert done.documents[0].warnings == ()
    assert says in shared("ask", Ask(query, character="Ada", campaign=campaign)).text.splitlines()[0]
