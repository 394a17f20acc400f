"""How much of the evidence that an answer needs the engine prints, within a budget of tokens.

The shipped set asks about the sample campaign. Its gold are quotes of session notes, parts of
sheets and titles of the rulebook; each question counts by the part of its gold that is printed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Final

from mvp_site.engine.central_engine import CentralEngine
from mvp_site.engine.types import Answer, Evidence
from mvp_site.errors import SettingsError
from mvp_site.retrieval.building import Progress
from mvp_site.sessions.session_notes import SAMPLE
from mvp_site.settings import Settings
from mvp_site.text.names import fold, title_key, words
from mvp_site.types import Audience

from .report import Goal, Report, Table
from .sample_campaign import sampled
from .sets import Name, Split, read_set

FILE: Final = "sets/engine_evidence.jsonl"
BUDGET: Final = 4_000
WANTED: Final = 0.92
WANTED_SEVERAL: Final = 0.85
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


def run_engine(settings: Settings, split: Split | None = "tune", *, questions: Path | None = None,
               tokens: int = BUDGET, progress: Progress | None = None, worst_shown: int = 0,
               ) -> Report:
    """Ask an engine without a model about the sample campaign, in a database of its own.

    Raises:
        SettingsError: the set cannot be read.
        IndexLoadError, EncoderError: the rulebook or the encoder is missing.
    """
    asked = read_set(EvidenceQuestion, FILE, questions, split=split, asks=lambda one: one.query)
    answers: list[Answer] = []
    with sampled(settings) as own, closing(CentralEngine.open(own)) as engine:
        for number, one in enumerate(asked):
            if progress:
                progress("questions", number, len(asked))
            answers.append(engine.answer(
                one.query, one.character, campaign=SAMPLE, audience=one.audience,
                max_tokens=tokens,
            ))
    if not answers:
        raise SettingsError("there is no question of this part")
    return _report(asked, answers, tokens, worst_shown)


def _report(asked: Sequence[EvidenceQuestion], answers: Sequence[Answer], tokens: int,
            worst_shown: int) -> Report:
    recall = {
        one.id: fmean(gold.stands_in(answer.evidence) for gold in one.gold)
        for one, answer in zip(asked, answers, strict=True)
    }
    groups: Mapping[str, Callable[[EvidenceQuestion], bool]] = {
        "all": lambda _: True, "one domain": lambda one: len(one.domains) == 1,
        "several domains": lambda one: len(one.domains) > 1,
        "for the DM": lambda one: one.audience != "player",
        **{f"with {domain}": lambda one, domain=domain: domain in one.domains  # type: ignore[misc]
           for domain in sorted({domain for one in asked for domain in one.domains})},
    }
    found = {
        name: [recall[one.id] for one in asked if chosen(one)] for name, chosen in groups.items()
    }
    measured = {name: fmean(held) for name, held in found.items() if held}
    spent = fmean(answer.tokens for answer in answers)
    lost = [
        (one, [gold for gold in one.gold if not gold.stands_in(answer.evidence)], answer)
        for one, answer in zip(asked, answers, strict=True) if recall[one.id] < 1
    ]
    page: list[str | Table | Goal] = [
        Table(("questions", "count", f"recall in {tokens} tokens"), tuple(
            (name, str(len(found[name])), f"{value:.3f}") for name, value in measured.items()
        )),
        f"{spent:.0f} tokens in the mean; most {max(answer.tokens for answer in answers)}",
        Goal.of("evidence", f"≥ {WANTED}", measured["all"]),
    ]
    if "several domains" in measured:
        page.append(Goal.of("several domains", f"≥ {WANTED_SEVERAL}", measured["several domains"]))
    page += [
        f"{one.id} {one.query} | lacks {'; '.join(_told(gold) for gold in lacks)} | "
        f"{', '.join(d.domain for d in answer.decisions if d.is_needed)}"
        for one, lacks, answer in lost[:worst_shown]
    ]
    return Report({"recall": measured, "tokens": spent, "questions": len(asked)}, tuple(page))


def _told(gold: Gold) -> str:
    where = f"session {gold.session}" if gold.session is not None else gold.sheet or "rulebook"
    return f"{where}: {gold.text or gold.rulebook}"


def _plain(text: str) -> str:
    return " ".join(words(fold(text)))
