"""Documents of Foundry's dnd5e system, in the shape of today (``system``) and before (``data``).

What a document says is found in its own keys: nothing is derived by Foundry in an export, so that
armor class, hit points and bonuses are worked out here by the rules of 2014.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from lxml import etree

from ..text.reserved import opens_reserved
from ..text.shipped import shipped_tables
from ..text.vocabulary import ABILITIES
from .export_fields import at, number, text

FOUNDRY: Final[dict[str, Any]] = shipped_tables(__package__, "foundry.toml")
SHORT: Final = {name[:3]: name.capitalize() for name in ABILITIES}
"""The abilities by their keys."""
ITEMS: Final = frozenset({"weapon", "equipment", "consumable", "tool", "loot", "container",
                          "backpack"})
"""The types of documents that are things."""
_LINK: Final = re.compile(r"@\w+\[([^\[\]]*)\](?:\{([^{}]*)\})?")
_REFERENCE: Final = re.compile(
    r"&(?:amp;)?Reference\[(?:\w+=)?([^\[\]\s]+)[^\[\]]*\](?:\{([^{}]*)\})?")
_ROLL: Final = re.compile(r"\[\[/?(?:r|roll|damage|save|check|skill|attack|gmroll|heal)?\s*"
                          r"([^\[\]]*)\]\](?:\{([^{}]*)\})?")
_HEAVIEST: Final = 10**6
_DIE: Final = re.compile(r"\s*@(?:mod|abilities\.\w+\.mod|prof)\b|\s*[+-]\s*@[\w.]+|\[\w+\]")


def system(record: Any) -> Mapping[str, Any]:
    """What the rules' system says of a document; empty for what is no document."""
    entry = record.get("system", record.get("data")) if isinstance(record, Mapping) else None
    return entry if isinstance(entry, Mapping) else {}


def is_actor(record: Any, *types: str) -> bool:
    """Whether a value is an actor of one of these types."""
    return bool(isinstance(record, Mapping) and record.get("type") in types
                and {"attributes", "abilities"} & system(record).keys())


def prose(value: Any, *path: str) -> str:
    """The text at ``path`` without marks and secrets, links as their labels."""
    public = _plain(_parted(_raw(value, *path))[0])
    return "\n\n".join(part for part in public.split("\n\n") if not opens_reserved(part))


def secrets(value: Any, *path: str) -> str:
    """What of a text stands in sections for the game master, or behind a label that says so."""
    public, hidden = _parted(_raw(value, *path))
    return "\n\n".join([*map(_plain, hidden), *filter(opens_reserved,
                                                      _plain(public).split("\n\n"))])


def _parted(markup: str) -> tuple[str, list[str]]:
    """The markup without what is secret and not revealed, and that."""
    if "secret" not in markup.lower():
        return markup, []
    root = etree.fromstring(f"<div>{markup}</div>", etree.HTMLParser())
    hidden: list[str] = []
    while (element := next(filter(_is_secret, root.iter("*")), None)) is not None:
        gap = etree.Element("p")
        gap.tail, element.tail = element.tail, None
        above: Any = element.getparent()
        above.replace(element, gap)
        hidden.append(etree.tostring(element, encoding="unicode", method="html"))
    return etree.tostring(root, encoding="unicode", method="html"), hidden


def _is_secret(element: Any) -> bool:
    classes = element.get("class", "").lower().split()
    return "secret" in classes and "revealed" not in classes


def _raw(value: Any, *path: str) -> str:
    entry = at(value, *path)
    return entry if isinstance(entry, str) else ""


def _plain(markup: str) -> str:
    markup = _LINK.sub(lambda link: link[2] or link[1].rpartition(".")[2], markup)
    markup = _REFERENCE.sub(lambda link: link[2] or link[1], markup)
    return text({"": _ROLL.sub(lambda roll: roll[2] or roll[1], markup)}, "")


def listed(value: Any, *path: str) -> list[str]:
    """The names that a trait has chosen or written: ``{"value": [...], "custom": "a; b"}``."""
    trait = at(value, *path)
    chosen = trait.get("value") if isinstance(trait, Mapping) else trait
    names = [str(name).capitalize() for name in chosen if name] if isinstance(chosen, list) else []
    return [*names, *filter(None, map(str.strip, text(trait, "custom").split(";")))]


def tags(of: Mapping[str, Any]) -> set[str]:
    """The properties of an item, of both shapes."""
    marks = of.get("properties")
    if isinstance(marks, Mapping):
        return {str(key) for key, is_set in marks.items() if is_set}
    return {str(mark) for mark in marks} if isinstance(marks, list) else set()


def dice_of(part: Any) -> tuple[str, str]:
    """The dice and the kind of a part of damage: ``["1d8 + @mod", "fire"]``, or an object."""
    if isinstance(part, list) and part:
        return _DIE.sub("", str(part[0])).strip(), str(part[1]) if part[1:] else ""
    if not isinstance(part, Mapping):
        return "", ""
    kinds = part.get("types")
    kind = " or ".join(map(str, kinds)) if isinstance(kinds, list) else ""
    custom = at(part, "custom", "formula")
    if at(part, "custom", "enabled") and isinstance(custom, str):
        return _DIE.sub("", custom).strip(), kind
    count, faces = number(part, "number"), number(part, "denomination")
    bonus = _DIE.sub("", text(part, "bonus")).strip()
    dice = f"{count}d{faces}" if count and faces else ""
    return " + ".join(filter(None, (dice, bonus))), kind


def damage_of(of: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The dice and kinds of damage of an item, of all shapes, those of its activities included."""
    parts = at(of, "damage", "parts")
    base = at(of, "damage", "base")
    activities = of.get("activities")
    more = [part for activity in (activities.values() if isinstance(activities, Mapping) else ())
            for part in (at(activity, "damage", "parts") or ())]
    for part in (*([base] if base else ()), *(parts if isinstance(parts, list) else ()), *more):
        if (dice := dice_of(part))[0]:
            yield dice


def weight_of(of: Mapping[str, Any]) -> float | None:
    """What one of an item weighs in pounds, if it says so."""
    weight = at(of, "weight")
    weight = at(weight, "value") if isinstance(weight, Mapping) else weight
    weighs = isinstance(weight, (int, float)) and 0 < weight < _HEAVIEST
    return weight if weighs else None


def uses_of(of: Mapping[str, Any]) -> tuple[str, int | None]:
    """How often something can be used, as "3 per long rest", and how often still."""
    most = number(of, "uses", "max") or (int(value) if (
        value := text(of, "uses", "max")).isdecimal() else 0)
    recovery = at(of, "uses", "recovery")
    period = text(of, "uses", "per") or text(
        recovery[0] if isinstance(recovery, list) and recovery else None, "period")
    if not most:
        return "", None
    remaining = number(of, "uses", "value")
    spent = number(of, "uses", "spent")
    if remaining is None and spent is not None:
        remaining = max(0, most - spent)
    per = FOUNDRY["periods"].get(period, period)
    return f"{most}{f' per {per}' if per else ''}", remaining
