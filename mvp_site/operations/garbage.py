"""What belongs to nothing: rows and collections of an engine, questions of campaigns that went."""

from __future__ import annotations

from dataclasses import dataclass

from ..entities.build import store_of as entities
from ..entities.passages import KEPT
from ..library.build import PART
from ..library.build import store_of as books
from ..retrieval.engine_releases import unused
from .operation import CLI, declared
from .requests import Flag, OperationRequest
from .services import Services


@dataclass(frozen=True, slots=True)
class CollectGarbage(OperationRequest):
    """Whether it is only counted."""

    dry_run: Flag = False
    """Only tell what there is."""


@dataclass(frozen=True, slots=True)
class Garbage:
    """What belongs to nothing.

    ``rows`` are those of notes and sheets in an engine that the database does not have,
    ``collections`` those of an engine that nothing uses, ``questions`` those of campaigns that are
    gone, and results of turns whose idempotency keys have expired. ``removed`` says that they are
    gone.
    """

    rows: int
    collections: tuple[str, ...]
    questions: int
    removed: bool


@declared("gc", needs="the removal of what belongs to nothing", surfaces=CLI)
def _collect(services: Services, request: CollectGarbage, _: bool) -> Garbage:
    """Remove what belongs to nothing from engines and the database."""
    removed, settings = not request.dry_run, services.settings
    questions = rows = 0
    collections: tuple[str, ...] = ()
    if services.has_campaigns():
        questions = services.store().collect(removed=removed)
        rows, collections = services.session_notes().collect(removed=removed)
    for store, part in ((entities(settings), KEPT), (books(settings), PART)):
        collections += unused(settings, store, part, removed=removed)
    return Garbage(rows, collections, questions, removed)
