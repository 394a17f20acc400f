"""What can be asked of the library: its books, what stands in them, and entities made of it.

A player is told of no source that is not for players.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Final

from pydantic import Field

from ..content.own_files import extracted_folder
from ..entities.build import rebuild_entities
from ..library.library import LIMIT, MAX_LIMIT, ListedEntry
from ..library.scan import Scanned
from ..library.types import ContentType, FoundEntry
from ..settings import Settings
from ..types import Audience, RefusedFile
from .entities import MAX_QUERY
from .operation import API, declared
from .requests import CampaignId, Flag, Nothing, OperationRequest, Whole, view
from .services import Services

MAX_LISTED: Final = 2_000
_WRITES: Final = "changes to the library"
SourceId = Annotated[str, Field(
    min_length=1, max_length=100, description="A source's id, as `library list` shows it.",
)]
TypeOf = Annotated[ContentType, Field(description="What kind of content.")]
AskAudience = Annotated[Audience, Field(description="Who asks, and so which books they may see.")]
Campaign = Annotated[CampaignId, Field(
    description="Only the sources that this campaign is bound to, if it is.",
)]


@dataclass(frozen=True, slots=True)
class AskBooks(OperationRequest):
    """A question across the library and the entities."""

    query: Annotated[str, Field(min_length=1, max_length=MAX_QUERY)]
    """The question, in your own words."""
    limit: Annotated[Whole, Field(ge=1, le=MAX_LIMIT)] = LIMIT
    """At most this many results."""
    sources: tuple[SourceId, ...] = ()
    """Only these sources."""
    types: tuple[TypeOf, ...] = ()
    """Only these kinds of content."""
    campaign: Campaign | None = None
    audience: AskAudience = "player"
    rerank: Flag = False
    """Let the language model of MVP_SITE_LLM put the results in order and say why."""


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
    content_name: Annotated[str, Field(min_length=1, max_length=300)]
    """The entry's title."""
    content_type: TypeOf | None = None
    replace: Flag = False
    """Also where you have edited what was extracted before."""
    for_players: Flag = False
    """Players may see it, although the book is not for them."""
    wait: Flag = True
    """Answer when it can be found among the entities; else they are built after the answer."""


@dataclass(frozen=True, slots=True)
class BindSources(OperationRequest):
    """The sources that a campaign may use; none frees it."""

    campaign: CampaignId
    sources: tuple[SourceId, ...] = ()
    """Its sources."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BookAnswer(FoundEntry):
    """An entry of a book, or an entity, that answers.

    ``source_id`` and the pages are '' of entities, which have ``entity_type`` and ``slug``. ``why``
    is what a model says of it, where one put the results in order.
    """

    type: str
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
class Sources:
    """The sources, and the entries of one where it was asked for, at most 2,000 of ``total``."""

    sources: tuple[SourceInfo, ...]
    entries: tuple[ListedEntry, ...] = ()
    total: int = 0


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


@declared("library.list")
def _list(services: Services, request: ListSources, entitled: bool) -> Sources:
    """List the sources, or the contents of one."""
    library = services.library()
    audience: Audience = "god" if entitled else "player"
    bound = services.store().bound(request.campaign) if request.campaign is not None else ()
    if request.source_id is not None:
        shelf = [library.source(request.source_id, audience)]
    else:
        shelf = [source for source in library.sources(audience) if not bound or source.id in bound]
    counts = library.types()
    listed = tuple(
        view(SourceInfo, source, source_id=source.id, types=counts.get(source.id, {}),
             problem=source.problem if entitled else "") for source in shelf
        if request.content_type is None or request.content_type in counts.get(source.id, {})
    )
    if request.source_id is None or shelf[0].problem:
        return Sources(listed)
    entries = tuple(entry for entry in library.contents(request.source_id)
                    if request.content_type in {None, entry.type})
    return Sources(listed, entries[:MAX_LISTED], len(entries))


@declared("library.scan", needs=_WRITES, surfaces=API)
def _scan(services: Services, _: Nothing, __: bool) -> Scanned:
    """Look through the library's folders again for what is new, changed or gone."""
    done = services.library().scan(progress=services.progress)
    follow_books(services.settings)
    return done


def follow_books(settings: Settings) -> None:
    """Build the entities anew: those that were extracted follow the audience of their books."""
    if extracted_folder(settings).is_dir():
        rebuild_entities(settings)


@declared("library.extract", needs=_WRITES)
def _extract(services: Services, request: ExtractContent, _: bool) -> ExtractedContent:
    """Make an entity of an entry of a source."""
    extracted, file = services.library().extract(
        request.source_id, request.content_name, request.content_type, replace=request.replace,
        for_players=request.for_players,
    )
    refused: tuple[RefusedFile, ...] = ()
    if file.state != "unchanged" and not request.wait:
        services.later(partial(rebuild_entities, services.settings))
    elif file.state != "unchanged":
        refused = rebuild_entities(services.settings, progress=services.progress).refused
    return view(
        ExtractedContent, extracted, entity=dict(extracted.document),
        entity_type=str(extracted.type), source_id=request.source_id,
        notes=tuple(f"left out of the entities: {refusal.reason}" for refusal in refused),
        state=file.state, file=str(file.path),
        features=tuple(str(feature["name"]) for feature in extracted.features),
    )


@declared("library.bind", needs=_WRITES)
def _bind(services: Services, request: BindSources, _: bool) -> Bound:
    """Bind a campaign to these sources alone; without any, free it."""
    for source in request.sources:
        services.library().source(source)
    services.store().bind(request.campaign, request.sources)
    return Bound(request.campaign, services.store().bound(request.campaign))
