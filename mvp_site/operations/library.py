"""What can be asked of the library: its books, what stands in them, and entities made of it.

Books and entities are ranked together here. A player is told of no source that is not for players.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from math import exp, log
from typing import Annotated, Any, Final, TypeAlias

from pydantic import Field

from ..content.captions import TITLES
from ..content.types import EntityType
from ..entities.build import rebuild_entities
from ..entities.results import Result
from ..errors import IndexLoadError
from ..library.book import Source
from ..library.extracted import Kept
from ..library.extraction import Extracted
from ..library.library import LIMIT, MAX_LIMIT
from ..library.results import BookResult
from ..library.scan import Scanned
from ..library.search import concepts_of, extract_of, types_of
from ..library.types import ContentType
from ..llm.models import open_model
from ..llm.protocol import Model
from ..retrieval.names import words
from ..retrieval.text import content_words
from ..settings import Settings
from ..turns.handler import OFFLINE
from ..types import Audience
from .entities import attribution
from .operation import Operation
from .requests import WHOLE, Nothing, Request
from .reranking import reranked
from .services import Services
from .turns import CAMPAIGN

MAX_QUERY: Final = 4_000
MAX_LISTED: Final = 2_000
MOST_SURE: Final = 0.995
WANTED: Final = 0.8
MEANT: Final = 0.85
"""What an entity counts that answers what a question's concepts mean, and not its own words."""
_TYPES: Final = [type_.value for type_ in ContentType]
SourceId = Annotated[str, Field(
    min_length=1, max_length=100, description="A source's id, as `library list` shows it.",
)]
TypeOf = Annotated[ContentType, Field(description="What kind of content.")]
AskAudience = Annotated[Audience, Field(description="Who asks, and so which books they may see.")]
Campaign = Annotated[str, Field(
    pattern=CAMPAIGN, description="Only the sources that this campaign is bound to, if it is.",
)]


@dataclass(frozen=True, slots=True)
class AskBooks(Request):
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
class ListSources(Request):
    """Which sources to list, or the entries of one."""

    source_id: SourceId | None = None
    content_type: TypeOf | None = None
    campaign: Campaign | None = None


@dataclass(frozen=True, slots=True)
class ExtractContent(Request):
    """An entry of a source that is to be an entity."""

    source_id: SourceId
    content_name: Annotated[str, Field(
        min_length=1, max_length=300, description="The entry's title.",
    )]
    content_type: TypeOf | None = None
    replace: Annotated[bool, Field(
        strict=True, description="Also where you have edited what was extracted before.",
    )] = False


@dataclass(frozen=True, slots=True)
class BindSources(Request):
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


Answer: TypeAlias = BookAnswer  # the document's component Answer is a model's, by the contract


@dataclass(frozen=True, slots=True)
class BooksAnswer:
    """What books and entities say to a question, the best first.

    ``tried`` is what was looked for, for one who found nothing. ``missing`` says what was not
    asked or not done, and why.
    """

    query: str
    results: tuple[Answer, ...]
    tried: tuple[str, ...]
    missing: tuple[str, ...]
    attribution: str

    def by_source(self) -> dict[str, list[Answer]]:
        """The results by source, the sources in the order of their best."""
        found: dict[str, list[Answer]] = {}
        for one in self.results:
            found.setdefault(one.source, []).append(one)
        return found


@dataclass(frozen=True, slots=True)
class SourceInfo:
    """A source with how many entries it has of each type; ``problem`` says why it has none."""

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
    """What a scan found: sources with problems are listed with their reason."""

    sources: int
    new: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    problems: dict[str, str]
    refused: dict[str, str]
    ignored: dict[str, int]
    read_pages: int
    pages_per_second: float
    encoded: int
    encoded_per_second: float
    built: bool


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


def needs(request: Any) -> Iterator[str]:
    """What only who has the DM token may ask: books that are not for players, a model's work."""
    if request.audience != "player":
        yield f"audience {request.audience!r}"
    if request.rerank:
        yield "a language model's order, which costs"


def _writes(_: Any) -> Iterator[str]:
    yield "changes to the library"


def _ask(services: Services, asked: AskBooks, entitled: bool) -> BooksAnswer:
    sources = asked.sources or None
    bound = services.bound(asked.campaign) if asked.campaign is not None else ()
    missing: list[str] = []
    tried: tuple[str, ...] = ()
    found: list[Answer] = []
    try:
        if bound:
            there = [one.id for one in services.library().sources(asked.audience)]
            sources = tuple(one for one in there if one in bound and one in (sources or bound))
        books = services.library().ask(
            asked.query, asked.limit, sources=sources, audience=asked.audience,
            types=asked.types or None,
        )
    except IndexLoadError as error:
        missing.append(str(error) if entitled else "the books are not ready")
    else:
        tried = books.tried
        missing += [f"the {lane} lane failed" + (f": {why}" if entitled else "")
                    for lane, why in books.lanes_failed.items()]
        found += [_of_book(one) for one in books.results]
    documents = _add_entities(services, asked, bound, found, missing, entitled)
    ordered = tuple(sorted(found, key=lambda one: -one.relevance))
    if asked.rerank and ordered:
        ordered, fault = _reranked(services, asked.query, ordered)
        missing += [fault] if fault else []
    credit = attribution(services.entities(), documents) if documents else ""
    return BooksAnswer(asked.query, ordered[: asked.limit], tried, tuple(missing), credit)


def _reranked(services: Services, query: str, found: tuple[Answer, ...],
              ) -> tuple[tuple[Answer, ...], str]:
    with _model(services.settings) as model:
        if model is None:
            return found, ("not put in order by a model: MVP_SITE_LLM names none; set it to "
                           "openai:MODEL or anthropic:MODEL")
        return reranked(model, query, found, services.settings.mvp_site_answer_tokens)


@contextmanager
def _model(settings: Settings) -> Iterator[Model | None]:
    """The language model of the settings, None where they name none."""
    if settings.mvp_site_llm == OFFLINE:
        yield None
        return
    with closing(open_model(settings)) as model:
        yield model


def _add_entities(services: Services, asked: AskBooks, bound: tuple[str, ...],
                  found: list[Answer], missing: list[str], entitled: bool,
                  ) -> list[str]:
    """Add the entities that answer, and those that answer what its concepts mean; their sources.

    Those of books that may not are left out.
    """
    types = [type_ for type_ in EntityType if not asked.types or _kind(type_) in asked.types]
    if asked.sources or not types:
        return []
    said = words(asked.query)
    meant, named = "; ".join(concepts_of(said).values()), types_of(said)
    try:
        index = services.entities()
        results = [*index.search_all(asked.query, asked.limit, types=types)]
        if kinds := [type_ for type_ in types if _kind(type_) in named]:
            results += index.search_all(asked.query, asked.limit, types=kinds)
        if meant:
            more = index.search_all(f"{asked.query}: {meant}", asked.limit, types=types)
            results += [{**one, "_score": MEANT * one["_score"]} for one in more]
    except IndexLoadError as error:
        missing.append(str(error) if entitled else "the entities are not ready")
        return []
    held = {(one.source, one.title.casefold()) for one in found}
    seen = content_words(f"{asked.query} {meant}")
    sources: dict[str, None] = {}
    closed = _closed(services, asked.audience, bound)
    results = [one for one in results if str(one.get("document", "")) not in closed]
    results.sort(key=lambda one: -one["_score"])
    for one in results:
        # "Draconic Ancestry (Blue)" and its nine sisters say the same.
        key = str(one.get("document", "")), str(one["name"]).partition(" (")[0].casefold()
        if key not in held:
            held.add(key)
            wanted = _kind(EntityType(one["entity_type"])) in named
            relevance = chance(one["_score"], results[0]["_score"], wanted=wanted)
            found.append(_of_entity(one, relevance, seen))
            sources[key[0]] = None
    return list(sources)


def _closed(services: Services, audience: Audience, bound: tuple[str, ...]) -> set[str]:
    """The titles of books that ``audience``, or a campaign that is bound, may not see."""
    try:
        every, seen = services.library().sources(), services.library().sources(audience)
    except IndexLoadError:
        return set()
    open_ = {one.title for one in seen if not bound or one.id in bound}
    return {one.title for one in every} - open_


def _of_book(one: BookResult) -> Answer:
    return Answer(
        one.title, one.source_id, one.source, str(one.type), one.page, one.end_page,
        one.counted_page, one.relevance, one.extract, one.extract_page, one.extracted, one.path,
    )


def _of_entity(one: Result, relevance: float, seen: set[str]) -> Answer:
    type_ = EntityType(one["entity_type"])
    texts = one.get("desc", "")
    extract, _ = extract_of([texts] if isinstance(texts, str) else list(texts), seen)
    return Answer(
        str(one["name"]), "", str(one.get("document", "")), TITLES[type_][0].lower(),
        str(one.get("page", "")), "", None, round(relevance, 4), extract, "", True,
        entity_type=str(type_), slug=str(one["slug"]),
    )


def chance(score: float, best: float, *, wanted: bool = False) -> float:
    """The chance that an entity answers a question to books, by its score and the best one's.

    It is better where the question names what the entity is, and it is ``wanted`` so.

    Scores of entities say how surely one is meant by a query that looks for it; a question to books
    is seldom one. The curve was fitted to such questions, as that of the books' entries was.
    """
    odds = log(min(score, MOST_SURE) / (1 - min(score, MOST_SURE)))
    return 1 / (1 + exp(2.9 + 2.0 * (best - score) - 0.8 * odds - WANTED * wanted))


def _kind(type_: EntityType) -> ContentType:
    """What content an entity is."""
    return KINDS.get(type_, ContentType.RULE)


KINDS: Final = {
    EntityType.SPELLS: ContentType.SPELL, EntityType.MONSTERS: ContentType.MONSTER,
    EntityType.WEAPONS: ContentType.EQUIPMENT, EntityType.ARMOR: ContentType.EQUIPMENT,
    EntityType.EQUIPMENT: ContentType.EQUIPMENT, EntityType.MAGIC_ITEMS: ContentType.MAGIC_ITEM,
    EntityType.CLASSES: ContentType.CLASS, EntityType.SUBCLASSES: ContentType.SUBCLASS,
    EntityType.FEATURES: ContentType.CLASS, EntityType.RACES: ContentType.RACE,
    EntityType.TRAITS: ContentType.RACE, EntityType.BACKGROUNDS: ContentType.BACKGROUND,
    EntityType.FEATS: ContentType.FEAT,
}


def _list(services: Services, asked: ListSources, entitled: bool) -> Sources:
    library = services.library()
    audience: Audience = "god" if entitled else "player"
    bound = services.bound(asked.campaign) if asked.campaign is not None else ()
    if asked.source_id is not None:
        seen = [library.source(asked.source_id, audience)]
    else:
        seen = [one for one in library.sources(audience) if not bound or one.id in bound]
    counts = library.types()
    listed = tuple(
        _info(one, counts.get(one.id, {})) for one in seen
        if asked.content_type is None or asked.content_type in counts.get(one.id, {})
    )
    if asked.source_id is None or seen[0].problem:
        return Sources(listed)
    entries = [
        one for one in library.contents(asked.source_id)
        if asked.content_type in {None, one.entry.type}
    ]
    return Sources(listed, tuple(
        EntryInfo(one.entry.title, one.depth, str(one.entry.type), one.entry.confidence,
                  one.entry.label, one.end_label, one.extracted)
        for one in entries[:MAX_LISTED]
    ), len(entries))


def _info(one: Source, types: dict[str, int]) -> SourceInfo:
    return SourceInfo(one.id, one.title, one.file, one.format, one.pages, one.entries, types,
                      one.audience, one.problem, one.notes)


def _scan(services: Services, _: Nothing, __: bool) -> ScanReport:
    return report_of(services.library().scan(progress=services.progress))


def report_of(done: Scanned) -> ScanReport:
    """What a scan did, told."""
    return ScanReport(
        len(done.sources), done.new, done.changed, done.removed,
        {one.file: one.problem for one in done.sources if one.problem}, dict(done.refused),
        dict(done.ignored), done.read_pages, _rate(done.read_pages, done.read_seconds),
        done.encoded, _rate(done.encoded, done.encode_seconds), done.built,
    )


def _rate(count: int, seconds: float) -> float:
    return round(count / seconds, 1) if count and seconds > 0 else 0.0


def _extract(services: Services, asked: ExtractContent, _: bool) -> ExtractedContent:
    with _model(services.settings) as model:
        found, kept = services.library().extract(
            asked.source_id, asked.content_name, asked.content_type, replace=asked.replace,
            model=model,
        )
    if kept.state != "unchanged":
        rebuild_entities(services.settings, progress=services.progress)
    return _told(services.library().source(asked.source_id), found, kept)


def _told(source: Source, found: Extracted, kept: Kept) -> ExtractedContent:
    notes = found.notes
    if source.audience != "player":
        said = (f"{source.title} is for audience {source.audience!r}, but whoever searches "
                "entities may see this one: delete its file if players may not.")
        notes = (*notes, said)
    return ExtractedContent(
        dict(found.document), str(found.type), source.id, found.title, found.page,
        found.confidence, found.missing, notes, kept.state, str(kept.path),
        tuple(str(one["name"]) for one in found.features),
    )


def _bind(services: Services, asked: BindSources, _: bool) -> Bound:
    for one in asked.sources:
        services.library().source(one)
    services.bind(asked.campaign, asked.sources)
    return Bound(asked.campaign, services.bound(asked.campaign))


def readable(found: BooksAnswer) -> str:
    """An answer as Markdown, for people and for assistants."""
    lines = [f"**Search results for:** {' '.join(found.query.split())}"]
    for source, results in found.by_source().items():
        lines += ["", f"### From {source}", ""]
        for one in results:
            page = f" (p. {one.page})" if one.page else ""
            mark = "✓" if one.extracted else "[Extract]"
            lines.append(f"- **{one.title}**{page} {mark} · *{one.type}* · {one.relevance:.2f}")
            lines += [f"  > {said}" for said in (one.extract, one.why) if said]
    if not found.results:
        lines += ["", "Nothing was found. Looked for:", *(f"- {one}" for one in found.tried)]
        lines += ["", "Try other words, fewer words, or the name of what you are looking for."]
    lines += ["", *(f"Note: {one}" for one in found.missing)]
    sources = list(dict.fromkeys(
        one.source_id for one in found.results if one.source_id and not one.extracted
    ))
    if sources:
        lines.append(
            "To make an entry an entity: extract_content(source_id, content_name, content_type), "
            f"source_id being {', '.join(sources)}"
        )
    if found.attribution:
        lines.append(found.attribution)
    return "\n".join(lines).strip()


OPERATIONS: Final[tuple[Operation[Any], ...]] = (
    Operation(
        name="library.ask", run=_ask, request=AskBooks, response=BooksAnswer, needs=needs,
        about="Ask all books and the SRD QUERY, in your own words.",
    ),
    Operation(
        name="library.list", run=_list, request=ListSources, response=Sources,
        about="List the sources, or with SOURCE its contents.",
    ),
    Operation(
        name="library.scan", run=_scan, request=Nothing, response=ScanReport, needs=_writes,
        about="Look through the library's folders again for what is new, changed or gone.",
        surfaces=frozenset({"api"}),
    ),
    Operation(
        name="library.extract", run=_extract, request=ExtractContent, response=ExtractedContent,
        needs=_writes, about="Make an entity of the entry NAME of SOURCE.",
    ),
    Operation(
        name="library.bind", run=_bind, request=BindSources, response=Bound, needs=_writes,
        about="Bind CAMPAIGN to these sources alone; without any, free it.",
    ),
)
