"""Spells: class lists, figures, and fields against the text."""

from __future__ import annotations

import re
from typing import Any, Final

from ..raw import Row
from ..values import Kind
from .classes import reference
from .log import Log, What

_LISTS: Final = "the SRD's spell lists"
# (spell, classes that the SRD's lists have it under)
_CLASSES: Final = (
    ("animal-friendship", ("bard", "druid", "ranger")),
    ("arcane-eye", ("wizard",)),
    ("create-food-and-water", ("cleric", "paladin")),
    ("divination", ("cleric",)),
    ("faerie-fire", ("bard", "druid")),
    ("find-the-path", ("bard", "cleric", "druid")),
    ("guardian-of-faith", ("cleric",)),
    ("hunters-mark", ("ranger",)),
    ("meld-into-stone", ("cleric", "druid")),
    ("poison-spray", ("druid", "sorcerer", "warlock", "wizard")),
)
_PRINTED: Final = "the SRD's entry"
# (spell, field, what the SRD prints)
_FIELDS: Final = (
    ("glyph-of-warding", "duration", "Until dispelled or triggered"),
    ("plant-growth", "casting_time", "1 action or 8 hours"),
    ("symbol", "duration", "Until dispelled or triggered"),
)
# Areas given as squares of feet, or as all that several small cubes may cover.
_NOT_EDGES: Final = ("forbiddance", "guards-and-wards", "mirage-arcane")
_ABILITIES: Final = {
    "strength": "str", "dexterity": "dex", "constitution": "con", "intelligence": "int",
    "wisdom": "wis", "charisma": "cha",
}  # fmt: skip
_MUST_SAVE: Final = re.compile(
    r"must (?:\w+ )?(?:make|succeed on|attempt) an? (\w+) saving throw", re.IGNORECASE
)
_HALF: Final = re.compile(r"half (?:as much|the) damage", re.IGNORECASE)
_ATTACK: Final = re.compile(r"\b(melee|ranged) spell attack", re.IGNORECASE)
# (spell, where its table begins and ends, heading): rows that stand as loose paragraphs
_TABLES: Final = (
    ("creation", 2, 12, ("Material", "Duration")),
    ("reincarnate", 2, 30, ("d100", "Race")),
)
_HEADING_LENGTH: Final = 40
_SCRYING: Final = re.compile(r"(.+) ([+-]\d+)")


def repair_spells(log: Log) -> None:
    """Repairs every spell."""
    classes = log.tables[Kind.CLASSES]
    for slug, names in _CLASSES:
        now = [reference(classes[name]) for name in names]
        log.put(Kind.SPELLS, slug, "classes", now, What.REFERENCE, _LISTS)
    for slug, field, text in _FIELDS:
        log.put(Kind.SPELLS, slug, field, text, What.FIGURE, _PRINTED)
    log.put(
        Kind.SPELLS, "hellish-rebuke", "damage > damage_at_slot_level",
        {str(level): f"{level + 1}d10" for level in range(1, 10)}, What.INCOMPLETE,
        "the SRD adds 1d10 for each slot level above 1st",
    )
    log.put(
        Kind.SPELLS, "fire-storm", "area_of_effect > size", 10, What.FIGURE,
        "the text's cubes are of 10 feet",
    )
    for slug in _NOT_EDGES:
        log.drop(
            Kind.SPELLS, slug, "area_of_effect", What.FIGURE,
            "the figure is a surface or a mile, not the edge of a cube in feet",
        )
    given = _given_by_subclasses(log)
    for slug, row in log.tables[Kind.SPELLS].items():
        _subclasses(log, slug, row, given.get(slug, []))
        _save(log, slug, row)
        _attack(log, slug, row)
    _tabulate(log)


def _given_by_subclasses(log: Log) -> dict[str, list[Any]]:
    given: dict[str, list[Any]] = {}
    for row in log.tables[Kind.SUBCLASSES].values():
        for spell in dict.fromkeys(entry["spell"]["index"] for entry in row.get("spells", ())):
            given.setdefault(spell, []).append(reference(row))
    return given


def _subclasses(log: Log, slug: str, row: Row, given: list[Any]) -> None:
    if {s["index"] for s in row["subclasses"]} != {s["index"] for s in given}:
        log.put(
            Kind.SPELLS, slug, "subclasses", given, What.REFERENCE,
            "the subclasses whose own lists give the spell",
        )


def _save(log: Log, slug: str, row: Row) -> None:
    if "dc" in row:
        return
    text = " ".join(row["desc"])
    asked = {name.lower() for name in _MUST_SAVE.findall(text)} & set(_ABILITIES)
    if len(asked) != 1:
        return
    ability = _ABILITIES[asked.pop()]
    scores = log.tables[Kind.ABILITY_SCORES]
    half = "half" if _HALF.search(text) else "none"
    dc = {"dc_type": reference(scores[ability]), "dc_success": half}
    log.put(
        Kind.SPELLS, slug, "dc", dc, What.MISSING, "the text asks for one kind of saving throw"
    )


def _attack(log: Log, slug: str, row: Row) -> None:
    manners = {manner.lower() for manner in _ATTACK.findall(" ".join(row["desc"]))}
    if len(manners) == 1:
        log.put(
            Kind.SPELLS, slug, "attack_type", manners.pop(), What.FIGURE,
            "the text's spell attack",
        )
    elif not manners and "attack_type" in row:
        log.drop(
            Kind.SPELLS, slug, "attack_type", What.FIGURE, "the text asks for no spell attack"
        )


def _tabulate(log: Log) -> None:
    why = "the rows of a table stand as loose lines"
    for slug, first, last, heading in _TABLES:
        desc = log.tables[Kind.SPELLS][slug]["desc"]
        cells = desc[first:last]
        if cells and not any(cell.startswith("|") for cell in cells):
            table = _table(heading, list(zip(cells[::2], cells[1::2], strict=True)))
            now = [*desc[:first], table, *desc[last:]]
            log.put(Kind.SPELLS, slug, "desc", now, What.DEBRIS, why)
    desc = log.tables[Kind.SPELLS]["scrying"]["desc"]
    log.put(Kind.SPELLS, "scrying", "desc", _scrying(desc), What.DEBRIS, why)


def _scrying(desc: list[str]) -> list[str]:
    """The text with each "A & B" and the lines after it that end in a modifier as a table."""
    now: list[str] = []
    rows: list[tuple[str, str]] = []
    head: tuple[str, str] | None = None
    for text in [*desc, ""]:
        match = _SCRYING.fullmatch(text)
        if head and match:
            rows.append((match[1], match[2]))
            continue
        if head:
            now.append(_table(head, rows))
            rows, head = [], None
        if " & " in text and len(text) < _HEADING_LENGTH:
            left, right = text.split(" & ")
            head = (left, right)
        elif text:
            now.append(text)
    return now


def _table(heading: tuple[str, str], rows: list[tuple[str, str]]) -> str:
    lines = [heading, ("---", "---"), *rows]
    return "\n".join(f"| {left} | {right} |" for left, right in lines)
