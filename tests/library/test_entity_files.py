from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mvp_site.content.own_files import read_folders
from mvp_site.content.types import EntityType
from mvp_site.errors import LibraryError
from mvp_site.library.entity_files import keep
from mvp_site.library.extraction import Extracted

BLAST = Extracted({
    "slug": "wet-blast", "name": "Wet Blast", "level": 3, "desc": "# Audience: gm\n\n# audience: gm\n\n1:30, yes",
    "document": "Waters", "page": "12",
}, 0.9, ("school",), type=EntityType.SPELLS, title="Wet Blast", page="12")
DIVER = Extracted({"slug": "diver", "name": "Diver", "document": "Waters"}, 0.5, (), (
    {"slug": "deep-breath", "name": "Deep Breath", "level": 1, "class": "Diver", "desc": "You hold it."},
), type=EntityType.CLASSES, title="Diver", page="4")


def named(one: Extracted, **more: Any) -> Extracted:
    return replace(one, document={**one.document, **more})


@pytest.mark.parametrize(("before", "after"), [
    ("level: 3", "level: 5"), ("slug: wet-blast-waters", "slug: wetter"), ("level: 3\n", ""), ("extracted:", "mine:"), ("name: Wet Blast", "name: ["),
])
def test_what_the_user_edited_is_left_alone_unless_told(tmp_path: Path, before: str, after: str) -> None:
    path = keep(tmp_path, "waters", BLAST).path
    edited = path.read_text().replace(before, after)
    path.write_text(edited)
    second = keep(tmp_path, "waters", named(BLAST, level=4))
    if after in {"mine:", "name: ["}:  # it no longer says whose it is: it stays, and the entry gets another file
        assert (second.state, second.path.name) == ("new", "wet-blast-waters-2.yaml")
    else:
        assert (second.state, second.path) == ("edited", path)
        assert path.read_text() == edited
        assert keep(tmp_path, "waters", named(BLAST, level=4), replace=True).state == "updated"
    assert before == "name: Wet Blast" or read_folders([tmp_path]).documents


def test_entities_of_one_name_have_slugs_of_their_own_and_so_have_features(tmp_path: Path) -> None:
    (tmp_path / "spells").mkdir()
    (tmp_path / "spells" / "mine.yaml").write_text("name: Wet Blast\nlevel: 1\n")
    several = [(source, replace(BLAST, page=page)) for source, page in (("waters", "12"), ("seas", "3"), ("seas", "9"))]
    names = ["wet-blast-waters", "wet-blast-seas", "wet-blast-seas-2"]
    assert [keep(tmp_path, *one).path.stem for one in several] == names
    assert [(keep(tmp_path, *one).path.stem, keep(tmp_path, *one).state) for one in several] == [(name, "unchanged") for name in names]
    assert [keep(tmp_path, "waters", DIVER).state for _ in range(2)] == ["new", "unchanged"]
    assert (tmp_path / "features/deep-breath-waters.yaml").is_file()
    read = read_folders([tmp_path]).documents
    assert {type_: len(held) for type_, held in read.items()} == {EntityType.SPELLS: 4, EntityType.CLASSES: 1, EntityType.FEATURES: 1}


def test_what_cannot_be_kept_is_refused(tmp_path: Path) -> None:
    for source, entity, says in (
        ("..", BLAST, "no letter or digit"), ("waters", named(BLAST, desc="wet " * 300_000), "larger than"),
        ("waters", named(BLAST, level="x"), "whole number"),
    ):
        with pytest.raises(LibraryError, match=says):
            keep(tmp_path, source, entity)
    assert list(tmp_path.rglob("*.yaml")) == []
    (tmp_path / "file").write_text("")
    with pytest.raises(LibraryError, match="file"):
        keep(tmp_path / "file", "waters", BLAST)
    assert keep(tmp_path / "in", "../../Out", BLAST).path == tmp_path / "in" / "spells" / "wet-blast-out.yaml"
