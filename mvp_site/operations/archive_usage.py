"""What can be asked of an archive in use: what the turns in the database made of its sections."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import Field

from ..store.types import StoredRetrieval
from ..turns.archive_usage import ArchiveUsage, archive_usage
from .operation import Operation
from .prompts import AskedVersion
from .requests import CampaignId, OperationRequest, Whole
from .services import Services

TURNS: Final = 1_000


@dataclass(frozen=True, slots=True)
class UsageRequest(OperationRequest):
    """Which turns, of which version."""

    version: AskedVersion | None = None
    campaign_id: CampaignId | None = None
    turns: Annotated[Whole, Field(ge=1, le=100_000)] = TURNS
    """At most so many turns, the last ones."""


def _usage(services: Services, request: UsageRequest, _: bool) -> ArchiveUsage:
    last: Iterable[StoredRetrieval] = ()
    if services.has_campaigns():
        last = services.store().retrievals(request.turns, request.campaign_id)
    return archive_usage(services.settings, services.assembler(request.version), last)


OPERATIONS: Final[tuple[Operation[Any], ...]] = (
    Operation(
        name="archive.usage", run=_usage, request=UsageRequest, response=ArchiveUsage,
        needs=lambda _: ("the usage of an archive",),  # it has what players said
        about="What turns made of each section: candidate, printed, dropped and why; which were "
              "never used; and what was asked in vain.",
    ),
)
