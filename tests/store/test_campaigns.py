"""The store: the same on both engines."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from mvp_site import Settings
from mvp_site.errors import (
    CampaignConflictError,
    CampaignExistsError,
    InvalidTurnError,
    StoreError,
    UnknownCampaignError,
    UnknownTurnError,
)
from mvp_site.store.campaigns import CampaignStore
from mvp_site.store.types import NEW, Campaign, CampaignSummary, StoredExchange, TurnRecord

from .records import EVENING, STATE, a_turn

NAMES_REFUSED = ["", " ", "a b", "a/b", "ä", "a\n", "a\0", "\ud83d", "x" * 101, "'; DROP TABLE campaigns; --", 'a" OR ""="', "%", "a;b", None, 3, b"a", ["a"]]


def ticking() -> Callable[[], datetime.datetime]:
    """A clock that moves a minute each time it is read."""
    minutes = count(1)
    return lambda: EVENING + datetime.timedelta(minutes=next(minutes))


def play(store: CampaignStore, turns: int, campaign_id: str = "saltmere", **fields: Any) -> None:
    """Create a campaign and take turns in it."""
    store.create(campaign_id, STATE)
    for number in range(1, turns + 1):
        store.commit(a_turn(number, campaign_id, **fields), {"n": number}, number)


def counted(store: CampaignStore) -> tuple[list[CampaignSummary], list[TurnRecord]]:
    """All that the store holds."""
    return list(store.campaigns()), list(store.turns())


# --- campaigns ----------------------------------------------------------------------------------


def test_a_new_campaign_and_a_turn_that_is_committed_whole(url: str) -> None:
    with CampaignStore.from_url(url, clock=ticking()) as store:
        made = store.create("saltmere", STATE)
        assert made == store.load("saltmere") == Campaign("saltmere", 1, 0, made.created, made.created, STATE)
        assert store.history("saltmere") == store.turns(campaign_id="saltmere") == ()
        with pytest.raises(CampaignExistsError, match="there is a campaign 'saltmere' already"):
            store.create("saltmere", {})
        turn = a_turn(1, fallback=None, sparse=True)
        after = store.commit(turn, {"n": 1}, 1)
        assert after == Campaign("saltmere", 2, 1, made.created, after.updated, {"n": 1})
        assert (after.updated > made.updated, store.turn(turn.id), store.turns()) == (True, turn, (turn,))
        assert store.history("saltmere") == (StoredExchange(1, "story", "player", turn.user_input, turn.answer),)
        assert store.commit(a_turn(1, "keep"), {"n": 1}, NEW) == (begun := store.load("keep")) == Campaign("keep", 2, 1, begun.created, begun.created, {"n": 1})
    with CampaignStore.from_url(url) as again:
        assert again.load("saltmere") == after


@pytest.mark.parametrize("name", NAMES_REFUSED, ids=repr)
def test_ids_that_are_refused(store: CampaignStore, name: Any) -> None:
    store.create("saltmere", STATE)
    calls: list[Callable[[Any], object]] = [store.load, store.history, store.export, store.delete, lambda name: store.create(name, {}),
                                            lambda name: store.commit(a_turn(1, campaign_id=name, id="t"), {}, 1)]
    if name is not None:
        calls.append(lambda name: store.turns(campaign_id=name))
    for call in calls:
        with pytest.raises(InvalidTurnError, match=r"the campaign id .* cannot be used"):
            call(name)
    with pytest.raises(InvalidTurnError, match=r"the turn id .* cannot be used"):
        store.commit(a_turn(1, id=name), {}, 1)
    with pytest.raises(UnknownTurnError, match="there is no turn"):
        store.turn(name)
    assert [campaign.id for campaign in store.campaigns()] == ["saltmere"]
    assert store.load("saltmere").version == 1


@pytest.mark.parametrize(("asked", "there", "message"), [
    ("saltmere", [], r"there is no campaign 'saltmere'\. Its first turn would begin it"),
    ("saltmare", ["saltmere", "keep"], "there is no campaign 'saltmare'; is it 'saltmere'?"), ("zzz", ["a1", "a2"], "there is no campaign 'zzz'; the newest are 'a2', 'a1'"),
])
def test_an_unknown_campaign(url: str, asked: str, there: list[str], message: str) -> None:
    with CampaignStore.from_url(url, clock=ticking()) as store:
        for name in there:
            store.create(name, {})
        for call in (store.load, store.history, store.export, store.delete, lambda name: store.turns(campaign_id=name),
                     lambda name: store.commit(a_turn(1, name), {}, 1)):
            with pytest.raises(UnknownCampaignError, match=message.replace("?", r"\?")):
                call(asked)


def test_a_list_is_newest_first_and_has_pages(url: str) -> None:
    with CampaignStore.from_url(url, clock=ticking()) as store:
        for name in ("a", "b", "c", "d"):
            store.create(name, STATE)
        store.commit(a_turn(1, "b"), {}, 1)
        assert [c.id for c in store.campaigns()] == ["b", "d", "c", "a"]
        assert [c.id for c in store.campaigns(limit=2, offset=1)] == ["d", "c"]
        assert store.campaigns(limit=0) == ()
        assert store.campaigns(offset=9) == ()
        first = store.campaigns(limit=1)[0]
        loaded = store.load("b")
        assert first == CampaignSummary("b", 2, 1, loaded.created, loaded.updated)
        assert loaded.created < loaded.updated


# --- turns --------------------------------------------------------------------------------------


def test_history_is_of_accepted_turns_oldest_first(store: CampaignStore) -> None:
    store.create("saltmere", STATE)
    for number in range(1, 7):
        fallback = "contract" if number in {2, 6} else None
        store.commit(a_turn(number, fallback=fallback), {}, number)
    play(store, 2, "other")
    assert [said.number for said in store.history("saltmere")] == [1, 3, 4, 5]
    assert [said.number for said in store.history("saltmere", last=2)] == [4, 5]
    assert [said.number for said in store.history("saltmere", last=99)] == [1, 3, 4, 5]
    assert store.history("saltmere", last=0) == ()
    assert store.load("saltmere").turns == 6
    assert store.turn("saltmere-2").fallback == "contract"


def test_a_conflict_writes_nothing(store: CampaignStore) -> None:
    play(store, 2)
    before = counted(store), store.load("saltmere")
    for version in (NEW, 1, 2, 4, 2**63 - 1):
        with pytest.raises(CampaignConflictError, match=f"({'was begun by another' if version == NEW else f'at version 3, and this turn was taken on version {version}'}).*take the turn again"):
            store.commit(a_turn(3), {"n": "lost"}, version)
    assert (counted(store), store.load("saltmere")) == before


@pytest.mark.parametrize(("campaign_id", "fields", "message"), [
    ("keep", {"number": 2, "id": "saltmere-1"}, "a turn 'saltmere-1' is in the store already"),
    *(("saltmere", {"number": number, "id": "new"}, r"has 2 turns: its next is number 3. Nothing was written") for number in (1, 2, 4)), ("new", {"number": 1, "id": "saltmere-1"}, "a turn 'saltmere-1' is in the store already"), ("new", {"number": 2}, "has 0 turns: its next is number 1. Nothing was written"),
])
def test_an_id_or_a_number_that_does_not_fit(store: CampaignStore, campaign_id: str, fields: dict[str, Any], message: str) -> None:
    play(store, 2)
    play(store, 1, "keep")
    before = counted(store), store.load("keep")
    with pytest.raises(StoreError, match=message):
        store.commit(a_turn(campaign_id=campaign_id, **fields), {}, NEW if campaign_id == "new" else store.load(campaign_id).version)
    assert (counted(store), store.load("keep")) == before


@pytest.mark.parametrize(("field", "value", "message"), [
    ("mode", "epic", "unknown mode 'epic': use one of story, dm, god"), ("audience", "crowd", "unknown audience 'crowd': use one of player, dm, god"),
    ("mode", None, "unknown mode None"), ("number", 0, "number=0 cannot be used: give a whole number ≥ 1"), ("number", 2**63, "cannot be used"),
    ("fallback", "", "the fallback's reason '' cannot be used"), ("sparse", 1, "sparse=1 cannot be used: give True or False"),
    ("created", datetime.datetime(2026, 1, 1), "give a datetime with a time zone"),  # noqa: DTZ001
    ("created", "2026-01-01", "give a datetime with a time zone"), ("user_input", b"x", "user_input must be a string, not bytes"),
    ("answer", None, "answer must be a string, not NoneType"), ("state_before", [], "state_before must be a JSON object, not list"),
    ("manifest", {"seed": {1}}, "manifest.seed cannot be stored: set is no JSON value"), ("manifest", None, "manifest must be a JSON object"),
])
def test_what_a_turn_cannot_hold(store: CampaignStore, field: str, value: Any, message: str) -> None:
    store.create("saltmere", STATE)
    with pytest.raises(InvalidTurnError, match=re.escape(message)):
        store.commit(replace(a_turn(1), **{field: value}), {}, 1)
    assert store.load("saltmere").version == 1
    assert store.turns() == ()


def test_turns_are_newest_first(store: CampaignStore, monkeypatch: pytest.MonkeyPatch) -> None:
    play(store, 3)
    store.create("keep", {})
    store.commit(a_turn(1, "keep", created=EVENING, sparse=True), {}, 1)
    store.commit(a_turn(2, "keep", created=a_turn(2).created, sparse=True), {}, 2)
    newest = ["keep-2", "keep-1", "saltmere-3", "saltmere-2", "saltmere-1"]
    assert [turn.id for turn in store.turns()] == newest
    assert [turn.id for turn in store.turns(campaign_id="keep")] == ["keep-2", "keep-1"]
    assert [turn.id for turn in store.turns(sparse=True)] == ["keep-2", "keep-1"]
    assert [turn.id for turn in store.turns(sparse=False)] == ["saltmere-3", "saltmere-2", "saltmere-1"]
    assert store.turns(campaign_id="saltmere", sparse=True) == ()
    pages = [store.turns(limit=2)]
    while pages[-1]:
        pages.append(store.turns(limit=2, before=pages[-1][-1].id))
    assert [[turn.id for turn in page] for page in pages] == [newest[:2], newest[2:4], newest[4:], []]
    assert [turn.id for turn in store.turns(sparse=True, before="keep-2")] == ["keep-1"]
    with pytest.raises(UnknownTurnError, match="there is no turn 'gone'"):
        store.turns(before="gone")
    for page in (1, 2, 200):
        monkeypatch.setattr("mvp_site.store.campaigns.PAGE", page)
        assert [retrieval.id for retrieval in store.retrievals(99)] == newest
        assert [retrieval.id for retrieval in store.retrievals(3)] == newest[:3]
        assert [retrieval.id for retrieval in store.retrievals(99, "keep")] == newest[:2]
    with pytest.raises(UnknownCampaignError, match="there is no campaign 'gone'"):
        [*store.retrievals(9, "gone")]


# --- what texts and states may hold -------------------------------------------------------------

TEXTS = {
    "controls and escapes": "".join(map(chr, range(32))) + "\x7f\x85\u2028\ud83d! \\u0000 \\ud83d %s %(a)s :a ? $1 {0} '; DROP TABLE campaigns; -- \" OR 1=1 ﷺ",
    "megabyte": "Ä" * 500_000 + "\0" + "🐉" * 120_000,
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_texts_come_back_as_they_were(store: CampaignStore, text: str) -> None:
    state = {"text": text, text[:200]: [text]}
    store.create("saltmere", state)
    turn = a_turn(1, user_input=text, answer=text, state_before=state, manifest={"said": text})
    store.commit(turn, state, 1)
    assert store.load("saltmere").state == state
    assert store.turn(turn.id) == turn
    assert store.history("saltmere")[0].user_input == text
    assert store.history("saltmere")[0].answer == text


# --- deletion, closing --------------------------------------------------------------------------


def test_deletion_takes_everything_of_the_campaign_alone(store: CampaignStore) -> None:
    play(store, 3)
    play(store, 2, "keep")
    assert store.delete("saltmere") == 3
    assert [campaign.id for campaign in store.campaigns()] == ["keep"]
    assert {turn.campaign_id for turn in store.turns()} == {"keep"}
    with pytest.raises(UnknownCampaignError):
        store.delete("saltmere")
    with pytest.raises(UnknownTurnError):
        store.turn("saltmere-1")
    assert store.delete("keep") == 2
    play(store, 1)
    assert store.load("saltmere").version == 2


def test_nothing_deleted_is_left_in_the_file(tmp_path: Path, sqlite_url: str) -> None:
    secret = "the true ledger of Saltmere"
    with CampaignStore.from_url(sqlite_url) as store:
        store.create("saltmere", {"secret": secret})
        store.commit(a_turn(1, user_input=secret * 900, manifest={"m": secret}, state_before={"s": secret}), {"secret": secret * 500}, 1)
        store.commit(a_turn(2), {"secret": "gone"}, 2)
        assert any(secret.encode() in file.read_bytes() for file in tmp_path.iterdir())
        store.delete("saltmere")
        assert not any(secret.encode() in file.read_bytes() for file in tmp_path.iterdir())


def test_a_closed_store_says_so(store: CampaignStore) -> None:
    store.create("saltmere", {})
    store.close()
    store.close()
    for call in (lambda: store.load("saltmere"), lambda: store.create("b", {}), store.campaigns):
        with pytest.raises(StoreError, match="was closed: open the store again"):
            call()


@pytest.mark.serving
def test_without_a_url_it_is_a_file_in_the_data_folder_for_its_owner_alone(tmp_path: Path) -> None:
    """A plain install brings the migrations that this runs."""
    folder = tmp_path / "a b?%20#"
    with CampaignStore.open(Settings(mvp_site_data_dir=folder)) as store:
        play(store, 2)
        modes = {path.name: f"{path.stat().st_mode & 0o777:o}" for path in (folder, *folder.iterdir())}
    assert modes == {folder.name: "700", **{f"campaigns.sqlite3{end}": "600" for end in ("", "-wal", "-shm")}}
    with CampaignStore.open(Settings(mvp_site_data_dir=folder)) as store:
        assert len(store.history("saltmere")) == 2


def test_a_campaign_is_bound_to_sources_before_and_after_its_first_turn(store: CampaignStore) -> None:
    assert store.bound("keep") == ()
    store.bind("keep", ["tome", "bestiary", "tome"])
    assert store.bound("keep") == ("bestiary", "tome")
    store.bind("keep", ["tome"])
    store.create("keep", {})
    assert store.bound("keep") == ("tome",)
    store.delete("keep")
    assert store.bound("keep") == ()
    for wrong in ("", "a b", "x" * 101):
        with pytest.raises(InvalidTurnError, match="the source id"):
            store.bind("keep", [wrong])


def test_turns_are_found_by_what_was_said_and_by_their_fallback(store: CampaignStore) -> None:
    store.create("c", {})
    for number, (text, fallback) in enumerate((("I say “No 100%”.", None), ("i SAY\nno_", "contract"), ('A "quote" \\ é', None)), 1):
        store.commit(a_turn(number, "c", user_input=text, fallback=fallback), {}, number)
    for given, numbers in (({"text": "say"}, [2, 1]), ({"text": "100%"}, [1]), ({"text": "%"}, [1]), ({"text": "_"}, [2]), ({"text": '"quote" \\'}, [3]), ({"text": "\n"}, [2]), ({"fallback": True}, [2]), ({"fallback": False, "text": "é"}, [3]), ({"text": "é", "fallback": True}, [])):
        assert [record.number for record in store.turns(campaign_id="c", **given)] == numbers
