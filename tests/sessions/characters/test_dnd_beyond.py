"""Exports of D&D Beyond: what is worked out is right, and nothing need be there."""

import copy
import json
from dataclasses import astuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.sessions.characters.pieces import document_of
from mvp_site.sessions.characters.reading import read_sheet

from .sheets import EXPORT

DATA = json.loads(EXPORT)["data"]


def read(data):
    return read_sheet(json.dumps(data), "export.json")[0]


def test_what_an_export_says_is_on_the_sheet():
    found = read(json.loads(EXPORT))
    assert found == read(DATA)
    base, stats = found.base, found.combat_stats
    assert (base.name, base.race, base.subrace, base.player, base.alignment, base.xp) == (
        "Sorrel Tack", "Elf", "Wood Elf", "mira", "chaotic good", 14200)
    assert [(one.name, one.level, one.subclass) for one in base.classes] == [
        ("Ranger", 5, "Hunter"), ("Cleric", 2, "")]
    scores = found.ability_scores
    assert astuple(scores) == (8, 17, 14, 12, 14, 12)
    # 38 rolled + 2 x 7 Constitution + 2 bonus + 2 x 7 of the feat
    assert (stats.max_hit_points, stats.current_hit_points, stats.temporary_hit_points) == (68, 61, 4)
    # 14 + 2 of Dexterity 17 at most + shield 2 + 1 of magic + 1 by hand; the crown is not attuned
    assert (stats.armor_class, stats.initiative, stats.proficiency_bonus) == (20, 3, 3)
    assert (stats.hit_dice, stats.hit_dice_left, stats.conditions) == ("5d10 + 2d8", 6, ("poisoned",))
    assert [one.bonus for one in stats.saves] == [3, 7, 3, 2, 3, 2]
    assert [(one.name, one.bonus, one.damage, one.range) for one in stats.attacks] == [
        ("Longbow, +1", 9, "1d8+4 piercing", "150/600 ft."),
        ("Dagger", 3, "1d4+3 piercing", "20/60 ft.")]
    skills = {one.name: one.bonus for one in found.proficiencies.skills}
    assert len(skills) == 18
    assert (skills["Stealth"], skills["Perception"], skills["Athletics"]) == (9, 5, -1)
    assert {one.name: one.score for one in found.passive_scores} == {
        "Perception": 15, "Insight": 12, "Investigation": 11}
    caster = found.spell_list[0]
    assert (caster.ability, caster.save_dc, caster.attack_bonus) == ("Wisdom", 13, 5)
    assert [(one.level, one.total, one.used) for one in caster.slots] == [(1, 4, 3), (2, 3, 0)]
    assert [one.source for one in found.spell_list] == ["Ranger", "Cleric", "race"]
    assert [one.prepared for one in found.spell_list[1].spells] == [True, False]
    assert found.features_and_traits[0].description == "Leaves no tracks in moss & fern."
    assert "Too High" not in str(found)
    assert (found.allies[0].name, found.allies[0].description) == ("Old Perch", "pilots a barge")
    assert found.organisations[0].name == "Raft Guild"
    assert found.action_economy.bonus_actions[0].description == "2 per short rest. Steadies it."
    assert found.proficiencies.languages == ("Elvish", "Sylvan")
    assert found.damage_modifiers.resistances == ("Poison",)
    assert found.damage_modifiers.condition_immunities == ("Charmed",)
    assert found.inventory.coins.pp == 5
    assert [one.text for one in found.notes] == ["A jar of eels."]


def caster(name, level, divisor=None, sub=False):
    casts = {"canCastSpells": True, "spellCastingAbilityId": 4}
    rules = {"spellRules": {"multiClassSpellSlotDivisor": divisor}} if divisor else {}
    return {"id": name, "level": level, "definition": {"name": name, **rules,
            **({} if sub else casts)}, "subclassDefinition": casts if sub else None}


@pytest.mark.parametrize(("classes", "slots"), [
    ([caster("Wizard", 1)], [2]), ([caster("Wizard", 20)], [4, 3, 3, 3, 3, 2, 2, 1, 1]),
    ([caster("Paladin", 1, 2)], []), ([caster("Paladin", 5, 2)], [4, 2]),
    ([caster("Artificer", 1)], [2]), ([caster("Fighter", 7, sub=True)], [4, 2]),
    ([caster("Warlock", 5)], [0, 0, 2]), ([caster("Warlock", 17)], [0, 0, 0, 0, 4]),
    ([caster("Wizard", 3), caster("Paladin", 3, 2)], [4, 3]),
    ([caster("Fighter", 5)], [4, 3, 2]),
])
def test_spell_slots(classes, slots):
    found = read({"name": "A", "stats": [], "classes": classes, "classSpells": [
        {"characterClassId": one["id"], "spells": []} for one in classes]})
    totals = {one.level: one.total for block in found.spell_list for one in block.slots}
    assert totals == {at: many for at, many in enumerate(slots, 1) if many}


ARMOR = {kind: {"equipped": True, "definition": {
    "id": kind, "name": "worn", "armorTypeId": kind, "armorClass": base}}
    for kind, base in ((1, 12), (2, 15), (3, 18), (4, 2))}


@pytest.mark.parametrize(("worn", "modifiers", "total"), [
    ((), (), 14), ((1,), (), 16), ((2,), (), 17), ((3,), (), 18), ((1, 4), (), 18), ((4,), (), 16),
    ((), [{"type": "set", "subType": "unarmored-armor-class", "statId": 3}], 17),
    ((), [{"type": "set", "subType": "unarmored-armor-class", "value": 3}], 17),
    ((3,), [{"type": "bonus", "subType": "armored-armor-class", "value": 1}], 19),
    ((3,), [{"type": "bonus", "subType": "armor-class", "value": 1, "restriction": "at sea"}], 18),
])
def test_armor_class(worn, modifiers, total):
    found = read({"name": "A", "stats": [{"id": 2, "value": 18}, {"id": 3, "value": 16}],
                  "inventory": [ARMOR[kind] for kind in worn],
                  "classes": [], "modifiers": {"class": [*modifiers]}})
    assert found.combat_stats.armor_class == total


def places(value, path=()):
    if path:
        yield path
    if isinstance(value, dict):
        for key, one in value.items():
            yield from places(one, (*path, key))
    elif isinstance(value, list):
        for at, one in enumerate(value):
            yield from places(one, (*path, at))


PLACES = [one for one in places(DATA) if one not in {("name",), ("stats",)}]


@pytest.mark.parametrize(("line", "name", "about"), [
    ("Old Perch: pilots a barge", "Old Perch", "pilots a barge"), ("- Vane", "Vane", ""),
    ("Count Vane (tax farmer)", "Count Vane", "(tax farmer)"),
    ("In the city, nobody helped her.", "", "In the city, nobody helped her."),
    ("the Reed-Sisters – kin", "the Reed-Sisters", "kin"), ("x" * 61, "", "x" * 61),
])
def test_a_line_of_allies_is_one_of_them(line, name, about):
    found = read({"name": "A", "stats": [], "classes": [], "notes": {"allies": f"\n{line}\n"}})
    assert [(one.name, one.description) for one in found.allies] == [(name, about)]


@given(st.lists(st.tuples(st.sampled_from(PLACES), st.sampled_from(
    [None, [], {}, "", "<p>", "<!-- x", -1, 10**9, 1.5, True, [None, 3], {"x": "y"}])),
    min_size=1, max_size=12))
def test_anything_may_be_missing_or_wrong(changes):
    data = copy.deepcopy(DATA)
    for path, value in changes:
        at = data
        for step in path[:-1]:
            usable = isinstance(at, dict) or (isinstance(at, list) and step in range(len(at)))
            at = at[step] if usable and (isinstance(at, list) or step in at) else None
        if isinstance(at, dict) or (isinstance(at, list) and path[-1] in range(len(at))):
            at[path[-1]] = copy.deepcopy(value)
    try:
        document_of(read(data))
    except ValueError as error:
        pytest.fail(f"{changes}: {error}")
