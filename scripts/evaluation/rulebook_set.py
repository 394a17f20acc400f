"""Questions to a rulebook with the sections that answer them.

The shipped set is ``sets/rulebook.jsonl``, one JSON object a line; another set is a file of the
same form. ``test`` is the third that is never used for tuning (docs/evaluation.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from mvp_site.errors import SettingsError
from mvp_site.rulebook.intentions import Intention, query_text
from mvp_site.rulebook.query_parsing import EntityNames
from mvp_site.rulebook.sections import Section, Sections

from .sets import Grade, Name, Split, read_set, unknown

FILE: Final = "sets/rulebook.jsonl"
RELEVANT: Final = 2
"""The grade from which on a section answers: 3 is the answer, 2 a part of it, 1 is beside it."""
Form = Literal["intention and entities", "all", "words alone"]


@dataclass(frozen=True, slots=True)
class Question:
    """A question and its ``gold``: grades 1 to 3 by section id; empty for one that is off-topic.

    ``split`` is None in a set that is not divided.
    """

    id: Name
    intention: str | None
    entities: tuple[Name, ...]
    context_hints: tuple[Name, ...]
    user_query: str | None
    gold: Mapping[str, Grade]
    split: Split | None = None

    def __post_init__(self) -> None:
        if not self.text:
            raise ValueError(f"question {self.id} asks for nothing")
        if self.gold and not self.relevant:
            raise ValueError(f"question {self.id} has no gold section of grade {RELEVANT} or 3")

    @property
    def intent(self) -> Intention | None:
        """The intention that is stated."""
        return Intention.from_name(self.intention) if self.intention else None

    @property
    def words(self) -> str:
        """The question in words; '' where there are none."""
        return (self.user_query or "").strip()

    @property
    def form(self) -> Form:
        """What the question is put in: intention and entities, words alone, or all of it."""
        if not self.words:
            return "intention and entities"
        return "all" if self.intention or self.entities else "words alone"

    @property
    def names(self) -> tuple[str, ...]:
        """The normal forms of its entities, each once."""
        resolved = map(EntityNames(()).resolve, self.entities)
        return tuple(dict.fromkeys(entity.name for entity in resolved if entity.name))

    @property
    def text(self) -> str:
        """All that is asked for, the intention's words among it, as one text."""
        return query_text(self.intent, self.names, self.context_hints, self.words)

    @property
    def own_text(self) -> str:
        """The same without the intention's words, unless there are no others."""
        return query_text(None, self.names, self.context_hints, self.words) or self.text

    @property
    def grades(self) -> Mapping[str, int]:
        """The gold."""
        return self.gold

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
    return read_set(
        Question, FILE, file, split=split,
        asks=lambda one: (one.intent, one.entities, one.context_hints, one.words),
    )


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
        held = [sections[key]] if key in sections else paths.get(key, [])
        if len(held) > 1:
            ids = ", ".join(section.id for section in held)
            raise SettingsError(f"question {question.id}: the gold section {key!r} is there "
                                f"{len(held)} times; name one of them by its id: {ids}")
        if not held:
            known = [*(section.id for section in sections), *paths]
            raise unknown(f"question {question.id}: the book has no section", key, known)
        return held[0].id

    return tuple(
        replace(one, gold={resolved(one, key): grade for key, grade in one.gold.items()})
        for one in questions
    )
