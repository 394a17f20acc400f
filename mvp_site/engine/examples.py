"""Example questions with what each calls for: the shipped ones, and the definitions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

import msgspec

from ..retrieval import utterances
from .gazetteer import HELPERS
from .types import DOMAINS, Domain

FOLDER: Final = "questions"


@dataclass(frozen=True, slots=True)
class Example:
    """A question, and its intention in each domain that it needs; '' in one that has none."""

    text: str
    needs: Mapping[Domain, str]


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    q: str
    character: str | None = None
    rulebook: str | None = None
    session_notes: str | None = None
    books: bool = False


@cache
def example_questions() -> tuple[Example, ...]:
    """The definitions of all intentions, and the shipped questions in order of their files."""
    told = [
        Example(text, {domain: name})
        for domain, helper in HELPERS.items() for name, text in helper.intents.items()
    ]
    place = utterances.FOLDER.joinpath(FOLDER)
    files = sorted((f for f in place.iterdir() if f.name.endswith(".jsonl")), key=lambda f: f.name)
    lines = (line for file in files for line in file.read_text("utf-8").split("\n") if line.strip())
    return (*told, *(_example(msgspec.json.decode(line, type=_Line)) for line in lines))


def _example(line: _Line) -> Example:
    given = {domain: getattr(line, domain) for domain in DOMAINS if getattr(line, domain)}
    return Example(line.q, {domain: "" if name is True else name for domain, name in given.items()})
