"""The SRD: all records of the data package, read once a process, repaired and typed."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Final, Generic, TypeVar, overload

import msgspec

from ..errors import SettingsError
from . import classes as class_records
from . import items, monsters, types
from .cells import shaped
from .links import Linked, add_lists
from .raw import MODULE, data_folder, read_tables
from .repairs import Repair, repaired, unexpected
from .types import RECORDS, TextRecord
from .values import Kind

_reading: Final = threading.Lock()
R = TypeVar("R", bound=TextRecord)


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

    def __init__(self, records: Iterable[TextRecord], report: tuple[Repair, ...] = ()) -> None:
        self._records: dict[Kind, dict[str, TextRecord]] = {kind: {} for kind in Kind}
        for record in sorted(records, key=lambda record: (record.name.casefold(), record.slug)):
            self._records[record.kind][record.slug] = record
        self.report = report

    @overload
    def get(self, kind: type[R], slug: str) -> R | None: ...
    @overload
    def get(self, kind: Kind | str, slug: str) -> TextRecord | None: ...

    def get(self, kind: type[R] | Kind | str, slug: str) -> R | TextRecord | None:
        """The record of a type (its class, ``Kind`` or the name of that) and a slug, or None.

        Raises:
            ValueError: there is no such type.
        """
        name = kind.kind if isinstance(kind, type) else kind
        if name not in self._records:
            raise ValueError(f"no type of record {name!r}; the types are {', '.join(Kind)}")
        return self._records[Kind(name)].get(slug)

    def all(self, kind: type[R]) -> tuple[R, ...]:
        """Every record of a type, in the order of their names."""
        return tuple(row for row in self._records[kind.kind].values() if isinstance(row, kind))

    def __iter__(self) -> Iterator[TextRecord]:
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


def load_srd() -> Srd:
    """The SRD of the installed data package; read at the first call, then the same object.

    Threads may call it at once: one reads, the others wait for it.

    Raises:
        SettingsError: the package is missing, or its data is not what was expected; the message
            says what mends it.
    """
    with _reading:
        return _loaded()


@cache
def _loaded() -> Srd:
    return read_srd(data_folder(MODULE))


def srd_report() -> tuple[Repair, ...]:
    """Every repair that was made on the data, in that order; raises as :func:`load_srd` does."""
    return load_srd().report


def read_srd(folder: Path) -> Srd:
    """The SRD of a folder of data; what :func:`load_srd` does and raises, without its cache."""
    tables = read_tables(folder)
    place = str(folder)
    records: list[TextRecord] = []
    try:
        report = tuple(repaired(tables))
        add_lists(tables)
        linked = Linked(tables)
        for kind, rows in tables.items():
            for slug, row in rows.items():
                place = f"{kind}/{slug} of {folder}"
                record = linked.row(items.with_head(row) if kind is Kind.MAGIC_ITEMS else row)
                cells = shaped(RECORDS[kind], {**record, "slug": slug})
                records.append(msgspec.convert(cells, RECORDS[kind]))
    except SettingsError:  # which says already what mends it
        raise
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise unexpected(f"{place}: {type(error).__name__}: {error}") from error
    return Srd(records, report)
