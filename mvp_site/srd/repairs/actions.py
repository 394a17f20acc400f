"""What a monster does: its fields against its text, which prints attack, dice and damage type."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from ..raw import Row
from ..values import Kind
from .log import Log, What

_TYPES: Final = (
    "acid|bludgeoning|cold|fire|force|lightning|necrotic|piercing|poison|psychic|radiant|slashing"
    "|thunder"
)
_TO_HIT: Final = re.compile(r"(?:Weapon|Spell) Attack: ([+−-]\d+) to hit")
_DC: Final = re.compile(r"\bDC (\d+)")
_DAMAGE: Final = re.compile(rf"(\d+)(?: ?\((\d+d\d+(?: ?[+−–-] ?\d+)?)\))? ({_TYPES}) damage")
_AVERAGE: Final = re.compile(r"\b(\d+) \((\d+)d(\d+)(?: ?([+−–-]) ?(\d+))?\)")
_BLOCKS: Final = ("special_abilities", "actions", "reactions", "legendary_actions")
_WHY: Final = "the text of the action prints it"


def repair_actions(log: Log, slug: str, row: Row) -> None:
    """Makes the fields of each action agree with its text, and its averages with its dice."""
    for block in _BLOCKS:
        for action in row.get(block, ()):
            field = f"{block} > {action['name']}"
            text = _AVERAGE.sub(_averaged, action["desc"])
            log.put(
                Kind.MONSTERS, slug, f"{field} > desc", text, What.FIGURE,
                "the average of the dice beside it, rounded down",
            )
            _attack(log, slug, field, action, text)
            _save(log, slug, field, action, text)
            for place, damage in _all_damages(action, field):
                _damage(log, slug, place, damage, text)


def _averaged(match: re.Match[str]) -> str:
    bonus = int(match[5] or 0) * (1 if match[4] in {"+", None} else -1)
    average = int(match[2]) * (int(match[3]) + 1) // 2 + bonus
    return match[0] if average == int(match[1]) else f"{average}{match[0][len(match[1]):]}"


def _attack(log: Log, slug: str, field: str, action: Row, text: str) -> None:
    match = _TO_HIT.search(text)
    if match:
        bonus = int(match[1].replace("−", "-"))
        log.put(Kind.MONSTERS, slug, f"{field} > attack_bonus", bonus, What.FIGURE, _WHY)
    elif "attack_bonus" in action:
        log.drop(
            Kind.MONSTERS, slug, f"{field} > attack_bonus", What.FIGURE,
            "the text of the action has no attack roll",
        )


def _save(log: Log, slug: str, field: str, action: Row, text: str) -> None:
    printed = {int(number) for number in _DC.findall(text)}
    if "dc" in action and len(printed) == 1 and action["dc"]["dc_value"] not in printed:
        log.put(
            Kind.MONSTERS, slug, f"{field} > dc > dc_value", printed.pop(), What.FIGURE, _WHY
        )


def _all_damages(action: Row, field: str) -> Iterator[tuple[str, Row]]:
    """The damages of an action and of what it chooses among, each with its place."""
    yield from _damages(action.get("damage", []), f"{field} > damage")
    for options, place in (
        (action.get("attack_options", {}).get("from", []), "attack_options > from"),
        (action.get("attacks", []), "attacks"),
    ):
        for position, option in enumerate(options):
            damages = option.get("damage", [])
            yield from _damages(damages, f"{field} > {place} > {position} > damage")


def _damages(damages: list[Any], field: str) -> Iterator[tuple[str, Row]]:
    for position, damage in enumerate(damages):
        if "damage_dice" in damage:
            yield f"{field} > {position}", damage
        else:
            yield from _damages(damage.get("from", []), f"{field} > {position} > from")


def _damage(log: Log, slug: str, field: str, damage: Row, text: str) -> None:
    printed = {(_dice(dice or plain), name) for plain, dice, name in _DAMAGE.findall(text)}
    dice, name = _dice(damage["damage_dice"]), damage["damage_type"]["index"]
    if (dice, name) in printed:
        return
    types = {other for amount, other in printed if amount == dice}
    amounts = {amount for amount, other in printed if other == name}
    foreign = dice not in _dice(text) and name not in text.lower()
    if foreign and len(printed) == 1:
        ((amount, other),) = printed  # the only damage that the text prints
        _put(log, slug, field, amount, other)
    elif len(types) == 1:
        _put(log, slug, field, dice, types.pop())
    elif len(amounts) == 1:
        _put(log, slug, field, amounts.pop(), name)


def _put(log: Log, slug: str, field: str, dice: str, name: str) -> None:
    kind = log.tables[Kind.DAMAGE_TYPES][name]
    now = {key: kind[key] for key in ("index", "name", "url")}
    log.put(Kind.MONSTERS, slug, f"{field} > damage_type", now, What.REFERENCE, _WHY)
    log.put(Kind.MONSTERS, slug, f"{field} > damage_dice", dice, What.FIGURE, _WHY)


def _dice(text: str) -> str:
    return text.replace(" ", "").replace("−", "-").replace("–", "-")
