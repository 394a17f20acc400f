"""The repairs that one rule makes on many records."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Final

from .raw import Tables
from .repairs import ABSENT, Repair
from .values import Kind

_HIT_DICE: Final = re.compile(r"(\d+)d\d+")
_INVOCATION: Final = "features/eldritch-invocations-1"


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
            for position, found in enumerate(level["features"]):
                now = re.sub(r"-improvement-\d+$", "", found)
                if now != found and now.removeprefix("features/") in tables[Kind.FEATURES]:
                    field = f"levels > {level['index']} > features > {position}"
                    why = "the data has no such feature; this one has the text of its subclass's"
                    yield Repair(Kind.CLASSES, slug, field, found, now, why)


def _invocations(tables: Tables) -> Iterator[Repair]:
    """Each record of the warlock's invocations offers all of them."""
    features = tables[Kind.FEATURES]
    every = [f"features/{s}" for s, row in features.items() if row.get("parent") == _INVOCATION]
    for slug in [slug for slug in features if re.fullmatch(r"eldritch-invocations-\d", slug)]:
        found = features[slug]["feature_specific"]["subfeature_options"]["from"]
        field = "feature_specific > subfeature_options > from"
        now, why = list(dict.fromkeys([*found, *every])), "every invocation can be chosen"
        yield Repair(Kind.FEATURES, slug, field, found, now, why)


def _spell_lists(tables: Tables) -> Iterator[Repair]:
    """A spell names the subclasses whose own lists give it."""
    given: dict[str, list[str]] = defaultdict(list)
    for slug, row in tables[Kind.SUBCLASSES].items():
        for spell in dict.fromkeys(entry["spell"] for entry in row.get("spells", ())):
            given[spell].append(f"subclasses/{slug}")
    for slug, row in tables[Kind.SPELLS].items():
        now, why = given[f"spells/{slug}"], "the subclasses whose own lists give the spell"
        if set(row["subclasses"]) != set(now):
            yield Repair(Kind.SPELLS, slug, "subclasses", row["subclasses"], now, why)


def _hit_dice(tables: Tables) -> Iterator[Repair]:
    """Hit dice are printed with what Constitution adds to them."""
    for slug, row in tables[Kind.MONSTERS].items():
        match = _HIT_DICE.fullmatch(row["hit_dice"])
        extra = int(match[1]) * ((row["constitution"] - 10) // 2) if match else 0
        if extra:
            found, why = row["hit_dice"], "each hit die adds the constitution modifier"
            yield Repair(Kind.MONSTERS, slug, "hit_dice", found, f"{found}{extra:+}", why)


RULES: Final[tuple[Callable[[Tables], Iterator[Repair]], ...]] = (
    _filed_once, _table_features, _invocations, _spell_lists, _hit_dice,
)  # fmt: skip
"""Each gives the repairs that it asks for; they are made after those of ``repairs.toml``."""
