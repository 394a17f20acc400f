"""Notes of eight languages as people mark what players may not see, and notes that only sound so: imported as notes and as prompts.

``cases/secret_marks.jsonl`` has a note a line: ``secrets`` that no player may see, and pieces that must be ``shown``.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mvp_site import SessionNotes, Settings
from mvp_site.archive.importing import accept, propose, read_source
from mvp_site.archive.passages import chunk_version
from mvp_site.archive.versions import read_version
from tests.hashing import HashingEncoder

from .conftest import CASES

MARKS: list[dict[str, Any]] = [json.loads(line) for line in (CASES / "secret_marks.jsonl").read_text("utf-8").splitlines()]
HARMLESS = [note for note in MARKS if not note["secrets"]]
KEPT = {"Rules/Stealth.md", "Lore/Prep.md", "Sessions/15.md"}
"""Harmless ones that notes keep from players: a row "Hidden", a heading with "prep" or "DM" in it."""


def plain(text: str) -> str:
    return " ".join(text.replace("*", "").replace("\\", "").split())


@pytest.mark.slow
def test_no_note_shows_a_secret_to_players(tmp_path: Path) -> None:
    settings = replace(Settings(), mvp_site_data_dir=tmp_path, mvp_site_database_url=f"sqlite:///{tmp_path}/notes.sqlite3")
    notes = SessionNotes.open(settings, encoder=HashingEncoder())
    documents = notes.import_notes("game", [(note["file"], note["text"].encode()) for note in MARKS])
    shown = plain("\n".join([*(f"{piece.title}\n{piece.text}" for document in documents for piece in document.pieces if piece.audience == "player"),
                             *(f"{known.name} {known.aliases}" for known in notes.known("game", "player"))]))
    assert [note["file"] for note in MARKS for secret in note["secrets"] if secret in shown] == []
    assert {note["file"] for note in HARMLESS for piece in note["shown"] if piece not in shown} == KEPT


@pytest.mark.slow
def test_no_prompt_shows_a_secret_to_players(tmp_path: Path) -> None:
    for note in MARKS:
        path = tmp_path / "vault" / note["file"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(note["text"], "utf-8")
    settings = replace(Settings(), prompt_archive_dir=tmp_path / "archive", prompt_version="v1")
    proposal = propose(read_source(tmp_path / "vault"))
    accept(proposal, settings.prompt_archive_dir, "v1")
    chunks = chunk_version(read_version(settings, "v1"))
    shown = plain("\n".join([proposal.header, *(chunk.text for chunk in chunks if chunk.audience == "player")]))
    assert [note["file"] for note in MARKS for secret in note["secrets"] if secret in shown] == []
    assert {note["file"] for note in HARMLESS for piece in note["shown"] if piece not in shown} == set()
