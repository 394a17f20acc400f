"""The fields of other tools' exports, read so that any may be missing; HTML as plain text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from lxml import etree

MOST: Final = 10**9
"""The largest number of a sheet."""
MOST_BONUS: Final = 999
PASSIVE: Final = ("Perception", "Investigation", "Insight")
"""Skills of which sheets print passive scores."""
MAX_NAME: Final = 200
_BREAKS: Final = ("p", "br", "li", "tr", "div", "h1", "h2", "h3", "h4", "h5", "h6")


def at(value: Any, *path: str) -> Any:
    """What is at ``path``, None where there is nothing."""
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def rows(value: Any, *path: str) -> list[Mapping[str, Any]]:
    """The objects of the list at ``path``, or of all lists of the object there."""
    entry = at(value, *path)
    if isinstance(entry, Mapping):
        return [row for key in entry for row in rows(entry, key)]
    return [row for row in entry if isinstance(row, Mapping)] if isinstance(entry, list) else []


def number(value: Any, *path: str, most: int = MOST_BONUS) -> int | None:
    """The whole number at ``path``, None where there is none or one beyond reason."""
    entry = at(value, *path)
    usable = isinstance(entry, (int, float)) and entry is not True and abs(entry) <= most
    return int(entry) if usable else None


def amount(value: Any, *path: str) -> int:
    """The number at ``path`` of what is counted, 0 where there is none."""
    return max(0, number(value, *path, most=MOST) or 0)


def text(value: Any, *path: str) -> str:
    """The text at ``path``, HTML as plain text."""
    entry = at(value, *path)
    if not isinstance(entry, (str, int, float)) or isinstance(entry, bool):
        return ""
    plain = str(entry)
    if re.search(r"</?\w|&#?\w+;", plain):
        root = etree.fromstring(f"<div>{plain}</div>", etree.HTMLParser())
        for element in root.iter(*_BREAKS):
            element.tail = f"\n\n{element.tail or ''}"
        plain = re.sub(r"\n{3,}", "\n\n", re.sub(r"[^\S\n]+", " ", "".join(root.itertext())))
    return plain.strip()


def definition(value: Any, key: str = "definition") -> Mapping[str, Any]:
    """The object at ``key``, an empty one where there is none."""
    entry = at(value, key)
    return entry if isinstance(entry, Mapping) else {}
