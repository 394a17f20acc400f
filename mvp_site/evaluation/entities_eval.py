"""How well an entity index answers a set of queries, beside plain cosine over name and text.

Each query is asked as its kind says (:func:`.entities_systems.ask`), with the ceiling of
:data:`.entities_systems.LIMIT` results; constraints that stand in words do not bind, but whether
they were recognised is told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from ..entities.index import EntityIndex
from ..errors import SettingsError
from ..retrieval import export
from ..retrieval.encoder import Encoder
from ..retrieval.releases.build import Progress
from ..settings import Settings
from .entities_calibration import Calibration, calibrate
from .entities_metrics import Kept, Outcome, Stated, Summary, groups, judge, kept, stated
from .entities_set import NEGATIVE, Query, in_index, load_queries
from .entities_systems import PLAIN, PRODUCT, Answer, Entities, Index, PlainCosine, ask, everything
from .needles import Split
from .report import Goal

KEPT: Final = Path("evaluation", "entities")
"""The folder under the data folder where the baseline's vectors are kept for the next run."""
CALIBRATED: Final = ("semantic", "typo", NEGATIVE)


@dataclass(frozen=True, slots=True)
class Worst:
    """A query that was answered badly: what is relevant with grades, and what was ranked."""

    id: str
    text: str
    ndcg10: float
    relevant: dict[str, int]
    ranking: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EntityReport:
    """Everything that one run showed; ``systems[name][group]`` holds means.

    Groups are ``all``, ``kind=…``, ``type=…`` and ``stated``. ``plain_answers`` are the kinds that
    plain cosine has an answer for: its means and ours are over the same queries. ``negatives`` of
    :class:`Kept` are in none of the groups. ``calibration`` is over :data:`CALIBRATED`.
    """

    split: Split | None
    entities: dict[str, int]
    queries: dict[str, int]
    systems: dict[str, dict[str, Summary]]
    plain_answers: tuple[str, ...]
    kept: Kept
    stated: Stated
    calibration: Calibration
    goals: tuple[Goal, ...]
    worst: tuple[Worst, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The report as plain JSON values."""
        return asdict(self)


def run_entities(settings: Settings, split: Split | None, *, queries: Path | None = None,
                 index: Index | None = None, worst: int = 0, encoder: Encoder | None = None,
                 progress: Progress | None = None) -> EntityReport:
    """The report on the queries of ``split`` (None: all) of the shipped set, or of ``queries``.

    ``index`` is another than the one that was built and the settings name; ``worst`` is how many
    of the queries that were answered worst are told.

    Raises:
        SettingsError: the set cannot be used, does not fit the index, or ``worst`` would show its
            untouched part.
        IndexLoadError, EncoderError, BackendError: the index cannot be served.
    """
    if worst and split != "tune" and (queries is None or split == "test"):
        raise SettingsError(
            "the worst answered queries are told of the part `tune` only: whoever looks at those "
            "of `test` tunes on them"
        )
    asked = load_queries(queries, split)
    if not asked:
        raise SettingsError(f"the set has no query in the part {split}")
    encoder = encoder or export.open_encoder(
        settings.encoder_dir, settings.prompt_embed_model, settings.prompt_encoder_threads
    )
    keep_in = settings.mvp_site_data_dir / KEPT if index is None else None
    index = index or EntityIndex.open(settings, encoder=encoder)
    entities = everything(index)
    asked = in_index(asked, {key for held in entities.values() for key in held})
    plain = PlainCosine.build(entities, encoder, keep_in, progress)
    answers: list[Answer] = []
    for number, one in enumerate(asked, 1):
        answers.append(ask(index, one))
        if progress:
            progress("queries", number, len(asked))
    return _report(split, index, entities, answers, plain, worst)


def _report(split: Split | None, index: Index, entities: Entities, answers: Sequence[Answer],
            plain: PlainCosine, worst: int) -> EntityReport:
    ranked = [one for one in answers if one.query.kind != NEGATIVE]
    product = judge([(one.query, one.ranking) for one in ranked])
    beside = judge([
        (one.query, plain.rank(one.query)) for one in ranked if plain.answers(one.query)
    ])
    systems = {PRODUCT: groups(product), PLAIN: groups(beside)}
    held = kept(answers, entities)
    return EntityReport(
        split=split, entities={str(name): len(of) for name, of in entities.items() if of},
        queries=_counted([one.query.kind for one in answers]), systems=systems,
        plain_answers=tuple(_counted([one.query.kind for one in beside])), kept=held,
        stated=stated(answers, entities),
        calibration=_calibration(index, [one.query for one in answers]),
        goals=_goals(systems, held), worst=_worst(product, worst),
    )


def _counted(kinds: Sequence[str]) -> dict[str, int]:
    return {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)}


def _calibration(index: Index, queries: Sequence[Query]) -> Calibration:
    asked = [one for one in queries if one.kind in CALIBRATED and one.type]
    scores = [
        [
            (score, f"{one.type}/{slug}" in one.relevant)
            for slug, score in index.scored(str(one.type), one.query)
        ]
        for one in asked
    ]
    return calibrate(scores, sum(len(one.relevant) for one in asked))


def _worst(outcomes: Sequence[Outcome], count: int) -> tuple[Worst, ...]:
    ordered = sorted(outcomes, key=lambda one: (one.measures.ndcg10, one.query.id))
    return tuple(
        Worst(one.query.id, one.query.text, one.measures.ndcg10, dict(one.query.relevant),
              one.ranking)
        for one in ordered[:count]
    )


def _goals(systems: Mapping[str, Mapping[str, Summary]], held: Kept) -> tuple[Goal, ...]:
    """The targets; one of a kind that was not asked is left out."""
    goals: list[Goal] = []

    def at_least(name: str, found: float, wanted: float, shown: str) -> None:
        goals.append(Goal(name, shown, found, found >= wanted))

    def none(name: str, found: int) -> None:
        goals.append(Goal(name, "0", found, found == 0))

    ours, plain = systems[PRODUCT], systems[PLAIN]
    gain = ours["all"].measures.ndcg10 - plain["all"].measures.ndcg10
    if ours["all"].queries:
        at_least("nDCG@10 over plain cosine", gain, 0.08, "≥ +.08")
    if held.filtered:
        none("results that break a filter", held.broken)
        none("filtered, empty though something matches", held.empty)
    if held.similar:
        none("similar to itself", held.with_reference)
    if held.negatives_empty is not None:
        at_least("negatives empty", held.negatives_empty, 0.9, "≥ .90")
    for group, name, wanted, shown in (
        ("all", "nDCG@10, all kinds", 0.8, "≥ .80"),
        ("kind=lookup", "nDCG@10, lookups", 0.97, "≥ .97"),
        ("kind=typo", "nDCG@10, typos", 0.9, "≥ .90"),
    ):
        if group in ours and ours[group].queries:
            at_least(name, ours[group].measures.ndcg10, wanted, shown)
    return tuple(goals)
