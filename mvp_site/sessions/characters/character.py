"""A character's sheet: its parts as values, what each may hold, and which of it are names.

The types are the one place that says so: what is read is checked by them, and the JSON Schema and
the pieces that are indexed follow from them. Everything but the name may be missing: a text is
then '', a list (), a number or a flag None.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final, Literal

from pydantic import BeforeValidator, ConfigDict, Field

ABILITIES: Final = ("Strength", "Dexterity", "Constitution", "Intelligence", "Wisdom", "Charisma")


def _text(value: object) -> object:
    """A number where a text is wanted is that text: ages and weights are written so."""
    return str(value) if isinstance(value, (int, float)) and value is not True else value


def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _texts(value: object) -> object:
    return [value] if isinstance(value, str) else value


def _entries(key: str, about: str, alone: str = "") -> BeforeValidator:
    """Takes shorter forms of a list of objects: a text alone, texts, or a mapping by ``key``.

    What else stands under a key of a mapping is the object's ``about``, or all of the object. A
    text by itself is the object's ``alone``, which is ``key`` unless it is said.
    """
    def entries(value: object) -> object:
        if isinstance(value, Mapping) and key not in value and about not in value:
            value = [{key: name, **(one if isinstance(one, Mapping) else {about: one})}
                     for name, one in value.items()]
        if isinstance(value, (str, Mapping)):
            value = [value]
        if not isinstance(value, (list, tuple)):
            return value
        return [{alone or key: one} if isinstance(one, str) else one for one in value]
    return BeforeValidator(entries)


Text = Annotated[str, BeforeValidator(_text)]
Texts = Annotated[tuple[Text, ...], BeforeValidator(_texts)]

Level = Annotated[int, Field(strict=True, ge=1, le=20), BeforeValidator(_whole)]
SpellLevel = Annotated[int, Field(strict=True, ge=0, le=9), BeforeValidator(_whole)]
SlotLevel = Annotated[int, Field(strict=True, ge=1, le=9), BeforeValidator(_whole)]
Count = Annotated[int, Field(strict=True, ge=0, le=10**9), BeforeValidator(_whole)]
Amount = Count | None
Number = Annotated[int, Field(strict=True, ge=-999, le=999), BeforeValidator(_whole)] | None
Score = Annotated[int, Field(strict=True, ge=1, le=30), BeforeValidator(_whole)] | None
Weight = Annotated[float, Field(strict=True, ge=0, le=10**9)] | None
Flag = Annotated[bool, Field(strict=True)] | None


@dataclass(frozen=True, slots=True)
class Entity:
    """Stands at a field whose texts, or whose entries' names, are entities of ``type``.

    Where ``itself`` is set, the field is such an entity, by what it is called.
    """

    type: str
    itself: bool = False


class Part:
    """The base of what a sheet is made of; blanks around texts are no part of them."""

    __slots__ = ()
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(str_strip_whitespace=True)


@dataclass(frozen=True, slots=True)
class ClassLevel(Part):
    """A class with the levels that the character has in it."""

    name: Annotated[Text, Entity("class")] = ""
    level: Level = 1
    subclass: Annotated[Text, Entity("class")] = ""


@dataclass(frozen=True, slots=True)
class Base(Part):
    """Who it is. ``xp`` are experience points; ``player`` is who plays it."""

    name: Annotated[str, Field(min_length=1, max_length=200), BeforeValidator(_text),
                    Entity("character")]
    aliases: Texts = ()
    race: Annotated[Text, Entity("race")] = ""
    subrace: Annotated[Text, Entity("race")] = ""
    classes: Annotated[tuple[ClassLevel, ...], _entries("name", "level")] = ()
    background: Text = ""
    alignment: Text = ""
    deity: Annotated[Text, Entity("deity")] = ""
    xp: Amount = None
    player: Text = ""

    @property
    def level(self) -> int:
        """The levels of all classes together."""
        return sum(one.level for one in self.classes)


@dataclass(frozen=True, slots=True)
class Characteristics(Part):
    """What it looks like; measures are texts with their units."""

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


Ability = Annotated[Score, Entity("ability", itself=True)]


@dataclass(frozen=True, slots=True)
class AbilityScores(Part):
    """The six scores in full, from 1 to 30."""

    strength: Ability = None
    dexterity: Ability = None
    constitution: Ability = None
    intelligence: Ability = None
    wisdom: Ability = None
    charisma: Ability = None


@dataclass(frozen=True, slots=True)
class Bonus(Part):
    """What is added to a roll: a save, a skill."""

    name: Text = ""
    bonus: Number = None
    proficient: Flag = None
    note: Text = ""


@dataclass(frozen=True, slots=True)
class Passive(Part):
    """A passive score, as Perception 14."""

    name: Text = ""
    score: Amount = None
    note: Text = ""


@dataclass(frozen=True, slots=True)
class Named(Part):
    """A thing with its name and what is said of it."""

    name: Text = ""
    description: Text = ""


@dataclass(frozen=True, slots=True)
class Attack(Part):
    """An attack: ``bonus`` to hit, ``damage`` as "1d8+3 slashing"."""

    name: Text = ""
    bonus: Number = None
    damage: Text = ""
    range: Text = ""
    description: Text = ""


Bonuses = Annotated[tuple[Bonus, ...], _entries("name", "bonus")]
NamedOnes = Annotated[tuple[Named, ...], _entries("name", "description")]


@dataclass(frozen=True, slots=True)
class CombatStats(Part):
    """What counts in a fight; ``hit_dice`` as "5d6", ``armor`` says what the armor class is of."""

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
    speeds: NamedOnes = ()
    attacks: Annotated[tuple[Attack, ...], _entries("name", "damage"), Entity("weapon")] = ()
    saves: Annotated[Bonuses, Entity("ability")] = ()
    conditions: Annotated[Texts, Entity("condition")] = ()


@dataclass(frozen=True, slots=True)
class Background(Part):
    """Where it comes from, as the rules have it: the background and its feature."""

    name: Text = ""
    feature: Annotated[Text, Entity("feature")] = ""
    description: Text = ""


@dataclass(frozen=True, slots=True)
class Personality(Part):
    """What moves it."""

    traits: Texts = ()
    ideals: Texts = ()
    bonds: Texts = ()
    flaws: Texts = ()


@dataclass(frozen=True, slots=True)
class Headed(Part):
    """A text under a heading, which may be ''."""

    title: Text = ""
    text: Text = ""


@dataclass(frozen=True, slots=True)
class Contact(Part):
    """Somebody, or a group, that it deals with: ``role`` is what they are to each other."""

    name: Text = ""
    aliases: Texts = ()
    role: Text = ""
    place: Annotated[Text, Entity("location")] = ""
    description: Text = ""


@dataclass(frozen=True, slots=True)
class Proficiencies(Part):
    """What it has learnt."""

    skills: Annotated[Bonuses, Entity("skill")] = ()
    armor: Texts = ()
    weapons: Texts = ()
    tools: Annotated[Texts, Entity("skill")] = ()
    languages: Annotated[Texts, Entity("language")] = ()


@dataclass(frozen=True, slots=True)
class DamageModifiers(Part):
    """Kinds of damage, and conditions, that it takes otherwise than others."""

    resistances: Texts = ()
    immunities: Texts = ()
    vulnerabilities: Texts = ()
    condition_immunities: Texts = ()


@dataclass(frozen=True, slots=True)
class ActionEconomy(Part):
    """What it can do in its turn, and outside of it."""

    actions: Annotated[NamedOnes, Entity("feature")] = ()
    bonus_actions: Annotated[NamedOnes, Entity("feature")] = ()
    reactions: Annotated[NamedOnes, Entity("feature")] = ()
    other: Annotated[NamedOnes, Entity("feature")] = ()


@dataclass(frozen=True, slots=True)
class Feature(Part):
    """A feature or trait; ``uses`` as "1 per short rest", with how many are left."""

    name: Text = ""
    source: Text = ""
    uses: Text = ""
    uses_left: Amount = None
    description: Text = ""


@dataclass(frozen=True, slots=True)
class Item(Part):
    """Something that it owns; ``weight`` is that of one, in pounds."""

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
class Coins(Part):
    """Copper, silver, electrum, gold and platinum pieces."""

    cp: Amount = None
    sp: Amount = None
    ep: Amount = None
    gp: Amount = None
    pp: Amount = None


@dataclass(frozen=True, slots=True)
class Inventory(Part):
    """What it carries and owns."""

    coins: Coins = Coins()
    items: Annotated[tuple[Item, ...], _entries("name", "description"), Entity("item")] = ()


@dataclass(frozen=True, slots=True)
class Slots(Part):
    """Spell slots of one level."""

    level: SlotLevel = 1
    total: Amount = None
    used: Amount = None


@dataclass(frozen=True, slots=True)
class Spell(Part):
    """A spell on the sheet; ``level`` 0 is a cantrip, None not told. ``note`` is the player's."""

    name: Text = ""
    level: SpellLevel | None = None
    prepared: Flag = None
    school: Text = ""
    concentration: Flag = None
    ritual: Flag = None
    note: Text = ""


@dataclass(frozen=True, slots=True)
class Spellcasting(Part):
    """The spells of one class, or of another ``source``, and what they are cast with."""

    source: Text = ""
    ability: Text = ""
    save_dc: Amount = None
    attack_bonus: Number = None
    focus: Text = ""
    slots: Annotated[tuple[Slots, ...], Entity("resource", itself=True)] = ()
    spells: Annotated[tuple[Spell, ...], _entries("name", "level"), Entity("spell")] = ()


@dataclass(frozen=True, slots=True)
class Objective(Part):
    """Something that it wants to bring about; ``giver`` is who asked for it."""

    name: Text = ""
    giver: Text = ""
    place: Annotated[Text, Entity("location")] = ""
    description: Text = ""


Goals = Annotated[tuple[Objective, ...], _entries("name", "description")]


@dataclass(frozen=True, slots=True)
class Objectives(Part):
    """What it wants, and what is done."""

    active: Annotated[Goals, Entity("objective")] = ()
    done: Annotated[Goals, Entity("objective")] = ()


Passives = Annotated[tuple[Passive, ...], _entries("name", "score")]
Features = Annotated[tuple[Feature, ...], _entries("name", "description")]
Contacts = Annotated[tuple[Contact, ...], _entries("name", "description")]
Writing = Annotated[tuple[Headed, ...], _entries("title", "text", "text")]


@dataclass(frozen=True, slots=True)
class Character(Part):
    """A character's sheet. ``notes`` are the player's, ``dm_notes`` for the DM alone."""

    base: Base
    characteristics: Characteristics = Characteristics()
    ability_scores: AbilityScores = AbilityScores()
    combat_stats: CombatStats = CombatStats()
    background: Background = Background()
    personality: Personality = Personality()
    backstory: Writing = ()
    organisations: Annotated[Contacts, Entity("organization")] = ()
    allies: Annotated[Contacts, Entity("ally")] = ()
    enemies: Annotated[Contacts, Entity("enemy")] = ()
    proficiencies: Proficiencies = Proficiencies()
    damage_modifiers: DamageModifiers = DamageModifiers()
    passive_scores: Annotated[Passives, Entity("skill")] = ()
    senses: NamedOnes = ()
    action_economy: ActionEconomy = ActionEconomy()
    features_and_traits: Annotated[Features, Entity("feature")] = ()
    inventory: Inventory = Inventory()
    spell_list: Annotated[tuple[Spellcasting, ...], _entries("source", "spells")] = ()
    objectives: Objectives = Objectives()
    notes: Writing = ()
    dm_notes: Writing = ()
