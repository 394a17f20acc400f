"""What a D&D Beyond character has and can do: attacks, actions, features, spells, items."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from .export_fields import MOST, amount, at, definition, number, rows, text
from .export_numbers import BY_HAND, TABLES, Numbers, is_active

Value = Callable[[str], float | str | None]
"""What a name in a template stands for, as ``modifier:dex``; None for a name that is unknown."""
_TEMPLATE: Final = re.compile(r"((?:\d{0,3}d\d{1,3}|\+)\s?)?\{\{([^{}]*)\}\}")
_TAG: Final = re.compile(r"\[([a-z][a-z-]{0,30})\](.{0,600}?)\[/\1\]", re.IGNORECASE | re.DOTALL)
_NAME: Final = re.compile(r"[a-z]+(?::[a-z]{3}(?:,[a-z]{3})*)?")
_SIGNED: Final = re.compile(r"(?:modifier|spellattack):[a-z]{3}|proficiency")
_UNKNOWN: Final = "…"
_GENERAL: Final = re.compile(str(TABLES["general"]), re.IGNORECASE)
_TIMES: Final = {1: "actions", 3: "bonus_actions", 4: "reactions"}
_RESETS: Final = {1: "short rest", 2: "long rest", 3: "day"}


def words(numbers: Numbers, row: Mapping[str, Any], *keys: str, level: int = 0,
          uses: int = 0, scale: str = "") -> str:
    """The first text of ``keys`` that ``row`` has, its templates filled."""
    markup = next(filter(None, (text(row, key) for key in keys)), "")
    return _unmarked(markup, partial(numbers.value, level=level, uses=uses, scale=scale))


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
        # Those whose subclass alone casts know their spells.
        knows = ("spellPrepareType" in of and of["spellPrepareType"] is None) or (
            of.get("canCastSpells") is False and bool(sub.get("canCastSpells")))
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
    def by_hand(key: str) -> str:  # of a thing of the player's own it is another's of the same id
        return "" if carried is of else text(numbers.by_hand(BY_HAND[key], text(carried, "id")))

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


def attacks(numbers: Numbers) -> list[dict[str, Any]]:
    """Attacks with what is put on and hits, then those that the sheet shows among them."""
    struck = [*rows(numbers.data, "actions"), *rows(numbers.data, "customActions")]
    return [
        *(_weapon(numbers, item, of) for item, of in numbers.items if item.get("equipped") and (
            text(of, "filterType").lower() == "weapon" or definition(of, "damage")
            or item.get("displayAsAttack"))),
        *(_strike(numbers, action) for action in struck if action.get("displayAsAttack")),
    ]


def _weapon(numbers: Numbers, item: Mapping[str, Any], of: Mapping[str, Any]) -> dict[str, Any]:
    def by_hand(key: str) -> Any:
        return numbers.by_hand(BY_HAND[key], text(item, "id"))

    tags = {text(tag, "name").lower(): text(tag, "notes") for tag in rows(of, "properties")}
    ranged = number(of, "attackType") == 2
    monk = any(text(kind, "definition", "name") == "Monk" for kind in numbers.classes)
    ability = numbers.mod(2 if ranged else 1)
    if "finesse" in tags or (monk and of.get("isMonkWeapon")):
        ability = max(numbers.mod(1), numbers.mod(2))
    if by_hand("hexed"):
        ability = numbers.mod(6)
    # What has to be attuned and is not is still a weapon, without its magic.
    plus = ability + sum(
        number(row, "value") or 0 for row in rows(of, "grantedModifiers")
        if is_active(item, of) and (row.get("type"), row.get("subType")) == ("bonus", "magic"))
    sort = {1: "simple-weapons", 2: "martial-weapons"}.get(number(of, "categoryId") or 0, "")
    kind = re.sub(r"\W+", "-", (text(of, "type") or text(of, "name")).lower())
    trained = by_hand("pact") or numbers.of("proficiency", sort, kind)
    styles = [f"{'ranged' if ranged else 'melee'}-weapon-attacks"]
    if not ranged and "two-handed" not in tags:
        styles.append("one-handed-melee-attacks")
    near, far = text(of, "range"), text(of, "longRange")
    return {
        "name": text(by_hand("name")) or text(of, "name"),
        "description": ", ".join(f"{tag} ({note})" if note else tag
                                 for tag, note in sorted(tags.items())),
        "bonus": plus + (numbers.bonus if trained else 0) + numbers.total("bonus", *styles)
        + (number(by_hand("attack")) or 0),
        "range": f"{near}/{far} ft." if far and far != near else f"{near or 5} ft.",
        "damage": _damage(
            text(of, "damage", "diceString"), number(of, "fixedDamage"),
            plus + numbers.total("damage", *styles) + (number(by_hand("damage")) or 0),
            text(of, "damageType").lower()),
    }


def _strike(numbers: Numbers, action: Mapping[str, Any]) -> dict[str, Any]:
    """An attack that is no weapon: a monk's, a claw, one that is written by hand."""
    ability = number(action, "abilityModifierStatId") or number(action, "statId")
    plus = numbers.mod(ability or 0)
    if action.get("isMartialArts"):
        ability, plus = ability or 1, max(numbers.mod(1), numbers.mod(2))
    bonus = number(action, "fixedToHit")
    if bonus is None and ability:
        bonus = plus + (numbers.bonus if action.get("isProficient") else 0) + (
            number(action, "toHitBonus") or 0)
    dice = text(action, "dice", "diceString")
    if not dice and number(action, "diceCount") and number(action, "diceType"):
        dice = f"{number(action, 'diceCount')}d{number(action, 'diceType')}"
    kind = dict(enumerate(TABLES["damage"])).get(number(action, "damageTypeId") or 0, "")
    reach = number(action, "range", "range")
    return {
        "name": text(action, "name"), "bonus": bonus, "range": f"{reach} ft." if reach else "",
        "damage": _damage(dice, number(action, "value") or number(action, "fixedValue"),
                          plus + (number(action, "damageBonus") or 0), kind),
    }


def _damage(dice: str, fixed: int | None, plus: int, kind: str) -> str:
    """Damage as "1d8+3 slashing"; a fixed one has in it what is added; '' where there is none."""
    if dice:
        return f"{dice}{f'{plus:+d}' if plus else ''} {kind}".strip()
    return f"{max(0, fixed + plus)} {kind}".strip() if fixed else ""


def _unmarked(text: str, value: Value) -> str:
    """``text`` without templates and tags; what cannot be worked out is an ellipsis."""
    text = _TEMPLATE.sub(lambda match: _filled(match[1] or "", match[2], value), text)
    # A tag has what is meant before what is shown, but for dice, which have their roll behind it.
    return _TAG.sub(lambda match: match[2].split(";{")[0].rpartition(";")[2].strip(), text)


def _filled(before: str, template: str, value: Value) -> str:
    """The value of a template with the die or the plus that stands before it."""
    expression, _, rest = template.lower().replace(" ", "").partition("@")
    expression, _, form = expression.partition("#")
    result = value(expression) if _NAME.fullmatch(expression) else None
    if isinstance(result, str):
        return before + result
    if result is None:
        result = _worked_out(expression, value)
    if result is None:
        return before + _UNKNOWN
    up = False
    for kind, limit, rounding in re.findall(r"(min|max):(-?\d+)|(roundup)", rest):
        up = up or bool(rounding)
        if kind:
            result = (max if kind == "min" else min)(result, int(limit))
    whole = math.ceil(result) if up else math.floor(result)
    form += rest
    if "unsigned" in form or "+" in before or not (
            "signed" in form or _SIGNED.fullmatch(expression)):
        return f"{before}{whole}"
    return f"{before.strip()} {'-' if whole < 0 else '+'} {abs(whole)}" if before else f"{whole:+d}"


def _worked_out(expression: str, value: Value) -> float | None:
    """The number that sums, products and names in brackets make; None where one is not known."""
    names = {name: value(name) for name in _NAME.findall(expression)}
    if len(expression) > 120 or not all(
            isinstance(name, (int, float)) for name in names.values()):
        return None
    try:
        tree = ast.parse(_NAME.sub(lambda name: f"({names[name[0]]})", expression), mode="eval")
        return _sum(tree.body)
    except (SyntaxError, ValueError, ZeroDivisionError):
        return None


def _sum(node: ast.AST) -> float:
    """Raises ValueError for what is no arithmetic."""
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_sum(node.operand)
    if isinstance(node, ast.BinOp):
        left, right = _sum(node.left), _sum(node.right)
        for operator, result in ((ast.Add, left + right), (ast.Sub, left - right),
                                 (ast.Mult, left * right)):
            if isinstance(node.op, operator):
                return result
        if isinstance(node.op, ast.Div):
            return left / right
    raise ValueError
