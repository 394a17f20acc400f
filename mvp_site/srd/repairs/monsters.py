"""Monsters: figures that follow from one another, and stat blocks that hold what is not theirs."""

from __future__ import annotations

import copy
import re
from typing import Any, Final

from ..raw import Row
from ..values import Kind
from .actions import repair_actions
from .log import Log, What

XP: Final = {
    0: 10, 0.125: 25, 0.25: 50, 0.5: 100, 1: 200, 2: 450, 3: 700, 4: 1_100, 5: 1_800, 6: 2_300,
    7: 2_900, 8: 3_900, 9: 5_000, 10: 5_900, 11: 7_200, 12: 8_400, 13: 10_000, 14: 11_500,
    15: 13_000, 16: 15_000, 17: 18_000, 18: 20_000, 19: 22_000, 20: 25_000, 21: 33_000,
    22: 41_000, 23: 50_000, 24: 62_000, 25: 75_000, 26: 90_000, 27: 105_000, 28: 120_000,
    29: 135_000, 30: 155_000,
}  # fmt: skip
"""The SRD's experience by challenge rating; a creature of 0 that cannot fight is worth nothing."""

_BLOCK: Final = "the SRD's stat block"
# (slug, field, the SRD's figure): what no rule derives.
_FIGURES: Final = (
    ("bone-devil", "challenge_rating", 9),
    ("doppelganger", "alignment", "neutral"),
    ("giant-elk", "armor_class", 14),
    ("werebear-bear", "armor_class", 11),
    ("werebear-bear", "size", "Large"),
    ("werebear-hybrid", "armor_class", 11),
    ("werebear-hybrid", "size", "Large"),
    ("wereboar-boar", "armor_class", 11),
    ("wereboar-hybrid", "armor_class", 11),
    ("werewolf-hybrid", "armor_class", 12),
    ("werewolf-wolf", "armor_class", 12),
    ("young-blue-dragon", "speed > burrow", "20 ft."),
)
# (slug, skill, bonus): where it is perception, the passive score counts it.
_SKILLS: Final = (
    ("black-bear", "perception", 3),
    ("half-red-dragon-veteran", "athletics", 5),
    ("half-red-dragon-veteran", "perception", 2),
    ("swarm-of-ravens", "perception", 5),
)
# (slug, a trait it lacks, the monster that has it in the same words)
_TRAITS: Final = (
    ("ancient-blue-dragon", "Legendary Resistance", "adult-blue-dragon"),
    ("giant-rat-diseased", "Keen Smell", "giant-rat"),
    ("giant-rat-diseased", "Pack Tactics", "giant-rat"),
)
_FOREIGN: Final = re.compile(r"Variant: |Lair Actions$")
_BLOCKS: Final = ("special_abilities", "actions", "reactions", "legendary_actions")
_SILVER: Final = "bludgeoning, piercing, and slashing from nonmagical weapons that aren't silvered"
_DEFENCES: Final = {
    "bludgeoning, piercing, and slashing from nonmagical/nonsilver weapons": _SILVER,
    "nonmagical bludgeoning, piercing, and slashing (from stoneskin)":
        "bludgeoning, piercing, and slashing from nonmagical weapons (from stoneskin)",
}  # fmt: skip
_HIT_DICE: Final = re.compile(r"(\d+)d(\d+)")


def repair_monsters(log: Log) -> None:
    """Repairs every monster, in the order in which one figure follows from another."""
    kind = Kind.MONSTERS
    for slug, field, figure in _FIGURES:
        log.put(kind, slug, field, figure, What.FIGURE, _BLOCK)
    for slug, skill, bonus in _SKILLS:
        _add_skill(log, slug, skill, bonus)
    for slug, row in log.tables[kind].items():
        _foreign(log, slug, row)
        _shapechanger(log, slug, row)
        _experience(log, slug, row)
        _hit_points(log, slug, row)
        _perception(log, slug, row)
        _conditions(log, slug, row)
        _defences(log, slug, row)
        repair_actions(log, slug, row)
    for slug, name, lender in _TRAITS:
        _lend(log, slug, name, lender)
    _shriek(log)


def modifier(score: int) -> int:
    """The modifier of an ability score."""
    return (score - 10) // 2


def _foreign(log: Log, slug: str, row: Row) -> None:
    for block in _BLOCKS:
        for name in [action["name"] for action in row.get(block, ())]:
            if _FOREIGN.match(name):
                log.drop(
                    Kind.MONSTERS, slug, f"{block} > {name}", What.NOT_SRD,
                    "the SRD's stat block has neither variants nor lair actions",
                )


def _shapechanger(log: Log, slug: str, row: Row) -> None:
    traits = {trait["name"] for trait in row.get("special_abilities", ())}
    subtype = row["subtype"] or ""
    if "Shapechanger" in traits and "shapechanger" not in subtype:
        log.put(
            Kind.MONSTERS, slug, "subtype", f"{subtype}, shapechanger".removeprefix(", "),
            What.INCOMPLETE, "it has the trait, and the SRD's stat block the tag",
        )


def _experience(log: Log, slug: str, row: Row) -> None:
    rating = row["challenge_rating"]
    if not (rating == 0 and row["xp"] == 0):
        log.put(
            Kind.MONSTERS, slug, "xp", XP[rating], What.FIGURE,
            "experience follows from the challenge rating",
        )


def _hit_points(log: Log, slug: str, row: Row) -> None:
    match = _HIT_DICE.fullmatch(row["hit_dice"])
    if not match:
        return
    dice, sides = int(match[1]), int(match[2])
    extra = dice * modifier(row["constitution"])
    average = max(dice * (sides + 1) // 2 + extra, 1)
    log.put(
        Kind.MONSTERS, slug, "hit_points", average, What.FIGURE,
        "hit points are the average of the hit dice and the constitution modifier of each",
    )
    log.put(
        Kind.MONSTERS, slug, "hit_dice", f"{dice}d{sides}{extra:+}" if extra else match[0],
        What.INCOMPLETE, "each hit die adds the constitution modifier",
    )


def _add_skill(log: Log, slug: str, skill: str, bonus: int) -> None:
    row = log.tables[Kind.MONSTERS].get(slug)
    index = f"skill-{skill}"
    if row is None or any(p["proficiency"]["index"] == index for p in row["proficiencies"]):
        return
    proficiency = log.tables[Kind.PROFICIENCIES][index]
    entry = {"proficiency": {k: proficiency[k] for k in ("index", "name", "url")}, "value": bonus}
    log.put(
        Kind.MONSTERS, slug, "proficiencies", [*row["proficiencies"], entry], What.MISSING,
        f"{_BLOCK} has the skill",
    )


def _perception(log: Log, slug: str, row: Row) -> None:
    bonuses = {p["proficiency"]["index"]: int(p["value"]) for p in row["proficiencies"]}
    bonus = bonuses.get("skill-perception", modifier(row["wisdom"]))
    log.put(
        Kind.MONSTERS, slug, "senses > passive_perception", 10 + bonus, What.FIGURE,
        "a passive score is 10 and the bonus to the check",
    )


def _conditions(log: Log, slug: str, row: Row) -> None:
    conditions: list[Any] = row["condition_immunities"]
    slugs = [condition["index"] for condition in conditions]
    if slugs.count("blinded") == 2 and "deafened" not in slugs:
        deafened = log.tables[Kind.CONDITIONS]["deafened"]
        conditions = list(conditions)
        second = len(slugs) - 1 - slugs[::-1].index("blinded")
        conditions[second] = {key: deafened[key] for key in ("index", "name", "url")}
        log.put(
            Kind.MONSTERS, slug, "condition_immunities", conditions, What.REFERENCE,
            f"blinded stands twice; {_BLOCK} has deafened",
        )


def _defences(log: Log, slug: str, row: Row) -> None:
    for field in ("damage_vulnerabilities", "damage_resistances", "damage_immunities"):
        for position, found in enumerate(row[field]):
            now = _DEFENCES.get(found, found.replace("slashing damage from", "slashing from"))
            log.put(
                Kind.MONSTERS, slug, f"{field} > {position}", now, What.WRONG_TEXT,
                "the wording that every other stat block has",
            )


def _lend(log: Log, slug: str, name: str, lender: str) -> None:
    monsters = log.tables[Kind.MONSTERS]
    if slug not in monsters or lender not in monsters:
        return
    traits = monsters[slug].get("special_abilities", [])
    lent = [t for t in monsters[lender].get("special_abilities", ()) if t["name"] == name]
    if lent and not any(trait["name"] == name for trait in traits):
        log.put(
            Kind.MONSTERS, slug, "special_abilities", [*traits, copy.deepcopy(lent[0])],
            What.MISSING, f"{_BLOCK} has {name}, in the words of {lender}",
        )


def _shriek(log: Log) -> None:
    row = log.tables[Kind.MONSTERS].get("shrieker", {})
    shriek = [action for action in row.get("actions", ()) if action["name"] == "Shriek"]
    if shriek:
        why = "a shriek answers what happens: the SRD has it under reactions"
        log.drop(Kind.MONSTERS, "shrieker", "actions > Shriek", What.FILED, why)
        log.put(Kind.MONSTERS, "shrieker", "reactions", shriek, What.FILED, why)
