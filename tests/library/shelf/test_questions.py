import json
import os
from collections import Counter
from hashlib import sha256
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from . import Place, named, srd_5_2
from .library import truth_of_titles
from .pageless_books import places_of

SETS = ("library.jsonl", "corpora/library_srd_5_2.jsonl")


def questions(name: str) -> list[dict[str, Any]]:
    text = files("evaluation").joinpath("sets", name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture(scope="module")
def truth() -> dict[str, tuple[Place, ...]]:
    return truth_of_titles()


def _hold(name: str, truth: dict[str, tuple[Place, ...]]) -> None:
    for question in questions(name):
        for book, title, grade in question["relevant"]:
            assert len(named(truth[book], title)) == 1, (question["id"], book, title)
            assert grade in {1, 2, 3}


def test_each_answer_is_one_thing_of_one_book(truth: dict[str, tuple[Place, ...]]) -> None:
    _hold("library.jsonl", truth)


@pytest.mark.skipif("SHELF_SRD_5_2" not in os.environ,
                    reason="SHELF_SRD_5_2 names no folder of the SRD 5.2 as Markdown files")
def test_each_answer_is_one_thing_of_the_srd_5_2() -> None:
    parts = srd_5_2.parts(Path(os.environ["SHELF_SRD_5_2"]))
    _hold("corpora/library_srd_5_2.jsonl", {"srd_5_2": tuple(places_of(parts))})


@pytest.mark.parametrize("name", SETS)
def test_questions_are_in_form(name: str) -> None:
    rows = questions(name)
    assert all(set(row) == {"id", "kind", "query", "relevant", "split"} for row in rows)
    for field in ("id", "query"):
        assert max(Counter(row[field] for row in rows).values()) == 1
    for row in rows:
        assert bool(row["relevant"]) == (row["kind"] != "off")
        answers = [(book, title) for book, title, _ in row["relevant"]]
        assert len(answers) == len(set(answers)), row["id"]
        assert not answers or max(grade for *_, grade in row["relevant"]) == 3, row["id"]


@pytest.mark.parametrize("name", SETS)
def test_a_hash_of_the_ids_decides_the_split(name: str) -> None:
    def kind(row: dict[str, Any]) -> str:
        return str(row["kind"])

    for _, group in groupby(sorted(questions(name), key=kind), kind):
        rows = sorted(group, key=lambda row: sha256(row["id"].encode()).hexdigest())
        untouched = round(len(rows) / 3)
        assert [row["split"] for row in rows] == (
            ["test"] * untouched + ["tune"] * (len(rows) - untouched))
