"""One small game, written as the rulebooks of different authors and programs are."""

from __future__ import annotations

from typing import Final

SETEXT: Final = """\
Magic
=====

Spell Lists
-----------

### Warden Spells

#### 3rd Level

- Ember Lance
- Reed Cage

### Hedge Mage Spells

#### Cantrips (0 Level)

- Pale Spark

#### 3rd Level

- Ember Lance

Spell Descriptions
------------------

#### Ember Lance

*3rd-level evocation*

**Casting Time:** 1 action

**Range:** 120 feet

**Components:** V, S, M (a charred twig)

**Duration:** Instantaneous

A line of embers leaves your hand. Each creature in it takes 6d6 fire damage.

***At Higher Levels.*** The damage grows by 1d6 for each slot level above 3rd.

#### Reed Cage

*3rd-level conjuration (ritual)*

**Casting Time:** 1 bonus action

**Range:** Touch

**Components:** V, S

**Duration:** Concentration, up to 1 minute

Reeds hold the creature.

#### Pale Spark

*Evocation cantrip*

**Casting Time:** 1 action

**Range:** 30 feet

**Components:** V

**Duration:** Instantaneous

The target takes 1d8 cold damage.

Arms
====

##### Weapons

Martial Melee Weapons

| Name      | Cost   | Damage          | Weight | Properties                 |
|-----------|--------|-----------------|--------|----------------------------|
| Long hook | 15 gp  | 1d8 slashing    | 3 lb.  | Versatile (1d10)           |
| War pole  | 5 gp   | 2d6 bludgeoning | 10 lb. | Heavy, two-handed          |
| Thorn     | 8 sp   | 1d4 piercing    | ½ lb.  | Finesse, light, thrown (range 20/60) |

#### Armor

*Light Armor*

| Armor  | Cost | Armor Class (AC)  | Strength | Stealth      | Weight |
|--------|------|-------------------|----------|--------------|--------|
| Quilt  | 5 gp | 11 + Dex modifier | —        | Disadvantage | 8 lb.  |

*Heavy Armor*

| Armor  | Cost     | Armor Class (AC) | Strength | Stealth      | Weight |
|--------|----------|------------------|----------|--------------|--------|
| Lamellar | 1,500 gp | 18             | Str 15   | Disadvantage | 65 lb. |

Beings
======

#### Marsh Imp

*Small fiend (imp), neutral evil*

**Armor Class** 13 (natural armor)

**Hit Points** 17 (5d6)

**Speed** 20 ft., fly 40 ft.

| STR    | DEX     | CON     | INT     | WIS     | CHA     |
|--------|---------|---------|---------|---------|---------|
| 6 (−2) | 16 (+3) | 10 (+0) | 11 (+0) | 12 (+1) | 14 (+2) |

**Damage Immunities** fire, poison

**Senses** darkvision 120 ft., passive Perception 11

**Languages** Common, Murk

**Challenge** 1/2 (100 XP)

***Bog Step.*** The imp ignores difficult terrain.

***Actions***

***Sting.** Melee Weapon Attack:* +5 to hit, reach 5 ft., one target. *Hit:* 5 (1d4 + 3) piercing damage plus 7 (2d6) poison damage.

#### Old Toad

*Large beast, unaligned*

**Armor Class** 11

**Hit Points** 45 (6d10 + 12)

**Speed** 30 ft., swim 30 ft.

| STR     | DEX     | CON     | INT    | WIS     | CHA    |
|---------|---------|---------|--------|---------|--------|
| 17 (+3) | 12 (+1) | 15 (+2) | 2 (−4) | 10 (+0) | 3 (−4) |

**Senses** passive Perception 10

**Languages** —

**Challenge** 2 (450 XP)

***Bite.*** *Melee Weapon Attack:* +5 to hit. *Hit:* 10 (2d6 + 3) bludgeoning damage.

Treasure
========

#### Cloak of Reeds

*Wondrous item, rare (requires attunement by a warden)*

You are hard to see among plants.

#### Flask of Dawn

*Potion, uncommon*

Light comes out.
"""

REVISED: Final = """\
# **Spells**

#### Ember Lance

_Level 3 Evocation (Warden, Hedge Mage)_

**Casting Time:** Action **Range:** 120 feet **Components:** V, S, M (a charred twig)

**Duration:** Instantaneous

Each creature in a line takes 6d6 Fire damage.

**_Using a Higher-Level Spell Slot._** The damage grows.

#### Reed Cage

_Level 3 Conjuration (Warden)_

**Casting Time:** Bonus Action

**Range:** Touch

**Component:** V, S

**Duration:** Concentration, up to 1 minute

Reeds hold the creature.

#### Pale Spark

_Evocation Cantrip (Hedge Mage)_

**Casting Time:** Action

**Range:** 30 feet

**Components:** V

**Duration:** Instantaneous

The target takes Cold damage equal to 1d8.

# **Equipment**

| Name                  | Damage          | Properties                            | Mastery | Weight  | Cost   |
|-----------------------|-----------------|---------------------------------------|---------|---------|--------|
| Martial Melee Weapons |                 |                                       |         |         |        |
| Long Hook             | 1d8 Slashing    | Versatile (1d10)                      | Sap     | 3 lb.   | 15 GP  |
| War Pole              | 2d6 Bludgeoning | Heavy,                                | Push    | 10 lb.  | 5 GP   |
|                       |                 | Two-Handed                            |         |         |        |
| Thorn                 | 1d4 Piercing    | Finesse, Light, Thrown (Range 20/60)  | Nick    | 1/2 lb. | 8 SP   |

| Armor                           |                   |          |              |        |          |
|---------------------------------|-------------------|----------|--------------|--------|----------|
| Armor                           | Armor Class (AC)  | Strength | Stealth      | Weight | Cost     |
| Light Armor (1 Minute to Don)   |                   |          |              |        |          |
| Quilt Armor                     | 11 + Dex modifier | —        | Disadvantage | 8 lb.  | 5 GP     |
| Heavy Armor (10 Minutes to Don) |                   |          |              |        |          |
| Lamellar Armor                  | 18                | Str 15   | Disadvantage | 65 lb. | 1,500 GP |

# **Monsters**

# **Marsh Imp**

*Small Fiend (Imp), Neutral Evil*

**AC** 13 **Initiative** +3 (13)

**HP** 17 (5d6) **Speed** 20 ft., Fly 40 ft.

|       |   |    | MOD SAVE |        |    |    | MOD SAVE |        |    | MOD SAVE |
|-------|---|----|----------|--------|----|----|----------|--------|----|----------|
| Str 6 |   | −2 | −2       | Dex 16 |    | +3 | +3       | Con 10 | +0 | +0       |
| Int   | 11 | +0 | +0      | Wis    | 12 | +1 | +1       | Cha 14 | +2 | +2       |

**Immunities** Fire, Poison **Senses** Darkvision 120 ft.; Passive Perception 11 **Languages** Common, Murk **CR** 1/2 (XP 100; PB +2)

## Traits

*Bog Step.* The imp ignores difficult terrain.

## Actions

*Sting. Melee Attack Roll:* +5, reach 5 ft. *Hit:* 5 (1d4 + 3) Piercing damage plus 7 (2d6) Poison damage.

# **Old Toad**

*Large Beast, Unaligned*

| AC 11 HP 45 (6d10 + 12)   |    |    |          | Initiative +1 (11) |    |    |          |        |    |          |
|---------------------------|----|----|----------|--------------------|----|----|----------|--------|----|----------|
| Speed 30 ft., Swim 30 ft. |    |    | MOD SAVE |                    |    |    | MOD SAVE |        |    | MOD SAVE |
| Str 17                    |    | +3 | +3       | Dex 12             |    | +1 | +1       | Con 15 | +2 | +2       |
| Int                       | 2  | −4 | −4       | Wis                | 10 | +0 | +0       | Cha 3  | −4 | −4       |

**Senses** Passive Perception 10 **Languages** None **CR** 2 (XP 450; PB +2)

#### Actions

*Bite. Melee Attack Roll:* +5, reach 5 ft. *Hit:* 10 (2d6 + 3) Bludgeoning damage.

# **Magic Items**

## **Cloak of Reeds**

#### *Wondrous Item, Rare (Requires Attunement by a Warden)*

You are hard to see among plants.

### **Flask of Dawn**

*Potion, Uncommon*

Light comes out.
"""

QUOTED: Final = """\
# The Marsh

All that lives and lies there.

> ## Marsh Imp
> *Small fiend (imp), neutral evil*
> ___
> - **Armor Class** 13 (natural armor)
> - **Hit Points** 17 (5d6)
> - **Speed** 20 ft., fly 40 ft.
> ___
> |STR|DEX|CON|INT|WIS|CHA|
> |:---:|:---:|:---:|:---:|:---:|:---:|
> |6 (-2)|16 (+3)|10 (+0)|11 (+0)|12 (+1)|14 (+2)|
> ___
> - **Damage Immunities** fire, poison
> - **Senses** darkvision 120 ft., passive Perception 11
> - **Languages** Common, Murk
> - **Challenge** 1/2 (100 XP)
> ___
> ***Bog Step.*** The imp ignores difficult terrain.
>
> ### Actions
> ***Sting.*** *Melee Weapon Attack:* +5 to hit. *Hit:* 5 (1d4 + 3) piercing damage plus 7 (2d6) poison damage.

**Old Toad**
*Large beast, unaligned*
**Armor Class** 11
**Hit Points** 45 (6d10 + 12)
**Speed** 30 ft., swim 30 ft.
**STR** 17 (+3) **DEX** 12 (+1) **CON** 15 (+2) **INT** 2 (-4) **WIS** 10 (+0) **CHA** 3 (-4)
**Senses** passive Perception 10
**Challenge** 2 (450 XP)

***Bite.*** *Melee Weapon Attack:* +5 to hit. *Hit:* 10 (2d6 + 3) bludgeoning damage.

# Charms

## Ember Lance
- **Level:** 3
- **School:** Evocation
- **Cast Time:** 1 action
- **Range:** 120 feet
- **Components:** V, S, M (a charred twig)
- **Duration:** Instantaneous
- **Class:** Warden, Hedge Mage

Everyone in a line takes 6d6 fire damage.

## Reed Cage
- **Level:** 3
- **School:** Conjuration
- **Ritual:** Yes
- **Cast Time:** 1 bonus action
- **Range:** Touch
- **Components:** V, S
- **Duration:** Concentration, up to 1 minute
- **Class:** Warden

Reeds hold the creature.

## Pale Spark
- **Level:** Cantrip
- **School:** Evocation
- **Cast Time:** 1 action
- **Range:** 30 feet
- **Components:** V
- **Duration:** Instantaneous
- **Class:** Hedge Mage

The target takes 1d8 cold damage.

# Goods

| Weapon | Dmg | Price (gp) | Wt. (lb.) | Property |
|---|---|---|---|---|
| Long Hook | 1d8 slashing | 15 | 3 | versatile (1d10) |
| War Pole | 2d6 bludgeoning | 5 | 10 | heavy, two-handed |
| Thorn | 1d4 piercing | 0.8 | 1/2 | finesse, light, thrown (20/60) |

## Cloak of Reeds

**Type:** Wondrous item
**Rarity:** Rare
**Requires Attunement:** Yes, by a warden

You are hard to see among plants.

## Flask of Dawn

**Type:** Potion
**Rarity:** Uncommon
**Requires Attunement:** No

Light comes out.
"""

PLAIN: Final = """\
# Bestiary

## Marsh Imp

Small fiend (imp), neutral evil

Armor Class 13 (natural armor)
Hit Points 17 (5d6)
Speed 20 ft., fly 40 ft.

STR DEX CON INT WIS CHA
6 (-2) 16 (+3) 10 (+0) 11 (+0) 12 (+1) 14 (+2)

Damage Immunities fire, poison
Senses darkvision 120 ft., passive Perception 11
Languages Common, Murk
Challenge 1/2 (100 XP)

Bog Step. The imp ignores difficult terrain.

Sting. Melee Weapon Attack: +5 to hit. Hit: 5 (1d4 + 3) piercing damage plus 7 (2d6) poison damage.

## Old Toad

Large beast, unaligned

AC 11 | HP 45 (6d10 + 12) | Speed 30 ft., swim 30 ft.
STR 17 (+3) | DEX 12 (+1) | CON 15 (+2) | INT 2 (-4) | WIS 10 (+0) | CHA 3 (-4)
Senses passive Perception 10
CR 2 (450 XP)

Bite. Melee Weapon Attack: +5 to hit. Hit: 10 (2d6 + 3) bludgeoning damage.

# Grimoire

## Ember Lance

3rd-level evocation

Casting Time: 1 action
Range: 120 feet
Components: V, S, M (a charred twig)
Duration: Instantaneous
Classes: Warden, Hedge Mage

Each takes 6d6 fire damage.

## Reed Cage

3rd-level conjuration (ritual)

| Casting Time | Range | Components | Duration | Classes |
|---|---|---|---|---|
| 1 bonus action | Touch | V, S | Concentration, up to 1 minute | Warden |

Reeds hold the creature.

## Pale Spark

Evocation cantrip

| | |
|---|---|
| Casting Time | 1 action |
| Range | 30 feet |
| Components | V |
| Duration | Instantaneous |
| Classes | Hedge Mage |

The target takes 1d8 cold damage.

# Store

| Item | Cost | Weight | Item | Cost | Weight |
|---|---|---|---|---|---|
| Rope, silk (50 feet) | 10 gp | 5 lb. | Torch | 1 cp | 1 lb. |
| Chest | 5 gp | 25 lb. | Vial | 1 gp | — |

## Cloak of Reeds

<em>Wondrous item, rare (requires attunement by a
warden)</em>

You are hard to see among plants.

## Flask of Dawn (potion, uncommon)

Light comes out.
"""

STYLES: Final = {"setext": SETEXT, "revised": REVISED, "quoted": QUOTED, "plain": PLAIN}
