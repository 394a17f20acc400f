"""Metrics over rankings of entities and over scores, against values worked out by hand."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.content.types import EntityType
from mvp_site.evaluation.entities_calibration import calibrate
from mvp_site.evaluation.entities_metrics import Measures, groups, judge, kept, stated
from mvp_site.evaluation.entities_set import Query
from mvp_site.evaluation.entities_systems import Answer, Entities, PlainCosine, everything, text_of
from mvp_site.retrieval.encoder import HashingEncoder

from .entity_doubles import FakeIndex, result

LOG3 = 1 / math.log2(3)


def query(name: str = "q-1", kind: Any = "semantic", words: str = "w", relevant: dict[str, int] | None = None, **values: Any) -> Query:
    whole = {"filters": {}, "stated": {}, "reference": "", "lookup": "", "params": {}, **values}
    return Query(name, kind, EntityType.SPELLS, words, relevant or {}, **whole)


def entities() -> Entities:
    return everything(FakeIndex({}))


@pytest.mark.parametrize(
    ("relevant", "ranking", "wanted"),
    [
        ({"a": 3}, ["a"], Measures(1, 1, 1, 1)),
        ({"a": 2}, ["x", "a"], Measures(0, 1, 0.5, LOG3)),
        ({"a": 3, "b": 1}, ["b", "a"], Measures(0, 1, 1, (1 + 3 * LOG3) / (3 + LOG3))),
        ({"a": 1, "b": 1}, ["a"], Measures(1, 0.5, 1, 1 / (1 + LOG3))),
        ({"a": 3}, [*"bcdefghijk", "a"], Measures(0, 0, 0, 0)),
        ({"a": 3}, [], Measures(0, 0, 0, 0)),
    ],
    ids=["first", "second", "a lower grade before it", "half", "behind the tenth", "nothing"],
)
def test_measures(relevant: dict[str, int], ranking: list[str], wanted: Measures) -> None:
    (found,) = judge([(query(relevant=relevant), ranking)])
    for name in ("first", "r10", "mrr", "ndcg10"):
        assert getattr(found.measures, name) == pytest.approx(getattr(wanted, name)), name
    assert found.ranking == tuple(ranking[:10])


def test_outcomes_are_summed_up_by_kind_and_type() -> None:
    found = groups(judge([
        (query("a", relevant={"s": 3}), ["s"]),
        (query("b", "typo", relevant={"s": 3}), ["x"]),
        (query("c", "filtered", relevant={"s": 3}, stated={"level": 1}), ["s"]),
    ]))
    assert {name: (one.queries, round(one.measures.first, 2)) for name, one in found.items()} == {
        "all": (3, 0.67), "kind=filtered": (1, 1), "kind=semantic": (1, 1), "kind=typo": (1, 0), "type=spells": (3, 0.67),
        "stated": (1, 1),
    }
    assert groups([])["all"].queries == 0


def test_what_no_result_may_do_is_counted() -> None:
    def answer(one: Query, *slugs: str) -> Answer:
        return Answer(one, tuple(result("spells", slug) for slug in slugs), {})

    level: dict[str, Any] = {"filters": {"level": 1}}
    found = kept([
        answer(query(kind="filtered", **level), "mend-flesh", "ember", "fire-wall"),
        answer(query(kind="filtered", **level)),
        answer(query(kind="filtered", filters={"level": 9})),
        answer(query(kind="similar", reference="ember"), "fire-wall", "ember"),
        answer(query(kind="similar", reference="ember"), "fire-wall"),
        answer(query(kind="negative")), answer(query(kind="negative"), "ember"),
    ], entities())
    assert (found.filtered, found.results, found.broken, found.empty) == (3, 3, 2, 1)
    assert (found.similar, found.with_reference) == (2, 1)
    assert (found.negatives, found.negatives_empty) == (2, 0.5)
    assert kept([], entities()).negatives_empty is None


@pytest.mark.parametrize(
    ("said", "read", "recognised", "beyond"),
    [
        ({"level": 1}, {"level": 1}, 1, 0),
        ({"level": 1}, {"level": {"min": 1, "max": 1}}, 1, 0),
        ({"level": {"max": 3}}, {"level": {"max": 3.5}}, 1, 0),  # selects the same spells
        ({"level": 1, "ritual": True}, {"level": 1}, 0, 0),
        ({"level": 1}, {"level": 4}, 0, 0),
        ({"level": 1}, {"level": 1, "school": "Evocation"}, 1, 1),
        ({"level": 1}, {}, 0, 0),
    ],
)
def test_stated_constraints_are_recognised_by_what_they_select(
    said: dict[str, Any], read: dict[str, Any], recognised: float, beyond: float
) -> None:
    found = stated([Answer(query(stated=said), (), read), Answer(query(), (), {"level": 2})], entities())
    assert (found.queries, found.recognised, found.beyond) == (1, recognised, beyond)


def test_without_stated_constraints_there_is_no_share() -> None:
    found = stated([], entities())
    assert (found.queries, found.recognised, found.beyond) == (0, None, None)


# --- plain cosine -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def plain() -> PlainCosine:
    return PlainCosine.build(entities(), HashingEncoder(256))


def test_plain_cosine_ranks_by_name_and_text_under_the_filters(plain: PlainCosine) -> None:
    assert plain.rank(query(words="wounds close"))[0] == "spells/mend-flesh"
    assert plain.rank(query(words="wounds close", filters={"level": 4})) == ("spells/fire-wall",)
    assert plain.rank(query(words="", filters={"level": 1})) == ("spells/mend-flesh", "spells/sleepless-eye")
    assert len(plain.rank(query(words="wounds"), 2)) == 2


def test_plain_cosine_answers_lookups_and_what_is_similar(plain: PlainCosine) -> None:
    found = plain.rank(Query("l", "lookup", None, "", {}, {}, {}, "", "search_all", {"name": "a muddy club"}))
    assert (found[0], len(found)) == ("monsters/bog-ogre", 6)
    similar = plain.rank(query(kind="similar", words="", reference="ember"))
    assert set(similar) == {"spells/fire-wall", "spells/mend-flesh", "spells/sleepless-eye"}
    assert not plain.answers(query(kind="negative"))


def test_the_text_of_an_entity_is_all_of_it() -> None:
    assert text_of(result("spells", "mend-flesh")) == "Mend Flesh\nWounds close.\nPain goes.\nMore wounds close."
    assert text_of(result("monsters", "bog-imp")) == "Bog Imp\nBite. A wet bite."


# --- calibration --------------------------------------------------------------------------------


def test_scores_are_held_against_relevance() -> None:
    found = calibrate([[(0.9, True), (0.32, False), (0.1, False)], [(0.3, True), (0.05, True)], []], 4)
    assert (found.queries, found.results, found.relevant) == (3, 5, 4)
    assert [(one.low, one.relevant, one.irrelevant) for one in found.bins] == [
        (0.05, 1, 0), (0.1, 0, 1), (0.3, 1, 1), (0.9, 1, 0),
    ]
    assert found.at.precision == pytest.approx(2 / 3)
    assert found.at.recall == 0.5
    assert found.at.f1 == pytest.approx(4 / 7)
    assert found.best.score == 0.05
    assert found.bins[2].score == pytest.approx(0.31)
    assert found.bins[2].share == 0.5


def test_nothing_is_calibrated_to_nothing() -> None:
    found = calibrate([[], []], 0)
    assert (found.results, found.bins, found.at.f1) == (0, (), 0)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=60))
def test_every_score_is_in_one_bin(pairs: list[tuple[float, bool]]) -> None:
    right = sum(relevant for _, relevant in pairs)
    found = calibrate([pairs], right)
    assert sum(one.relevant for one in found.bins) == right
    assert sum(one.relevant + one.irrelevant for one in found.bins) == len(pairs)
    for one in found.bins:
        assert one.low - 1e-9 <= one.score <= one.high + 1e-9
        assert 0 <= one.share <= 1
    recalls = [one.recall for one in found.cuts]
    assert recalls == sorted(recalls, reverse=True)
    assert found.best.f1 == max(one.f1 for one in found.cuts)
