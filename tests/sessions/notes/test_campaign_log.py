"""A file with the notes of several sessions: each becomes its own document, and no secret leaves its cover."""

from __future__ import annotations

from pathlib import Path

import pytest

from mvp_site.sessions.notes.campaign_log import session_texts
from mvp_site.sessions.session_notes import SessionNotes
from mvp_site.settings import Settings
from tests.hashing import HashingEncoder


@pytest.mark.parametrize(("text", "heads"), [
    ("# Log\nplayers: us\n\n## Session 1: Mill\nA.\n### NPCs\n- B\n## Session 2\nC.", ["# Log", "## Session 1: Mill", "## Session 2"]),
    ("Sitzung 1\n=====\nA.\n\nSitzung 2\n-----\nB.\n\n### Sitzung 3\nC.", ["Sitzung 1", "Sitzung 2", "### Sitzung 3"]),
    ("**Session 1**\nA.\n\n**Session 2**\nB.", ["**Session 1**", "**Session 2**"]),
    ("## 2031-05-04\nA.\n## 2031-05-11\nB.", ["## 2031-05-04", "## 2031-05-11"]),
    ("## Session 1\nA.\n## Lore\nThe bell.\n## Session 2\nB.", ["## Lore", "## Session 1", "## Session 2"]),
    ("## Session 1\nA.\n## Session 1 (cont.)\nB.\n## Session 2\nC.", ["## Session 1", "## Session 2"]),
    ("# Session 5\nA.\n## Session 4 recap\nB.", ["# Session 5"]), ("# Session 5\nA.\n## Loot\nB.", ["# Session 5"]),
    ("---\naudience: dm\n---\n## Session 1\nA.\n## Session 2\nB.", ["---"]), ("# DM notes\n## Session 1\nA.\n## Session 2\nB.", ["# DM notes"]),
    ("<!--\n## Session 1\nA.\n-->\n## Session 2\nB.\n## Session 3\nC.", ["<!--", "## Session 2", "## Session 3"]),
    ("%%\n## Session 1\nA.\n%%\n## Session 2\nB.\n## Session 3\nC.", ["%%"]), ("", [""]),
])
def test_a_log_is_cut_at_its_sessions(text: str, heads: list[str]) -> None:
    assert [part.split("\n")[0] for part in session_texts(text, "log.md")] == heads


@pytest.mark.parametrize("file", ["session 3.md", "dm notes.md", "GM only/log.md", "2031-05-04.md"])
def test_a_files_name_keeps_it_whole(file: str) -> None:
    assert len(session_texts("## Session 1\nA.\n## Session 2\nB.", file)) == 1


def test_a_log_beside_a_file_of_one_of_its_sessions_stays_whole(tmp_path: Path) -> None:
    notes = SessionNotes.open(Settings(mvp_site_data_dir=tmp_path), encoder=HashingEncoder())
    log = ("log.md", "## Session 1\nA mill.\n## Session 2\nA bell.")
    assert [row.id for row in notes.import_notes("c", [log])] == ["session-1", "session-2"]
    both = notes.import_notes("d", [log, ("session 2.md", "A rope.")])
    assert [row.id for row in both] == ["session-1", "session-2"]
    assert [piece.text for piece in both[0].pieces] == ["A mill.", "A bell."]
    notes.close()
