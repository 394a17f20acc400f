"""Repairs: each was called for, each holds, and a second round finds nothing to do."""

from __future__ import annotations

import copy
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.srd import Kind, Repair, Srd, What
from mvp_site.srd.raw import Row, Tables
from mvp_site.srd.repairs import repair
from mvp_site.srd.repairs.classes import without_foreign
from mvp_site.srd.repairs.log import ABSENT, REMOVED, Log, look, places, shown
from mvp_site.srd.repairs.texts import cleaned, levelled

from .conftest import Repaired

# (type, slug, field, found, now): one case of every cause, and all that are known by name.
CASES = [
    ("monsters", "ankheg", "xp", "250", "450"),
    ("monsters", "xorn", "xp", "18000", "1800"),
    ("monsters", "dretch", "xp", "25", "50"),
    ("monsters", "riding-horse", "xp", "25", "50"),
    ("monsters", "brass-dragon-wyrmling", "xp", "100", "200"),
    ("monsters", "deep-gnome-svirfneblin", "xp", "50", "100"),
    ("monsters", "giant-centipede", "xp", "450", "50"),
    ("monsters", "bone-devil", "challenge_rating", "12", "9"),
    ("monsters", "bone-devil", "xp", "8400", "5000"),
    ("monsters", "cult-fanatic", "hit_points", "22", "33"),
    ("monsters", "ankheg", "hit_dice", '"6d10"', '"6d10+6"'),
    ("monsters", "ankheg", "subtype", '"None"', "null"),
    ("monsters", "imp", "subtype", '"devil"', '"devil, shapechanger"'),
    ("monsters", "doppelganger", "alignment", '"unaligned"', '"neutral"'),
    ("monsters", "giant-elk", "armor_class", "15", "14"),
    ("monsters", "ghast", "damage_immunities > 0", '"posion"', '"poison"'),
    ("monsters", "blink-dog", "senses > passive_perception", "10", "13"),
    ("monsters", "spider", "senses > passive_perception", "12", "10"),
    ("monsters", "ochre-jelly", "condition_immunities", None, '["blinded", "charmed", "deafened", "exhaustion", "frightened", "prone"]'),
    ("monsters", "drow", "actions > Shortsword > damage > 0 > damage_type", '"bludgeoning"', '"piercing"'),
    ("monsters", "ice-mephit", "actions > Frost Breath (Recharge 6) > dc > dc_value", "23", "10"),
    ("monsters", "vampire", "legendary_actions > Move > attack_bonus", "0", REMOVED),
    ("monsters", "troll", "special_abilities > Variant: Loathsome Limbs", None, REMOVED),
    ("monsters", "adult-red-dragon", "actions > Lair Actions", None, REMOVED),
    ("monsters", "shrieker", "actions > Shriek", None, REMOVED),
    ("monsters", "ancient-brass-dragon", "actions > Breath Weapons > attack_options > from > 0 > damage > 0 > damage_dice", '"2d6+8"', '"16d6"'),
    ("monsters", "solar", "actions > Greatsword > damage > 0 > damage_type", '"radiant"', '"slashing"'),
    ("monsters", "red-dragon-wyrmling", "actions > Fire Breath > desc", None, None),
    ("monsters", "boar", "actions > Tusk > desc", None, None),
    ("spells", "fireball", "ritual", '"False"', "false"),
    ("spells", "divination", "classes", '["druid"]', '["cleric"]'),
    ("spells", "hunters-mark", "classes", '["paladin", "ranger"]', '["ranger"]'),
    ("spells", "fire-storm", "area_of_effect > size", "100", "10"),
    ("spells", "forbiddance", "area_of_effect", None, REMOVED),
    ("spells", "web", "dc", ABSENT, '{"dc_type": "dex", "dc_success": "none"}'),
    ("spells", "vicious-mockery", "attack_type", '"ranged"', REMOVED),
    ("spells", "scorching-ray", "attack_type", ABSENT, '"ranged"'),
    ("spells", "acid-arrow", "subclasses", '["lore", "land"]', '["land"]'),
    ("spells", "plant-growth", "casting_time", '"1 action"', '"1 action or 8 hours"'),
    ("spells", "magic-circle", "desc > 0", None, None),
    ("magic-items", "bracers-of-defense", "desc > 0", '"Wondous item, rare (requires attunement)"', '"Wondrous item, rare (requires attunement)"'),
    ("magic-items", "stone-of-good-luck-(luckstone)", "index", None, '"stone-of-good-luck-luckstone"'),
    ("armor", "dragon-scale-mail", "", "Dragon Scale Mail", REMOVED),
    ("equipment", "longsword", "", "Longsword", REMOVED),
    ("armor", "skin-armor", "", "Skin Armor", REMOVED),
    ("weapons", "hands", "", "Hands", REMOVED),
    ("weapons", "trident", "damage > damage_type", '"slashing"', '"piercing"'),
    ("weapons", "blowgun", "damage > damage_dice", '"1d1"', '"1"'),
    ("weapons", "club", "range > long", '"None"', "null"),
    ("armor", "breastplate", "armor_class > dex_bonus", '"True"', "true"),
    ("equipment", "caltrops", "cost", '{"quantity": 5, "unit": "cp"}', '{"quantity": 1, "unit": "gp"}'),
    ("equipment", "barding-ring-mail", "cost", '{"quantity": 12, "unit": "gp"}', '{"quantity": 120, "unit": "gp"}'),
    ("equipment", "disguise-kit", "equipment_category", '"adventuring-gear"', '"tools"'),
    ("equipment-categories", "armor", "equipment", '30 elements, only here ["skin-armor"]', "29 elements"),
    ("ability-scores", "con", "", ABSENT, "CON"),
    ("classes", "druid", "levels > druid-7 > class_specific > wild_shape_max_cr", "1", "0.5"),
    ("classes", "sorcerer", "levels > sorcerer-16 > class_specific > metamagic_known", "4", "3"),
    ("classes", "warlock", "levels > warlock-4 > class_specific > invocations_known", "3", "2"),
    ("classes", "warlock", "levels > warlock-6 > class_specific > invocations_known", "4", "3"),
    ("classes", "rogue", "levels > rogue-11 > ability_score_bonuses", "2", "3"),
    ("classes", "barbarian", "levels > barbarian-20 > class_specific > rage_count", "9999", '"Unlimited"'),
    ("classes", "barbarian", "levels > barbarian-6 > features", '["primal-path-improvement-1"]', '["primal-path"]'),
    ("classes", "wizard", "proficiencies", None, '["daggers", "quarterstaffs", "darts", "slings", "crossbows-light"]'),
    ("classes", "wizard", "starting_equipment_options > 2 > from > 1 > equipment", '"dungeoneers-pack"', '"explorers-pack"'),
    ("classes", "monk", "proficiency_choices", None, None),
    ("subclasses", "life", "spells", "9 elements", None),
    ("features", "eldritch-invocation-eldritch-spear", "prerequisites > 0 > spell", '"/api/spells/dominate-monster"', '"/api/spells/eldritch-blast"'),
    ("features", "arcane-tradition-improvement-1", "", "Arcane Tradition feature", REMOVED),
    ("features", "supreme-healing", "subclass", ABSENT, '"life"'),
    ("races", "half-orc", "traits", None, None),
    ("languages", "deep-speech", "script", '"None"', "null"),
    ("backgrounds", "acolyte", "starting_gold", ABSENT, '{"quantity": 15, "unit": "gp"}'),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "slug", "field", "found", "now"), CASES)
def test_known_repairs(
    repaired: Repaired, kind: str, slug: str, field: str, found: str | None, now: str | None
) -> None:
    same = [r for r in repaired.report if (r.type, r.slug, r.field) == (kind, slug, field)]
    assert same
    assert found in {None, same[0].found}
    assert now in {None, same[-1].now}


def test_travel_pace(repaired: Repaired) -> None:
    def row(tables: Tables, pace: str) -> list[str]:
        text = tables[Kind.RULE_SECTIONS]["movement"]["desc"]
        line = next(line for line in text.split("\n") if line.startswith(f"| {pace}"))
        return [cell.strip() for cell in line.split("|")]

    assert (row(repaired.before, "Normal")[4], row(repaired.before, "Slow")[4]) == ("18 miles", "24 miles")
    assert (row(repaired.after, "Normal")[4], row(repaired.after, "Slow")[4]) == ("24 miles", "18 miles")


def _grouped(report: tuple[Repair, ...]) -> dict[tuple[Kind, str, str], list[Repair]]:
    groups: dict[tuple[Kind, str, str], list[Repair]] = defaultdict(list)
    for one in report:
        groups[one.type, one.slug, one.field].append(one)
    return groups


def test_each_repair_was_called_for_and_holds(repaired: Repaired) -> None:
    renamed = {one.slug for one in repaired.report if one.field == "index"}
    dropped = {(r.type, r.slug, r.field) for r in repaired.report if r.now == REMOVED}
    groups = _grouped(repaired.report)
    for (kind, slug, field), repairs in groups.items():
        if slug in renamed:
            continue
        before, after = repaired.before[kind].get(slug), repaired.after[kind].get(slug)
        if not field:
            assert (before is None, after is None) == ((False, True) if repairs[0].now == REMOVED else (True, False))
            continue
        assert before is not None
        assert after is not None
        old, new = look(before, field), look(after, field)
        if new is ABSENT and repairs[-1].now != REMOVED:
            assert any(field.startswith(f"{place} > ") for k, s, place in dropped if (k, s) == (kind, slug))
            continue
        assert old != new or type(old) is not type(new)
        if len(repairs) == 1 and repairs[0].now == REMOVED:
            assert (repairs[0].found, new) == (shown(old, ABSENT)[0], ABSENT)
        elif len(repairs) == 1 and not any(f.startswith(f"{field} > ") for _, s, f in groups if s == slug):
            assert (repairs[0].found, repairs[0].now) == shown(old, new)


def test_a_second_round_finds_nothing(repaired: Repaired) -> None:
    assert repair(copy.deepcopy(repaired.after)) == ()


def test_nothing_else_changed(repaired: Repaired) -> None:
    """Every leaf that differs lies under the field of a repair."""
    fields = defaultdict(list)
    for one in repaired.report:
        fields[one.type, one.slug].append(one.field)
    for kind, rows in repaired.before.items():
        for slug, row in rows.items():
            after = repaired.after[kind].get(slug)
            if after is None:
                assert "" in fields[kind, slug] or "index" in fields[kind, slug]
                continue
            old, new = dict(places(row)), dict(places(after))
            for field in old.keys() | new.keys():
                if old.get(field, ABSENT) != new.get(field, ABSENT):
                    assert any(
                        field == place or field.startswith(f"{place} > ") or place.startswith(_list(field))
                        for place in fields[kind, slug]
                    ), (kind, slug, field)


def _list(field: str) -> str:
    # A dropped element moves those behind it: their positions are places of the same list.
    return field.partition(" > ")[0]


def test_every_cause_occurs_and_every_repair_gives_its_reason(repaired: Repaired) -> None:
    causes = Counter(one.what for one in repaired.report)
    assert set(causes) == set(What)
    assert causes[What.NULL_AS_TEXT] > 900
    for one in repaired.report:
        assert one.why
        assert one.found != one.now
        assert len(one.found) < 300 > len(one.now)


def test_no_word_for_a_value_is_left(repaired: Repaired) -> None:
    words = {"None", "True", "False"}
    for rows in repaired.after.values():
        for row in rows.values():
            assert not [field for field, value in places(row) if isinstance(value, str) and value in words]


def test_only_what_cannot_be_known_elsewhere_is_stated(srd: Srd) -> None:
    """No sentence stands in the code of the repairs: words come from the package."""
    from mvp_site.srd import repairs

    sources = [p.read_text() for p in Path(repairs.__file__).parent.glob("*.py")]
    sentences = {
        sentence.strip()
        for record in srd for paragraph in record.text for sentence in paragraph.split(". ")
        if len(sentence) > 60 and sentence[0].isalpha()
    }  # fmt: skip
    assert not [s for s in sentences if any(s in source for source in sources)]


CLEANED = [
    ("72 (l6d8) cold damage", "72 (16d8) cold damage"),
    ("22 (Sd8) acid damage", "22 (5d8) acid damage"),
    ("24 (3d1O + 8)", "24 (3d10 + 8)"),
    ("make a DC l3 Dexterity", "make a DC 13 Dexterity"),
    ("2 (1 d4) damage", "2 (1d4) damage"),
    ("rolls a d 100 and", "rolls a d100 and"),
    ("a 1 5-foot cone", "a 15-foot cone"),
    ("in a 90- foot line, a 10 -foot radius", "in a 90-foot line, a 10-foot radius"),
    ("reach 10ft., one", "reach 10 ft., one"),
    ("Attack:+ 15 to hit", "Attack: +15 to hit"),
    ("reach 5 ft ., one . ", "reach 5 ft., one. "),
    ("10 feet o f that side", "10 feet of that side"),
    ("two- handed and 6th- level", "two-handed and 6th-level"),
    ("a goal- for example", "a goal--for example"),
    ("two  spaces", "two spaces"),
    ("| a  | b |", "| a  | b |"),
    ("1.  **First.** Then", "1.  **First.** Then"),
    ("3 cantrips, 2 daggers, 1 dart", "3 cantrips, 2 daggers, 1 dart"),
    ("self-evident and well-for-nothing", "self-evident and well-for-nothing"),
    ("first line\nsecond line", "first line\nsecond line"),
]


@pytest.mark.parametrize(("text", "clean"), CLEANED)
def test_cleaning(text: str, clean: str) -> None:
    assert cleaned(text) == clean


@given(st.text(alphabet="ab 1dl(S)O.,-|\nft", max_size=60))
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    once = cleaned(text)
    assert once.count("\n") == text.count("\n")


@given(st.lists(st.integers(1, 6), max_size=12))
def test_headings_skip_no_level(levels: list[int]) -> None:
    markdown = "\n\n".join(f"{'#' * level} Title {n}\n\ntext # {n}" for n, level in enumerate(levels))
    now = [line.count("#") for line in levelled(markdown).split("\n") if line.startswith("#")]
    assert len(now) == len(levels)
    assert all(after - before <= 1 for before, after in pairwise(now))
    assert all(new <= old for old, new in zip(levels, now, strict=True))
    # A heading that stood above another still does.
    for first in range(len(levels)):
        for second in range(first + 1, len(levels)):
            if all(levels[first] < level for level in levels[first + 1 : second + 1]):
                assert now[first] < now[second]


FOREIGN = [
    ("Pick one: the Archfey or the Fiend, each detailed at the end. It binds you.", "Pick one. It binds you."),
    ("Choose A or B, both detailed at the end of the class description. Go on.", "Go on."),
    ("Your invocation options are detailed at the end of the class description.", "Your invocation options are detailed at the end of the class description."),
    ("Nothing foreign here: a list. Or there.", "Nothing foreign here: a list. Or there."),
]


@pytest.mark.parametrize(("text", "kept"), FOREIGN)
def test_what_is_not_srd_is_cut(text: str, kept: str) -> None:
    assert without_foreign(text) == kept


def _log(row: Row) -> Log:
    return Log({Kind.SPELLS: {"a": {"name": "A", "index": "a", **row}}})


def test_the_log_writes_changes_only() -> None:
    log = _log({"level": 1, "list": [{"name": "x", "n": 1}, {"name": "y", "n": 2}]})
    log.put(Kind.SPELLS, "a", "level", 1, What.FIGURE, "same")
    log.put(Kind.SPELLS, "b", "level", 3, What.FIGURE, "no such row")
    log.drop(Kind.SPELLS, "a", "school", What.FIGURE, "no such field")
    log.drop(Kind.SPELLS, "b", "", What.FIGURE, "no such row")
    assert log.repairs == []
    log.put(Kind.SPELLS, "a", "level", True, What.FIGURE, "1 is not true")
    log.put(Kind.SPELLS, "a", "list > y > n", 3, What.FIGURE, "by name")
    log.put(Kind.SPELLS, "a", "list > 0 > n", 4, What.FIGURE, "by position")
    log.drop(Kind.SPELLS, "a", "list > x", What.JUNK, "an element")
    log.add(Kind.SPELLS, "a", {"name": "A"}, What.MISSING, "is there")
    log.add(Kind.SPELLS, "c", {"name": "C"}, What.MISSING, "is not")
    assert log.tables[Kind.SPELLS]["a"]["list"] == [{"name": "y", "n": 3}]
    assert [(r.field, r.found, r.now) for r in log.repairs] == [
        ("level", "1", "true"), ("list > y > n", "2", "3"), ("list > 0 > n", "1", "4"),
        ("list > x", '{"name": "x", "n": 4}', REMOVED), ("", ABSENT, "C"),
    ]  # fmt: skip


SHOWN = [
    (1, 2, "1", "2"),
    (None, "x", "null", '"x"'),
    ("a" * 200 + "bad" + "c" * 200, "a" * 200 + "good" + "c" * 200, "…\"" + "a" * 30 + "bad" + "c" * 29 + "\"…", "…\"" + "a" * 30 + "good" + "c" * 29 + "\"…"),
    ([{"index": "a", "url": "/x"}], [], '["a"]', "[]"),
    ({"quantity": 1}, ABSENT, '{"quantity": 1}', ABSENT),
    ([f"long element {n}" for n in range(20)], [f"long element {n}" for n in range(1, 20)], '20 elements, only here ["long element 0"]', "19 elements"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "found", "now"), SHOWN)
def test_values_as_a_report_prints_them(before: object, after: object, found: str, now: str) -> None:
    assert shown(before, after) == (found, now)
