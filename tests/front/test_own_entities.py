"""Users' own entities: records of other programs are refused, each by itself, and nothing hides the SRD's unasked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mvp_site.errors import MvpSiteError
from mvp_site.operations.entities import EntityReference

from .conftest import CASES, Command, Operate, write

OWN_FOLDER = "data/own_entities"
OWN = {
    "spells": {"name": "Ember Lash", "level": 7, "school": "Evocation", "desc": "A far longer whip."},
    "monsters": {"name": "Ash Wyrm", "armor_class": 9, "hit_points": 4, "type": "dragon"},
    "magic-items": {"name": "Singing Blade", "rarity": "common", "desc": "It hums."}, "conditions": {"name": "Rooted", "desc": "You may not move."},
}
"""Whole entities with the names of the SRD's."""
HEAD = {"img": "x.webp", "folder": None, "effects": [], "flags": {}}
SHEET = {"abilities": {"str": {"value": 20}}, "attributes": {"ac": {"value": 13}, "hp": {"value": 59, "max": 59}}, "details": {"cr": 3}}
TEXT = {"description": {"value": "<p>It is heavy.</p>"}}
FOREIGN: list[tuple[str, dict[str, Any]]] = [
    ("monsters", {"type": "npc", "system": SHEET, "items": [], **HEAD}), ("monsters", {"type": "npc", "data": SHEET, "items": []}),
    ("monsters", {"type": "dragon", "size": "H", "source": "MM", "ac": [19], "hp": {"average": 200, "formula": "16d12"}, "cr": "13"}),
    ("monsters", {"type": "dragon", "cr": 13}), ("spells", {"type": "spell", "system": {"level": 1, "school": "evo", **TEXT}, **HEAD}),
    ("weapons", {"type": "weapon", "system": {"damage": {"parts": [["1d8", "slashing"]]}, **TEXT}}),
    ("magic-items", {"type": "equipment", "system": {"rarity": "rare"}}), ("features", {"type": "feat", "level": 3, "system": TEXT}),
    ("rules", {"type": "text", "pages": [{"text": {"content": "x"}}]}),
]


def shown(operate: Operate, type_: str, slug: str) -> Any:
    try:
        return operate("entities.show", EntityReference(type_, slug)).entity
    except MvpSiteError:
        return None


@pytest.mark.parametrize(("type_", "fields"), FOREIGN)
def test_a_record_that_lacks_what_its_type_needs_is_refused(project: Path, command: Command, operate: Operate, type_: str, fields: dict[str, Any]) -> None:
    shadow = (CASES / "books/own_fvtt_shadow/monsters/owlbear.yml").read_text().replace("Owlbear", "Ash Wyrm")
    write(project / OWN_FOLDER, {f"{type_}/theirs.json": {"name": "Zork", **fields}, "spells/good.yaml": "name: Fine\nlevel: 2\n", "monsters/owlbear.yml": shadow})
    done = command("entities", "build")
    assert "monsters/owlbear.yml: Ash Wyrm: lacks armor_class and hit_points, which monsters need (it looks like a Foundry actor)" in done.stderr
    assert shown(operate, "monsters", "ash-wyrm")["document"] == "SRD 5.1"
    assert (done.exit_code, f"{type_}/theirs.json: Zork" in done.stderr) == (1, True)
    assert shown(operate, type_, "zork") is None
    assert shown(operate, "spells", "fine")["level"] == 2


@pytest.mark.parametrize("type_", OWN)
@pytest.mark.parametrize("replaces", [None, False, True])
def test_nothing_replaces_an_entity_of_the_srd_unless_it_says_so(project: Path, command: Command, operate: Operate, type_: str, replaces: bool | None) -> None:
    said = {} if replaces is None else {"replaces": replaces}
    write(project / OWN_FOLDER, {f"{type_}/own.json": [{**OWN[type_], **said}, {**OWN[type_], "name": "Another"}]})
    done = command("entities", "build")
    assert (done.exit_code, "replaces: true" in done.stderr) == ((0, False) if replaces else (1, True))
    entity = shown(operate, type_, OWN[type_]["name"].lower().replace(" ", "-"))
    assert entity["document"] == ("own entities" if replaces else "SRD 5.1")
    assert entity.get("shadows") == ("SRD 5.1" if replaces else None)
    assert shown(operate, type_, "another")["document"] == "own entities"


def test_every_bad_file_is_named_and_the_others_are_built(project: Path, command: Command, operate: Operate) -> None:
    write(project / OWN_FOLDER, {
        "spells/a.json": "{", "spells/b.yaml": "name: [", "spells/c.json": [{"name": f"Bad {n}"} for n in range(30)],
        "spells/d.txt": "text", "hats/e.json": {"name": "Hat"}, "monsters/f.json": {"name": "Wyrm", "ac": "high", "hp": 3},
        "spells/good.json": {"name": "Fine", "level": 2},
    })
    done = command("entities", "build", "--json")
    assert done.exit_code == 1
    for name in ("spells/a.json", "spells/b.yaml", "spells/c.json", "spells/d.txt", "hats/", "monsters/f.json"):
        assert name in done.stderr
    assert done.stderr.count("spells/c.json") == 11
    assert json.loads(done.stdout)["types"]["spells"] == 11
    assert shown(operate, "spells", "fine") is not None
