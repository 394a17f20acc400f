"""Classes with their levels, out of the ways in which people write them; no level is made up.

"Wizard 7", "7th-level wizard (Evocation)", "Fighter 3 / Rogue 2", a list or a mapping of such, and
a level or a subclass beside the one class that it is of.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from pydantic_core import PydanticCustomError

from ...content.slugs import shown

_PART: Final = re.compile(r"\s*(?:[/|;+&,\n]|\band\b)\s*(?![^()]*\))", re.IGNORECASE)
_WORD: Final = r"(?:levels?|lvls?|lv|stufe|niveau|nivel|nível|livello|poziom|уровень|уровня)"
_LEVEL: Final = re.compile(
    rf"[\s(,:-]*(?:\b{_WORD}\b\.?[\s:-]*)?(?<!\w)l?(\d+)(?:st|nd|rd|th|\.?º|er|e|-?й)?(?!\w)"
    rf"(?:[\s-]*\b{_WORD}\b\.?)?(?:[\s-]+of\b)?(?=[\s),:-]|\Z)", re.IGNORECASE)
_SUBCLASS: Final = re.compile(r"\(\s*([^()]*?)\s*\)")
BESIDE: Final = ("subclass", "level")
"""What may stand beside the only class."""
UNCLEAR: Final = "levels"
"""The type of the error of classes whose levels cannot be told."""
_LONGEST: Final = 200
_FORM: Final = "write `class: {Wizard: 7}`, of several classes `class: {Fighter: 3, Rogue: 2}`"


def with_levels(base: Any) -> Any:
    """The base of a sheet with its classes as objects, and with what stands beside a class in it.

    Raises:
        PydanticCustomError: it cannot be told which level a class has.
    """
    if not isinstance(base, Mapping) or not base.get("classes"):
        return base
    classes, rest = _objects(base["classes"]), dict(base)
    for key in BESIDE if all(isinstance(kind, Mapping) for kind in classes) else ():
        if key not in base:
            continue
        lacking = any(key not in kind for kind in classes)
        if len(classes) == 1 and lacking:
            classes = [{**classes[0], key: rest.pop(key)}]
        elif key == "level" and not lacking and base[key] == sum(
                kind[key] for kind in classes if type(kind[key]) is int):
            del rest[key]
        elif key == "level":
            raise _unclear(f"{shown(base[key])} is not the level of " + " and ".join(
                str(kind.get("name")) for kind in classes))
    return {**rest, "classes": classes}


def _objects(value: Any) -> list[Any]:
    """The classes of a text, a list or a mapping, each as an object where it can be."""
    if isinstance(value, str):
        return _read(value)
    if isinstance(value, list):
        return [kind for entry in value for kind in _objects(entry)]
    if not isinstance(value, Mapping):
        return [value]
    if not value.keys() & {"name", *BESIDE}:
        return [kind for name, entry in value.items() for kind in _objects(
            {"name": name, **(entry if isinstance(entry, Mapping) else {"level": entry})})]
    if "name" not in value:
        names = [key for key in value if key not in BESIDE]
        if len(names) != 1:
            raise _unclear(f"{shown(value)} does not say which class its subclass or level is of")
        value = {**value, "name": f"{names[0]} {value[names[0]]}"}
        del value[names[0]]
    name = value.get("name")
    if "level" in value or not isinstance(name, str) or not re.search(r"\d", name):
        return [value]
    return [{**kind, **value, "name": kind["name"]} for kind in _read(name)]


def _read(text: str) -> list[Any]:
    """The classes that a text names."""
    if len(text) > _LONGEST:
        raise _unclear(f"{shown(text)} is too long for the names of classes")
    parts: list[str] = []
    for part in filter(None, _PART.split(text.strip())):
        if parts and not re.search(r"[^\W\d_]", _LEVEL.sub("", part)):
            parts[-1] += f" {part}"  # "Wizard, level 7"
        else:
            parts.append(part)
    classes: list[Any] = []
    for part in parts:
        levels = _LEVEL.findall(part)
        name = _LEVEL.sub(" ", part)
        subclass = _SUBCLASS.search(name)
        name = " ".join(_SUBCLASS.sub(" ", name).split()).strip(" ,:()-\u2013\u2014")
        if len(levels) > 1 or not name or re.search(rf"\d|\b{_WORD}\b", name, re.IGNORECASE):
            raise _unclear(f"{shown(text)} does not say which level each class has")
        classes.append({"name": name, **({"level": int(levels[0])} if levels else {}),
                        **({"subclass": subclass[1]} if subclass and subclass[1] else {})})
    return classes


def _unclear(why: str) -> PydanticCustomError:
    return PydanticCustomError(UNCLEAR, "{why}", {"why": f"{why}; {_FORM}"})
