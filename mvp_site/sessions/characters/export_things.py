"""What a character of a D&D Beyond export can do and has: actions, features, spells, items."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from .export_fields import MOST, amount, at, definition, number, rows, text
from .export_numbers import BY_HAND, TABLES, Numbers
from .export_texts import shown

_GENERAL: Final = re.compile(str(TABLES["general"]), re.IGNORECASE)
_TIMES: Final = {1: "actions", 3: "bonus_actions", 4: "reactions"}
_RESETS: Final = {1: "short rest", 2: "long rest", 3: "day"}


def words(numbers: Numbers, row: Mapping[str, Any], *keys: str, level: int = 0,
          uses: int = 0, scale: str = "") -> str:
    """The first text of ``keys`` that ``row`` has, its templates filled."""
    markup = next(filter(None, (text(row, key) for key in keys)), "")
    return shown(markup, partial(numbers.value, level=level, uses=uses, scale=scale))


def _limited(numbers: Numbers, row: Mapping[str, Any]) -> str:
    """How often something can be done, and how often still, as a sentence; '' if not limited."""
    limited = definition(row, "limitedUse")
    if not (uses := numbers.uses(limited)):
        return ""
    reset = _RESETS.get(number(limited, "resetType") or 0)
    used = number(limited, "numberUsed") or 0
    note = f", {max(0, uses - used)} left" if used else ""
    return f"{uses}{f' per {reset}' if reset else ' uses'}{note}. "


def actions(numbers: Numbers) -> dict[str, list[dict[str, str]]]:
    """Actions by what they take."""
    groups: dict[str, list[dict[str, str]]] = {}
    alone = numbers.level if len(numbers.classes) == 1 else 0
    scales = {text(of, "id"): scale for _, of, scale in numbers.features}
    for action in (*rows(numbers.data, "actions"), *rows(numbers.data, "customActions")):
        about = words(numbers, action, "description", "snippet",
                     level=numbers.level_of(action.get("componentId"), alone),
                     uses=numbers.uses(definition(action, "limitedUse")),
                     scale=scales.get(text(action, "componentId"), ""))
        kind = _TIMES.get(number(action, "activation", "activationType")
                          or number(action, "activationType") or 0, "other")
        groups.setdefault(kind, []).append(
            {"name": text(action, "name"), "description": f"{_limited(numbers, action)}{about}"})
    return groups


def features(numbers: Numbers) -> list[dict[str, str]]:
    """Traits of the race, features of classes, what was chosen of them, feats."""
    data, full = numbers.data, text(numbers.data, "race", "fullName")
    sources = [*((of, full, 0, "") for of in map(definition, rows(data, "race", "racialTraits"))),
             *((of, text(kind, "definition", "name"), kind["level"], scale)
               for kind, of, scale in numbers.features),
             *((definition(row), f"{of} option", numbers.level_of(row.get("componentId"), 0), "")
               for of in definition(data, "options") for row in rows(data, "options", of)),
             *((definition(row), "feat", 0, "") for row in rows(data, "feats"))]
    entries = []
    for of, source, level, scale in sources:
        name = text(of, "name")
        if of and not _GENERAL.fullmatch(name):
            description = words(numbers, of, "description", "snippet", level=level, scale=scale)
            note = f"{name} {scale} at this level. " if scale else ""
            entries.append({"name": name, "source": source, "description": f"{note}{description}"})
    return entries


def spell_list(numbers: Numbers) -> list[dict[str, Any]]:
    """The spells of each class, then those of other sources."""
    by_id = {text(kind, "id"): kind for kind in numbers.classes}
    listed: list[dict[str, Any]] = []
    shared: set[bool] = set()
    for block in rows(numbers.data, "classSpells"):
        kind = by_id.get(text(block, "characterClassId"), {})
        of, sub = definition(kind), definition(kind, "subclassDefinition")
        name = text(of, "name")
        ability = number(of, "spellCastingAbilityId") or number(sub, "spellCastingAbilityId")
        spells, pact = rows(block, "spells"), name.lower() == "warlock"
        slots = [] if pact in shared else numbers.slots(pact)
        knows = "spellPrepareType" in of and of["spellPrepareType"] is None
        if spells or ability:
            shared.add(pact)
            listed.append({"source": name, "slots": slots, **numbers.casting(ability, name),
                          "spells": [_spell(numbers, spell, knows) for spell in spells]})
    for source in definition(numbers.data, "spells"):
        if spells := rows(numbers.data, "spells", source):
            ability = next(filter(None, (number(spell, "spellCastingAbilityId")
                                         for spell in spells)), None)
            listed.append({"source": f"{source} feature" if source == "class" else source,
                          **numbers.casting(ability),
                          "spells": [_spell(numbers, spell, True) for spell in spells]})
    return listed


def _spell(numbers: Numbers, spell: Mapping[str, Any], knows: bool) -> dict[str, Any]:
    """A spell; one that needs no preparing (``knows``) is not told to be unprepared."""
    of = definition(spell)
    level = max(0, min(9, number(of, "level") or 0))
    prepared = bool(spell.get("prepared") or spell.get("alwaysPrepared"))
    return {"name": text(of, "name"), "level": level, "school": text(of, "school").lower(),
            "prepared": None if not level or (knows and not prepared) else prepared,
            "note": f"{_limited(numbers, spell)}{words(numbers, of, 'description')}",
            **{key: True for key in ("concentration", "ritual") if of.get(key)}}


def item(numbers: Numbers, carried: Mapping[str, Any], of: Mapping[str, Any]) -> dict[str, Any]:
    """A thing that is carried, by its definition ``of``."""
    def by_hand(key: str) -> str:
        return text(numbers.by_hand(BY_HAND[key], text(carried, "id")))

    kind = text(of, "filterType").lower()
    weight = at(of, "weight")
    weighs = type(weight) in {int, float} and 0 < weight < MOST
    own = by_hand("name")
    return {"name": own or text(of, "name"), "aliases": [text(of, "name")] if own else [],
            "kind": kind if kind in {"weapon", "armor"} else "item",
            "quantity": 1 if carried.get("quantity") is None else amount(carried, "quantity"),
            "weight": weight / max(1, number(of, "bundleSize") or 1) if weighs else None,
            "rarity": text(of, "rarity").lower(), "equipped": bool(carried.get("equipped")),
            "attuned": bool(carried.get("isAttuned")) if of.get("canAttune") else None,
            "description": "\n\n".join(filter(None, (
                _limited(numbers, carried).strip(), words(numbers, of, "description"),
                text(carried, "notes"), by_hand("notes"))))}
