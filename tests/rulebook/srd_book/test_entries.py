"""What single sections of the book say: a table of lines, then the cases of each renderer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mvp_site.rulebook.sections import Sections
from mvp_site.rulebook.srd_book import monsters, rules, spells
from mvp_site.rulebook.srd_book.armory import armor_class
from mvp_site.rulebook.srd_book.equipment import equipment
from mvp_site.rulebook.srd_book.features import base_name, feature_parts
from mvp_site.rulebook.srd_book.items import item_line
from mvp_site.rulebook.srd_book.part import Part
from mvp_site.srd import (
    Action,
    ArmorRecord,
    Cost,
    EquipmentRecord,
    FeatureRecord,
    Kind,
    MagicItemRecord,
    MonsterRecord,
    Ref,
    RuleRecord,
    RuleSectionRecord,
    Scaling,
    Senses,
    Speed,
    SpellRecord,
    Srd,
)

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
    ("classes/paladin/starting-equipment",
     "- (a) shield and any martial weapon or (b) any two martial weapons"),
    ("classes/barbarian/the-barbarian-table", "| 20th | +6 | Primal Champion | Unlimited | 4 | 3 |"),
    ("classes/barbarian/the-barbarian-table", "| 6th | +3 | Primal Path feature | 4 | 2 | — |"),
    ("classes/bard/class-features/bardic-inspiration",
     "*Bard feature, 1st, 5th, 10th, and 15th level*"),
    ("classes/bard/class-features/bardic-inspiration",
     "**By Level:** 1st (d6), 5th (d8), 10th (d10), 15th (d12)"),
    ("classes/warlock/class-features/eldritch-invocations/thirsting-blade",
     "**Prerequisites:** 5th level, Pact of the Blade feature"),
    ("classes/warlock/class-features/eldritch-invocations/agonizing-blast",
     "**Prerequisites:** Eldritch Blast spell"),
    ("classes/sorcerer/draconic-bloodline/dragon-ancestor", "- Red: Fire Damage"),
    ("classes/cleric/life-domain", "*Cleric subclass (Divine Domain)*"),
    ("classes/cleric/life-domain/life-domain-spells", "| 5th | Beacon of Hope, Revivify |"),
    ("classes/druid/circle-of-the-land/circle-of-the-land-spells/arctic",
     "| 3rd | Hold Person, Spike Growth |"),
    ("classes/multiclassing/multiclassing-prerequisites", "| Wizard | Intelligence 13 |"),
    ("backgrounds/acolyte",
     "**Equipment:** common clothes, pouch, one of the holy symbols, and 15 gp"),
    ("feats/grappler", "**Prerequisite:** Strength 13 or higher"),
    ("languages/exotic-languages", "| Infernal | Devils | Infernal |"),
    ("equipment/armor/medium-armor",
     "| Scale Mail | 50 gp | 14 + Dex modifier (max 2) | — | Disadvantage | 45 lb. |"),
    ("equipment/armor/heavy-armor/plate-armor", "**Strength:** Str 15"),
    ("equipment/armor/shields/shield", "**Armor Class:** +2"),
    ("equipment/weapons/simple-melee-weapons",
     "| Dagger | 2 gp | 1d4 piercing | 1 lb. | Finesse, light, thrown (range 20/60), monk |"),
    ("equipment/weapons/martial-melee-weapons/longsword", "**Properties:** Versatile (1d10)"),
    ("equipment/weapons/martial-ranged-weapons/net", "**Damage:** —"),
    ("equipment/adventuring-gear/equipment-packs/scholars-pack", "- 10 × Parchment (one sheet)"),
    ("equipment/adventuring-gear/ammunition", "| Arrow (20) | 1 gp | 1 lb. |"),
    ("equipment/adventuring-gear/standard-gear/little-bag-of-sand",
     "**Cost:** no price of its own"),
    ("equipment/mounts-and-vehicles/mounts-and-other-animals",
     "| Mule | 8 gp | 40 ft/round | 420 lb. |"),
    ("equipment/mounts-and-vehicles/waterborne-vehicles", "| Rowboat | 50 gp | 1.5 mph |"),
    ("spell-lists/wizard-spells/3rd-level", "- Fireball"),
    ("spell-descriptions/fireball", "*3rd-level evocation*"),
    ("spell-descriptions/fireball", "**Classes:** Sorcerer, Wizard"),
    ("spell-descriptions/alarm", "*1st-level abjuration (ritual)*"),
    ("spell-descriptions/light", "*Evocation cantrip*"),
    ("spell-descriptions/bless", "**Duration:** Concentration, up to 1 minute"),
    ("magic-items/rings/ring-of-protection", "*Ring, rare (requires attunement)*"),
    ("magic-items/potions/potion-of-healing", "*Potion, rarity varies*"),
    ("magic-items/wondrous-items/robe-of-the-archmagi",
     "*Wondrous item, legendary (requires attunement by a sorcerer, warlock, or wizard)*"),
    ("monsters/humanoids/goblin", "*Small humanoid (goblinoid), neutral evil*"),
    ("monsters/humanoids/goblin", "**Challenge** 1/4 (50 XP)"),
    ("monsters/humanoids/goblin", "| 8 (-1) | 14 (+2) | 10 (+0) | 10 (+0) | 8 (-1) | 8 (-1) |"),
    ("monsters/dragons/adult-red-dragon", "**Hit Points** 256 (19d12 + 133)"),
    ("monsters/humanoids/werewolf", "| Wolf Form | 12 | 58 | 3 |"),
    ("monsters/swarms/swarm-of-rats", "*Medium swarm of Tiny beasts, unaligned*"),
    ("appendix-reference-tables/experience-points-by-challenge-rating", "| 1/8 | 25 |"),
    ("appendix-reference-tables/spells-by-school/evocation-spells", "- Fireball (3rd level)"),
    ("appendix-reference-tables/spells-by-school/abjuration-spells", "- Alarm (1st level, ritual)"),
    ("appendix-reference-tables/monsters-by-challenge-rating/challenge-30",
     "- Tarrasque (monstrosity)"),
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


@pytest.mark.parametrize(
    ("records", "parts"),
    [
        ([], []),
        ([feature("a", "Aim", 1, "x")], [Part("Aim", ("*Sage feature, 1st level*", "x"))]),
        (
            [feature("b", "Aim (2 dice)", 5, "x", "y"), feature("a", "Aim (1 die)", 1, "x")],
            [Part("Aim", ("*Sage feature, 1st and 5th level*",
                          "**By Level:** 1st (1 die), 5th (2 dice)", "x", "y"))],
        ),
        (
            [feature("a", "Aim", 1, "x"), feature("b", "Aim", 3, "x")],
            [Part("Aim", ("*Sage feature, 1st and 3rd level*", "x"))],
        ),
        (
            [feature("a", "Art", 1, "x", "Ink"), feature("b", "Art: Ink", 1, "y", parent="a"),
             feature("c", "Clay", 1, "z", parent="a")],
            [Part("Art", ("*Sage feature, 1st level*", "x"), (
                Part("Clay", ("*Sage feature, 1st level*", "z")),
                Part("Ink", ("*Sage feature, 1st level*", "y")),
            ))],
        ),
        (
            [feature("a", "Art", 1, "x"), feature("b", "Art: Ink - Blue", 1, "x", parent="a")],
            [Part("Art", ("*Sage feature, 1st level*", "x", "- Ink: Blue"))],
        ),
        (
            [feature("b", "Art: Ink", 1, "y", parent="gone")],
            [Part("Ink", ("*Sage feature, 1st level*", "y"))],
        ),
    ],
)  # fmt: skip
def test_features_are_grouped(records: list[FeatureRecord], parts: list[Part]) -> None:
    assert feature_parts(records, "Sage") == parts


@pytest.mark.parametrize(
    ("name", "base"),
    [("Rage", "Rage"), ("Aim (1 die)", "Aim"), ("Aim (a) at (b)", "Aim (a) at"), ("(a)", "")],
)
def test_the_base_of_a_name_has_no_step(name: str, base: str) -> None:
    assert base_name(name) == base


def monster(srd: Srd) -> MonsterRecord:
    found = srd.get(MonsterRecord, "goblin")
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"speed": Speed(walk=0, fly=40, hover=True)}, "**Speed** 0 ft., fly 40 ft. (hover)"),
        ({"speed": Speed(walk=30, burrow=10, swim=20)}, "**Speed** 30 ft., burrow 10 ft., swim 20 ft."),
        ({"languages": ""}, "**Languages** —"),
        ({"challenge_rating": 17.0, "xp": 18000}, "**Challenge** 17 (18,000 XP)"),
        ({"resistances": ("cold", "a, b, and c from d")},
         "**Damage Resistances** cold; a, b, and c from d"),
        ({"condition_immunities": (Ref(Kind.CONDITIONS, "prone", "Prone"),)},
         "**Condition Immunities** prone"),
        ({"senses": Senses(passive_perception=8, blindsight=60, darkvision=30, note="(blind past)")},
         "**Senses** blindsight 60 ft. (blind past), darkvision 30 ft., passive Perception 8"),
        ({"actions": (Action(name="Breath", usage="Recharge 5–6", text=("It burns.", "More.")),)},
         "***Breath (Recharge 5–6).*** It burns."),
        ({"actions": (Action(name="Hide", text=()),)}, "***Hide.***"),
        ({"reactions": (Action(name="Parry", text=("No.",)),)}, "**Reactions**"),
    ],
)  # fmt: skip
def test_a_stat_block_has_a_line(srd: Srd, changes: dict[str, object], line: str) -> None:
    part = monsters.creature(replace(monster(srd), **changes))  # type: ignore[arg-type]
    assert line in "\n\n".join(part.blocks).split("\n\n")
    assert part.parts == ()


def test_legendary_actions_are_a_part_below(srd: Srd) -> None:
    one = replace(monster(srd), legendary_actions=(Action(name="Run", text=("It runs.",)),))
    (below,) = monsters.creature(one).parts
    assert below.title == "Legendary Actions"
    assert below.blocks[1:] == ("***Run.*** It runs.",)


@pytest.mark.parametrize(
    ("type_", "title"),
    [("fey", "Fey"), ("monstrosity", "Monstrosities"), ("swarm of Tiny beasts", "Swarms"),
     ("gadget", "Gadgets")],
)  # fmt: skip
def test_monsters_stand_under_their_type(type_: str, title: str) -> None:
    assert monsters.type_title(type_) == title


def spell(srd: Srd, slug: str) -> SpellRecord:
    found = srd.get(SpellRecord, slug)
    assert found is not None
    return found


def blocks_of(one: SpellRecord) -> tuple[str, ...]:
    (part,) = spells.spell_descriptions(Srd([one])).parts
    return part.blocks


def test_figures_stand_in_for_a_missing_text_on_higher_slots(srd: Srd) -> None:
    steps = (Scaling(1, "1d8"), Scaling(2, "2d8"))
    bare = replace(
        spell(srd, "fireball"), higher_level=(), damage=steps, healing=steps, classes=()
    )
    assert blocks_of(bare)[-3:] == (
        "**Damage by Slot Level:** 1d8 (1st), 2d8 (2nd)",
        "**Healing by Slot Level:** 1d8 (1st), 2d8 (2nd)",
        "**Classes:** —",
    )
    assert not any("by Slot" in block for block in blocks_of(replace(bare, by_character_level=True)))


def test_the_text_on_higher_slots_comes_before_the_classes(srd: Srd) -> None:
    told = replace(spell(srd, "fireball"), higher_level=("More.", "Still more."))
    assert blocks_of(told)[-3:-1] == ("**At Higher Levels:** More.", "Still more.")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (("It shines.", "Red.", "It burns."), ("It shines.", "***Red.*** It burns.")),
        (("Drop", "It falls.", "Still."), ("***Drop.*** It falls.", "Still.")),
        (("2. Deep Blue.", "It chills."), ("***2. Deep Blue.*** It chills.",)),
        (("It shines all around you.", "More."), ("It shines all around you.", "More.")),
        (("It shines.",), ("It shines.",)),
    ],
)
def test_a_name_alone_opens_the_next_paragraph(
    srd: Srd, text: tuple[str, ...], shown: tuple[str, ...]
) -> None:
    blocks = blocks_of(replace(spell(srd, "light"), text=text, higher_level=()))
    assert blocks[5:-1] == shown


@pytest.mark.parametrize(
    ("changes", "shown"),
    [
        ({"category": "Light", "base": 11}, "11 + Dex modifier"),
        ({"category": "Medium", "base": 14, "max_dexterity": 2}, "14 + Dex modifier (max 2)"),
        ({"category": "Heavy", "base": 18, "adds_dexterity": False}, "18"),
        ({"category": "Shield", "base": 2}, "+2"),
    ],
)
def test_an_armor_class(srd: Srd, changes: dict[str, object], shown: str) -> None:
    leather = srd.get(ArmorRecord, "leather-armor")
    assert leather is not None
    assert armor_class(replace(leather, **changes)) == shown  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({}, "Ring, rare (requires attunement)"),
        ({"attunement": None}, "Ring, rare"),
        ({"attunement": "by a bard"}, "Ring, rare (requires attunement by a bard)"),
        ({"subtype": "gold"}, "Ring (gold), rare (requires attunement)"),
        ({"rarity_text": "varies", "attunement": None}, "Ring, rarity varies"),
    ],
)
def test_the_line_of_an_item(srd: Srd, changes: dict[str, object], line: str) -> None:
    ring = srd.get(MagicItemRecord, "ring-of-protection")
    assert ring is not None
    assert item_line(replace(ring, **changes)) == line  # type: ignore[arg-type]


THING = EquipmentRecord(
    slug="cart", name="Cart", text=("It rolls.",), group="Wagons", cost=Cost(2, "gp"), weight=30.0,
    category=Ref(Kind.EQUIPMENT_CATEGORIES, "vehicles", "Vehicles"), quantity=1, contents=(),
    speed="2 mph", capacity="50 lb.",
)  # fmt: skip


def things(*records: EquipmentRecord) -> Part:
    """The group of the things within the chapter of equipment."""
    (category,) = equipment(Srd(records)).parts[2:]
    (group,) = category.parts
    return group


def test_a_thing_with_a_text_has_its_figures() -> None:
    (cart,) = things(THING).parts
    assert cart.blocks == (
        "**Cost:** 2 gp", "**Weight:** 30 lb.", "**Speed:** 2 mph", "**Carrying Capacity:** 50 lb.",
        "It rolls.",
    )


def test_a_text_that_many_of_a_group_share_is_the_groups() -> None:
    like = replace(THING, slug="dray", name="Dray", text=("It rolls.", "Slowly."))
    group = things(THING, like)
    assert group.blocks[0] == "It rolls."
    assert [(one.title, one.blocks[-1]) for one in group.parts] == [("Dray", "Slowly.")]


def test_a_text_that_few_of_a_group_share_is_theirs() -> None:
    others = [replace(THING, slug=f"no-{n}", name=f"No {n}", text=()) for n in range(5)]
    group = things(THING, replace(THING, slug="dray", name="Dray"), *others)
    assert [one.title for one in group.parts] == ["Cart", "Dray"]
    assert [one.blocks[-1] for one in group.parts] == ["It rolls.", "It rolls."]


def test_things_without_a_figure_have_no_column_of_it() -> None:
    bare = replace(THING, text=(), cost=None, weight=None, speed="", capacity="", quantity=3)
    assert things(bare).blocks == ("| Item | Cost |\n|---|---|\n| Cart (3) | — |",)


def chapter_of(*text: str) -> tuple[Part, ...]:
    rule = Ref(Kind.RULES, "play", "Play")
    one = RuleSectionRecord(slug="one", name="One", text=text, rule=rule, position=1)
    ref = Ref(Kind.RULE_SECTIONS, "one", "One")
    chapter = RuleRecord(slug="play", name="Play", text=("# Play", "Go."), sections=(ref,))
    return rules.chapter(Srd([one, chapter]), "play").parts


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (("## One", "a"), (Part("One", ("a",)),)),
        (("a",), (Part("One", ("a",)),)),
        (("## One", "a", "## Two", "b"), (Part("One", ("a",)), Part("Two", ("b",)))),
        (("## One", "a", "### One", "| b |"), (Part("One", ("a", "| b |")),)),
        (("## One", "### Two", "b", "### One"), (Part("One", (), (Part("Two", ("b",)), Part("One"))),)),
        (("## One", "It ends. It goes on to the", "Next word."),
         (Part("One", ("It ends. It goes on to the Next word.",)),)),
        (("## One", "10 + all", "Next."), (Part("One", ("10 + all", "Next.")),)),
        (("## Damage Types", "a", "***Cold.*** b.", "c", "***Fire.*** d"),
         (Part("Damage Types", ("a",), (Part("Cold", ("b.", "c")), Part("Fire", ("d",)))),)),
        (("## Wit", "### Wit Checks", "***Lore.*** b"),
         (Part("Wit", (), (Part("Wit Checks", (), (Part("Lore", ("b",)),)),)),)),
        (("## Wit", "***Lore.*** b"), (Part("Wit", ("***Lore.*** b",)),)),
        (("## The Schools of Magic", "a", "**Hex** spells b", "c"),
         (Part("The Schools of Magic", ("a",), (Part("Hex", ("**Hex** spells b", "c")),)),)),
    ],
)  # fmt: skip
def test_a_section_of_rules(text: tuple[str, ...], parts: tuple[Part, ...]) -> None:
    assert chapter_of(*text) == parts


def test_rules_that_are_not_there_are_empty() -> None:
    none = Srd([])
    assert rules.chapter(none, "some-rules") == Part("Some Rules")
    assert rules.section(none, "cover") == ()
    assert rules.chapter_of_section(none, "the-planes") == Part("The Planes")
