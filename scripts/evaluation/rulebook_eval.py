"""How well a rulebook answers a set of questions.

Rankings are those of ``Rulebook.search``. Refusals and what is printed are those of
``Rulebook.query`` within its default budget: a question is refused where the response is empty.

nDCG@10 reads all grades and is the one of trec_eval (Järvelin and Kekäläinen 2002): the gain is
the grade itself, discounted by the logarithm of rank + 1 to the base 2, and divided by that of the
best ranking there is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from ir_measures import RR, P, R, nDCG

from mvp_site.errors import SettingsError
from mvp_site.retrieval.building import Progress, open_encoder
from mvp_site.retrieval.encoder import Encoder
from mvp_site.retrieval.index import Passage
from mvp_site.rulebook.build import read_manuscript
from mvp_site.rulebook.results import RankedSection, RulebookResponse
from mvp_site.rulebook.rulebook import Rulebook
from mvp_site.rulebook.sections import Sections
from mvp_site.settings import Settings

from .baselines import LANES, PLAIN, PlainLanes
from .metrics import DEPTH, Answer, Metrics, bands, mean
from .report import Goal, Report, ranking_report, worst
from .rulebook_set import RELEVANT, Question, in_book, load_questions
from .sets import Split

PRODUCT: Final = "rulebook"
METRICS: Final = Metrics("questions", {
    "ndcg10": ("nDCG@10", nDCG @ DEPTH), "p1": ("P@1", P(rel=RELEVANT) @ 1),
    "r3": ("R@3", R(rel=RELEVANT) @ 3), "r10": ("R@10", R(rel=RELEVANT) @ DEPTH),
    "mrr": ("MRR", RR(rel=RELEVANT) @ DEPTH),
})
BUDGET: Final = 8_000
_EDGES: Final = (0.0, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)


@dataclass(frozen=True, slots=True)
class Asked:
    """What the rulebook gave for one question."""

    question: Question
    hits: tuple[RankedSection, ...]
    printed: frozenset[str]
    refused: bool


def run_rulebook(settings: Settings, split: Split | None, *, markdown: Path | None = None,
                 questions: Path | None = None, worst_shown: int = 0,
                 progress: Progress | None = None) -> Report:
    """The report on the questions of ``split`` (None: all), of the shipped set and book.

    ``questions`` is another set, ``markdown`` another book, which is indexed in memory.
    ``worst_shown`` is how many of the questions that were answered worst are told.

    Raises:
        SettingsError: the set cannot be used, or does not fit the book.
        RulebookError: ``markdown`` cannot be read as a rulebook.
        IndexLoadError, EncoderError: the default rulebook cannot be served.
    """
    if markdown is not None and questions is None:
        raise SettingsError(f"the questions for {markdown} are missing: give them with --set FILE")
    loaded = load_questions(questions, split)
    encoder = open_encoder(settings)
    book = _opened(settings, markdown, encoder, progress)
    loaded = in_book(loaded, book.sections)
    passages = [Passage(one.id, (one.title,), one.content) for one in book.sections]
    lanes = PlainLanes(passages, encoder, progress)
    asked = _ask(book, loaded, progress)
    found = {one.question.id: {PRODUCT: tuple(hit.id for hit in one.hits)} for one in asked}
    on_topic = [one for one in loaded if one.gold]
    for question in on_topic:
        found[question.id] |= lanes.rank(question.text, DEPTH)

    def recorded(name: str, one: Question) -> Answer:
        return Answer(found[one.id][name])

    outcomes = {
        name: METRICS.judge(on_topic, partial(recorded, name)) for name in (PRODUCT, *LANES)
    }
    by = {"form": lambda one: one.form, "intention": lambda one: one.intent or "none"}
    systems = {name: METRICS.grouped(held, **by) for name, held in outcomes.items()}
    values = {
        "split": split, "source": book.source, "fingerprint": book.fingerprint,
        "sections": len(book.sections), "questions": len(on_topic),
        "off_topic": len(loaded) - len(on_topic),
        **_answered(asked),
        "worst": worst(outcomes[PRODUCT], METRICS, worst_shown),
    }
    ours, plain = (systems[name]["all"].measures for name in (PRODUCT, PLAIN))
    goals = [
        Goal.of("nDCG@10", "≥ .85", ours["ndcg10"]), Goal.of("recall@10", "≥ .92", ours["r10"]),
        Goal.of("MRR", "≥ .85", ours["mrr"]),
        Goal.of("nDCG@10 over plain convex fusion", "≥ +.10", ours["ndcg10"] - plain["ndcg10"]),
    ]
    return ranking_report(
        f"{len(on_topic)} questions ({split or 'all'}), {values['off_topic']} off-topic, to "
        f"{book.source}, release {book.fingerprint}: {len(book.sections)} sections",
        METRICS, values, systems, goals,
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


def _ask(book: Rulebook, questions: Sequence[Question], progress: Progress | None,
         ) -> list[Asked]:
    found: list[Asked] = []
    for number, one in enumerate(questions, 1):
        hits = book.search(one.words, one.intent, one.entities, one.context_hints, limit=DEPTH)
        response = book.query(
            one.intent, one.entities, one.context_hints, one.words or None, max_tokens=BUDGET
        )
        found.append(
            Asked(one, hits, printed(response, book.sections), response.reason is not None)
        )
        if progress:
            progress("questions", number, len(questions))
    return found


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


def _answered(asked: Sequence[Asked]) -> dict[str, Any]:
    """What was printed, refused and promised.

    ``printed`` is the mean part of a question's relevant sections that stand in the response,
    ``bands`` how many of the sections with about a relevance answer.
    """
    on_topic = [one for one in asked if one.question.gold]
    found = bands([
        (hit.relevance, hit.id in one.question.relevant) for one in asked for hit in one.hits
    ], _EDGES)
    return {
        "printed": mean([
            len(one.question.relevant & one.printed) / len(one.question.relevant)
            for one in on_topic
        ]) or 0.0,
        "budget": BUDGET,
        "off_topic_refused": mean([one.refused for one in asked if not one.question.gold]),
        "on_topic_refused": mean([one.refused for one in on_topic]),
        "bands": [
            {
                "low": one.low, "high": one.high, "count": one.count, "relevance": one.score,
                "answer": one.hits / one.count,
            }
            for one in found
        ],
    }
