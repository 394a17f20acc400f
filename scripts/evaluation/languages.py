"""Retrieval in four languages: a small game, line for line the same, asked in each of them.

The texts and eighty questions in each language stand in ``sets/languages/``; two authors wrote
the questions, from the texts alone. The English game is also
asked in the others, which only a multilingual encoder can answer by meaning.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from mvp_site.archive.build import build_prompt_index
from mvp_site.archive.versions import HEADER, read_version
from mvp_site.assembly.assembler import PromptAssembler
from mvp_site.retrieval.building import Progress, open_encoder
from mvp_site.settings import Settings

from .corpora import by_topic, mean_of
from .metrics import Outcome
from .needles import Needle
from .needles_eval import assembled, judge
from .report import Report, lines
from .sets import Split, read_set

LANGUAGES: Final = ("en", "de", "es", "ja")
BUDGET: Final = 500
"""Tokens of a turn, of games of 3,000 to 5,000."""
SET: Final = "sets/languages/needles.jsonl"
_TEXTS: Final = Path(__file__).with_name("sets") / "languages"


@dataclass(frozen=True, slots=True)
class Row:
    """One game asked in one language: recall by kind, reciprocal rank, shares that are refused."""

    game: str
    asked: str
    questions: int
    recall: float
    lookup: float
    reworded: float
    turn: float
    mrr: float
    off: float
    on: float


def run_languages(settings: Settings, split: Split, *, progress: Progress | None = None) -> Report:
    """A row for each game in its own language, and for the English one in each of the others.

    Raises:
        EncoderError: there is no encoder.
    """
    encoder = open_encoder(settings, progress)
    needles = read_set(Needle, SET, what="needle", split=split)
    rows: list[Row] = []
    with TemporaryDirectory() as folder:
        for game in LANGUAGES:
            version = Path(folder, game, "archive", game)
            version.mkdir(parents=True)
            for path in sorted((_TEXTS / game).glob("*.md")):
                (version / path.name).write_bytes(path.read_bytes())
            (version / HEADER).write_text("Korrin.\n", encoding="utf-8")
            held = replace(
                settings, prompt_archive_dir=version.parent, prompt_version=game,
                prompt_index_dir=Path(folder, game, "index"), prompt_max_tokens_retrieved=BUDGET,
            )
            build_prompt_index(held, encoder=encoder, progress=progress)
            printer = assembled(PromptAssembler.open(held, encoder=encoder))
            for asked in LANGUAGES if game == "en" else (game,):
                mine = [needle for needle in needles if needle.version == asked]
                rows.append(_row(game, asked, judge(printer, read_version(held, game), mine)))
    head = (f"{split}, encoder {encoder.fingerprint}: recall within {BUDGET} tokens; "
            "off and on: the share refused of what is off topic and on it")
    values = {"split": split, "encoder": encoder.fingerprint, "rows": [*map(asdict, rows)]}
    return Report(values, (head, *lines({"rows": values["rows"]})))


def _row(game: str, asked: str, outcomes: list[Outcome[Needle]]) -> Row:
    on_topic, off_topic = by_topic(outcomes)

    def recall(kind: str) -> float:
        return mean_of([one for one in on_topic if one.question.kind == kind], "recall")

    return Row(game, asked, len(on_topic), mean_of(on_topic, "recall"), recall("lookup"),
               recall("reworded"), recall("turn"), mean_of(on_topic, "mrr"),
               mean_of(off_topic, "sparse"), mean_of(on_topic, "sparse"))
