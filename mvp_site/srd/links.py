"""What rows say of one another: lists that other rows give, and references, looked up."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any, Final

from .raw import Tables
from .values import Kind, Ref

_ITEMS: Final = (Kind.EQUIPMENT, Kind.WEAPONS, Kind.ARMOR, Kind.MAGIC_ITEMS)
_ADDRESS: Final = re.compile(rf"({'|'.join(Kind)})/([^/\s]+)")


def add_lists(tables: Tables) -> None:
    """Adds to each row what other rows say of it.

    Classes and subclasses get their features, sections of rules their chapter, monsters the
    bonuses to saving throws and skills.
    """
    features = defaultdict(list)
    by_level = sorted(
        (row["level"], row["name"], slug) for slug, row in tables[Kind.FEATURES].items()
    )
    for _, _, slug in by_level:
        row = tables[Kind.FEATURES][slug]
        features[row.get("subclass", row["class"])].append(f"{Kind.FEATURES}/{slug}")
    for kind in (Kind.CLASSES, Kind.SUBCLASSES):
        for slug, row in tables[kind].items():
            row["features"] = features[f"{kind}/{slug}"]
    for slug, row in tables[Kind.RULES].items():
        for section in row["subsections"]:
            _at(tables, section)["rule"] = f"{Kind.RULES}/{slug}"
    for row in tables[Kind.MONSTERS].values():
        row.update(saves=[], skills=[])
        for cell in row["proficiencies"]:
            target = _at(tables, cell["proficiency"])["reference"]
            field = "skills" if target.startswith(Kind.SKILLS) else "saves"
            row[field].append({"ref": target, "value": cell["value"]})


class Linked:
    """Looks up addresses; there is one ``Ref`` for each record, shared by all that refer to it."""

    def __init__(self, tables: Tables) -> None:
        self._refs = {
            kind: {slug: Ref(kind, slug, str(row[title]).strip()) for slug, row in rows.items()}
            for kind, rows in tables.items()
            for title in ["full_name" if kind is Kind.ABILITY_SCORES else "name"]
        }

    def row(self, value: Any) -> Any:
        """``value`` with a ``Ref`` for each address in it; a list of references has each once.

        Raises:
            LookupError: there is no such record.
        """
        if isinstance(value, str):
            match = _ADDRESS.fullmatch(value)
            return self._ref(Kind(match[1]), match[2]) if match else value
        if isinstance(value, dict):
            return {key: self.row(part) for key, part in value.items()}
        if isinstance(value, list):
            parts = [self.row(part) for part in value]
            return list(dict.fromkeys(parts)) if all(isinstance(p, Ref) for p in parts) else parts
        return value

    def _ref(self, kind: Kind, slug: str) -> Ref:
        # The four types of things stand for one another: the data has some under two of them.
        for candidate in _ITEMS if kind in _ITEMS else (kind,):
            if slug in self._refs[candidate]:
                return self._refs[candidate][slug]
        raise LookupError(f"no record {kind}/{slug}")


def _at(tables: Tables, address: str) -> Any:
    kind, _, slug = address.partition("/")
    return tables[Kind(kind)][slug]
