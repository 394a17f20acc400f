"""The set of questions to a rulebook: what it may hold, and how its gold finds a book's sections."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mvp_site.errors import SettingsError
from mvp_site.evaluation.rulebook_set import Question, in_book, load_questions
from mvp_site.rulebook.intentions import Intention
from mvp_site.rulebook.markdown import parse_rulebook

BOOK = """\
# Spells
## Fireball
A bright streak flashes and fire fills the room.
## Shield
A barrier of force.
# Monsters
## Goblin
### Actions
It stabs.
## Ogre
### Actions
It swings.
# Twice
## Same
one
## Same
two
"""

Write = Callable[..., Path]


def line(**values: Any) -> dict[str, Any]:
    """A question that is as it should be, but for ``values``."""
    return {
        "id": "q1", "intention": "spell_details", "entities": ["fireball"], "context_hints": [],
        "user_query": None, "gold": {"spells/fireball": 3}, "split": "tune", **values,
    }


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes lines to a file: objects as JSON, text as it is."""
    def written(*lines: Any) -> Path:
        file = tmp_path / "set.jsonl"
        file.write_text("\n".join(one if isinstance(one, str) else json.dumps(one) for one in lines))
        return file

    return written


def test_a_question_is_read_whole(write: Write) -> None:
    (one,) = load_questions(write(
        "", line(context_hints=["area"], user_query=" how far? ", gold={"spells/fireball": 3, "spells": 1}), "  ",
    ))
    assert one == Question(
        "q1", Intention.SPELL_DETAILS, ("fireball",), ("area",), "how far?", {"spells/fireball": 3, "spells": 1}, "tune"
    )
    assert one.relevant == {"spells/fireball"}


@pytest.mark.parametrize(
    ("values", "form"),
    [
        ({}, "intention and entities"),
        ({"intention": None}, "intention and entities"),
        ({"user_query": "how far?"}, "all"),
        ({"user_query": "how far?", "entities": []}, "all"),
        ({"user_query": "how far?", "intention": None}, "all"),
        ({"user_query": "how far?", "intention": None, "entities": []}, "words alone"),
    ],
)
def test_the_form_of_a_question(write: Write, values: dict[str, Any], form: str) -> None:
    assert load_questions(write(line(**values)))[0].form == form


@pytest.mark.parametrize(
    ("values", "text", "own"),
    [
        ({"entities": ["The Fireball"]}, "fireball spell casting", "fireball"),
        ({"entities": [], "context_hints": ["area"]}, "spell casting", "area"),
        ({"entities": [], "intention": "saving_throws"}, "saving throw", "saving throw"),
        ({"intention": None, "user_query": "How far?"}, "fireball How far?", "fireball How far?"),
    ],
)
def test_its_text_is_what_is_searched_for(write: Write, values: dict[str, Any], text: str, own: str) -> None:
    (one,) = load_questions(write(line(**values)))
    assert set(text.split()) <= set(one.text.split())
    assert one.own_text.startswith(own)


def test_a_split_is_its_questions_and_all_that_have_none(write: Write) -> None:
    file = write(
        line(id="a"), line(id="b", split="test", entities=["shield"]),
        {key: value for key, value in line(id="c", entities=["ogre"]).items() if key != "split"},
    )
    assert [[one.id for one in load_questions(file, split)] for split in ("tune", "test", None)] == [
        ["a", "c"], ["b", "c"], ["a", "b", "c"],
    ]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["{"], "line 1: it is no JSON"),
        ([line(), "[]"], "line 2: [] is not of type 'object'"),
        ([{"id": "x"}], "line 1: 'intention' is a required property"),
        ([line(id=7)], "id: 7 is not of type 'string'"),
        ([line(entities="fireball")], "entities: 'fireball' is not of type 'array'"),
        ([line(entities=[""])], "entities.0: "),
        ([line(gold={"spells": 4})], "gold.spells: 4 is not one of [1, 2, 3]"),
        ([line(gold={"spells": True})], "gold.spells: True is not one of"),
        ([line(gold=["spells"])], "gold: ['spells'] is not of type 'object'"),
        ([line(gold={"spells": 1})], "question q1 has no gold section of grade 2 or 3"),
        ([line(split="train")], "split: 'train' is not one of ['tune', 'test']"),
        ([line(intention="spell_detail")], "unknown intention 'spell_detail'; near it: spell_details"),
        ([line(), line(entities=["shield"])], "the id 'q1' is there 2 times"),
        ([line(), line(id="q2")], "question q2 asks what q1 asks"),
        ([line(intention=None, entities=[])], "question q1 asks for nothing"),
        ([""], "there is no question in it"),
    ],
    ids=str,
)
def test_a_set_that_cannot_be_used_is_told(write: Write, lines: list[Any], message: str) -> None:
    with pytest.raises(SettingsError) as told:
        load_questions(write(*lines))
    assert message in str(told.value)
    assert "set.jsonl" in str(told.value)


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(b"\xff")
    for name, message in (("nowhere", "No such file"), ("latin", "is not UTF-8 at byte 0")):
        with pytest.raises(SettingsError, match=message):
            load_questions(tmp_path / name)


@pytest.mark.parametrize(
    ("key", "found"),
    [
        ("spells/fireball", "spells/fireball"),
        ("Spells > Fireball", "spells/fireball"),
        ("Monsters > Ogre > Actions", "monsters/ogre/actions"),
        ("Spells", "spells"),
    ],
)
def test_gold_is_an_id_or_a_heading_path(write: Write, key: str, found: str) -> None:
    questions = load_questions(write(line(gold={key: 2})))
    assert [dict(one.gold) for one in in_book(questions, parse_rulebook(BOOK))] == [{found: 2}]


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("spells/firebal", "question q1: the book has no section 'spells/firebal'; near it: spells/fireball"),
        ("Actions", "the book has no section 'Actions'"),
        ("Twice > Same", "is there 2 times; name one of them by its id: twice/same, twice/same-2"),
    ],
)
def test_gold_that_is_not_in_the_book_is_told(write: Write, key: str, message: str) -> None:
    with pytest.raises(SettingsError) as told:
        in_book(load_questions(write(line(gold={key: 2}))), parse_rulebook(BOOK))
    assert message in str(told.value)
