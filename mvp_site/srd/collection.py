"""The collection of all records: by type in the order of their names, and by type and slug."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TypeAlias, TypeVar, overload

from . import classes as class_records
from . import items, monsters, types
from .repairs import Repair
from .values import Key, Kind

Record: TypeAlias = types.TextRecord
"""Any record of the SRD: each type in ``types``, ``monsters`` and ``items`` is one."""

R = TypeVar("R", bound=types.TextRecord)


class Srd:
    """The records of the SRD; tuples are in the order of their names."""

    def __init__(self, records: Iterable[Record], report: tuple[Repair, ...] = ()) -> None:
        by_kind: dict[Kind, dict[str, Record]] = {kind: {} for kind in Kind}
        for record in sorted(records, key=lambda one: (one.name.casefold(), one.slug)):
            by_kind[kind_of(record)][record.slug] = record
        self._records: Mapping[Kind, Mapping[str, Record]] = MappingProxyType(by_kind)
        self.report = report

    @overload
    def get(self, kind: type[R], slug: str) -> R | None: ...
    @overload
    def get(self, kind: Kind | str, slug: str) -> Record | None: ...

    def get(self, kind: type[R] | Kind | str, slug: str) -> R | Record | None:
        """The record of a type (its class, ``Kind`` or the name of that) and a slug, or None.

        Raises:
            ValueError: there is no such type.
        """
        return self._records[_kind(kind)].get(slug)

    @overload
    def all(self, kind: type[R]) -> tuple[R, ...]: ...
    @overload
    def all(self, kind: Kind | str) -> tuple[Record, ...]: ...

    def all(self, kind: type[R] | Kind | str) -> tuple[R, ...] | tuple[Record, ...]:
        """Every record of a type, in the order of their names.

        Raises:
            ValueError: there is no such type.
        """
        return tuple(self._records[_kind(kind)].values())

    def at(self, key: Key) -> Record | None:
        """The record of a key, or None."""
        return self._records[key.kind].get(key.slug)

    def __iter__(self) -> Iterator[Record]:
        """Every record, by type and then by name."""
        for kind in Kind:
            yield from self._records[kind].values()

    def __len__(self) -> int:
        """How many records there are."""
        return sum(len(records) for records in self._records.values())

    @property
    def ability_scores(self) -> tuple[types.AbilityScoreRecord, ...]:
        """Every record of the type, by name."""
        return self.all(types.AbilityScoreRecord)

    @property
    def alignments(self) -> tuple[types.AlignmentRecord, ...]:
        """Every record of the type, by name."""
        return self.all(types.AlignmentRecord)

    @property
    def armor(self) -> tuple[items.ArmorRecord, ...]:
        """Every record of the type, by name."""
        return self.all(items.ArmorRecord)

    @property
    def backgrounds(self) -> tuple[types.BackgroundRecord, ...]:
        """Every record of the type, by name."""
        return self.all(types.BackgroundRecord)

    @property
    def classes(self) -> tuple[class_records.ClassRecord, ...]:
        """Every record of the type, by name."""
        return self.all(class_records.ClassRecord)

    @property
    def conditions(self) -> tuple[types.ConditionRecord, ...]:
        """Every record of the type, by name."""
        return self.all(types.ConditionRecord)

    @property
    def damage_types(self) -> tuple[types.DamageTypeRecord, ...]:
        """Every record of the type, by name."""
        return self.all(types.DamageTypeRecord)

    @property
    def equipment(self) -> tuple[items.EquipmentRecord, ...]:
        """Every record of the type, by name."""
        return self.all(items.EquipmentRecord)

    @property
    def equipment_categories(self) -> tuple[items.EquipmentCategoryRecord, ...]:
        """Every record of the type, by name."""
        return self.all(items.EquipmentCategoryRecord)

    @property
    def feats(self) -> tuple[types.FeatRecord, ...]:
        """Every record of the type, by name."""
        return self.all(types.FeatRecord)

    @property
    def features(self) -> tuple[class_records.FeatureRecord, ...]:
        """Every record of the type, by name."""
        return self.all(class_records.FeatureRecord)

    @property
    def languages(self) -> tuple[types.LanguageRecord, ...]:
        """Every record of the type, by name."""
        return self.all(types.LanguageRecord)

    @property
    def magic_items(self) -> tuple[items.MagicItemRecord, ...]:
        """Every record of the type, by name."""
        return self.all(items.MagicItemRecord)

    @property
    def magic_schools(self) -> tuple[types.MagicSchoolRecord, ...]:
        """Every record of the type, by name."""
        return self.all(types.MagicSchoolRecord)

    @property
    def monsters(self) -> tuple[monsters.MonsterRecord, ...]:
        """Every record of the type, by name."""
        return self.all(monsters.MonsterRecord)

    @property
    def proficiencies(self) -> tuple[types.ProficiencyRecord, ...]:
        """Every record of the type, by name."""
        return self.all(types.ProficiencyRecord)

    @property
    def races(self) -> tuple[types.RaceRecord, ...]:
        """Every record of the type, by name."""
        return self.all(types.RaceRecord)

    @property
    def rule_sections(self) -> tuple[types.RuleSectionRecord, ...]:
        """Every record of the type, by name."""
        return self.all(types.RuleSectionRecord)

    @property
    def rules(self) -> tuple[types.RuleRecord, ...]:
        """Every record of the type, by name."""
        return self.all(types.RuleRecord)

    @property
    def skills(self) -> tuple[types.SkillRecord, ...]:
        """Every record of the type, by name."""
        return self.all(types.SkillRecord)

    @property
    def spells(self) -> tuple[types.SpellRecord, ...]:
        """Every record of the type, by name."""
        return self.all(types.SpellRecord)

    @property
    def subclasses(self) -> tuple[class_records.SubclassRecord, ...]:
        """Every record of the type, by name."""
        return self.all(class_records.SubclassRecord)

    @property
    def subraces(self) -> tuple[types.SubraceRecord, ...]:
        """Every record of the type, by name."""
        return self.all(types.SubraceRecord)

    @property
    def traits(self) -> tuple[types.TraitRecord, ...]:
        """Every record of the type, by name."""
        return self.all(types.TraitRecord)

    @property
    def weapon_properties(self) -> tuple[types.WeaponPropertyRecord, ...]:
        """Every record of the type, by name."""
        return self.all(types.WeaponPropertyRecord)

    @property
    def weapons(self) -> tuple[items.WeaponRecord, ...]:
        """Every record of the type, by name."""
        return self.all(items.WeaponRecord)


def kind_of(record: Record) -> Kind:
    """The type of a record."""
    return record.kind


def key_of(record: Record) -> Key:
    """The key of a record: its type and slug."""
    return Key(kind_of(record), record.slug)


def _kind(kind: type[types.TextRecord] | Kind | str) -> Kind:
    if isinstance(kind, type):
        return kind.kind
    try:
        return Kind(kind)
    except ValueError:
        known = ", ".join(sorted(Kind))
        raise ValueError(f"no type of record {kind!r}; the types are {known}") from None
