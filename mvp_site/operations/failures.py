"""Errors as servers answer them: an HTTP status, a kind, and what a caller may know."""

from __future__ import annotations

from typing import Final

from .. import errors
from ..errors import MvpSiteError

KINDS: Final[tuple[tuple[type[MvpSiteError], int, str], ...]] = (
    (errors.NotEntitledError, 403, "not_entitled"),
    (errors.InvalidRequestError, 400, "invalid_request"),
    (errors.UnknownModeError, 404, "unknown_mode"),
    (errors.UnknownSectionError, 404, "unknown_section"),
    (errors.InvalidTurnError, 400, "invalid_turn"),
    (errors.RulebookQueryError, 400, "invalid_query"),
    (errors.FilterError, 400, "invalid_query"),
    (errors.UnknownVersionError, 404, "unknown_version"),
    (errors.UnknownCampaignError, 404, "unknown_campaign"),
    (errors.UnknownTurnError, 404, "unknown_turn"),
    (errors.UnknownRoutingError, 404, "unknown_routing"),
    (errors.EntityTypeError, 404, "unknown_entity_type"),
    (errors.UnknownEntityError, 404, "unknown_entity"),
    (errors.UnknownSourceError, 404, "unknown_source"),
    (errors.LibraryError, 400, "invalid_request"),
    (errors.UnknownCharacterError, 404, "unknown_character"),
    (errors.SessionsError, 400, "invalid_request"),
    (errors.CampaignConflictError, 409, "campaign_conflict"),
    (errors.CampaignExistsError, 409, "campaign_conflict"),
    (errors.PromotionError, 409, "not_promoted"),
    (errors.ModelError, 503, "model_unavailable"),
    (MvpSiteError, 503, "unavailable"),
)
"""The first that an error is of counts."""
_HIDDEN: Final = {
    # The store names campaigns that are spelt alike: other people's.
    "unknown_campaign": "there is no campaign of this id",
    "unavailable": "this part of the server is not ready; its operator sees why at /healthz",
    "model_unavailable": "the language model gave no answer: try again in a moment",
}


def failure(error: MvpSiteError, *, entitled: bool) -> tuple[int, str, str]:
    """The status, the kind and the message that answer ``error``.

    Messages that name folders, settings or other campaigns are for who is ``entitled``.
    """
    status, kind = next((status, kind) for type_, status, kind in KINDS if isinstance(error, type_))
    return status, kind, str(error) if entitled else _HIDDEN.get(kind, str(error))
