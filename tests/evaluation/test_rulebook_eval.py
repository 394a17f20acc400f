"""What a run over a set of questions shows, on a small book with the encoder's double."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from evaluation.baselines import LANES, PLAIN
from evaluation.report import Report, Table
from evaluation.rulebook_eval import printed, run_rulebook

from mvp_site import Settings
from mvp_site.errors import RulebookError, SettingsError
from mvp_site.rulebook.markdown import parse_rulebook
from mvp_site.rulebook.rulebook import Rulebook

from ..hashing import HashingEncoder

BOOK = """\
# Combat
Blows are traded here.
## Grappling
Seize a foe: a contest of athletics against acrobatics.
## Shoving
Push a foe five feet or knock it prone.
# Resting
## Short Rest
An hour of sitting; spend hit dice.
## Long Rest
Eight hours of sleep; regain all hit points.
# Monsters
## Owlbear
Beak and claws, and a temper.
"""

QUESTIONS: list[dict[str, Any]] = [
    {"id": "name", "intention": "monster_stats", "entities": ["owlbear"], "gold": {"Monsters > Owlbear": 3}},
    {"id": "all", "intention": "rest_mechanics", "entities": ["long rest"], "user_query": "hit points back",
     "gold": {"resting/long-rest": 3, "resting": 1}},
    {"id": "words", "user_query": "a contest of athletics against acrobatics", "gold": {"combat/grappling": 2}},
    {"id": "chapter", "entities": ["resting"], "gold": {"resting/short-rest": 2, "resting/long-rest": 2, "resting": 2}},
    {"id": "stray", "user_query": "xylophone quartet tickets", "gold": {}},
    {"id": "stray too", "user_query": "chess openings for beginners", "gold": {}, "split": "test"},
]

Run = Callable[..., Report]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """The book and the set as files."""
    book, questions = tmp_path / "book.md", tmp_path / "set.jsonl"
    book.write_text(BOOK)
    questions.write_text("\n".join(
        json.dumps({"intention": None, "entities": [], "context_hints": [], "user_query": None, **one})
        for one in QUESTIONS
    ))
    return book, questions


@pytest.fixture
def run(files: tuple[Path, Path], settings: Settings) -> Run:
    """Runs the set on the book."""
    def ran(split: Any = None, **options: Any) -> Report:
        book, questions = files
        options = {"markdown": book, "questions": questions, "encoder": HashingEncoder(256), **options}
        return run_rulebook(settings, split, **options)

    return ran


def test_every_system_is_measured_by_form_and_intention(run: Run) -> None:
    report = run(worst_shown=2)
    values = json.loads(json.dumps(report.values))
    assert [values[name] for name in ("questions", "off_topic", "sections", "source", "worst")][:4] == [4, 2, 8, "book.md"]
    assert tuple(values["systems"]) == ("rulebook", *LANES)
    groups = {
        "all": 4, "form=all": 1, "form=intention and entities": 2, "form=words alone": 1,
        "intention=monster_stats": 1, "intention=none": 2, "intention=rest_mechanics": 1,
    }
    for held in values["systems"].values():
        assert {name: summary["questions"] for name, summary in held.items()} == groups
    ours, plain = (values["systems"][name]["all"]["measures"] for name in ("rulebook", PLAIN))
    assert (ours["p1"], ours["mrr"], ours["r10"]) == (1, 1, 1)
    assert 0.9 < ours["ndcg10"] <= 1
    assert {goal["name"]: (goal["found"], goal["reached"]) for goal in values["goals"]} == {
        "nDCG@10": (ours["ndcg10"], True), "recall@10": (1, True), "MRR": (1, True),
        "nDCG@10 over plain convex fusion": (ours["ndcg10"] - plain["ndcg10"], ours["ndcg10"] - plain["ndcg10"] >= 0.1),
    }
    assert values["printed"] == 1  # sections below the one that was found count as well
    assert (values["on_topic_refused"], values["off_topic_refused"]) == (0, 1)
    assert 0 < values["costs"]["median"] <= values["costs"]["p95"]
    assert values["costs"]["milliseconds"] > 0
    assert [one["ndcg10"] for one in values["worst"]] == sorted(one["ndcg10"] for one in values["worst"])
    assert set(values["worst"][0]["gold"]) <= {section.id for section in parse_rulebook(BOOK)}
    system, form, intention = [one for one in report.page if isinstance(one, Table)][:3]
    assert system.heads == ("system", "questions", "nDCG@10", "P@1", "R@3", "R@10", "MRR")
    assert [row[0] for row in system.rows] == list(values["systems"])
    assert form.heads == ("nDCG@10 by form", "questions", "rulebook", *LANES)
    assert [row[:2] for row in intention.rows] == [("monster_stats", "1"), ("none", "2"), ("rest_mechanics", "1")]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"questions": None}, SettingsError, "the questions for .*book.md are missing: give them with --set FILE"),
        ({"markdown": Path("/nowhere.md")}, RulebookError, "/nowhere.md cannot be read"),
        ({"questions": Path("/nowhere.jsonl")}, SettingsError, "/nowhere.jsonl cannot be read"),
        ({"questions": None, "markdown": None, "worst_shown": 1}, SettingsError, "are told of the part `tune` only"),
    ],
)
def test_what_cannot_be_measured_is_told(run: Run, options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        run(**options)


# --- what is printed ----------------------------------------------------------------------------


@pytest.mark.parametrize("budget", [200, 240, 300, 400, 8000])
def test_what_counts_as_printed_stands_in_the_text(budget: int) -> None:
    long = "\n".join(f"## Rule {number}\n" + f"Word number {number} of a rule. " * 9 for number in range(9))
    book = Rulebook.from_markdown(f"# Rules\nAll of them.\n{long}\n", encoder=HashingEncoder(256))
    found = book.query(entities=["rules"], max_tokens=budget)
    ids = printed(found, book.sections)
    assert ids
    for section in book.sections:  # each has a text of its own
        assert (section.content in found.text) is (section.id in ids), section.id
