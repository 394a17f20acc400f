"""What the records have in common: references that are looked up, text in blocks, dice, choices."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Any, Final

from ..raw import Row, Tables
from ..values import (
    AbilityValue,
    Amount,
    Area,
    Choice,
    Cost,
    Damage,
    Kind,
    Paragraphs,
    Ref,
    Save,
)

_URL: Final = re.compile(r"/api/(?:2014/)?([a-z-]+)/([^/]+)$")
_ITEMS: Final = (Kind.EQUIPMENT, Kind.WEAPONS, Kind.ARMOR, Kind.MAGIC_ITEMS)
_RULE: Final = re.compile(r"\|[\s:|-]*-[\s:|-]*\|")
_NUMBERED: Final = re.compile(r"\d+\. ")


class References:
    """A reference for every record, so that one in the data is known to lead somewhere.

    Every method raises ``LookupError`` for a record that is not there.
    """

    def __init__(self, tables: Tables) -> None:
        # One reference for each record, shared by all that refer to it.
        self._refs = {
            kind: {slug: Ref(kind, slug, record_name(kind, row)) for slug, row in rows.items()}
            for kind, rows in tables.items()
        }

    def to(self, kind: Kind, slug: str) -> Ref:
        """The reference to a record of a type; the four types of things stand for one another."""
        for candidate in _ITEMS if kind in _ITEMS else (kind,):
            if slug in self._refs[candidate]:
                return self._refs[candidate][slug]
        raise LookupError(f"no record {kind}/{slug}")

    def at(self, address: str) -> Ref:
        """The reference that an address of the data makes: ``/api/spells/light``."""
        match = _URL.search(address)
        if match is None:
            raise LookupError(f"no address of a record: {address}")
        return self.to(Kind(match[1]), match[2])

    def of(self, row: Row) -> Ref:
        """The reference that a cell of the data makes."""
        return self.at(row["url"])

    def all(self, rows: Iterable[Row]) -> tuple[Ref, ...]:
        """The references of a list of cells, each once, in the list's order."""
        return tuple(dict.fromkeys(self.of(row) for row in rows))

    def maybe(self, row: Row | None) -> Ref | None:
        """The reference that a cell makes, None where there is no cell."""
        return self.of(row) if row else None


def record_name(kind: Kind, row: Row) -> str:
    """The name that a record goes by: an ability's in full, another's as the data has it."""
    return str(row["full_name"] if kind is Kind.ABILITY_SCORES else row["name"]).strip()


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


def cost(cell: Row | None) -> Cost | None:
    """A price, None where there is none."""
    return Cost(int(cell["quantity"]), str(cell["unit"])) if cell else None


def damage(references: References, cell: Row | None) -> Damage | None:
    """Dice and type of a weapon's or an action's damage, None where there is none."""
    if not cell or "damage_dice" not in cell:
        return None
    kind = cell.get("damage_type")
    return Damage(str(cell["damage_dice"]).replace(" ", ""), references.of(kind) if kind else None)


def save(references: References, cell: Row | None) -> Save | None:
    """A saving throw, None where there is none."""
    if not cell:
        return None
    success = cell.get("dc_success", cell.get("success_type"))
    return Save(references.of(cell["dc_type"]), success == "half", cell.get("dc_value"))


def area(cell: Row | None) -> Area | None:
    """An area of effect, None where there is none."""
    return Area(str(cell["type"]), int(cell["size"])) if cell else None


def ability_values(references: References, cells: Iterable[Row]) -> tuple[AbilityValue, ...]:
    """Bonuses or least scores, in the data's order."""
    return tuple(
        AbilityValue(
            references.of(cell["ability_score"]),
            int(cell["bonus"] if "bonus" in cell else cell["minimum_score"]),
        )
        for cell in cells
    )


def amounts(references: References, cells: Iterable[Row]) -> tuple[Amount, ...]:
    """So many of each: ``{"equipment" or "item": …, "quantity": …}``."""
    return tuple(
        Amount(references.of(cell.get("equipment") or cell["item"]), int(cell["quantity"]))
        for cell in cells
    )


def choice(references: References, cell: Row | None) -> Choice | None:
    """A choice among references, in either of the data's two forms; None where there is none."""
    if not cell:
        return None
    options = cell["from"]
    if isinstance(options, dict):
        options = [option["item"] for option in options["options"]]
    flat = [option.get("ability_score", option) for option in options]
    return Choice(int(cell["choose"]), references.all(flat))


def number(cell: Any) -> int:
    """The first number of a printed length (``30 ft.``), 0 for an empty cell."""
    match = re.match(r"\d+", str(cell or "0"))
    return int(match[0]) if match else 0
