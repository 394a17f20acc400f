"""Rulebooks with the same two spell lists, each in another style."""

from __future__ import annotations


def _entry(name: str, line: str) -> str:
    return f"### {name}\n\n*{line}*\n\n**Casting Time:** 1 action\n\nIt works.\n\n"


ENTRIES = "# Spell Descriptions\n\n" + "".join(
    _entry(*entry) for entry in (
        ("Ash Bolt", "Evocation cantrip"), ("Cold Hand", "1st-level necromancy"), ("Warm Hand", "1st-level necromancy (ritual)"),
        ("Iron Skin", "2nd-level abjuration"), ("Light/Dark", "2nd-level evocation"), ("Big Fire", "3rd-level evocation"),
    )
)
"""What the spells are; no entry names a class."""

HEXER = ((0, ("Ash Bolt",)), (1, ("Cold Hand", "Warm Hand")), (2, ("Iron Skin", "Light/Dark")))
SINGER = ((1, ("Warm Hand",)), (3, ("Big Fire",)))

_HIT_DICE = "**Hit Dice:** 1d8 per level\n\n"

LISTS = {
    "bullets under headings": """# Magic

## Spell Lists

### Hexer Spells

#### Cantrips (0 Level)
- Ash Bolt

#### 1st Level

- *Cold Hand*
- [Warm Hand](/warm)

#### 2nd Level

- Iron
- Skin
- Light/Dark

### Singer Spells

#### 1st Level
- Warm Hand

#### 3rd Level
- Big Fire

""",
    "classes as titles, HTML lists": """# Spell List

### Hexer
#### Cantrips (0 Level)

<ul style="x">
<li>Ash Bolt</li>
</ul>#### 1st Level

<ul>
<li>Cold Hand</li>
<li>Warm Hand</li>
</ul>

#### 2nd Level

<ul><li>Iron Skin</li><li>Light/Dark</li></ul>

### Singer

#### 1st Level

<ul><li>Warm Hand</li></ul>

#### 3rd Level
<ul><li>Big Fire</li></ul>

""",
    "a link a line": """# Hexer Spells
## Cantrips (0 level)
[Ash Bolt](/s/a)\x20\x20\x20
\x20
## 1st Level
[Cold Hand](/s/b)\x20\x20\x20
[Warm Hand](/s/c)

## 2nd level
[Iron Skin](/s/d)\x20\x20\x20
[Light/Dark](/s/e)

# Singer Spells
## 1st level
[Warm Hand](/s/c)
## 3rd level
[Big Fire](/s/f)

""",
    "wiki links": """# SPELL LISTS

## Hexer Spells

#### Cantrips (0 Level)

- [[Ash Bolt]]

#### 1st Level

- [[Cold Hand]]
- [[Warm Hand]]

#### 2nd Level

- [[Iron Skin]]
- [[Light-Dark|Light/Dark]]

## Singer Spells

#### 1st Level
- [[Warm Hand]]

#### 3rd Level
- [[Big Fire]]

""",
    "lines in bold": """# Spell Lists

**Hexer Spells**

**Cantrips (0 Level)**

Ash Bolt

**1st Level**

Cold Hand, *Warm Hand*

**2nd Level**

Iron Skin, Light/Dark

**Singer Spells**

**1st Level**

Warm Hand

**3rd Level**

Big Fire

""",
    "labels": """# Spell Lists

## Hexer

- **Cantrips (0 Level):** *ash bolt*
- **1st Level:** *cold hand*, *warm hand*
- **2nd Level:** *iron skin*, *light/dark*

## Singer

1st level: warm hand.

3rd level: big fire.

""",
    "tables under levels that name the class": """# Classes

## Hexer

Text.

### Hexer Spell List

This is the list.

#### Cantrips (Level 0 Hexer Spells)

| Spell | School | Special |
|---|---|---|
| *Ash Bolt* | Evocation | — |

#### Level 1 Hexer Spells

| Spell | School | Special |
|---|---|---|
| *Cold Hand* | Necromancy | — |
| *Warm Hand* | Necromancy | R |

#### Level 2 Hexer Spells

| Spell | School | Special |
|---|---|---|
| *Iron Skin* | Abjuration | — |
| *Light/Dark* | Evocation | — |

## Singer

### Singer Spell List

**Level 1 Singer Spells**

| Spell | School |
|---|---|
| Warm Hand | Necromancy |

**Level 3 Singer Spells**

| Spell | School |
|---|---|
| Big Fire | Evocation |

""",
    "a table of levels": """# Spell Lists

## Hexer Spells

| Level | Spells |
|---|---|
| Cantrip | Ash Bolt |
| 1st | Cold Hand, Warm Hand |
| 2nd | Iron Skin, Light/Dark |

## Singer Spells

| Spell Level | Spells |
|---|---|
| 1st | Warm Hand |
| 3rd | Big Fire |

""",
    "a row a spell": """# Hexer Spell List
|Spell Level|Name|School|
|-|-|-|
|0 (Cantrip)|[Ash Bolt](/x)|Evocation
|1|[Cold Hand](/x)|Necromancy
|1|Warm Hand|Necromancy
|2|Iron Skin|Abjuration
|2|Light/Dark|Evocation

# Singer Spell List
|Spell Level|Name|School|
|-|-|-|
|1|Warm Hand|Necromancy
|3|Big Fire|Evocation

""",
    "an index with classes": """# Spell Index

| Spell | Level | School | Classes |
|---|---|---|---|
| Ash Bolt | Cantrip | Evocation | Hexer |
| Cold Hand | 1 | Necromancy | Hexer |
| Warm Hand | 1 | Necromancy | Hexer, Singer |
| Iron Skin | 2 | Abjuration | Hexer |
| Light/Dark | 2 | Evocation | Hexer |
| Big Fire | 3 | Evocation | Singer |

""",
    "an index with ticks": """# Spell Index

| Spell | Level | Hexer | Singer |
|---|---|---|---|
| Ash Bolt | 0 | x | |
| Cold Hand | 1 | x | |
| Warm Hand | 1 | x | x |
| Iron Skin | 2 | x | |
| Light/Dark | 2 | x | |
| Big Fire | 3 | | x |

""",
    "a column a level": """# Spell Lists

## Hexer

| Cantrips | 1st Level | 2nd Level |
|---|---|---|
| Ash Bolt | Cold Hand | Iron Skin |
| | Warm Hand | Light/Dark |

## Singer

| 1st | 3rd |
|--|--|
| Warm Hand | Big Fire |

""",
    "below the classes": f"""# Hexer

{_HIT_DICE}## Spells

### Cantrips

- Ash Bolt

### 1st Level

- Cold Hand
- Warm Hand

### 2nd Level

- Iron Skin
- Light/Dark

# Singer

{_HIT_DICE}## Spell List

**1st level.** Warm Hand

**3rd level.** Big Fire

""",
    "setext": """Spell Lists
===========

Hexer Spells
------------

### Cantrips (0 Level)

* Ash Bolt

### 1st Level

* Cold Hand
* Warm Hand

### 2nd Level

* Iron Skin
* Light/Dark

Singer Spells
-------------

### 1st Level

* Warm Hand

### 3rd Level

* Big Fire

""",
    "headings of one depth": """# Hexer Spells

# Cantrips (0 Level)

Ash Bolt

# 1st Level

Cold Hand
Warm Hand

# 2nd Level

Iron Skin
Light/Dark

# Singer Spells

# 1st Level

Warm Hand

# 3rd Level

Big Fire

""",
    "run-in levels": """# Magic

## Hexer Spells

**Cantrips (0 Level):** Ash Bolt
**1st Level:** Cold Hand, Warm Hand
**2nd Level:** Iron Skin and Light/Dark

## Singer Spells

***1st Level.*** Warm Hand\x20\x20
***3rd Level.*** Big Fire

""",
}

WITHOUT_ENTRIES = """# Spells by Class

## Hexer Spells

### Cantrips

- Ash Bolt

### First Level

- Cold Hand
- Warm Hand (ritual)

### Second Level

- Iron Skin
- Light/Dark

## Singer Spells

### 1st-Level Spells

- Warm Hand

### 3rd-Level Spells

- Big Fire
"""

_ROWS = "| {} | Spells |\n|---|---|\n| {} | warm hand |\n| {} | big fire, iron skin |\n| {} | light/dark |\n\n"
_HEXER = f"# Hexer\n\n{_HIT_DICE}"
PARTS = {
    "by class level": f"{_HEXER}## Path of Ash\n\n### Path Spells\n\n{_ROWS.format('Hexer Level', '1st', '3rd', '5th')}",
    "under a caption": f"{_HEXER}## Path of Ash\n\n**Path of Ash Spells**\n\n{_ROWS.format('Hexer Level', '1st', '3rd', '5th')}",
    "by level": f"{_HEXER}## Path of Ash\n\n### Path of Ash Spells\n\n{_ROWS.format('Level', '1st', '3rd', '5th')}",
    "without a name": f"{_HEXER}## Path of Ash\n\n### Oath Spells\n\n{_ROWS.format('Level', '1st', '3rd', '5th')}",
    "under a level": f"{_HEXER}## Paths\n\n### Path of Ash\n\n#### Level 1: Path of Ash Spells\n\n"
                     + _ROWS.replace("Spells", "Prepared Spells").format("Hexer Level", "1", "3", "5"),
}
EXPANDED = f"{_HEXER}## Path of Ash\n\n### Expanded Spell List\n\nMore.\n\n{_ROWS.format('Spell Level', '1st', '2nd', '3rd')}"
IN_BULLETS = f"{_HEXER}## Path of Ash\n\n### Path of Ash Spells\n\n- 1st level: warm hand\n- 2nd level: iron skin\n- 3rd level: *big fire*\n\n"
LAND = f"{_HEXER}## Circle of Ash\n\n### Circle Spells\n\nText.\n\n#### Desert\n\n{_ROWS.format('Hexer Level', '1st', '3rd', '5th')}"

NO_LISTS = """# Rules

## Spellcasting

### Casting Spells

You cast them.

#### Known Spells

- Some you know.
- Some you prepare, some you learn

### Spells by Level

#### 1st Level

- Cold Hand
- Warm Hand

#### 2nd Level

- Iron Skin
- Light/Dark

### Evocation Spells

- Big Fire
- Ash Bolt
- Light/Dark

### Ritual Spells

- Warm Hand
- Cold Hand
- Iron Skin

### All Spells

#### A

- Ash Bolt
- Big Fire
- Cold Hand
- Warm Hand
- Iron Skin

#### B-C

- Big Fire

## Monsters

### Lich

> **Spellcasting.** The lich knows:
>
> Cantrips (at will): ash bolt
> 1st level (4 slots): cold hand, warm hand
> 2nd level (3 slots): iron skin

## Races

### High Gnome

#### High Gnome Cantrips

- Ash Bolt

### Imp

| Character Level | Spells |
|---|---|
| 1 | Ash Bolt |
| 3 | Cold Hand |

## Magic Items

### Staff of Spells

- Cold Hand (1 charge)
- Warm Hand (2 charges)
- Big Fire (5 charges)

"""
"""Spells that are listed, but for no class."""
