"""The utterances that the package ships: what people say at the table, and what it is about.

They are data (the folder ``mvp_site/utterances``), by topic: each topic has utterances, and the
words of the rules or entities that these are about. ``situations.toml`` beside the versions in an
archive adds topics for prompts: a topic of the same id replaces the shipped one, and one without
``says`` removes it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Final

from ..errors import ArchiveError

FILE: Final = "situations.toml"
FOLDER: Final = resources.files("mvp_site.utterances")
STATES: Final = (
    "in_combat", "level_up_due", "resting", "dungeon", "settlement", "wilderness", "low_hp",
    "dead_or_dying", "deep_think", "god",
)


@dataclass(frozen=True, slots=True)
class Topic:
    """``says``: players' words; ``rules``: the rules' words; ``state``: facets that call it up."""

    id: str
    says: tuple[str, ...]
    rules: str
    state: tuple[str, ...] = ()


def load_situations(archive: Path) -> tuple[Topic, ...]:
    """The topics of prompts with the archive's own over them, in order of ids.

    Raises:
        ArchiveError: the archive's table does not parse or an entry is wrong.
    """
    table = {topic.id: topic for topic in shipped(FILE)}
    own = archive / FILE
    if own.is_file():
        for topic in parse_topics(own.read_text(encoding="utf-8"), str(own)):
            if topic.says:
                table[topic.id] = topic
            else:
                table.pop(topic.id, None)
    return _by_id(table.values())


@cache
def rule_topics() -> tuple[Topic, ...]:
    """All topics that rules are found by, those of prompts among them, by id."""
    return _by_id((*shipped(FILE), *shipped("rules")))


@cache
def entity_topics() -> tuple[Topic, ...]:
    """All topics that entities are found by, those of rules among them, by id."""
    return _by_id((*rule_topics(), *shipped("entities")))


@cache
def load_off_topic(of: str = "") -> tuple[str, ...]:
    """Texts that are not about the game; ``of`` "entities" gives those that name no entity."""
    name = f"off_topic_{of}.txt" if of else "off_topic.txt"
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
        entries = tomllib.loads(text).get("situation", [])
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ArchiveError(f"{source}: {error}; see docs/situations.md for its form") from None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ArchiveError(
            f"{source}: each situation is a table [[situation]]; see docs/situations.md"
        )
    return [_entry(entry, source) for entry in entries]


def _entry(entry: Mapping[str, Any], source: str) -> Topic:
    name = entry.get("id")
    says, rules, state = entry.get("says", []), entry.get("rules", ""), entry.get("state", [])
    lists = all(isinstance(x, list) and all(isinstance(y, str) for y in x) for x in (says, state))
    if not isinstance(name, str) or not isinstance(rules, str) or not lists or (says and not rules):
        raise ArchiveError(
            f"{source}: situation {name!r} needs id (text), says (list of texts) and rules (text)"
        )
    if unknown := [s for s in state if s not in STATES]:
        raise ArchiveError(
            f"{source}: situation {name!r}: unknown state {unknown[0]!r}; "
            f"write some of {', '.join(STATES)}"
        )
    return Topic(str(name), tuple(says), rules, tuple(state))
