"""The words that give away what a text is about, with the weight of each as log-odds.

Patterns are matched against text in lower case. They tolerate the wording of several editions and
of older games, and begin with a literal where they can, as that makes them fast.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from .types import ContentType

_C = ContentType
Weights = Mapping[ContentType, float]

_SCHOOLS = ("(?:abjuration|conjuration|divination|enchantment|evocation|illusion|necromancy"
            "|transmutation)")
_KINDS = ("(?:aberration|beast|celestial|construct|dragon|elemental|fey|fiend|giant|humanoid"
          "|monstrosity|ooze|plant|undead)")
_PARTY = "(?:characters|party|adventurers|heroes|pcs|player characters)"

_CUES: Final[tuple[tuple[str, Weights], ...]] = (
    # Spells
    ((rf"\b\d(?:st|nd|rd|th)[- ]level {_SCHOOLS}|\blevel \d {_SCHOOLS}|{_SCHOOLS} cantrip"
      rf"|{_SCHOOLS},? \(?(?:level )?\d"), {_C.SPELL: 5}),
    (r"casting time:", {_C.SPELL: 3}),
    (r"components?:", {_C.SPELL: 1.5}),
    (r"duration:", {_C.SPELL: 1.2}),
    (r"range:", {_C.SPELL: 1}),
    (r"at higher levels[.:]|using a higher-level spell slot[.:]|cantrip upgrade[.:]",
     {_C.SPELL: 1}),
    # Monsters
    (r"\barmou?r class:?\s+-?\d|\bac:?\s+-?\d", {_C.MONSTER: 2}),
    (r"\bhit points:?\s+\d|\bhp:?\s+\d|\bhit dice:?\s+\d+(?![\dd])|\bhd:?\s+\d",
     {_C.MONSTER: 1.8}),
    (r"\bspeed:?\s+\d|\bmovement:?\s+\d|\bmv:?\s+\d", {_C.MONSTER: .8, _C.RACE: .6}),
    (r"\bstr\b[^a-z]{0,40}\bdex\b[^a-z]{0,40}\bcon\b", {_C.MONSTER: 2.5}),
    (r"\bchallenge(?: rating)?:?\s+\d|\bcr:?\s+\d|\bmorale:?\s+\d|\bml:?\s+\d|\bno\. app",
     {_C.MONSTER: 2}),
    ((rf"\b(?:tiny|small|medium|large|huge|gargantuan)\b[a-z ]{{0,30}}\b{_KINDS}s?\b"
      r"[^.\n]{0,40},"), {_C.MONSTER: 2}),
    (r"(?:melee|ranged) (?:weapon )?attack(?: roll)?:|\bmultiattack\b", {_C.MONSTER: 2}),
    # Magic items
    ((r"(?:^|\n)\W{0,3}(?:magic |wondrous )?(?:item|armou?r|shield|weapon|potion|ring|rod|scroll"
      r"|staff|wand|ammunition)\b[^.\n]{0,90}?\b(?:common|uncommon|rare|legendary|artifact|unique"
      r"|rarity)\b"), {_C.MAGIC_ITEM: 6}),
    (r"requires attunement", {_C.MAGIC_ITEM: 2.5}),
    (r"\bthis (?:magic|magical|enchanted|cursed) [a-z]+", {_C.MAGIC_ITEM: 1.2}),
    (r"\bwhile (?:you are |you're )?(?:wearing|holding|carrying|attuned)", {_C.MAGIC_ITEM: .9}),
    (r"\bhas \d+ charges|\b\d+d\d+ (?:[+] \d+ )?charges|expended charges",
     {_C.MAGIC_ITEM: 1.5}),
    # Classes and subclasses
    (r"hit point die\W{1,4}d\d|hit di(?:e|ce)(?: type)?:?\s+1?d\d", {_C.CLASS: 4.5}),
    (r"hit points at (?:1st|first|higher) level", {_C.CLASS: 2.5}),
    (r"level \|[^\n]{0,60}(?:features|proficiency bonus|xp|hit dice|hd)\b|\bthac0\b",
     {_C.CLASS: 3}),
    (r"prime requisite|primary ability", {_C.CLASS: 3}),
    (r"saving throws?(?: proficiencies)?:", {_C.CLASS: 1}),
    (r"(?:weapons?|armou?r)(?: training| proficienc(?:y|ies))?:", {_C.CLASS: 1}),
    ((r"\bat \d+(?:st|nd|rd|th) level\b|\byou reach \d+(?:st|nd|rd|th) level"
      r"|\b\d+(?:st|nd|rd|th)[- ]level [a-z' ]{3,40} feature"), {_C.CLASS: .8, _C.SUBCLASS: 1}),
    # Peoples
    (r"ability score increase\W{1,3}(?:your|\w+ [+])", {_C.RACE: 2.5, _C.FEAT: .5}),
    (r"creature type:", {_C.RACE: 3}),
    (r"size:|size\. ", {_C.RACE: 1.2}),
    (r"your size is|you are (?:small|medium)\b", {_C.RACE: 2}),
    (r"speed:|walking speed (?:is|of)|speed\. ", {_C.RACE: 1}),
    (r"languages?[.:] you (?:can|know)|speak, read,? and write", {_C.RACE: 2}),
    (r"\bsubrace\b|you have these special traits|\bage[.:]|traits in common", {_C.RACE: 2}),
    # Backgrounds
    (r"skill proficienc(?:y|ies):", {_C.BACKGROUND: 3, _C.CLASS: .8}),
    (r"tool proficienc(?:y|ies):", {_C.BACKGROUND: 1.2}),
    (r"\bfeature: ", {_C.BACKGROUND: 1.5}),
    (r"\bfeat: ", {_C.BACKGROUND: 2}),
    (r"ability scores:", {_C.BACKGROUND: 2}),
    (r"suggested characteristics|personality trait|\bbond \||\bideal \||\bflaw \|",
     {_C.BACKGROUND: 2}),
    (r"\bequipment: ", {_C.BACKGROUND: 1.2}),
    # Feats
    (r"(?:^|\n)\W{0,3}(?:origin|general|fighting style|epic boon|racial|species|combat) feat\b",
     {_C.FEAT: 4}),
    (r"(?:^|\n)\W{0,3}prerequisites?:", {_C.FEAT: 2.5}),
    (r"\bthis feat\b|\btake this feat", {_C.FEAT: 2}),
    (r"you gain the following benefits?", {_C.FEAT: 1.5}),
    (r"(?:^|\n)\W{0,3}repeatable[.:]", {_C.FEAT: 1}),
    # Equipment
    (r"cost\b[^\n]{0,60}\||\| *(?:cost|price)\b", {_C.EQUIPMENT: 3}),
    (r"cost:|price:", {_C.EQUIPMENT: 2}),
    (r"weight:|\| *weight\b", {_C.EQUIPMENT: 1.5}),
    (r"utilize:|craft:", {_C.EQUIPMENT: 1.5}),
    (r"\b\d[\d,]* (?:gp|sp|cp)\b", {_C.EQUIPMENT: .7}),
    (r"\b\d+ lb\b", {_C.EQUIPMENT: .7}),
    # Adventures
    (r"\bread (?:or paraphrase |aloud )?(?:the following|this)|read[- ]aloud|boxed text",
     {_C.ADVENTURE: 4}),
    (rf"\b(?:the|your) {_PARTY}\b", {_C.ADVENTURE: .5}),
    (rf"\b(?:when|if|as|once) (?:the|your) {_PARTY}\b", {_C.ADVENTURE: .7}),
    (r"(?:^|\n)\W{0,3}(?:treasures?|developments?|creatures?|encounters?|tactics)[.:]",
     {_C.ADVENTURE: 2}),
    (r"\b(?:north|south|east|west)(?:ern)? (?:wall|door|passage|corridor|exit|side)",
     {_C.ADVENTURE: 1.5}),
    (r"\b(?:this|the) (?:room|chamber|corridor|hall|cavern|cave|cellar|courtyard)\b",
     {_C.ADVENTURE: 1}),
    (r"\barea [a-z]?\d+", {_C.ADVENTURE: 1.2}),
)
CUES: Final = tuple((re.compile(pattern), weights) for pattern, weights in _CUES)

RULES_WORD: Final = re.compile(
    r"\b(?:you|your|rolls?|d\d+|\d+d\d+|dc|bonus|modifiers?|checks?|saves?|saving|actions?|turns?"
    r"|damage|levels?|players?|gm|dm|hit|advantage|disadvantage|proficien\w+|rules?|spells?)\b"
)
"""What rules speak of; prose of a world does so rarely."""

LORE_WORD: Final = re.compile(
    r"\b(?:gods?|goddess\w*|deit(?:y|ies)|divine|temples?|kingdoms?|empires?|centur(?:y|ies)|ancient"
    r"|legends?|wars?|worship\w*|founded|ruled?s?|realms?|city|cities|towns?|people|history|queen"
    r"|king|lords?|myths?|planes?|afterlife|souls?|age|ages|world|tribes?|born|culture)\b"
)
"""What prose of a world speaks of."""

TITLES: Final[tuple[tuple[re.Pattern[str], Weights], ...]] = tuple(
    (re.compile(pattern), weights) for pattern, weights in (
        (r"(?:area|room|location|encounter|scene|act|episode) [a-z]?\d+\b.*", {_C.ADVENTURE: 3}),
        (r"[a-z]\d{1,3}[a-z]?[.:) ].*", {_C.ADVENTURE: 2}),
        (r"\d{1,3}[a-z]?[.:)]? [a-z].*", {_C.ADVENTURE: 1}),
        (r"[^(]+\((?:free|varies|[\d,]+ ?(?:gp|sp|cp|pp))[^)]*\)", {_C.EQUIPMENT: 4}),
        (r"(?:[\w' -]+ )?subclass: .*|(?:[\w' -]+ )?archetype: .*", {_C.SUBCLASS: 8}),
    )
)
"""The form of a whole title in lower case."""

_NTH: Final = r"(\d+)(?:st|nd|rd|th)[- ]level"
FEATURE: Final = re.compile(
    rf"level (\d+): |[^\n]{{0,60}}\({_NTH}\)\n|[^\n]*\n\W{{0,3}}(?:{_NTH} [\w' -]{{3,40}}feature"
    rf"|[\w' ,-]{{3,60}}feature, {_NTH}|(?:at|by|upon reaching) {_NTH}"
    rf"|(?:also )?(?:starting|beginning|starts|when you)\b[^.\n]{{0,80}}?{_NTH})"
)
"""How a feature of a class begins, its title and its text; the one group that matches is its
level.
"""

_NAMES: Final[Mapping[ContentType, str]] = {
    _C.CLASS: "class|classes|class feature|class features|vocations|callings|professions",
    _C.SUBCLASS: "subclasses|archetypes|martial archetypes|class options|prestige classes",
    _C.RACE: "race|races|species|ancestries|ancestry|lineages|heritages|peoples|subraces|kindreds"
             "|folk|origins|character races|species descriptions",
    _C.BACKGROUND: "backgrounds|background",
    _C.FEAT: "feats|feat|talents|boons",
    _C.SPELL: "spells|spell|cantrips|grimoire|spellbook|spell lists|spell list|incantations"
              "|prayers|rituals",
    _C.MONSTER: "monsters|monster|bestiary|creatures|creature|npcs|nonplayer characters|animals"
                "|beasts|stat blocks|menagerie|monster manual|adversaries|foes|dragons",
    _C.MAGIC_ITEM: "magic items|magic item|magical items|treasure|treasures|artifacts|relics"
                   "|wondrous items|magic weapons|magic armor|potions|scrolls",
    _C.EQUIPMENT: "equipment|gear|weapons|armor|armour|adventuring gear|tools|goods|mounts"
                  "|vehicles|mounts and vehicles|shields|arms|arms and armor|trade goods",
    _C.RULE: "playing the game|combat|rules|rules glossary|glossary|adventuring|spellcasting"
             "|running the game|game mastering|character creation|creating a character|conditions"
             "|using ability scores|how to play|the rules|core rules|actions|skills|exploration"
             "|movement|quickstart|customization options",
    _C.LORE: "gods|deities|pantheon|pantheons|planes|planes of existence|history|world|setting"
             "|gazetteer|geography|religion|religions|factions|cosmology|multiverse|legends"
             "|timeline|places|regions|cities",
    _C.ADVENTURE: "adventure|adventures|scenario|scenarios|encounters|dungeon|dungeon key"
                  "|room key|running the adventure|adventure background|adventure hook"
                  "|adventure hooks|adventure summary",
}
CHAPTERS: Final = {name: kind for kind, names in _NAMES.items() for name in names.split("|")}
"""The names of chapters in lower case, without their numbers, and what such a chapter holds."""
