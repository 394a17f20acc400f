"""Sheets read, written and told wrong; their JSON Schema."""

import json
from dataclasses import fields, replace
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import TypeAdapter

from mvp_site.errors import SessionsError
from mvp_site.sessions.characters.character import Character, Headed
from mvp_site.sessions.characters.reading import (
    read_character,
    read_sheet,
    schema,
    write_character,
)
from mvp_site.sessions.intentions import CharacterPromptHelper, parts_of

from .sheets import SAMPLES, characters, sample

WRONG = [
    ("", ["s.yaml holds no character's sheet", "base: {name: …}"]),
    ("- base", ["s.yaml holds no character's sheet"]),
    ("a: [", ["s.yaml is not YAML"]),
    ("base: {name: A}\nbase: {name: B}", ['s.yaml line 2: the key "base" is there twice']),
    ('{"base": {"name": "A"', ["s.yaml is not JSON"]),
    ('{"base": {"name": "A", "name": "B"}}', ["s.yaml has the key 'name' twice"]),
    ('{"base": {"name": "a\\u0000b"}}', ["s.yaml has a NUL"]),
    ("pets: [Mog]", ["base: is missing; write at least base: {name: …}"]),
    ("race: elf", ["base: name: is missing"]),
    ("base: {race: elf}", ["base: name: is missing"]),
    ("base: {name: '  '}", ["base: name: must have at least 1 character"]),
    ("base: 5", ["base: must be an object: Base"]),
    ("base: {name: A}\nability_scores: {strength: 31}",
     ["ability_scores: strength: must be less than or equal to 30; found 31"]),
    ("base: {name: A}\nallies: 5", ["allies: must be a list; found 5"]),
    ("base: {name: A}\ninventory: {items: [Rope, {name: Axe, kind: tool}]}",
     ["inventory: items: entry 2: kind: must be 'item', 'weapon' or 'armor'; found \"tool\""]),
    (("base: {name: A, level: [1]}\nspell_list: [{spells: {Light: ten}}]\n"
      "dm_notes: {a: {b: 1}}\ncombat_stats: {max_hit_points: x}"),
     ["mend these:\n", "- combat_stats: max_hit_points: must be a valid integer; found \"x\"\n",
      "spell_list: entry 1: spells: entry 1: level: must be a valid integer"]),
    ('{"success": false, "data": null}', ["base: is missing"]),
]


@pytest.mark.parametrize(("text", "said"), WRONG)
def test_what_is_wrong_is_told_all_at_once(text, said):
    with pytest.raises(SessionsError) as error:
        read_character(text, "s.yaml")
    for one in said:
        assert one in str(error.value)


@pytest.mark.parametrize(("text", "part", "value"), [
    ("base: {name: A, classes: {wizard: 3}}", "base.classes.0.level", 3),
    ("base: {name: A}\nbackstory: Once.", "backstory.0.text", "Once."),
    ("base: {name: A}\nnotes: {Bells: nine}", "notes.0.title", "Bells"),
    ("base: {name: A}\nallies: [Bo]", "allies.0.name", "Bo"),
    ("base: {name: A}\nallies: {name: Bo, role: cook}", "allies.0.role", "cook"),
    ("base: {name: A}\ncombat_stats: {saves: {Wisdom: 4}}", "combat_stats.saves.0.bonus", 4),
    ("base: {name: A}\ncharacteristics: {age: 40, height: null}", "characteristics.age", "40"),
    ("\ufeff{\"base\": {\"name\": \" A \"}}", "base.name", "A"),
    ("base: A\ninventory: [rope, torch]", "inventory.items.1.name", "torch"),
    ("base: A\nequipment: rope", "inventory.items.0.name", "rope"),
    ("base: A\nspells: [Light, Web]", "spell_list.1.spells.0.name", "Web"),
    ("base: A\nspell_list: {wizard: [Light, {name: Web, level: 2}]}", "spell_list.0.spells.1.level", 2),
    ("base: A\nfeatures: [Darkvision]", "features_and_traits.0.name", "Darkvision"),
    ("base: A\nbackground: soldier", "background.name", "soldier"),
    ("base: A\nobjectives: [Win]", "objectives.active.0.name", "Win"),
    ("name: A\nclass: {bard: 2}", "base.classes.0.level", 2),
    ("name: A\nclass: bard\nlevel: 3", "base.classes.0.level", 3),
    ("base: A\nhit_points: 24", "combat_stats.max_hit_points", 24),
    ("base: A\ncombat_stats: {hp: 24, max_hit_points: 25}", "combat_stats.max_hit_points", 25),
    ("base: A\nstr: 8\nability_scores: {dex: 9}", "ability_scores.strength", 8),
    ("base: A\nlanguages: [Elvish]", "proficiencies.languages.0", "Elvish"),
])
def test_shorter_forms_are_taken(text, part, value):
    found = read_character(text, "a sheet")
    for step in part.split("."):
        found = found[int(step)] if step.isdigit() else getattr(found, step)
    assert found == value


@pytest.mark.parametrize(("text", "told"), [
    ("base: A", ()), ("base: A\nhp: 9", ()), ("base: A\npets: {cat: Mog}", ("pets",)),
    ("base: {name: A, omen: crow}\nallies: [{name: Bo, secret: a spy}]",
     ("base: omen", "allies: entry 1: secret")),
    ("base: A\nname: B", ("name",)), ("base: A\nhp: 9\nhit_points: 8", ("combat_stats: hit_points",)),
    ("base: A\narmor: plate", ("armor",)), ("base: A\nstrength: 3\nability_scores: {str: 4}", ("strength",)),
])
def test_keys_that_go_to_the_notes_are_told(text, told):
    assert read_sheet(text, "a sheet")[1] == told


def test_unknown_keys_are_kept_and_secrets_go_to_the_dm():
    found = read_character(
        "base: {name: A, omen: crow}\npets: {cat: Mog}\nDM_only: x\n"
        "allies: [{name: Bo, secret: is a spy}]", "a sheet")
    assert set(found.notes) == {Headed("base: omen", "crow"), Headed("pets", "cat: Mog")}
    assert set(found.dm_notes) == {
        Headed("DM_only", "x"), Headed("allies: entry 1: secret", "is a spy")}


@pytest.mark.slow
@given(characters())
def test_what_is_written_reads_back_equal(character):
    text = write_character(character)
    assert read_character(text, "a sheet") == character
    assert write_character(read_character(text, "a sheet")) == text
    Draft202012Validator(schema()).validate(json.loads(text))


def test_half_a_pair_is_not_written():
    character = read_character("base: {name: A}", "a sheet")
    with pytest.raises(SessionsError, match="surrogate"):
        write_character(replace(character, notes=(Headed("", "\ud800"),)))


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_fill_every_part_and_keep_the_rules(name):
    character = sample(name)
    assert all(getattr(character, one.name) for one in fields(character))
    text = files("mvp_site.sessions").joinpath("samples", f"{name}.yaml").read_text("utf-8")
    plain = TypeAdapter(Character).dump_python(character, mode="json", exclude_defaults=True)
    assert all(key in plain for key in schema()["properties"]), text[:40]
    stats, scores, bonus = character.combat_stats, character.ability_scores, 3
    mods = {one.name.capitalize(): getattr(scores, one.name) // 2 - 5 for one in fields(scores)}
    assert stats.proficiency_bonus == bonus
    assert all(one.bonus == mods[one.name] + bonus * bool(one.proficient) for one in stats.saves)
    skills = {one.name: one.bonus for one in character.proficiencies.skills}
    assert all(one.score == 10 + skills.get(one.name, mods["Intelligence"])
               for one in character.passive_scores)
    for one in character.spell_list:
        assert (one.save_dc, one.attack_bonus) == (11 + mods[one.ability], 3 + mods[one.ability])


def test_intentions_name_parts_that_a_sheet_has():
    parts = {one.name for one in fields(Character)}
    assert all(set(parts_of("character", one)) <= parts for one in CharacterPromptHelper.intents)


@given(st.text())
def test_any_text_reads_or_is_refused(text):
    with pytest.raises(SessionsError, match=r"^a sheet"):
        read_character(f"{text}\nbase: 5", "a sheet")
