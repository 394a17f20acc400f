"""Users' folders: what is read, what is refused and how that is told, what shadows the SRD."""

from __future__ import annotations

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
from mvp_site.content.types import EntityType
from mvp_site.entities.build import merge
from mvp_site.errors import EntityDataError

from .test_schemas import JSON, NAMED

SPELLS = EntityType.SPELLS
LANCE = {"name": "Frost Lance", "level": 3, "school": "evocation"}


Own = dict[EntityType, tuple[Document, ...]]


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


def names(own: Own, type_: EntityType = SPELLS) -> list[str]:
    return [one["name"] for one in own.get(type_, ())]


def test_a_field_under_two_names_may_say_the_same_in_another_order(tmp_path: Path) -> None:
    own = read(tmp_path, {"monsters/a.json": {"name": "A", "ac": 9, "hp": 1, "actions": {"Bite": "x"}, "Actions": [{"desc": "x", "name": "Bite"}]}})
    assert names(own, EntityType.MONSTERS) == ["A"]


def test_a_message_repeats_no_long_key(tmp_path: Path) -> None:
    with pytest.raises(EntityDataError) as caught:
        read(tmp_path, {"spells/a.json": {"name": "A", "k" * 90_000: ["v" * 30_000]}})
    assert len(str(caught.value)) < 2_000


def test_a_folder_is_read_by_type(tmp_path: Path) -> None:
    own = read(tmp_path, {
        "spells/my.yaml": "- name: Zephyr\n  level: cantrip\n- name: Frost Lance\n  level: 3\n",
        "spells/one.JSON": b"\xef\xbb\xbf" + json.dumps({"name": "Mist", "level": 1}).encode(),
        "Magic Items/a.yml": "name: Bell\nrarity: rare\n",
        "spells/README": "text", "spells/notes.md": "text", ".git/config": "text", "spells/.x.json": "{",
        "LICENSE.txt": "text",
    })
    assert names(own) == ["Zephyr", "Frost Lance", "Mist"]
    assert names(own, EntityType.MAGIC_ITEMS) == ["Bell"]
    assert own[SPELLS][0] == {"slug": "zephyr", "name": "Zephyr", "document": "own entities", "level": 0}


@pytest.mark.parametrize("content", [
    "name: A\nlevel: 1\n", "- name: A\n  level: 1\n", "spells: [{name: A, level: 1}]\n", "spells:\n  name: A\n  level: 1\n", "---\nname: A\nlevel: 1\n---\n",
    "count: 1\nresults: [{name: A, level: 1}]\n", "- !!str &x A\n",
])
def test_the_forms_of_a_file(tmp_path: Path, content: str) -> None:
    if "&x" in content:
        content = "name: !!str A\nlevel: 1\n"
    if content.endswith("---\n"):
        content = content.removesuffix("---\n")
    assert names(read(tmp_path, {"spells/a.yaml": content})) == ["A"]


@pytest.mark.parametrize(("written", "value"), [
    ("2024-03-01", "2024-03-01"), ("1:30", "1:30"), ("010", "010"), ("0x1F", "0x1F"), ("1_000", "1_000"),
    (".inf", ".inf"), ("yes", True), ("Off", False), ("'yes'", "yes"), ("7", 7), ("-2.5", -2.5), ("1e3", 1000.0),
    ("|\n  two\n  lines\n", "two\nlines\n"), ("{a: &x [1]}", {"a": [1]}),
])
def test_yaml_has_the_values_of_json(tmp_path: Path, written: str, value: object) -> None:
    own = read(tmp_path, {"spells/a.yaml": f"name: A\nlevel: 1\nmine: {written}\n"})
    assert own[SPELLS][0]["mine"] == value


DEEP = "[" * 100_000


@pytest.mark.parametrize(("files", "message"), [
    ({"spells/a.yaml": "name: Frost Lance\nlevel: high\n"}, 'spells/a.yaml: Frost Lance: level: must be a whole number from 0, for a cantrip, to 9; found "high"'),
    ({"spells/a.json": [LANCE, {"level": 1}]}, "spells/a.json: document 2: name: is missing"),
    ({"spells/a.json": "{"}, "spells/a.json: it is not JSON: Expecting property name enclosed in double quotes at line 1, column 2"),
    ({"spells/a.json": '{"name": "A", "name": "B"}'}, "spells/a.json: it has the key 'name' twice in one object"),
    ({"spells/a.json": '{"name": "A", "x": 1e999}'}, "spells/a.json: A: x: is not a number that can be kept"),
    ({"spells/a.json": '{"name": "A\\ud800"}'}, "spells/a.json: A�: name: has a character that is no text: half of a pair; remove it"),
    ({"spells/a.json": '{"name": "A", "desc": ["b", "c\\u001b[2J"]}'}, "spells/a.json: A: desc: entry 2: has a character that is no text: U+001B; remove it"),
    ({"spells/a.json": '{"name": "A", "desc": "a\\rb"}'}, "desc: has a character that is no text: U+000D; remove it"),
    ({"spells/a.yaml": 'name: A\nmine: {"b\\e": 1}\n'}, "mine: the key \"b\\u001b\" has a character that is no text: U+001B; remove it"),
    *(({"spells/a.json": {"name": "A", "document": name}}, "document: SRD 5.1 is what this program brings") for name in ("SRD 5.1", "srd 5.1", " Srd  5.1")),
    ({"spells/a.json": '{"name": "A", "\\u0000": 1}'}, "has a character that is no text"),
    ({"spells/a.json": '{"name": "A", "x": ' + "[" * 20 + "]" * 20 + "}"}, "spells/a.json: A: x: is nested deeper than 16 levels"),
    ({"spells/a.json": "[" * 200 + "]" * 200}, "spells/a.json: document 1: must be an object of fields; found a list"),
    ({"spells/a.json": {"name": "A", "level": 1, "mine": "x" * 50_001}}, "spells/a.json: A: mine: is longer than the 50000 characters"),
    ({"spells/a.json": {"name": "A", "desc": "x" * 2**20}}, "spells/a.json: A: is larger than the 1048576 characters of a document"),
    ({"spells/a.json": b'{"name": "\xff"}'}, "spells/a.json: is not UTF-8 at byte 10; save it as UTF-8"),
    ({"spells/a.yaml": "name: A\nname: B\n"}, 'the key "name" is there twice in one object; keep one'),
    ({"spels/a.json": LANCE}, "spels/: Invalid entity type 'spels' (did you mean spells?): there are spells, monsters"),
    ({"a.json": LANCE}, "a.json: stands in no type's folder; move it into one of spells, monsters"),
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


def test_every_refused_file_is_told(tmp_path: Path) -> None:
    own = read_folders([write(tmp_path, {
        "spells/a.json": [{"name": f"A{n}", "level": -n} for n in range(13)], "spells/b.json": "{", "spells/c.json": LANCE,
    })])
    assert names(dict(own.documents)) == ["A0", "Frost Lance"]
    assert len(own.refused) == 12
    assert own.refused[0].reason.startswith("spells/a.json: A1: level: must be")
    assert own.refused[10].reason == "spells/a.json: and 2 more problems"
    assert own.refused[11].reason.startswith("spells/b.json: ")


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
    assert [one["document"] for one in own[SPELLS]] == ["my world", "The Mist Book"]
    write(two, {"spells/b.json": LANCE})
    with pytest.raises(EntityDataError, match=rf"{two}/spells/b\.json: Frost Lance: slug: .* in {one}/spells/a\.json"):
        taken(one, two)


def test_what_users_have_shadows_the_srd(tmp_path: Path) -> None:
    srd = {
        SPELLS: ({"name": "Mist", "slug": "mist", "document": "SRD 5.1", "level": 1}, {"name": "zeal", "slug": "zeal"}),
        EntityType.FEATS: ({"name": "Mist", "slug": "mist"},),
    }
    own = read(tmp_path, {"spells/a.json": [{"name": "MIST", "level": 2}, {"name": "Arc", "level": 1}], "rules/r.json": {"name": "House rule", "desc": "x"}})
    documents, shadowed = merge(srd, own)
    assert shadowed == ("spells/mist",)
    assert [one["name"] for one in documents[SPELLS]] == ["MIST", "zeal", "Arc"]
    assert documents[SPELLS][0] == {"slug": "mist", "name": "MIST", "document": "own entities", "level": 2, "shadows": "SRD 5.1"}
    assert documents[EntityType.FEATS] == [*srd[EntityType.FEATS]]
    assert [one["slug"] for one in documents[EntityType.RULES]] == ["house-rule"]
    assert "shadows" not in own[SPELLS][0], "what was read stays as it was"


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
    lance, fireball = sorted(own[SPELLS], key=lambda one: one["level"])
    assert {key: lance[key] for key in ("slug", "level", "components", "range_feet", "damage_type", "found_in")} == {
        "slug": "frost-lance", "level": 2, "components": ["V", "S"], "range_feet": 90, "damage_type": ["cold"], "found_in": "the library of Millbrook"}
    assert fireball["slug"] == "fireball"
    (stalker,) = own[EntityType.MONSTERS]
    wanted = {"hit_points": 45, "hit_points_note": "6d8 + 18", "challenge_rating": 0.25, "walk": 30, "swim": 40, "fly": 0, "flying": False, "armor_class": 13}
    assert {key: stalker[key] for key in wanted} == wanted
    assert [one["name"] for key in ("special_abilities", "actions") for one in stalker[key]] == ["Drowning Grip", "Claw"]
