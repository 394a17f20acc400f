"""The metrics over rankings of sections, against values worked out by hand, and the baselines."""

from __future__ import annotations

import math

import pytest

from mvp_site.evaluation.rulebook_metrics import Measures, Summary, grouped, judge, summarise
from mvp_site.evaluation.rulebook_set import Question
from mvp_site.evaluation.rulebook_systems import BASELINES, DENSE, LEXICAL, PLAIN, PlainLanes
from mvp_site.retrieval.encoder import HashingEncoder
from mvp_site.rulebook.markdown import parse_rulebook


def question(name: str = "q", words: str = "", **gold: int) -> Question:
    return Question(name, None, (), (), words, gold, "tune")


LOG3 = 1 / math.log2(3)


@pytest.mark.parametrize(
    ("gold", "ranking", "wanted"),
    [
        ({"a": 3}, ["a"], Measures(1, 1, 1, 1, 1)),
        ({"a": 2}, ["x", "a"], Measures(0, 1, 1, 0.5, LOG3)),
        ({"a": 3, "b": 1}, ["b", "a"], Measures(0, 1, 1, 0.5, (1 + 3 * LOG3) / (3 + LOG3))),
        ({"a": 2, "b": 2}, ["a", "x", "y", "b"], Measures(1, 0.5, 1, 1, (1 + 1 / math.log2(5)) / (1 + LOG3))),
        ({"a": 3}, [*"bcdefghijk", "a"], Measures(0, 0, 0, 0, 0)),
        ({"a": 3}, [], Measures(0, 0, 0, 0, 0)),
        ({"a": 2}, ["a", "x"], Measures(1, 1, 1, 1, 1)),
    ],
    ids=["first", "second", "a lower grade before it", "two", "behind the tenth", "nothing", "no grade 3"],
)
def test_measures(gold: dict[str, int], ranking: list[str], wanted: Measures) -> None:
    (found,) = judge([(question(**gold), ranking)])
    for name in ("p1", "r3", "r10", "mrr", "ndcg10"):
        assert getattr(found.measures, name) == pytest.approx(getattr(wanted, name)), name
    assert found.ranking == tuple(ranking[:10])


def test_questions_are_judged_apart_and_summed_up() -> None:
    outcomes = judge([(question("one", a=3), ["a"]), (question("two", a=3), ["b"]), (question("three", a=3), [])])
    assert [one.measures.p1 for one in outcomes] == [1, 0, 0]
    assert summarise(outcomes) == Summary(3, Measures(*[pytest.approx(1 / 3)] * 5))
    assert summarise([]) == Summary(0, Measures())
    groups = grouped(outcomes, "form", lambda one: one.id[0])
    assert [(name, group.questions) for name, group in groups.items()] == [("form=o", 1), ("form=t", 2)]


BOOK = """\
# Falling
A creature takes bludgeoning damage at the end of a drop.
# Resting
A long rest gives hit points back.
# Swimming
Each foot of movement costs one more.
"""


@pytest.fixture(scope="module")
def lanes() -> PlainLanes:
    return PlainLanes.build(parse_rulebook(BOOK), HashingEncoder(256))


@pytest.mark.parametrize(
    ("words", "best"), [("damage of a drop", "falling"), ("long rest", "resting"), ("Swimming", "swimming")]
)
def test_the_plain_lanes_rank_by_title_and_text(lanes: PlainLanes, words: str, best: str) -> None:
    ranked = lanes.rank(question(words=words), 2)
    assert tuple(ranked) == BASELINES
    assert {ranking[0] for ranking in ranked.values()} == {best}
    assert (len(ranked[PLAIN]), len(ranked[DENSE]), len(ranked[LEXICAL])) == (2, 2, 1)


def test_without_a_shared_word_the_lexical_lane_finds_nothing(lanes: PlainLanes) -> None:
    ranked = lanes.rank(question(words="xylophone"), 10)
    assert ranked[LEXICAL] == ()
    assert len(ranked[PLAIN]) == 3
