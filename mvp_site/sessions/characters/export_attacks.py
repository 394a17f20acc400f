"""The attacks of a D&D Beyond export: with weapons, and with what else is made to be one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from .export_fields import definition, number, rows, text
from .export_numbers import BY_HAND, TABLES, Numbers, is_active


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
