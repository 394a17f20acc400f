"""What can be asked of the library: its books, what stands in them, and entities made of it.

A player is told of no source that is not for players.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ..content.own_files import extracted_folder
from ..entities.build import rebuild_entities
from ..library.book import LibrarySource
from ..library.extracted import ExtractedFile
from ..library.extraction import Extracted
from ..library.scan import Scanned
from ..settings import Settings
from ..types import Audience, RefusedFile
from .asking_books import ask, model_of
from .library_types import (
    AskBooks,
    BindSources,
    BooksAnswer,
    Bound,
    EntryInfo,
    ExtractContent,
    ExtractedContent,
    ListSources,
    ScanReport,
    SourceInfo,
    Sources,
)
from .operation import API, Operation
from .requests import Nothing, view
from .services import Services

MAX_LISTED: Final = 2_000


def needs(request: Any) -> Iterator[str]:
    """What only who has the DM token may ask: books that are not for players, a model's work."""
    if request.audience != "player":
        yield f"audience {request.audience!r}"
    if request.rerank:
        yield "a language model's order, which costs"


def _writes(_: Any) -> Iterator[str]:
    yield "changes to the library"


def _list(services: Services, request: ListSources, entitled: bool) -> Sources:
    library = services.library()
    audience: Audience = "god" if entitled else "player"
    bound = services.campaigns().bound(request.campaign) if request.campaign is not None else ()
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
    entries = [
        entry for entry in library.contents(request.source_id)
        if request.content_type in {None, entry.entry.type}
    ]
    return Sources(listed, tuple(
        EntryInfo(entry.entry.title, entry.depth, str(entry.entry.type), entry.entry.confidence,
                  entry.entry.label, entry.end_label, entry.extracted)
        for entry in entries[:MAX_LISTED]
    ), len(entries))


def _scan(services: Services, _: Nothing, __: bool) -> ScanReport:
    return report_of(services.library().scan(progress=services.progress), services.settings)


def report_of(done: Scanned, settings: Settings) -> ScanReport:
    """What a scan did, told; entities that were extracted follow the audience of their books."""
    if extracted_folder(settings).is_dir():
        rebuild_entities(settings)
    readable = {source.digest for source in done.sources if not source.problem}
    left_out = {source.file: source for source in done.sources if source.problem}
    return ScanReport(
        len(done.sources), done.new, done.changed, done.removed,
        {file: source.problem for file, source in left_out.items()
         if source.digest not in readable},
        {file: source.problem for file, source in left_out.items() if source.digest in readable},
        dict(done.refused),
        dict(done.ignored), done.read_pages, _rate(done.read_pages, done.read_seconds),
        done.encoded, _rate(done.encoded, done.encode_seconds), done.built, done.withheld,
    )


def _rate(count: int, seconds: float) -> float:
    return round(count / seconds, 1) if count and seconds > 0 else 0.0


def _extract(services: Services, request: ExtractContent, _: bool) -> ExtractedContent:
    with model_of(services.settings) as model:
        extracted, file = services.library().extract(
            request.source_id, request.content_name, request.content_type, replace=request.replace,
            for_players=request.for_players, model=model,
        )
    refused: tuple[RefusedFile, ...] = ()
    if file.state != "unchanged":
        refused = rebuild_entities(services.settings, progress=services.progress).refused
    return _told(services.library().source(request.source_id), extracted, file, refused)


def _told(source: LibrarySource, entry: Extracted, file: ExtractedFile, refused: tuple[RefusedFile,
                                                                                       ...],
          ) -> ExtractedContent:
    notes = (*entry.notes, *(f"left out of the entities: {refusal.reason}" for refusal in refused))
    return ExtractedContent(
        dict(entry.document), str(entry.type), source.id, entry.title, entry.page,
        entry.confidence, entry.missing, notes, file.state, str(file.path),
        tuple(str(feature["name"]) for feature in entry.features),
    )


def _bind(services: Services, request: BindSources, _: bool) -> Bound:
    for source in request.sources:
        services.library().source(source)
    services.campaigns().bind(request.campaign, request.sources)
    return Bound(request.campaign, services.campaigns().bound(request.campaign))


OPERATIONS: Final[tuple[Operation[Any], ...]] = (
    Operation(
        name="library.ask", run=ask, request=AskBooks, response=BooksAnswer, needs=needs,
        about="Ask all books and the SRD QUERY, in your own words.",
    ),
    Operation(
        name="library.list", run=_list, request=ListSources, response=Sources,
        about="List the sources, or with SOURCE its contents.",
    ),
    Operation(
        name="library.scan", run=_scan, request=Nothing, response=ScanReport, needs=_writes,
        about="Look through the library's folders again for what is new, changed or gone.",
        surfaces=API,
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
