"""What a set may hold, how it is divided, and how its gold finds a book's sections or an index's entities."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from evaluation.entities_set import Query, in_index, load_queries
from evaluation.rulebook_set import Question, in_book, load_questions
from evaluation.sets import require_tuning

from mvp_site.errors import SettingsError
from mvp_site.rulebook.markdown import parse_rulebook

from .entity_doubles import write

Line = dict[str, Any]
BOOK = """\
# Spells
## Fireball
A bright streak flashes and fire fills the room.
# Monsters
## Ogre
### Actions
It swings.
# Twice
## Same
one
## Same
two
"""


def question(**values: Any) -> Line:
    """A question that is as it should be, but for ``values``."""
    return {
        "id": "q1", "intention": "spell_details", "entities": ["fireball"], "context_hints": [],
        "user_query": None, "gold": {"spells/fireball": 3}, "split": "tune", **values,
    }


def query(**values: Any) -> Line:
    """A query that is as it should be, but for ``values``; None takes a value away."""
    whole = {"id": "a-1", "kind": "semantic", "type": "spells", "query": "burning", "relevant": {"spells/ember": 3}, **values}
    return {name: value for name, value in whole.items() if value is not None}


def lookup(**values: Any) -> Line:
    given = {"lookup": "lookup_equipment", "params": {"name": "rope"}, "relevant": {"equipment/rope": 3}, **values}
    return query(kind="lookup", type=None, query=None, **given)


LOADERS: dict[str, tuple[Callable[..., Any], Callable[..., Line]]] = {
    "question": (load_questions, question), "query": (load_queries, query),
}


@pytest.mark.parametrize("what", LOADERS)
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (["{"], "line 1: Input data was truncated"),
        ([{}, "[]"], "line 2: Expected `object`, got `array`"),
        ([{}, "", "{'a': 1}"], "line 3: JSON is malformed"),
        ([{"id": 7}], "line 1: Expected `str`, got `int` - at `$.id`"),
        ([{"id": ""}], "length >= 1 - at `$.id`"),
        ([{"split": "train"}], "Invalid enum value 'train' - at `$.split`"),
        ([{}, {}], "line 2: the id"),
        ([{}, {"id": "other"}], " asks what "),
        ([""], "there is no "),
    ],
    ids=str,
)
def test_a_set_that_cannot_be_used_is_told(tmp_path: Path, what: str, changes: list[Any], message: str) -> None:
    load, line = LOADERS[what]
    lines = [one if isinstance(one, str) else line(**one) for one in changes]
    with pytest.raises(SettingsError) as told:
        load(write(tmp_path / "set.jsonl", *lines))
    assert message in str(told.value)
    assert "set.jsonl" in str(told.value)


@pytest.mark.parametrize(
    ("load", "line", "message"),
    [
        (load_questions, {"id": "x"}, "missing required field `intention`"),
        (load_questions, question(entities="fireball"), "Expected `array`, got `str` - at `$.entities`"),
        (load_questions, question(gold={"spells": 4}), "Invalid enum value 4 - at `$.gold[...]`"),
        (load_questions, question(gold={"spells": 1}), "question q1 has no gold section of grade 2 or 3"),
        (load_questions, question(intention="spell_detail"), "unknown intention 'spell_detail'; near it: spell_details"),
        (load_questions, question(intention=None, entities=[]), "question q1 asks for nothing"),
        (load_queries, query(kind="similar"), "a similar one, and no other, has a `reference`"),
        (load_queries, query(kind="lookup"), "query a-1: a lookup has no `type` but `lookup`, one of lookup_spell"),
        (load_queries, query(kind="other"), "Invalid enum value 'other' - at `$.kind`"),
        (load_queries, query(type="spell"), "Invalid enum value 'spell' - at `$.type`"),
        (load_queries, query(relevant={}), "nothing is relevant, and it is not negative"),
        (load_queries, query(kind="negative"), "it is negative, and something is relevant to it"),
        (load_queries, query(kind="filtered"), "it is filtered, by nothing"),
        (load_queries, query(query=" "), "it asks for nothing"),
        (load_queries, query(relevant={"monsters/imp": 3}), "it is asked of spells, not of ['monsters/imp']"),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_a_line_that_cannot_be_asked_is_told(tmp_path: Path, load: Callable[..., Any], line: Line, message: str) -> None:
    with pytest.raises(SettingsError) as told:
        load(write(tmp_path / "set.jsonl", line))
    assert message in str(told.value)
    assert "set.jsonl, line 1: " in str(told.value)


@pytest.mark.parametrize(
    ("split", "file", "allowed"),
    [
        ("tune", None, True), ("test", None, False), (None, None, False),
        ("tune", "own", True), ("test", "own", False), (None, "own", True),
    ],
)
def test_the_worst_are_never_told_of_the_untouched_part(split: Any, file: str | None, allowed: bool) -> None:
    require_tuning(0, split, None)
    if allowed:
        require_tuning(1, split, Path(file) if file else None)
    else:
        with pytest.raises(SettingsError, match="are told of the part `tune` only"):
            require_tuning(1, split, Path(file) if file else None)


# --- questions to a rulebook ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("spells/firebal", "question q1: the book has no section 'spells/firebal'; near it: spells/fireball"),
        ("Actions", "the book has no section 'Actions'"),
        ("Twice > Same", "is there 2 times; name one of them by its id: twice/same, twice/same-2"),
    ],
)
def test_gold_that_is_not_in_the_book_is_told(key: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        in_book([Question(**question(gold={key: 2}))], parse_rulebook(BOOK))


# --- queries to the entities ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        (lookup(), {}),
        (lookup(params={"name": "x", "type": "weapon", "cost_max": 3, "rarity": None, "limit": 5}), {"cost_max": 3}),
        (lookup(lookup="lookup_creature", params={"name": "x", "type": "fiend"}, relevant={"monsters/x": 3}), {"type": "fiend"}),
        (query(kind="filtered", filters={"level": 1}), {"level": 1}),
        (query(kind="filtered", stated={"level": 1}), {}),
    ],
    ids=str,
)
def test_the_filters_that_results_must_fulfil(values: Line, wanted: Line) -> None:
    assert Query(**values).wanted == wanted


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"relevant": {"spells/embr": 3}}, "query a-1: the index has no entity 'spells/embr'; near it: spells/ember"),
        ({"kind": "similar", "reference": "nought"}, "the index has no entity 'spells/nought'"),
    ],
)
def test_what_the_index_lacks_is_told(tmp_path: Path, values: Line, message: str) -> None:
    queries = load_queries(write(tmp_path / "set", query(**values)))
    with pytest.raises(SettingsError, match=message):
        in_index(queries, {"spells/ember", "spells/fire-wall"})
