"""Cells of the data in the form of the values that records are made of.

Each function gives plain data, which ``reader`` converts and so checks; an empty cell gives None or
nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any, Final

from .raw import Row
from .values import Paragraphs

_RULE: Final = re.compile(r"\|[\s:|-]*-[\s:|-]*\|")
_NUMBERED: Final = re.compile(r"\d+\. ")


def paragraphs(text: str | Iterable[str] | None) -> Paragraphs:
    """Text in Markdown blocks: each line a paragraph, neighbouring rows and items one block."""
    texts = [text] if isinstance(text, str) else text or ()
    lines = [line.strip() for part in texts for line in part.split("\n")]
    blocks: list[str] = []
    form, fresh = "", True
    for line, following in pairwise([*lines, ""]):
        if not line:
            fresh = True
            continue
        kind = _form(line)
        # A row above a rule opens a table, even right behind another.
        opens = kind == "|" and _RULE.fullmatch(following) is not None
        if kind and kind == form and not opens and not (fresh and kind == "1"):
            blocks[-1] += "\n" + line
        else:
            blocks.append(line)
        form, fresh = kind, False
    return tuple(blocks)


def blocks(markdown: str) -> Paragraphs:
    """Markdown at its blank lines, the lines of a block as they are."""
    return tuple(block.strip("\n") for block in re.split(r"\n\s*\n", markdown) if block.strip())


def _form(line: str) -> str:
    if line.startswith("|"):
        return "|"
    if line.startswith(("- ", "* ")):
        return "-"
    return "1" if _NUMBERED.match(line) else ""


def damage(cell: Row | None) -> Row | None:
    """Dice and type of a weapon's or an action's damage."""
    if not cell or "damage_dice" not in cell:
        return None
    return {"dice": cell["damage_dice"].replace(" ", ""), "type": cell.get("damage_type")}


def save(cell: Row | None) -> Row | None:
    """A saving throw."""
    if not cell:
        return None
    success = cell.get("dc_success", cell.get("success_type"))
    return {"ability": cell["dc_type"], "half": success == "half", "dc": cell.get("dc_value")}


def area(cell: Row | None) -> Row | None:
    """An area of effect."""
    return {"shape": cell["type"], "size": cell["size"]} if cell else None


def passage(cell: Row) -> Row:
    """A text under its name."""
    return {"name": cell["name"], "text": paragraphs(cell["desc"])}


def ability_values(cells: Iterable[Row]) -> list[Row]:
    """Bonuses or least scores, in the data's order."""
    return [
        {"ability": cell["ability_score"], "value": cell.get("bonus", cell.get("minimum_score"))}
        for cell in cells
    ]


def amounts(cells: Iterable[Row] | None) -> list[Row]:
    """So many of each: ``{"equipment" or "item": …, "quantity": …}``."""
    return [
        {"ref": cell.get("equipment") or cell["item"], "quantity": cell["quantity"]}
        for cell in cells or ()
    ]


def choice(cell: Row | None) -> Row | None:
    """A choice among references, in either of the data's two forms."""
    if not cell:
        return None
    options = cell["from"]
    if isinstance(options, dict):
        options = [option["item"] for option in options["options"]]
    flat = [o["ability_score"] if isinstance(o, dict) else o for o in options]
    return {"count": cell["choose"], "options": flat}


def equipment_choices(cells: Iterable[Row]) -> list[Row]:
    """Choices of starting equipment, in the data's order."""
    return [
        {"count": cell["choose"], "options": [_option(option) for option in cell["from"]]}
        for cell in cells
    ]


def _option(cell: Row) -> Row:
    # An option of several things holds them under "0", "1" and so on.
    parts = [cell[key] for key in sorted(cell) if key.isdigit()] or [cell]
    categories = []
    for part in parts:
        if "equipment_option" in part:
            chosen = part["equipment_option"]
            category = chosen["from"]["equipment_category"]
            categories.append({"ref": category, "quantity": chosen["choose"]})
        elif "equipment_category" in part:
            categories.append({"ref": part["equipment_category"]})
    asked = [item["proficiency"] for item in cell.get("prerequisites", ())]
    return {
        "items": amounts(part for part in parts if "equipment" in part),
        "categories": categories,
        "proficiency": asked[0] if asked else None,
    }


def number(cell: Any) -> int:
    """The first number of a printed length (``30 ft.``), 0 for an empty cell."""
    match = re.match(r"\d+", str(cell or "0"))
    return int(match[0]) if match else 0


def filled(default: Any) -> Callable[[Any], Any]:
    """A form with ``default`` for an empty cell."""
    return lambda cell: default if cell is None else cell


def each(form: Callable[[Any], Any]) -> Callable[[Any], list[Any]]:
    """The form of a list whose elements have that form."""
    return lambda cells: [form(cell) for cell in cells or ()]
