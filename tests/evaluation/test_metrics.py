"""Measures against values worked out by hand, means by group, bands and intervals of shares."""

from __future__ import annotations

import math
from typing import Any

import pytest
from evaluation import entities_eval, needles_eval, rulebook_eval
from evaluation.contract_report import share
from evaluation.entities_set import Query
from evaluation.metrics import Answer, Summary
from evaluation.needles import Need, Needle, Span
from evaluation.rulebook_set import Question

LOG3 = 1 / math.log2(3)
RULEBOOK, ENTITIES = rulebook_eval.METRICS, entities_eval.METRICS


def question(name: str = "q", **gold: Any) -> Question:
    return Question(name, None, (), (), "words", gold, "tune")


@pytest.mark.parametrize(("gold", "ranking", "sections", "first"), [
    ({"a": 3}, ["a"], [1, 1, 1, 1, 1], 1), ({"a": 2}, ["x", "a"], [LOG3, 0, 1, 1, 0.5], 0),
    ({"a": 3, "b": 1}, ["b", "a"], [(1 + 3 * LOG3) / (3 + LOG3), 0, 1, 1, 0.5], 0),
    ({"a": 2, "b": 2}, ["a", "x", "y", "b"], [(1 + 1 / math.log2(5)) / (1 + LOG3), 1, 0.5, 1, 1], 1),
    ({"a": 3}, [*"bcdefghijk", "a"], [0, 0, 0, 0, 0], 0), ({"a": 3}, [], [0, 0, 0, 0, 0], 0),
], ids=["first", "second", "a lower grade before it", "two", "behind the tenth", "nothing"])
def test_measures_by_hand(gold: dict[str, Any], ranking: list[str], sections: list[float], first: int) -> None:
    (found,) = RULEBOOK.judge([question(**gold)], lambda _: Answer(ranking))
    assert found.ranking == tuple(ranking[:10])
    assert found.measures == pytest.approx(dict(zip(RULEBOOK.table, sections, strict=True)))
    one = Query("q", "semantic", {f"spells/{key}": grade for key, grade in gold.items()}, "spells", "w")  # type: ignore[arg-type]
    keys = [f"spells/{key}" for key in ranking]
    (found,) = ENTITIES.judge([one], lambda asked: entities_eval._answer(asked, keys))
    assert found.measures["first"] == first
    if 1 not in gold.values():  # else another grade is the least that answers
        assert {found.measures[name] for name in ("ndcg10", "r10", "mrr")} == {sections[n] for n in (0, 3, 4)}


@pytest.mark.parametrize(
    ("ranking", "recall", "mrr"),
    [(["need-0", "need-1"], 1, 1), (["other-0", "need-1"], 0.5, 0.5), (["other-0"] , 0, 0), ([], 0, 0),
     ([*(f"other-{n}" for n in range(40)), "need-0"], 0.5, 1 / 41)],
)
def test_measures_of_needles(ranking: list[str], recall: float, mrr: float) -> None:
    need = Need((Span("a.md", 1, 1),))
    needle = Needle("x", "dec_2025", "turn", "story", "q", (need, need))
    (found,) = needles_eval.METRICS.judge([needle], lambda _: Answer(ranking, {"tokens": 7, "sparse": False}))
    assert found.measures == pytest.approx({"recall": recall, "mrr": mrr, "tokens": 7, "sparse": 0})


def test_questions_are_judged_apart_and_summed_up() -> None:
    asked = [question("one", a=3), question("two", a=3), question("three", a=3), question("stray")]
    found = RULEBOOK.judge(asked, lambda one: Answer({"one": ["a"], "two": ["b"]}.get(one.id, [])))
    assert [one.measures["p1"] for one in found] == [1, 0, 0, 0]
    groups = RULEBOOK.grouped(found[:3], form=lambda one: one.id[0])
    assert {name: one.count for name, one in groups.items()} == {"all": 3, "form=o": 1, "form=t": 2}
    assert groups["all"].measures == dict.fromkeys(RULEBOOK.table, pytest.approx(1 / 3))
    assert RULEBOOK.judge([], lambda _: Answer(())) == []
    assert RULEBOOK.summarise([]) == Summary(0, dict.fromkeys(RULEBOOK.table, 0))


@pytest.mark.parametrize(("count", "of", "low", "high"), [(0, 0, 0.0, 1.0), (0, 1, 0.0, 0.793), (1, 1, 0.207, 1.0), (81, 263, 0.255, 0.366), (1, 29, 0.006, 0.172)])
def test_known_intervals(count: int, of: int, low: float, high: float) -> None:
    """The last two are R. G. Newcombe's, Statistics in Medicine 17 (1998), table I."""
    found = share(count, of)
    assert (found["low"], found["high"]) == (pytest.approx(low, abs=5e-4), pytest.approx(high, abs=5e-4))
