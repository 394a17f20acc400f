"""The words that tell what a section is about: in titles, in the form of its text, in passing.

The words are those of the field, not of one book: what the chapters, entries and stat lines of
rulebooks of this kind are called, whoever wrote them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ..retrieval.names import words
from .categories import Category

_TITLES: Final = {
    Category.CHARACTER_CREATION: """
        race, subrace, species, ancestry, lineage, heritage, racial trait, background, origin,
        character creation, creating a character, character option, customization option,
        character advancement, beyond 1st level, leveling up, step by step character, alignment,
        language, personality, personality trait, ideal, bond, flaw, feat, multiclassing,
        multiclass, multiclass character, ability score increase, point buy, standard array,
        starting equipment, starting wealth, height and weight, dwarf, elf, half elf, halfling,
        human, dragonborn, gnome, half orc, tiefling, prerequisite
    """,
    Category.CLASS_FEATURES: """
        class, subclass, class feature, feature, class option, prestige class, archetype,
        martial archetype, roguish archetype, primal path, path of, divine domain, domain,
        circle of, druid circle, sacred oath, oath of, college of, bard college, patron,
        otherworldly patron, monastic tradition, way of, arcane tradition, school of,
        sorcerous origin, fighting style, invocation, eldritch invocation, metamagic, ki, rage,
        wild shape, channel divinity, bardic inspiration, sneak attack, lay on hands,
        extra attack, maneuver, ability score improvement, hit dice, multiclassing,
        level progression, barbarian, bard, cleric, druid, fighter, monk, paladin, ranger, rogue,
        sorcerer, warlock, wizard, artificer
    """,
    Category.SPELLCASTING: """
        spell, spellcasting, spellcaster, magic, cantrip, ritual, casting, casting time, component,
        concentration, spell slot, spell list, spellbook, school of magic, magic school,
        area of effect, innate spellcasting, pact magic, wild magic, abjuration, conjuration,
        divination, enchantment, evocation, illusion, necromancy, transmutation, metamagic, sorcery,
        spell attack, spell saving throw
    """,
    Category.COMBAT: """
        combat, fight, battle, tactic, attack, attack roll, melee attack, ranged attack, action,
        bonus action, reaction, initiative, surprise, your turn, cover, grapple, grappling, shove,
        shoving, opportunity attack, two weapon fighting, critical hit, damage, damage roll,
        damage type, resistance, vulnerability, hit point, temporary hit points, healing,
        dropping to 0 hit points, death, death saving throw, instant death, dying, flanking,
        mounted combat, underwater combat, movement and position, unseen attacker, dash,
        disengage, dodge, help, hide, ready, search, saving throw, armor class
    """,
    Category.CONDITIONS: """
        condition, status, status effect, affliction, ailment, blinded, charmed, deafened,
        frightened, grappled, incapacitated, invisible, paralyzed, petrified, poisoned, prone,
        restrained, stunned, dazed, unconscious, exhaustion, fatigue, disease, poison, madness,
        insanity, curse
    """,
    Category.EQUIPMENT: """
        equipment, starting equipment, gear, armor, armour, weapon, weapon property, shield, tool,
        kit, pack, mount, vehicle, trade goods, goods, coin, coinage, currency, money, wealth,
        treasure, loot, item, magic item, sentient item, potion, elixir, ring of, rod, staff, wand,
        scroll, wondrous item, artifact, attunement, ammunition, service, lifestyle, expense, cost,
        price, selling, exchange rate, container, clothing, gem, instrument, poison, crafting
    """,
    Category.CORE_MECHANICS: """
        ability, ability score, ability check, ability modifier, check, skill, proficiency,
        proficiency bonus, saving throw, advantage, disadvantage, difficulty class, modifier,
        passive check, passive perception, contest, group check, working together, inspiration,
        strength, dexterity, constitution, intelligence, wisdom, charisma, rest, resting,
        short rest, long rest, how to play, rule, basic rule, core rule, core mechanic, dice, d20,
        rounding, experience point, difficulty, athletics, acrobatics, sleight of hand, stealth,
        arcana, investigation, nature, animal handling, insight, medicine, perception, survival,
        deception, intimidation, performance, persuasion
    """,
    Category.EXPLORATION: """
        exploration, adventuring, travel, journey, environment, hazard, weather, terrain,
        wilderness, dungeon, movement, speed, climbing, swimming, crawling, jumping, flying, vision,
        light, darkvision, blindsight, truesight, falling, suffocating, drowning, food, water,
        foraging, tracking, navigation, time, trap, object, downtime, between adventures, crafting,
        profession, recuperating, researching, training, carousing, encumbrance,
        lifting and carrying, rest, resting, short rest, long rest, camp, camping, marching order
    """,
    Category.CREATURES: """
        monster, creature, beast, bestiary, npc, nonplayer character, animal, familiar, mount,
        stat block, challenge rating, legendary action, legendary creature, legendary resistance,
        lair, lair action, regional effect, creature type, creature size, aberration, celestial,
        construct, dragon, elemental, fey, fiend, giant, humanoid, monstrosity, ooze, plant, undead,
        demon, devil, golem, lycanthrope, swarm, vampire, hag, multiattack, innate spellcasting,
        encounter
    """,
    Category.WORLD_LORE: """
        world, lore, setting, campaign setting, history, cosmology, multiverse, plane,
        plane of existence, planar travel, demiplane, pantheon, deity, god, goddess, religion,
        faith, faction, organization, kingdom, empire, realm, region, continent, calendar, legend,
        myth, culture, nation, geography, settlement, timeline, cult, alignment, language
    """,
}
_SILENT: Final = """
    dungeons and dragons, dungeons & dragons, dungeon master, game master, player character,
    system reference document, character sheet, open game license, open game content
"""
"""Phrases that hold a title's word without its meaning."""

GENERIC: Final = frozenset(
    words("a an and at by for from in into of on or the to with your using making list table "
          "description rule chapter part appendix section other special general optional variant "
          "sample example common new more basic advanced additional introduction overview")
)
"""Words of a title that neither tell its subject nor take away from what does."""


@dataclass(frozen=True, slots=True)
class Form:
    """What the text of an entry looks like: every one of ``shows`` is found in it.

    ``settles``: an entry of this form is that and nothing else, whatever words its title has.
    """

    category: Category
    why: str
    shows: tuple[re.Pattern[str], ...]
    weight: float
    settles: bool = False


def _patterns(*texts: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(text, re.MULTILINE) for text in texts)


_SCHOOL: Final = (
    "(?:abjuration|conjuration|divination|enchantment|evocation|illusion|necromancy|transmutation)"
)
FORMS: Final = (
    Form(Category.SPELLCASTING, "has the lines of a spell: casting time, duration",
         _patterns("casting time", "duration"), 0.9, settles=True),
    Form(Category.SPELLCASTING, "opens as a spell of a level and school",
         _patterns(rf"level (?:\d )?{_SCHOOL}"), 0.9, settles=True),
    Form(Category.SPELLCASTING, "opens as a cantrip of a school",
         _patterns("cantrip", rf"{_SCHOOL} cantrip"), 0.9, settles=True),
    Form(Category.CREATURES, "has the lines of a stat block: armor class, hit points, challenge",
         _patterns(r"armou?r class", "hit points", r"challenge\b"), 0.9, settles=True),
    Form(Category.CREATURES, "has the lines of a stat block: hit points, speed, six abilities",
         _patterns(r"\bhit points|\bhp\b", r"\bspeed\b", r"\bstr\b", r"\bdex\b", r"\bcon\b",
                   r"\bint\b", r"\bwis\b", r"\bcha\b"), 0.9, settles=True),
    Form(Category.EQUIPMENT, "opens as a magic item of a kind and rarity",
         _patterns(r"\b(?:wondrous item|weapon|armou?r|potion|ring|rod|staff|scroll|wand|"
                   r"ammunition)\b[^.\n|]{0,60}[,( ]\s*(?:very rare|rare|uncommon|common|"
                   r"legendary|artifact|rarity varies)\b"), 0.9, settles=True),
    Form(Category.EQUIPMENT, "asks for attunement", _patterns(r"requires attunement"), 0.7),
    Form(Category.EQUIPMENT, "has a table of prices",
         _patterns(r"^\|[^\n]*\b(?:cost|price|value)\b[^\n]*\|", r"\d\s*(?:cp|sp|ep|gp|pp)\b"),
         0.7),
    Form(Category.CLASS_FEATURES, "has a class's table of levels",
         _patterns(r"^\|[^\n]*\blevel\b[^\n]*\b(?:features?|proficiency bonus)\b"), 0.9),
    Form(Category.CLASS_FEATURES, "gives a class's hit dice",
         _patterns(r"hit di(?:ce|e)\b[^\n]{0,30}\b\d*d\d+[^\n]{0,20}\bper\b[^\n]{0,30}\blevel"),
         0.9),
    Form(Category.CLASS_FEATURES, "gives a feature at a level",
         _patterns(r"\b(?:at|reach|by|starting at|beginning at|beginning when you choose) "
                   r"(?:(?:1?\d(?:st|nd|rd|th)|20th) level|level \d+|this )"), 0.5),
    Form(Category.CHARACTER_CREATION, "raises ability scores",
         _patterns(r"ability score increase\b|scores? increases? by \d"), 0.6),
    Form(Category.CHARACTER_CREATION, "lists the proficiencies of a background",
         _patterns(r"skill proficiencies", r"\b(?:tool proficiencies|languages|equipment)\b",
                   r"\b(?:background|feature|ideals?)\b"), 0.6),
)
"""Tried on the lower-case text without emphasis; the forms that people give entries of a kind."""

MENTIONS: Final = {
    Category.SPELLCASTING: "spell slot, spell save dc, spellcasting ability, spells known, "
                           "cast a spell, cantrip, spell list, spell attack, prepared spell",
    Category.COMBAT: "attack roll, damage roll, on your turn, bonus action, your reaction, "
                     "opportunity attack, melee attack, ranged attack, initiative, "
                     "weapon attack, extra damage, take the attack action",
    Category.CONDITIONS: "blinded, charmed, deafened, frightened, grappled, incapacitated, "
                         "paralyzed, petrified, poisoned, restrained, stunned, unconscious, "
                         "exhaustion, infected, cured",
    Category.EQUIPMENT: "gp, sp, cp, weighs, magic item, while wearing, while holding, weapon, "
                        "armor, shield, merchant",
    Category.CORE_MECHANICS: "ability check, saving throw, proficiency bonus, advantage, "
                             "disadvantage, difficulty class, modifier, d20, ability score",
    Category.EXPLORATION: "miles, travel, per hour, difficult terrain, dim light, bright light, "
                          "darkness, short rest, long rest, forage, trap, weather, per day, climb",
    Category.CREATURES: "challenge rating, stat block, legendary action, lair, monsters, "
                        "creature type, hit dice of the creature, prey, beasts",
    Category.WORLD_LORE: "deity, deities, gods, plane of, planes, pantheon, worship, realm, "
                         "kingdom, legends, multiverse",
}
MIN_MENTIONS: Final = 2
"""How many different words of a kind a text must have before they tell anything."""
MENTION_PATTERNS: Final = {
    category: tuple(
        (phrase.strip(), re.compile(rf"\b{re.escape(phrase.strip())}\b"))
        for phrase in listed.split(",")
    )
    for category, listed in MENTIONS.items()
}
"""The phrases, each with what finds it as whole words."""


def _title_cues() -> dict[tuple[str, ...], tuple[Category, ...]]:
    cues: dict[tuple[str, ...], tuple[Category, ...]] = {
        words(phrase): () for phrase in _SILENT.split(",")
    }
    for category, listed in _TITLES.items():
        for phrase in listed.split(","):
            key = words(phrase)
            cues[key] = (*cues.get(key, ()), category)
    return cues


TITLE_CUES: Final = _title_cues()
LONGEST_CUE: Final = max(map(len, TITLE_CUES))
