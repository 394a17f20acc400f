"""A contract of a prompt's own example: what is taken for an answer, and what the contract then holds."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.archive.answer_example import contract_of, objects
from mvp_site.archive.answer_form import read_form
from mvp_site.archive.answer_schema import problems

ANSWER = {"telling": "The lamp goes out, and then the sea does.", "deeds": ["climb", "wait"], "mood": "low", "light": 3, "fog": True, "ship": None,
          "state": {"oil": 2}}
ASKING = "Answer with one JSON object and nothing else.\n\n"


@pytest.mark.parametrize("shown", [json.dumps(ANSWER), json.dumps(ANSWER, indent=2), f"```json\n{json.dumps(ANSWER, indent=1)}\n```",
                                   f'Not {{this}} nor {{"that": 1}}, but {json.dumps(ANSWER)} it is.'])
def test_the_example_becomes_a_contract_that_takes_it(shown: str) -> None:
    contract = contract_of({"core_header.txt": ASKING + shown})
    assert contract is not None
    form = read_form(contract, "contract.json")
    assert (form.json, form.narrative, form.fields) == (True, ("telling",), frozenset(ANSWER))
    assert list(problems(form.schema, ANSWER)) == []
    assert list(problems(form.schema, {**ANSWER, "light": "bright"}))
    assert list(problems(form.schema, {"telling": "x"}))
    assert list(problems(form.schema, form.fallback)) == []


@pytest.mark.parametrize("text", [
    f"An item looks so: {json.dumps(ANSWER)}", f"Never answer in JSON. {json.dumps(ANSWER)}", ASKING, ASKING + '{"telling": ...}',
    ASKING + '{"hp": 3, "ac": 12}', ASKING + "{" * 5_000,
])
def test_what_shows_no_answer_makes_no_contract(text: str) -> None:
    assert contract_of({"core_header.txt": text}) is None


@given(st.text() | st.lists(st.sampled_from(['{"a": "b", "c": {}}', "{", "}", '"', "\\", " ", "a"])).map("".join))
def test_any_text_gives_objects_or_none(text: str) -> None:
    assert all(isinstance(example, dict) for example in objects(text))
