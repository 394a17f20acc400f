"""Conversations are read once, and never wrong: a version that has moved on is read again."""

from __future__ import annotations

import datetime
from dataclasses import replace

import pytest

from mvp_site.store.campaigns import CampaignStore
from mvp_site.store.types import Campaign, Said
from mvp_site.turns.conversations import KEPT, Conversations
from mvp_site.turns.offline import OfflineNarrator
from mvp_site.turns.types import TurnRequest

from .conftest import MakeHandler

NOW = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)


class Store:
    """A store that counts how often it is read."""

    def __init__(self, turns: int) -> None:
        self.all = [said(number) for number in range(1, turns + 1)]
        self.reads = 0

    def history(self, campaign_id: str, last: int | None = None) -> tuple[Said, ...]:
        self.reads += 1
        return tuple(self.all[-(last or 0) :])


def said(number: int) -> Said:
    return Said(number, "story", "player", f"turn {number}", f"answer {number}")


def campaign(turns: int, campaign_id: str = "one") -> Campaign:
    return Campaign(campaign_id, turns + 1, {}, turns, NOW, NOW + datetime.timedelta(minutes=turns))


def numbers(found: tuple[Said, ...]) -> list[int]:
    return [one.number for one in found]


def test_a_version_is_read_once_and_a_turn_of_ours_is_taken_in() -> None:
    store = Store(5)
    held = Conversations(store)  # type: ignore[arg-type]
    assert numbers(held.since(campaign(5), 2)) == [3, 4, 5]
    assert numbers(held.since(campaign(5), 3)) == [4, 5]
    held.took(campaign(5), campaign(6), said(6))
    assert numbers(held.since(campaign(6), 3)) == [4, 5, 6]
    assert store.reads == 1


def test_an_unaccepted_turn_moves_the_version_and_adds_nothing() -> None:
    store = Store(2)
    held = Conversations(store)  # type: ignore[arg-type]
    held.since(campaign(2), 0)
    held.took(campaign(2), campaign(3), None)
    assert numbers(held.since(campaign(3), 0)) == [1, 2]
    assert store.reads == 1


def test_a_version_that_another_writer_moved_is_read_again() -> None:
    store = Store(2)
    held = Conversations(store)  # type: ignore[arg-type]
    held.since(campaign(2), 0)
    store.all.append(said(3))
    assert numbers(held.since(campaign(3), 0)) == [1, 2, 3]
    held.took(campaign(2), campaign(3), said(3))  # told late, of a version that is gone
    assert numbers(held.since(campaign(3), 0)) == [1, 2, 3]
    assert store.reads == 2


def test_more_than_is_held_is_read() -> None:
    store = Store(5)
    held = Conversations(store)  # type: ignore[arg-type]
    held.since(campaign(5), 3)
    assert numbers(held.since(campaign(5), 0)) == [1, 2, 3, 4, 5]
    assert store.reads == 2


def test_a_turn_that_landed_after_the_campaign_was_read_is_left_out() -> None:
    store = Store(4)
    # The commit will find that the version has moved on; until then the prompt is of one version.
    assert 4 not in numbers(Conversations(store).since(campaign(3), 1))  # type: ignore[arg-type]


def test_another_campaign_of_the_same_name_and_version_is_read() -> None:
    store = Store(2)
    held = Conversations(store)  # type: ignore[arg-type]
    held.since(campaign(2), 0)
    again = replace(campaign(2), updated=NOW + datetime.timedelta(days=1))
    held.since(again, 0)
    assert store.reads == 2


def test_what_the_window_has_left_behind_is_let_go() -> None:
    store = Store(5)
    held = Conversations(store)  # type: ignore[arg-type]
    held.since(campaign(5), 0)
    held.since(campaign(5), 4)
    assert [len(one.said) for one in held._held.values()] == [1]


def test_a_campaign_without_turns_is_not_read() -> None:
    store = Store(0)
    assert Conversations(store).since(campaign(0), 0) == ()  # type: ignore[arg-type]
    assert store.reads == 0


def test_few_campaigns_are_held() -> None:
    store = Store(1)
    held = Conversations(store)  # type: ignore[arg-type]
    for number in range(3 * KEPT):
        held.since(campaign(1, campaign_id=f"c{number}"), 0)
    assert len(held._held) == KEPT


def test_a_campaign_that_goes_on_is_not_read_again(
    make_handler: MakeHandler, store: CampaignStore, monkeypatch: pytest.MonkeyPatch,
) -> None:
    handler = make_handler(OfflineNarrator())
    reads: list[str] = []
    history = store.history

    def counted(campaign_id: str, last: int | None = None) -> tuple[Said, ...]:
        reads.append(campaign_id)
        return history(campaign_id, last)

    for _ in range(2):
        handler.handle(TurnRequest("tale", "I look around", state=None))
    monkeypatch.setattr(store, "history", counted)
    for _ in range(3):
        handler.handle(TurnRequest("tale", "I look around"))
    assert reads == []
    assert len(history("tale")) == 5
