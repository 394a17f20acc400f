"""Questions to a rulebook with the sections that answer them.

The shipped set is ``sets/rulebook.jsonl``, one JSON object a line; another set is a file of the
same form. ``test`` is the third that is never used for tuning (docs/evaluation.md).
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, get_args

import jsonschema

from ..errors import SettingsError
from ..rulebook.entities import normalise_entities
from ..rulebook.intentions import Intention, query_text
from ..rulebook.sections import Section, Sections
from .jsonl import read_set
from .needles import Split

FILE: Final = "sets/rulebook.jsonl"
RELEVANT: Final = 2
"""The grade from which on a section answers: 3 is the answer, 2 a part of it, 1 is beside it."""
Form = Literal["intention and entities", "all", "words alone"]
FORMS: Final[tuple[Form, ...]] = get_args(Form)
_NEAR: Final = 3
_TEXTS: Final = {"type": "array", "items": {"type": "string", "minLength": 1}}
_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "required": ["id", "intention", "entities", "context_hints", "user_query", "gold"],
    "properties": {
        "id": {"type": "string", "minLength": 1},
        "intention": {"type": ["string", "null"]},
        "entities": _TEXTS, "context_hints": _TEXTS,
        "user_query": {"type": ["string", "null"]},
        "gold": {"type": "object", "additionalProperties": {"enum": [1, 2, 3]}},
        "split": {"enum": [*get_args(Split)]},
    },
}


@dataclass(frozen=True, slots=True)
class Question:
    """A question and its ``gold``: grades 1 to 3 by section id; empty for one that is off-topic.

    ``split`` is None in a set that is not divided.
    """

    id: str
    intention: Intention | None
    entities: tuple[str, ...]
    context_hints: tuple[str, ...]
    user_query: str
    gold: Mapping[str, int]
    split: Split | None = None

    @property
    def form(self) -> Form:
        """What the question is put in: intention and entities, words alone, or all of it."""
        if not self.user_query:
            return "intention and entities"
        return "all" if self.intention or self.entities else "words alone"

    @property
    def text(self) -> str:
        """All that is asked for, the intention's words among it, as one text."""
        return query_text(
            self.intention, normalise_entities(self.entities), self.context_hints, self.user_query
        )

    @property
    def own_text(self) -> str:
        """The same without the intention's words, unless there are no others."""
        names = normalise_entities(self.entities)
        return query_text(None, names, self.context_hints, self.user_query) or self.text

    @property
    def relevant(self) -> frozenset[str]:
        """The ids of the sections that answer it."""
        return frozenset(name for name, grade in self.gold.items() if grade >= RELEVANT)


def load_questions(file: Path | None = None, split: Split | None = None) -> tuple[Question, ...]:
    """The questions of ``file``, or of the shipped set, in its order; with ``split``, of that part.

    A set that is not divided is in each part whole.

    Raises:
        SettingsError: the file cannot be read, or a line of it is no question; names the line.
    """
    name, found = read_set(FILE, file, _question)
    for problem in _problems(found, whole=file is None):
        raise SettingsError(f"{name}: {problem}")
    return tuple(one for one in found if split is None or one.split in {None, split})


def in_book(questions: Sequence[Question], sections: Sections) -> tuple[Question, ...]:
    """The questions, every key of their gold an id of ``sections``.

    A key may be a heading path as well, its titles joined by `` > ``.

    Raises:
        SettingsError: a key is neither, or the path of several sections.
    """
    paths: dict[str, list[Section]] = {}
    for section in sections:
        paths.setdefault(section.heading_path, []).append(section)

    def resolved(question: Question, key: str) -> str:
        if key in sections:
            return key
        held = paths.get(key, [])
        if len(held) == 1:
            return held[0].id
        if held:
            ids = ", ".join(section.id for section in held)
            raise SettingsError(
                f"question {question.id}: the gold section {key!r} is there {len(held)} times; "
                f"name one of them by its id: {ids}"
            )
        near = difflib.get_close_matches(
            key, [*(section.id for section in sections), *paths], _NEAR
        )
        raise SettingsError(
            f"question {question.id}: the book has no section {key!r}"
            f"{'; near it: ' + ', '.join(near) if near else ''}"
        )

    return tuple(
        Question(
            one.id, one.intention, one.entities, one.context_hints, one.user_query,
            {resolved(one, key): grade for key, grade in one.gold.items()}, one.split,
        )
        for one in questions
    )


def _question(values: Any) -> Question:
    jsonschema.validate(values, _SCHEMA)
    return Question(
        values["id"], Intention.from_name(values["intention"]) if values["intention"] else None,
        tuple(values["entities"]), tuple(values["context_hints"]),
        (values["user_query"] or "").strip(), dict(values["gold"]), values.get("split"),
    )


def _problems(questions: Sequence[Question], *, whole: bool) -> Iterator[str]:
    """What is wrong with a set beside the form of its lines; ``whole``: it is the shipped one."""
    if not questions:
        yield "there is no question in it"
    for name, count in Counter(question.id for question in questions).items():
        if count > 1:
            yield f"the id {name!r} is there {count} times"
    asked: dict[tuple[object, ...], str] = {}
    for one in questions:
        if not one.text:
            yield f"question {one.id} asks for nothing"
        if one.gold and not one.relevant:
            yield f"question {one.id} has no gold section of grade {RELEVANT} or 3"
        key = (one.intention, one.entities, one.context_hints, one.user_query)
        if key in asked:
            yield f"question {one.id} asks what {asked[key]} asks"
        asked[key] = one.id
    if whole:
        missing = set(Intention) - {one.intention for one in questions if one.gold}
        if missing:
            yield f"no question has the intention {', '.join(sorted(missing))}"
        undivided = [one.id for one in questions if one.split is None]
        if undivided:
            yield f"question {undivided[0]} has no split"
