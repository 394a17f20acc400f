"""How well the local router decides: which domains, which intentions, and what is named.

F1 of domains and of names (:func:`~mvp_site.text.names.title_key`) is over all questions at
once. Intentions are looked at where a domain is needed and was decided to be; any given counts.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from mvp_site.engine import shipped_fit
from mvp_site.engine.local_router import (
    REFIT,
    LocalRouter,
    example_questions,
    example_recipe,
    example_rows,
)
from mvp_site.engine.question_classifier import Classifier
from mvp_site.engine.shipped_fit import dump
from mvp_site.engine.types import DOMAINS, Decision, Domain
from mvp_site.errors import SettingsError
from mvp_site.releases.durable_write import replace_file
from mvp_site.retrieval.building import Progress, open_encoder
from mvp_site.rulebook.rulebook import Rulebook
from mvp_site.sessions.session_notes import SAMPLE, SessionNotes
from mvp_site.settings import Settings
from mvp_site.store.campaign_documents import Routing
from mvp_site.store.campaigns import CampaignStore
from mvp_site.text.names import title_key
from mvp_site.utterances import FOLDER

from .report import Goal, Report, lines
from .sample_campaign import sampled
from .sets import Name, Split, read_set

FILE: Final = "sets/routers.jsonl"
GOALS: Final = {"domain_f1": "≥ .94", "intention": "≥ .85", "intention_top2": "≥ .92",
                "entity_f1": "≥ .87"}


@dataclass(frozen=True, slots=True)
class GoldName:
    """A name that a question has, and the domain that it is of."""

    name: Name
    type: str
    domain: Domain


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the intentions that are right in each domain that it needs, and its names."""

    id: Name
    query: Name
    needs: Mapping[Domain, tuple[str, ...]]
    entities: tuple[GoldName, ...] = ()
    character_name: str = ""
    split: Split | None = None
    campaign: str = SAMPLE


@dataclass(frozen=True, slots=True)
class Outcome:
    """A question with the decisions on the domains that were decided to be needed."""

    question: Question
    decided: Mapping[Domain, Decision]

    @property
    def names(self) -> tuple[AbstractSet[str], AbstractSet[str]]:
        """The keys of the names that it has, and of those that were found."""
        found = (one.name for decision in self.decided.values() for one in decision.entities)
        return {title_key(one.name) for one in self.question.entities}, {*map(title_key, found)}

    def right(self, first: int) -> dict[Domain, bool]:
        """For each domain rightly decided: whether one of the ``first`` intentions is right."""
        return {
            domain: not set(self.decided[domain].likely[:first]).isdisjoint(wanted)
            for domain, wanted in self.question.needs.items() if wanted and domain in self.decided
        }


def run_routers(settings: Settings, split: Split | None, *, questions: Path | None = None,
                corrected: bool = False, worst_shown: int = 0, progress: Progress | None = None,
                ) -> Report:
    """The report on the questions of ``split`` (None: all), of ``questions`` or the shipped set.

    They are asked of the local router, in the sample campaign, which has a book; those whose
    routing somebody has ``corrected`` instead, each in its campaign.

    Raises:
        SettingsError: the set cannot be used, or nothing has been corrected yet.
        EncoderError: there is no encoder.
    """
    if corrected:
        return _report(settings, _corrected_questions(settings), None, worst_shown, progress)
    loaded = read_set(Question, FILE, questions, split=split,
                      asks=lambda one: (one.query, one.character_name))
    with sampled(settings, books=True) as own:
        return _report(own, loaded, split, worst_shown, progress)


def ship_router(settings: Settings, progress: Progress | None = None) -> str:
    """Fit the router on its examples over the settings' encoder, ship that, and say so.

    Raises:
        IndexLoadError, EncoderError: the rulebook or the encoder is missing.
    """
    encoder, examples = open_encoder(settings), example_questions()
    rows = example_rows(settings, encoder, Rulebook.open(settings), progress).coarse()
    classifier = Classifier.fit(rows.rows(), [row.needs for row in examples],
                                [row.asks for row in examples])
    content = dump(example_recipe(encoder), rows, classifier)
    file = Path(str(FOLDER)) / shipped_fit.FILE
    replace_file(file, content)
    return f"{file}: {len(examples)} examples, {len(content):,} bytes"


def run_corrections(settings: Settings, split: Split | None, *, questions: Path | None = None,
                    progress: Progress | None = None) -> Report:
    """What corrections do to the other questions: before, after one, after twenty and a new fit.

    Of the questions that are decided wrongly every other one, up to twenty, is corrected as a
    player would; the rest, right and wrong, are asked again.

    Raises:
        SettingsError: the set cannot be used.
        EncoderError: there is no encoder.
    """
    loaded = read_set(Question, FILE, questions, split=split,
                      asks=lambda one: (one.query, one.character_name))
    with sampled(settings, books=True) as own, closing(SessionNotes.open(own)) as notes, \
            closing(LocalRouter.open(own, open_notes=lambda: notes, progress=progress)) as router:
        def outcome(question: Question) -> Outcome:
            decided = router.decide(question.query, question.character_name, campaign=SAMPLE)
            return Outcome(question, {row.domain: row for row in decided if row.is_needed})

        before = [*map(outcome, loaded)]
        wrong = [row for row in before if row.question.needs.keys() != row.decided.keys()
                 or not all(row.right(1).values())]
        chosen = wrong[::2][:20]
        rest = [row.question for row in before if row not in chosen]
        stages = {"before": [row for row in before if row not in chosen]}
        for stage, rows in (("after one", chosen[:1]), ("after twenty", chosen[1:])):
            for row in rows:
                _correct(notes, row)
            while len(chosen) >= REFIT and stage != "after one" \
                    and not router.taught(SAMPLE)[0].refitted:
                threading.Event().wait(0.5)
            stages[stage] = [*map(outcome, rest)]
        again = [*map(outcome, (row.question for row in chosen))]
    values: dict[str, Any] = {"split": split, "questions": len(rest), "corrected": len(chosen)}
    table = [{"stage": stage, **measures(rows, DOMAINS)} for stage, rows in stages.items()]
    table.append({"stage": "the corrected", **measures(again, DOMAINS)})
    values["stages"] = table
    return Report(values, ("corrections, on the rest of the questions", *lines(values)))


def _correct(notes: SessionNotes, wrong: Outcome) -> None:
    """Correct each domain that was decided wrongly."""
    question = wrong.question
    decided = {str(domain): {"is_needed": True, "intention": row.intention}
               for domain, row in wrong.decided.items()}
    routing = notes.save_routing(
        SAMPLE, {"query": question.query, "character": question.character_name,
                 "audience": "player"}, decided)
    notes.correct(routing, {
        domain: {"is_needed": domain in question.needs,
                 "intention": next(iter(question.needs.get(domain, ())), None)}
        for domain in {*question.needs, *wrong.decided}})


def _corrected_questions(settings: Settings) -> list[Question]:
    with CampaignStore.open(settings) as store:
        kept = store.documents.routings(corrected_only=True)
    loaded = list({(one.query, one.campaign): one for one in map(_corrected, kept)}.values())
    if not loaded:
        raise SettingsError("no routing has been corrected yet: correct some on the page /ask")
    return loaded


def _corrected(kept: Routing) -> Question:
    """The question of a corrected routing, with what it should have been; its names stay."""
    decided: dict[Any, Any] = {
        domain: {**kept.decided.get(domain, {}), **(kept.corrected or {}).get(domain, {})}
        for domain in DOMAINS
    }
    needed = {domain: one for domain, one in decided.items() if one.get("is_needed")}
    return Question(
        kept.id, kept.asked["query"],
        {domain: (one["intention"],) if one.get("intention") else ()
         for domain, one in needed.items()},
        tuple(GoldName(named["name"], named["type"], domain)
              for domain, one in needed.items() for named in one.get("entities", ())),
        kept.asked["character"], None, kept.campaign_id or "",
    )


def _report(settings: Settings, loaded: Sequence[Question], split: Split | None,
            worst_shown: int, progress: Progress | None) -> Report:
    outcomes = []
    with closing(LocalRouter.open(settings, progress=progress)) as router:
        for one in loaded:
            decided = router.decide(one.query, one.character_name, campaign=one.campaign)
            outcomes.append(
                Outcome(one, {found.domain: found for found in decided if found.is_needed})
            )
    whole = {**measures(outcomes, DOMAINS), "entity_f1": _f1(outcomes, lambda one: one.names),
             "entity_recall": _recall(outcomes)}
    wrong: list[dict[str, Any]] = [
        {"id": one.question.id, "query": one.question.query,
         "needs": dict(one.question.needs.items()),
         "decided": {domain: found.likely for domain, found in one.decided.items()},
         "names": [*map(sorted, one.names)]}
        for one in outcomes
        if one.names[0] != one.names[1] or one.question.needs.keys() != one.decided.keys()
        or not all(one.right(1).values())
    ]
    goals = [Goal.of(name, wanted, whole[name]) for name, wanted in GOALS.items()]
    values = {
        "split": split, "questions": len(loaded), **whole,
        "domains": [{"domain": one, **measures(outcomes, (one,))} for one in DOMAINS],
        "worst": wrong[:worst_shown],
    }
    head = f"the local router, {len(loaded)} questions ({split or 'all'})"
    return Report({**values, "goals": [*map(asdict, goals)]}, (head, *lines(values), *goals))


def measures(outcomes: Sequence[Outcome], domains: Sequence[Domain]) -> dict[str, float]:
    """How well these domains are chosen, and their intentions."""
    of = set(domains)
    right = [[found for one in outcomes for domain, found in one.right(first).items()
              if domain in of] for first in (1, 2)]
    return {
        "needed": sum(len(of & one.question.needs.keys()) for one in outcomes),
        "domain_f1": _f1(outcomes, lambda one: (of & one.question.needs.keys(),
                                                of & one.decided.keys())),
        "intention": sum(right[0]) / max(len(right[0]), 1),
        "intention_top2": sum(right[1]) / max(len(right[1]), 1),
    }


def _recall(outcomes: Sequence[Outcome]) -> float:
    """How many of the names that are marked are found."""
    pairs = [outcome.names for outcome in outcomes]
    marked = sum(len(wanted) for wanted, _ in pairs)
    return sum(len(wanted & found) for wanted, found in pairs) / marked if marked else 1.0


def _f1(outcomes: Sequence[Outcome],
        of: Callable[[Outcome], tuple[AbstractSet[Any], AbstractSet[Any]]]) -> float:
    pairs = [*map(of, outcomes)]
    either = sum(len(wanted) + len(found) for wanted, found in pairs)
    return 2 * sum(len(wanted & found) for wanted, found in pairs) / either if either else 1.0
