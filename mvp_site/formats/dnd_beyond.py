"""A sheet out of the JSON that D&D Beyond's character service gives; pure, and tolerant of gaps.

The service tells what a character chose and what that grants (``modifiers``); totals are worked
out by the rules of the fifth edition (:mod:`.export_numbers`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from ..text.vocabulary import ABILITIES, COINS, CONDITIONS, SENSES
from .export_fields import MAX_NAME, MOST_BONUS, PASSIVE, amount, definition, number, rows, text
from .export_numbers import BY_HAND, LEARNT, TABLES, Numbers
from .export_things import actions, attacks, features, item, spell_list, words
from .types import Format, Sample

_SKILLS: Final[dict[str, int]] = TABLES["skills"]
_IDS: Final = {name: id_ for id_, name in enumerate(_SKILLS, 2)}
_LOWER: Final = {skill.lower() for skill in _SKILLS}
_UNMADE: Final = ("choose-", "self")
"""How kinds of modifiers begin that stand for a choice which is not made."""
_PROFICIENT: Final = {"proficiency", "expertise"}


def _exported(values: Any) -> Mapping[str, Any]:
    """The character in ``values``, where they have the shape of an export; else empty."""
    data = values.get("data", values) if isinstance(values, Mapping) else None
    if not isinstance(data, Mapping) or not isinstance(data.get("stats"), list):
        return {}
    return data if "classes" in data or "modifiers" in data else {}


def sheet_of(sample: Sample) -> dict[str, Any]:
    """The character of an export as the values of an own sheet."""
    data = _exported(sample.value)
    numbers = Numbers(data)
    (most, current), (armor_class, armor) = numbers.hit_points(), numbers.armor_class()
    race, notes = definition(data, "race"), definition(data, "notes")
    texts = {part: {key: text(data, *path.split(".")) for key, path in paths.items()}
             for part, paths in TABLES["texts"].items()}
    background, learnt = definition(data, "background"), _proficiencies(numbers)
    origin = definition(background, "customBackground")
    if not background.get("hasCustomBackground"):
        origin = definition(background) or origin
    full = text(race, "fullName") or text(race, "baseName")
    base = text(race, "baseRaceName") or text(race, "baseName")
    immune = _names(numbers, "immunity")
    return {
        "base": {
            **texts["base"], "name": text(data, "name")[:MAX_NAME],
            "race": base or full, "subrace": full if full != base else "",
            "classes": [{"name": text(kind, "definition", "name"), "level": kind["level"],
                         "subclass": text(kind, "subclassDefinition", "name")}
                        for kind in numbers.classes],
            "background": text(origin, "name"),
            "alignment": _nth(TABLES["alignments"], data, "alignmentId"),
            "xp": amount(data, "currentXp")},
        "characteristics": texts["characteristics"],
        "ability_scores": {name: numbers.scores[ability]
                           for ability, name in enumerate(ABILITIES, 1)},
        "combat_stats": {
            "max_hit_points": most,
            "current_hit_points": max(-MOST_BONUS, min(MOST_BONUS, current)),
            "temporary_hit_points": amount(data, "temporaryHitPoints"),
            "armor_class": armor_class, "armor": armor, "proficiency_bonus": numbers.bonus,
            "initiative": numbers.roll(2, "initiative", *_checks(2))[0],
            "hit_dice": " + ".join(f"{kind['level']}d{die}" for kind in numbers.classes
                                   if (die := number(kind, "definition", "hitDice"))),
            "hit_dice_left": max(0, numbers.level - sum(number(kind, "hitDiceUsed") or 0
                                                        for kind in numbers.classes)),
            "inspiration": bool(data.get("inspiration")), "speeds": numbers.speeds(),
            "attacks": attacks(numbers), "saves": _saves(numbers),
            "conditions": [
                f"{name} {level}" if (level := number(condition, "level")) else name
                for condition in rows(data, "conditions")
                if (name := _nth(["", *CONDITIONS], condition, "id"))]},
        "background": {"name": text(origin, "name"), "feature": text(origin, "featureName"),
                       "description": "\n\n".join(filter(None, (
                           words(numbers, origin, "shortDescription", "description"),
                           words(numbers, origin, "featureDescription"))))},
        "personality": {key: _lines(trait) for key, trait in texts["personality"].items()},
        "backstory": _headed(notes, "backstory"),
        "organisations": _contacts(notes, "organizations"),
        "allies": _contacts(notes, "allies"), "enemies": _contacts(notes, "enemies"),
        "proficiencies": learnt,
        "damage_modifiers": {
            "resistances": _names(numbers, "resistance"),
            "vulnerabilities": _names(numbers, "vulnerability"),
            "immunities": [name for name in immune if name.lower() not in CONDITIONS],
            "condition_immunities": [name for name in immune if name.lower() in CONDITIONS]},
        "passive_scores": [
            {"name": skill["name"], "score": max(0, 10 + skill["bonus"] + numbers.total(
                "bonus", f"passive-{skill['name'].lower()}"))}
            for skill in learnt["skills"] if skill["name"] in PASSIVE],
        "senses": _senses(numbers),
        "action_economy": actions(numbers),
        "features_and_traits": features(numbers),
        "inventory": {
            "coins": {coin: amount(data, "currencies", coin) for coin in COINS},
            "items": [*(item(numbers, carried, of) for carried, of in numbers.items if of),
                      *(item(numbers, own, own) for own in rows(data, "customItems"))]},
        "spell_list": spell_list(numbers),
        "notes": _headed(notes, "personalPossessions", "otherHoldings", "otherNotes"),
    }


def _names(numbers: Numbers, kind: str) -> list[str]:
    """What the modifiers of a kind are about, once each, and when."""
    names = [(text(row, "friendlySubtypeName") or text(row, "subType").replace("-", " "),
              text(row, "restriction")) for row in numbers.modifiers if row.get("type") == kind
             and not text(row, "subType").startswith(_UNMADE)]
    return [*dict.fromkeys(f"{name} ({when})" if when else name for name, when in names)]


def _checks(ability: int) -> tuple[str, str]:
    """The kinds of modifiers that all checks of an ability have."""
    return "ability-checks", f"{ABILITIES[ability - 1]}-ability-checks"


def _saves(numbers: Numbers) -> list[dict[str, Any]]:
    saves = []
    for ability, name in enumerate(ABILITIES, 1):
        bonus, kind = numbers.roll(ability, f"{name}-saving-throws", "saving-throws",
                                   by_hand=BY_HAND["save"], of=ability)
        saves.append({"name": name.capitalize(), "bonus": bonus, "proficient": kind in _PROFICIENT})
    return saves


def _proficiencies(numbers: Numbers) -> dict[str, Any]:
    """Skills, armor, weapons, tools and languages."""
    own = rows(numbers.data, "customProficiencies")
    skills = [_skill(numbers, name) for name in sorted(_SKILLS)]
    skills += [{"name": text(row, "name"), **_own_skill(numbers, row)}
               for row in own if row.get("type") == 1]
    sorts: dict[str, list[str]] = {"armor": [], "weapons": [], "tools": [],
                                   "languages": _names(numbers, "language")}
    for row in numbers.of("proficiency"):
        key = text(row, "subType")
        weapon = key.endswith("-weapons") or text(row, "entityTypeId") == TABLES["weapon"]
        armor = key.endswith("-armor") or key == "shields"
        sort = "weapons" if weapon else "armor" if armor else "tools"
        if not key.endswith("saving-throws") and key.replace("-", " ") not in _LOWER and (
                not key.startswith(_UNMADE)):
            sorts[sort].append(text(row, "friendlySubtypeName") or key.replace("-", " "))
    for row in own:
        if row.get("type") != 1:
            sorts[TABLES["custom"].get(text(row, "type"), "tools")].append(text(row, "name"))
    return {"skills": skills, **{
        sort: [*dict.fromkeys(filter(None, names))] for sort, names in sorts.items()}}


def _skill(numbers: Numbers, name: str) -> dict[str, Any]:
    own = number(numbers.by_hand(BY_HAND["skill_ability"], _IDS[name])) or 0
    ability = own if own in numbers.scores else _SKILLS[name]
    bonus, kind = numbers.roll(ability, name.lower().replace(" ", "-"), *_checks(ability),
                               by_hand=BY_HAND["skill"], of=_IDS[name])
    note = "" if kind == "proficiency" else kind.replace("-", " ").removesuffix(" round up")
    return {"name": name, "bonus": bonus, "proficient": kind in _PROFICIENT, "note": note}


def _own_skill(numbers: Numbers, row: Mapping[str, Any]) -> dict[str, Any]:
    """A skill that is written by hand, its numbers in the row itself."""
    kind = LEARNT.get(number(row, "proficiencyLevel") or 1, "")
    bonus = number(row, "override")
    if bonus is None:
        bonus = numbers.mod(number(row, "statId") or 0) + numbers.learnt(kind) + sum(
            number(row, key) or 0 for key in ("magicBonus", "miscBonus"))
    return {"bonus": bonus, "proficient": kind in _PROFICIENT}


def _senses(numbers: Numbers) -> dict[str, str]:
    senses = {text(row, "subType"): feet for row in sorted(
        (*numbers.of("set-base"), *numbers.of("sense")), key=numbers.worth)
        if text(row, "subType") in SENSES and (feet := numbers.worth(row))}
    for row in rows(numbers.data, "customSenses"):
        name, distance = _nth(["", *SENSES], row, "senseId"), number(row, "distance")
        if name and distance:
            senses[name] = distance
    return {name: f"{feet} ft." for name, feet in senses.items()}


def _nth(names: list[str], value: Any, key: str) -> str:
    """The name of the number at ``key``; '' for none."""
    return dict(enumerate(names)).get(number(value, key) or 0, "")


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _headed(notes: Any, *keys: str) -> list[dict[str, str]]:
    words = {key: re.sub(r"([A-Z])", r" \1", key).lower() for key in keys}
    return [{"title": words[key] if len(keys) > 1 else "", "text": note}
            for key in keys if (note := text(notes, key))]


def _contacts(notes: Any, key: str) -> list[dict[str, str]]:
    """A contact for each line; its name is what stands before a colon, dash, comma or bracket.

    A name has no word of four letters or more in lower case: what has is a sentence.
    """
    contacts = []
    for line in _lines(text(notes, key)):
        name, cut, rest = re.fullmatch(  # type: ignore[union-attr]
            r"[-*•\s]*(.*?)(\s*[:,(]\s*|\s+[-–—]\s+|$)(.*)", line).groups()
        named = 0 < len(name) <= 60 and all(
            len(word) < 4 or not word.islower() for word in name.split())
        contacts.append({"name": name, "description": f"({rest}" if "(" in cut else rest}
                     if named else {"description": line})
    return contacts


FORMATS: Final = (Format(
    "a D&D Beyond character", "sheets", lambda sample: bool(_exported(sample.value)),
    "scores, saves, skills, armor class, hit points, attacks, spells and slots, features, things, "
    "coins and texts, worked out by the rules of 2014; templates in texts are filled",
    "what the sheet does not print: choices that were not taken, campaign, settings",
    extent="read in part", read=sheet_of),)
