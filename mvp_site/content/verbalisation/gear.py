"""The cards of things: weapons, armor, gear, magic items."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ...retrieval.filters import fold
from ..reading import Reading
from ..wording import a, coins, commas, enumerated, joined, natural, number, plural

_USES: Final = {
    "finesse": "finesse weapon, uses Dexterity or Strength, good for rogues and sneak attacks",
    "light": "light weapon",
    "light melee": "good for two-weapon fighting with one in each hand",
    "heavy": "heavy weapon, too big for small creatures",
    "two handed": "needs two hands",
    "versatile": "versatile, can be used with one or two hands",
    "thrown": "can be thrown",
    "reach": "reach, hits from 10 feet away",
    "ammunition": "shoots ammunition",
    "loading": "loading, one shot per action",
    "monk": "monk weapon",
    "special": "has special rules",
}
_HURTS: Final = {"bludgeoning": "blunt", "piercing": "pointed", "slashing": "bladed"}
_SORTS: Final = ("crossbow", "bow", "sword", "axe", "hammer", "club", "staff")
"""What the names of weapons end in, nearest first."""
_WORN: Final = {
    "light": "easy to move in", "medium": "", "heavy": "needs no Dexterity",
    "shield": "held in one hand",
}
_KINDS: Final = {"potion": "to drink, used up", "scroll": "to read, used up",
                 "ring": "worn on a finger"}
_WATER: Final = "waterborne"


def weapon(of: Reading) -> Iterator[str]:
    """Category and style, what it deals, what each property is good for, its range and price."""
    has = {fold(text) for text in of.texts("properties")}
    has |= {use for use in _USES if of.has(use.replace(" ", "_"))}
    style = of.lower("style")
    if style == "melee" and "light" in has:
        has.add("light melee")
    hurts = of.lower("damage_type")
    yield joined(
        a(joined(of.lower("category"), style, "weapon")), _sort(of),
        "(magic)" if of.has("magic") else "",
    )
    one_handed = style == "melee" and not has & {"two handed", "versatile"}
    yield "; ".join(
        [phrase for use, phrase in _USES.items() if use in has] + ["one-handed"] * one_handed
    )
    dice = joined(of.text("damage_dice"), hurts)
    two = of.text("two_handed_dice", " ({} with two hands)")
    if dice:
        blow = f", a {_HURTS[hurts]} weapon" if hurts in _HURTS else ""
        yield f"deals {dice} damage{two}{blow}"
    yield _range(of, has)
    yield _price(of)
    of.passed("damage_average", "two_handed_dice")


def armor(of: Reading) -> Iterator[str]:
    """Category, armor class, what it asks for, whether it is quiet, its price."""
    category = of.lower("category")
    kind = "shield" if category == "shield" else joined(category, "armor")
    yield commas(kind, _WORN.get(category, ""), "magic" if of.has("magic") else "")
    printed, base = of.text("armor_class_printed"), of.text("armor_class")
    if category == "shield":
        yield f"adds {printed or f'+{base}'} to armor class (AC)" if printed or base else ""
    elif printed or base:
        yield f"armor class (AC) {printed or base}"
    strength = of.number("strength")
    if strength:
        yield f"asks for Strength {strength:g}"
    if of.has("stealth_disadvantage"):
        yield "loud: disadvantage on Dexterity (Stealth) checks"
    elif category != "shield":
        yield "quiet, good for sneaking (Stealth)"
    yield _price(of)
    of.passed("armor_class_printed", "adds_dexterity", "max_dexterity", "stealth_disadvantage")


def equipment(of: Reading) -> Iterator[str]:
    """Category and group, what it holds, how fast and strong it is, its price."""
    category, group = of.lower("category"), of.lower("group")
    name = natural(of.text("name"))
    called = "" if name == of.text("name") else f"also called {name.lower()}"
    kind = " (" .join(dict.fromkeys(part for part in (category, group) if part))
    yield commas((f"{kind})" if "(" in kind else kind) or "a piece of equipment", called,
                 "magic" if of.has("magic") else "")
    if inside := [_counted(entry) for entry in of.entries("contents")]:
        yield f"contains {enumerated(inside)}"
    speed, capacity = of.text("speed"), of.text("capacity")
    if speed:
        yield f"travels {'on water ' if group.startswith(_WATER) else ''}at a speed of {speed}"
    if capacity:
        yield f"carries up to {capacity}"
    yield _price(of)


def magic_item(of: Reading) -> Iterator[str]:
    """What it is, how rare, whether and by whom it is attuned."""
    kind = of.lower("item_type") or "item"
    rarity = of.text("rarity_printed") or enumerated(of.texts("rarity"), "or").lower()
    of.passed("rarity", "magic")
    yield commas(joined("a", _magic(kind), of.lower("subtype", "({})")), _KINDS.get(kind, ""),
                 rarity)
    if of.has("attunement"):
        by = of.text("attunement_by", " by {}") or of.text("attunement_note", " {}")
        yield f"requires attunement{by}"
    of.passed("attunement_by", "attunement_note")
    yield _price(of)


def _magic(kind: str) -> str:
    """``wondrous magic item``, ``magic ring``."""
    if "magic" in kind:
        return kind
    head, _, last = kind.rpartition(" ")
    return joined(head, "magic", last)


def _sort(of: Reading) -> str:
    """``, a light crossbow, a kind of crossbow``: the word that a compound name hides."""
    name = natural(of.text("name"))
    turned = [a(name.lower())] if name != of.text("name") else []
    last = name.casefold().rpartition(" ")[2]
    match = next((sort for sort in _SORTS if last.endswith(sort)), "")
    phrases = [*turned, *([f"a kind of {match}"] if match not in {"", last} else [])]
    return f"({', '.join(phrases)})" if phrases else ""


def _range(of: Reading, has: set[str]) -> str:
    normal, long = of.number("range_normal"), of.number("range_long")
    if normal is None or (long is None and "thrown" not in has and "ammunition" not in has):
        return ""
    return f"range {normal:g} feet" + (f", long range {long:g} feet" if long else "")


def _counted(raw: Any) -> str:
    if isinstance(raw, dict):
        name, count = str(raw.get("name", "")), raw.get("quantity", 1)
        thing = natural(name).lower()
        return thing if count == 1 else f"{count} {plural(thing)}"
    return str(raw)


def _price(of: Reading) -> str:
    cost, weight, count = of.number("cost"), of.number("weight"), of.number("quantity")
    of.passed("quantity")
    many = f"{count:g} of them cost" if count else "costs"
    return enumerated((
        "" if cost is None else f"{many} {coins(cost)}",
        f"weighs {number(weight)} lb" if weight else "",
    ))
