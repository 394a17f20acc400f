"""What a player asks first: the answer stands in the first line, with its source, from a sheet or from a campaign's state."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from typing import Any

import pytest

from mvp_site.engine.central_engine import CentralEngine
from mvp_site.engine.local_router import CorrectedRouter, LocalRouter
from mvp_site.engine.types import DOMAINS, Question
from mvp_site.sessions.session_notes import SAMPLE, SessionNotes, one_moment
from mvp_site.sessions.state_documents import state_documents
from mvp_site.store.campaign_documents import CampaignDocuments
from mvp_site.store.campaigns import CampaignStore

from .conftest import Site

STATE = {
    "player_character_data": {"id": "pc_sable_001", "name": "Sable Oort", "class": "Wizard", "level": 5, "hp_current": 17, "hp_max": 28, "armor_class": 13,
                              "spell_slots": {"level_1": {"current": 4, "max": 4}, "level_3": {"current": 0, "max": 2}},
                              "spells_known": [{"name": "Emberburst", "level": 3}, {"name": "Shield", "level": 1}], "mood": "grim"},
    "item_data": {"item_rope_001": {"name": "rope", "quantity": 2, "holder_id": "pc_sable_001"}, "item_ring_001": {"name": "ring", "holder_id": "npc_x_001"},
                  "item_map_001": {"name": "map", "holder_id": "pc_sable_001"}},
    "npc_data": {"npc_vane_001": {"name": "Vane Orlo", "role": "innkeeper", "location_id": "loc_gull_001", "secret": "is a werewolf"},
                 "npc_duke_001": {"name": "Duke Harrow", "role": "villain", "location_id": "loc_keep_001"}},
    "location_data": {"loc_gull_001": {"name": "the Gull inn", "description": "Low beams and smoke."}, "loc_keep_001": {"name": "Harrow Keep"}},
    "world_data": {"current_location_id": "loc_gull_001", "world_time": {"year": 1492, "month": 5, "day": 4, "hour": 20, "minute": 5}},
}


@pytest.fixture(scope="module")
def engine(built: Site) -> Iterator[CentralEngine]:
    with CampaignStore.open(built.settings()) as store:
        store.create("gull", STATE)
    with closing(built.open()) as opened:
        yield opened


@pytest.mark.requirement("5", "Usage: a player's first ten questions are answered in the first sentence, with the source")
@pytest.mark.parametrize(("campaign", "character", "query", "says"), [
    (SAMPLE, "Ilse Varn", "what's my AC?", "Armor class: 12 (unarmored; 15 with Mage Armor)"), (SAMPLE, "Brannoc", "how many hit points do I have left?", "Hit points: 47 of 54"),
    (SAMPLE, "Ilse Varn", "can I still cast Fireball?", "Fireball can be cast now: prepared, 2 of 2 level 3 slots left"), (SAMPLE, "Ilse Varn", "can I cast Knock?", "Knock cannot be cast now"),
    (SAMPLE, "Brannoc", "whats the dc for my zone of truth", "Charisma save DC 13"), (SAMPLE, "Brannoc", "what's my speed?", "walk: 25 ft."),
    (SAMPLE, "Ilse Varn", "what's in my pack?", "Dagger ×2"), (SAMPLE, "Ilse Varn", "what can I do on my turn?", "bonus actions: Misty Step"),
    (SAMPLE, "Ilse Varn", "what did we learn about Corvin Hale?", "smuggler, grey coat"), (SAMPLE, "Ilse Varn", "who is Edda Crane?", "pays out of her own purse"),
    (SAMPLE, "Ilse Varn", "what spells can I cast?", "Fireball"),
    ("gull", "Sable Oort", "what's my AC?", "Armor class: 13"), ("gull", "", "how many hit points do I have left?", "Hit points: 17 of 28"),
    ("gull", "Sable Oort", "can I still cast Emberburst, or have I no slots left?", "Emberburst cannot be cast now: no slot of level 3 or higher is left"),
    ("gull", "Sable Oort", "what's in my pack?", "map, rope ×2"), ("gull", "Sable Oort", "where are we?", "the Gull inn"), ("gull", "Sable Oort", "who is Vane Orlo?", "innkeeper"),
])
def test_the_answer_stands_in_the_first_line(engine: CentralEngine, campaign: str, character: str, query: str, says: str) -> None:
    answer = engine.answer(query, character, campaign=campaign)
    first = answer.text.splitlines()[0]
    assert says in first
    assert first.endswith("[1]")
    cited = list(dict.fromkeys(re.findall(r"\[(\d+)\]", answer.text)))
    assert cited == [str(number) for number in range(1, len(cited) + 1)]
    assert len(cited) <= 5
    assert "werewolf" not in answer.text


@pytest.mark.requirement("5", "Response personalization: detail by length")
def test_a_short_answer_is_the_answer_alone(engine: CentralEngine) -> None:
    short, full = (engine.answer("what did we learn about Corvin Hale?", "Ilse Varn", length=length) for length in ("short", "long"))
    assert set(re.findall(r"\[(\d+)\]", short.text)) == {"1"}
    assert len(full.text) > len(short.text)


def test_players_learn_of_a_state_what_the_party_has_met() -> None:
    sheet, now = state_documents(STATE)
    assert (sheet.title, sheet.kind) == ("Sable Oort", "character")
    assert any(piece.part == "notes" and "grim" in piece.text for piece in sheet.pieces)
    told = " ".join(piece.text for piece in now.pieces if piece.audience == "player")
    assert "Vane Orlo" in told
    assert not any(secret in told for secret in ("werewolf", "Duke", "Harrow Keep"))
    assert "Duke Harrow" in " ".join(piece.text for piece in now.pieces if piece.audience == "dm")


@pytest.mark.parametrize(("state", "texts"), [
    ({}, []), ({"player_character_data": []}, []), ({"player_character_data": {"name": 3}, "npc_data": {"a": None}, "world_data": {"world_time": {"day": "x"}}}, []),
    ({"player_character_data": {"name": "Al", "level": "x", "spell_slots": 3}, "npc_data": {"a": {"name": None}}, "item_data": [1]}, ["Al: a character", "3", "x"]),
    ({"party": {"heroes": [{"nombre": "Inés", "clase": "Maga", "nivel": 4, "estado": {"ca": 13, "pg": {"actual": 11, "max": 22}}, "mochila": ["cuerda"], "lema": "Nada."}]}, "npcs": {"x": {"name": "Orc", "hp": 3}}},
     ["Inés: Maga of level 4. hit points: 11 of 22; armor class: 13", "hit points: 11 of 22; armor class: 13", "cuerda", "Nada.", "Orc: name: Orc; hp: 3"]),
    ({"npc_data": {"a": {"name": "Vane"}, "b": 3}, "world_data": {"current_location_id": ["x"]}}, ["Vane"]),
])
def test_of_an_odd_state_what_can_be_read_is_told(state: dict[str, Any], texts: list[str]) -> None:
    assert [piece.text for document in state_documents(state) for piece in document.pieces] == texts


def test_a_question_looks_at_its_campaign_once(engine: CentralEngine, built: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = Counter[str]()
    def counted(owner: type, name: str) -> None:
        real = getattr(owner, name)
        monkeypatch.setattr(owner, name, lambda *given, **more: looks.update([name]) or real(*given, **more))

    for owner, name in ((CampaignStore, "load"), (CampaignStore, "version"), (CampaignDocuments, "stamps"), (CampaignDocuments, "routings"), (CampaignStore, "bound")):
        counted(owner, name)
    for query, loads in (("who is Vane Orlo, and what's my AC?", 1), ("what do I carry, and where are we?", 0)):
        if loads:
            with CampaignStore.open(built.settings()) as store:
                store.delete("gull")
                store.create("gull", STATE)
            looks.clear()
        assert engine.answer(query, "Sable Oort", campaign="gull").errors == ()
        assert looks["load"] == loads
        assert all(looks[name] <= 1 for name in ("version", "stamps", "routings", "bound"))
        looks.clear()
    with closing(SessionNotes.open(built.settings())) as notes, one_moment():
        router = CorrectedRouter(LocalRouter.open(built.settings(), open_notes=lambda: notes))
        decide = partial(router.decide, question=Question("who is Vane Orlo?", "Sable Oort", "gull"))
        with asyncio.Runner() as runner:
            assert runner.run(gathered(*map(decide, DOMAINS))) == [None] * len(DOMAINS)
    assert looks["routings"] == 1


async def gathered(*waiting: Any) -> list[Any]:
    return await asyncio.gather(*waiting)


@pytest.mark.requirement("5", "Query learning: a correction counts at once, and is taken back")
def test_a_correction_counts_at_once_and_is_taken_back(engine: CentralEngine, built: Site) -> None:
    query = "is the moon out over Harrowmere"
    def needed(asked: str = query) -> bool:
        return next(row.is_needed for row in engine.answer(asked, "Ilse Varn").decisions if row.domain == "rulebook")

    before = needed()
    answer = engine.answer(query, "Ilse Varn")
    with closing(SessionNotes.open(built.settings())) as notes:
        notes.correct(answer.id, {"rulebook": {"is_needed": not before, "intention": None}})
        assert needed() is not before
        assert needed("is the moon out over Harrowmere?!") is not before
        assert [row.question.text for row in engine.taught(SAMPLE)[0].corrections] == [query]
        notes.correct(answer.id, {"rulebook": None})
    assert needed() is before
    assert engine.taught(SAMPLE)[0].corrections == ()
