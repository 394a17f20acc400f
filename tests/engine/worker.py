"""A process that imports and answers, for the tests of several over one database and one Milvus.

    python -m tests.engine.worker DATA_DIR DATABASE_URL MILVUS_URI

Each line of JSON on standard input is a request, and is answered by a line.
"""

from __future__ import annotations

import json
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

from mvp_site import Rulebook, Settings
from mvp_site.engine import local_router
from mvp_site.engine.central_engine import CentralEngine
from mvp_site.engine.local_router import example_questions
from mvp_site.sessions import session_notes
from mvp_site.sessions.session_notes import SessionNotes
from tests.hashing import HashingEncoder


def done(engine: CentralEngine, notes: SessionNotes, asked: dict[str, Any]) -> dict[str, Any]:
    """What came of a request: ``notes`` or a ``sheet`` to import, else a ``query``."""
    campaign = asked["campaign"]
    if "notes" in asked:
        return {"imported": [one.id for one in notes.import_notes(campaign, [("notes.md", asked["notes"])])]}
    if "sheet" in asked:
        return {"imported": [one.id for one in notes.import_characters(campaign, [("sheet.json", asked["sheet"])])]}
    answer = engine.answer(asked["query"], asked.get("character", ""), campaign=campaign, audience=asked.get("audience", "player"))
    return {"text": answer.text, "errors": [one.why for one in answer.errors], "kept": "route" not in answer.timings}


def main(folder: str, url: str, uri: str) -> None:
    session_notes.open_encoder = local_router.open_encoder = lambda *_: HashingEncoder()  # type: ignore[assignment]
    examples = example_questions()[::8]
    local_router.example_questions = lambda: examples  # type: ignore[assignment]
    settings = Settings(mvp_site_data_dir=Path(folder), mvp_site_database_url=url, mvp_site_milvus_uri=uri)
    book = Rulebook.from_markdown("# Falling\n\nWho falls takes damage.\n", encoder=HashingEncoder())
    with closing(SessionNotes.open(settings)) as notes, closing(CentralEngine.open(settings, notes=notes, rulebook=book)) as engine:
        for line in sys.stdin:
            sys.stdout.write(f"{json.dumps(done(engine, notes, json.loads(line)))}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
