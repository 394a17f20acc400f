"""What single sections of the book say, and where they stand."""

from __future__ import annotations

import pytest

from mvp_site.rulebook.sections import Sections
from mvp_site.rulebook.srd_book.features import feature_parts
from mvp_site.rulebook.srd_book.part import BookPart
from mvp_site.srd import FeatureRecord, Kind, Ref

LINES = [
    ("races/elf/high-elf", "*Elf subrace*"),
    ("races/half-orc", "**Ability Score Increase:** Strength +2 and Constitution +1"),
    ("races/dragonborn/draconic-ancestry", "| Gold | Fire | 15-foot cone, Dexterity save |"),
    ("classes/bard", "**Spellcasting:** from 1st level, with Charisma"),
    ("classes/barbarian/hit-points", "**Hit Dice:** 1d12 per barbarian level"),
    ("classes/wizard/proficiencies", "**Armor:** none"),
    ("classes/druid/proficiencies", "**Tools:** Herbalism kit"),
    ("classes/monk/multiclassing", "**Prerequisite:** Dexterity 13 and Wisdom 13"),
    ("classes/fighter/multiclassing", "**Prerequisite:** Strength 13 or Dexterity 13"),
    ("classes/sorcerer/multiclassing", "**Proficiencies Gained:** none"),
    ("classes/cleric/starting-equipment", "- (a) mace or (b) warhammer (if proficient)"),
    ("classes/cleric/starting-equipment", "- any holy symbol"),
    ("classes/druid/starting-equipment", "- any druidic focus"),
    ("classes/paladin/starting-equipment", "- (a) shield and any martial weapon or (b) any two martial weapons"),
    ("classes/barbarian/the-barbarian-table", "| 20th | +6 | Primal Champion | Unlimited | 4 | 3 |"),
    ("classes/barbarian/the-barbarian-table", "| 6th | +3 | Primal Path feature | 4 | 2 | — |"),
    ("classes/bard/class-features/bardic-inspiration", "*Bard feature, 1st, 5th, 10th, and 15th level*"),
    ("classes/bard/class-features/bardic-inspiration", "**By Level:** 1st (d6), 5th (d8), 10th (d10), 15th (d12)"),
    ("classes/warlock/class-features/eldritch-invocations/thirsting-blade", "**Prerequisites:** 5th level, Pact of the Blade feature"),
    ("classes/warlock/class-features/eldritch-invocations/agonizing-blast", "**Prerequisites:** Eldritch Blast spell"),
    ("classes/sorcerer/draconic-bloodline/dragon-ancestor", "- Red: Fire Damage"),
    ("classes/cleric/life-domain", "*Cleric subclass (Divine Domain)*"),
    ("classes/cleric/life-domain/life-domain-spells", "| 5th | Beacon of Hope, Revivify |"),
    ("classes/druid/circle-of-the-land/circle-of-the-land-spells/arctic", "| 3rd | Hold Person, Spike Growth |"),
    ("classes/multiclassing/multiclassing-prerequisites", "| Wizard | Intelligence 13 |"),
    ("backgrounds/acolyte", "**Equipment:** common clothes, pouch, one of the holy symbols, and 15 gp"),
    ("feats/grappler", "**Prerequisite:** Strength 13 or higher"),
    ("languages/exotic-languages", "| Infernal | Devils | Infernal |"),
    ("equipment/armor/medium-armor", "| Scale Mail | 50 gp | 14 + Dex modifier (max 2) | — | Disadvantage | 45 lb. |"),
    ("equipment/armor/heavy-armor/plate-armor", "**Strength:** Str 15"),
    ("equipment/armor/shields/shield", "**Armor Class:** +2"),
    ("equipment/weapons/simple-melee-weapons", "| Dagger | 2 gp | 1d4 piercing | 1 lb. | Finesse, light, thrown (range 20/60), monk |"),
    ("equipment/weapons/martial-melee-weapons/longsword", "**Properties:** Versatile (1d10)"),
    ("equipment/weapons/martial-ranged-weapons/net", "**Damage:** —"),
    ("equipment/adventuring-gear/equipment-packs/scholars-pack", "- 10 × Parchment (one sheet)"),
    ("equipment/adventuring-gear/ammunition", "| Arrow (20) | 1 gp | 1 lb. |"),
    ("equipment/adventuring-gear/standard-gear/little-bag-of-sand", "**Cost:** no price of its own"),
    ("equipment/mounts-and-vehicles/mounts-and-other-animals", "| Mule | 8 gp | 40 ft/round | 420 lb. |"),
    ("equipment/mounts-and-vehicles/waterborne-vehicles", "| Rowboat | 50 gp | 1.5 mph |"),
    ("spell-lists/wizard-spells/3rd-level", "- Fireball"),
    ("spell-descriptions/fireball", "*3rd-level evocation*"),
    ("spell-descriptions/fireball", "**Classes:** Sorcerer, Wizard"),
    ("spell-descriptions/alarm", "*1st-level abjuration (ritual)*"),
    ("spell-descriptions/light", "*Evocation cantrip*"),
    ("spell-descriptions/bless", "**Duration:** Concentration, up to 1 minute"),
    ("monsters/aberrations/aboleth/legendary-actions",
     "***Detect.*** The aboleth makes a Wisdom (Perception) check."),
    ("magic-items/rings/ring-of-protection", "*Ring, rare (requires attunement)*"),
    ("magic-items/potions/potion-of-healing", "*Potion, rarity varies*"),
    ("magic-items/wondrous-items/robe-of-the-archmagi", "*Wondrous item, legendary (requires attunement by a sorcerer, warlock, or wizard)*"),
    ("monsters/humanoids/goblin", "*Small humanoid (goblinoid), neutral evil*"),
    ("monsters/humanoids/goblin", "**Challenge** 1/4 (50 XP)"),
    ("monsters/humanoids/goblin", "| 8 (-1) | 14 (+2) | 10 (+0) | 10 (+0) | 8 (-1) | 8 (-1) |"),
    ("monsters/dragons/adult-red-dragon", "**Hit Points** 256 (19d12 + 133)"),
    ("monsters/humanoids/werewolf", "| Wolf Form | 12 | 58 | 3 |"),
    ("monsters/swarms/swarm-of-rats", "*Medium swarm of Tiny beasts, unaligned*"),
    ("appendix-reference-tables/experience-points-by-challenge-rating", "| 1/8 | 25 |"),
    ("appendix-reference-tables/spells-by-school/evocation-spells", "- Fireball (3rd level)"),
    ("appendix-reference-tables/spells-by-school/abjuration-spells", "- Alarm (1st level, ritual)"),
    ("appendix-reference-tables/monsters-by-challenge-rating/challenge-30", "- Tarrasque (monstrosity)"),
]  # fmt: skip


@pytest.mark.parametrize(("section_id", "line"), LINES, ids=[one[1][:40] for one in LINES])
def test_a_section_has_a_line(sections: Sections, section_id: str, line: str) -> None:
    assert line in sections[section_id].content.split("\n")


UNDER = [
    ("Rage", "Classes > Barbarian > Class Features > Rage"),
    ("Agonizing Blast",
     "Classes > Warlock > Class Features > Eldritch Invocations > Agonizing Blast"),
    ("Thieves' Cant", "Classes > Rogue > Class Features > Thieves' Cant"),
    ("Stealth",
     "Using Ability Scores > Using Each Ability > Dexterity > Dexterity Checks > Stealth"),
    ("Necrotic", "Combat > Damage and Healing > Damage Rolls > Damage Types > Necrotic"),
    ("Malice (Inhaled)", "Running the Game > Poisons > Sample Poisons > Malice (Inhaled)"),
    ("Inner Planes", "The Planes of Existence > Beyond the Material > Inner Planes"),
    ("Archmage", "Nonplayer Characters > Archmage"),
    ("Werewolf, Wolf Form", "Monsters > Humanoids > Werewolf > Werewolf, Wolf Form"),
    ("Sentient Magic Items", "Magic Items > Sentient Magic Items"),
]


@pytest.mark.parametrize(("title", "path"), UNDER)
def test_a_section_stands_in_its_place(sections: Sections, title: str, path: str) -> None:
    assert [one.heading_path for one in sections.titled(title)] == [path]


def feature(
    slug: str, name: str, level: int, *text: str, parent: str | None = None
) -> FeatureRecord:
    return FeatureRecord(
        slug=slug, name=name, text=text, level=level, subclass=None, choice=None,
        class_=Ref(Kind.CLASSES, "sage", "Sage"), required=(), required_level=None,
        parent=None if parent is None else Ref(Kind.FEATURES, parent, parent),
    )


def test_options_stand_under_what_they_are_of() -> None:
    records = [
        feature("a", "Art", 1, "x", "Ink"), feature("b", "Art: Ink", 1, "y", parent="a"),
        feature("c", "Clay", 1, "z", parent="a"), feature("d", "Art: Wood - Blue", 1, "x", parent="a"),
        feature("e", "Art", 3, "x"),
    ]
    assert feature_parts(records, "Sage") == [
        BookPart("Art", ("*Sage feature, 1st and 3rd level*", "x", "- Wood: Blue"), (
            BookPart("Clay", ("*Sage feature, 1st level*", "z")), BookPart("Ink", ("*Sage feature, 1st level*", "y")),
        )),
    ]
