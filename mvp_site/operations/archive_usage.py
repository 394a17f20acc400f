"""What can be asked of an archive in use: what the turns in the database made of its sections."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Final

from pydantic import Field

from ..store.types import StoredRetrieval
from ..turns.archive_usage import ArchiveUsage, archive_usage
from .operation import declared
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


@declared("archive.usage", needs="the usage of an archive")
def _usage(services: Services, request: UsageRequest, _: bool) -> ArchiveUsage:
    """Tell how often turns retrieved each section, and which turns found nothing."""
    last: Iterable[StoredRetrieval] = ()
    if services.has_campaigns():
        last = services.store().retrievals(request.turns, request.campaign_id)
    return archive_usage(services.settings, services.assembler(request.version), last)
