"""What a run over a set of questions shows, on a small book with the encoder's double."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mvp_site import Settings
from mvp_site.errors import MissingIndexError, RulebookError, SettingsError
from mvp_site.evaluation.rulebook_eval import RulebookReport, printed, run_rulebook
from mvp_site.evaluation.rulebook_systems import BASELINES
from mvp_site.retrieval import export
from mvp_site.retrieval.encoder import HashingEncoder
from mvp_site.rulebook.build import build_rulebook
from mvp_site.rulebook.markdown import parse_rulebook
from mvp_site.rulebook.results import Citation, RetrievedSection, RulebookResponse
from mvp_site.rulebook.rulebook import Rulebook

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

Run = Callable[..., RulebookReport]


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
    def ran(split: Any = None, **options: Any) -> RulebookReport:
        book, questions = files
        options = {"markdown": book, "questions": questions, "encoder": HashingEncoder(256), **options}
        return run_rulebook(settings, split, **options)

    return ran


def test_every_system_is_measured_by_form_and_intention(run: Run) -> None:
    report = run()
    assert (report.questions, report.off_topic, report.sections, report.source) == (4, 2, 8, "book.md")
    assert tuple(report.systems) == ("rulebook", *BASELINES)
    groups = {
        "all": 4, "form=all": 1, "form=intention and entities": 2, "form=words alone": 1,
        "intention=monster_stats": 1, "intention=none": 2, "intention=rest_mechanics": 1,
    }
    for held in report.systems.values():
        assert {name: summary.questions for name, summary in held.items()} == groups
    ours = report.systems["rulebook"]["all"].measures
    assert (ours.p1, ours.mrr, ours.r10) == (1, 1, 1)
    assert 0.9 < ours.ndcg10 <= 1


def test_what_is_printed_refused_and_spent_is_told(run: Run) -> None:
    report = run()
    assert report.printed == 1  # sections below the one that was found count as well
    assert report.on_topic_refused == 0
    assert report.off_topic_refused == 1
    assert 0 < report.costs.median <= report.costs.p95
    assert report.costs.milliseconds > 0


def test_the_goals_are_held_against_the_means(run: Run) -> None:
    report = run()
    ours, plain = (report.systems[name]["all"].measures for name in ("rulebook", "plain convex fusion"))
    assert {goal.name: goal.found for goal in report.goals} == {
        "nDCG@10": ours.ndcg10, "recall@10": ours.r10, "MRR": ours.mrr,
        "nDCG@10 over plain convex fusion": ours.ndcg10 - plain.ndcg10,
    }
    assert {goal.name: goal.reached for goal in report.goals}["recall@10"] is True


def test_a_split_leaves_the_others_out(run: Run) -> None:
    report = run("tune")
    assert (report.split, report.questions, report.off_topic) == ("tune", 4, 1)


def test_where_nothing_is_off_topic_no_share_is_given(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "one.jsonl"
    file.write_text(json.dumps({"context_hints": [], "user_query": None, **QUESTIONS[0]}))
    report = run(questions=file)
    assert report.off_topic_refused is None
    assert report.questions == 1


def test_the_worst_are_told_the_worst_first(run: Run) -> None:
    assert run().worst == ()
    worst = run(worst=2).worst
    assert len(worst) == 2
    assert worst[0].ndcg10 <= worst[1].ndcg10 <= 1
    assert set(worst[0].gold) <= {section.id for section in parse_rulebook(BOOK)}


def test_the_report_is_plain_json(run: Run) -> None:
    report = run(worst=1).as_dict()
    assert json.loads(json.dumps(report))["systems"]["rulebook"]["all"]["measures"]["p1"] == 1


def test_progress_is_told(run: Run) -> None:
    told: list[tuple[str, int, int]] = []
    run(progress=lambda *said: told.append(said))
    assert {stage for stage, _, _ in told} == {"sections", "baselines", "questions"}
    assert told[-1] == ("questions", 6, 6)


def test_the_default_rulebook_is_the_one_that_was_built(
    run: Run, settings: Settings, files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder = HashingEncoder(256)
    with pytest.raises(MissingIndexError, match="mvp-site rulebook build"):
        run(markdown=None, encoder=encoder)
    manifest = build_rulebook(settings, files[0], encoder=encoder)
    monkeypatch.setattr(export, "open_encoder", lambda *args: encoder)
    report = run(markdown=None, encoder=None)
    assert report.fingerprint == manifest.fingerprint
    encoder.encoded = 0
    again = run(markdown=None, encoder=encoder)
    assert encoder.encoded < 30  # the baselines' windows are kept from the first run
    assert again.systems == report.systems


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"questions": None}, SettingsError, "the questions for .*book.md are missing: give them with --set FILE"),
        ({"markdown": Path("/nowhere.md")}, RulebookError, "/nowhere.md cannot be read"),
        ({"questions": Path("/nowhere.jsonl")}, SettingsError, "/nowhere.jsonl cannot be read"),
        ({"questions": None, "markdown": None, "worst": 1}, SettingsError, "are told of the part `tune` only"),
    ],
)
def test_what_cannot_be_measured_is_told(run: Run, options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        run(**options)


def test_gold_of_another_book_is_told(run: Run, tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text("# Bestiary\n## Owlbear\nBeak.\n")
    with pytest.raises(SettingsError, match="question name: the book has no section 'Monsters > Owlbear'"):
        run(markdown=tmp_path / "other.md")


# --- what is printed ----------------------------------------------------------------------------


def response(section: str, **values: Any) -> RulebookResponse:
    found = parse_rulebook(BOOK)[section]
    one = RetrievedSection(
        found, "", 1.0, False, (), (), False, 1, Citation("book", found.path, found.lines)
    )
    return RulebookResponse(intention=None, entities=(), query="", sections=(replace(one, **values),))


@pytest.mark.parametrize(
    ("section", "values", "wanted"),
    [
        ("combat", {}, {"combat"}),
        ("combat", {"includes_children": True}, {"combat", "combat/grappling", "combat/shoving"}),
        ("combat", {"includes_children": True, "children_left": ("combat/shoving",)}, {"combat", "combat/grappling"}),
        ("combat/shoving", {"cut": True}, set()),
        ("resting/short-rest", {}, {"resting/short-rest"}),
        ("monsters/owlbear", {}, {"monsters/owlbear", "monsters"}),
    ],
)
def test_a_section_is_printed_whole_as_itself_or_below_another(
    section: str, values: dict[str, Any], wanted: set[str]
) -> None:
    assert printed(response(section, **values), parse_rulebook(BOOK)) == wanted


@pytest.mark.parametrize("budget", [200, 240, 300, 400, 8000])
def test_what_counts_as_printed_stands_in_the_text(budget: int) -> None:
    long = "\n".join(f"## Rule {number}\n" + f"Word number {number} of a rule. " * 9 for number in range(9))
    book = Rulebook.from_markdown(f"# Rules\nAll of them.\n{long}\n", encoder=HashingEncoder(256))
    found = book.query(entities=["rules"], max_tokens=budget)
    ids = printed(found, book.sections)
    assert ids
    for section in book.sections:  # each has a text of its own
        assert (section.content in found.text) is (section.id in ids), section.id


def test_bands_tell_how_often_a_relevance_answers(run: Run) -> None:
    report = run()
    # The book is small: every section is ranked for every question, so every answer is in a band.
    assert sum(band.count for band in report.bands) == 6 * report.sections
    relevant = sum(grade >= 2 for one in QUESTIONS for grade in one["gold"].values())
    assert sum(band.count * band.answer for band in report.bands) == pytest.approx(relevant)
    for band in report.bands:
        assert band.low <= band.relevance <= band.high
        assert 0 <= band.answer <= 1
