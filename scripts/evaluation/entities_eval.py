"""How well an entity index answers a set of queries, beside plain cosine over name and text.

Each query is asked as its kind says, for at most twenty results; constraints that stand in words
do not bind, but whether they were recognised is told. Every grade counts as relevant for recall
and the reciprocal rank. ``first`` is 1 where the first result has the query's highest grade.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from ir_measures import RR, R, nDCG

from mvp_site.entities.index import EntityIndex
from mvp_site.entities.weights import CUT
from mvp_site.errors import SettingsError
from mvp_site.retrieval.building import Progress, open_encoder
from mvp_site.settings import Settings

from .baselines import PlainCosine
from .entities_filters import fulfils
from .entities_set import (
    NEGATIVE,
    Asked,
    Entities,
    Query,
    ask,
    everything,
    in_index,
    load_queries,
)
from .metrics import DEPTH, Answer, Groups, Metrics, Outcome, bands, mean
from .report import Goal, Report, ranking_report, worst
from .sets import Split

PRODUCT: Final = "entities"
PLAIN: Final = "plain cosine"
METRICS: Final = Metrics("queries", {
    "ndcg10": ("nDCG@10", nDCG @ DEPTH), "first": ("first", None), "r10": ("R@10", R @ DEPTH),
    "mrr": ("MRR", RR @ DEPTH),
})
CALIBRATED: Final = ("semantic", "typo", NEGATIVE)
_EDGES: Final = tuple(step / 20 for step in range(21))
_CUTS: Final = tuple(round(0.05 * step, 2) for step in range(1, 20))


def run_entities(settings: Settings, split: Split | None, *, questions: Path | None = None,
                 worst_shown: int = 0, progress: Progress | None = None) -> Report:
    """The report on the queries of ``split`` (None: all) of the shipped set, or of ``questions``.

    ``worst_shown`` is how many of the queries that were answered worst are told.

    Raises:
        SettingsError: the set cannot be used, or does not fit the index.
        IndexLoadError, EncoderError, BackendError: the index cannot be served.
    """
    loaded = load_queries(questions, split)
    if not loaded:
        raise SettingsError(f"the set has no query in the part {split}")
    encoder = open_encoder(settings)
    index = EntityIndex.open(settings, encoder=encoder)
    entities = everything(index)
    loaded = in_index(loaded, {key for held in entities.values() for key in held})
    plain = PlainCosine(entities, encoder, progress)
    asked: dict[str, Asked] = {}
    for number, one in enumerate(loaded, 1):
        asked[one.id] = ask(index, one)
        if progress:
            progress("queries", number, len(loaded))
    ranked = [one for one in loaded if one.kind != NEGATIVE]
    product = METRICS.judge(ranked, lambda one: _answer(one, asked[one.id].ranking))
    beside = METRICS.judge(ranked, lambda one: _answer(one, plain.rank(one)))
    systems = {PRODUCT: _grouped(product), PLAIN: _grouped(beside)}
    held = kept_promises(asked.values(), entities)
    values = {
        "split": split, "entities": {str(name): len(of) for name, of in entities.items() if of},
        "queries": _counted(loaded),
        "plain_answers": tuple(_counted(ranked)), "kept": held,
        "stated": stated(asked.values(), entities), "calibration": _calibration(index, loaded),
        "worst": worst(product, METRICS, worst_shown),
    }
    return ranking_report(
        f"{len(loaded)} queries to {sum(map(len, entities.values()))} entities", METRICS, values,
        systems, _goals(systems, held),
    )


def _answer(query: Query, ranking: Sequence[str]) -> Answer:
    best = max(query.relevant.values())
    return Answer(ranking, {
        "first": float(bool(ranking) and query.relevant.get(ranking[0]) == best)
    })


def _grouped(outcomes: Sequence[Outcome[Query]]) -> Groups:
    """The means by kind, by type (a lookup's is the lookup's name), and of what states things."""
    groups = METRICS.grouped(
        outcomes, kind=lambda one: one.kind, type=lambda one: one.type or one.lookup
    )
    if some := [one for one in outcomes if one.question.stated]:
        groups["stated"] = METRICS.summarise(some)
    return groups


def _counted(queries: Iterable[Query]) -> dict[str, int]:
    return dict(Counter(one.kind for one in queries))


def kept_promises(asked: Iterable[Asked], entities: Entities) -> dict[str, Any]:
    """What held for the results whatever their order, as JSON values.

    Of ``filtered`` queries, lookups with parameters among them, ``results`` came back, of which
    ``broken`` do not fulfil the filters, and ``empty`` of them had no result though an entity
    fulfils them. Of ``similar`` lists ``with_reference`` hold what they are to be similar to.
    ``negatives_empty`` is the part of ``negatives`` without a result, None of none.
    """
    every = list(asked)
    filtered = [one for one in every if one.query.wanted]
    similar = [one for one in every if one.query.reference]
    negative = [one for one in every if one.query.kind == NEGATIVE]
    return {
        "filtered": len(filtered), "results": sum(len(one.results) for one in filtered),
        "broken": sum(
            not fulfils(result, one.query.wanted) for one in filtered for result in one.results
        ),
        "empty": sum(
            not one.results and bool(_selected(one.query, entities, one.query.wanted))
            for one in filtered
        ),
        "similar": len(similar),
        "with_reference": sum(
            f"{one.query.type}/{one.query.reference}" in one.ranking for one in similar
        ),
        "negatives": len(negative),
        "negatives_empty": mean([not one.results for one in negative]),
    }


def stated(asked: Iterable[Asked], entities: Entities) -> dict[str, Any]:
    """How constraints that stand in words were recognised, in parts of ``queries``.

    ``recognised``: all of them, each as a filter on the same field that selects the same entities.
    ``beyond``: a constraint was read that the query does not state. None of no queries.
    """
    held = [one for one in asked if one.query.stated]

    def same(one: Asked, name: str, wanted: Any) -> bool:
        return name in one.stated and (
            _selected(one.query, entities, {name: wanted})
            == _selected(one.query, entities, {name: one.stated[name]})
        )

    return {
        "queries": len(held),
        "recognised": mean([
            all(same(one, *constraint) for constraint in one.query.stated.items())
            for one in held
        ]),
        "beyond": mean([bool(set(one.stated) - set(one.query.stated)) for one in held]),
    }


def _selected(query: Query, entities: Entities, filters: Mapping[str, Any]) -> frozenset[str]:
    """The keys of the entities of the query's types that fulfil ``filters``."""
    return frozenset(
        key for type_ in query.types for key, entity in entities[type_].items()
        if fulfils(entity, filters)
    )


def _calibration(index: EntityIndex, queries: Iterable[Query]) -> dict[str, Any]:
    asked = [one for one in queries if one.kind in CALIBRATED and one.type]
    return calibrate([
        [
            (score, f"{one.type}/{slug}" in one.relevant)
            for slug, score in index.scored(str(one.type), one.query)
        ]
        for one in asked
    ], sum(len(one.relevant) for one in asked))


def calibrate(scores: Sequence[Sequence[tuple[float, bool]]], relevant: int) -> dict[str, Any]:
    """Scores with whether the result is relevant, query by query, as JSON values.

    All scores count, those under the cut as well; ``relevant`` is how many results ought to be
    found. ``at`` is the cut that searches make, ``best`` the one of ``cuts`` with the greatest F1.
    """
    scored = [pair for held in scores for pair in held]
    pairs = np.asarray(scored, np.float64).reshape(-1, 2)

    def cut(score: float) -> dict[str, float]:
        """What a list that drops scores under ``score`` is worth, over all results."""
        held = pairs[pairs[:, 0] >= score]
        right = float(held[:, 1].sum())
        precision, recall = right / max(len(held), 1), right / max(relevant, 1)
        f1 = 2 * precision * recall / (precision + recall) if right else 0.0
        return {"score": score, "precision": precision, "recall": recall, "f1": f1}

    cuts = [cut(score) for score in _CUTS]
    return {
        "queries": len(scores), "results": len(scored), "relevant": relevant,
        "bins": [
            {
                "low": one.low, "high": one.high, "score": one.score,
                "share": one.hits / one.count, "relevant": one.hits,
                "irrelevant": one.count - one.hits,
            }
            for one in bands(scored, _EDGES)
        ],
        "cuts": cuts, "at": cut(CUT),
        "best": max(cuts, key=lambda one: (one["f1"], -one["score"])),
    }


def _goals(systems: Mapping[str, Groups], held: Mapping[str, Any]) -> list[Goal]:
    """The targets; one of a kind that was not asked is left out."""
    ours, plain = systems[PRODUCT], systems[PLAIN]

    def ndcg(groups: Groups, group: str) -> float:
        return groups[group].measures["ndcg10"] if group in groups else 0.0

    def count(group: str) -> int:
        return ours[group].count if group in ours else 0

    return [
        Goal.of(name, wanted, found)
        for asked, name, wanted, found in (
            (count("all"), "nDCG@10 over plain cosine", "≥ +.08",
             ndcg(ours, "all") - ndcg(plain, "all")),
            (held["filtered"], "results that break a filter", "0", held["broken"]),
            (held["filtered"], "filtered, empty though something matches", "0", held["empty"]),
            (held["similar"], "similar to itself", "0", held["with_reference"]),
            (held["negatives"], "negatives empty", "≥ .90", held["negatives_empty"]),
            (count("all"), "nDCG@10, all kinds", "≥ .80", ndcg(ours, "all")),
            (count("kind=lookup"), "nDCG@10, lookups", "≥ .97", ndcg(ours, "kind=lookup")),
            (count("kind=typo"), "nDCG@10, typos", "≥ .90", ndcg(ours, "kind=typo")),
        )
        if asked
    ]
