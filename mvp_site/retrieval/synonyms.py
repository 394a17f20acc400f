"""What players call things: abbreviations and everyday words, and the names they stand for.

Only a whole entity is looked up here, never a word inside one: "lock" alone is most often the
class, "arcane lock" is not. A name stands here once it is common at tables and has one meaning
there; what a rulebook has as a title of its own is never looked up at all.
"""

from __future__ import annotations

from typing import Final

_SPELLS: Final = {
    "bh": "burning hands",
    "clw": "cure wounds",
    "coc": "cone of cold",
    "cure": "cure wounds",
    "cure light wounds": "cure wounds",
    "ddoor": "dimension door",
    "dim door": "dimension door",
    "eb": "eldritch blast",
    "ff": "faerie fire",
    "fb": "fireball",
    "fom": "freedom of movement",
    "hm": "hunter's mark",
    "hw": "healing word",
    "invis": "invisibility",
    "mm": "magic missile",
    "ms": "misty step",
    "pwk": "power word kill",
    "pwt": "pass without trace",
    "sg": "spirit guardians",
    "sw": "spiritual weapon",
}
_CLASSES: Final = {
    "barb": "barbarian",
    "clr": "cleric",
    "dru": "druid",
    "ftr": "fighter",
    "lock": "warlock",
    "pal": "paladin",
    "pala": "paladin",
    "pally": "paladin",
    "rgr": "ranger",
    "rog": "rogue",
    "sorc": "sorcerer",
    "wiz": "wizard",
}
_FEATURES: Final = {
    "asi": "ability score improvement",
    "bardic": "bardic inspiration",
    "cd": "channel divinity",
    "gwf": "great weapon fighting",
    "loh": "lay on hands",
    "mc": "multiclassing",
    "multiclass": "multiclassing",
    "sa": "sneak attack",
    "smite": "divine smite",
    "sneak": "sneak attack",
    "ws": "wild shape",
    "wildshape": "wild shape",
}
_CONDITIONS: Final = {
    "ko": "unconscious",
    "ko'd": "unconscious",
    "koed": "unconscious",
    "knocked out": "unconscious",
    "exhausted": "exhaustion",
    "paralysed": "paralyzed",
}
_COMBAT: Final = {
    "aoe": "area of effect",
    "aoo": "opportunity attack",
    "attack of opportunity": "opportunity attack",
    "attacks of opportunity": "opportunity attack",
    "ba": "bonus action",
    "crit": "critical hit",
    "death save": "death saving throws",
    "death saves": "death saving throws",
    "dual wield": "two-weapon fighting",
    "dual wielding": "two-weapon fighting",
    "init": "initiative",
    "oa": "opportunity attack",
    "op attack": "opportunity attack",
    "opp attack": "opportunity attack",
    "temp hp": "temporary hit points",
    "thp": "temporary hit points",
    "twf": "two-weapon fighting",
}
_TERMS: Final = {
    "ac": "armor class",
    "adv": "advantage",
    "conc": "concentration",
    "cr": "challenge rating",
    "dc": "difficulty class",
    "disadv": "disadvantage",
    "exp": "experience points",
    "hd": "hit dice",
    "hp": "hit points",
    "lr": "long rest",
    "lvl": "level",
    "npc": "nonplayer character",
    "pb": "proficiency bonus",
    "prof": "proficiency",
    "prof bonus": "proficiency bonus",
    "save": "saving throw",
    "saves": "saving throw",
    "sr": "short rest",
    "xp": "experience points",
}
_ITEMS: Final = {
    "boh": "bag of holding",
    "cp": "copper piece",
    "ep": "electrum piece",
    "gp": "gold piece",
    "chainmail": "chain mail",
    "full plate": "plate armor",
    "healing pot": "potion of healing",
    "healing potion": "potion of healing",
    "health potion": "potion of healing",
    "plate mail": "plate armor",
    "platemail": "plate armor",
    "scalemail": "scale mail",
    "sp": "silver piece",
}
_ABILITIES: Final = {
    "str": "strength",
    "dex": "dexterity",
    "con": "constitution",
    "int": "intelligence",
    "wis": "wisdom",
    "cha": "charisma",
}

VARIATIONS: Final = {
    **_SPELLS, **_CLASSES, **_FEATURES, **_CONDITIONS, **_COMBAT, **_TERMS, **_ITEMS, **_ABILITIES,
    **{f"{short} save": f"{name} saving throw" for short, name in _ABILITIES.items()},
    **{f"{short} check": f"{name} check" for short, name in _ABILITIES.items()},
    **{f"{short} mod": f"{name} modifier" for short, name in _ABILITIES.items()},
}
"""A variation, folded as :func:`~.names.fold` does, and the name it stands for."""
