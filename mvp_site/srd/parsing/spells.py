"""Spell rows to records."""

from __future__ import annotations

from ..raw import Row
from ..types import SpellRecord
from ..values import Scaling
from .fields import References, area, paragraphs, save


def spell(references: References, slug: str, row: Row) -> SpellRecord:
    """The record of a spell."""
    damage = row.get("damage", {})
    by_level = damage.get("damage_at_character_level")
    dc = row.get("dc")
    return SpellRecord(
        slug=slug,
        name=row["name"],
        text=paragraphs(row["desc"]),
        level=int(row["level"]),
        school=references.of(row["school"]),
        casting_time=row["casting_time"],
        range=row["range"],
        components=tuple(row["components"]),
        material=row.get("material"),
        ritual=row["ritual"] is True,
        concentration=row["concentration"] is True,
        duration=row["duration"],
        higher_level=paragraphs(row.get("higher_level")),
        classes=references.all(row["classes"]),
        subclasses=references.all(row["subclasses"]),
        damage_type=references.maybe(damage.get("damage_type")),
        damage=_scaling(by_level or damage.get("damage_at_slot_level")),
        by_character_level=bool(by_level),
        healing=_scaling(row.get("heal_at_slot_level")),
        save=save(references, dc),
        save_text=(dc or {}).get("desc", ""),
        attack=row.get("attack_type"),
        area=area(row.get("area_of_effect")),
    )


def _scaling(cell: Row | None) -> tuple[Scaling, ...]:
    steps = sorted((int(level), str(amount)) for level, amount in (cell or {}).items())
    return tuple(Scaling(level, amount) for level, amount in steps)
