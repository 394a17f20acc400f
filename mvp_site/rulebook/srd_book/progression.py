"""A class's level table: bonus, features, its own figures, spells and spell slots."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...srd import ClassRecord, FeatureRecord, LevelRecord, Ref, Srd
from .words import NOTHING, ordinal, signed, table

SPELLCASTING: Final = "Spellcasting: "
"""What the name of the feature that brings spells begins with; the class follows."""


def level_table(srd: Srd, one: ClassRecord) -> str:
    """One block: the table of all levels."""
    return table(*level_rows(srd, one))


def level_rows(srd: Srd, one: ClassRecord) -> tuple[list[str], list[list[str]]]:
    """The columns and rows of the table; columns that the class has nothing in are left out."""
    levels = sorted(one.levels, key=lambda level: level.level)
    figures = [figure.name for figure in levels[-1].figures] if levels else []
    cantrips = any(level.cantrips_known is not None for level in levels)
    spells = any(level.spells_known is not None for level in levels)
    slots = max((_highest(level) for level in levels), default=0)
    head = ["Level", "Proficiency Bonus", "Features", *figures]
    head += ["Cantrips Known"] * cantrips + ["Spells Known"] * spells
    head += [f"{ordinal(slot)}-Level Slots" for slot in range(1, slots + 1)]
    rows = [
        [
            *_opening(srd, level),
            *([_shown(level.cantrips_known)] * cantrips),
            *([_shown(level.spells_known)] * spells),
            *(_shown(count or None) for count in level.spell_slots[:slots]),
            *([NOTHING] * (slots - len(level.spell_slots[:slots]))),
        ]
        for level in levels
    ]
    return head, rows


def _opening(srd: Srd, level: LevelRecord) -> Iterator[str]:
    yield ordinal(level.level)
    yield signed(level.proficiency_bonus)
    yield ", ".join(dict.fromkeys(_gained(srd, level, ref) for ref in level.features)) or NOTHING
    for figure in level.figures:
        yield figure.value or NOTHING


def _gained(srd: Srd, level: LevelRecord, ref: Ref) -> str:
    """The name of a feature; that of an earlier level stands for a subclass's feature."""
    record = srd.get(FeatureRecord, ref.slug)
    if record is not None and record.level < level.level:
        return f"{ref.name} feature"
    return feature_title(ref.name)


def feature_title(name: str) -> str:
    """The name of a class's feature without the name of the class."""
    return SPELLCASTING.rstrip(": ") if name.startswith(SPELLCASTING) else name


def _highest(level: LevelRecord) -> int:
    """The highest level of a slot."""
    return max((slot for slot, count in enumerate(level.spell_slots, 1) if count), default=0)


def _shown(figure: int | None) -> str:
    return NOTHING if figure is None else str(figure)
