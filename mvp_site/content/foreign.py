"""Records of other programs, known by their shape. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def foreign(record: Mapping[str, Any]) -> str:
    """What a record looks like that another program wrote, such as "a Foundry actor"; else ''."""
    system = record.get("system", record.get("data"))  # its name before version 10
    if not isinstance(system, Mapping) or not (
            isinstance(record.get("type"), str) or "items" in record):
        return ""
    return "a Foundry actor" if {"attributes", "abilities"} & system.keys() else "a Foundry item"
