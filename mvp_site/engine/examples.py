"""Example questions with what each calls for: the shipped ones, and the definitions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from .. import utterances
from .gazetteer import HELPERS
from .types import DOMAINS, Domain

FOLDER: Final = "questions"


@dataclass(frozen=True, slots=True)
class ExampleQuestion:
    """A question, and its intention in each domain that it needs; '' in one that has none."""

    text: str
    needs: Mapping[Domain, str]


@cache
def example_questions() -> tuple[ExampleQuestion, ...]:
    """The definitions of all intentions, and the shipped questions in order of their files."""
    questions = [
        ExampleQuestion(text, {domain: name})
        for domain, helper in HELPERS.items() for name, text in helper.intents.items()
    ]
    files = sorted(utterances.FOLDER.joinpath(FOLDER).iterdir(), key=lambda file: file.name)
    lines = [line for file in files if file.name.endswith(".jsonl")
             for line in map(json.loads, file.read_text("utf-8").splitlines())]
    return (*questions, *(
        ExampleQuestion(line["q"], {domain: "" if line[domain] is True else line[domain]
                            for domain in DOMAINS if line.get(domain)}) for line in lines
    ))
