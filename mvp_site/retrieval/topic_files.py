"""The utterances that the package ships: what people say at the table, and what it is about.

They are data (the folder ``mvp_site/utterances``), by topic: each topic has utterances, and the
words of the rules or entities that these are about.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Final

import msgspec

from ..errors import ArchiveError
from ..text.names import distinct_words
from ..utterances import FOLDER

FILE: Final = "situations.toml"
CONCEPTS: Final = "concepts.toml"


@dataclass(frozen=True, slots=True)
class Topic:
    """``says``: players' words; ``rules``: the rules' words."""

    id: str
    says: tuple[str, ...]
    rules: str


_Text = Annotated[str, msgspec.Meta(min_length=1)]


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: _Text
    says: Annotated[tuple[_Text, ...], msgspec.Meta(min_length=1)]
    rules: _Text


class _Topics(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    situation: tuple[_Entry, ...] = ()


@cache
def situations() -> tuple[Topic, ...]:
    """The topics of turns, by id."""
    return _by_id(shipped(FILE))


@cache
def rule_topics() -> tuple[Topic, ...]:
    """All topics that rules are found by, those of prompts among them, by id."""
    return _by_id((*shipped(FILE), *shipped("rules")))


@cache
def entity_topics() -> tuple[Topic, ...]:
    """All topics that entities are found by, those of rules among them, by id."""
    return _by_id((*rule_topics(), *shipped("entities")))


@cache
def concepts() -> tuple[Topic, ...]:
    """The kinds of content that books are asked for, by id: a user's words, and the books'."""
    return _by_id(shipped(CONCEPTS))


@cache
def load_off_topic(of: str = "") -> tuple[str, ...]:
    """Texts that are not about the game; ``of`` "entities" gives those that name no entity.

    ``of`` "talk" gives small talk, questions about the model, and requests for other work.
    """
    return shipped_lines(f"off_topic_{of}.txt" if of else "off_topic.txt")


def exchanges(kind: str) -> tuple[str, ...]:
    """What a player said and the answer: those of kind "calls" call for a rule, "quiet" do not."""
    return tuple(line.replace("\t", "\n") for line in shipped_lines(f"exchanges_{kind}.txt"))


def spoken_words(topics: Iterable[Topic]) -> list[str]:
    """Each word, as words are compared, that is said of topics: no typo, whatever a book has."""
    return sorted(distinct_words(text for topic in topics for text in topic.says))


@cache
def shipped_lines(name: str) -> tuple[str, ...]:
    """The lines of a shipped file that are not blank."""
    lines = FOLDER.joinpath(name).read_text(encoding="utf-8").splitlines()
    return tuple(line.strip() for line in lines if line.strip())


@cache
def shipped(name: str) -> tuple[Topic, ...]:
    """The topics of one shipped file, or of a folder's files in order of their names."""
    place = FOLDER.joinpath(name)
    files = sorted(place.iterdir(), key=lambda file: file.name) if place.is_dir() else [place]
    return tuple(topic for file in files
                 for topic in parse_topics(file.read_text(encoding="utf-8"), file.name))


def _by_id(topics: Iterable[Topic]) -> tuple[Topic, ...]:
    """``topics`` in order of ids; of two with the same id, the later stays."""
    table = {topic.id: topic for topic in topics}
    return tuple(table[key] for key in sorted(table))


def parse_topics(text: str, source: str) -> list[Topic]:
    """The entries of a table; ``source`` is what errors call it.

    Raises:
        ArchiveError: it does not parse, or an entry is wrong.
    """
    try:
        entries = msgspec.toml.decode(text, type=_Topics).situation
    except (msgspec.DecodeError, RecursionError) as error:
        raise ArchiveError(f"{source}: {error}; see docs/utterances.md for its form") from None
    return [Topic(entry.id, entry.says, entry.rules) for entry in entries]
