"""Repairs of the SRD's data: those of ``repairs.toml``, and those one rule makes on many records.

A repair states facts and figures. Words of the SRD come from the package alone: where a text is
missing there, it is missing here, and ``srd_doubts()`` says so. Every repair must fit the installed
package: one that finds something else than it was made for is an error.
"""

from __future__ import annotations

import copy
import re
from collections import defaultdict
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
_INVOCATION: Final = "features/eldritch-invocations-1"


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


class _RepairFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    made_for: str
    repairs: tuple[_Group, ...]
    doubts: tuple[_Doubt, ...]


@cache
def _file() -> _RepairFile:
    return msgspec.toml.decode((files(__package__) / "repairs.toml").read_bytes(), type=_RepairFile)


def unexpected(problem: str) -> SettingsError:
    """The error for data that is not what the repairs were made for; it says what mends it."""
    return SettingsError(
        f"the SRD's data is not as expected: {problem}; `pip install {_file().made_for}` mends it"
    )


def srd_doubts() -> tuple[Doubt, ...]:
    """Every known doubt about the data."""
    return tuple(Doubt(*place, group.why) for group in _file().doubts for place in group.places)


def repaired(tables: Tables) -> Iterator[Repair]:
    """Makes every repair on ``tables``, and gives each.

    Raises:
        SettingsError: one does not fit what stands there; the message names it.
    """
    for step in _STEPS:
        for repair in step(tables):
            _make(tables, repair)
            yield repair


def _patches(tables: Tables) -> Iterator[Repair]:
    """The repairs of ``repairs.toml``, in its order; each is made before the next is asked for."""
    for group in _file().repairs:
        for patch in group.patches:
            for record in patch.records:
                after = copy.deepcopy(patch.after)
                if patch.same_as:
                    other, _, field = patch.same_as.partition(" > ")
                    holder, key = _place(tables, other, field)
                    after = copy.deepcopy(holder[key])
                kind, slug = record.split("/")
                yield Repair(Kind(kind), slug, patch.path, patch.before, after, group.why)


def _make(tables: Tables, repair: Repair) -> None:
    try:
        holder, key = _place(tables, f"{repair.type}/{repair.slug}", repair.field)
        before = holder[key] if repair.now == ABSENT else _value(holder, key)
        _change(holder, key, before, repair)
    except (LookupError, TypeError, ValueError) as error:
        place = f"{repair.type}/{repair.slug} at {repair.field or 'the whole record'}"
        raise unexpected(f"the repair of {place} ({repair.why}) does not fit: {error}") from error


def _change(holder: Any, key: Any, before: Any, repair: Repair) -> None:
    fits = before in (ABSENT, None) if repair.found == ABSENT else before == repair.found
    if repair.now == ABSENT and (fits or repair.found == ABSENT):
        del holder[key]
    elif repair.found == ABSENT and isinstance(holder, list):
        holder.insert(key, repair.now)
    elif fits:
        holder[key] = repair.now
    elif isinstance(before, str) and isinstance(repair.found, str) and isinstance(repair.now, str):
        holder[key] = _text(before, repair.found, repair.now)
    else:
        raise ValueError(f"{repair.found!r} is expected and {before!r} found")


def _text(before: str, old: str, new: str) -> str:
    pattern = ".*?".join(map(re.escape, old.removesuffix(" …").split(" … ")))
    pattern += ".*" if old.endswith(" …") else ""
    text, times = re.subn(pattern, lambda _: new, before, flags=re.DOTALL)
    if not times or ABSENT in {old, new}:
        raise ValueError(f"{old!r} does not stand in {before[:60]!r}")
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


def _filed_once(tables: Tables) -> Iterator[Repair]:
    """A thing stands under one type: magic item, else armor or weapon, else equipment."""
    for kind, first in (
        (Kind.ARMOR, Kind.MAGIC_ITEMS), (Kind.WEAPONS, Kind.MAGIC_ITEMS),
        (Kind.EQUIPMENT, Kind.ARMOR), (Kind.EQUIPMENT, Kind.WEAPONS),
    ):  # fmt: skip
        for slug in [slug for slug in tables[kind] if slug in tables[first]]:
            yield Repair(kind, slug, "", ABSENT, ABSENT, f"it is filed under {first} too")


def _table_features(tables: Tables) -> Iterator[Repair]:
    """What a subclass brings stands in a class's table as the feature by which it is chosen."""
    for slug, row in tables[Kind.CLASSES].items():
        for level in row["levels"]:
            for position, old in enumerate(level["features"]):
                new = re.sub(r"-improvement-\d+$", "", old)
                if new != old and new.removeprefix("features/") in tables[Kind.FEATURES]:
                    field = f"levels > {level['index']} > features > {position}"
                    why = "the data has no such feature; this one has the text of its subclass's"
                    yield Repair(Kind.CLASSES, slug, field, old, new, why)


def _invocations(tables: Tables) -> Iterator[Repair]:
    """Each record of the warlock's invocations offers all of them."""
    features = tables[Kind.FEATURES]
    every = [f"features/{s}" for s, row in features.items() if row.get("parent") == _INVOCATION]
    for slug in [slug for slug in features if re.fullmatch(r"eldritch-invocations-\d", slug)]:
        options = features[slug]["feature_specific"]["subfeature_options"]["from"]
        field = "feature_specific > subfeature_options > from"
        new, why = list(dict.fromkeys([*options, *every])), "every invocation can be chosen"
        yield Repair(Kind.FEATURES, slug, field, options, new, why)


def _spell_lists(tables: Tables) -> Iterator[Repair]:
    """A spell names the subclasses whose own lists give it."""
    lists: dict[str, list[str]] = defaultdict(list)
    for slug, row in tables[Kind.SUBCLASSES].items():
        for spell in dict.fromkeys(entry["spell"] for entry in row.get("spells", ())):
            lists[spell].append(f"subclasses/{slug}")
    for slug, row in tables[Kind.SPELLS].items():
        new, why = lists[f"spells/{slug}"], "the subclasses whose own lists give the spell"
        if set(row["subclasses"]) != set(new):
            yield Repair(Kind.SPELLS, slug, "subclasses", row["subclasses"], new, why)


def _hit_dice(tables: Tables) -> Iterator[Repair]:
    """Hit dice are printed with what Constitution adds to them."""
    for slug, row in tables[Kind.MONSTERS].items():
        match = re.fullmatch(r"(\d+)d\d+", row["hit_dice"])
        extra = int(match[1]) * ((row["constitution"] - 10) // 2) if match else 0
        if extra:
            dice, why = row["hit_dice"], "each hit die adds the constitution modifier"
            yield Repair(Kind.MONSTERS, slug, "hit_dice", dice, f"{dice}{extra:+}", why)


_STEPS: Final = (
    _patches, _filed_once, _table_features, _invocations, _spell_lists, _hit_dice,
)  # fmt: skip
