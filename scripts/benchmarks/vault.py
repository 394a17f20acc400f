"""How long a vault of 1.5 MB takes: imported as prompts and built, and imported as notes.

The vault is made of the sentences of the tests' vaults, drawn at random, with links between notes.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Final, TypeVar

from mvp_site import SessionNotes, build_prompt_index
from mvp_site.archive.importing import accept, propose, read_source
from mvp_site.settings import Settings

SIZE: Final = 1_500_000
"""Bytes of its notes."""
VAULTS: Final = Path("tests/cases/strangers")
_FOLDERS: Final = ("People", "Places", "Sessions", "Items", "Lore")
_NAMES: Final = ("Marn", "Osk", "Vell", "Tarrow", "Hest")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Step:
    """Seconds of a step, those of the processor, and the longest time without a report."""

    name: str
    seconds: float
    processor: float
    silent: float


def make(folder: Path, size: int = SIZE) -> int:
    """How many notes of together ``size`` bytes were written below ``folder``."""
    text = "\n".join(path.read_text("utf-8") for path in sorted(VAULTS.glob("*/vault/**/*.md")))
    sentences = [line.strip() for line in re.split(r"(?<=[.!?])\s+|\n", text)
                 if len(line.split()) > 4 and not re.search(r"[\[\]{}%:<>|`#]|^\W", line.strip())]
    chance, written, notes = random.Random(4), 0, 0  # noqa: S311 - the same vault each time
    while written < size:
        kind, title = chance.choice(_FOLDERS), f"{chance.choice(_NAMES)} {notes:04d}"
        linked = f"See [[{chance.choice(_NAMES)} {chance.randrange(400):04d}]]."
        paragraphs = [" ".join((*chance.choices(sentences, k=7), linked)) for _ in range(7)]
        body = ("\n\n## More\n\n" if notes % 2 else "\n\n").join(paragraphs)
        note = f"---\ntags: [{kind.lower()}]\n---\n# {title}\n\n{body}\n"
        path = folder / kind / f"{title}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(note, "utf-8")
        written, notes = written + len(note.encode()), notes + 1
    return notes


def run(settings: Settings, work: Path, step: Callable[[str], None]) -> list[Step]:
    """The steps, each with what it took."""
    vault = work / "vault"
    step(f"a vault of {make(vault):,} notes")
    own = replace(settings, prompt_archive_dir=work / "archive", prompt_index_dir=work / "index",
                  mvp_site_data_dir=work / "data", prompt_version="vault", mvp_site_database_url=f"sqlite:///{work}/notes.sqlite3")
    steps: list[Step] = []
    reports: list[float] = []

    def timed(name: str, run_step: Callable[[], T]) -> T:
        step(name)
        reports[:] = [time.perf_counter()]
        before = time.process_time()
        value = run_step()
        reports.append(time.perf_counter())
        pauses = [after - at for at, after in pairwise(reports)]
        steps.append(Step(name, reports[-1] - reports[0], time.process_time() - before,
                          max(pauses)))
        return value

    def told(_stage: str, _done: int, _of: int) -> None:
        reports.append(time.perf_counter())

    source = timed("imported as prompts: read", lambda: read_source(vault))
    proposal = timed("imported as prompts: cut", lambda: propose(source))
    timed("imported as prompts: written", lambda: accept(proposal, own.prompt_archive_dir, "vault"))
    timed("built", lambda: build_prompt_index(own, progress=told))
    files = [(path.relative_to(vault).as_posix(), path.read_bytes())
             for path in sorted(vault.rglob("*.md"))]
    with_notes = SessionNotes.open(own)
    timed("imported as notes, and built", lambda: with_notes.import_notes("vault", files, told))
    return steps


def table(steps: list[Step]) -> str:
    """The steps as a table in Markdown."""
    rows = [f"| {row.name} | {row.seconds:.1f} | {row.processor:.1f} | {row.silent:.1f} |"
            for row in steps]
    return "\n".join(["| step | seconds | of the processor | longest without a report |",
                      "|---|--:|--:|--:|", *rows])
