"""A campaign's state as players and the DM are told of it: what is hidden stays so, and no state stops a question."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.errors import InvalidTurnError, SessionsError
from mvp_site.sessions.characters import reading
from mvp_site.sessions.session_notes import SessionNotes, one_moment
from mvp_site.sessions.state_documents import state_documents
from mvp_site.sessions.types import KINDS
from mvp_site.settings import Settings
from mvp_site.store.campaigns import CampaignStore
from mvp_site.text.strict_json import JsonError, write
from mvp_site.types import Audience
from tests.hashing import HashingEncoder

HERE = {"world_data": {"current_location_id": "loc_inn_001"}}


def one(branch: str, record: dict[str, Any], **state: Any) -> dict[str, Any]:
    return {**HERE, **state, branch: {"x_001": record}}


ANN = {"name": "Ann Orlo", "met": True, "role": "cook"}
PC = {"name": "Sable Oort", "armor_class": 13}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CampaignStore]:
    with CampaignStore.open(Settings(mvp_site_data_dir=tmp_path_factory.mktemp("states"))) as opened:
        yield opened


@pytest.fixture(scope="module")
def notes(store: CampaignStore) -> Iterator[SessionNotes]:
    with closing(SessionNotes(Settings(), store, HashingEncoder())) as opened:
        yield opened


Tell = Callable[[dict[str, Any], Audience], str]


@pytest.fixture(scope="module")
def tell(notes: SessionNotes, store: CampaignStore) -> Tell:
    """All that an audience is told of a state, in whatever question."""
    def told(state: dict[str, Any], audience: Audience) -> str:
        if store.version("told"):
            store.delete("told")
        store.create("told", state)
        hits = [hit for kind in KINDS for hit in notes.search("told", "what is there?", kind, audience=audience, limit=5_000)]
        assert not any(notes.search("told", "what is there?", kind).damaged for kind in KINDS)
        return "\n".join([*(f"{hit.citation} {hit.piece.text}" for hit in hits), *(row.name for row in notes.known("told", audience))])

    return told


@pytest.mark.parametrize(("state", "shown"), [
    # Who was not met: elsewhere, nowhere, and where the party's place is not known.
    (one("npc_data", {"name": "Ann Orlo", "role": "Ravens"}), False),
    (one("npc_data", {"name": "Ann Orlo", "role": "Ravens"}, world_data={}), False),
    (one("npc_data", {"name": "Ann Orlo", "role": "Ravens", "location_id": None}, world_data={"current_location_id": None}), False),
    (one("npc_data", {"name": "Ann Orlo", "role": "Ravens", "location_id": "loc_keep_001"}), False),
    (one("npc_data", {"name": "Ann Orlo", "role": "Ravens", "location_id": "loc_inn_001", "met": False}), False),
    (one("location_data", {"name": "Keep", "description": "Ravens"}, world_data={}), False),
    (one("faction_data", {"name": "the Salt Toll", "description": "Ravens"}, world_data={"location": ""}), False),
    (one("npc_data", {"name": "Ann Orlo", "role": "Ravens", "location_id": "loc_inn_001"}), True),
    (one("npc_data", {"name": "Ann Orlo", "role": "Ravens", "location": "The Inn"}, location_data={"loc_inn_001": {"name": "the inn"}}), True),
    (one("npc_data", {"name": "Ann Orlo", "role": "Ravens", "location_id": "loc_inn_001"}, world_data={}, player_character_data={**PC, "location": "loc_inn_001"}), True),
    # Quests that were never offered.
    (one("quest_data", {"title": "Ravens"}), False), (one("quest_data", {"title": "Ravens", "status": "planned"}), False),
    (one("quest_data", {"title": "Ravens", "status": "active", "hidden": True}), False),
    (one("quest_data", {"title": "Ravens", "status": {"state": "active"}}), False),
    (one("quest_data", {"title": "Ravens", "status": "In_Progress"}), True), (one("quest_data", {"title": "Ravens", "known": True}), True),
    (one("quest_data", {"title": "Find it", "status": "active", "objectives": {"a": {"text": "Ravens", "hidden": True}}}), False),
    (one("quest_data", {"title": "Find it", "status": "active", "objectives": [{"text": "Ravens", "revealed": False}, {"text": "Ask"}]}), False),
    (one("quest_data", {"title": "Find it", "status": "active", "objectives": {"a": "Ravens"}}), True),
    # What stands hidden below a field that is told.
    *((one("npc_data", {**ANN, "description": value}), False) for value in (
        {"public": "tall", "secret": "Ravens"}, {"public": "tall", "truth": "Ravens"}, {"look": "tall", "dmOnly": "Ravens"},
        {"look": "tall", "secret_identity": "Ravens"}, {"look": "tall", "for_the_gm": ["Ravens"]}, {"a": {"b": {"gm notes": "Ravens"}}},
        [{"text": "tall"}, {"text": "Ravens", "hidden": True}], {"text": "Ravens", "visibility": "dm"}, "Tall. DM only: Ravens",
        "Tall (GM: Ravens)", "Tall.\n<!-- GM: Ravens -->", "Tall.\n%% Ravens %%", {"hidden_from_players": "Ravens"}, {"text": "Ravens", "visible_to": []})),
    (one("npc_data", {**ANN, "role": {"dm_only": "Ravens"}}), False), (one("npc_data", {**ANN, "secret": "Ravens"}), False),
    (one("npc_data", {**ANN, "role": "Ravens", "dm_only": True}), False),
    (one("npc_data", {**ANN, "description": {"look": "tall", "voice": "Ravens"}}), True),
    (one("npc_data", {**ANN, "audience": "dm", "role": "Ravens"}), False), (one("npc_data", {**ANN, "name": "Ann (GM: of the Ravens)"}), False),
    # The place where the party is.
    (one("npc_data", ANN, player_character_data={**PC, "location": "the cellar (GM: of the Ravens)"}, world_data={}), False),
    (one("npc_data", ANN, world_data={"world_time": {"year": 1, "day": 2, "month": 1}, "calendar": {"month_names": [{"dm_only": "Ravens"}]}}), False),
    (one("npc_data", ANN, location_data={"loc_inn_001": {"name": "Ravens", "hidden": True}}), False),
    (one("npc_data", ANN, location_data={"loc_inn_001": {"name": "Inn", "description": {"look": "low", "secret": "Ravens"}}}), False),
    (one("npc_data", ANN, location_data={"loc_inn_001": {"name": "Inn", "description": {"look": "Ravens"}}}), True),
    (one("npc_data", ANN, world_data={"world_time": {"year": 1, "day": 2, "month": {"secret": "Ravens"}}}), False),
    # The character: its own words stay, what is named as the DM's does not.
    *(({"player_character_data": {**PC, **record}}, False) for record in (
        {"secret": "Ravens"}, {"background": "Sailor (GM: Ravens)"}, {"allies": {"secret": "Ravens", "Bo": 3}},
        {"inventory": [{"name": "Ravens", "hidden": True}, "rope"]}, {"level": {"dm_notes": "Ravens"}}, {"mood": {"dm_only": "Ravens", "now": "grim"}})),
    *(({"player_character_data": {**PC, **record}}, True) for record in (
        {"inventory": {"Hide Armor Ravens": 1}}, {"mood": "Ravens"}, {"notes": "Ravens", "level": "5"}, {"conditions": {"hidden": True}, "mood": "Ravens"})),
])
def test_players_are_told_what_they_may_know(tell: Tell, state: dict[str, Any], shown: bool) -> None:
    assert ("Ravens" in tell(state, "player")) is shown
    assert "Ravens" in tell(state, "dm") or "world_time" in str(state)


@given(path=st.lists(st.sampled_from(["look", "public", "a", "", "Voice", "first impression"]) | st.none(), max_size=4), field=st.sampled_from(["role", "status", "description"]),
       key=st.sampled_from(["secret", "dm_only", "gmNotes", "hidden", "for the DM", "secret-agenda", "not_for_players", "Geheim", "DM info"]), beside=st.sampled_from([{}, {"look": "tall"}]))
def test_no_depth_shows_what_a_key_withholds(tell: Tell, path: list[str | None], field: str, key: str, beside: dict[str, str]) -> None:
    value: Any = {**beside, key: "Ravens"}
    for step in path:
        value = [value, "old"] if step is None else {step: value, "age": 3}
    state = one("npc_data", {**ANN, field: value}, location_data={"loc_inn_001": {"name": "Inn", "description": value}}, player_character_data={**PC, "mood": value} if key != "secret-agenda" else {})
    assert "Ravens" not in tell(state, "player")
    assert "Ravens" in tell(state, "dm")


def test_what_stands_beside_a_secret_is_told(tell: Tell) -> None:
    told = tell({"player_character_data": {**PC, "class": "Wizard", "level": "5", "background": "Sailor (GM: a prince)", "conditions": {"hidden": True}},
                 "npc_data": {"a": {**ANN, "description": {"public": "tall", "secret": "a spy"}}, "b": {**ANN, "role": "smith"}}}, "player")
    assert all(text in told for text in ("armor class: 13", "Wizard", "5", "tall", "cook", "smith"))


KEYS = sorted({*reading._HOMES, *reading._PARTS, "hp", "slots", "spells_known", "level", "secret", "status", "location_id", "level_1", "level_²", "current", "max",
               "holder_id", "quantity", "objectives", "title", "base", "race"})
TEXTS = st.one_of(st.sampled_from(["", "Wizard", "5", "Fighter 3/Rogue", "x" * 300, "\0", "\ud800", "here"]), st.text(st.characters(), max_size=8))
LEAVES = st.one_of(st.none(), st.booleans(), st.integers(), st.sampled_from([10**299, -1, 0, 3, 10**12]), st.floats(), TEXTS)
VALUES = st.recursive(LEAVES, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS) | TEXTS, inner, max_size=5)), max_leaves=12)
RECORDS = st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=8)
NAMED = RECORDS.map(lambda record: {"name": "Bo", **record})
THINGS = st.dictionaries(TEXTS, NAMED | VALUES, max_size=3)
STATES = st.fixed_dictionaries({}, optional={
    "player_character_data": st.one_of(NAMED, THINGS, VALUES), **{f"{kind}_data": THINGS | VALUES for kind in ("npc", "location", "quest", "item")},
    "world_data": VALUES | st.fixed_dictionaries({}, optional={
        "current_location_id": VALUES, "calendar": VALUES, "world_time": st.dictionaries(st.sampled_from(["year", "month", "day", "hour", "minute"]), VALUES)}),
})


@given(state=STATES, audience=st.sampled_from(["player", "dm"]))
def test_no_state_stops_a_question(tell: Tell, state: dict[str, Any], audience: Audience) -> None:
    state_documents(state)
    with suppress(InvalidTurnError):  # no store keeps such a state
        tell(state, audience)


@pytest.mark.parametrize("record", [
    {"class": "Wizard", "level": "5"}, {"class": {"Wizard": "5", "Rogue": 1}, "level": 6}, {"class": ["Wizard"], "level": [5]}, {"name": "x" * 300}, {"name": "\0Sable\ud800 Oort"},
    {"mood": "\0", "looks": "\udc00"}, {"spell_slots": {"level_²": {"current": 1, "max": 1}, "level_1": {"current": 1, "max": -1}}}, {"level": 10**299}, {"inventory": [{"kind": []}]},
])
def test_an_odd_character_has_a_sheet(tell: Tell, notes: SessionNotes, record: dict[str, Any]) -> None:
    told = tell({"player_character_data": {**PC, **record}, "item_data": {"a": {"name": "rope", "kind": [], "holder_id": {}, "quantity": True}},
                 "world_data": {"world_time": {"year": 1, "month": 2, "day": 3, "hour": 10**299}}}, "player")
    assert "armor class: 13" in told
    assert "It is 3 2 1" in told
    assert len(notes.sheets("told")) == 1
    state_documents({"player_character_data": PC, "world_data": {"world_time": {"year": 1, "month": 2, "day": 3, "hour": 10**6000}}})


@given(NAMED)
def test_no_sheet_stops_its_import(record: dict[str, Any]) -> None:
    with suppress(SessionsError, JsonError):
        reading.read_sheet(write(record, "the sheet"), "sheet.json")


def test_a_turn_costs_what_it_changed(store: CampaignStore, monkeypatch: pytest.MonkeyPatch) -> None:
    people = {f"npc_{number}": {**ANN, "name": f"Person {number}"} for number in range(20)}
    encoder, loads = HashingEncoder(), list[str]()
    load = store.load
    monkeypatch.setattr(store, "load", lambda campaign: loads.append(campaign) or load(campaign))

    def cost(mood: str) -> tuple[int, int]:
        """Texts encoded and states read for the questions after a turn."""
        encoder.encoded = 0
        loads.clear()
        if store.version("played"):
            store.delete("played")
        store.create("played", {**HERE, "npc_data": {**people, "npc_0": {**ANN, "role": mood}}})
        with one_moment():
            for _ in range(3):
                assert mood in notes.search("played", "Ann Orlo", "session")[0].piece.text
                assert notes.sheets("played") == ()
        return encoder.encoded, len(loads)

    with closing(SessionNotes(Settings(), store, encoder)) as notes:
        first, then = cost("miller"), cost("smith")
    assert first[0] > 20
    assert then[0] <= 1 + 3  # what changed, and the questions
    assert (first[1], then[1]) == (1, 1)


def test_a_damaged_state_is_done_without_and_told(tmp_path: Path) -> None:
    with closing(SessionNotes.open(Settings(mvp_site_data_dir=tmp_path), encoder=HashingEncoder())) as notes, CampaignStore.open(Settings(mvp_site_data_dir=tmp_path)) as own:
        own.create("road", {"player_character_data": PC})
        notes.import_notes("road", [("one.md", "# Session 1\n\nCorvin Hale sells lamp oil.\n")])
        with closing(sqlite3.connect(tmp_path / "campaigns.sqlite3")) as raw:
            raw.execute("UPDATE campaigns SET state = '{'")
            raw.commit()
        hits = notes.search("road", "who sells lamp oil?", "session")
    assert "lamp oil" in hits[0].piece.text
    assert "damaged" in hits.damaged[0]
