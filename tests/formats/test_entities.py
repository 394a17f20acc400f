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
