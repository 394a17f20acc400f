"""Sheets that people write: short forms and levels as they stand, all mistakes at once, other tools' files refused."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from mvp_site.errors import SessionsError
from mvp_site.operations.services import Services
from mvp_site.sessions.characters.character import Headed
from tests.front.conftest import CASES

ACTOR = json.loads((CASES / "books" / "foundry_actor" / "actor.json").read_text("utf-8"))
Read = Callable[..., Any]


@pytest.fixture
def read(shared_services: Services, campaign: str) -> Read:
    """Reads a sheet: the character, the piece that says who it is, and the warnings."""
    def imported(text: str, file: str = "s.yaml") -> Any:
        notes = shared_services.session_notes()
        (document,) = notes.import_characters(campaign, [(file, text)])
        return notes.character(campaign, document.id), document.pieces[0].text, document.warnings

    return imported


@pytest.mark.parametrize(("text", "part", "value"), [
    ("base: {name: A}\nbackstory: Once.", "backstory.0.text", "Once."), ("base: {name: A}\nnotes: {Bells: nine}", "notes.0.title", "Bells"),
    ("base: {name: A}\nallies: [Bo]", "allies.0.name", "Bo"), ("base: {name: A}\nallies: {name: Bo, role: cook}", "allies.0.role", "cook"),
    ("base: {name: A}\ncombat_stats: {saves: {Wisdom: 4}}", "combat_stats.saves.0.bonus", 4),
    ("base: {name: A}\ncharacteristics: {age: 40, height: null}", "characteristics.age", "40"), ("\ufeff{\"base\": {\"name\": \" A \"}}", "base.name", "A"),
    ("base: A\ninventory: [rope, torch]", "inventory.items.1.name", "torch"), ("base: A\nequipment: [rope]\ncoins: {gold: 3}", "inventory.coins.gp", 3),
    ("base: A\nspells: [Light, Web]", "spell_list.1.spells.0.name", "Web"), ("base: A\nspell_list: {wizard: [Light, {name: Web, level: 2}]}", "spell_list.0.spells.1.level", 2),
    ("base: A\nbackground: soldier", "background.name", "soldier"), ("base: A\nobjectives: [Win]", "objectives.active.0.name", "Win"),
    ("base: A\nhit_points: 24", "combat_stats.max_hit_points", 24), ("base: A\nstr: 8\nability_scores: {dex: 9}", "ability_scores.strength", 8),
    ("base: A\nlanguages: [Elvish]", "proficiencies.languages.0", "Elvish"), ("hp: 19\nmax_hp: 36\nname: A", "combat_stats.current_hit_points", 19),
    ("hp: 19\nmax_hp: 36\nname: A", "combat_stats.max_hit_points", 36),
])
def test_shorter_forms_are_taken(read: Read, text: str, part: str, value: object) -> None:
    found, _, warnings = read(text)
    for step in part.split("."):
        found = found[int(step)] if step.isdigit() else getattr(found, step)
    assert (found, warnings) == (value, ())


@pytest.mark.parametrize(("written", "classes", "told"), [
    ("base: {name: A, class: Wizard, level: 7}", [("Wizard", 7, "")], "A: Wizard of level 7"), ("name: A\nclass: Wizard\nlevel: 7", [("Wizard", 7, "")], "A: Wizard of level 7"),
    ("name: A\nclass: Wizard 7\nlevel: 7", [("Wizard", 7, "")], "A: Wizard of level 7"), ("name: A\nclass: {Wizard: 7}", [("Wizard", 7, "")], "A: Wizard of level 7"),
    ("name: A\nclass: {name: Wizard, subclass: Evocation}\nlevel: 7", [("Wizard", 7, "Evocation")], "Wizard of level 7 (Evocation)"),
    ("name: A\nclass: Fighter (Champion) 3 / Rogue 2\nlevel: 5", [("Fighter", 3, "Champion"), ("Rogue", 2, "")], "level 5 in all"),
    ("name: A\nclasses: [Fighter 3, {name: Rogue, level: 2}]", [("Fighter", 3, ""), ("Rogue", 2, "")], ""),
    ("name: A\nclass: Fighter/Rogue", [("Fighter", None, ""), ("Rogue", None, "")], "A: Fighter, Rogue."),
])
def test_a_level_is_the_one_that_is_written(read: Read, written: str, classes: Any, told: str) -> None:
    character, who, _ = read(written)
    assert [(kind.name, kind.level, kind.subclass) for kind in character.base.classes] == classes
    assert told in f"{who}."


@pytest.mark.parametrize("written", [
    "class: Wizard 3/4", "class: '7'", "class: Wizard7", "class: Wizard level seven", "class: Level 7 Wizard", "class: Wizard 7\nlevel: 5",
    "class: {Fighter: 3, Rogue: 2}\nlevel: 6", "class: Fighter/Rogue\nlevel: 5",
])
def test_levels_that_are_unclear_are_refused_with_the_form(read: Read, written: str) -> None:
    with pytest.raises(SessionsError, match=r"write `class: \{Wizard: 7\}`, of several classes `class: \{Fighter: 3, Rogue: 2\}`"):
        read(f"name: A\n{written}")


def test_keys_that_no_part_has_are_kept_and_told_and_secrets_are_the_dms(read: Read) -> None:
    found, _, warnings = read("base: {name: A, omen: crow}\npets: {cat: Mog}\nDM_only: x\nac: 15\ncombat_stats: {armor_class: 16}\nallies: [{name: Bo, secret: is a spy}]")
    assert {*found.notes} == {Headed("base: omen", "crow"), Headed("pets", "cat: Mog"), Headed("combat_stats: ac", "15")}
    assert {*found.dm_notes} == {Headed("DM_only", "x"), Headed("allies: entry 1: secret", "is a spy")}
    assert "no part of a sheet has a key of this name, or the sheet has the field by another name too: base: omen, combat_stats: ac, " in warnings[0]


@pytest.mark.parametrize(("text", "said"), [
    ("", ["s.yaml holds no character's sheet", "base: {name: …}"]), ("a: [", ["s.yaml is not YAML"]),
    ("base: {name: A}\nbase: {name: B}", ['s.yaml line 2: the key "base" is there twice']), ('{"base": {"name": "A"', ["s.yaml is not JSON"]),
    ('{"base": {"name": "a\\u0000b"}}', ["s.yaml has a NUL"]), ("pets: [Mog]", ["base: is missing; write at least base: {name: …}"]),
    ("base: {name: '  '}", ["base: name: must have at least 1 character"]), ("name: off\nclass: Wizard 7", ["base: name: must be a valid text"]),
    ("base: {name: A}\nability_scores: {strength: 31}", ["ability_scores: strength: must be less than or equal to 30; found 31"]),
    ("base: {name: A}\ninventory: {items: [Rope, {name: Axe, kind: tool}]}", ["inventory: items: entry 2: kind: must be 'item', 'weapon' or 'armor'; found \"tool\""]),
    ("base: 5\nspell_list: [{spells: {Light: ten}}]\ncombat_stats: {max_hit_points: x}",
     ["mend these:\n- base: must be an object: Base", "- combat_stats: max_hit_points: must be a valid integer; found \"x\"\n", "spell_list: entry 1: spells: entry 1: level: must be a valid integer"]),
    ("name: Ilsa\nKlasse: Magierin\nStufe: 5", ["only the name is one of a sheet's; write base:"]),
])
def test_what_is_wrong_is_told_all_at_once(read: Read, text: str, said: list[str]) -> None:
    with pytest.raises(SessionsError) as error:
        read(text)
    assert [one for one in said if one not in str(error.value)] == []


@pytest.mark.parametrize("actor", [ACTOR, {"data" if key == "system" else key: value for key, value in ACTOR.items()}, ACTOR | {"items": []}])
def test_a_foundry_actor_is_no_sheet(read: Read, actor: object) -> None:
    with pytest.raises(SessionsError, match=r"hero\.txt: this looks like a Foundry actor"):
        read(json.dumps(actor), "hero.txt")


@pytest.mark.parametrize("written", ["name: Ilsa", "base: {name: Ilsa}\npets: [Mog]"])
def test_a_short_sheet_is_one(read: Read, written: str) -> None:
    assert read(written)[0].base.name == "Ilsa"
