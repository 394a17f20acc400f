"""Classes with their levels; no level is made up."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final

from pydantic import Field
from pydantic_core import PydanticCustomError

from ...content.slugs import shown
from .parts import Entity, SheetPart, entries

CLASSES: Final = ("classes", "class")
BESIDE: Final = ("level", "subclass")
"""What may stand beside the only class."""
UNCLEAR: Final = "levels"
"""The type of the error of classes whose levels cannot be told."""
_CLASS: Final = re.compile(
    r"\s*((?:(?!levels?\b|lvl\b)[^\d()])+?)\s*(?:\(([^\d()]*)\))?(?:\s+(\d+))?"
    r"(?:\s*\(([^\d()]*)\))?\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ClassLevel(SheetPart):
    """A class with the levels that the character has in it."""

    short: ClassVar[str] = "level"
    name: Annotated[str, Entity("class")] = ""
    level: Annotated[int, Field(strict=True, ge=1, le=20)] | None = None
    subclass: Annotated[str, Entity("class")] = ""


def with_levels(base: Any) -> Any:
    """The base of a sheet with its classes as objects, and with what stands beside a class in it.

    Raises:
        PydanticCustomError: it cannot be told which level a class has.
    """
    key = next((key for key in CLASSES if isinstance(base, Mapping) and base.get(key)), None)
    if key is None:
        return base
    value = base[key]
    rows: Any = entries(ClassLevel, value.split("/") if isinstance(value, str) else value)
    if not isinstance(rows, list) or not all(isinstance(kind, Mapping) for kind in rows):
        return base
    classes = [kind if "level" in kind else _read(kind) for kind in rows]
    rest = {name: entry for name, entry in base.items() if name != key}
    if len(classes) == 1:
        classes = [{name: rest.pop(name) for name in BESIDE if name in rest} | classes[0]]
    levels = [kind.get("level") for kind in classes]
    total = sum(level for level in levels if isinstance(level, int))
    if "level" in base and base["level"] != (levels[0] if len(levels) == 1 else total):
        raise _unclear(base["level"])
    rest.pop("level", None)
    return {**rest, "classes": classes}


def _read(kind: Mapping[str, Any]) -> dict[str, Any]:
    """A class whose level and subclass stand behind its name, as "Fighter (Champion) 3"."""
    match = _CLASS.fullmatch(str(kind.get("name", "")))
    if not match:
        raise _unclear(kind.get("name"))
    name, before, level, behind = match.groups()
    subclass = before or behind
    return {**({"level": int(level)} if level else {}),
            **({"subclass": subclass} if subclass else {}), **kind, "name": name}


def _unclear(value: object) -> PydanticCustomError:
    why = (f"{shown(value)} does not say which level each class has; write `class: {{Wizard: 7}}`, "
           "of several classes `class: {Fighter: 3, Rogue: 2}`")
    return PydanticCustomError(UNCLEAR, "{why}", {"why": why})
