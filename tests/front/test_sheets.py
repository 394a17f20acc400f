"""Sheets that people write: levels as they stand, and other tools' files refused by their content."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from mvp_site.errors import SessionsError
from mvp_site.operations.services import Services
from tests.front.conftest import CASES

ACTOR = json.loads((CASES / "books" / "foundry_actor" / "actor.json").read_text("utf-8"))


Read = Callable[..., Any]


@pytest.fixture
def read(shared_services: Services, campaign: str) -> Read:
    """Reads a sheet: the character, the piece that says who it is, and the warnings."""
    def imported(text: str, file: str = "sheet.yaml") -> Any:
        notes = shared_services.session_notes()
        (document,) = notes.import_characters(campaign, [(file, text)])
        return notes.character(campaign, document.id), document.pieces[0].text, document.warnings

    return imported


@pytest.mark.parametrize(("written", "classes", "told"), [
    ("base: {name: A, class: Wizard, level: 7}", [("Wizard", 7, "")], "A: Wizard of level 7"),
    ("name: A\nclass: Wizard\nlevel: 7", [("Wizard", 7, "")], "A: Wizard of level 7"),
    ("base: {name: A}\nclass: Wizard\nlevel: 7", [("Wizard", 7, "")], "A: Wizard of level 7"),
    ("base: {name: A, class: Wizard}\nlevel: 7", [("Wizard", 7, "")], "A: Wizard of level 7"),
    ("name: A\nclass: Wizard 7", [("Wizard", 7, "")], "A: Wizard of level 7"),
    ("name: A\nclass: Wizard 7\nlevel: 7", [("Wizard", 7, "")], "A: Wizard of level 7"),
    ("name: A\nclass: Wizard (7)", [("Wizard", 7, "")], ""),
    ("name: A\nclass: Level 7 Wizard", [("Wizard", 7, "")], ""),
    ("name: A\nclass: 7th-level wizard", [("wizard", 7, "")], ""),
    ("name: A\nclass: Wizard, lvl. 7", [("Wizard", 7, "")], ""),
    ("name: A\nclass: Magier Stufe 7", [("Magier", 7, "")], ""),
    ("name: A\nclass: Guerrero nivel 7", [("Guerrero", 7, "")], ""),
    ("name: A\nclass: Wizard (School of Evocation, level 7)",
     [("Wizard", 7, "School of Evocation")], "Wizard of level 7 (School of Evocation)"),
    ("name: A\nclass: Wizard\nsubclass: Evocation\nlevel: 7", [("Wizard", 7, "Evocation")], ""),
    ("name: A\nclass: {name: Wizard, subclass: Evocation}\nlevel: 7", [("Wizard", 7, "Evocation")], ""),
    ("name: A\nclass: Fighter 3 / Rogue 2", [("Fighter", 3, ""), ("Rogue", 2, "")], "level 5 in all"),
    ("name: A\nclass: Fighter 3, Rogue 2\nlevel: 5", [("Fighter", 3, ""), ("Rogue", 2, "")], ""),
    ("name: A\nclass: Fighter (Champion) 3 and Rogue 2",
     [("Fighter", 3, "Champion"), ("Rogue", 2, "")], ""),
    ("name: A\nclasses: [Fighter 3, Rogue 2]", [("Fighter", 3, ""), ("Rogue", 2, "")], ""),
    ("name: A\nclasses:\n- Fighter: 3\n- Rogue: 2", [("Fighter", 3, ""), ("Rogue", 2, "")], ""),
    ("name: A\nclasses: [{name: Fighter 3}, {name: Rogue, level: 2}]",
     [("Fighter", 3, ""), ("Rogue", 2, "")], ""),
    ("name: A\nclasses: [{Rogue: 3}, {Fighter: 2, subclass: Champion}]",
     [("Rogue", 3, ""), ("Fighter", 2, "Champion")], "Rogue of level 3, Fighter of level 2 (Champion)"),
    ("name: A\nclasses: {Fighter: {level: 2, subclass: Champion}}", [("Fighter", 2, "Champion")], ""),
    ("name: A\nclass & level: Bard 3 / Rogue 1", [("Bard", 3, ""), ("Rogue", 1, "")], ""),
    ("name: A\nclass_level: Ranger 5", [("Ranger", 5, "")], "A: Ranger of level 5"),
    ("Name: A\nClass and Level: Ranger 5", [("Ranger", 5, "")], "A: Ranger of level 5"),
    ("Name: A\nClass: Ranger\nLevel: 5", [("Ranger", 5, "")], "A: Ranger of level 5"),
    ('{"name": "A", "class": "Wizard", "level": 7}', [("Wizard", 7, "")], ""),
    ("name: A\nclass: Wizard", [("Wizard", None, "")], "A: Wizard."),
    ("name: A\nclass: Fighter/Rogue", [("Fighter", None, ""), ("Rogue", None, "")],
     "A: Fighter, Rogue."),
])
def test_a_level_is_the_one_that_is_written(read, written, classes, told):
    character, who, _ = read(written)
    assert [(kind.name, kind.level, kind.subclass) for kind in character.base.classes] == classes
    assert told in f"{who}."


@pytest.mark.parametrize("written", [
    "class: Wizard 3/4", "class: '7'", "class: Wizard7", "class: Wizard level seven",
    "class: Wizard 7\nlevel: 5", "class: {Fighter: 3, Rogue: 2}\nlevel: 6",
    "class: {Fighter: 2, Rogue: 3, subclass: Champion}", "class: Fighter/Rogue\nlevel: 5", "classes: [Fighter 3, Rogue]\nlevel: 5",
])
def test_levels_that_are_unclear_are_refused_with_the_form(read, written):
    with pytest.raises(SessionsError, match=r"write `class: \{Wizard: 7\}`, of several classes "
                                            r"`class: \{Fighter: 3, Rogue: 2\}`"):
        read(f"name: A\n{written}")


@pytest.mark.parametrize(("written", "current", "most"), [
    ("hp: 19\nmax_hp: 36", 19, 36), ("max_hp: 36\nhp: 19", 19, 36), ('{"name": "A", "hp": 19, "max_hp": 36}', 19, 36),
    ("combat_stats: {hp: 19, max_hp: 36}", 19, 36), ("combat_stats: {max_hp: 36, hp: 19}", 19, 36),
    ("hp: 19\ncombat_stats: {max_hit_points: 36}", 19, 36), ("combat_stats: {max_hp: 36}\nhit_points: 19", 19, 36),
    ("HP: 19\nMax HP: 36", 19, 36), ("maxHp: 36\nhp: 19", 19, 36), ("current_hp: 19\nhp: 36", 19, 36),
    ("current_hp: 19\nmax_hp: 36", 19, 36), ("hp: 36", None, 36), ("hit points: 36", None, 36),
])
def test_hit_points_beside_their_maximum_are_those_now(read, written, current, most):
    character, who, _ = read(written if written[0] == "{" else f"name: A\n{written}")
    assert (character.combat_stats.current_hit_points, character.combat_stats.max_hit_points) == (current, most)
    assert character.notes == ()
    assert current is None or f"hit points: {current} of {most}" in who


@pytest.mark.parametrize("written", [
    "hp: 19\nhit_points: 36", "ac: 15\narmor_class: 16", "combat_stats: {ac: 15, armor_class: 16}", "current_hp: 3\nhp: 4\nmax_hp: 9",
])
def test_a_second_value_of_a_field_is_kept_and_told(read, written):
    character, _, warnings = read(f"name: A\n{written}")
    assert "by another name too" in warnings[0]
    assert len(character.notes) == 1


def renamed(key: str) -> dict[str, Any]:
    return {key if name == "system" else name: value for name, value in ACTOR.items()}


@pytest.mark.parametrize("actor", [
    ACTOR, renamed("data"), ACTOR | {"type": "npc"}, {**ACTOR, "items": []},
    {key: value for key, value in renamed("data").items() if key != "type"},
])
def test_a_foundry_actor_is_no_sheet(read, actor):
    with pytest.raises(SessionsError, match=r"hero\.txt: this looks like a Foundry actor"):
        read(json.dumps(actor), "hero.txt")


@pytest.mark.parametrize("written", [
    "name: Ilsa\nKlasse: Magierin\nStufe: 5\nTrefferpunkte: 30",
    '{"name": "Ilsa", "schema_version": 2, "attribs": [{"name": "hp", "current": 30}]}',
])
def test_a_file_of_nothing_but_a_name_is_no_sheet(read, written):
    with pytest.raises(SessionsError, match=r"only the name is one of a sheet's; write base:"):
        read(written)


@pytest.mark.parametrize("written", ["name: Ilsa", "base: {name: Ilsa}\npets: [Mog]"])
def test_a_short_sheet_is_one(read, written):
    assert read(written)[0].base.name == "Ilsa"


@pytest.mark.parametrize("written", ["name: No", "name: off", "name: Yes"])
def test_a_flag_is_no_name(read, written):
    with pytest.raises(SessionsError, match="must be"):
        read(f"{written}\nclass: Wizard 7")
