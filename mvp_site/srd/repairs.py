"""Repairs of the SRD's data: what one is, those of ``repairs.toml``, and how each is made.

A repair states facts and figures. Words of the SRD come from the package alone: where a text is
missing there, it is missing here, and ``srd_doubts()`` says so. Every repair must fit the installed
package: one that finds something else than it was made for is an error.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

import msgspec

from ..errors import SettingsError
from .raw import Tables
from .values import Kind

ABSENT: Final = "(absent)"
"""What stands in a repair for a value, element or record that is not there."""


@dataclass(frozen=True, slots=True)
class Repair:
    """One change: a place in a record, what stood there, what stands there now, and why.

    ``field`` is written ``actions > Bite > damage > 0``: keys, positions, and in a list the names
    of its elements or the elements themselves; ``+`` is the place behind the last. It is empty
    for a whole record. Of a text, ``found`` and ``now`` are the part that changes; ``first … last``
    is all from the first to the last. ``ABSENT`` is what is added or removed.
    """

    type: Kind
    slug: str
    field: str
    found: Any
    now: Any
    why: str


@dataclass(frozen=True, slots=True)
class Doubt:
    """A place that may be wrong or lacks something; ``slug`` is empty for a whole type."""

    type: Kind
    slug: str
    field: str
    found: str
    why: str


class _Patch(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    records: tuple[str, ...]
    path: str = ""
    before: Any = ABSENT
    after: Any = ABSENT
    same_as: str = ""  # the place whose value is copied


class _Group(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    why: str
    patches: tuple[_Patch, ...]


class _Doubt(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    why: str
    places: tuple[tuple[Kind, str, str, str], ...]  # type, slug, field, what is found


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    made_for: str
    repairs: tuple[_Group, ...]
    doubts: tuple[_Doubt, ...]


@cache
def _file() -> _File:
    return msgspec.toml.decode((files(__package__) / "repairs.toml").read_bytes(), type=_File)


def unexpected(what: str) -> SettingsError:
    """The error for data that is not what the repairs were made for; it says what mends it."""
    return SettingsError(
        f"the SRD's data is not as expected: {what}; `pip install {_file().made_for}` mends it"
    )


def srd_doubts() -> tuple[Doubt, ...]:
    """Every known doubt about the data."""
    return tuple(Doubt(*place, group.why) for group in _file().doubts for place in group.places)


def patches(tables: Tables) -> Iterator[Repair]:
    """The repairs of ``repairs.toml``, in its order; make each before you ask for the next."""
    for group in _file().repairs:
        for patch in group.patches:
            for record in patch.records:
                now = copy.deepcopy(patch.after)
                if patch.same_as:
                    other, _, field = patch.same_as.partition(" > ")
                    holder, key = _place(tables, other, field)
                    now = copy.deepcopy(holder[key])
                kind, slug = record.split("/")
                yield Repair(Kind(kind), slug, patch.path, patch.before, now, group.why)


def make(tables: Tables, one: Repair) -> None:
    """Makes one repair.

    Raises:
        SettingsError: it does not fit what stands there; the message names it.
    """
    try:
        holder, key = _place(tables, f"{one.type}/{one.slug}", one.field)
        before = holder[key] if one.now == ABSENT else _value(holder, key)
        _change(holder, key, before, one)
    except (LookupError, TypeError, ValueError) as error:
        place = f"{one.type}/{one.slug} at {one.field or 'the whole record'}"
        raise unexpected(f"the repair of {place} ({one.why}) does not fit: {error}") from error


def _change(holder: Any, key: Any, before: Any, one: Repair) -> None:
    fits = before in (ABSENT, None) if one.found == ABSENT else before == one.found
    if one.now == ABSENT and (fits or one.found == ABSENT):
        del holder[key]
    elif one.found == ABSENT and isinstance(holder, list):
        holder.insert(key, one.now)
    elif fits:
        holder[key] = one.now
    elif isinstance(before, str) and isinstance(one.found, str) and isinstance(one.now, str):
        holder[key] = _text(before, one.found, one.now)
    else:
        raise ValueError(f"{one.found!r} is expected and {before!r} found")


def _text(before: str, found: str, now: str) -> str:
    pattern = ".*?".join(map(re.escape, found.removesuffix(" …").split(" … ")))
    pattern += ".*" if found.endswith(" …") else ""
    text, times = re.subn(pattern, lambda _: now, before, flags=re.DOTALL)
    if not times or ABSENT in {found, now}:
        raise ValueError(f"{found!r} does not stand in {before[:60]!r}")
    return text


def _value(holder: Any, key: Any) -> Any:
    return holder.get(key, ABSENT) if isinstance(holder, Mapping) else [*holder, ABSENT][key]


def _place(tables: Tables, record: str, field: str) -> tuple[Any, Any]:
    kind, slug = record.split("/")
    holder: Any = tables[Kind(kind)]
    key: str | int = slug
    for segment in field.split(" > ") if field else ():
        holder = holder[key]
        key = _position(holder, segment) if isinstance(holder, list) else segment
    return holder, key


def _position(elements: list[Any], segment: str) -> int:
    if segment == "+":
        return len(elements)
    if segment.isdigit():
        return int(segment)
    for position, element in enumerate(elements):
        names = (element.get("name"), element.get("index")) if isinstance(element, dict) else ()
        if segment == element or segment in names:
            return position
    raise LookupError(f"there is no {segment!r}")
