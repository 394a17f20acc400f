"""What a model is given of a response: less than programs get, and the same in words.

Clients hand a model the structured form or the text, so that each has the substance. Each line of
the text that has words of a file or a person in it is quoted as a whole: titles and names are
written by whoever wrote the books.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from ..content.notation import write_filters
from ..content.stat_block import caption, stat_block
from ..content.types import entity_type
from ..engine.final_prompt import HEADINGS
from ..operations.asking import AnswerEvidence, EngineAnswer
from ..operations.entities import EntityDocument, EntityResults, EntityTypes, OneEntity
from ..operations.library import BooksAnswer, ExtractedContent, Sources
from ..operations.prompts import Assembled, PlayerAssembled
from ..operations.rulebook import RulebookQueryResult
from ..types import SparseReason

MOST: Final = 12_000
"""Characters of the texts of one answer, about 3,000 tokens."""
LEAST: Final = 300
"""Characters that any result may have."""
SHORT: Final = 80
"""Characters of a text that is never cut."""
ENTRIES: Final = 300
"""Entries of a book's contents that are listed at once."""
_EXTRACT: Final = 240


class _Picked(BaseModel):
    """What of a response a model is given: the attributes of the same names."""

    model_config = ConfigDict(from_attributes=True, extra="forbid")


class TypeFields(_Picked):
    """A type, how many entities it has, and its fields, each with its kind."""

    type: str
    entities: int
    fields: Annotated[dict[str, str], BeforeValidator(
        lambda fields: {field.name: field.kind for field in fields}
    )]


class EntitySources(_Picked):
    """Where entities come from, and what types they are of."""

    documents: tuple[EntityDocument, ...]
    types: tuple[TypeFields, ...]


class Cited(_Picked):
    """A section that ``text`` prints."""

    id: str
    title: str
    path: tuple[str, ...]
    relevance: float
    citation: str


class RulebookAnswer(_Picked):
    """Sections that answer, as Markdown, and how to go on where ``left`` more were left out."""

    text: str
    sections: tuple[Cited, ...]
    total_tokens: int
    continuation: str | None
    left: int
    explanation: str
    attribution: str


class PromptPassage(_Picked):
    """A passage that the prompt holds."""

    id: str
    section: str
    tokens: int
    score: float


class PromptAnswer(_Picked):
    """A prompt, and the passages that were retrieved for it; none of them where it is sparse."""

    prompt: str
    passages: tuple[PromptPassage, ...] = Field(validation_alias="chunks")
    sparse: bool
    sparse_reason: SparseReason | None


def cut_answer(answer: EngineAnswer) -> EngineAnswer:
    """The answer within about :data:`MOST` characters, each thing once.

    The better the evidence, the more of it: each may take half of what is left. What is cited alone
    has no text.
    """
    text = "" if answer.by == "evidence" and answer.evidence else answer.text[:MOST]
    room, evidence = MOST - len(text), list[AnswerEvidence]()
    for piece in answer.evidence:
        most = max(LEAST, room // 2) if room > 0 else 0
        excerpt = piece.text if len(piece.text) <= most else f"{piece.text[:most]}…" if most else ""
        room -= len(excerpt)
        evidence.append(replace(piece, text=excerpt))
    return replace(answer, text=text, evidence=tuple(evidence), sentences=(), left_out=())


def answered(answer: EngineAnswer) -> str:
    """The answer, what is to be known of it, then its evidence under its number."""
    lines = quoted(answer.text)
    lines += [_quote(relation.text) for relation in answer.relations
              if relation.text not in answer.text]
    lines += [_quote(note) for note in (*answer.notes, *(failure.told for failure in answer.errors))
              if note not in answer.text]
    for evidence in answer.evidence:
        lines += [_quote(f"[{evidence.number}] {HEADINGS[evidence.domain]}: {evidence.citation}"),
                  *quoted(evidence.text)]
    return "\n".join((*lines, *quoted(answer.attribution)))


def cut_results(answer: EntityResults) -> EntityResults:
    """The results within :data:`MOST` characters.

    The better a result, the more of it: each may take half of what is left. One that was cut has
    ``cut``.
    """
    room, results = MOST, []
    for result in answer.results:
        entity = _within(result, max(LEAST, room // 2))
        room = max(0, room - len(str(entity)))
        results.append(entity)
    return replace(answer, results=tuple(results))


def _within(entity: Mapping[str, Any], chars: int) -> dict[str, Any]:
    left = chars

    def shortened(value: Any) -> Any:
        nonlocal left
        if isinstance(value, str):
            cut = value if len(value) <= max(SHORT, left) else f"{value[:max(SHORT, left)]}…"
            left -= len(cut)
            return cut
        if isinstance(value, Mapping):
            return {key: shortened(part) for key, part in value.items()}
        if isinstance(value, list | tuple):
            return [shortened(part) for part in value if left > 0 or not isinstance(part, Mapping)]
        return value

    fields: dict[str, Any] = shortened(entity)
    return fields if fields == entity else {**fields, "cut": True}


def results(answer: EntityResults) -> str:
    """A line a result, the first one whole where it was not cut, of the others an extract."""
    lines = [f"{len(answer.results)} of {answer.total} results, best first."
             if answer.results else "Nothing was found: ask in other words, or with fewer filters."]
    for number, result in enumerate(answer.results):
        type_ = entity_type(result["entity_type"])
        lines.append(_quote(
            f"{number + 1}. {result['name']} ({type_}; {caption(type_, result) or '-'}; "
            f"{result['document']}; score {result['_score']:.2f}; slug {result['slug']})"
        ))
        whole = not number and "cut" not in result
        lines += quoted(entity_markdown(result) if whole else _extract(result))
    if answer.stated:
        lines.append(_quote(f"{'Held to' if answer.bound else 'The words also state'}: "
                            + ", ".join(write_filters(answer.stated))))
    if answer.lanes_failed:
        lines.append(f"Found without the {' and '.join(answer.lanes_failed)} lane, which failed.")
    return "\n".join((*lines, *quoted(answer.attribution)))


def one_entity(answer: OneEntity) -> str:
    """The entity whole."""
    return "\n".join((*quoted(entity_markdown(answer.entity)), *quoted(answer.attribution)))


def entity_markdown(entity: Mapping[str, Any]) -> str:
    """An entity as Markdown: its name, its stat block, its texts, and where it is from."""
    type_ = entity_type(entity["entity_type"])
    block = stat_block(type_, entity)
    lines = [f"# {entity['name']}", *filter(None, (block.kind or caption(type_, entity),))]
    lines += [f"{line.label}: {line.text}" for line in block.head]
    if block.abilities:
        lines.append(", ".join(f"{ability.name} {ability.score} ({ability.modifier})"
                               for ability in block.abilities))
    lines += [f"{line.label}: {line.text}" for line in (*block.lines, *block.facts)]
    columns, rows = block.levels.narrow
    table = (columns, ["---"] * len(columns), *rows) if rows else ()
    lines += [f"| {' | '.join(row)} |" for row in table]
    for section in block.sections:
        if section.title:
            lines.append(f"## {section.title}")
        lines += [f"**{entry.name}.** {entry.text}" if entry.name else entry.text
                  for entry in section.entries]
    return "\n".join((*lines, f"From {entity.get('document', '')}."))


def _extract(entity: Mapping[str, Any]) -> str:
    text = " ".join(
        entry.text for section in stat_block(entity_type(entity["entity_type"]), entity).sections
        for entry in section.entries
    )
    line = _line(text)
    return line if len(line) <= _EXTRACT else f"{line[:_EXTRACT]}…"


def _line(text: str) -> str:
    return " ".join(str(text).split())


def quoted(text: str) -> list[str]:
    """The lines of what a file or a person says, each marked as a quotation."""
    return [f"> {line}".rstrip() for line in text.splitlines()]


def _quote(text: str) -> str:
    """The same as one line."""
    return f"> {_line(text)}"


def prompt(assembled: Assembled | PlayerAssembled) -> str:
    """The prompt; programs send the structured one."""
    return "\n".join(quoted(assembled.prompt))


def books(result: BooksAnswer) -> str:
    """The answer of books and entities by source, a line a result, and why each is one."""
    lines = [_quote(f"**Search results for:** {result.query}")]
    for source, answers in result.by_source().items():
        lines += ["", _quote(f"### From {source}")]
        for answer in answers:
            page = f" (p. {answer.page})" if answer.page else ""
            mark = "✓" if answer.extracted else "[Extract]"
            lines.append(_quote(
                f"- **{answer.title}**{page} {mark} · *{answer.type}* · {answer.relevance:.2f}"
            ))
            lines += [f">   {_line(text)}" for text in (answer.extract, answer.why) if text]
    if not result.results:
        lines += ["", "Nothing was found. Looked for:", *map(_quote, result.tried)]
        lines += ["", "Try other words, fewer words, or the name of what you are looking for."]
    lines += ["", *(_quote(f"Note: {note}") for note in result.missing)]
    sources = list(dict.fromkeys(
        answer.source_id for answer in result.results if answer.source_id and not answer.extracted
    ))
    if sources:
        lines.append("To make an entry an entity: extract_content(source_id, content_name, "
                     "content_type), source_id being")
        lines.append(_quote(", ".join(sources)))
    return "\n".join((*lines, *quoted(result.attribution))).strip()


def cut_sources(sources: Sources) -> Sources:
    """The sources, with at most :data:`ENTRIES` of the contents."""
    return replace(sources, entries=sources.entries[:ENTRIES])


def sources(listed: Sources) -> str:
    """A line a source, a line an entry of its contents."""
    lines = [_quote(
        f"- {info.title} (source_id {info.source_id}; {info.format}, {info.pages} pages; "
        + (info.problem or ", ".join(f"{count} {name}" for name, count in info.types.items())) + ")"
    ) for info in listed.sources] or [
        "There are no books: the user adds a folder with `mvp-site library scan FOLDER`."
    ]
    lines += [
        f"> {'  ' * (entry.depth + 1)}- {_line(entry.title)} ({entry.type}"
        f"{f', p. {_line(entry.page)}' if entry.page else ''}){' ✓' if entry.extracted else ''}"
        for entry in listed.entries
    ]
    if listed.total > len(listed.entries):
        lines.append(f"{len(listed.entries)} of {listed.total} entries: ask for one content_type.")
    return "\n".join(lines)


def extracted(content: ExtractedContent) -> str:
    """The entity, quoted, and how far it can be trusted."""
    lacking = f"; not found: {', '.join(content.missing)}" if content.missing else ""
    where = f"{content.source_id}, p. {content.page or '-'}"
    confidence = f"confidence {content.confidence:.2f}{lacking}"
    return "\n".join((
        _quote(f"{content.title} ({content.entity_type}, {content.state}; {where}; {confidence})"),
        *quoted(entity_markdown({**content.entity, "entity_type": content.entity_type})),
        *map(_quote, content.notes),
    ))


def stock(answer: EntityTypes) -> str:
    """A line a document, a line a type."""
    return "\n".join((
        "Documents:",
        *(_quote(f"- {document.document}: {document.entities} entities. {document.attribution}")
          for document in answer.documents),
        "Types, with the fields that filters may name:",
        *(_quote(f"- {info.type} ({info.entities}): " + ", ".join(
            f"{field.name} ({field.kind})" for field in info.fields)) for info in answer.types),
    ))


def rulebook(result: RulebookQueryResult) -> str:
    """The sections, quoted, and how to go on."""
    lines = quoted(result.text or result.explanation) or [
        "The rulebook says nothing of it: ask in other words."
    ]
    if result.continuation:
        lines.append(f"{result.left} more left out, less likely to answer or without room; "
                     f"continuation: {result.continuation}")
    return "\n".join((*lines, *quoted(result.attribution)))
