"""References: the ability that is missing, and what leads nowhere."""

from __future__ import annotations

import re
from typing import Any, Final

from ..values import Kind
from .log import Log, What, places

_SECTION: Final = "using-each-ability"
_CONSTITUTION: Final = re.compile(
    r"^### Constitution\n\n(.+?)(?=\n#{1,3} )", re.MULTILINE | re.DOTALL
)
_URL: Final = re.compile(r"/api/(?:2014/)?([a-z-]+)/([^/]+)$")
_ITEMS: Final = (Kind.EQUIPMENT, Kind.WEAPONS, Kind.ARMOR, Kind.MAGIC_ITEMS)


def repair_abilities(log: Log) -> None:
    """Adds Constitution, with the text that the rules have for it."""
    scores, sections = log.tables[Kind.ABILITY_SCORES], log.tables[Kind.RULE_SECTIONS]
    if "con" not in scores and _SECTION in sections:
        text = sections[_SECTION]["desc"]
        match = _CONSTITUTION.search(text)
        row = {
            "index": "con", "name": "CON", "full_name": "Constitution",
            "desc": _ability_text(match[1]) if match else [], "skills": [],
            "url": "/api/ability-scores/con",
        }  # fmt: skip
        log.add(
            Kind.ABILITY_SCORES, "con", row, What.MISSING,
            f"the sixth ability; its text is that of the section {_SECTION}",
        )


def unresolved(log: Log) -> tuple[tuple[Kind, str, str, str], ...]:
    """Every reference that leads nowhere: (type, slug, field, address)."""
    found = []
    for kind, rows in log.tables.items():
        for slug, row in rows.items():
            for field, value in places(row):
                if field != "url" and isinstance(value, str) and not _leads(log, value):
                    found.append((kind, slug, field, value))
    return tuple(found)


def _leads(log: Log, address: str) -> bool:
    match = _URL.fullmatch(address)
    if not match or match[1] not in set(Kind):
        return True
    kind = Kind(match[1])
    kinds = _ITEMS if kind in _ITEMS else (kind,)
    return any(match[2] in log.tables[k] for k in kinds)


def _ability_text(section: str) -> list[Any]:
    """The first paragraph, what the ability measures, and the one under its checks."""
    blocks = [block for block in section.split("\n\n") if not block.startswith("#")]
    return blocks[:2]
