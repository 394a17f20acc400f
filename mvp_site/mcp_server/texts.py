"""What a model is given of a response: less than programs get, and the same as text.

Clients hand a model the structured form or the text, so that each has the substance. The text is
the structured form as YAML. Each line of it is quoted: titles and names are written by whoever
wrote the books.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from textwrap import shorten
from types import GenericAlias
from typing import Annotated, Any, Final, get_type_hints

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, create_model

from ..content.notation import write_filters
from ..content.stat_block import caption, stat_block
from ..content.types import entity_type
from ..operations.asking import AnswerEvidence, EngineAnswer
from ..operations.entities import EntityResults, EntityTypes, TypeInfo
from ..operations.library import BooksAnswer, Sources
from ..operations.player_view import PlayerTurn
from ..operations.prompts import Assembled, PlayerChunk, RetrievedPassages
from ..operations.rulebook import RetrievedSectionView, RulebookQueryResult, SectionTree
from ..turns.archive_usage import ArchiveUsage

MOST: Final = 12_000
"""Characters of the texts of one answer, about 3,000 tokens."""
LEAST: Final = 300
"""Characters that any result may have."""
SHORT: Final = 80
"""Characters of a text that is never cut."""
ENTRIES: Final = 300
"""Entries of a book's contents that are listed at once."""
USED: Final = 50
"""Sections whose usage is listed at once."""
_EXTRACT: Final = 240


class _Picked(BaseModel):
    """What of a response a model is given: the attributes of the same names."""

    model_config = ConfigDict(from_attributes=True, extra="forbid")


def _picked(response: type, names: str, **parts: Any) -> Any:
    """A model of the fields ``names`` of a response, and of lists of ``parts`` of it by name."""
    hints = get_type_hints(response, include_extras=True)
    fields: dict[str, Any] = {
        **{name: (hints[name], ...) for name in names.split()},
        **{name: (GenericAlias(tuple, (part, ...)), ...) for name, part in parts.items()},
    }
    return create_model(response.__name__, __base__=_Picked, __doc__=response.__doc__, **fields)


CAMPAIGN_ANSWER: Final = _picked(
    EngineAnswer, "character campaign text confidence relations notes errors attribution",
    evidence=_picked(AnswerEvidence, "number domain citation text"),
)
RULEBOOK_ANSWER: Final = _picked(
    RulebookQueryResult, "text total_tokens continuation left explanation attribution",
    sections=_picked(RetrievedSectionView, "id title path relevance citation"),
)
PROMPT: Final = _picked(
    Assembled, "prompt sparse sparse_reason",
    chunks=_picked(PlayerChunk, "id section tokens score"),
)
RETRIEVED: Final = _picked(
    RetrievedPassages, "tokens sparse_reason floor best dropped why",
    chunks=_picked(PlayerChunk, "id section tokens score"),
)
TURN: Final = _picked(PlayerTurn, "turn_id campaign_id mode fallback response")
ENTITY_TYPES: Final = _picked(
    EntityTypes, "documents",
    types=_picked(TypeInfo, "type entities", fields=Annotated[
        str, BeforeValidator(lambda field: f"{field.name} ({field.kind})")]),
)


class _Yaml(yaml.SafeDumper):
    """Writes a text of several lines as these lines, and short texts on one."""


_Yaml.add_representer(str, lambda dumper, text: dumper.represent_scalar(
    "tag:yaml.org,2002:str", text, "|" if "\n" in text else None))
_Yaml.add_representer(list, lambda dumper, rows: dumper.represent_sequence(
    "tag:yaml.org,2002:seq", rows,
    flow_style=all(isinstance(row, str) and len(row) <= SHORT for row in rows)))


def text_of(values: Any) -> str:
    """Plain values as YAML, each line quoted; what is empty is left out."""
    text = yaml.dump(_full(values), Dumper=_Yaml, allow_unicode=True, sort_keys=False,
                     width=float("inf"))
    return "\n".join(quoted(text))


def _full(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _full(part) for name, part in value.items()
                if part is not False and part not in (None, "", [], {})}
    return [_full(part) for part in value] if isinstance(value, list) else value


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
    return replace(answer, text=text, evidence=tuple(evidence))


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
    room = chars

    def shortened(value: Any) -> Any:
        nonlocal room
        if isinstance(value, str):
            cut = value if len(value) <= max(SHORT, room) else f"{value[:max(SHORT, room)]}…"
            room -= len(cut)
            return cut
        if isinstance(value, Mapping):
            return {key: shortened(part) for key, part in value.items()}
        if isinstance(value, list | tuple):
            return [shortened(part) for part in value if room > 0 or not isinstance(part, Mapping)]
        return value

    fields: dict[str, Any] = shortened(entity)
    return fields if fields == entity else {**fields, "cut": True}


def cut_usage(usage: ArchiveUsage) -> ArchiveUsage:
    """The usage with the :data:`USED` sections that were candidates most, and as many groups."""
    rows = sorted(usage.sections, key=lambda row: -row.candidate)[:USED]
    return replace(usage, sections=tuple(row for row in rows if row.candidate),
                   unused=usage.unused[:ENTRIES], sparse_turns=usage.sparse_turns[:USED])


def results(answer: EntityResults) -> str:
    """The best result whole where it was not cut, a line for each other one, as YAML."""
    rows = []
    for result in answer.results:
        type_ = entity_type(result["entity_type"])
        sections = stat_block(type_, result).sections
        text = " ".join(entry.text for section in sections for entry in section.entries)
        rows.append(
            f"{result['name']} ({type_}; {caption(type_, result)}; {result['document']}; score "
            f"{result['_score']:.2f}; slug {result['slug']}): {shorten(text, _EXTRACT)}"
        )
    whole = [dict(result) for result in answer.results[:1] if "cut" not in result]
    return text_of({
        "total": answer.total, "best": whole, "results": rows[len(whole):],
        "held_to" if answer.bound else "also_stated": write_filters(answer.stated),
        "lanes_failed": [*answer.lanes_failed], "attribution": answer.attribution,
    })


def cut_sources(sources: Sources) -> Sources:
    """The sources, with at most :data:`ENTRIES` of the contents."""
    return replace(sources, entries=sources.entries[:ENTRIES])


def cut_sections(tree: SectionTree) -> SectionTree:
    """The tree, with at most :data:`ENTRIES` of its sections."""
    return replace(tree, sections=tree.sections[:ENTRIES])


def books(result: BooksAnswer) -> str:
    """The answer of books and entities by source, a line a result, and why each is one."""
    lines = [f"**Search results for:** {' '.join(result.query.split())}"]
    for source, answers in result.by_source().items():
        lines += ["", f"### From {source}"]
        for answer in answers:
            page = f" (p. {answer.page})" if answer.page else ""
            mark = "✓" if answer.extracted else "[Extract]"
            lines.append(
                f"- **{answer.title}**{page} {mark} · *{answer.type}* · {answer.relevance:.2f}"
            )
            lines += [f"  {text}" for text in (answer.extract, answer.why) if text]
    if not result.results:
        lines += ["", "Nothing was found. Looked for:", *result.tried, ""]
        lines += ["Try other words, fewer words, or the name of what you are looking for."]
    lines += ["", *(f"Note: {note}" for note in result.missing)]
    sources = dict.fromkeys(
        answer.source_id for answer in result.results if answer.source_id and not answer.extracted
    )
    if sources:
        lines.append("To make an entry an entity: extract_content(source_id, content_name, "
                     f"content_type), source_id being {', '.join(sources)}")
    return "\n".join(quoted("\n".join((*lines, result.attribution)))).strip()


def quoted(text: str) -> list[str]:
    """The lines of what a file or a person says, each marked as a quotation."""
    return [f"> {line}".rstrip() for line in text.splitlines()]
