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
_PARTY = "characters party adventurers heroes pcs"
_ROOM = "room chamber corridor hall cavern cave cellar courtyard"

_CUES: Final[tuple[tuple[str, str, Weights], ...]] = (
    # Spells
    ("abjuration conjuration divination enchantment evocation illusion necromancy transmutation",
     (rf"\d(?:st|nd|rd|th)[- ]level {_SCHOOLS}|level \d {_SCHOOLS}|{_SCHOOLS},? \(?(?:level )?\d"
      rf"|{_SCHOOLS} cantrip"), {_C.SPELL: 5}),
    ("casting", r"casting time:", {_C.SPELL: 3}),
    ("component components", r"components?:", {_C.SPELL: 1.5}),
    ("duration", r"duration:", {_C.SPELL: 1.2}),
    ("range", r"range:", {_C.SPELL: 1}),
    # Monsters
    ("armor armour ac", r"armou?r class:?\s+-?\d|\bac:?\s+-?\d", {_C.MONSTER: 2}),
    ("hit hp hd", r"hit points:?\s+\d|\bhp:?\s+\d|hit dice:?\s+\d+(?![\dd])|\bhd:?\s+\d",
     {_C.MONSTER: 1.8}),
    ("speed movement mv", r"speed:?\s+\d|movement:?\s+\d|\bmv:?\s+\d",
     {_C.MONSTER: .8, _C.RACE: .6}),
    ("str", r"\bstr\b[^a-z]{0,40}\bdex\b[^a-z]{0,40}\bcon\b", {_C.MONSTER: 2.5}),
    ("challenge cr morale ml appearing", (r"challenge(?: rating)?:?\s+\d|\bcr:?\s+\d"
      r"|morale:?\s+\d|\bml:?\s+\d|no\. appearing"), {_C.MONSTER: 2}),
    ("tiny small medium large huge gargantuan",
     (r"\b(?:tiny|small|medium|large|huge|gargantuan)\b[a-z ]{0,30}\b(?:aberration|beast|celestial"
      r"|construct|dragon|elemental|fey|fiend|giant|humanoid|monstrosity|ooze|plant|undead)s?\b"
      r"[^.\n]{0,40},"), {_C.MONSTER: 2}),
    ("attack multiattack", r"(?:melee|ranged) (?:weapon )?attack(?: roll)?:|multiattack",
     {_C.MONSTER: 2}),
    # Magic items
    ("common uncommon rare legendary artifact unique rarity",
     (r"(?:^|\n)\W{0,3}(?:magic |wondrous )?(?:item|armou?r|shield|weapon|potion|ring|rod|scroll"
      r"|staff|wand|ammunition)\b[^.\n]{0,90}?\b(?:common|uncommon|rare|legendary|artifact|unique"
      r"|rarity)\b"), {_C.MAGIC_ITEM: 6}),
    ("attunement", r"requires attunement", {_C.MAGIC_ITEM: 2.5}),
    ("while", r"\bwhile (?:you are |you're )?(?:wearing|holding|carrying|attuned)",
     {_C.MAGIC_ITEM: .9}),
    # Classes and subclasses
    ("hit", (r"hit point die(?:\W{1,4}d\d|\s*(?:\n|$))|hit di(?:e|ce)(?: type)?:?\s+1?d\d"),
     {_C.CLASS: 4.5}),
    ("level thac", r"level \|[^\n]{0,60}(?:features|proficiency bonus|xp|hit dice|hd)\b|\bthac0\b",
     {_C.CLASS: 3}),
    ("requisite primary", r"prime requisite|primary ability", {_C.CLASS: 3}),
    ("level", (r"at \d+(?:st|nd|rd|th) level\b|you reach \d+(?:st|nd|rd|th) level"
      r"|\d+(?:st|nd|rd|th)[- ]level [a-z' ]{3,40} feature"), {_C.CLASS: .8, _C.SUBCLASS: 1}),
    # Peoples
    ("increase", r"ability score increase\W{1,3}(?:your|\w+ [+])", {_C.RACE: 2.5, _C.FEAT: .5}),
    ("creature", r"creature type:", {_C.RACE: 3}),
    ("small medium", r"your size is|you are (?:small|medium)\b", {_C.RACE: 2}),
    ("speed", r"speed:|walking speed (?:is|of)|speed\. ", {_C.RACE: 1}),
    ("languages language speak", r"languages?[.:] you (?:can|know)|speak, read,? and write",
     {_C.RACE: 2}),
    ("subrace traits age", r"\bsubrace\b|you have these special traits|\bage[.:]|traits in common",
     {_C.RACE: 2}),
    # Backgrounds
    ("skill", r"skill proficienc(?:y|ies):", {_C.BACKGROUND: 3, _C.CLASS: .8}),
    ("feat", r"\bfeat: ", {_C.BACKGROUND: 2}),
    ("scores", r"ability scores:", {_C.BACKGROUND: 2}),
    ("characteristics personality bond ideal flaw",
     r"suggested characteristics|personality trait|\bbond \||\bideal \||\bflaw \|",
     {_C.BACKGROUND: 2}),
    ("equipment", r"\bequipment: ", {_C.BACKGROUND: 1.2}),
    # Feats
    ("feat", (r"(?:^|\n)\W{0,3}(?:origin|general|fighting style|epic boon|racial|species|combat)"
      r" feat\b"), {_C.FEAT: 4}),
    ("prerequisite prerequisites", r"(?:^|\n)\W{0,3}prerequisites?:", {_C.FEAT: 2.5}),
    ("benefit benefits", r"you gain the following benefits?", {_C.FEAT: 1.5}),
    # Equipment
    ("cost price", r"cost\b[^\n]{0,60}\||\| *(?:cost|price)\b", {_C.EQUIPMENT: 3}),
    ("cost price", r"cost:|price:", {_C.EQUIPMENT: 2}),
    ("weight", r"weight:|\| *weight\b", {_C.EQUIPMENT: 1.5}),
    ("gp sp cp", r"\d[\d,]* ?(?:gp|sp|cp)\b", {_C.EQUIPMENT: .7}),
    # Adventures
    ("read boxed", (r"\bread (?:or paraphrase |aloud )?(?:the following|this)|\bread[- ]aloud"
      r"|boxed text"), {_C.ADVENTURE: 4}),
    (_PARTY, rf"\b(?:the|your) (?:{_PARTY.replace(' ', '|')})\b", {_C.ADVENTURE: .5}),
    (_PARTY, rf"\b(?:when|if|as|once) (?:the|your) (?:{_PARTY.replace(' ', '|')})\b",
     {_C.ADVENTURE: .7}),
    ("treasure treasures development developments creature creatures encounter encounters tactics",
     r"(?:^|\n)\W{0,3}(?:treasures?|developments?|creatures?|encounters?|tactics)[.:]",
     {_C.ADVENTURE: 2}),
    ("wall door passage corridor exit side",
     r"\b(?:north|south|east|west)(?:ern)? (?:wall|door|passage|corridor|exit|side)",
     {_C.ADVENTURE: 1.5}),
    (_ROOM, rf"\b(?:this|the) (?:{_ROOM.replace(' ', '|')})\b", {_C.ADVENTURE: 1}),
    ("area", r"\barea [a-z]?\d+", {_C.ADVENTURE: 1.2}),
)
CUES: Final = tuple(
    (frozenset(words.split()), re.compile(pattern), weights) for words, pattern, weights in _CUES
)
"""Words of which a text has at least one if the pattern matches, the pattern, and its weights."""

RULES_WORDS: Final = frozenset(
    """ability abilities action actions advantage armor armour attack attacks bonus cast character
    characters check checks creature creatures d damage dc disadvantage dm effect effects feature
    features feet foot game gm hit item items level levels modifier modifiers player players points
    proficiency proficient roll rolls rule rules save saves saving score scores space spaces speed
    spell spells target targets turn turns weapon weapons you your""".split()  # noqa: SIM905 - a word list reads best as text
)
"""What rules speak of; prose of a world does so rarely."""
LORE_WORDS: Final = frozenset(
    """afterlife age ages ancient born centuries century cities city culture deities deity divine
    empire empires founded god goddess goddesses gods history king kingdom kingdoms legend legends
    lord lords myth myths people plane planes queen realm realms ruled soul souls temple
    temples town towns tribe tribes war wars world worship worshiped worshipped""".split()  # noqa: SIM905 - as above
)
"""What prose of a world speaks of."""

TITLES: Final[tuple[tuple[re.Pattern[str], Weights], ...]] = tuple(
    (re.compile(pattern), weights) for pattern, weights in (
        (r"(?:area|room|location|encounter|scene|act|episode) [a-z]?\d+\b.*", {_C.ADVENTURE: 3}),
        (r"[a-z]\d{1,3}[a-z]?[.:) ].*", {_C.ADVENTURE: 2}),
        (r"\d{1,3}[a-z]?[.:)]? [a-z].*", {_C.ADVENTURE: .4}),
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
    _C.CLASS: "class|class feature|vocation|calling|profession",
    _C.SUBCLASS: "subclass|archetype|class option|prestige class",
    _C.RACE: "race|species|ancestry|lineage|heritage|people|subrace|kindred|folk|origin",
    _C.BACKGROUND: "background",
    _C.FEAT: "feat|talent|boon",
    _C.SPELL: "spell|cantrip|grimoire|spellbook|spell list|incantation|prayer|ritual",
    _C.MONSTER: "monster|bestiary|creature|npc|nonplayer character|animal|beast|stat block"
                "|menagerie|monster manual|adversary|foe|dragon",
    _C.MAGIC_ITEM: "magic item|magical item|treasure|artifact|relic|wondrous item|magic weapon"
                   "|magic armor|potion|scroll",
    _C.EQUIPMENT: "equipment|gear|weapon|armor|armour|adventuring gear|tool|goods|mount|vehicle"
                  "|shield|arms|arms and armor",
    _C.RULE: "playing the game|combat|rule|glossary|adventuring|spellcasting|running the game"
             "|game mastering|character creation|creating a character|condition"
             "|using ability score|how to play|action|skill|exploration|movement|quickstart"
             "|customization option",
    _C.LORE: "god|deity|pantheon|plane|planes of existence|history|world|setting|gazetteer"
             "|geography|religion|faction|cosmology|multiverse|legend|timeline|place|region|city",
    _C.ADVENTURE: "adventure|scenario|encounter|dungeon key|room key"
                  "|running the adventure|adventure background|adventure hook|adventure summary",
}
CHAPTERS: Final = {name: kind for kind, names in _NAMES.items() for name in names.split("|")}
"""The names of chapters, singular and in lower case, without their numbers, and what such a chapter
holds.
"""
