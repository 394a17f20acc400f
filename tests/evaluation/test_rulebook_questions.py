"""The shipped questions to the default rulebook: enough of each kind, a third untouched, gold that is there.

Nothing here shows a question of the test part: what fails is named by its id alone.
"""

from __future__ import annotations

from functools import cache

import pytest

from mvp_site.evaluation.rulebook_set import FORMS, Question, in_book, load_questions
from mvp_site.retrieval.text import normalise
from mvp_site.rulebook.build import default_rulebook
from mvp_site.rulebook.intentions import Intention
from mvp_site.rulebook.markdown import parse_rulebook


@cache
def questions() -> tuple[Question, ...]:
    return load_questions()


def on_topic(split: str | None = None) -> list[Question]:
    return [one for one in questions() if one.gold and split in {None, one.split}]


def off_topic(split: str | None = None) -> list[Question]:
    return [one for one in questions() if not one.gold and split in {None, one.split}]


def test_there_are_enough_and_every_intention_is_asked_for() -> None:
    assert len(on_topic()) >= 200
    assert len(off_topic()) >= 20
    assert {one.intention for one in on_topic()} >= set(Intention)


def test_a_third_is_kept_for_the_test() -> None:
    for part in (on_topic, off_topic):
        assert 0.3 <= len(part("test")) / len(part()) <= 0.37, part.__name__


@pytest.mark.parametrize("split", ["tune", "test"])
@pytest.mark.parametrize("form", FORMS)
def test_each_part_has_every_form_of_question(split: str, form: str) -> None:
    assert sum(one.form == form for one in on_topic(split)) >= 5


def test_no_question_is_asked_twice_in_other_letters() -> None:
    seen: dict[str, str] = {}
    twice = []
    for one in questions():
        key = f"{one.intention} {normalise(one.text)}"
        if key in seen:
            twice.append((seen[key], one.id))
        seen[key] = one.id
    assert twice == []


def test_all_gold_is_in_the_default_rulebook() -> None:
    sections = parse_rulebook(default_rulebook().text)
    assert len(in_book(questions(), sections)) == len(questions())
