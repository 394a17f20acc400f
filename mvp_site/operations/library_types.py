"""The requests and responses of the library."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import Field

from ..library.library import LIMIT, MAX_LIMIT
from ..library.types import ContentType
from ..types import Audience
from .requests import WHOLE, OperationRequest
from .turns import CAMPAIGN

MAX_QUERY: Final = 4_000
SourceId = Annotated[str, Field(
    min_length=1, max_length=100, description="A source's id, as `library list` shows it.",
)]
TypeOf = Annotated[ContentType, Field(description="What kind of content.")]
AskAudience = Annotated[Audience, Field(description="Who asks, and so which books they may see.")]
Campaign = Annotated[str, Field(
    pattern=CAMPAIGN, description="Only the sources that this campaign is bound to, if it is.",
)]


@dataclass(frozen=True, slots=True)
class AskBooks(OperationRequest):
    """A question across the library and the entities."""

    query: Annotated[str, Field(
        min_length=1, max_length=MAX_QUERY, description="The question, in your own words.",
    )]
    limit: Annotated[int, Field(
        strict=True, ge=1, le=MAX_LIMIT, description="At most this many results.",
    ), WHOLE] = LIMIT
    sources: Annotated[tuple[SourceId, ...], Field(description="Only these sources.")] = ()
    types: Annotated[tuple[TypeOf, ...], Field(description="Only these kinds of content.")] = ()
    campaign: Campaign | None = None
    audience: AskAudience = "player"
    rerank: Annotated[bool, Field(
        strict=True, description="Let the language model of MVP_SITE_LLM put the results in order "
                                 "and say why.",
    )] = False


@dataclass(frozen=True, slots=True)
class ListSources(OperationRequest):
    """Which sources to list, or the entries of one."""

    source_id: SourceId | None = None
    content_type: TypeOf | None = None
    campaign: Campaign | None = None


@dataclass(frozen=True, slots=True)
class ExtractContent(OperationRequest):
    """An entry of a source that is to be an entity."""

    source_id: SourceId
    content_name: Annotated[str, Field(
        min_length=1, max_length=300, description="The entry's title.",
    )]
    content_type: TypeOf | None = None
    replace: Annotated[bool, Field(
        strict=True, description="Also where you have edited what was extracted before.",
    )] = False
    for_players: Annotated[bool, Field(
        strict=True, description="Players may see it, although the book is not for them.",
    )] = False


@dataclass(frozen=True, slots=True)
class BindSources(OperationRequest):
    """The sources that a campaign may use; none frees it."""

    campaign: Annotated[str, Field(pattern=CAMPAIGN, description="The campaign.")]
    sources: Annotated[tuple[SourceId, ...], Field(description="Its sources.")] = ()


@dataclass(frozen=True, slots=True)
class BookAnswer:
    """An entry of a book, or an entity, that answers.

    ``source_id`` and the pages are '' of entities, which have ``entity_type`` and ``slug``.
    ``page`` is as printed; ``counted_page`` counts from 1. ``extracted`` says that it is an entity,
    ``why`` what a model says of it, where one put the results in order.
    """

    title: str
    source_id: str
    source: str
    type: str
    page: str
    end_page: str
    counted_page: int | None
    relevance: float
    extract: str
    extract_page: str
    extracted: bool
    path: tuple[str, ...] = ()
    entity_type: str = ""
    slug: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class BooksAnswer:
    """What books and entities say to a question, the best first.

    ``tried`` is what was looked for, for one who found nothing. ``missing`` says what was not
    asked or not done, and why.
    """

    query: str
    results: tuple[BookAnswer, ...]
    tried: tuple[str, ...]
    missing: tuple[str, ...]
    attribution: str

    def by_source(self) -> dict[str, list[BookAnswer]]:
        """The results by source, the sources in the order of their best."""
        groups: dict[str, list[BookAnswer]] = {}
        for answer in self.results:
            groups.setdefault(answer.source, []).append(answer)
        return groups


@dataclass(frozen=True, slots=True)
class SourceInfo:
    """A source with how many entries it has of each type.

    ``problem`` tells the game master why it could not be read.
    """

    source_id: str
    title: str
    file: str
    format: str
    pages: int
    entries: int
    types: dict[str, int]
    audience: Audience
    problem: str
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EntryInfo:
    """An entry of a source's contents; ``depth`` counts from 0."""

    title: str
    depth: int
    type: str
    confidence: float
    page: str
    end_page: str
    extracted: bool


@dataclass(frozen=True, slots=True)
class Sources:
    """The sources, and the entries of one where it was asked for, at most 2,000 of ``total``."""

    sources: tuple[SourceInfo, ...]
    entries: tuple[EntryInfo, ...] = ()
    total: int = 0


@dataclass(frozen=True, slots=True)
class ScanReport:
    """What a scan found.

    ``problems`` are files that could not be read and ``copies`` those that are read already, by
    file, each with its reason. ``withheld`` are files of extracted entities that are left out:
    players may not see their books, and nobody said that they are for players.
    """

    sources: int
    new: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    problems: dict[str, str]
    copies: dict[str, str]
    refused: dict[str, str]
    ignored: dict[str, int]
    read_pages: int
    pages_per_second: float
    encoded: int
    encoded_per_second: float
    built: bool
    withheld: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExtractedContent:
    """An entity made of an entry; ``missing`` are fields that its text does not give.

    ``state`` is new, updated, unchanged, or edited: then the file that you edited was left alone.
    ``features`` are the names of what a class or subclass brings, which are entities too.
    """

    entity: dict[str, Any]
    entity_type: str
    source_id: str
    title: str
    page: str
    confidence: float
    missing: tuple[str, ...]
    notes: tuple[str, ...]
    state: str
    file: str
    features: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Bound:
    """The sources that a campaign is bound to, by id; none where it may use all."""

    campaign: str
    sources: tuple[str, ...]
