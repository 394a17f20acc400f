"""A character's sheet: its parts as values, what each may hold, and which of it are names.

The types are the one place that says so: what is read is checked by them, and the JSON Schema and
the pieces that are indexed follow from them. Everything but the name may be missing: a text is
then '', a list (), a number or a flag None.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Final, Literal

from pydantic import BeforeValidator, Field

from ...formats.export_fields import MAX_NAME
from .class_levels import CLASSES, ClassLevel, with_levels
from .parts import (
    Amount,
    Count,
    Entity,
    Flag,
    Number,
    Score,
    SheetPart,
    Texts,
    Weight,
    also,
    many,
    part,
)

_ABILITY: Final = Entity("ability", itself=True)


@dataclass(frozen=True, slots=True)
class Base(SheetPart):
    """Who it is. ``xp`` are experience points; ``player`` is who plays it."""

    name: Annotated[str, Field(min_length=1, max_length=MAX_NAME), Entity("character")]
    aliases: Texts = ()
    race: Annotated[str, Entity("race")] = ""
    subrace: Annotated[str, Entity("race")] = ""
    classes: Annotated[tuple[ClassLevel, ...], also(*CLASSES)] = ()
    background: str = ""
    alignment: str = ""
    deity: Annotated[str, also("deity", "god"), Entity("deity")] = ""
    xp: Annotated[Amount, also("xp", "experience")] = None
    player: str = ""


@dataclass(frozen=True, slots=True)
class Characteristics(SheetPart):
    """What it looks like; measures are texts with their units."""

    alone: ClassVar[str] = "looks"
    age: str = ""
    gender: str = ""
    size: str = ""
    height: str = ""
    weight: str = ""
    eyes: str = ""
    skin: str = ""
    hair: str = ""
    looks: str = ""
    home: Annotated[str, Entity("location")] = ""


@dataclass(frozen=True, slots=True)
class AbilityScores(SheetPart):
    """The six scores in full, from 1 to 30."""

    form: ClassVar[str] = "scores"
    strength: Annotated[Score, also("strength", "str"), _ABILITY] = None
    dexterity: Annotated[Score, also("dexterity", "dex"), _ABILITY] = None
    constitution: Annotated[Score, also("constitution", "con"), _ABILITY] = None
    intelligence: Annotated[Score, also("intelligence", "int"), _ABILITY] = None
    wisdom: Annotated[Score, also("wisdom", "wis"), _ABILITY] = None
    charisma: Annotated[Score, also("charisma", "cha"), _ABILITY] = None


@dataclass(frozen=True, slots=True)
class NamedAbility(SheetPart):
    """A thing with its name and what is said of it."""

    form: ClassVar[str] = "entry"
    name: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class Attack(SheetPart):
    """An attack: ``bonus`` to hit, ``damage`` as "1d8+3 slashing"."""

    short: ClassVar[str] = "damage"
    name: str = ""
    bonus: Number = None
    damage: str = ""
    range: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class RollBonus(SheetPart):
    """What is added to a roll: a save, a skill."""

    form: ClassVar[str] = "row"
    short: ClassVar[str] = "bonus"
    name: str = ""
    bonus: Number = None
    proficient: Flag = None
    note: str = ""


def _walking(value: object) -> object:
    """A speed alone is that of walking."""
    return {"walk": str(value)} if isinstance(value, (str, int, float)) else value


@dataclass(frozen=True, slots=True)
class CombatStats(SheetPart):
    """What counts in a fight; ``hit_dice`` as "5d6", ``armor`` says what the armor class is of."""

    max_hit_points: Annotated[
        Amount, also("max_hit_points", "max_hp", "hit_points", "hp", "hp_max")] = None
    current_hit_points: Annotated[
        Number, also("current_hit_points", "current_hp", "hit_points", "hp", "hp_current")] = None
    temporary_hit_points: Annotated[
        Amount, also("temporary_hit_points", "temp_hp", "hp_temp")] = None
    armor_class: Annotated[Amount, also("armor_class", "ac", "armour_class")] = None
    armor: str = ""
    initiative: Number = None
    proficiency_bonus: Number = None
    hit_dice: Annotated[str, Entity("resource", itself=True)] = ""
    hit_dice_left: Amount = None
    inspiration: Flag = None
    speeds: Annotated[tuple[NamedAbility, ...], also("speeds", "speed"), many(NamedAbility),
                      BeforeValidator(_walking)] = ()
    attacks: Annotated[tuple[Attack, ...], many(Attack), Entity("weapon")] = ()
    saves: Annotated[tuple[RollBonus, ...], many(RollBonus), Entity("ability")] = ()
    conditions: Annotated[Texts, Entity("condition")] = ()


@dataclass(frozen=True, slots=True)
class Background(SheetPart):
    """Where it comes from, as the rules have it: the background and its feature."""

    name: str = ""
    feature: Annotated[str, Entity("feature")] = ""
    description: str = ""


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
    title: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Contact(SheetPart):
    """Somebody, or a group, that it deals with: ``role`` is what they are to each other."""

    name: str = ""
    aliases: Texts = ()
    role: str = ""
    place: Annotated[str, Entity("location")] = ""
    description: str = ""


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
    short: ClassVar[str] = "score"
    name: str = ""
    score: Amount = None
    note: str = ""


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

    name: str = ""
    source: str = ""
    uses: str = ""
    uses_left: Amount = None
    description: str = ""


@dataclass(frozen=True, slots=True)
class Coins(SheetPart):
    """Copper, silver, electrum, gold and platinum pieces."""

    cp: Annotated[Amount, also("cp", "copper")] = None
    sp: Annotated[Amount, also("sp", "silver")] = None
    ep: Annotated[Amount, also("ep", "electrum")] = None
    gp: Annotated[Amount, also("gp", "gold")] = None
    pp: Annotated[Amount, also("pp", "platinum")] = None


@dataclass(frozen=True, slots=True)
class Item(SheetPart):
    """Something that it owns; ``weight`` is that of one, in pounds."""

    name: str = ""
    kind: Literal["item", "weapon", "armor"] = "item"
    aliases: Texts = ()
    quantity: Count = 1
    weight: Weight = None
    rarity: str = ""
    equipped: Flag = None
    attuned: Flag = None
    description: str = ""


@dataclass(frozen=True, slots=True)
class Inventory(SheetPart):
    """What it carries and owns."""

    alone: ClassVar[str] = "items"
    coins: Annotated[Coins, also("coins", "money", "currency")] = Coins()
    items: Annotated[tuple[Item, ...], many(Item), Entity("item")] = ()


@dataclass(frozen=True, slots=True)
class Slots(SheetPart):
    """Spell slots of one level."""

    form: ClassVar[str] = "row"
    level: Annotated[int, Field(strict=True, ge=1, le=9)] = 1
    total: Amount = None
    used: Amount = None


@dataclass(frozen=True, slots=True)
class Spell(SheetPart):
    """A spell on the sheet; ``level`` 0 is a cantrip, None not told. ``note`` is the player's."""

    form: ClassVar[str] = "spell"
    short: ClassVar[str] = "level"
    name: str = ""
    level: Annotated[int, Field(strict=True, ge=0, le=9)] | None = None
    prepared: Flag = None
    school: str = ""
    concentration: Flag = None
    ritual: Flag = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Spellcasting(SheetPart):
    """The spells of one class, or of another ``source``, and what they are cast with."""

    form: ClassVar[str] = "block"
    alone: ClassVar[str] = "spells"
    short: ClassVar[str] = "spells"
    source: str = ""
    ability: str = ""
    save_dc: Amount = None
    attack_bonus: Number = None
    focus: str = ""
    slots: Annotated[tuple[Slots, ...], many(Slots), Entity("resource", itself=True)] = ()
    spells: Annotated[tuple[Spell, ...], many(Spell), Entity("spell")] = ()


@dataclass(frozen=True, slots=True)
class Objective(SheetPart):
    """Something that it wants to bring about; ``giver`` is who asked for it."""

    name: str = ""
    giver: str = ""
    place: Annotated[str, Entity("location")] = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class Objectives(SheetPart):
    """What it wants, and what is done."""

    alone: ClassVar[str] = "active"
    active: Annotated[tuple[Objective, ...], many(Objective), Entity("objective")] = ()
    done: Annotated[tuple[Objective, ...], many(Objective), Entity("objective")] = ()


@dataclass(frozen=True, slots=True)
class Character(SheetPart):
    """A character's sheet. ``notes`` are the player's, ``dm_notes`` for the DM alone."""

    base: Annotated[Base, BeforeValidator(with_levels), part(Base)]
    characteristics: Annotated[Characteristics, part(Characteristics)] = Characteristics()
    ability_scores: Annotated[AbilityScores, also("ability_scores", "abilities"),
                              part(AbilityScores)] = AbilityScores()
    combat_stats: Annotated[CombatStats, part(CombatStats)] = CombatStats()
    background: Annotated[Background, part(Background)] = Background()
    personality: Annotated[Personality, part(Personality)] = Personality()
    backstory: Annotated[tuple[Headed, ...], many(Headed)] = ()
    organisations: Annotated[tuple[Contact, ...], also("organisations", "organizations"),
                             many(Contact), Entity("organization")] = ()
    allies: Annotated[tuple[Contact, ...], many(Contact), Entity("ally")] = ()
    enemies: Annotated[tuple[Contact, ...], many(Contact), Entity("enemy")] = ()
    proficiencies: Annotated[Proficiencies, part(Proficiencies)] = Proficiencies()
    damage_modifiers: Annotated[DamageModifiers, part(DamageModifiers)] = DamageModifiers()
    passive_scores: Annotated[tuple[Passive, ...], many(Passive), Entity("skill")] = ()
    senses: Annotated[tuple[NamedAbility, ...], many(NamedAbility)] = ()
    action_economy: Annotated[ActionEconomy, part(ActionEconomy)] = ActionEconomy()
    features_and_traits: Annotated[tuple[Feature, ...], also("features_and_traits", "features"),
                                   many(Feature), Entity("feature")] = ()
    inventory: Annotated[Inventory, also("inventory", "equipment"), part(Inventory)] = Inventory()
    spell_list: Annotated[tuple[Spellcasting, ...], also("spell_list", "spells"),
                          many(Spellcasting)] = ()
    objectives: Annotated[Objectives, also("objectives", "goals"), part(Objectives)] = Objectives()
    notes: Annotated[tuple[Headed, ...], many(Headed)] = ()
    dm_notes: Annotated[tuple[Headed, ...], many(Headed)] = ()
