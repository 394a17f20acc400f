"""What a run over a set of queries shows, on a double of the index, and its command."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from evaluation.__main__ import evaluate
from evaluation.entities_eval import calibrate, kept_promises, run_entities, stated
from evaluation.entities_set import Asked, Entities, Query, everything

from mvp_site import Settings
from mvp_site.content.types import EntityType
from mvp_site.entities.index import EntityIndex
from mvp_site.training import export

from ..hashing import HashingEncoder
from .entity_doubles import QUERIES, RIGHT, FakeIndex, result, write

Run = Callable[..., Mapping[str, Any]]
STATED = {"level 1 rituals": {"level": 1, "ritual": True}}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write(tmp_path / "set.jsonl", *QUERIES)


@pytest.fixture
def run(file: Path, settings: Settings) -> Run:
    """The values of the set on a double that is right in everything, or on another."""
    def ran(split: Any = None, **options: Any) -> Mapping[str, Any]:
        options = {"queries": file, "encoder": HashingEncoder(256), "index": FakeIndex(RIGHT, STATED), **options}
        values: Mapping[str, Any] = json.loads(json.dumps(run_entities(settings, split, **options).values))
        return values

    return ran


def test_an_index_that_is_right_in_everything_reaches_all_but_a_gain_there_is_no_room_for(run: Run) -> None:
    report = run()
    assert report["queries"] == {"semantic": 1, "filtered": 2, "similar": 1, "lookup": 1, "typo": 1, "negative": 1}
    assert report["entities"] == {"spells": 4, "monsters": 2}
    ours = report["systems"]["entities"]
    assert {name: one["queries"] for name, one in ours.items()} == {
        "all": 6, "kind=filtered": 2, "kind=lookup": 1, "kind=semantic": 1, "kind=similar": 1, "kind=typo": 1,
        "stated": 1, "type=lookup_spell": 1, "type=monsters": 1, "type=spells": 4,
    }
    assert all(one["measures"] == pytest.approx(dict.fromkeys(("first", "r10", "mrr", "ndcg10"), 1)) for one in ours.values())
    assert report["systems"]["plain cosine"].keys() == ours.keys()
    assert report["plain_answers"] == ["semantic", "filtered", "similar", "lookup", "typo"]
    assert report["stated"]["recognised"] == 1
    assert [goal["name"] for goal in report["goals"] if not goal["reached"]] == ["nDCG@10 over plain cosine"]
    assert len(report["goals"]) == 8
    found = report["calibration"]  # over words alone
    assert (found["queries"], found["results"], found["relevant"]) == (3, 12, 3)
    assert (found["at"]["precision"], found["at"]["recall"], found["at"]["f1"]) == (1, 1, 1)
    assert [(one["relevant"], one["irrelevant"], one["share"]) for one in found["bins"]] == [(0, 9, 0), (3, 0, 1)]


def test_what_is_wrong_is_told(run: Run) -> None:
    wrong = {
        **RIGHT, "wounds": ["ember"], "wall of fire": [], "like bog-imp": ["bog-imp"], "embr": ["fire-wall", "ember"],
        "printer toner": ["ember"],
    }
    report = run(index=FakeIndex(wrong))
    missed = {goal["name"]: goal["found"] for goal in report["goals"] if not goal["reached"]}
    assert missed["results that break a filter"] == 1
    assert missed["filtered, empty though something matches"] == 1
    assert missed["similar to itself"] == 1
    assert missed["negatives empty"] == 0
    assert missed["nDCG@10, lookups"] == 0
    assert 0.6 < missed["nDCG@10, typos"] < 0.7
    assert report["stated"]["recognised"] == 0


# --- what held whatever the order -----------------------------------------------------------------


def query(kind: Any = "semantic", words: str = "w", **values: Any) -> Query:
    relevant = {} if kind == "negative" else {"spells/ember": 3}
    return Query("q-1", kind, relevant, EntityType.SPELLS, words, **values)  # type: ignore[arg-type]


def entities() -> Entities:
    return everything(FakeIndex({}))  # type: ignore[arg-type]


def test_what_no_result_may_do_is_counted() -> None:
    def asked(one: Query, *slugs: str) -> Asked:
        return Asked(one, tuple(result("spells", slug) for slug in slugs), {})

    level: dict[str, Any] = {"filters": {"level": 1}}
    found = kept_promises([
        asked(query("filtered", **level), "mend-flesh", "ember", "fire-wall"),
        asked(query("filtered", **level)),
        asked(query("filtered", filters={"level": 9})),
        asked(query("similar", reference="ember"), "fire-wall", "ember"),
        asked(query("similar", reference="ember"), "fire-wall"),
        asked(query("negative")), asked(query("negative"), "ember"),
    ], entities())
    assert found == {
        "filtered": 3, "results": 3, "broken": 2, "empty": 1, "similar": 2, "with_reference": 1, "negatives": 2,
        "negatives_empty": 0.5,
    }
    assert kept_promises([], entities())["negatives_empty"] is None


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
    asked = [Asked(query(stated=said), (), read), Asked(query(), (), {"level": 2})]
    assert stated(asked, entities()) == {"queries": 1, "recognised": recognised, "beyond": beyond}
    assert stated([], entities()) == {"queries": 0, "recognised": None, "beyond": None}


def test_scores_are_held_against_relevance() -> None:
    found = calibrate([[(0.9, True), (0.32, False), (0.1, False)], [(0.3, True), (0.05, True)], []], 4)
    assert (found["queries"], found["results"], found["relevant"]) == (3, 5, 4)
    assert [(one["low"], one["relevant"], one["irrelevant"]) for one in found["bins"]] == [
        (0.05, 1, 0), (0.1, 0, 1), (0.3, 1, 1), (0.9, 1, 0),
    ]
    assert found["at"] == {"score": 0.3, "precision": pytest.approx(2 / 3), "recall": 0.5, "f1": pytest.approx(4 / 7)}
    assert found["best"]["score"] == 0.05
    assert found["best"]["f1"] == max(one["f1"] for one in found["cuts"])
    nothing = calibrate([[], []], 0)
    assert (nothing["results"], nothing["bins"], nothing["at"]["f1"]) == (0, [], 0)


# --- the plot and the command -------------------------------------------------------------------


@pytest.fixture
def command(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Runs the command on a double that is right in everything."""
    monkeypatch.setenv("MVP_SITE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(export, "open_encoder", lambda *args: HashingEncoder(256))
    monkeypatch.setattr(EntityIndex, "open", lambda *args, **options: FakeIndex(RIGHT, STATED))
    return lambda *args: CliRunner().invoke(evaluate, ["entities", *args])


def test_the_command_prints_measures_and_goals(command: Callable[..., Any], file: Path, tmp_path: Path) -> None:
    plot = tmp_path / "curve.png"
    result = command("--set", str(file), "--worst", "1", "--plot", str(plot))
    assert result.exit_code == 0, result.output
    assert plot.exists()
    for text in (
        "7 queries to 6 entities", "queries: semantic 1, filtered 2", "plain answers: semantic, filtered",
        "kept: filtered 2, results 2, broken 0, empty 0", "stated: queries 1, recognised 1.000, beyond 0.000",
        "calibration at: score 0.300, precision 1.000, recall 1.000, f1 1.000", "spells/ember (3)", "lookup_spell",
        "reached nDCG@10, lookups: +1.000 (wanted ≥ .97)",
    ):
        assert text in result.stdout
