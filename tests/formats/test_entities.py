"""Entities of other tools stand in one's own folders as they were exported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mvp_site.content.own_files import read_folders

from .records import ENTITIES


@pytest.mark.parametrize("kind", ENTITIES)
def test_what_a_tool_wrote_is_an_entity(kind: str, tmp_path: Path) -> None:
    folder, value, fields = ENTITIES[kind]
    (tmp_path / folder).mkdir()
    (tmp_path / folder / "theirs.json").write_text(json.dumps(value), "utf-8")
    entities = read_folders([tmp_path])
    assert entities.refused == ()
    [(_, [document])] = entities.documents.items()
    assert {key: document.get(key) for key in fields} == fields
    assert "zanzibar" not in str(document)
    assert "{@" not in str(document)


@pytest.mark.parametrize("secret", [{"audience": "dm"}, {"hidden": True}, {"dm_only": True}])
@pytest.mark.parametrize("kind", ENTITIES)
def test_what_its_owner_keeps_from_players_is_refused(kind: str, secret: dict[str, object],
                                                      tmp_path: Path) -> None:
    folder, value, _ = ENTITIES[kind]
    if not (isinstance(value, dict) and "name" in value):
        pytest.skip("a list of records")
    (tmp_path / folder).mkdir()
    (tmp_path / folder / "theirs.json").write_text(json.dumps({**value, **secret}), "utf-8")
    entities = read_folders([tmp_path])
    assert "keep secrets out of this folder" in entities.refused[0].reason
    assert not any(entities.documents.values())
