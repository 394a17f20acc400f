"""The collection of all records: by type in the order of their names, and by type and slug."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Generic, TypeAlias, TypeVar, overload

from . import classes as class_records
from . import items, monsters, types
from .repairs import Repair
from .values import Kind

Record: TypeAlias = types.TextRecord
"""Any record of the SRD: each type in ``types``, ``monsters`` and ``items`` is one."""

R = TypeVar("R", bound=types.TextRecord)


class _Every(Generic[R]):
    """An attribute of ``Srd``: every record of a type, by name."""

    def __init__(self, record: type[R]) -> None:
        self._record = record

    def __get__(self, srd: Srd, _: type[Srd]) -> tuple[R, ...]:
        return srd.all(self._record)


class Srd:
    """The records of the SRD; tuples are in the order of their names.

    ``report`` has the repairs that were made on the data. Each type has an attribute with all its
    records: ``srd.spells``.
    """

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

    def __iter__(self) -> Iterator[Record]:
        """Every record, by type and then by name."""
        for kind in Kind:
            yield from self._records[kind].values()

    def __len__(self) -> int:
        """How many records there are."""
        return sum(len(records) for records in self._records.values())

    ability_scores = _Every(types.AbilityScoreRecord)
    alignments = _Every(types.AlignmentRecord)
    armor = _Every(items.ArmorRecord)
    backgrounds = _Every(types.BackgroundRecord)
    classes = _Every(class_records.ClassRecord)
    conditions = _Every(types.ConditionRecord)
    damage_types = _Every(types.DamageTypeRecord)
    equipment = _Every(items.EquipmentRecord)
    equipment_categories = _Every(items.EquipmentCategoryRecord)
    feats = _Every(types.FeatRecord)
    features = _Every(class_records.FeatureRecord)
    languages = _Every(types.LanguageRecord)
    magic_items = _Every(items.MagicItemRecord)
    magic_schools = _Every(types.MagicSchoolRecord)
    monsters = _Every(monsters.MonsterRecord)
    proficiencies = _Every(types.ProficiencyRecord)
    races = _Every(types.RaceRecord)
    rule_sections = _Every(types.RuleSectionRecord)
    rules = _Every(types.RuleRecord)
    skills = _Every(types.SkillRecord)
    spells = _Every(types.SpellRecord)
    subclasses = _Every(class_records.SubclassRecord)
    subraces = _Every(types.SubraceRecord)
    traits = _Every(types.TraitRecord)
    weapon_properties = _Every(types.WeaponPropertyRecord)
    weapons = _Every(items.WeaponRecord)


def kind_of(record: Record) -> Kind:
    """The type of a record."""
    return record.kind


def _kind(kind: type[types.TextRecord] | Kind | str) -> Kind:
    if isinstance(kind, type):
        return kind.kind
    try:
        return Kind(kind)
    except ValueError:
        known = ", ".join(sorted(Kind))
        raise ValueError(f"no type of record {kind!r}; the types are {known}") from None
