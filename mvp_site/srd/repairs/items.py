"""Things: each filed under one type, with the SRD's price, weight and damage."""

from __future__ import annotations

from typing import Any, Final

from ..raw import Row
from ..values import COPPER, Kind
from .log import Log, What

_TABLE: Final = "the SRD's table"
_NO_PRICE: Final = frozenset(
    {
        "alms-box", "block-of-incense", "censer", "little-bag-of-sand", "small-knife",
        "string-10-feet", "vestments",
    }
)  # fmt: skip
_TOOLS: Final = ("disguise-kit", "forgery-kit", "herbalism-kit", "poisoners-kit")
# (type, slug, field, the SRD's figure, why)
_FIGURES: Final = (
    (Kind.WEAPONS, "blowgun", "damage > damage_dice", "1", f"{_TABLE} prints no die"),
    (Kind.EQUIPMENT, "caltrops", "cost", {"quantity": 1, "unit": "gp"}, f"{_TABLE}: a bag of 20"),
    (Kind.EQUIPMENT, "saddle-exotic", "weight", 40, _TABLE),
    (Kind.EQUIPMENT, "spike-iron", "weight", 0.5, f"{_TABLE}: ten weigh 5 lb."),
)
_BARDING: Final = "barding-"
_MEMBERS: Final = (Kind.WEAPONS, Kind.ARMOR, Kind.EQUIPMENT, Kind.MAGIC_ITEMS)


def repair_filing(log: Log) -> None:
    """Leaves every thing under one type: weapon, armor, magic item, or else equipment."""
    for kind in (Kind.ARMOR, Kind.WEAPONS):
        for slug in list(log.tables[kind]):
            if slug in log.tables[Kind.MAGIC_ITEMS]:
                log.drop(kind, slug, "", What.FILED, "it is a magic item, and stands there too")
            elif _worthless(log.tables[kind][slug]) and slug not in log.tables[Kind.EQUIPMENT]:
                log.drop(
                    kind, slug, "", What.JUNK,
                    "no item of the SRD: it has no price, no weight, no entry under equipment",
                )
    for kind in (Kind.ARMOR, Kind.WEAPONS):
        for slug in log.tables[kind]:
            log.drop(
                Kind.EQUIPMENT, slug, "", What.FILED,
                f"it is {'armor' if kind is Kind.ARMOR else 'a weapon'}, and stands there too",
            )
    for slug in list(log.tables[Kind.MAGIC_ITEMS]):
        plain = slug.replace("(", "").replace(")", "")
        if plain != slug:
            _rename(log, slug, plain)


def repair_items(log: Log) -> None:
    """Repairs prices, weights and damage, and then the members of each category."""
    for kind, slug, field, figure, why in _FIGURES:
        log.put(kind, slug, field, figure, What.FIGURE, why)
    _trident(log)
    for slug in sorted(_NO_PRICE):
        log.put(
            Kind.EQUIPMENT, slug, "cost", None, What.FIGURE,
            "the SRD gives it no price: it comes in a pack",
        )
    for slug in _TOOLS:
        _tool(log, slug)
    for slug, row in log.tables[Kind.EQUIPMENT].items():
        if slug.startswith(_BARDING):
            _barding(log, slug, row)
    for slug, row in log.tables[Kind.PROFICIENCIES].items():
        if row["type"] == "Artisan's Tools" and not _is_artisans(log, row):
            log.put(
                Kind.PROFICIENCIES, slug, "type", "Other", What.REFERENCE,
                "the category of artisan's tools does not have it",
            )
    for slug, row in log.tables[Kind.EQUIPMENT_CATEGORIES].items():
        _members(log, slug, row)


def _rename(log: Log, slug: str, plain: str) -> None:
    why = "a slug has no brackets"
    log.rename(Kind.MAGIC_ITEMS, slug, plain, What.REFERENCE, why)
    for category, holder in log.tables[Kind.EQUIPMENT_CATEGORIES].items():
        for position, member in enumerate(holder["equipment"]):
            if member["index"] == slug:
                field = f"equipment > {position}"
                url = member["url"].replace(slug, plain)
                now = {**member, "index": plain, "url": url}
                log.put(Kind.EQUIPMENT_CATEGORIES, category, field, now, What.REFERENCE, why)


def _worthless(row: Row) -> bool:
    return bool(row["cost"]["quantity"] == 0 and row["weight"] == 0)


def _trident(log: Log) -> None:
    piercing = log.tables[Kind.DAMAGE_TYPES]["piercing"]
    reference = {key: piercing[key] for key in ("index", "name", "url")}
    for field in ("damage", "two_handed_damage"):
        log.put(
            Kind.WEAPONS, "trident", f"{field} > damage_type", reference, What.REFERENCE, _TABLE
        )


def _tool(log: Log, slug: str) -> None:
    tools = log.tables[Kind.EQUIPMENT_CATEGORIES]["tools"]
    reference = {key: tools[key] for key in ("index", "name", "url")}
    why = "the SRD's table of tools has it"
    log.put(Kind.EQUIPMENT, slug, "equipment_category", reference, What.FILED, why)
    log.drop(Kind.EQUIPMENT, slug, "gear_category", What.FILED, why)
    log.put(Kind.EQUIPMENT, slug, "tool_category", "Other Tools", What.FILED, why)


def _barding(log: Log, slug: str, row: Row) -> None:
    name = slug.removeprefix(_BARDING)
    armor = log.tables[Kind.ARMOR].get(name) or log.tables[Kind.ARMOR].get(f"{name}-armor")
    if armor is None:
        return
    copper = 4 * armor["cost"]["quantity"] * COPPER[armor["cost"]["unit"]]
    unit = row["cost"]["unit"]
    cost = {"quantity": copper // COPPER[unit], "unit": unit}
    log.put(Kind.EQUIPMENT, slug, "cost", cost, What.FIGURE, "barding costs four times the armor")
    log.put(
        Kind.EQUIPMENT, slug, "weight", 2 * armor["weight"], What.FIGURE,
        "barding weighs twice the armor",
    )


def _is_artisans(log: Log, proficiency: Row) -> bool:
    members = log.tables[Kind.EQUIPMENT_CATEGORIES]["artisans-tools"]["equipment"]
    return any(member["index"] == proficiency["reference"]["index"] for member in members)


def _members(log: Log, slug: str, row: Row) -> None:
    named: dict[str, Any] = {member["index"]: member for member in row["equipment"]}
    present = {index for kind in _MEMBERS for index in log.tables[kind]}
    for kind in _MEMBERS:
        for index, item in log.tables[kind].items():
            categories = {
                item[field]["index"]
                for field in ("equipment_category", "gear_category") if field in item
            }
            names = {item.get("vehicle_category"), item.get("tool_category")}
            if slug in categories or row["name"] in names:
                named.setdefault(index, {key: item[key] for key in ("index", "name", "url")})
    if slug in {"kits", "adventuring-gear"}:
        named = {index: member for index, member in named.items() if index not in _TOOLS}
    members = [named[index] for index in named if index in present]
    log.put(
        Kind.EQUIPMENT_CATEGORIES, slug, "equipment", members, What.REFERENCE,
        "each member once: all that name the category, and nothing that is not there",
    )
