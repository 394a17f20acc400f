"""The conversations of the campaigns that were played last, so that no turn reads them again."""

from __future__ import annotations

import datetime
import threading
from dataclasses import dataclass
from typing import Final

from cachetools import LRUCache

from ..store.campaigns import CampaignStore
from ..store.types import Campaign, Said

KEPT: Final = 32
"""Campaigns whose conversations are held, some hundred turns of each."""


@dataclass(frozen=True, slots=True)
class _Held:
    """What was said after turn ``first``, of the campaign as it stood at ``stamp``."""

    stamp: tuple[int, datetime.datetime]
    first: int
    said: tuple[Said, ...]


class Conversations:
    """Reads conversations from a store and holds them by the campaign's version and time.

    What another process writes has moved these on, so that what is held is right or is not used.
    Safe to use from several threads.
    """

    def __init__(self, store: CampaignStore) -> None:
        self._store = store
        self._held: LRUCache[str, _Held] = LRUCache(KEPT)
        self._lock = threading.Lock()

    def since(self, campaign: Campaign, first: int) -> tuple[Said, ...]:
        """What was said in the campaign's accepted turns after turn ``first``, oldest first."""
        if campaign.turns <= first:
            return ()
        with self._lock:
            held = self._held.get(campaign.id)
        if held is not None and held.stamp == _stamp(campaign) and held.first <= first:
            found: tuple[Said, ...] = held.said
        else:
            found = self._store.history(campaign.id, campaign.turns - first)
        # A turn that landed since the campaign was read is not of this version.
        said = tuple(one for one in found if first < one.number <= campaign.turns)
        with self._lock:
            self._held[campaign.id] = _Held(_stamp(campaign), first, said)
        return said

    def took(self, before: Campaign, after: Campaign, said: Said | None) -> None:
        """Take in a turn that was committed on ``before``; None for one that nobody accepted."""
        with self._lock:
            held = self._held.get(before.id)
            if held is not None and held.stamp == _stamp(before):
                added = held.said if said is None else (*held.said, said)
                self._held[before.id] = _Held(_stamp(after), held.first, added)


def _stamp(campaign: Campaign) -> tuple[int, datetime.datetime]:
    return campaign.version, campaign.updated
