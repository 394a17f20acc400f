"""Users' own files: what they may hold, what is refused and how that is told, and which files are read."""

from __future__ import annotations

import copy
import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mvp_site.content import own_files
from mvp_site.content.document import Document
from mvp_site.content.own_files import read_folders
from mvp_site.content.own_model import read_entity
from mvp_site.content.slugs import MAX_SLUG, slug_of
from mvp_site.content.types import EntityType, fields_of
from mvp_site.errors import EntityDataError
from mvp_site.srd import load_srd
from mvp_site.srd.types import SpellRecord

S, M, W, A, MI = (
    EntityType.SPELLS, EntityType.MONSTERS, EntityType.WEAPONS, EntityType.ARMOR, EntityType.MAGIC_ITEMS,
)
LANCE = {"name": "Frost Lance", "level": 3, "school": "evocation"}
Own = dict[EntityType, tuple[Document, ...]]
NUMBERS = st.one_of(st.integers(-(10**20), 10**20), st.floats(allow_nan=False, allow_infinity=False))
SCALARS = st.one_of(
    st.none(), st.booleans(), NUMBERS, st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    st.sampled_from(["1/4", "15 gp", "60 ft.", "cantrip", "d8", "yes", "V, S, M (a leaf)", "1/0", "½"]),
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from(["name", "desc", "usage", "walk", "size", "_x"]), inner, max_size=4),
    ),
    max_leaves=12,
)
KEYS = sorted({
    name for type_ in EntityType for field in fields_of(type_) for name in (field.name, *field.also)
} | {"desc", "description", "higher_level", "actions", "traits", "speed", "senses", "index", "shadows", "_score", "mine", "Hit Points", ""})
RAW = st.dictionaries(st.sampled_from(KEYS), JSON, max_size=8)
NAMED = st.builds(lambda raw, name: {**raw, "name": name}, RAW, st.sampled_from(["Frost Lance", "Ætherwisp", "Вий", "?"]))


def write(root: Path, files: dict[str, Any]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return root


def taken(*folders: Path) -> Own:
    """The entities of folders of which nothing is refused."""
    own = read_folders(folders)
    if own.refused:
        raise EntityDataError("\n".join(problem.reason for problem in own.refused))
    return dict(own.documents)


def read(root: Path, files: dict[str, Any]) -> Own:
    return taken(write(root / "own_entities", files))


def names(own: Own, type_: EntityType = S) -> list[str]:
    return [one["name"] for one in own.get(type_, ())]


@pytest.mark.parametrize(("type_", "raw", "expected"), [
    (S, {"level": None, "school": ""}, {}),
    (S, {"description": "Cold.", "higher_levels": ["One.", "Two."]}, {"desc": "Cold.", "higher_level": "One.\n\nTwo."}),
    (S, {"Casting Time": "1 action", "damage-type": "cold"}, {"casting_time": "1 action", "damage_type": ["cold"]}),
    (S, {"index": "lance"}, {"slug": "lance"}), (S, {"slug": "ancestor---red"}, {"slug": "ancestor---red"}),
    (S, {"level": "cantrip"}, {"level": 0}), (S, {"level": "3rd-level", "level_int": "3rd-level"}, {"level": 3}),
    (S, {"classes": "Wizard, Sorcerer and Bard"}, {"classes": ["Wizard", "Sorcerer", "Bard"]}),
    (S, {"classes": ["Wizard and Bard"]}, {"classes": ["Wizard and Bard"]}),
    (S, {"ritual": "No", "concentration": "yes"}, {"ritual": False, "concentration": True}),
    (S, {"range": "Self (10-foot cone)"}, {"range": "Self (10-foot cone)", "range_feet": 0}),
    (S, {"range": "1 mile"}, {"range": "1 mile", "range_feet": 5280}),
    (S, {"range": "60 ft.", "range_feet": 90}, {"range": "60 ft.", "range_feet": 90}),
    (S, {"duration": "Concentration, up to 1 minute"}, {"duration": "Concentration, up to 1 minute", "concentration": True}),
    (M, {"cr": "½", "xp": "1,800"}, {"challenge_rating": 0.5, "xp": 1800}),
    (M, {"hp": "7 (2d6)", "ac": "15 (leather, shield)"}, {"armor_class": 15, "hit_points": 7, "hit_points_note": "2d6", "armor_class_note": "leather, shield"}),
    (M, {"speed": {"walk": 30, "fly": "60 ft."}}, {"walk": 30, "fly": 60, "swim": 0, "burrow": 0, "climb": 0, "flying": True, "speed": {"walk": 30, "fly": "60 ft."}}),
    (M, {"speed": "30 ft., swim 40 ft."}, {"walk": 30, "fly": 0, "swim": 40, "burrow": 0, "climb": 0, "flying": False, "speed": "30 ft., swim 40 ft."}),
    (M, {"senses": "darkvision 60 ft., passive Perception 9"}, {"darkvision": 60, "blindsight": 0, "tremorsense": 0, "truesight": 0, "senses": "darkvision 60 ft., passive Perception 9"}),
    (M, {"resistances": "fire, cold, and acid"}, {"resistances": ["fire", "cold", "acid"]}),
    (M, {"damage_resistances": "cold; bludgeoning, piercing from nonmagical attacks"}, {"resistances": ["cold", "bludgeoning, piercing from nonmagical attacks"]}),
    (M, {"immunities": "slashing and piercing from nonmagical attacks"}, {"immunities": ["slashing and piercing from nonmagical attacks"]}),
    (M, {"languages": "Common (old, new), Elvish"}, {"languages": ["Common (old, new)", "Elvish"]}),
    (M, {"actions": {"Bite": ["It bites.", "Hard."]}}, {"actions": [{"name": "Bite", "desc": "It bites.\n\nHard."}]}),
    (M, {"legendary_actions": [{"name": "Roar", "desc": "It roars.", "uses": 1}]}, {"legendary": True, "legendary_actions": [{"name": "Roar", "desc": "It roars.", "uses": 1}]}),
    (W, {"cost": "15 gp", "weight": "1/4 lb."}, {"cost": 15, "weight": 0.25}), (W, {"price": "5 sp"}, {"cost": 0.5}),
    (W, {"damage_dice": "2d6"}, {"damage_dice": "2d6", "damage_average": 7}),
    (EntityType.CLASSES, {"hit_die": "d8"}, {"hit_die": 8}), (EntityType.RACES, {"speed": "30 feet"}, {"speed": 30}),
    (MI, {"type": "Ring", "mine": {"a": [1]}}, {"item_type": "Ring", "mine": {"a": [1]}}),
])
def test_what_people_write_is_brought_into_form(type_: EntityType, raw: dict[str, object], expected: dict[str, object]) -> None:
    before = copy.deepcopy(raw)
    document, wrong = read_entity(type_, {"name": "X", **raw})
    assert raw == before
    assert wrong == []
    assert {"name": "X", "slug": "x", **expected}.items() <= document.items()
    read_in_texts = {"healing", "drains_life", "spellcaster"}
    assert document.keys() - {field.name for field in fields_of(W)} - read_in_texts <= {"name", "slug", *expected}
    assert read_entity(type_, document) == (document, [])


def test_a_weapons_flags_follow_from_its_properties() -> None:
    document, _ = read_entity(W, {"name": "X", "properties": "Finesse, Thrown (range 20/60)"})
    assert (document["finesse"], document["thrown"], document["heavy"], "magic" in document) == (True, True, False, False)


@pytest.mark.parametrize(("type_", "raw", "message"), [
    (S, {"name": None}, "name: is missing"), (S, {"name": "x" * 201}, "name: must be a text of at most 200 characters"),
    (S, {"name": True}, "name: must be a text"), (S, {"name": "?!"}, "slug: the name has no letter or digit to make it from"),
    (S, {"slug": "Frost Lance"}, 'slug: must be lower-case letters, digits and hyphens between them, at most 100; found "Frost Lance"; write "frost-lance"'),
    (S, {"level": "high"}, 'level: must be a whole number from 0, for a cantrip, to 9; found "high"'),
    (S, {"level": 2.5}, "level: must be a whole number"), (S, {"level": True}, "level: must be a whole number"),
    (S, {"ritual": "maybe"}, 'ritual: must be true or false; found "maybe"'),
    (S, {"school": {"name": "Evocation"}}, "school: must be a text"), (S, {"school": "x" * 1_001}, "school: must be a text of at most 1000 characters"),
    (S, {"classes": [["Wizard"]]}, 'classes: entry 1: must be a text; found ["Wizard"]'),
    (S, {"desc": {"a": 1}}, "desc: must be a text or a list of paragraphs; found"),
    (S, {"_score": 1}, "_score: a key has 1 to 100 characters and does not begin with an underscore; remove it"),
    (S, {"": 1}, "a key has 1 to 100 characters"), (S, {"k" * 90_000: ["v" * 30_000]}, "a key has 1 to 100 characters"),
    (S, {"shadows": "SRD 5.1"}, "shadows: is set by the search; remove it"),
    (M, {"cr": "1/0"}, 'challenge_rating: must be a number (0.25 for 1/4) from 0 on; found "1/0"'),
    (M, {"cr": 1, "challenge_rating": 2}, "challenge_rating: challenge_rating is given twice, as 1 and as 2; keep one of them"),
    (M, {"actions": [{"name": "Bite", "desc": "b"}, {"name": "Claw"}]}, "actions: entry 2: desc: is missing"),
    (M, {"actions": [4]}, "actions: entry 1: must be a name and its text; found 4"),
    (M, {"actions": "It bites."}, 'actions: must be a list of {"name": …, "desc": …}; found "It bites."'),
    (M, {"armor_class": {"base": 14}}, "armor_class: must be a number"), (A, {"armor_class": -1}, "armor_class: must be a number"),
    (W, {"cost": "15 coins"}, 'cost: must be a number (in gp) from 0 on; found "15 coins"'),
])
def test_what_is_wrong_is_told_with_its_place(type_: EntityType, raw: dict[str, object], message: str) -> None:
    document, wrong = read_entity(type_, {"name": "X", **raw})
    assert document == {}
    assert any(message in one for one in wrong), wrong
    assert len("".join(wrong)) < 2_000


@pytest.mark.parametrize(("name", "slug"), [
    ("Frost Lance", "frost-lance"),
    ("  Hunter’s   Mark!", "hunters-mark"),
    ("Blind/Deaf", "blind-deaf"),
    ("Ætherwisp Café", "aetherwisp-cafe"),
    ("Straße Øst", "strasse-ost"),
    ("Armor, +1", "armor-1"),
    ("Змей Горыныч", "змей-горыныч"),
    ("Вий", "вий"),
    ("九尾の狐", "九尾の狐"),
    ("क्षत्रिय", "क्षत्रिय"),
    ("Ｆｕｌｌ Ｗｉｄｔｈ", "full-width"),
    ("!?", ""),
    ("x" * 150, "x" * MAX_SLUG),
    ("ten letter " * 12, "ten-letter-" * 8 + "ten-letter"),
])
def test_a_slug_is_the_words_of_a_name(name: str, slug: str) -> None:
    assert slug_of(name) == slug


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=160))
def test_a_slug_is_its_own_slug_and_fits_the_schema(name: str) -> None:
    slug = slug_of(name)
    assert slug_of(slug) == slug
    if slug:
        assert not read_entity(S, {"name": "A", "slug": slug})[1]


def test_names_of_the_srd_make_its_slugs() -> None:
    """Whoever writes a spell under the name that the SRD has shadows it."""
    assert all(slug_of(spell.name) == spell.slug for spell in load_srd().all(SpellRecord))


@pytest.mark.slow
@pytest.mark.timeout(20)
@pytest.mark.parametrize("long", [",", "(", "(,", "1 ", "x,", "e\u0301", "я\u0301", "30 ft. ", " ", "9", "- ", "a and ", "and "])
def test_long_texts_take_no_long_time(long: str) -> None:
    text = long * (2**19 // len(long))
    for type_, keys in ((M, ("name", "languages", "cr", "speed", "senses")), (W, ("properties", "damage_dice", "cost")),
                        (S, ("slug", "components", "range", "level"))):
        for key in keys:
            read_entity(type_, {"name": "X", key: text})


def test_a_folder_is_read_by_type(tmp_path: Path) -> None:
    own = read(tmp_path, {
        "spells/my.yaml": "- name: Zephyr\n  level: cantrip\n- name: Frost Lance\n  level: 3\n",
        "spells/one.JSON": b"\xef\xbb\xbf" + json.dumps({"name": "Mist", "level": 1}).encode(),
        "Magic Items/a.yml": "name: Bell\nrarity: rare\n",
        "spells/README": "text", "spells/notes.md": "text", ".git/config": "text", "spells/.x.json": "{",
        "LICENSE.txt": "text",
    })
    assert names(own) == ["Zephyr", "Frost Lance", "Mist"]
    assert names(own, MI) == ["Bell"]
    assert own[S][0] == {"slug": "zephyr", "name": "Zephyr", "document": "own entities", "level": 0}


@pytest.mark.parametrize("content", [
    "name: A\nlevel: 1\n", "- name: A\n  level: 1\n", "spells: [{name: A, level: 1}]\n", "spells:\n  name: A\n  level: 1\n", "---\nname: A\nlevel: 1\n",
    "count: 1\nresults: [{name: A, level: 1}]\n",
])
def test_the_forms_of_a_file(tmp_path: Path, content: str) -> None:
    assert names(read(tmp_path, {"spells/a.yaml": content})) == ["A"]


def test_a_mixed_file_in_no_types_folder_says_each_type(tmp_path: Path) -> None:
    own = read(tmp_path, {"a.json": [{"type": "spell", "name": "A", "lvl": 1, "text": "It hums."}, {"kind": "Magic Item", "name": "B", "rarity": "rare"}], "b.json": {"monster": [{"name": "C", "type": "undead", "ac": 12, "hp": 9}], "_meta": {}}})
    assert (names(own, S), names(own, MI), names(own, M)) == (["A"], ["B"], ["C"])
    assert own[S][0]["desc"] == "It hums."
    assert "type" not in own[S][0]


@pytest.mark.parametrize(("files", "message"), [
    ({"spells/a.json": [LANCE, {"level": 1}]}, "spells/a.json: document 2: name: is missing"),
    ({"spells/a.json": "{"}, "spells/a.json: it is not JSON: Expecting property name enclosed in double quotes at line 1, column 2"),
    ({"spells/a.json": '{"name": "A", "x": 1e999}'}, "spells/a.json: A: x: is not a number that can be kept"),
    ({"spells/a.json": '{"name": "A\\ud800"}'}, "spells/a.json: A�: name: has a character that is no text: half of a pair; remove it"),
    ({"spells/a.json": '{"name": "A", "desc": ["b", "c\\u001b[2J"]}'}, "spells/a.json: A: desc: entry 2: has a character that is no text: U+001B; remove it"),
    ({"spells/a.json": '{"name": "A", "desc": "a\\rb"}'}, "desc: has a character that is no text: U+000D; remove it"),
    ({"spells/a.yaml": 'name: A\nmine: {"b\\e": 1}\n'}, "mine: the key \"b\\u001b\" has a character that is no text: U+001B; remove it"),
    *(({"spells/a.json": {"name": "A", "document": name}}, "document: SRD 5.1 is what this program brings") for name in ("SRD 5.1", "srd 5.1", " Srd  5.1")),
    ({"spells/a.json": '{"name": "A", "x": ' + "[" * 20 + "]" * 20 + "}"}, "spells/a.json: A: x: is nested deeper than 16 levels"),
    ({"spells/a.json": "[" * 200 + "]" * 200}, "spells/a.json: document 1: must be an object of fields; found a list"),
    ({"spells/a.json": {"name": "A", "level": 1, "mine": "x" * 50_001}}, "spells/a.json: A: mine: is longer than the 50000 characters"),
    ({"spells/a.json": {"name": "A", "desc": "x" * 2**20}}, "spells/a.json: A: is larger than the 1048576 characters of a document"),
    ({"spells/a.json": b'{"name": "\xff"}'}, "spells/a.json: is not UTF-8 at byte 10; save it as UTF-8"),
    ({"spells/a.yaml": "name: A\nname: B\n"}, 'the key "name" is there twice in one object; keep one'),
    ({"spels/a.json": LANCE}, "spels/: Invalid entity type 'spels' (did you mean spells?): there are spells, monsters"),
    ({"a.json": LANCE}, "a.json: Frost Lance: stands in no type's folder and does not say its type; move the file into one of spells, monsters"),
    ({"spells/a.txt": "text"}, "spells/a.txt: is no file of .json, .yaml, .yml"),
    ({"spells/a.yaml": "# audience: dm\nname: A\n"}, '"# audience: dm" is not read: everybody may see every entity'),
    *(({"spells/a.yaml": text}, ": is not read: everybody may see every entity") for text in (
        "name: A\naudience: dm\n", "name: A\nAudience:\n", "name: A\naudiance: god\n", "audience: dm\n---\nname: A\n",
        "audience: dm\nresults: [{name: A}]\n", "audience: dm\nspells: [{name: A}]\n",
    )),
    ({"spells/more/a.json": LANCE}, "spells/more: is no file of"),
    ({"spells/a.json": LANCE, "spells/b.yaml": "name: FROST lance\nlevel: 1\n"}, 'spells/b.yaml: FROST lance: slug: "frost-lance" is also that of Frost Lance in spells/a.json; give one of them a slug of its own'),
])
def test_what_is_refused(tmp_path: Path, files: dict[str, Any], message: str) -> None:
    with pytest.raises(EntityDataError) as raised:
        read(tmp_path, files)
    assert message in str(raised.value)
    str(raised.value).encode()


def test_a_large_file_is_refused_before_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_files, "MAX_FILE", 10)
    with pytest.raises(EntityDataError, match=r"a\.json: is larger than"):
        read(tmp_path, {"spells/a.json": LANCE})


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(EntityDataError, match="none is no folder that can be read"):
        read_folders([tmp_path / "none"])
    assert not read_folders([]).documents


def test_links_are_followed_within_the_folder_alone(tmp_path: Path) -> None:
    root = write(tmp_path / "own", {"spells/a.json": LANCE})
    outside = write(tmp_path / "other", {"b.json": {"name": "B"}, "monsters/c.json": {"name": "C"}})
    (tmp_path / "alias").symlink_to(root)
    assert names(taken(tmp_path / "alias")) == ["Frost Lance"]
    (root / "spells/b.json").symlink_to(outside / "b.json")
    (root / "monsters").symlink_to(outside / "monsters")
    (root / "spells/loop.json").symlink_to(root / "spells/loop.json")
    with pytest.raises(EntityDataError) as raised:
        taken(root)
    for name in ("spells/b.json", "monsters", "spells/loop.json"):
        assert f"{name}: is a link out of the folder" in str(raised.value)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    root = write(tmp_path / "own", {"spells/a.json": LANCE})
    os.mkfifo(root / "spells/b.json")
    with pytest.raises(EntityDataError, match=r"spells/b\.json: is no file"):
        taken(root)


def test_several_folders(tmp_path: Path) -> None:
    one = write(tmp_path / "my_world", {"spells/a.json": LANCE})
    two = write(tmp_path / "two", {"spells/a.json": {"name": "Mist", "level": 1, "document": "The Mist Book"}})
    own = taken(one, two, one)
    assert [one["document"] for one in own[S]] == ["my world", "The Mist Book"]
    write(two, {"spells/b.json": LANCE})
    with pytest.raises(EntityDataError, match=rf"{two}/spells/b\.json: Frost Lance: slug: .* in {one}/spells/a\.json"):
        taken(one, two)


@settings(deadline=None)
@given(st.sampled_from(["spells", "monsters", "weapons", "magic-items"]), st.one_of(JSON, NAMED, st.lists(NAMED, max_size=3)))
def test_any_json_is_read_or_refused(type_: str, value: object) -> None:
    with tempfile.TemporaryDirectory() as name:
        files = {f"{type_}/a.json": json.dumps(value)}
        own = read_folders([write(Path(name), files)])
        again = [one for several in own.documents.values() for one in several]
        (Path(name) / f"{type_}/a.json").unlink()
        assert read_folders([write(Path(name), {f"{type_}/a.json": again})]).documents == own.documents


def test_the_examples_of_the_docs_are_read(tmp_path: Path) -> None:
    docs = (Path(__file__).parents[2] / "docs/entities.md").read_text(encoding="utf-8")
    examples = re.findall(r"```yaml\n# data/own_entities/(\S+)\n(.*?)```", docs, re.DOTALL)
    own = read(tmp_path, dict(examples))
    lance, fireball = sorted(own[S], key=lambda one: one["level"])
    assert {key: lance[key] for key in ("slug", "level", "components", "range_feet", "damage_type", "found_in")} == {
        "slug": "frost-lance", "level": 2, "components": ["V", "S"], "range_feet": 90, "damage_type": ["cold"], "found_in": "the library of Millbrook"}
    assert fireball["slug"] == "fireball"
    (stalker,) = own[M]
    wanted = {"hit_points": 45, "hit_points_note": "6d8 + 18", "challenge_rating": 0.25, "walk": 30, "swim": 40, "fly": 0, "flying": False, "armor_class": 13}
    assert {key: stalker[key] for key in wanted} == wanted
    assert [one["name"] for key in ("special_abilities", "actions") for one in stalker[key]] == ["Drowning Grip", "Claw"]
