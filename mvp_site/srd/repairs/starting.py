"""What a character starts with: choices of proficiency and equipment against the SRD's."""

from __future__ import annotations

from typing import Any, Final

from ..values import Kind
from .classes import reference
from .log import Log, What

_LIST: Final = "the SRD's list"
_SIMPLE_MELEE: Final = "simple-melee-weapons"
# (class, which choice, which of its options): "any simple weapon" where the SRD says melee
_MELEE: Final = (("druid", 1, 1), ("paladin", 1, 1))


def repair_starting(log: Log) -> None:
    """Repairs the choices of classes, and the gold of the background."""
    melee = log.tables[Kind.EQUIPMENT_CATEGORIES][_SIMPLE_MELEE]
    for slug, choice, option in _MELEE:
        field = (
            f"starting_equipment_options > {choice} > from > {option} > equipment_option > from"
            " > equipment_category"
        )
        log.put(
            Kind.CLASSES, slug, field, reference(melee), What.REFERENCE,
            f"{_LIST}: any simple melee weapon",
        )
    log.put(
        Kind.CLASSES, "wizard", "starting_equipment_options > 2 > from > 1 > equipment",
        reference(log.tables[Kind.EQUIPMENT]["explorers-pack"]), What.REFERENCE,
        f"{_LIST}: a scholar's pack or an explorer's pack",
    )
    _monk(log)
    log.put(
        Kind.BACKGROUNDS, "acolyte", "starting_gold", {"quantity": 15, "unit": "gp"}, What.MISSING,
        f"{_LIST}: a pouch with 15 gp",
    )


def _monk(log: Log) -> None:
    """One choice among tools and instruments; a disguise kit is neither."""
    row = log.tables[Kind.CLASSES]["monk"]
    tools = log.tables[Kind.EQUIPMENT_CATEGORIES]["artisans-tools"]["equipment"]
    artisans = {tool["index"] for tool in tools}
    skills: list[Any] = []
    options: list[Any] = []
    for choice in row["proficiency_choices"]:
        if choice["from"][0]["index"].startswith("skill-"):
            skills.append(choice)
            continue
        for option in choice["from"]:
            target = log.tables[Kind.PROFICIENCIES][option["index"]]
            wanted = target["type"] == "Musical Instruments" or target["index"] in artisans
            if wanted and option not in options:
                options.append(option)
    if options:
        one = {"choose": 1, "type": "proficiencies", "from": options}
        log.put(
            Kind.CLASSES, "monk", "proficiency_choices", [*skills, one], What.FIGURE,
            f"{_LIST}: one kind of artisan's tools or one musical instrument, not one of each",
        )
