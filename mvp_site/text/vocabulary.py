"""The closed lists of the game's words, singular and in small letters, in the SRD's order."""

from __future__ import annotations

from typing import Final

ABILITIES: Final = ("strength", "dexterity", "constitution", "intelligence", "wisdom", "charisma")
SPEEDS: Final = ("walk", "burrow", "climb", "fly", "swim")
SENSES: Final = ("blindsight", "darkvision", "tremorsense", "truesight")
SIZES: Final = ("tiny", "small", "medium", "large", "huge", "gargantuan")
SCHOOLS: Final = (
    "abjuration", "conjuration", "divination", "enchantment", "evocation", "illusion", "necromancy",
    "transmutation",
)
DAMAGE_TYPES: Final = (
    "acid", "bludgeoning", "cold", "fire", "force", "lightning", "necrotic", "piercing", "poison",
    "psychic", "radiant", "slashing", "thunder",
)
CONDITIONS: Final = (
    "blinded", "charmed", "deafened", "exhaustion", "frightened", "grappled", "incapacitated",
    "invisible", "paralyzed", "petrified", "poisoned", "prone", "restrained", "stunned",
    "unconscious",
)
RARITIES: Final = ("common", "uncommon", "rare", "very rare", "legendary", "artifact")
NUMBERS: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen",
)
ORDINALS: Final = (
    "zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
    "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth",
    "seventeenth", "eighteenth", "nineteenth", "twentieth",
)
"""Numbers from 0 on, in words."""
COINS: Final = {"cp": 1, "sp": 10, "ep": 50, "gp": 100, "pp": 1000}
"""What each is worth in copper pieces."""
