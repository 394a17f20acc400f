"""Entities as pages show them: results, one whole with its stat block. Pure.

Numbers and safe HTML only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from markupsafe import Markup

from ..content.captions import TITLES, label
from ..content.document import NAMED_TEXTS
from ..content.stat_block import StatBlock, caption, markdown_of, stat_block
from ..content.types import EntityType, entity_type
from ..entities.results import Result
from .rulebook_text import SHOWN, html_of

SNIPPET: Final = 220
"""How many characters of its text a result shows."""

_MARKS: Final = re.compile(r"[*_`>~]+|^\s*[-+]\s+", re.MULTILINE)
_NO_PROSE: Final = re.compile(r"^\s*[|#].*$", re.MULTILINE)
_DEPTHS: Final = {"desc": 2, "higher_level": 3}
"""The heading that a text stands under; those with names of their own are deeper."""


@dataclass(frozen=True, slots=True)
class TypeTab:
    """A type, with how many entities it has."""

    type: str
    title: str
    count: int


@dataclass(frozen=True, slots=True)
class Card:
    """A result. ``number`` is its place among all."""

    number: int
    type: str
    kind: str
    slug: str
    name: str
    caption: str
    snippet: str
    score: float
    document: str
    shadows: str


@dataclass(frozen=True, slots=True)
class Text:
    """A text of an entity, or one with a name of its own."""

    name: str
    html: Markup
    shortened: bool


@dataclass(frozen=True, slots=True)
class Part:
    """Texts under one heading; without a heading, the description."""

    title: str
    texts: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class EntityView:
    """One entity whole."""

    type: EntityType
    slug: str
    name: str
    caption: str
    document: str
    shadows: str
    block: StatBlock
    parts: tuple[Part, ...]


def tabs(documents: Iterable[Mapping[str, Any]], current: EntityType | None) -> tuple[TypeTab, ...]:
    """The types that have entities, and the one that is looked at."""
    counts: dict[str, int] = {}
    for one in documents:
        for name, count in one["types"].items():
            counts[name] = counts.get(name, 0) + count
    return tuple(
        TypeTab(type_.value, TITLES[type_][1], counts.get(type_, 0))
        for type_ in EntityType if counts.get(type_) or type_ is current
    )


def cards(results: Iterable[Result], offset: int = 0) -> tuple[Card, ...]:
    """The results as cards, numbered from ``offset`` on."""
    return tuple(_card(number, result) for number, result in enumerate(results, offset + 1))


def _card(number: int, result: Result) -> Card:
    type_ = entity_type(result["entity_type"])
    return Card(
        number, type_.value, TITLES[type_][0], str(result["slug"]), str(result["name"]),
        caption(type_, result), snippet(markdown_of(result.get("desc"))) or _named(type_, result),
        float(result["_score"]),
        str(result.get("document", "")), str(result.get("shadows") or ""),
    )


def snippet(markdown: str) -> str:
    """The beginning of a text, without marks, headings and tables, cut at a word."""
    plain = " ".join(_MARKS.sub(" ", _NO_PROSE.sub("", markdown[:8 * SNIPPET])).split())
    if len(plain) <= SNIPPET:
        return plain
    return plain[:SNIPPET].rsplit(" ", 1)[0].rstrip(" ,;:.") + " …"


def _named(type_: EntityType, result: Result) -> str:
    """What an entity without a description has: the names of its abilities and actions."""
    return snippet(" ".join(
        f"{label(section.key)}: {', '.join(one.name for one in section.entries)}."
        for section in stat_block(type_, result).sections if section.key in NAMED_TEXTS
    ))


def entity_view(entity: Result) -> EntityView:
    """One entity with its stat block; headings inside its texts go on from the page's own."""
    type_, name = entity_type(entity["entity_type"]), str(entity["name"])
    block = stat_block(type_, entity)
    return EntityView(
        type_, str(entity["slug"]), name, caption(type_, entity),
        str(entity.get("document", "")), str(entity.get("shadows") or ""), block,
        tuple(Part(section.title, tuple(
            Text(one.name, html_of(one.text, ", ".join(filter(None, (name, one.name))),
                                   _DEPTHS.get(section.key, 4)), len(one.text) > SHOWN)
            for one in section.entries
        )) for section in block.sections),
    )
