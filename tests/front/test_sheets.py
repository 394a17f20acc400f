"""Sheets that people write: short forms, all mistakes at once, other tools' files refused; answers lead with the field asked for."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from mvp_site.errors import SessionsError
from mvp_site.operations.asking import Ask
from mvp_site.operations.services import Services
from mvp_site.operations.sessions import FileText, ImportFiles
from mvp_site.sessions.characters.character import Headed
from tests.front.conftest import CASES

from .conftest import Operate

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
    ("name: Ilsa", "base.name", "Ilsa"), ("base: A\nbackground: soldier", "background.name", "soldier"), ("base: A\nobjectives: [Win]", "objectives.active.0.name", "Win"),
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


@pytest.mark.parametrize("actor", [ACTOR, {"data" if key == "system" else key: value for key, value in ACTOR.items()}])
def test_a_foundry_actor_is_a_sheet(read: Read, actor: object) -> None:
    found, _, warnings = read(json.dumps(actor), "hero.txt")
    stats, cleric = found.combat_stats, found.spell_list[0]
    assert (stats.armor_class, stats.current_hit_points, stats.max_hit_points, found.ability_scores.wisdom) == (18, 30, 34, 18)
    assert [(one.name, one.level) for one in found.base.classes] == [("Cleric", 5)]
    assert (found.inventory.coins.gp, [(one.name, one.quantity) for one in found.inventory.items]) == (128, [("Rope", 2)])
    assert ([(one.level, one.total, one.used) for one in cleric.slots], [one.name for one in cleric.spells]) == ([(1, 4, 1)], ["Bless"])
    assert (found.backstory[0].text, warnings) == ("Raised by ferrymen.", ())


@pytest.mark.parametrize("other", [ACTOR | {"type": "npc"}, {"name": "Bless", "type": "spell", "system": {"level": 1}}, ACTOR | {"type": "vehicle"}])
def test_what_is_no_sheet_is_refused_by_what_it_is(read: Read, other: object) -> None:
    with pytest.raises(SessionsError, match=r"hero\.txt: it is a Foundry .*own entities|hero\.txt: it is a Foundry .*not read"):
        read(json.dumps(other), "hero.txt")


ILSE = (CASES / "books/ilse.yaml").read_text("utf-8")


@pytest.fixture(scope="module")
def ask(shared: Operate) -> Callable[[str], str]:
    """Asks as Ilse; gives the whole answer."""
    assert shared("characters.import", ImportFiles("c", (FileText("ilse.yaml", ILSE),))).documents
    return lambda query: str(shared("ask", Ask(query, character="Ilse", campaign="c")).text)


@pytest.mark.parametrize(("query", "says"), [
    ("How many hit points do I have?", "hit points: 25 of 32"), ("How many HP do I have left?", "hit points: 25 of 32"), ("my hitpoints?", "hit points: 25 of 32"),
    ("What is my AC?", "armor class: 12"), ("What's my armor class?", "armor class: 12"), ("my initiative?", "initiative: +2"),
    ("What is my speed?", "walk: 30 ft."), ("What is my stealth bonus?", "Stealth +2"), ("What is my Perception?", "Perception +4"),
    ("What is my passive perception?", "Perception 14"), ("What is my strength?", "Strength 8 (-1)"), ("How high is my intelligence save?", "Intelligence +7"),
    ("What's my DEX?", "Dexterity 15 (+2)"), ("How much gold do I have?", "gold: 141"), ("Which languages do I speak?", "languages: Common; Elvish; Draconic"),
    ("What is my spell save DC?", "save DC: 15"), ("How old am I, what is my age?", "age: 137 years"), ("What is my alignment?", "alignment: neutral good"),
    ("How many experience points have I got?", "experience points: 8200"), ("What is my proficiency bonus?", "proficiency bonus: +3"),
    ("How many hit dice do I have?", "hit dice: 4 of 5d6"), ("What level am I?", "wizard of level 5"), ("What is my race?", "high elf"),
    ("How far does my darkvision reach?", "darkvision: 60 ft."),
    ("Which conditions do I have?", "tired from two nights of watch on the wall above the drowned quarter, where nobody ever sleeps well"),
    ("what's my dex save", "Dexterity +2"), ("what's my con save?", "Constitution +4"), ("my dex saving throw bonus", "Dexterity +2"), ("my int save", "Intelligence +7"),
    ("my swim speed", "swim: 20 ft."), ("my armour class", "armor class: 12"), ("my longsword attack", "+8"),
    ("my climb speed", "climb: 15 ft."), ("my persuasion", "Persuasion +12"), ("How much platinum do I have?", "platinum: 2"),
    ("who is my god", "deity: Mystra"), ("How many spell slots do I have?", "3 of 4 level 1 slots left"),
])
def test_a_question_about_a_field_leads_with_it(ask: Callable[[str], str], query: str, says: str) -> None:
    line = ask(query).splitlines()[0]
    assert says.casefold() in line.casefold()
    assert line.endswith("[1]")
    assert len(line) < 300


def test_a_long_part_is_cut_between_fields(ask: Callable[[str], str]) -> None:
    quoted = [line for line in ask("Tell me of my skills and combat stats").splitlines() if "skills**" in line or "combat stats**" in line]
    fields = {"Arcana +7", "armor class: 12", "armor class: 12 (unarmored; 15 with Mage Armor)"}
    assert quoted
    for line in quoted:
        text = line.partition("**: ")[2]
        assert ":" not in text[-6:], line
        assert any(one in line for one in fields)


def test_nothing_is_said_that_the_sheet_does_not_say(shared: Operate, campaign: str) -> None:
    shared("characters.import", ImportFiles(campaign, (FileText("a.yaml", "base: {name: Ada}\ndamage_modifiers: {resistances: [cold]}"),)))
    found = shared("ask", Ask("Am I resistant to fire?", character="Ada", campaign=campaign))
    assert "resistances: cold" in found.text
    assert ": none" not in found.text


@pytest.mark.parametrize("written", ["speed: 25 ft", "speed: 25", "combat_stats: {speed: 25 ft}"])
@pytest.mark.parametrize(("query", "says"), [("What is my speed?", "walk: 25"), ("How much gold do I have?", "gold: 212")])
def test_short_keys_at_the_top_are_fields(shared: Operate, campaign: str, written: str, query: str, says: str) -> None:
    done = shared("characters.import", ImportFiles(campaign, (FileText("a.yaml", f"name: Ada\ninventory: {{coins: {{gold: 212}}}}\n{written}"),)))
    assert done.documents[0].warnings == ()
    assert says in shared("ask", Ask(query, character="Ada", campaign=campaign)).text.splitlines()[0].lower()
