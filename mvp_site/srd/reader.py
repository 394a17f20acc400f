"""The SRD: all records of the data package, read once a process, repaired and typed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Final, TypeAlias, TypeVar

from ..errors import SettingsError
from .attribution import PACKAGE
from .collection import Record, Srd
from .parsing import characters, classes, fields, rules
from .parsing import items as item_rows
from .parsing import monsters as monster_rows
from .parsing import spells as spell_rows
from .raw import MODULE, Row, Tables, data_folder, read_tables
from .repairs import Repair, repair
from .values import Kind

T = TypeVar("T")

_reading: Final = threading.Lock()

_Parse: TypeAlias = Callable[[fields.References, str, Row], Record]
_PARSERS: Final[dict[Kind, _Parse]] = {
    Kind.ABILITY_SCORES: rules.ability_score,
    Kind.ALIGNMENTS: rules.alignment,
    Kind.ARMOR: item_rows.armor,
    Kind.BACKGROUNDS: characters.background,
    Kind.CONDITIONS: rules.condition,
    Kind.DAMAGE_TYPES: rules.damage_type,
    Kind.EQUIPMENT: item_rows.equipment,
    Kind.EQUIPMENT_CATEGORIES: item_rows.equipment_category,
    Kind.FEATS: rules.feat,
    Kind.FEATURES: classes.feature,
    Kind.LANGUAGES: rules.language,
    Kind.MAGIC_ITEMS: item_rows.magic_item,
    Kind.MAGIC_SCHOOLS: rules.magic_school,
    Kind.MONSTERS: monster_rows.monster,
    Kind.PROFICIENCIES: rules.proficiency,
    Kind.RACES: characters.race,
    Kind.RULES: rules.rule,
    Kind.SKILLS: rules.skill,
    Kind.SPELLS: spell_rows.spell,
    Kind.SUBRACES: characters.subrace,
    Kind.TRAITS: characters.trait,
    Kind.WEAPON_PROPERTIES: rules.weapon_property,
    Kind.WEAPONS: item_rows.weapon,
}


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
    """Every repair that was made on the data, in the order in which they were made.

    Raises:
        SettingsError: as ``load_srd``.
    """
    return load_srd().report


def read_srd(folder: Path) -> Srd:
    """The SRD of a folder of data; what ``load_srd`` does, without its cache.

    Raises:
        SettingsError: as ``load_srd``.
    """
    tables = read_tables(folder)
    try:
        report = repair(tables)
    except (LookupError, TypeError, ValueError) as error:
        raise _unexpected(str(folder), error) from error
    return Srd(_records(tables, folder), report)


def _records(tables: Tables, folder: Path) -> Iterator[Record]:
    references = fields.References(tables)
    parsers: dict[Kind, _Parse] = {
        **_PARSERS,
        Kind.CLASSES: lambda refs, slug, row: classes.class_(refs, tables, slug, row),
        Kind.SUBCLASSES: lambda refs, slug, row: classes.subclass(refs, tables, slug, row),
    }
    for kind, parse in parsers.items():
        for slug, row in tables[kind].items():
            yield _parsed(partial(parse, references, slug, row), f"{kind}/{slug} of {folder}")
    sections = partial(rules.rule_sections, references, tables)
    yield from _parsed(sections, f"{Kind.RULE_SECTIONS} of {folder}")


def _parsed(parse: Callable[[], T], place: str) -> T:
    try:
        return parse()
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise _unexpected(place, error) from error


def _unexpected(place: str, error: Exception) -> SettingsError:
    return SettingsError(
        f"the SRD's data is not as expected: {place}: {type(error).__name__}: {error}; "
        f"install the version of {PACKAGE} that constraints.txt names"
    )
