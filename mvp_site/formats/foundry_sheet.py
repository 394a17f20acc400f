"""A player's character of Foundry's dnd5e system as the values of an own sheet."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ..text.vocabulary import COINS
from .export_fields import MAX_NAME, PASSIVE, amount, at, definition, number, rows, text
from .export_numbers import TABLES
from .foundry import (
    ARMOR,
    FOUNDRY,
    ITEMS,
    SHORT,
    attunes,
    damage_of,
    is_actor,
    listed,
    prose,
    secrets,
    senses_of,
    speeds_of,
    system,
    tags,
    uses_of,
    weight_of,
)
from .types import Format, Sample

_Record = Mapping[str, Any]
_LOOKS: Final = ("age", "gender", "height", "weight", "eyes", "skin", "hair")
_TRAITS: Final = {"traits": "trait", "ideals": "ideal", "bonds": "bond", "flaws": "flaw"}
_REACH: Final = "5 ft."
MAX_BONUS: Final = 20


def sheet_of(sample: Sample) -> dict[str, Any]:
    """The character as the values of an own sheet."""
    record = sample.value
    of, items = system(record), rows(record, "items")
    classes = [(item, system(item)) for item in items if item.get("type") == "class"]
    level = sum(number(kind, "levels") or 0 for _, kind in classes)
    bonus = 2 + max(level - 1, 0) // 4
    scores = {key: number(of, "abilities", key, "value") for key in SHORT}
    mods = {key: (score or 10) // 2 - 5 for key, score in scores.items()}
    race, background = _of_type(items, "race"), _of_type(items, "background")
    details, attributes = definition(of, "details"), definition(of, "attributes")
    armor_class, armor = _armor_class(attributes, items, mods, _effects(record, items))
    groups: dict[str, list[dict[str, str]]] = {}
    for item in items:
        time = text(system(item), "activation", "type")
        if item.get("type") == "feat" and time in FOUNDRY["times"]:
            groups.setdefault(FOUNDRY["times"][time], []).append(
                {"name": text(item, "name"), "description": prose(
                    system(item), "description", "value").partition("\n")[0][:300]})
    hidden = secrets(details, "biography", "value")
    return {
        "base": {
            "name": text(record, "name")[:MAX_NAME],
            "race": text(race, "name") or text(details, "race"),
            "classes": [{"name": text(item, "name"), "level": number(kind, "levels"),
                         "subclass": _subclass(item, kind, items)} for item, kind in classes],
            "background": text(background, "name") or text(details, "background"),
            "alignment": text(details, "alignment"), "deity": text(details, "faith"),
            "xp": number(details, "xp", "value", most=10**9)},
        "characteristics": {
            **{key: text(details, key) for key in _LOOKS},
            "size": FOUNDRY["sizes"].get(text(of, "traits", "size"), ""),
            "looks": prose(details, "appearance")},
        "ability_scores": {name.lower(): scores[key] for key, name in SHORT.items()
                           if scores[key]},
        "combat_stats": {
            "max_hit_points": _hit_points(attributes, classes, mods["con"] * level),
            "current_hit_points": number(attributes, "hp", "value"),
            "temporary_hit_points": amount(attributes, "hp", "temp"),
            "armor_class": armor_class, "armor": armor,
            "proficiency_bonus": bonus if level else None,
            "initiative": mods["dex"] + (number(attributes, "init", "bonus") or 0),
            "hit_dice": " + ".join(f"{number(kind, 'levels')}{_die(kind)}" for _, kind in classes
                                   if _die(kind)),
            "hit_dice_left": max(0, level - sum(
                number(kind, "hd", "spent") or number(kind, "hitDiceUsed") or 0
                for _, kind in classes)) if level else None,
            "inspiration": bool(at(attributes, "inspiration")),
            "speeds": _speeds(attributes), "saves": _saves(of, mods, bonus),
            "attacks": [*_attacks(items, mods, bonus)],
            "conditions": [f"exhaustion {tired}"] if (
                tired := number(attributes, "exhaustion")) else []},
        "background": {"name": text(background, "name") or text(details, "background"),
                       "description": prose(system(background), "description", "value")},
        "personality": {key: [line for line in prose(details, name).splitlines() if line.strip()]
                        for key, name in _TRAITS.items()},
        "backstory": [{"title": "", "text": about}] if (
            about := prose(details, "biography", "value")) else [],
        "proficiencies": {
            "skills": [*_skills(of, mods, bonus)],
            "armor": listed(of, "traits", "armorProf"),
            "weapons": listed(of, "traits", "weaponProf"),
            "tools": [*definition(of, "tools"),
                      *listed(of, "traits", "toolProf")],
            "languages": listed(of, "traits", "languages")},
        "damage_modifiers": {
            "resistances": listed(of, "traits", "dr"), "immunities": listed(of, "traits", "di"),
            "vulnerabilities": listed(of, "traits", "dv"),
            "condition_immunities": listed(of, "traits", "ci")},
        "passive_scores": [
            {"name": skill["name"], "score": 10 + skill["bonus"]}
            for skill in _skills(of, mods, bonus)
            if skill["name"] in PASSIVE],
        "senses": senses_of(attributes),
        "action_economy": groups,
        "features_and_traits": [
            *(_feature(item) for item in items if item.get("type") in {"feat", "race"} or (
                item.get("type") == "subclass" and prose(system(item), "description", "value"))),
            *_resources(of)],
        "inventory": {
            "coins": {coin: amount(of, "currency", coin) for coin in COINS},
            "items": [_item(item) for item in items if item.get("type") in ITEMS]},
        "spell_list": [*_spells(of, items, classes, mods, bonus)],
        "notes": [{"title": "public biography", "text": public}] if (
            public := prose(details, "biography", "public")) and public != about else [],
        "dm_notes": [*([{"title": "secrets of the biography", "text": hidden}] if hidden else []),
                     *_item_secrets(items)],
    }


def _of_type(items: Sequence[_Record], kind: str) -> _Record:
    return next((item for item in items if item.get("type") == kind), {})


def _subclass(item: _Record, kind: _Record, items: Sequence[_Record]) -> str:
    """The subclass of a class: an item that names the class, or before that a key of it."""
    key = text(kind, "identifier") or text(item, "name").lower().replace(" ", "-")
    own = (text(other, "name") for other in items if other.get("type") == "subclass"
           and text(system(other), "classIdentifier") == key)
    return next(own, text(kind, "subclass"))


def _die(kind: _Record) -> str:
    return text(kind, "hd", "denomination") or text(kind, "hitDice")


def _hit_points(attributes: _Record, classes: Sequence[tuple[_Record, _Record]],
                extra: int) -> int | None:
    """The most hit points: as written, or what was rolled at each level."""
    if (most := number(attributes, "hp", "max")) is not None:
        return max(0, most)
    total = 0
    for _, kind in classes:
        faces = int(_die(kind)[1:] or 0) if _die(kind)[1:].isdecimal() else 0
        advances = [row for row in rows(kind, "advancement") if row.get("type") == "HitPoints"]
        rolled = at(advances[0], "value") if advances else None
        for rolled_points in rolled.values() if isinstance(rolled, Mapping) else ():
            total += {"max": faces, "avg": faces // 2 + 1}.get(
                rolled_points, rolled_points if isinstance(rolled_points, int) else 0)
    return total + extra if total else None


def _effects(record: _Record, items: Sequence[_Record]) -> int:
    """What effects that are on add to the armor class: the actor's, and of things put on."""
    total = 0
    for owner in (record, *items):
        of = system(owner)
        idle = of.get("attunement") in {"required", 1} and of.get("attuned") is not True
        if owner is not record and (of.get("equipped") is False or idle):
            continue
        for effect in rows(owner, "effects"):
            if effect.get("disabled") or (owner is not record and effect.get("transfer") is False):
                continue
            for change in rows(effect, "changes"):
                if text(change, "key").endswith("attributes.ac.bonus") and (
                        added := text(change, "value").lstrip("+")).isdecimal():
                    total += int(added)
    return min(total, MAX_BONUS)


def _armor_class(attributes: _Record, items: Sequence[_Record],
                 mods: Mapping[str, int], bonus: int) -> tuple[int | None, str]:
    """The armor class, and what it is of: as written, or by what is put on and ``bonus``."""
    of = definition(attributes, "ac")
    calc = text(of, "calc")
    worn = [(item, system(item)) for item in items
            if item.get("type") == "equipment" and system(item).get("equipped")]
    kinds = [(item, kind, text(kind, "type", "value") or text(kind, "armor", "type"))
             for item, kind in worn]
    names = " and ".join(text(item, "name") for item, _, sort in kinds
                         if sort in ARMOR)
    if (flat := number(of, "flat")) is not None and calc in {"flat", "natural", ""}:
        return flat, names
    if (value := number(of, "value")) is not None:
        return value, names
    shield = sum(_worth(kind) for _, kind, sort in kinds if sort == "shield")
    if calc in FOUNDRY["bare"]:
        base, *added = FOUNDRY["bare"][calc].split()
        return (int(base) + sum(mods[ability] for ability in added) + shield + bonus,
                names or "unarmored")
    best = 10 + mods["dex"]
    for _, kind, sort in kinds:
        if sort in FOUNDRY["armor"]:
            cap = number(kind, "armor", "dex")
            cap = {"heavy": 0, "medium": 2}.get(sort, 99) if cap is None else cap
            best = max(best, _worth(kind) + min(mods["dex"], cap))
    return best + shield + bonus, names or "unarmored"


def _worth(kind: _Record) -> int:
    return (number(kind, "armor", "value") or 0) + (number(kind, "armor", "magicalBonus") or 0)


def _speeds(attributes: _Record) -> dict[str, str]:
    before = text(attributes, "speed", "value")
    return speeds_of(attributes) or ({"walk": before} if before else {})


def _saves(of: _Record, mods: Mapping[str, int], bonus: int) -> list[dict[str, Any]]:
    trained = {key: bool(number(of, "abilities", key, "proficient")) for key in SHORT}
    return [{"name": name, "bonus": mods[key] + bonus * trained[key], "proficient": trained[key]}
            for key, name in SHORT.items()]


def _skills(of: _Record, mods: Mapping[str, int], bonus: int) -> Iterator[dict[str, Any]]:
    for key, (name, ability) in FOUNDRY["skills"].items():
        rank = at(of, "skills", key, "value")
        rank = rank if isinstance(rank, (int, float)) else 0
        own = text(of, "skills", key, "ability")
        note = {2: "expertise", 0.5: "half proficiency"}.get(rank, "")
        yield {"name": name, "bonus": mods.get(own, mods[ability]) + math.floor(bonus * rank),
               "proficient": rank >= 1, "note": note}


def _attacks(items: Sequence[_Record], mods: Mapping[str, int],
             bonus: int) -> Iterator[dict[str, Any]]:
    for item in items:
        of = system(item)
        if item.get("type") != "weapon" or of.get("equipped") is False:
            continue
        marks = tags(of)
        sort = text(of, "type", "value") or text(of, "weaponType")
        ranged = sort.endswith("R") or text(of, "actionType") == "rwak"
        best = max(mods["str"], mods["dex"]) if "fin" in marks else mods["dex" if ranged else "str"]
        best = mods.get(text(of, "ability"), best)
        magic = (number(of, "magicalBonus") or 0) + (
            int(added) if (added := text(of, "attackBonus").lstrip("+")).isdecimal() else 0)
        trained = 0 if of.get("proficient") in (0, False) else bonus
        dice = [*damage_of(of)][:1]
        near, far = number(of, "range", "value"), number(of, "range", "long")
        plus = best + magic
        yield {
            "name": text(item, "name"), "bonus": best + trained + magic,
            "damage": f"{dice[0][0]}{f'{plus:+d}' if plus else ''} {dice[0][1]}".strip()
            if dice else "",
            "range": f"{near}/{far} ft." if near and far else f"{near} ft." if near else _REACH,
            "description": ", ".join(sorted(FOUNDRY["properties"].get(mark, mark)
                                            for mark in marks))}


def _feature(item: _Record) -> dict[str, Any]:
    of = system(item)
    uses, remaining = uses_of(of)
    return {"name": text(item, "name"), "uses": uses, "uses_left": remaining,
            "source": text(of, "requirements") or text(of, "type", "value"),
            "description": prose(of, "description", "value")}


def _resources(of: _Record) -> Iterator[dict[str, Any]]:
    for resource in rows([*definition(of, "resources").values()]):
        most = number(resource, "max")
        if (label := text(resource, "label")) and most:
            rest = " or ".join(FOUNDRY["periods"][key] for key in ("sr", "lr") if resource.get(key))
            yield {"name": label, "uses": f"{most}{f' per {rest}' if rest else ''}",
                   "uses_left": number(resource, "value")}


def _item_secrets(items: Sequence[_Record]) -> Iterator[dict[str, str]]:
    """What of items players do not know: their sections for the DM, and what is unidentified."""
    for item in items:
        of, title = system(item), text(item, "name")
        about = prose(of, "description", "value") if of.get("identified") is False else ""
        if hidden := "\n\n".join(filter(None, (secrets(of, "description", "value"), about))):
            yield {"title": title, "text": hidden}
        elif of.get("identified") is False:
            yield {"title": "unidentified", "text": title}


def _item(item: _Record) -> dict[str, Any]:
    of = system(item)
    unknown = of.get("identified") is False
    name = text(of, "unidentified", "name") if unknown else ""
    about = (prose(of, "unidentified", "description") or prose(of, "description", "unidentified")
             if unknown else prose(of, "description", "value"))
    sort = text(of, "type", "value") or text(of, "armor", "type")
    kind = "weapon" if item.get("type") == "weapon" else "armor" if sort in ARMOR else "item"
    attuned = of.get("attuned") is True or of.get("attunement") == 2
    uses, remaining = uses_of(of)
    uses = f"{remaining} of {uses}. " if uses and remaining is not None else ""
    return {"name": name or text(item, "name"), "kind": kind,
            "quantity": 1 if of.get("quantity") is None else amount(of, "quantity"),
            "weight": weight_of(of),
            "rarity": "" if unknown else text(of, "rarity").lower(),
            "equipped": bool(of.get("equipped")),
            "attuned": attuned if attunes(of) else None,
            "description": f"{uses}{about}"}


def _spells(of: _Record, items: Sequence[_Record], classes: Sequence[tuple[_Record, _Record]],
            mods: Mapping[str, int], bonus: int) -> Iterator[dict[str, Any]]:
    """One block of all spells, with the slots of all classes."""
    spells = [item for item in items if item.get("type") == "spell"]
    slots = [*_slots(of, classes)]
    if not spells and not slots:
        return
    casters = [(item, kind) for item, kind in classes
               if text(kind, "spellcasting", "progression") not in {"", "none"}]
    key = text(of, "attributes", "spellcasting") or next(
        (text(kind, "spellcasting", "ability") for _, kind in casters), "")
    casting = {"ability": SHORT[key], "save_dc": max(0, 8 + bonus + mods[key]),
               "attack_bonus": bonus + mods[key]} if key in SHORT else {}
    yield {"source": text(casters[0][0], "name") if casters else "", "slots": slots, **casting,
           "spells": [_spell(spell) for spell in spells]}


def _spell(item: _Record) -> dict[str, Any]:
    of = system(item)
    level = max(0, min(9, number(of, "level") or 0))
    mode = text(of, "preparation", "mode") or text(of, "method")
    ready = at(of, "preparation", "prepared") if "preparation" in of else of.get("prepared")
    marks = tags(of)
    free = mode in {"always", "innate", "atwill", "pact"}
    prepared = None if not level or (free and not ready) else bool(ready)
    return {"name": text(item, "name"), "level": level, "prepared": prepared,
            "school": FOUNDRY["schools"].get(text(of, "school"), text(of, "school")),
            "note": prose(of, "description", "value"),
            **{key: True for key in ("concentration", "ritual") if key in marks}}


def _slots(of: _Record, classes: Sequence[tuple[_Record, _Record]]) -> Iterator[dict[str, int]]:
    """Spell slots by level: as written, or by the classes' levels."""
    casters = [(number(kind, "levels") or 0, FOUNDRY["casters"][sort]) for _, kind in classes
               if (sort := text(kind, "spellcasting", "progression")) in FOUNDRY["casters"]]
    alone = len(casters) == 1
    whole = sum(math.ceil(level * share) if alone else int(level * share)
                for level, share in casters)
    usual = dict(enumerate(map(int, TABLES["slots"][min(20, whole)]), 1))
    for level, key in enumerate(FOUNDRY["slots"], 1):
        slot = at(of, "spells", key)
        most = number(slot, "max") or number(slot, "override") or usual.get(level, 0)
        if most:
            remaining = number(slot, "value")
            yield {"level": level, "total": most,
                   "used": max(0, most - (most if remaining is None else remaining))}


FORMATS: Final = (Format(
    "a Foundry dnd5e character", "sheets", lambda sample: is_actor(sample.value, "character"),
    "scores, saves, skills, armor class, hit points, attacks, spells and slots, features with "
    "uses, things, coins and texts; what Foundry derives is worked out by the rules of 2014",
    "effects, flags, tokens and rights; secret sections are the DM's", extent="read in part",
    read=sheet_of),)
