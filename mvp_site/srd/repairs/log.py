"""Changing tables so that every change is written down: what was found, what it is now, and why.

A place in a row is written ``actions > Bite > damage > 0``: keys, positions, and in a list of
named things their names. A repair that finds nothing to repair leaves no trace, so a newer package
that is right already reports less.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from ..raw import Row, Tables
from ..values import Kind

ABSENT: Final = "(absent)"
REMOVED: Final = "(removed)"
_LONGEST: Final = 120
_AROUND: Final = 30


class What(StrEnum):
    """What was wrong."""

    NULL_AS_TEXT = "null, true or false as text"
    DEBRIS = "debris in the text"
    TYPO = "typo"
    WRONG_TEXT = "wrong words"
    FIGURE = "wrong figure"
    REFERENCE = "wrong reference"
    DANGLING = "reference that leads nowhere"
    DUPLICATE = "duplicate"
    FILED = "filed under the wrong type"
    JUNK = "junk row"
    NOT_SRD = "not in the SRD"
    MISSING = "missing"
    INCOMPLETE = "incomplete"


@dataclass(frozen=True, slots=True)
class Repair:
    """One change of the data, or of a whole record where ``field`` is empty."""

    type: Kind
    slug: str
    field: str
    what: What
    found: str
    now: str
    why: str


class Log:
    """Tables and the repairs made on them; every change of a table goes through here."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.repairs: list[Repair] = []

    def put(self, kind: Kind, slug: str, field: str, now: Any, what: What, why: str) -> None:
        """Sets a field; nothing happens if it has the value, or the row is not there."""
        row = self.tables[kind].get(slug)
        if row is None:
            return
        holder, key = _place(row, field)
        before = _value(holder, key)
        if before == now and type(before) is type(now):
            return
        holder[key] = now
        self._write(kind, slug, field, what, *shown(before, now), why)

    def drop(self, kind: Kind, slug: str, field: str, what: What, why: str) -> None:
        """Removes a field or an element, or the whole row where ``field`` is empty."""
        row = self.tables[kind].get(slug)
        if row is None:
            return
        if not field:
            del self.tables[kind][slug]
            self._write(kind, slug, "", what, str(row["name"]), REMOVED, why)
            return
        holder, key = _place(row, field)
        if _value(holder, key) is ABSENT:
            return
        before = holder.pop(key)
        self._write(kind, slug, field, what, shown(before, ABSENT)[0], REMOVED, why)

    def add(self, kind: Kind, slug: str, row: Row, what: What, why: str) -> None:
        """Adds a row that is missing."""
        if slug not in self.tables[kind]:
            self.tables[kind][slug] = row
            self._write(kind, slug, "", what, ABSENT, str(row["name"]), why)

    def rename(self, kind: Kind, slug: str, now: str, what: What, why: str) -> None:
        """Gives a row another slug; the repair stands under the one it had."""
        row = self.tables[kind].pop(slug)
        self.tables[kind][now] = {**row, "index": now}
        self._write(kind, slug, "index", what, *shown(slug, now), why)

    def _write(  # noqa: PLR0917 - the fields of a Repair, in its order
        self, kind: Kind, slug: str, field: str, what: What, found: str, now: str, why: str
    ) -> None:
        self.repairs.append(Repair(kind, slug, field, what, found, now, why))


def look(row: Row, field: str) -> Any:
    """The value at a place of a row, ``ABSENT`` if there is none."""
    try:
        return _value(*_place(row, field))
    except (KeyError, IndexError):
        return ABSENT


def shown(before: Any, now: Any) -> tuple[str, str]:
    """Both values as a report prints them; of long texts the part that differs."""
    if isinstance(before, str) and isinstance(now, str) and ABSENT not in {before, now}:
        start = 0
        while start < min(len(before), len(now)) and before[start] == now[start]:
            start += 1
        end = 0
        while end < min(len(before), len(now)) - start and before[-1 - end] == now[-1 - end]:
            end += 1
        return _part(before, start, end), _part(now, start, end)
    if isinstance(before, list) and isinstance(now, list):
        kept, came = [_names(part) for part in before], [_names(part) for part in now]
        if max(len(_plain(kept)), len(_plain(came))) >= _LONGEST:
            gone = [part for part in kept if part not in came]
            new = [part for part in came if part not in kept]
            return _listed(kept, gone), _listed(came, new)
    return _plain(before), _plain(now)


def _listed(elements: list[Any], only_here: list[Any]) -> str:
    count = f"{len(elements)} elements"
    return f"{count}, only here {_plain(only_here)}" if only_here else count


def _part(text: str, start: int, end: int) -> str:
    if len(text) <= _LONGEST:
        return json.dumps(text, ensure_ascii=False)
    first, last = max(start - _AROUND, 0), min(len(text) - end + _AROUND, len(text))
    part = text[first:last]
    if len(part) > _LONGEST:
        part = part[: _LONGEST - _AROUND] + "…" + part[-_AROUND:]
    opening, closing = "…" * (first > 0), "…" * (last < len(text))
    return opening + json.dumps(part, ensure_ascii=False) + closing


def _plain(value: Any) -> str:
    if value == ABSENT:
        return ABSENT
    text = json.dumps(_names(value), ensure_ascii=False)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _names(value: Any) -> Any:
    """``value`` with every reference, and everything else that has a slug, as that slug."""
    if isinstance(value, Mapping):
        if isinstance(value.get("index"), str):
            return value["index"]
        return {key: _names(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_names(part) for part in value]
    return value


def _value(holder: Any, key: Any) -> Any:
    if isinstance(holder, list):
        return holder[key] if 0 <= key < len(holder) else ABSENT
    return holder.get(key, ABSENT)


def _place(row: Row, field: str) -> tuple[Any, Any]:
    *outer, last = field.split(" > ")
    holder: Any = row
    for segment in outer:
        holder = holder[_key(holder, segment)]
    return holder, _key(holder, last)


def _key(holder: Any, segment: str) -> Any:
    if not isinstance(holder, list):
        return segment
    if segment.isdigit():
        return int(segment)
    for position, element in enumerate(holder):
        if isinstance(element, Mapping) and segment in {element.get("name"), element.get("index")}:
            return position
    return len(holder)


def places(value: Any, field: str = "") -> Iterable[tuple[str, Any]]:
    """Every leaf of a row with its place."""
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from places(part, f"{field} > {key}" if field else str(key))
    elif isinstance(value, list):
        names = [part.get("name") if isinstance(part, Mapping) else None for part in value]
        for position, part in enumerate(value):
            name = names[position]
            unique = isinstance(name, str) and names.count(name) == 1 and not name.isdigit()
            yield from places(part, f"{field} > {name if unique else position}")
    else:
        yield field, value
