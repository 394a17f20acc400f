"""What entries are about: invented books of several kinds, and the SRD with and without chapters."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

import pytest

from mvp_site.content.srd_documents import srd_documents
from mvp_site.content.types import EntityType
from mvp_site.library.content_types import chapter_of
from mvp_site.library.contents import contents
from mvp_site.library.types import Bookmark, ContentType, Text
from mvp_site.rulebook.srd_book.book import render_srd
from mvp_site.srd import load_srd

from .books import book, path

C = ContentType

OF_2014 = """
# Chapter 3: Classes
Every hero follows a calling, and each calling has its own gifts.
## Tidewarden
The sea taught you patience, and you repay it with storms.
### Class Features
As a tidewarden, you gain the following class features.
#### Hit Points
**Hit Dice:** 1d8 per tidewarden level
**Hit Points at 1st Level:** 8 + your Constitution modifier
#### Undertow
You can pull at what stands in water. You regain its use when you finish a long rest.
#### Monkey's Grip
Your hold on a rope cannot be broken by a wave.
### Circle of Brine
The wardens of this circle have drowned once, and came back.
#### Salt in the Blood
When you join this circle at 2nd level, you gain resistance to cold damage.
#### Wreck Sense
Starting at 6th level, you know where ships have sunk within 10 miles of you.
#### Maelstrom
At 14th level, you can call a whirlpool as an action.
# Chapter 6: Feats and Other Options
## Ropewalker
*Prerequisite: Dexterity 13 or higher*
You never fall from what you can stand on. You gain the following benefits:
- You have advantage on checks to keep your balance.
## Giant Spider Friend
*Prerequisite: the ability to speak*
Spiders take you for one of theirs.
# Chapter 7: Spell Descriptions
## Bracers of Fog
*2nd-level conjuration*
**Casting Time:** 1 action
**Range:** Self
**Components:** V, S
**Duration:** 1 hour
Fog winds around your arms.
## Call Giant Spider
*3rd-level conjuration*
**Casting Time:** 1 minute
**Range:** 30 feet
**Components:** V
**Duration:** Concentration, up to 1 hour
A spider comes. Use the block below.
## Lantern of the Drowned
A lost page: the light goes where you point, and the drowned follow it.
## Whisper of Armor
*Abjuration cantrip*
**Casting Time:** 1 action
**Range:** Touch
**Components:** S
**Duration:** 1 round
What you touch is harder to hit.
# Chapter 8: Treasures
## Bracers of Defence
*Wondrous item, rare (requires attunement)*
While you wear these and no armor, you are harder to hit.
## Elf Bane
*Weapon (any sword), very rare*
You gain a bonus to attack and damage rolls made with this magic weapon.
## The Monk's Kettle
*Wondrous item, uncommon*
Tea never runs out of it. It has 3 charges.
# Chapter 9: Beasts of the Shore
## Monkey Knight
*Small humanoid (monkey), chaotic good*
**Armor Class** 14 (leather)
**Hit Points** 22 (5d6 + 5)
**Speed** 30 ft., climb 30 ft.

| STR | DEX | CON | INT | WIS | CHA |
|---|---|---|---|---|---|
| 8 (-1) | 16 (+3) | 12 (+1) | 10 (+0) | 11 (+0) | 14 (+2) |

**Challenge** 1 (200 XP)
### Actions
**Multiattack.** It stabs twice.
### Spell Scroll Throw
It hurls what it has read.
## Class of Jellies
*Large ooze, unaligned*
**Armor Class** 8
**Hit Points** 40
**Speed** 5 ft.
**Challenge** 2
"""
WANTED_2014 = {
    "Chapter 3: Classes": C.CLASS, "Tidewarden": C.CLASS, "Class Features": C.CLASS,
    "Hit Points": C.CLASS, "Undertow": C.CLASS, "Monkey's Grip": C.CLASS,
    "Circle of Brine": C.SUBCLASS, "Salt in the Blood": C.SUBCLASS, "Wreck Sense": C.SUBCLASS,
    "Maelstrom": C.SUBCLASS, "Ropewalker": C.FEAT, "Giant Spider Friend": C.FEAT,
    "Chapter 7: Spell Descriptions": C.SPELL, "Bracers of Fog": C.SPELL,
    "Call Giant Spider": C.SPELL, "Lantern of the Drowned": C.SPELL, "Whisper of Armor": C.SPELL,
    "Chapter 8: Treasures": C.MAGIC_ITEM, "Bracers of Defence": C.MAGIC_ITEM,
    "Elf Bane": C.MAGIC_ITEM, "The Monk's Kettle": C.MAGIC_ITEM,
    "Chapter 9: Beasts of the Shore": C.MONSTER, "Monkey Knight": C.MONSTER, "Actions": C.MONSTER,
    "Spell Scroll Throw": C.MONSTER, "Class of Jellies": C.MONSTER,
}

OF_2024 = """
# Part Two
## Lamplighter
| | |
|---|---|
| Primary Ability | Wisdom |
| Hit Point Die | D8 per Lamplighter level |
| Skill Proficiencies | Choose 2: Insight, Medicine |

### Level 1: Kindle
You light a lamp with a word.
### Level 2: Trim the Wick
You take the Dash action when a lamp goes out.
### Lamplighter Subclass: Order of the Beacon
They keep the light on the cliff.
#### Level 3: Far Shine
Your light reaches farther.
#### Level 6: Blinding Turn
A creature in your light must make a saving throw.
# Part Three
## Eel Kin
**Creature Type:** Humanoid
**Size:** Medium
**Speed:** 30 feet, Swim 30 feet
As an Eel Kin, you have these special traits.
### Slippery
You have Advantage on checks to escape.
## Bell Ringer
**Ability Scores:** Strength, Constitution, Wisdom
**Feat:** Alert
**Skill Proficiencies:** Athletics and Religion
**Tool Proficiency:** Mason's Tools
**Equipment:** *Choose A or B:* (A) a bell, a rope, 12 GP; or (B) 50 GP
# Part Four
## Monster Slayer's Patience
*General Feat (Prerequisite: Level 4+)*
You gain the following benefits.
**Wait.** You can ready two actions.
## Spell Eater
*Origin Feat*
You gain a resistance of your choice.
# Part Five
## Ember Rain
*Level 3 Evocation (Sorcerer, Wizard)*
**Casting Time:** Action
**Range:** 60 feet
**Components:** V, S
**Duration:** Instantaneous
Embers fall.
# Part Six
## Lantern Ray
*Medium Elemental, Neutral*
**AC** 13 **Initiative** +2
**HP** 30 (4d10 + 8)
**Speed** 0 ft., Fly 40 ft.
STR 10 DEX 15 CON 14 INT 4 WIS 12 CHA 6
**CR** 1 (XP 200)
### Bonus Actions
**Flare.** It shines.
# Part Seven
## Oil of the Long Night
*Potion, Rare*
When you drink this, night seems short.
# Part Eight
## Rope, Tarred (2 GP)
It holds in the rain.
## Boathook (5 SP)
It reaches 10 feet.
"""
WANTED_2024 = {
    "Lamplighter": C.CLASS, "Level 1: Kindle": C.CLASS, "Level 2: Trim the Wick": C.CLASS,
    "Lamplighter Subclass: Order of the Beacon": C.SUBCLASS, "Level 3: Far Shine": C.SUBCLASS,
    "Level 6: Blinding Turn": C.SUBCLASS, "Eel Kin": C.RACE, "Slippery": C.RACE,
    "Bell Ringer": C.BACKGROUND, "Monster Slayer's Patience": C.FEAT, "Spell Eater": C.FEAT,
    "Ember Rain": C.SPELL, "Lantern Ray": C.MONSTER, "Bonus Actions": C.MONSTER,
    "Oil of the Long Night": C.MAGIC_ITEM, "Rope, Tarred (2 GP)": C.EQUIPMENT,
    "Boathook (5 SP)": C.EQUIPMENT,
}

OLD_SCHOOL = """
# Character Classes
## Bargeman
Requirements: none
Prime requisite: CON
Hit Dice: 1d6
Maximum level: 14
Bargemen know every lock of the canal.
## Reed Cutter
Prime requisite: DEX
Hit Dice: 1d4
They cut reeds, and throats.
# Magic-User Spells
## Sinking Stone
Range: 120'
Duration: 1 turn
Components: a pebble
The stone grows heavy.
## Door of Rushes
Range: 20'
Duration: 6 turns
Components: a rush
A door is where none was.
# Denizens
## Mud Crab
Armour Class: 5
Hit Dice: 2
Movement: 60'
Attacks: 2 claws
Morale: 7
## Canal Ghoul
AC 6, HD 2+1, MV 90', ML 9, XP 25
It smells of weed.
# The Flooded Mill
The mill has stood in water since the dam broke.
## 1. Landing
Read the following aloud: "Black water laps at a broken stair."
The characters can moor here. A door leads out of the west wall.
## 2. Grinding Floor
This room is knee deep in flour paste. Two mud crabs feed here.
**Treasure.** A sack of 40 copper coins hangs from a beam.
## 3. Elven Loft
If the party climbs the ladder, the owl wakes. The north door is barred.
## 4. Wheel Pit
When the characters look down, they see the drowned miller turn with the wheel.
## 5. The Miller's Bed
Straw, and a blanket that nobody has folded.
# Gods of the Canal
## Mother Lock
Mother Lock is the oldest goddess of the canal people. Her temples stand where two waters meet, and
in every town the lock keepers pour the first cup of the year for her. In the age before the dam,
the kings of the delta were crowned on her stair, and her priests kept the history of each reign.
## The Drowned Queen
She ruled the delta until the war of the two banks, and legends say that she still sits below the
water in a city of glass. The people of the reed villages worship her in secret, as the lords of
the canal burned her temples a century ago.
# Playing the Game
## Wading
You move at half speed in water. A character who carries a weapon in hand makes a check to keep
it dry; on a failed roll the weapon is wet until the end of the next turn.
"""
WANTED_OLD = {
    "Bargeman": C.CLASS, "Reed Cutter": C.CLASS, "Magic-User Spells": C.SPELL,
    "Sinking Stone": C.SPELL, "Door of Rushes": C.SPELL, "Mud Crab": C.MONSTER,
    "Canal Ghoul": C.MONSTER, "The Flooded Mill": C.ADVENTURE, "1. Landing": C.ADVENTURE,
    "2. Grinding Floor": C.ADVENTURE, "3. Elven Loft": C.ADVENTURE, "4. Wheel Pit": C.ADVENTURE,
    "5. The Miller's Bed": C.ADVENTURE, "Gods of the Canal": C.LORE, "Mother Lock": C.LORE,
    "The Drowned Queen": C.LORE,
    "Wading": C.RULE,
}
CASES = [
    pytest.param(text, name, wanted, id=name)
    for text, table in ((OF_2014, WANTED_2014), (OF_2024, WANTED_2024), (OLD_SCHOOL, WANTED_OLD))
    for name, wanted in table.items()
]


@cache
def types_of(markdown: str) -> dict[str, ContentType]:
    return {entry.title: entry.type for entry in contents(book(_paragraphs(markdown)))}


def _paragraphs(markdown: str) -> str:
    """Lines that are not of one table are paragraphs."""
    return re.sub(r"\n(?!\|)", "\n\n", markdown)


@pytest.mark.parametrize(("text", "title", "wanted"), CASES)
def test_an_entry_is_what_its_text_and_its_place_say(
    text: str, title: str, wanted: ContentType
) -> None:
    assert types_of(text)[title] is wanted


@pytest.mark.parametrize(("title", "wanted"), [
    ("Chapter 11: Spells", C.SPELL), ("Appendix B: Monsters A–Z", C.MONSTER),
    ("Part II – Character Classes", C.CLASS), ("Races", C.RACE), ("Origin Feats", C.FEAT),
    ("Magic Items", C.MAGIC_ITEM), ("Simple Melee Weapons", C.EQUIPMENT),
    ("Magic Weapons", C.MAGIC_ITEM), ("Playing the Game", C.RULE), ("The Pantheon", C.LORE),
    ("Bracers of Defense", None), ("Monkey", None), ("Giant Spider", None), ("Casting Spells", None),
    ("Classy Dressers", None), ("Spellguard Shield", None), ("", None), ("Chapter 4", None),
])
def test_a_title_names_a_chapter_as_a_whole(title: str, wanted: ContentType | None) -> None:
    assert chapter_of(title) is wanted


WHOLE_CHAPTERS = {
    "Races": C.RACE, "Backgrounds": C.BACKGROUND, "Feats": C.FEAT, "Combat": C.RULE,
    "Using Ability Scores": C.RULE, "Adventuring": C.RULE, "Conditions": C.RULE,
    "Spellcasting": C.RULE, "Spell Descriptions": C.SPELL, "Running the Game": C.RULE,
    "Monsters": C.MONSTER, "Nonplayer Characters": C.MONSTER, "Magic Items": C.MAGIC_ITEM,
    "Fantasy-Historical Pantheons": C.LORE, "The Planes of Existence": C.LORE,
    "Equipment": C.EQUIPMENT,
}


@cache
def srd() -> tuple[Text, tuple[tuple[str, ...], ...], tuple[ContentType | None, ...]]:
    """The SRD as a text in pages, the path of each of its headings, and what that is about."""
    data = load_srd()
    subclasses = {one["name"] for one in srd_documents(data)[EntityType.SUBCLASSES]}
    text = book(render_srd(data), "SRD", page=3_000)
    entries = contents(text)
    paths = tuple(path(entries, number) for number in range(len(entries)))
    gold = tuple(
        (C.SUBCLASS if subclasses & set(names[2:]) else C.CLASS) if names[0] == "Classes"
        else WHOLE_CHAPTERS.get(names[0]) for names in paths
    )
    return text, paths, gold


def _right(text: Text) -> tuple[float, float, dict[ContentType, float]]:
    """The share that is right, that of those said to be sure, and that of each type."""
    found, gold = contents(text), srd()[2]
    pairs = [(entry, wanted) for entry, wanted in zip(found, gold, strict=True) if wanted]
    total = Counter(wanted for _, wanted in pairs)
    hits = Counter(wanted for entry, wanted in pairs if entry.type is wanted)
    sure = [entry.type is wanted for entry, wanted in pairs if entry.confidence >= .9]
    return (hits.total() / total.total(), sum(sure) / len(sure),
            {kind: hits[kind] / count for kind, count in total.items()})


@pytest.mark.parametrize("neutral", [False, True], ids=["chapters", "neutral chapters"])
def test_the_types_of_the_srd_are_right(neutral: bool) -> None:
    text, paths, gold = srd()
    assert len(paths) == len(gold) > 1_800
    if neutral:
        text = Text(text.title, tuple(
            type(block)("Chapter 4", 1, block.page) if block.level == 1 else block
            for block in text.blocks
        ), pages=text.pages)
    right, sure, each = _right(text)
    assert right >= .95
    assert sure >= .97
    assert min(each.values()) >= .9, each


def test_headings_of_one_level_are_typed_by_what_they_follow() -> None:
    flat = re.sub(r"^#+ ", "# ", OF_2024, flags=re.MULTILINE)
    found = types_of(flat)
    assert found["Slippery"] is C.RACE
    assert found["Bonus Actions"] is C.MONSTER
    assert found["Level 2: Trim the Wick"] is C.CLASS


def test_bookmarks_alone_give_types() -> None:
    text = srd()[0]
    spells = next(n for n, block in enumerate(text.blocks) if block.text == "Spell Descriptions")
    marks = tuple(
        Bookmark(block.text, 1, block.page, number)
        for number, block in enumerate(text.blocks)
        if block.level == 2 and spells < number < spells + 2_000
    )
    plain = tuple(type(block)(block.text, 0, block.page) for block in text.blocks)
    found = contents(Text("SRD", plain, marks, pages=text.pages))[1:-1]
    assert len(found) > 150
    assert sum(entry.type is C.SPELL for entry in found) / len(found) >= .95


def test_page_ranges_have_the_type_of_what_fills_them() -> None:
    text, _, gold = srd()
    plain = tuple(type(block)(block.text, 0, block.page) for block in text.blocks)
    found = contents(Text("SRD", plain, pages=text.pages))
    entries = contents(text)
    right = []
    for entry in found:
        assert entry.origin == "pages"
        filled = Counter(
            wanted for one, wanted in zip(entries, gold, strict=True)
            if wanted and not one.children and entry.start <= one.start < entry.end
        )
        if filled and filled.most_common(1)[0][1] >= .9 * filled.total():
            right.append(filled.most_common(1)[0][0] is entry.type)
    assert len(right) > 20
    assert sum(right) / len(right) >= .9


def test_confidence_is_a_share_and_the_same_each_time() -> None:
    text = srd()[0]
    entries = contents(text)
    assert all(0 < entry.confidence <= 1 for entry in entries)
    assert entries == contents(text)
