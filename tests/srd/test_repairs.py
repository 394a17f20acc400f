"""Repairs: each fits the installed package, what they change is known, and no text is kept in them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from mvp_site.errors import SettingsError
from mvp_site.srd import ATTRIBUTION, CHANGES, LICENCE, Srd, repairs, srd_doubts, srd_report
from mvp_site.srd.raw import data_folder, read_tables
from mvp_site.srd.repairs import ABSENT, repaired

FILE = Path(repairs.__file__).with_name("repairs.toml")

# (type, slug, field, found, now): one of every kind of change, and of every rule.
CASES = [
    ("monsters", "ankheg", "xp", 250, 450), ("monsters", "ankheg", "hit_dice", "6d10", "6d10+6"),
    ("monsters", "ghost", "actions > Horrifying Visage > desc", "1d4 + 10 years", "1d4 × 10 years"),
    ("monsters", "ochre-jelly", "condition_immunities > 2", "conditions/blinded", "conditions/deafened"),
    ("monsters", "solar", "actions > Greatsword > damage > 0 > damage_type", "damage-types/radiant", "damage-types/slashing"),
    ("monsters", "vampire", "legendary_actions > Move > attack_bonus", 0, ABSENT),
    ("monsters", "troll", "special_abilities > Variant: Loathsome Limbs", ABSENT, ABSENT),
    ("spells", "web", "dc", ABSENT, {"dc_type": "ability-scores/dex", "dc_success": "none"}),
    ("spells", "acid-arrow", "subclasses", ["subclasses/lore", "subclasses/land"], ["subclasses/land"]),
    ("spells", "faerie-fire", "classes > 0", ABSENT, "classes/bard"), ("armor", "dragon-scale-mail", "", ABSENT, ABSENT),
    ("equipment", "longsword", "", ABSENT, ABSENT),
    ("classes", "barbarian", "levels > barbarian-6 > features > 0", "features/primal-path-improvement-1", "features/primal-path"),
    ("classes", "wizard", "proficiencies > +", ABSENT, "proficiencies/crossbows-light"), ("features", "sacred-oath", "desc > 0", " Now … class description.", ""),
]


@pytest.mark.parametrize(("kind", "slug", "field", "found", "now"), CASES)
def test_known_repairs(kind: str, slug: str, field: str, found: Any, now: Any) -> None:
    same = [r for r in srd_report() if (r.type, r.slug, r.field) == (kind, slug, field)]
    assert [(r.found, r.now) for r in same] == [(found, now)]


def test_no_patch_fits_twice() -> None:
    tables = read_tables(data_folder())
    assert len(list(repaired(tables))) == len(srd_report())
    with pytest.raises(SettingsError):
        list(repaired(tables))


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
