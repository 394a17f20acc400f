"""A character's sheet: its parts as values, what each may hold, and which of it are names.

The types are the one place that says so: what is read is checked by them, and the JSON Schema and
the pieces that are indexed follow from them. Everything but the name may be missing: a text is
then '', a list (), a number or a flag None.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Annotated, ClassVar, Final, Literal

from pydantic import BeforeValidator

from .class_levels import with_levels
from .parts import (
    Amount,
    Count,
    Entity,
    Flag,
    Level,
    Name,
    Number,
    Score,
    SheetPart,
    SlotLevel,
    SpellLevel,
    Text,
    Texts,
    Weight,
    many,
    one,
)


@dataclass(frozen=True, slots=True)
class ClassLevel(SheetPart):
    """A class with the levels that the character has in it."""

    alone: ClassVar[str] = "name"
    short: ClassVar[str] = "level"
    name: Annotated[Text, Entity("class")] = ""
    level: Level | None = None
    subclass: Annotated[Text, Entity("class")] = ""


@dataclass(frozen=True, slots=True)
class Base(SheetPart):
    """Who it is. ``xp`` are experience points; ``player`` is who plays it."""

    alone: ClassVar[str] = "name"
    also: ClassVar[Mapping[str, str]] = {
        "class": "classes", "class_level": "classes", "class_and_level": "classes",
        "experience": "xp", "god": "deity",
    }
    name: Annotated[Name, Entity("character")]
    aliases: Texts = ()
    race: Annotated[Text, Entity("race")] = ""
    subrace: Annotated[Text, Entity("race")] = ""
    classes: Annotated[tuple[ClassLevel, ...], many(ClassLevel)] = ()
    background: Text = ""
    alignment: Text = ""
    deity: Annotated[Text, Entity("deity")] = ""
    xp: Amount = None
    player: Text = ""


@dataclass(frozen=True, slots=True)
class Characteristics(SheetPart):
    """What it looks like; measures are texts with their units."""

    alone: ClassVar[str] = "looks"
    age: Text = ""
    gender: Text = ""
    size: Text = ""
    height: Text = ""
    weight: Text = ""
    eyes: Text = ""
    skin: Text = ""
    hair: Text = ""
    looks: Text = ""
    home: Annotated[Text, Entity("location")] = ""


@dataclass(frozen=True, slots=True)
class AbilityScores(SheetPart):
    """The six scores in full, from 1 to 30."""

    form: ClassVar[str] = "scores"
    also: ClassVar[Mapping[str, str]] = {
        "str": "strength", "dex": "dexterity", "con": "constitution", "int": "intelligence",
        "wis": "wisdom", "cha": "charisma",
    }
    strength: Annotated[Score, Entity("ability", itself=True)] = None
    dexterity: Annotated[Score, Entity("ability", itself=True)] = None
    constitution: Annotated[Score, Entity("ability", itself=True)] = None
    intelligence: Annotated[Score, Entity("ability", itself=True)] = None
    wisdom: Annotated[Score, Entity("ability", itself=True)] = None
    charisma: Annotated[Score, Entity("ability", itself=True)] = None


@dataclass(frozen=True, slots=True)
class NamedAbility(SheetPart):
    """A thing with its name and what is said of it."""

    form: ClassVar[str] = "entry"
    alone: ClassVar[str] = "name"
    short: ClassVar[str] = "description"
    name: Text = ""
    description: Text = ""


@dataclass(frozen=True, slots=True)
class Attack(SheetPart):
    """An attack: ``bonus`` to hit, ``damage`` as "1d8+3 slashing"."""

    alone: ClassVar[str] = "name"
    short: ClassVar[str] = "damage"
    name: Text = ""
    bonus: Number = None
    damage: Text = ""
    range: Text = ""
    description: Text = ""


@dataclass(frozen=True, slots=True)
class RollBonus(SheetPart):
    """What is added to a roll: a save, a skill."""

    form: ClassVar[str] = "row"
    alone: ClassVar[str] = "name"
    short: ClassVar[str] = "bonus"
    name: Text = ""
    bonus: Number = None
    proficient: Flag = None
    note: Text = ""


def _walking(value: object) -> object:
    """A speed alone is that of walking."""
    return {"walk": str(value)} if isinstance(value, (str, int, float)) else value


@dataclass(frozen=True, slots=True)
class CombatStats(SheetPart):
    """What counts in a fight; ``hit_dice`` as "5d6", ``armor`` says what the armor class is of."""

    also: ClassVar[Mapping[str, str]] = {
        "hit_points": "max_hit_points", "hp": "max_hit_points", "max_hp": "max_hit_points",
        "current_hp": "current_hit_points", "temp_hp": "temporary_hit_points", "ac": "armor_class",
        "armour_class": "armor_class", "speed": "speeds",
    }
    beside: ClassVar[Mapping[str, str]] = {
        "hit_points": "current_hit_points", "hp": "current_hit_points",
    }
    max_hit_points: Amount = None
    current_hit_points: Number = None
    temporary_hit_points: Amount = None
    armor_class: Amount = None
    armor: Text = ""
    initiative: Number = None
    proficiency_bonus: Number = None
    hit_dice: Annotated[Text, Entity("resource", itself=True)] = ""
    hit_dice_left: Amount = None
    inspiration: Flag = None
    speeds: Annotated[tuple[NamedAbility, ...], many(NamedAbility), BeforeValidator(_walking)] = ()
    attacks: Annotated[tuple[Attack, ...], many(Attack), Entity("weapon")] = ()
    saves: Annotated[tuple[RollBonus, ...], many(RollBonus), Entity("ability")] = ()
    conditions: Annotated[Texts, Entity("condition")] = ()


@dataclass(frozen=True, slots=True)
class Background(SheetPart):
    """Where it comes from, as the rules have it: the background and its feature."""

    alone: ClassVar[str] = "name"
    name: Text = ""
    feature: Annotated[Text, Entity("feature")] = ""
    description: Text = ""


@dataclass(frozen=True, slots=True)
class Personality(SheetPart):
    """What moves it."""

    alone: ClassVar[str] = "traits"
    traits: Texts = ()
    ideals: Texts = ()
    bonds: Texts = ()
    flaws: Texts = ()


@dataclass(frozen=True, slots=True)
class Headed(SheetPart):
    """A text under a heading, which may be ''."""

    form: ClassVar[str] = "heading"
    alone: ClassVar[str] = "text"
    short: ClassVar[str] = "text"
    title: Text = ""
    text: Text = ""


@dataclass(frozen=True, slots=True)
class Contact(SheetPart):
    """Somebody, or a group, that it deals with: ``role`` is what they are to each other."""

    alone: ClassVar[str] = "name"
    short: ClassVar[str] = "description"
    name: Text = ""
    aliases: Texts = ()
    role: Text = ""
    place: Annotated[Text, Entity("location")] = ""
    description: Text = ""


@dataclass(frozen=True, slots=True)
class Proficiencies(SheetPart):
    """What it has learnt."""

    skills: Annotated[tuple[RollBonus, ...], many(RollBonus), Entity("skill")] = ()
    armor: Texts = ()
    weapons: Texts = ()
    tools: Annotated[Texts, Entity("skill")] = ()
    languages: Annotated[Texts, Entity("language")] = ()


@dataclass(frozen=True, slots=True)
class DamageModifiers(SheetPart):
    """Kinds of damage, and conditions, that it takes otherwise than others."""

    resistances: Texts = ()
    immunities: Texts = ()
    vulnerabilities: Texts = ()
    condition_immunities: Texts = ()


@dataclass(frozen=True, slots=True)
class Passive(SheetPart):
    """A passive score, as Perception 14."""

    form: ClassVar[str] = "row"
    alone: ClassVar[str] = "name"
    short: ClassVar[str] = "score"
    name: Text = ""
    score: Amount = None
    note: Text = ""


@dataclass(frozen=True, slots=True)
class ActionEconomy(SheetPart):
    """What it can do in its turn, and outside of it."""

    alone: ClassVar[str] = "actions"
    actions: Annotated[tuple[NamedAbility, ...], many(NamedAbility), Entity("feature")] = ()
    bonus_actions: Annotated[tuple[NamedAbility, ...], many(NamedAbility), Entity("feature")] = ()
    reactions: Annotated[tuple[NamedAbility, ...], many(NamedAbility), Entity("feature")] = ()
    other: Annotated[tuple[NamedAbility, ...], many(NamedAbility), Entity("feature")] = ()


@dataclass(frozen=True, slots=True)
class Feature(SheetPart):
    """A feature or trait; ``uses`` as "1 per short rest", with how many are left."""

    alone: ClassVar[str] = "name"
    short: ClassVar[str] = "description"
    name: Text = ""
    source: Text = ""
    uses: Text = ""
    uses_left: Amount = None
    description: Text = ""


@dataclass(frozen=True, slots=True)
class Coins(SheetPart):
    """Copper, silver, electrum, gold and platinum pieces."""

    also: ClassVar[Mapping[str, str]] = {
        "copper": "cp", "silver": "sp", "electrum": "ep", "gold": "gp", "platinum": "pp",
    }
    cp: Amount = None
    sp: Amount = None
    ep: Amount = None
    gp: Amount = None
    pp: Amount = None


@dataclass(frozen=True, slots=True)
class Item(SheetPart):
    """Something that it owns; ``weight`` is that of one, in pounds."""

    alone: ClassVar[str] = "name"
    short: ClassVar[str] = "description"
    name: Text = ""
    kind: Literal["item", "weapon", "armor"] = "item"
    aliases: Texts = ()
    quantity: Count = 1
    weight: Weight = None
    rarity: Text = ""
    equipped: Flag = None
    attuned: Flag = None
    description: Text = ""


@dataclass(frozen=True, slots=True)
class Inventory(SheetPart):
    """What it carries and owns."""

    alone: ClassVar[str] = "items"
    also: ClassVar[Mapping[str, str]] = {"money": "coins"}
    coins: Annotated[Coins, one(Coins)] = Coins()
    items: Annotated[tuple[Item, ...], many(Item), Entity("item")] = ()


@dataclass(frozen=True, slots=True)
class Slots(SheetPart):
    """Spell slots of one level."""

    form: ClassVar[str] = "row"
    level: SlotLevel = 1
    total: Amount = None
    used: Amount = None


@dataclass(frozen=True, slots=True)
class Spell(SheetPart):
    """A spell on the sheet; ``level`` 0 is a cantrip, None not told. ``note`` is the player's."""

    form: ClassVar[str] = "spell"
    alone: ClassVar[str] = "name"
    short: ClassVar[str] = "level"
    name: Text = ""
    level: SpellLevel = None
    prepared: Flag = None
    school: Text = ""
    concentration: Flag = None
    ritual: Flag = None
    note: Text = ""


@dataclass(frozen=True, slots=True)
class Spellcasting(SheetPart):
    """The spells of one class, or of another ``source``, and what they are cast with."""

    form: ClassVar[str] = "block"
    alone: ClassVar[str] = "spells"
    short: ClassVar[str] = "spells"
    source: Text = ""
    ability: Text = ""
    save_dc: Amount = None
    attack_bonus: Number = None
    focus: Text = ""
    slots: Annotated[tuple[Slots, ...], many(Slots), Entity("resource", itself=True)] = ()
    spells: Annotated[tuple[Spell, ...], many(Spell), Entity("spell")] = ()


@dataclass(frozen=True, slots=True)
class Objective(SheetPart):
    """Something that it wants to bring about; ``giver`` is who asked for it."""

    alone: ClassVar[str] = "name"
    short: ClassVar[str] = "description"
    name: Text = ""
    giver: Text = ""
    place: Annotated[Text, Entity("location")] = ""
    description: Text = ""


@dataclass(frozen=True, slots=True)
class Objectives(SheetPart):
    """What it wants, and what is done."""

    alone: ClassVar[str] = "active"
    active: Annotated[tuple[Objective, ...], many(Objective), Entity("objective")] = ()
    done: Annotated[tuple[Objective, ...], many(Objective), Entity("objective")] = ()


@dataclass(frozen=True, slots=True)
class Character(SheetPart):
    """A character's sheet. ``notes`` are the player's, ``dm_notes`` for the DM alone."""

    also: ClassVar[Mapping[str, str]] = {
        "features": "features_and_traits", "spells": "spell_list", "equipment": "inventory",
        "organizations": "organisations", "goals": "objectives",
    }
    base: Annotated[Base, BeforeValidator(with_levels), one(Base)]
    characteristics: Annotated[Characteristics, one(Characteristics)] = Characteristics()
    ability_scores: Annotated[AbilityScores, one(AbilityScores)] = AbilityScores()
    combat_stats: Annotated[CombatStats, one(CombatStats)] = CombatStats()
    background: Annotated[Background, one(Background)] = Background()
    personality: Annotated[Personality, one(Personality)] = Personality()
    backstory: Annotated[tuple[Headed, ...], many(Headed)] = ()
    organisations: Annotated[tuple[Contact, ...], many(Contact), Entity("organization")] = ()
    allies: Annotated[tuple[Contact, ...], many(Contact), Entity("ally")] = ()
    enemies: Annotated[tuple[Contact, ...], many(Contact), Entity("enemy")] = ()
    proficiencies: Annotated[Proficiencies, one(Proficiencies)] = Proficiencies()
    damage_modifiers: Annotated[DamageModifiers, one(DamageModifiers)] = DamageModifiers()
    passive_scores: Annotated[tuple[Passive, ...], many(Passive), Entity("skill")] = ()
    senses: Annotated[tuple[NamedAbility, ...], many(NamedAbility)] = ()
    action_economy: Annotated[ActionEconomy, one(ActionEconomy)] = ActionEconomy()
    features_and_traits: Annotated[tuple[Feature, ...], many(Feature), Entity("feature")] = ()
    inventory: Annotated[Inventory, one(Inventory)] = Inventory()
    spell_list: Annotated[tuple[Spellcasting, ...], many(Spellcasting)] = ()
    objectives: Annotated[Objectives, one(Objectives)] = Objectives()
    notes: Annotated[tuple[Headed, ...], many(Headed)] = ()
    dm_notes: Annotated[tuple[Headed, ...], many(Headed)] = ()


ABILITIES: Final = tuple(field.name.capitalize() for field in fields(AbilityScores))
