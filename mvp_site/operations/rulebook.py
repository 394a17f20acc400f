"""What can be asked of the rulebook: an answer within a budget, a ranking, sections, intentions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any, Final

from pydantic import Field

from ..errors import RulebookQueryError
from ..rulebook.categories import Category
from ..rulebook.continuation import CONTINUATION_CHARS
from ..rulebook.intentions import Intention
from ..rulebook.query_parsing import MAX_ENTITIES, MAX_ENTITY_CHARS, READ_CHARS
from ..rulebook.results import (
    RankedSection,
    ResolvedEntity,
    RetrievedSection,
    RulebookText,
    ScorePart,
)
from ..rulebook.rulebook import LIMIT, MAX_LIMIT, MAX_TOKENS, MIN_TOKENS
from ..text.normalising import clean
from .operation import API, CLI, declared
from .requests import Nothing, OperationRequest, Whole, view
from .services import Services

MOST_TOKENS: Final = 32_000
"""The largest budget of a request from elsewhere."""
_NEAR: Final = 3
_DECIMALS: Final = 4

Question = Annotated[str, Field(max_length=READ_CHARS, description="The question in words.")]
# Any text: the rulebook knows the near ones of a wrong one.
IntentionName = Annotated[str, Field(
    description="What is wanted; it guides the search and excludes nothing.",
    json_schema_extra={"enum": [intention.value for intention in Intention]},
)]
_Word = Annotated[str, Field(max_length=MAX_ENTITY_CHARS)]
Entities = Annotated[tuple[_Word, ...], Field(
    max_length=MAX_ENTITIES, fail_fast=True,
    description="What it is about: a spell, a class, a creature.",
)]
Hints = Annotated[tuple[_Word, ...], Field(
    max_length=MAX_ENTITIES, fail_fast=True, description="A word on the circumstances.",
)]
Number = Annotated[Whole, Field(ge=1, le=len(Category))]
Categories = Annotated[tuple[Number, ...], Field(
    min_length=1, max_length=len(Category), fail_fast=True,
    description="Only sections of this category: " + ", ".join(
        f"{category.value} {category.label}" for category in Category
    ) + ".",
)]
Count = Annotated[int, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]
Lines = Annotated[tuple[int, int], Field(description="First and last, from 1.")]


@dataclass(frozen=True, slots=True)
class RulebookQuestion(OperationRequest):
    """What a question to the rulebook says."""

    query: Question = ""
    intention: IntentionName | None = None
    entities: Entities = ()
    context_hints: Hints = ()
    categories: Categories | None = None


@dataclass(frozen=True, slots=True)
class RulebookQueryRequest(RulebookQuestion):
    """A question to be answered within a budget."""

    max_tokens: Annotated[Whole, Field(ge=MIN_TOKENS, le=MOST_TOKENS)] = MAX_TOKENS
    """The budget in o200k tokens."""
    continuation: Annotated[str, Field(min_length=1, max_length=CONTINUATION_CHARS)] | None = None
    """Go on where an answer to the same question ended."""


@dataclass(frozen=True, slots=True)
class RulebookSearch(RulebookQuestion):
    """A question to rank the sections for."""

    limit: Annotated[Whole, Field(ge=1, le=MAX_LIMIT)] = LIMIT
    """At most so many sections."""


@dataclass(frozen=True, slots=True)
class SectionsRequest(OperationRequest):
    """Which part of the tree of sections."""

    under: str | None = None
    """Only what stands under this section."""
    depth: Annotated[Whole, Field(ge=1)] | None = None
    """At most so many levels of the tree."""
    categories: Categories | None = None


@dataclass(frozen=True, slots=True)
class _SectionHeading:
    """A section."""

    id: str
    title: str
    level: Annotated[int, Field(ge=0, le=6)]
    path: tuple[str, ...]
    tokens: Count


@dataclass(frozen=True, slots=True)
class SectionView(_SectionHeading):
    """A section of the tree."""

    parent_id: str | None
    children_ids: tuple[str, ...]
    lines: Lines
    categories: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SectionTree:
    """Sections in the order of the book."""

    sections: tuple[SectionView, ...]


@dataclass(frozen=True, slots=True)
class _Place(_SectionHeading):
    """A section, its relevance, and the parts that this is made of."""

    relevance: Share
    parts: tuple[ScorePart, ...]


@dataclass(frozen=True, slots=True)
class RankedSectionView(_Place):
    """A section of a ranking."""

    categories: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RetrievedSectionView(_Place):
    """A section as an answer prints it."""

    content: str
    includes_children: bool
    children: tuple[str, ...]
    children_left: tuple[str, ...]
    cut: bool
    citation: str
    source: str
    lines: Lines


@dataclass(frozen=True, slots=True, kw_only=True)
class RulebookQueryResult(RulebookText):
    """Tables and whole sections. ``text`` is both, as a prompt takes them."""

    intention: IntentionName | None
    entities: tuple[str, ...]
    resolved: tuple[ResolvedEntity, ...]
    sections: tuple[RetrievedSectionView, ...]
    total_tokens: Count
    left: Count
    lanes_failed: dict[str, str]


@dataclass(frozen=True, slots=True)
class RulebookRanking:
    """The best sections, the best first, and the lanes that they were found without."""

    results: tuple[RankedSectionView, ...]
    source: str
    attribution: str
    rulebook: str
    lanes_failed: tuple[str, ...] = ()


def _query(request: RulebookQuestion) -> dict[str, Any]:
    """What both questions have.

    Raises:
        UnknownIntentionError: there is no such intention; the message names near ones.
    """
    return {
        "intention": None if request.intention is None else Intention.from_name(request.intention),
        "entities": request.entities, "context_hints": request.context_hints,
        "categories": request.categories and tuple(map(Category, request.categories)),
    }


@declared("rulebook.query")
def ask(services: Services, request: RulebookQueryRequest, entitled: bool) -> RulebookQueryResult:
    """Give the sections that answer a question, best first, each whole and with its source.

    Raises:
        RulebookQueryError: it cannot be asked so.
    """
    query = _query(request)
    result = services.rulebook().query(
        user_query=request.query or None, continuation=request.continuation,
        max_tokens=request.max_tokens, **query,
    )
    # Messages of lanes are other libraries', and may name folders.
    failed = result.lanes_failed if entitled else dict.fromkeys(result.lanes_failed, "failed")
    return view(
        RulebookQueryResult, result, entities=tuple(entity.name for entity in result.entities),
        resolved=result.entities, lanes_failed=dict(failed), sections=tuple(view(
            RetrievedSectionView, section, **_place(section), citation=str(section.citation),
            source=section.citation.source, lines=section.citation.lines,
        ) for section in result.sections),
    )


def _place(hit: RankedSection | RetrievedSection) -> dict[str, Any]:
    """What both kinds of answers say of a section."""
    section = hit.section
    return {
        "id": section.id, "title": section.title, "level": section.level, "path": section.path,
        "relevance": round(hit.relevance, _DECIMALS),
        "parts": tuple(replace(part, value=round(part.value, _DECIMALS)) for part in hit.parts),
    }


@declared("rulebook.search", surfaces=API)
def _search(services: Services, request: RulebookSearch, _: bool) -> RulebookRanking:
    """Rank the rulebook's sections for a question."""
    query = _query(request)
    book = services.rulebook()
    sections = book.search(request.query, limit=request.limit, **query)
    return RulebookRanking(tuple(
        RankedSectionView(**_place(hit), tokens=hit.section.tokens, categories=tuple(
            assignment.category.label for assignment in hit.section.categories))
        for hit in sections
    ), book.source, book.attribution, book.fingerprint, tuple(sections.lanes_failed))


@declared("rulebook.sections")
def _sections(services: Services, request: SectionsRequest, _: bool) -> SectionTree:
    """Print the tree of the book's sections, with their ids; all, or of some categories."""
    book = services.rulebook()
    sections, numbers = book.sections, request.categories
    allowed = {section.id for section in
               (sections if numbers is None else book.get_sections_by_category(numbers))}
    if request.under is None:
        tops = sections.roots
    else:
        section = sections.get(request.under)
        if section is None:
            near = [section.id for section in sections.titled(request.under)][:_NEAR]
            raise RulebookQueryError(
                f"the book has no section {clean(request.under)!r}"
                f"{'; of that title: ' + ', '.join(near) if near else ''}; "
                "`mvp-site rulebook sections` lists them all"
            )
        tops = (section,)
    return SectionTree(tuple(
        view(SectionView, section, categories=tuple(
            assignment.category.label for assignment in section.categories))
        for top in tops for section in (top, *sections.descendants(top)) if section.id in allowed
        and (request.depth is None or len(section.path) - len(top.path) < request.depth)
    ))


@declared("rulebook.intentions", surfaces=CLI)
def _intentions(_: Services, __: Nothing, ___: bool) -> tuple[Intention, ...]:
    """List what can be asked for, each with when to choose it and where its answers stand."""
    return tuple(Intention)
