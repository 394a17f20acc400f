"""Exports of D&D Beyond: nothing need be there, and slots follow the classes."""

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.sessions.characters.pieces import document_of
from mvp_site.sessions.characters.reading import read_sheet

from .sheets import EXPORT

DATA = json.loads(EXPORT)["data"]


def read(data):
    return read_sheet(json.dumps(data), "export.json")[0]


def caster(name, level, divisor=None, sub=False):
    casts = {"canCastSpells": True, "spellCastingAbilityId": 4}
    rules = {"spellRules": {"multiClassSpellSlotDivisor": divisor}} if divisor else {}
    return {"id": name, "level": level, "definition": {"name": name, **rules, **({} if sub else casts)}, "subclassDefinition": casts if sub else None}


@pytest.mark.parametrize(("classes", "slots"), [
    ([caster("Wizard", 1)], [2]), ([caster("Wizard", 20)], [4, 3, 3, 3, 3, 2, 2, 1, 1]), ([caster("Paladin", 1, 2)], []), ([caster("Paladin", 5, 2)], [4, 2]),
    ([caster("Artificer", 1)], [2]), ([caster("Fighter", 7, sub=True)], [4, 2]), ([caster("Warlock", 5)], [0, 0, 2]), ([caster("Warlock", 17)], [0, 0, 0, 0, 4]),
    ([caster("Wizard", 3), caster("Paladin", 3, 2)], [4, 3]), ([caster("Fighter", 5)], [4, 3, 2]),
])
def test_spell_slots(classes, slots):
    found = read({"name": "A", "stats": [], "classes": classes, "classSpells": [{"characterClassId": one["id"], "spells": []} for one in classes]})
    totals = {one.level: one.total for block in found.spell_list for one in block.slots}
    assert totals == {at: many for at, many in enumerate(slots, 1) if many}


def places(value, path=()):
    if path:
        yield path
    for key, one in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(one, (*path, key))


PLACES = [one for one in places(DATA) if one not in {("name",), ("stats",)}]


@given(st.lists(st.tuples(st.sampled_from(PLACES), st.sampled_from(
    [None, [], {}, "", "<p>", "<!-- x", -1, 10**9, 1.5, True, [None, 3], {"x": "y"}])), min_size=1, max_size=12))
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
