"""How much of the evidence that an answer needs the engine prints, within a budget of tokens.

The shipped set asks about the sample campaign. Its gold are quotes of session notes, parts of
sheets and titles of the rulebook; each question counts by the part of its gold that is printed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ir_measures import R

from mvp_site.engine.central_engine import CentralEngine
from mvp_site.engine.types import Evidence
from mvp_site.retrieval.building import Progress
from mvp_site.sessions.session_notes import SAMPLE
from mvp_site.settings import Settings
from mvp_site.text.names import fold, title_key, words
from mvp_site.types import Audience

from .metrics import Answer, Metrics
from .report import Goal, Report, ranking_report, worst
from .sample_campaign import sampled
from .sets import Name, Split, read_set

FILE: Final = "sets/engine_evidence.jsonl"
BUDGET: Final = 4_000
METRICS: Final = Metrics("questions", {"recall": ("recall", R @ 1000), "tokens": ("tokens", None)})
_HEADING: Final = re.compile(r"^#{1,6} +(.+?)\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Gold:
    """A piece of evidence: a quote of a session, something on a sheet, or a rulebook's title."""

    session: int | None = None
    sheet: Name | None = None
    part: str | None = None
    text: Name | None = None
    rulebook: Name | None = None

    def __post_init__(self) -> None:
        if sum(one is not None for one in (self.session, self.sheet, self.rulebook)) != 1:
            raise ValueError("a gold is of a session, a sheet or the rulebook")
        if self.rulebook is None and self.text is None:
            raise ValueError("a gold of a session or a sheet has its text")

    @property
    def label(self) -> str:
        """What names it."""
        where = f"session {self.session}" if self.session is not None else self.sheet or "rulebook"
        return f"{where}: {self.text or self.rulebook}"

    def stands_in(self, evidence: Sequence[Evidence]) -> bool:
        """Whether it is printed."""
        if self.rulebook is not None:
            wanted = title_key(self.rulebook)
            return any(
                wanted == title_key(title) for one in evidence if one.domain == "rulebook"
                for title in (one.title, *_HEADING.findall(one.text))
            )
        domain = "character" if self.sheet is not None else "session_notes"
        wanted = _plain(self.text or "")
        return any(
            wanted in _plain(f"{one.title} {one.text}") for one in evidence
            if one.domain == domain and self.session in {None, one.session}
        )


@dataclass(frozen=True, slots=True)
class EvidenceQuestion:
    """A question with the evidence that its answer needs."""

    id: Name
    query: Name
    character: str
    audience: Audience
    domains: tuple[Name, ...]
    gold: tuple[Gold, ...]
    split: Split

    @property
    def text(self) -> str:
        """What is asked."""
        return self.query

    @property
    def grades(self) -> Mapping[str, int]:
        """The gold as documents that are relevant."""
        return {gold.label: 1 for gold in self.gold}


def run_engine(settings: Settings, split: Split | None = "tune", *, questions: Path | None = None,
               tokens: int = BUDGET, progress: Progress | None = None, worst_shown: int = 0,
               ) -> Report:
    """Ask an engine without a model about the sample campaign, in a database of its own.

    Raises:
        SettingsError: the set cannot be read.
        IndexLoadError, EncoderError: the rulebook or the encoder is missing.
    """
    asked = read_set(EvidenceQuestion, FILE, questions, split=split, asks=lambda one: one.query)
    with sampled(settings) as own, closing(CentralEngine.open(own)) as engine:
        def printed(question: EvidenceQuestion) -> Answer:
            found = engine.answer(
                question.query, question.character, campaign=SAMPLE, audience=question.audience,
                max_tokens=tokens,
            )
            return Answer(
                [gold.label for gold in question.gold if gold.stands_in(found.evidence)],
                {"tokens": found.tokens},
            )

        outcomes = METRICS.judge(asked, printed, progress)
    groups = METRICS.grouped(
        outcomes, audience=lambda one: one.audience,
        domains=lambda one: "several" if len(one.domains) > 1 else one.domains[0],
    )
    goals = [
        Goal.of(name, wanted, groups[group].measures["recall"])
        for name, wanted, group in (("evidence", "≥ .92", "all"),
                                    ("several domains", "≥ .85", "domains=several"))
        if group in groups
    ]
    return ranking_report(
        f"{len(asked)} questions ({split or 'all'}) within {tokens} tokens", METRICS,
        {"split": split, "budget": tokens, "worst": worst(outcomes, METRICS, worst_shown)},
        {"engine": groups}, goals,
    )


def _plain(text: str) -> str:
    return " ".join(words(fold(text)))
