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
    """What was said after turn ``first``, as the campaign stood at ``version``."""

    version: int
    first: int
    said: tuple[Said, ...]


class Conversations:
    """Reads conversations from a store and holds them by the campaign's version.

    A version never says two things, so what is held is right or is not used: a turn that another
    process takes has moved the version on. Safe to use from several threads.
    """

    def __init__(self, store: CampaignStore) -> None:
        self._store = store
        self._held: LRUCache[tuple[str, datetime.datetime], _Held] = LRUCache(KEPT)
        self._lock = threading.Lock()

    def since(self, campaign: Campaign, first: int) -> tuple[Said, ...]:
        """What was said in the campaign's accepted turns after turn ``first``, oldest first."""
        if campaign.turns <= first:
            return ()
        with self._lock:
            held = self._held.get(_key(campaign))
        if held is None or held.version != campaign.version or held.first > first:
            found = self._store.history(campaign.id, campaign.turns - first)
            # A turn that landed since the campaign was read is not of this version.
            said = tuple(one for one in found if first < one.number <= campaign.turns)
            held = _Held(campaign.version, first, said)
            with self._lock:
                self._held[_key(campaign)] = held
        return tuple(one for one in held.said if one.number > first)

    def took(self, campaign: Campaign, said: Said | None) -> None:
        """Take in a turn that was committed on ``campaign``; None for one that nobody accepted."""
        with self._lock:
            held = self._held.get(_key(campaign))
            if held is not None and held.version == campaign.version:
                added = held.said if said is None else (*held.said, said)
                self._held[_key(campaign)] = _Held(campaign.version + 1, held.first, added)


def _key(campaign: Campaign) -> tuple[str, datetime.datetime]:
    return campaign.id, campaign.created
