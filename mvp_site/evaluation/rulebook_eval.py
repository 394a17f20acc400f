"""How well a rulebook answers a set of questions, and what a question costs.

Rankings are those of ``Rulebook.search``. Refusals and what is printed are those of
``Rulebook.query`` within its default budget: a question is refused where the response is empty.
Each question is asked once of a rulebook with empty caches, beside one encoding of its text.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np

from ..errors import SettingsError
from ..retrieval import export
from ..retrieval.encoder import Encoder
from ..retrieval.releases.build import Progress
from ..rulebook.build import read_manuscript
from ..rulebook.results import RankedSection, RulebookResponse
from ..rulebook.rulebook import Rulebook
from ..rulebook.sections import Sections
from ..settings import Settings
from .needles import Split
from .ranking import DEPTH, mean
from .report import Goal
from .rulebook_metrics import Outcome, Summary, grouped, judge, summarise
from .rulebook_set import Question, in_book, load_questions
from .rulebook_systems import BASELINES, PLAIN, PlainLanes

T = TypeVar("T")
PRODUCT: Final = "rulebook"
BUDGET: Final = 8_000
KEPT: Final = Path("evaluation", "rulebook")
"""The folder under the data folder where the baselines' vectors are kept for the next run."""
_EDGES: Final = (0.0, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
_WARM_UP: Final = ("what is this about", "which rule is it", "how does one begin")


@dataclass(frozen=True, slots=True)
class Costs:
    """Times of an uncached search. ``median`` and ``p95`` are in encodings of the same text.

    ``milliseconds`` and ``encoding_milliseconds`` are medians of the search and of the encoding.
    """

    median: float
    p95: float
    milliseconds: float
    encoding_milliseconds: float


@dataclass(frozen=True, slots=True)
class Band:
    """Of the ranked sections with a relevance from ``low`` to ``high``, how many answer.

    ``relevance`` is the mean of theirs, and ``answer`` the part that has a grade of 2 or 3; where
    relevance is calibrated the two are close.
    """

    low: float
    high: float
    count: int
    relevance: float
    answer: float


@dataclass(frozen=True, slots=True)
class Worst:
    """A question that was answered badly: its gold with grades, and the ids ranked for it."""

    id: str
    text: str
    ndcg10: float
    gold: dict[str, int]
    ranking: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RulebookReport:
    """Everything that one run showed; ``systems[name][group]`` holds means.

    Groups are ``all``, ``form=…`` and ``intention=…``. ``printed`` is the mean part of a
    question's relevant sections that stand in the response, ``off_topic_refused`` and
    ``on_topic_refused`` are parts of the questions, None where there are none.
    """

    split: Split | None
    source: str
    fingerprint: str
    sections: int
    questions: int
    off_topic: int
    systems: dict[str, dict[str, Summary]]
    printed: float
    budget: int
    off_topic_refused: float | None
    on_topic_refused: float | None
    costs: Costs
    bands: tuple[Band, ...]
    goals: tuple[Goal, ...]
    worst: tuple[Worst, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The report as plain JSON values."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class _Answer:
    """What the rulebook gave for one question, and the seconds of search and encoding."""

    question: Question
    ranking: tuple[str, ...]
    relevance: tuple[float, ...]
    printed: frozenset[str]
    refused: bool
    seconds: float
    encoding: float


def run_rulebook(settings: Settings, split: Split | None, *, markdown: Path | None = None,
                 questions: Path | None = None, worst: int = 0, encoder: Encoder | None = None,
                 progress: Progress | None = None) -> RulebookReport:
    """The report on the questions of ``split`` (None: all), of the shipped set and book.

    ``questions`` is another set, ``markdown`` another book, which is indexed in memory; ``worst``
    is how many of the questions that were answered worst are told.

    Raises:
        SettingsError: the set cannot be used, does not fit the book, or ``worst`` would show its
            untouched part.
        RulebookError: ``markdown`` cannot be read as a rulebook.
        IndexLoadError, EncoderError: the default rulebook cannot be served.
    """
    if markdown is not None and questions is None:
        raise SettingsError(f"the questions for {markdown} are missing: give them with --set FILE")
    if worst and questions is None and split != "tune":
        raise SettingsError(
            "the worst answered questions are told of the part `tune` only: whoever looks at "
            "those of `test` tunes on them"
        )
    asked = load_questions(questions, split)
    encoder = encoder or export.open_encoder(
        settings.encoder_dir, settings.prompt_embed_model, settings.prompt_encoder_threads
    )
    rulebook = _opened(settings, markdown, encoder, progress)
    asked = in_book(asked, rulebook.sections)
    kept = None if markdown else settings.mvp_site_data_dir / KEPT
    lanes = PlainLanes.build(rulebook.sections, encoder, kept, progress)
    answers = _answers(rulebook, encoder, asked, progress)
    on_topic = [one for one in answers if one.question.gold]
    ranked: dict[str, list[tuple[Question, Sequence[str]]]] = {name: [] for name in BASELINES}
    for one in on_topic:
        for name, ranking in lanes.rank(one.question, DEPTH).items():
            ranked[name].append((one.question, ranking))
    product = judge([(one.question, one.ranking) for one in on_topic])
    systems = {PRODUCT: _groups(product)}
    systems |= {name: _groups(judge(held)) for name, held in ranked.items()}
    return RulebookReport(
        split=split, source=rulebook.source, fingerprint=rulebook.fingerprint,
        sections=len(rulebook.sections), questions=len(on_topic),
        off_topic=len(answers) - len(on_topic), systems=systems,
        printed=mean([
            len(one.question.relevant & one.printed) / len(one.question.relevant)
            for one in on_topic
        ]) or 0.0,
        budget=BUDGET,
        off_topic_refused=mean([one.refused for one in answers if not one.question.gold]),
        on_topic_refused=mean([one.refused for one in on_topic]),
        costs=_costs(answers), bands=_bands(answers), goals=_goals(systems),
        worst=_worst(product, worst),
    )


def _opened(settings: Settings, markdown: Path | None, encoder: Encoder,
            progress: Progress | None) -> Rulebook:
    if markdown is None:
        return Rulebook.open(settings, encoder=encoder)
    manuscript = read_manuscript(markdown)
    return Rulebook.from_markdown(
        manuscript.text, source=manuscript.source, settings=settings, encoder=encoder,
        progress=partial(progress, "sections") if progress else None,
    )


def _answers(rulebook: Rulebook, encoder: Encoder, questions: Sequence[Question],
             progress: Progress | None) -> list[_Answer]:
    for text in _WARM_UP:  # nobody pays for a first call
        rulebook.search(text)
        encoder.encode([text])
    found: list[_Answer] = []
    for number, one in enumerate(questions):
        found.append(_answer(rulebook, encoder, one, encode_first=bool(number % 2)))
        if progress:
            progress("questions", number + 1, len(questions))
    return found


def _answer(rulebook: Rulebook, encoder: Encoder, one: Question, *, encode_first: bool,
            ) -> _Answer:
    def encode() -> object:
        return encoder.encode([one.own_text])

    def search() -> tuple[RankedSection, ...]:
        return rulebook.search(
            one.user_query, one.intention, one.entities, one.context_hints, limit=DEPTH
        )

    encoding = _timed(encode)[1] if encode_first else None
    hits, seconds = _timed(search)
    if encoding is None:
        encoding = _timed(encode)[1]
    response = rulebook.query(
        one.intention, one.entities, one.context_hints, one.user_query or None, max_tokens=BUDGET
    )
    return _Answer(
        one, tuple(hit.id for hit in hits), tuple(hit.relevance for hit in hits),
        printed(response, rulebook.sections), response.reason is not None, seconds, encoding,
    )


def printed(response: RulebookResponse, sections: Sections) -> frozenset[str]:
    """The ids of the sections that stand whole in a response, as themselves or below another.

    A section without a text of its own stands there where all of those right below it do.
    """
    found: set[str] = set()
    for one in response.sections:
        if not one.cut:
            found.add(one.section.id)
        if one.includes_children:
            below = {section.id for section in sections.descendants(one.section)}
            found |= below - set(one.children_left)
    for section in reversed(tuple(sections)):
        if not section.content and section.children_ids and found.issuperset(section.children_ids):
            found.add(section.id)
    return frozenset(found)


def _bands(answers: Sequence[_Answer]) -> tuple[Band, ...]:
    """The ranked sections of all questions by relevance; a band without any is left out."""
    pairs = np.asarray([
        (relevance, name in one.question.relevant) for one in answers
        for name, relevance in zip(one.ranking, one.relevance, strict=True)
    ], np.float64).reshape(-1, 2)
    bands: list[Band] = []
    for low, high in pairwise(_EDGES):
        held = pairs[(pairs[:, 0] >= low) & (pairs[:, 0] < high)]
        if len(held):
            bands.append(Band(low, high, len(held), *map(float, held.mean(axis=0))))
    return tuple(bands)


def _timed(call: Callable[[], T]) -> tuple[T, float]:
    started = time.perf_counter()
    value = call()
    return value, time.perf_counter() - started


def _costs(answers: Sequence[_Answer]) -> Costs:
    seconds = np.asarray([one.seconds for one in answers])
    encodings = np.asarray([one.encoding for one in answers])
    median, p95 = np.percentile(seconds / encodings, [50, 95])
    return Costs(
        float(median), float(p95), float(np.median(seconds)) * 1000,
        float(np.median(encodings)) * 1000,
    )


def _groups(outcomes: Sequence[Outcome]) -> dict[str, Summary]:
    return {"all": summarise(outcomes)} | grouped(outcomes, "form", lambda one: one.form) | (
        grouped(outcomes, "intention", _intention)
    )


def _intention(question: Question) -> str:
    return question.intention.value if question.intention else "none"


def _worst(outcomes: Sequence[Outcome], count: int) -> tuple[Worst, ...]:
    ordered = sorted(outcomes, key=lambda one: (one.measures.ndcg10, one.question.id))
    return tuple(
        Worst(one.question.id, one.question.text, one.measures.ndcg10, dict(one.question.gold),
              one.ranking)
        for one in ordered[:count]
    )


def _goals(systems: dict[str, dict[str, Summary]]) -> tuple[Goal, ...]:
    ours, plain = (systems[name]["all"].measures for name in (PRODUCT, PLAIN))
    gain = ours.ndcg10 - plain.ndcg10
    return (
        Goal("nDCG@10", "≥ .85", ours.ndcg10, ours.ndcg10 >= 0.85),
        Goal("recall@10", "≥ .92", ours.r10, ours.r10 >= 0.92),
        Goal("MRR", "≥ .85", ours.mrr, ours.mrr >= 0.85),
        Goal("nDCG@10 over plain convex fusion", "≥ +.10", gain, gain >= 0.10),
    )
