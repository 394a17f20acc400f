"""Values of the store: a campaign, what was said in it, and the whole record of a turn."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

NEW: Final = 0
"""The version of a campaign that is not in the store yet."""


@dataclass(frozen=True, slots=True)
class CampaignSummary:
    """A campaign without its state, for a list.

    ``version`` is 1 when it is made and one more with every turn; a writer hands back the version
    that it read. ``turns`` counts all turns, fallbacks and those taken back too. Times are in UTC.
    ``title`` is what people call it, '' where nobody has said.
    """

    id: str
    version: int
    turns: int
    created: datetime.datetime
    updated: datetime.datetime
    title: str = field(default="", kw_only=True)


@dataclass(frozen=True, slots=True)
class Campaign(CampaignSummary):
    """A campaign as it stands; its version is :data:`NEW` if the store does not have it yet."""

    state: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class StoredMemory:
    """What is remembered of an accepted turn: the player's words, and the ``memory`` of it."""

    number: int
    mode: str
    audience: str
    user_input: str
    memory: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class StoredExchange:
    """What an accepted turn adds to the conversation: the player's words and the raw answer."""

    number: int
    mode: str
    audience: str
    user_input: str
    answer: str


@dataclass(frozen=True, slots=True)
class StoredRetrieval:
    """What was asked in a turn, and the manifest, which says what was retrieved."""

    id: str
    user_input: str
    manifest: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class StoredState:
    """The state before a turn, and its manifest, which may have one of its own."""

    id: str
    manifest: Mapping[str, Any]
    state_before: Mapping[str, Any]

    @property
    def taken_on(self) -> Mapping[str, Any]:
        """The state that the turn was taken on: its own, where it brought one."""
        own = self.manifest.get("state")
        return own if isinstance(own, Mapping) else self.state_before


@dataclass(frozen=True, slots=True)
class KeptResult:
    """What came of a turn that was sent with an idempotency ``key``; ``digest`` is of the sent."""

    key: str
    digest: str
    result: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """One turn whole.

    ``number`` counts from 1 within the campaign. ``answer`` is the raw text that was accepted;
    ``fallback`` says why the turn has a safe stand-in instead, and is None for an accepted turn.
    ``state_before`` is the campaign's state before the turn, ``manifest`` what a replay needs.
    ``sparse`` says that retrieval found little. ``created`` has a time zone. ``withdrawn`` is the
    number of the campaign's last turn when this one was taken back; None where it counts.
    ``memory`` is what later turns are told of it.
    """

    id: str
    campaign_id: str
    number: int
    mode: str
    audience: str
    user_input: str
    answer: str
    state_before: Mapping[str, Any]
    manifest: Mapping[str, Any]
    fallback: str | None
    sparse: bool
    created: datetime.datetime
    withdrawn: int | None = None
    memory: Mapping[str, Any] = field(default_factory=dict)

    @property
    def taken_on(self) -> Mapping[str, Any]:
        """The state that the turn was taken on: its own, where it brought one."""
        return StoredState(self.id, self.manifest, self.state_before).taken_on
