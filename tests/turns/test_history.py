"""A long campaign: what is sent of it, what a cache can keep of that, and the secrets that last."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict
from itertools import pairwise
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.assembly.request import query_of, sha256
from mvp_site.errors import ModelUnavailableError
from mvp_site.llm.protocol import ModelReply, ModelRequest, ToolExchange, Usage
from mvp_site.operations.player_view import StreamFilter, for_asker
from mvp_site.store.campaigns import CampaignStore
from mvp_site.store.types import StoredExchange, StoredMemory
from mvp_site.text.tokens import count_tokens
from mvp_site.turns.attempts import Stage
from mvp_site.turns.contracts import BUILT_IN
from mvp_site.turns.handler import Narrative, TurnHandler
from mvp_site.turns.history import STEP, WHOLE, Borders, borders_of, compact, past_turns
from mvp_site.turns.memory import memory_of, read_memory
from mvp_site.turns.routing import TurnRoute
from mvp_site.turns.secret_notes import MAX_TOKENS
from mvp_site.turns.state import changes, merged
from mvp_site.turns.types import TurnResult
from mvp_site.types import Message

from .conftest import MakeHandler
from .game import CAMPAIGN, STATE, Replying, answer, ask, calling, first, said, state_in
from .test_model_look_ups import look_up

SECRET: Final = "Mirela Voss drowned the toll-keeper and wears his ring."
MIRELA, ODO, MILL, KEEP = "npc_mirela_001", "npc_odo_001", "loc_mill_001", "loc_ashen_keep_001"
PLACED: Final[dict[str, Any]] = {
    **STATE,
    "npc_data": {
        MIRELA: {"name": "Mirela Voss", "status": "alive", "location_id": KEEP},
        ODO: {"name": "Odo Karn", "status": "alive", "location_id": MILL},
    },
    "location_data": {**STATE["location_data"], MILL: {"name": "the drowned mill"}},
    "quest_data": {"quest_toll_001": {"title": "The toll-keeper's ring", "status": "active"}},
}
CHOICES: Final = {
    "ask_about_the_ring": {"text": "Ask about the ring", "description": "Watch her hands.", "risk_level": "low"},
    "say_nothing": {"text": "Say nothing", "description": "Let it pass.", "risk_level": "safe"},
}
MOVES: Final = {4: {MIRELA: MILL, ODO: KEEP}, 59: {MIRELA: KEEP, ODO: MILL}}
"""Who is elsewhere after a turn. In turn 3 Mirela stands at the keep, and again in turn 60."""


def turn_answer(number: int, state: Mapping[str, Any]) -> str:
    """The answer of turn ``number``: one of the two is there, and the game master notes something."""
    who = next(key for key in (MIRELA, ODO) if state["npc_data"][key]["location_id"] == KEEP)
    name = state["npc_data"][who]["name"]
    moved = {key: {"location_id": place} for key, place in MOVES.get(number, {}).items()}
    return answer(
        state=state, entities_mentioned=[who], planning_block={"thinking": "On it goes.", "choices": CHOICES},
        narrative=f"{name} lays sack {number} on the scale. " + "The rain goes on and nobody speaks of it. " * 8,
        debug_info={"dm_notes": [SECRET if number == 3 else f"{name} will count sack {number} again."], "state_rationale": "talk"},
        state_updates={"custom_campaign_state": {"counter": number}, **({"npc_data": moved} if moved else {})},
    )


class Campaign:
    """A campaign that is played to the end, with what was asked and what came of it."""

    def __init__(self, handler: TurnHandler, model: Replying) -> None:
        self.handler, self.model = handler, model
        self.results: list[TurnResult] = []
        self.asked: list[ModelRequest] = []

    def play(self, turns: int, **fields: Any) -> None:
        for _ in range(turns):
            number = len(self.results) + 1
            request = first("Ask about the ring", state=PLACED) if number == 1 else ask(f"I wait for sack {number}", seed=number)
            before = len(self.model.requests)
            self.results.append(self.handler.handle(request))
            self.asked.append(self.model.requests[before])
            assert self.results[-1].fallback is None


@pytest.fixture
def campaign(make_handler: MakeHandler) -> Callable[..., Campaign]:
    """A campaign in the making; ``extra`` answers some requests itself."""
    def make(extra: Callable[[ModelRequest, int], ModelReply | None] = lambda *_: None, **fields: Any) -> Campaign:
        def reply(request: ModelRequest) -> ModelReply:
            number = len(made.results) + 1
            return extra(request, number) or said(turn_answer(number, state_in(request)))

        model = Replying(reply)
        made = Campaign(make_handler(model, **{"mvp_site_answer_tokens": 600, "mvp_site_contents": False, **fields}), model)
        return made

    return make


def texts(request: ModelRequest) -> list[str]:
    return [message.content for message in request.messages if isinstance(message, Message)]


def shared(before: ModelRequest, request: ModelRequest) -> int:
    """How many messages of the request before a request begins with."""
    return next(at for at, (old, new) in enumerate(zip([*texts(before), ""], [*texts(request), "", ""], strict=False)) if old != new)


# --- sixty turns --------------------------------------------------------------------------------


def test_sixty_turns_keep_their_prefix_and_their_secret(campaign: Callable[..., Campaign], store: CampaignStore) -> None:
    played = campaign()
    played.play(60)
    breaks = [number for number, (before, request) in enumerate(pairwise(played.asked), 2) if shared(before, request) < len(before.messages) - 1]
    assert breaks == [13, 23, 33, 43, 53]
    for number, (before, request) in enumerate(pairwise(played.asked), 2):
        if number in breaks[1:]:  # and then only behind what was short already
            assert shared(before, request) == 1 + 2 * (number - 3 - STEP)
    last = played.asked[-1]
    assert [SECRET in text for text in texts(last)] == [False] * (len(last.messages) - 1) + [True]
    counters = [json.loads(text.split("\n")[1])["custom_campaign_state"]["counter"] for text in texts(last) if text.startswith(("<state>", "<state_changes>"))]
    assert counters == [50, 54, 58], "the state, and every four turns what has changed"
    assert '<state_changes>\n{"custom_campaign_state":{"counter":59}' in texts(last)[-1]
    assert f"- turn 3: {SECRET}\n" in texts(last)[-1]
    assert "Mirela Voss was not there in turns 5-59.\n" in texts(last)[-1]
    assert f"{SECRET} (unknown to Odo Karn)" in texts(played.asked[29])[-1], "he was not there; the place calls for it"
    blocks = [re.findall(r"<secret_notes>\n(.*?)\n</secret_notes>", texts(request)[-1], re.DOTALL) for request in played.asked]
    assert all(count_tokens(block) <= MAX_TOKENS for found in blocks for block in found)
    for result in played.results:
        assert played.handler.replay(result.turn_id).same
        assert SECRET not in json.dumps(asdict(for_asker(result, entitled=False)))
        assert SECRET not in json.dumps(result.telemetry)
    stream_filter = StreamFilter(entitled=False)
    for event in played.handler.stream(ask("I ask Mirela", seed=61)):
        if isinstance(event, Stage | Narrative):
            assert SECRET not in json.dumps(stream_filter(event))
    assert SECRET in json.dumps(store.export(CAMPAIGN)), "an export is the DM's"
    store.delete(CAMPAIGN)
    assert store.turns(100) == ()


def test_older_turns_go_short_and_the_last_two_whole(campaign: Callable[..., Campaign]) -> None:
    played = campaign()
    played.play(14)
    sent = texts(played.asked[-1])
    answers = [result.text for result in played.results]
    assert [compact(raw) in sent for raw in answers[:-1]] == [False] * 10 + [True] * 3
    assert sent[1:3] == [
        "Ask about the ring", f"[Turn 1, Ashen Keep, gatehouse. There: Mirela Voss]\n{played.results[0].narrative}",
    ]
    assert "state_updates" not in "".join(sent[1:21])
    assert sent[21].startswith("<state>\n")
    assert json.loads(sent[21].split("\n")[1])["custom_campaign_state"] == {"counter": 10}
    assert '<state_changes>\n{"custom_campaign_state":{"counter":13}}\n</state_changes>' in sent[-1]


def test_a_choice_that_was_taken_stands_with_what_was_typed(campaign: Callable[..., Campaign]) -> None:
    played = campaign()
    played.play(1)
    for text in ("Ask about the ring", "ask_about_the_ring", "ask about the RING, softly", "I ask about the ring"):
        played.results.append(played.handler.handle(ask(text)))
    played.play(9)
    sent = texts(played.asked[-1])
    taken = "\n[The choice taken: Ask about the ring: Watch her hands.]"
    assert sent[3:11:2] == ["Ask about the ring" + taken, "ask_about_the_ring" + taken, "ask about the RING, softly" + taken, "I ask about the ring"]


def test_a_campaign_without_memories_goes_whole(campaign: Callable[..., Campaign], store: CampaignStore) -> None:
    played = campaign()
    played.play(13)
    document = store.export(CAMPAIGN)
    for turn in document["turns"]:
        turn.pop("memory")
    store.delete(CAMPAIGN)
    store.import_document(document)
    result = played.handler.handle(ask("I wait"))
    assert all(compact(before.text) in texts(played.model.requests[-1]) for before in played.results)
    assert played.handler.replay(result.turn_id).same


# --- what falls out -----------------------------------------------------------------------------

NARROW: Final[dict[str, Any]] = {"mvp_site_context_tokens": 9_000, "prompt_max_tokens_retrieved": 200}


def test_what_falls_out_is_told_in_short_and_can_be_looked_up(campaign: Callable[..., Campaign]) -> None:
    def extra(request: ModelRequest, number: int) -> ModelReply | None:
        asked = any(isinstance(message, ToolExchange) for message in request.messages)
        return calling(look_up("Mirela Voss, sack 2")) if number == 45 and not asked else None

    played = campaign(extra, **NARROW)
    played.play(45)
    cuts = [result.telemetry["history"]["cut"] for result in played.results]
    assert cuts == sorted(cuts)
    assert cuts[-1] > 0
    moved = [number for number, (before, cut) in enumerate(pairwise(cuts), 2) if before != cut]
    assert all(later - before >= STEP for before, later in pairwise(moved))
    sent = texts(played.asked[-1])
    assert sent[1].startswith(f"[Turns 1 to {cuts[-1]}, in short]\nTurn ")
    assert "Mirela Voss lays sack" in sent[1]
    assert SECRET not in sent[1]
    (made,) = played.results[-1].look_ups
    assert '<retrieved_context version="earlier_turns">\n<passage id="turn-2" section="Turn 2, Ashen Keep, gatehouse / Mirela Voss">' in made.text
    assert SECRET not in made.text
    assert all(played.handler.replay(result.turn_id).same for result in played.results[::7])


def test_a_players_look_up_finds_no_turn_that_was_not_theirs(campaign: Callable[..., Campaign]) -> None:
    def extra(request: ModelRequest, number: int) -> ModelReply | None:
        if number == 2:
            return said(answer("god", state_in(request), god_mode_response="Mirela Voss is the wraith of the weir."))
        asked = any(isinstance(message, ToolExchange) for message in request.messages)
        return calling(look_up("the wraith of the weir, Mirela Voss")) if number in {44, 45} and not asked else None

    played = campaign(extra, **NARROW)
    played.play(1)
    played.results.append(played.handler.handle(ask("god: who is she?", "god")))
    played.play(43)
    assert played.results[-1].telemetry["history"]["cut"] >= 2
    assert "wraith" not in played.results[-1].look_ups[0].text
    result = played.handler.handle(ask("god: and now?", "god"))
    assert result.fallback is not None or not result.look_ups


# --- summaries ----------------------------------------------------------------------------------


def summarises(request: ModelRequest) -> bool:
    return texts(request)[0].startswith("You keep the record")


def test_the_model_keeps_a_running_summary(campaign: Callable[..., Campaign], store: CampaignStore) -> None:
    def extra(request: ModelRequest, number: int) -> ModelReply | None:
        return said(f"RECORD AS OF {number}. Mirela is owed a sack.", Usage(1_000, 50, cost=0.25)) if summarises(request) else None

    played = campaign(extra, **NARROW, mvp_site_summary=True)
    played.play(45)
    asked = [texts(request)[1] for request in played.model.requests if summarises(request)]
    assert len(asked) == 4
    assert asked[0].startswith("The record so far:\n(nothing yet)\n\nThe turns since:\nAsk about the ring")
    assert asked[1].startswith("The record so far:\nRECORD AS OF 11. Mirela is owed a sack.\n\nThe turns since:\nI wait for sack 11\n")
    assert SECRET not in "".join(asked)
    cut = played.results[-1].telemetry["history"]["cut"]
    assert texts(played.asked[-1])[1] == f"[Turns 1 to {cut}, in short]\nRECORD AS OF {cut + 1}. Mirela is owed a sack."
    assert [result.usage.cost for result in played.results[9:12]] == [0.0, 0.25, 0.0]
    assert store.turn(played.results[-1].turn_id).manifest["spent_usd"] == 1.0
    assert played.handler.replay(played.results[-1].turn_id).same


@pytest.mark.parametrize("reply", [ModelUnavailableError("gone"), RuntimeError("odd"), said("  "), said("cut off", stop="length")])
def test_a_summary_that_fails_is_asked_for_again(campaign: Callable[..., Campaign], reply: Any, store: CampaignStore) -> None:
    def extra(request: ModelRequest, number: int) -> ModelReply | None:
        if not summarises(request):
            return None
        if number == 11 and isinstance(reply, Exception):
            raise reply
        return reply if number == 11 else said("RECORD")

    played = campaign(extra, mvp_site_summary=True)
    played.play(13)
    assert [number for number, stored in enumerate(store.memories(CAMPAIGN), 1) if "summary" in stored.memory] == [12]


def test_what_a_turn_left_is_taken_back_with_it(campaign: Callable[..., Campaign], store: CampaignStore) -> None:
    def extra(request: ModelRequest, number: int) -> ModelReply | None:
        return said(f"RECORD OF {number}") if summarises(request) else None

    played = campaign(extra, mvp_site_summary=True)
    played.play(11)
    played.handler.handle(ask("I wait again", replaces=played.results[-1].turn_id))
    memories = store.memories(CAMPAIGN)
    assert [stored.number for stored in memories] == [*range(1, 11), 12]
    assert [read_memory(stored.memory).summary is not None for stored in memories] == [False] * 10 + [True]
    store.withdraw(store.turns(1)[0].id)
    assert len(store.memories(CAMPAIGN)) == 10
    branch = store.branch(played.results[2].turn_id, "branch")
    assert SECRET in json.dumps([stored.memory for stored in store.memories(branch.id)])
    document = store.export(CAMPAIGN)
    store.delete(CAMPAIGN)
    store.delete("branch")
    assert store.turns(100) == ()
    store.import_document(document)
    assert store.memories(CAMPAIGN) == memories[:10]


# --- borders and changes ------------------------------------------------------------------------


def a_past(sizes: list[tuple[int, int]]) -> Any:
    """Turns with so many words told and whole, numbered with gaps."""
    numbers = range(1, 2 * len(sizes), 2)
    memories = [StoredMemory(n, "story", "player", "I go.", {"narrative": "word " * min(told, whole)}) for n, (told, whole) in zip(numbers, sizes, strict=True)]
    return past_turns(memories, [StoredExchange(n, "story", "player", "I go.", "word " * whole) for n, (_, whole) in zip(numbers, sizes, strict=True)])


@given(st.lists(st.tuples(st.integers(1, 300), st.integers(1, 900)), max_size=30), st.integers(0, 6_000), st.integers(0, 70), st.integers(0, 70))
def test_borders_fit_the_room_and_never_go_back(sizes: list[tuple[int, int]], room: int, cut: int, whole: int) -> None:
    past = a_past(sizes)
    found = borders_of(past, Borders(cut, whole), room)
    assert found.dropped_up_to <= found.whole
    assert sum(t.full_cost if t.number > found.whole else t.short_cost for t in past if t.number > found.dropped_up_to) <= room
    if past:
        assert found.dropped_up_to >= min(cut, past[-1].number)
        assert borders_of(past, found, room).dropped_up_to == found.dropped_up_to
    if sum(turn.full_cost for turn in past) <= room and cut == whole == 0:
        assert found.dropped_up_to == 0
        assert sum(turn.number > found.whole for turn in past) >= min(WHOLE, len(past))


_values = st.recursive(st.integers() | st.text(max_size=3) | st.none() | st.booleans() | st.lists(st.integers(), max_size=2),
                       lambda inner: st.dictionaries(st.sampled_from("abcd"), inner, max_size=3), max_leaves=8)
_states = st.dictionaries(st.sampled_from("abcd"), _values, max_size=4)


@given(_states, _states)
def test_changes_make_the_state_or_there_are_none(base: Any, state: Any) -> None:
    update = changes(base, state)
    assert update is None or merged(base, update) == state


def test_who_was_there_follows_from_place_and_words() -> None:
    after = merged(PLACED, {"npc_data": {
        "npc_bran_001": {"name": "Bran", "status": "dead", "location_id": KEEP}, "npc_ines_001": {"name": "Ines the Red"}, "npc_ulf_001": {"name": "Ulf", "party_role": "companion"},
    }})
    cases = [
        ("Mirela nods.", [], ["npc_mirela_001", "npc_ulf_001"]), ("You think of Odo Karn.", [ODO], ["npc_ulf_001"]), ("Bran lies there.", ["npc_bran_001"], ["npc_ulf_001"]),
        ("Ines is said to be in town.", [], ["npc_ulf_001"]), ("The red one smiles.", ["npc_ines_001"], ["npc_ines_001", "npc_ulf_001"]), ("Nobody.", [], ["npc_ulf_001"]),
    ]
    for told, mentioned, there in cases:
        raw = {"narrative": told, "god_mode_response": "", "entities_mentioned": mentioned, "debug_info": {"dm_notes": []}}
        memory = memory_of(BUILT_IN, TurnRoute("story", "player", False), "I look", raw, before=after, after=after, offered={})
        assert list(memory.people) == there, told


def test_a_turn_that_leans_is_searched_with_what_the_player_read(campaign: Callable[..., Campaign]) -> None:
    played = campaign()
    played.play(1)
    result = played.handler.handle(ask("yes"))
    assert result.telemetry["leaned"]
    asked = query_of("\n".join(["Ask about the ring", played.results[0].narrative, query_of("yes")]))
    assert result.telemetry["query_sha256"] == sha256(asked)


def test_a_question_to_the_dm_and_a_gods_command_keep_the_prefix(campaign: Callable[..., Campaign]) -> None:
    modes = {2: "dm", 4: "god"}

    def extra(request: ModelRequest, number: int) -> ModelReply | None:
        more = {"god_mode_response": "Done."} if number == 4 else {}
        return said(answer(modes[number], state_in(request), **more)) if number in modes else None  # type: ignore[arg-type]

    played = campaign(extra, mvp_site_contents=True)
    for number in range(1, 6):
        if number in modes:
            text = "god: a bell rings" if number == 4 else "How does falling work?"
            played.results.append(played.handler.handle(ask(text, modes[number], audience="god")))  # type: ignore[arg-type]
            assert played.results[-1].fallback is None
        else:
            played.play(1)
    assert "<contents>" in texts(played.model.requests[0])[1]
    assert all(shared(before, request) >= len(before.messages) - 1 for before, request in pairwise(played.model.requests))
