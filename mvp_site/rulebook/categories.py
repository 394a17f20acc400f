"""The ten categories of design 2, and what it means for a section to have one."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Category(IntEnum):
    """What a part of a rulebook is about; the numbers are the design's, ``label`` people read."""

    label: str

    def __new__(cls, number: int, label: str = "") -> Category:  # noqa: D102
        self = int.__new__(cls, number)
        self._value_, self.label = number, label
        return self

    CHARACTER_CREATION = 1, "Character Creation"
    CLASS_FEATURES = 2, "Class Features & Subclasses"
    SPELLCASTING = 3, "Spellcasting System"
    COMBAT = 4, "Combat & Actions"
    CONDITIONS = 5, "Conditions & Status Effects"
    EQUIPMENT = 6, "Equipment & Magic Items"
    CORE_MECHANICS = 7, "Core Game Mechanics"
    EXPLORATION = 8, "Exploration & Environment"
    CREATURES = 9, "Creatures & Monsters"
    WORLD_LORE = 10, "World & Lore"


@dataclass(frozen=True, slots=True)
class Assignment:
    """One category of a section, ``why`` it has it, and how surely: ``weight`` in (0, 1]."""

    category: Category
    why: str
    weight: float
