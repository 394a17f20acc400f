#!/usr/bin/env python3
"""Prints what a campaign costs: its size in the database, opening it, and questions to it.

The sample's sessions are written again and again until there are as many as asked for, in a
database of their own; its sheets stand beside them. docs/engine.md has the figures.

Usage: measure_campaigns.py [SESSIONS]
"""

from __future__ import annotations

import re
import statistics
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event

from mvp_site import CentralEngine, SessionNotes, Settings
from mvp_site.retrieval.building import open_encoder

ASKED = (
    "who is Corvin Hale?", "what did the fire do at the ferry?", "how was the tide door opened?",
    "what is wrong with my hand?", "who pays the thieves?", "where is the lantern now?",
)


def main() -> None:
    """Import, open and ask."""
    sessions = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    place = files("mvp_site.sessions").joinpath("samples")
    texts = [place.joinpath(f"session_{number}.md").read_text("utf-8") for number in range(1, 10)]
    notes = [(f"session_{number}.md", _numbered(texts[number % 9], number))
             for number in range(1, sessions + 1)]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "campaigns.sqlite3"
        settings = replace(Settings(), mvp_site_database_url=f"sqlite:///{file}",
                           mvp_site_milvus_uri=None)
        encoder = open_encoder(settings)
        with closing(SessionNotes.open(settings, encoder=encoder)) as opened:
            pieces = sum(len(one.pieces) for one in opened.import_notes("long", notes))
        size = sum(one.stat().st_size for one in Path(folder).iterdir())
        characters = sum(len(text) for _, text in notes)
        print(f"{sessions} sessions, {pieces} pieces, {characters:,} characters: "
              f"{size / 1e6:.1f} MB in the database")
        with closing(SessionNotes.open(settings, encoder=encoder)) as opened:
            started = time.perf_counter()
            opened.known("long", "player")
            print(f"opened in {time.perf_counter() - started:.2f} s, by a process once an import")
            seconds = []
            for number, asked in enumerate(ASKED * 10):
                started = time.perf_counter()
                opened.search("long", f"{asked} {number}", "session")
                seconds.append(time.perf_counter() - started)
            print(f"a search of the notes {1000 * statistics.median(seconds):.1f} ms at the median")
            started = time.perf_counter()
            for _ in range(100):
                opened.version("long")
            print(f"a look for changes {10 * (time.perf_counter() - started):.2f} ms")
            opened.import_samples("short")
            with closing(CentralEngine.open(settings, notes=opened)) as engine:
                engine.answer("ready?", "Ilse Varn", campaign="short")
                for what in ("a new question", "the same again"):
                    _ask(engine, what)


def _ask(engine: CentralEngine, what: str) -> None:
    """Print what questions to the engine take, and their statements."""
    said: Counter[str] = Counter()

    def count(*given: Any) -> None:
        said[given[2].split()[0]] += 1

    event.listen(Engine, "before_cursor_execute", count)
    seconds = []
    for asked in ASKED:
        started = time.perf_counter()
        engine.answer(asked, "Ilse Varn", campaign="short")
        seconds.append(time.perf_counter() - started)
    event.remove(Engine, "before_cursor_execute", count)
    each = ", ".join(f"{said[name] / len(ASKED):.0f} {name}" for name in ("SELECT", "INSERT"))
    print(f"{what} to the engine {1000 * statistics.median(seconds):.0f} ms, {each}")


def _numbered(text: str, number: int) -> str:
    """The notes as those of another session."""
    text = re.sub(r"(?m)^session: \d+", f"session: {number}", text)
    return re.sub(r"(?m)^# Session \d+", f"# Session {number}", text)


if __name__ == "__main__":
    main()
