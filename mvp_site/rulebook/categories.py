"""The ten categories of design 2, and what it means for a section to have one."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Category(IntEnum):
    """What a part of a rulebook is about; the numbers are the design's."""

    CHARACTER_CREATION = 1
    CLASS_FEATURES = 2
    SPELLCASTING = 3
    COMBAT = 4
    CONDITIONS = 5
    EQUIPMENT = 6
    CORE_MECHANICS = 7
    EXPLORATION = 8
    CREATURES = 9
    WORLD_LORE = 10

    @property
    def label(self) -> str:
        """The name that people read."""
        return _LABELS[self]


_LABELS = {
    Category.CHARACTER_CREATION: "Character Creation",
    Category.CLASS_FEATURES: "Class Features & Subclasses",
    Category.SPELLCASTING: "Spellcasting System",
    Category.COMBAT: "Combat & Actions",
    Category.CONDITIONS: "Conditions & Status Effects",
    Category.EQUIPMENT: "Equipment & Magic Items",
    Category.CORE_MECHANICS: "Core Game Mechanics",
    Category.EXPLORATION: "Exploration & Environment",
    Category.CREATURES: "Creatures & Monsters",
    Category.WORLD_LORE: "World & Lore",
}


@dataclass(frozen=True, slots=True)
class Assignment:
    """One category of a section, ``why`` it has it, and how surely: ``weight`` in (0, 1]."""

    category: Category
    why: str
    weight: float
