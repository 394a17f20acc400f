"""A small rulebook of our own, and it ready to be asked, for tests that need no real book."""

from __future__ import annotations

from typing import Final

from mvp_site.rulebook.rulebook import Rulebook

from ..hashing import HashingEncoder

TEXT: Final = """\
# Spells
How magic is worked.
## Spell Descriptions
### Emberburst
*3rd-level evocation*

**Casting Time:** 1 action

**Range:** 150 feet

**Duration:** Instantaneous

**Classes:** Sorcerer, Wizard

A ball of flame bursts and deals 8d6 fire damage to all within.
### Slow Fall
*1st-level transmutation*

**Casting Time:** 1 reaction

**Range:** 60 feet

**Duration:** 1 minute

**Classes:** Bard, Wizard

Five creatures that drop take no harm from it.
# Classes
## Reaver
A warrior of anger.
### Rage
Anger lends a reaver strength on each turn.
### Extra Attack
From 5th level on a reaver attacks twice.
## Sage
A reader of books.
### Extra Attack
Sages never attack twice.
# Playing
## Resting
Two ways to recover.
### Short Rest
An hour of quiet. Spend hit dice to regain hit points.
### Long Rest
Eight hours of sleep. All hit points return.
## Average Results
An average of the dice may stand for a roll.
"""


def opened(text: str = TEXT, source: str = "Small Book") -> Rulebook:
    """The rulebook of a text, encoded by the double."""
    return Rulebook.from_markdown(text, source=source, encoder=HashingEncoder())
