"""What a server is given to choke on: books, a contract, and the answers of a model."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from mvp_site import build_prompt_index
from mvp_site.errors import ArchiveError, BuildError
from mvp_site.library.library import Library
from mvp_site.settings import Settings

from . import hostile_pdf

ANSWER: Final = 12_000
"""Characters of a long answer."""
SLOW: Final = 4
"""Books whose page takes a minute to draw; one more takes gigabytes."""
PATTERNS: Final = (
    "(?:[a-z]?){9000}[0-9]", "(?:[a-z]?){900}[0-9]", "(?:[a-z]?){90}[0-9]", "[0-9]",
)
"""What a long answer, which has no digit, is searched for: the worst, for seconds, is the first."""


@dataclass(frozen=True, slots=True)
class Site:
    """A server's settings; its hostile books, by id; and the first pattern that it takes.

    ``refusals`` say why it takes none before.
    """

    settings: Settings
    books: tuple[str, ...]
    pattern: str
    refusals: tuple[str, ...]

    @property
    def contract(self) -> str:
        """What became of the patterns."""
        pattern = f"the contract's pattern is `{self.pattern}`"
        return "; ".join((*(f"refused: {reason}" for reason in self.refusals), pattern))


def prepare(settings: Settings, work: Path, step: Callable[[str], None]) -> Site:
    """A site in ``work`` beside what was built by ``settings``, of the same prompts.

    Of two answers of its model one has :data:`ANSWER` characters.
    """
    shutil.rmtree(work, ignore_errors=True)
    data, books = work / "data", work / "books"
    for folder in (data, books):
        folder.mkdir(parents=True)
    for part in ("encoder", "rulebook", "entities"):
        (data / part).symlink_to((settings.mvp_site_data_dir / part).resolve())
    shutil.copytree(settings.prompt_archive_dir, work / "archive")
    shutil.copytree(settings.prompt_index_dir, work / "index")  # so that little is encoded
    answers = work / "answers.jsonl"
    texts = ("1 guard sleeps.", "a" * ANSWER)
    answers.write_text("".join(
        f"{json.dumps(line)}\n" for line in
        (*({"text": json.dumps({"narrative": text})} for text in texts), {"repeat": True})
    ))
    site = replace(
        settings, prompt_archive_dir=work / "archive", prompt_index_dir=work / "index",
        mvp_site_data_dir=data, mvp_site_database_url=f"sqlite:///{work}/campaigns.sqlite3",
        mvp_site_llm=f"scripted:{answers}",
    )
    (books / "swelling.pdf").write_bytes(hostile_pdf.swelling())
    for number in range(SLOW):
        (books / f"slow-{number}.pdf").write_bytes(hostile_pdf.slow(60 + number))
    step("serving: reading hostile books")
    library = Library.open(site)
    library.scan(books, audience="player")
    ids = tuple(source.id for source in library.sources())
    library.close()
    step("serving: building prompts with a hostile contract")
    refusals: list[str] = []
    for pattern in PATTERNS:
        (site.prompt_archive_dir / "contract.json").write_text(json.dumps(_contract(pattern)))
        try:
            build_prompt_index(site)
        except (ArchiveError, BuildError) as error:
            refusals.append(str(error))
        else:
            return Site(site, ids, pattern, tuple(refusals))
    raise RuntimeError(f"no contract can be built: {refusals[-1]}")


def _contract(pattern: str) -> dict[str, object]:
    properties = {"narrative": {"type": "string", "pattern": pattern}}
    return {
        "answer": "json", "narrative": "narrative", "fallback": {"narrative": "1 rat stirs."},
        "schema": {"type": "object", "properties": properties, "required": ["narrative"]},
    }
