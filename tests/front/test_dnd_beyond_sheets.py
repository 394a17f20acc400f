"""Characters out of D&D Beyond: what the sheet says is what the rules and the player's hand make it."""

import copy
import dataclasses
import json
from contextlib import closing
from typing import Any

import pytest
import yaml

from mvp_site import SessionNotes, Settings
from tests.front.conftest import CASES


def export(case: str, file: str) -> dict[str, Any]:
    return json.loads((CASES / "books" / case / file).read_text("utf-8"))


FULL = export("ddb_full", "vessa.json")


def sheet(values: dict[str, Any]) -> Any:
    with closing(SessionNotes.open(Settings())) as notes:
        (document,) = notes.import_characters("vale", [("export.json", json.dumps(values))])
        return notes.character("vale", document.id)


def changed(**values: Any) -> dict[str, Any]:
    """The full sheet with other values of its character."""
    full = copy.deepcopy(FULL)
    full["data"].update(values)
    return full


def plain(value: Any) -> Any:
    """As YAML has it, without fields that are empty."""
    if dataclasses.is_dataclass(value):
        fields = {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
        return {name: found for name, found in fields.items() if found not in (None, "", [], {}) and found is not False}
    return [plain(each) for each in value] if isinstance(value, tuple) else value


def test_a_full_sheet_has_every_number_and_text(project):
    assert plain(sheet(FULL)) == yaml.safe_load((CASES / "books/ddb_full/vessa.sheet.yaml").read_text("utf-8"))


MODIFIERS = FULL["data"]["modifiers"]
UNARMORED = {"type": "set", "subType": "unarmored-armor-class", "value": None}
STYLE = {"type": "bonus", "subType": "armored-armor-class", "value": 1}


@pytest.mark.parametrize(("worn", "granted", "by_hand", "armor_class"), [
    # With DEX +2, WIS +1 and, without the amulet, CON +2.
    ((), STYLE, (3, 1), 10 + 2 + 1), ((3,), STYLE, (3, 1), 18 + 1 + 1), ((3, 2), STYLE, (2, 1), 18 + 2 + 1 + 1), ((), UNARMORED | {"statId": 5}, (3, 0), 10 + 2 + 1),
    ((2,), UNARMORED | {"statId": 5}, (3, 0), 10 + 2 + 2),  # a monk has it without a shield
    ((2,), UNARMORED | {"statId": 3}, (3, 0), 10 + 2 + 2 + 2),  # a barbarian with one
    ((1,), STYLE, (4, 16), 16), ((1, 2), STYLE, (1, 25), 25),
])
def test_armor_class_by_what_is_worn(project, worn, granted, by_hand, armor_class):
    inventory = [{**one, "equipped": one["id"] in worn} for one in FULL["data"]["inventory"][:3]]
    found = sheet(changed(
        inventory=inventory, modifiers={"race": MODIFIERS["race"], "class": [granted]},
        characterValues=[{"typeId": by_hand[0], "value": by_hand[1], "valueId": None}]))
    assert found.combat_stats.armor_class == armor_class


@pytest.mark.parametrize(("values", "hit_points"), [
    ({"overrideHitPoints": 100}, (100, 60)), ({"bonusHitPoints": None, "removedHitPoints": 0}, (150, 150)),
    ({"modifiers": {"race": MODIFIERS["race"]}}, (78 + 12 * 2 + 3, 65)),
])
def test_hit_points_by_what_is_set(project, values, hit_points):
    stats = sheet(changed(**values)).combat_stats
    assert (stats.max_hit_points, stats.current_hit_points) == hit_points


@pytest.mark.parametrize(("value", "bonus", "proficient"), [(1, 0, False), (2, 1, False), (3, 2, True), (4, 4, True), (None, 0, False)])
def test_how_well_a_skill_is_learnt_is_set_by_hand(project, value, bonus, proficient):
    values = export("ddb_skill_override", "skill.json")
    values["data"]["characterValues"][0]["value"] = value
    found = sheet(values)
    religion = next(one for one in found.proficiencies.skills if one.name == "Religion")
    assert (religion.bonus, religion.proficient) == (bonus, proficient)
    assert found.proficiencies.languages == ("Marsh Cant",)
    assert found.proficiencies.tools == ()


def test_cases_of_potions_scales_and_templates(project):
    assert sheet(export("ddb_potion", "potion.json")).combat_stats.max_hit_points == 26
    (sneak,) = sheet(export("ddb_level_scale", "scale.json")).features_and_traits
    assert sneak.description.startswith("Sneak Attack 3d6 at this level. Once per turn")
    (points,) = sheet(export("ddb_tokens", "token.json")).action_economy.other
    assert points.description == "5 per short rest, 4 left. You have 5 points and your save DC is 13. A catch reduces the damage by 1d10 + 8. See prone."
    boiler = sheet(export("ddb_boilerplate", "boiler.json"))
    assert boiler.features_and_traits == ()
    assert (boiler.combat_stats.current_hit_points, boiler.combat_stats.max_hit_points) == (25, 32)


def test_a_sheet_answers_in_the_first_line(project, command):
    (project / "boiler.json").write_text(json.dumps(export("ddb_boilerplate", "boiler.json")))
    assert command("characters", "import", "vale", "boiler.json").exit_code == 0
    assert "Hit points: 25 of 32" in command("ask", "how many hit points do I have left?", "--campaign", "vale").stdout.splitlines()[0]
