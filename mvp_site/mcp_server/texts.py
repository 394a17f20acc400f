"""What a model is given of a response: less than programs get, and the same in words.

Clients hand a model the structured form or the text, so that each has the substance. What books say
is quoted in the text, line by line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from ..content.notation import write_filters
from ..content.stat_block import caption, stat_block
from ..content.types import entity_type
from ..operations.entities import EntityDocument, EntityResults, EntityTypes, OneEntity
from ..operations.library import ExtractedContent, Sources
from ..operations.prompts import Assembled, PlayerAssembled
from ..operations.rulebook import RulebookResponse
from ..types import SparseReason

ENTITY: Final = "mvp-site://entities/{entity_type}/{slug}"
MOST: Final = 12_000
"""Characters of the texts of one answer, about 3,000 tokens."""
LEAST: Final = 300
"""Characters that any result may have."""
SHORT: Final = 80
"""Characters of a text that is never cut."""
ENTRIES: Final = 300
"""Entries of a book's contents that are listed at once."""
_EXTRACT: Final = 240


@dataclass(frozen=True, slots=True)
class TypeFields:
    """A type, how many entities it has, and its fields, each with its kind."""

    type: str
    entities: int
    fields: dict[str, str]


@dataclass(frozen=True, slots=True)
class Stock:
    """Where entities come from, and what types they are of."""

    documents: tuple[EntityDocument, ...]
    types: tuple[TypeFields, ...]


@dataclass(frozen=True, slots=True)
class Cited:
    """A section that ``text`` prints."""

    id: str
    title: str
    path: tuple[str, ...]
    relevance: float
    citation: str


@dataclass(frozen=True, slots=True)
class RulebookAnswer:
    """Sections that answer, as Markdown, and how to go on where ``left`` more did not fit."""

    text: str
    sections: tuple[Cited, ...]
    total_tokens: int
    continuation: str | None
    left: int
    explanation: str
    attribution: str


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage that the prompt holds."""

    id: str
    section: str
    tokens: int
    score: float


@dataclass(frozen=True, slots=True)
class PromptAnswer:
    """A prompt, and the passages that were retrieved for it; none of them where it is sparse."""

    prompt: str
    passages: tuple[Passage, ...]
    sparse: bool
    sparse_reason: SparseReason | None


def cut_results(found: EntityResults) -> EntityResults:
    """The results within :data:`MOST` characters.

    The better a result, the more of it: each may take half of what is left. One that was cut has
    ``cut``.
    """
    left, results = MOST, []
    for one in found.results:
        shown = _within(one, max(LEAST, left // 2))
        left = max(0, left - len(str(shown)))
        results.append(shown)
    return replace(found, results=tuple(results))


def _within(entity: Mapping[str, Any], chars: int) -> dict[str, Any]:
    left = chars

    def shortened(value: Any) -> Any:
        nonlocal left
        if isinstance(value, str):
            kept = value if len(value) <= max(SHORT, left) else f"{value[:max(SHORT, left)]}…"
            left -= len(kept)
            return kept
        if isinstance(value, Mapping):
            return {key: shortened(one) for key, one in value.items()}
        if isinstance(value, list | tuple):
            return [
                shortened(one) for one in value if left > 0 or not isinstance(one, Mapping)
            ]
        return value

    found: dict[str, Any] = shortened(entity)
    return found if found == entity else {**found, "cut": True}


def results(found: EntityResults) -> str:
    """A line a result, the first one whole where it was not cut, of the others an extract."""
    lines = [f"{len(found.results)} of {found.total} results, best first."
             if found.results else "Nothing was found: ask in other words, or with fewer filters."]
    for number, one in enumerate(found.results):
        type_ = entity_type(one["entity_type"])
        lines.append(
            f"{number + 1}. {_line(one['name'])} ({type_}; {_line(caption(type_, one)) or '-'}; "
            f"{_line(one['document'])}; score {one['_score']:.2f}; slug {one['slug']})"
        )
        if not number and "cut" not in one:
            lines += quoted(entity_markdown(one))
        else:
            lines += quoted(_extract(one))
    if found.stated:
        lines.append(f"{'Held to' if found.bound else 'The words also state'}: "
                     + ", ".join(write_filters(found.stated)))
    if found.lanes_failed:
        lines.append(f"Found without the {' and '.join(found.lanes_failed)} lane, which failed.")
    return "\n".join((*lines, found.attribution)).strip()


def one_entity(found: OneEntity) -> str:
    """The entity whole."""
    return "\n".join((*quoted(entity_markdown(found.entity)), found.attribution)).strip()


def entity_markdown(entity: Mapping[str, Any]) -> str:
    """An entity as Markdown: its name, its stat block, its texts, and where it is from."""
    return "\n".join(_entity_lines(entity))


def _entity_lines(entity: Mapping[str, Any]) -> Iterator[str]:
    type_ = entity_type(entity["entity_type"])
    block = stat_block(type_, entity)
    yield f"# {entity['name']}"
    yield from filter(None, (caption(type_, entity), block.kind))
    yield from (f"{line.label}: {line.text}" for line in block.head)
    if block.abilities:
        yield ", ".join(f"{one.name} {one.score} ({one.modifier})" for one in block.abilities)
    yield from (f"{line.label}: {line.text}" for line in (*block.lines, *block.facts))
    columns, rows = block.levels
    if rows:
        yield from _table((columns, ["---"] * len(columns), *rows))
    for section in block.sections:
        if section.title:
            yield f"## {section.title}"
        for one in section.entries:
            yield f"**{one.name}.** {one.text}" if one.name else one.text
    yield f"From {entity.get('document', '')}."


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield from (f"| {' | '.join(row)} |" for row in rows)


def _extract(entity: Mapping[str, Any]) -> str:
    said = " ".join(
        one.text for section in stat_block(entity_type(entity["entity_type"]), entity).sections
        for one in section.entries
    )
    line = _line(said)
    return line if len(line) <= _EXTRACT else f"{line[:_EXTRACT]}…"


def _line(text: str) -> str:
    return " ".join(str(text).split())


def quoted(text: str) -> list[str]:
    """The lines of what a book says, each marked as a quotation."""
    return [f"> {line}".rstrip() for line in text.splitlines()]


def cut_sources(found: Sources) -> Sources:
    """The sources, with at most :data:`ENTRIES` of the contents."""
    return replace(found, entries=found.entries[:ENTRIES])


def sources(found: Sources) -> str:
    """A line a source, a line an entry of its contents."""
    lines = [
        f"- {_line(one.title)} (source_id {one.source_id}; {one.format}, {one.pages} pages; "
        + (_line(one.problem) or ", ".join(f"{held} {name}" for name, held in one.types.items()))
        + ")" for one in found.sources
    ] or ["There are no books: the user adds a folder with `mvp-site library scan FOLDER`."]
    lines += [
        f"{'  ' * (one.depth + 1)}- {_line(one.title)} ({one.type}"
        f"{f', p. {_line(one.page)}' if one.page else ''}){' ✓' if one.extracted else ''}"
        for one in found.entries
    ]
    if found.total > len(found.entries):
        lines.append(f"{len(found.entries)} of {found.total} entries: ask for one content_type.")
    return "\n".join(lines)


def extracted(found: ExtractedContent) -> str:
    """The entity, quoted, and how far it can be trusted."""
    lacking = f"; not found: {', '.join(found.missing)}" if found.missing else ""
    where = f"{found.source_id}, p. {_line(found.page) or '-'}"
    sure = f"confidence {found.confidence:.2f}{lacking}"
    return "\n".join((
        f"{_line(found.title)} ({found.entity_type}, {found.state}; {where}; {sure})",
        *quoted(entity_markdown({**found.entity, "entity_type": found.entity_type})),
        *map(_line, found.notes),
    ))


def stock(found: EntityTypes) -> Stock:
    """The documents, and the types without what fields are about."""
    return Stock(found.documents, tuple(
        TypeFields(one.type, one.entities, {held.name: held.kind for held in one.fields})
        for one in found.types
    ))


def stock_text(found: Stock) -> str:
    """A line a document, a line a type."""
    return "\n".join((
        "Documents:",
        *(f"- {one.document}: {one.entities} entities. {one.attribution}".rstrip()
          for one in found.documents),
        "Types, with the fields that filters may name:",
        *(f"- {one.type} ({one.entities}): " + ", ".join(
            f"{name} ({kind})" for name, kind in one.fields.items()) for one in found.types),
    ))


def rulebook_answer(found: RulebookResponse) -> RulebookAnswer:
    """The text and where it is from."""
    return RulebookAnswer(
        found.text,
        tuple(Cited(one.id, one.title, one.path, one.relevance, one.citation)
              for one in found.sections),
        found.total_tokens, found.continuation, found.left, found.explanation, found.attribution,
    )


def rulebook_text(found: RulebookAnswer) -> str:
    """The sections, quoted, and how to go on."""
    lines = quoted(found.text) if found.text else [
        found.explanation or "The rulebook says nothing of it: ask in other words."
    ]
    if found.continuation:
        lines.append(f"{found.left} more did not fit; continuation: {found.continuation}")
    return "\n".join((*lines, found.attribution)).strip()


def prompt_answer(found: Assembled | PlayerAssembled) -> PromptAnswer:
    """The prompt, with less about how it came about."""
    return PromptAnswer(
        found.prompt,
        tuple(Passage(one.id, one.section, one.tokens, one.score) for one in found.chunks),
        found.sparse, found.sparse_reason,
    )


def prompt_text(found: PromptAnswer) -> str:
    """The prompt, byte for byte."""
    return found.prompt
