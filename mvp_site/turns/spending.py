"""What a campaign's turns have cost, and what they may cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import InvalidTurnError, UnknownCampaignError
from ..settings import Settings
from ..store.campaigns import CampaignStore


@dataclass(frozen=True, slots=True)
class Spending:
    """US dollars by list prices: what a campaign has ``spent``, and its ``limit``, or None.

    The limit is the campaign's ``own``, else that of MVP_SITE_CAMPAIGN_USD. Turns whose price is
    not known cost nothing; those that were taken back count.
    """

    campaign_id: str
    spent: float
    limit: float | None
    own: bool


def spending(settings: Settings, store: CampaignStore, campaign_id: str) -> Spending:
    """The account of a campaign, which need not have been begun."""
    try:
        last = next(store.retrievals(1, campaign_id), None)
    except UnknownCampaignError:
        last = None
    return spending_by(settings, store, campaign_id, last.manifest if last else {})


def spending_by(settings: Settings, store: CampaignStore, campaign_id: str,
                manifest: Mapping[str, Any]) -> Spending:
    """The account of a campaign whose last turn has this ``manifest``."""
    written = manifest.get("spent_usd")
    own = store.spending_limit(campaign_id)
    limit = settings.mvp_site_campaign_usd if own is None else own
    spent = float(written) if isinstance(written, int | float) else 0.0
    return Spending(campaign_id, spent, limit, own is not None)


def require_credit(account: Spending) -> None:
    """See that a campaign may cost more.

    Raises:
        InvalidTurnError: it may not.
    """
    if account.limit is not None and account.spent >= account.limit:
        own = ("at Cost on its page, or with "
               f"`mvp-site campaign limit {account.campaign_id} --usd USD`")
        raises = (f"raise it {own} to play on" if account.own else
                  f"raise MVP_SITE_CAMPAIGN_USD to play on, or give it a limit of its own {own}")
        raise InvalidTurnError(
            f"campaign {account.campaign_id!r} has cost ${account.spent:.4f}, and it may cost "
            f"${account.limit:g}: {raises}"
        )
