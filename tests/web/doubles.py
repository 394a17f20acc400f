"""Doubles of the turn handler and its store: they keep the contract and hold turns in memory."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from mvp_site.errors import NotEntitledError, UnknownCampaignError, UnknownTurnError
from mvp_site.llm.protocol import Usage
from mvp_site.store.types import Campaign, CampaignSummary, StoredRetrieval, TurnRecord
from mvp_site.turns.attempts import Stage
from mvp_site.turns.handler import Narrative, TurnEvent
from mvp_site.turns.offline import OfflineNarrator
from mvp_site.turns.replay import LookedUp, Replayed
from mvp_site.turns.types import Attempt, Roll, TurnRequest, TurnResult, Violation
from mvp_site.types import AssembledTurn

BEGAN = datetime.datetime(2026, 3, 1, 20, 15, tzinfo=datetime.UTC)
SECRET = "the reeve is the cult's treasurer"

STATE: dict[str, Any] = {
    "player_character_data": {"name": "Isolde Marsh", "level": 3, "hp_current": 24, "hp_max": 28},
    "npc_data": {"npc_reeve_001": {"attitude": "friendly", "secret": SECRET}},
    "world_data": {
        "world_time": {"year": 1492, "month": 5, "day": 4, "hour": 21, "minute": 15, "second": 0, "microsecond": 0},
        "rumours": [SECRET],
    },
}


def answer(**fields: Any) -> dict[str, Any]:
    """An answer in story mode that keeps the contract, with ``fields`` in place of its own."""
    return {
        "session_header": "[SESSION_HEADER]\nTimestamp: 1492 DR, Mirtul 4, 21:15:00\nLocation: Ashen Keep, gatehouse\n"
                          "Status: Lvl 3 Ranger | HP 24/28 | XP 1100/2700 | Gold 37gp",
        "resources": "HD 2/3 | Spells L1 2/3 | Exhaustion 0",
        "narrative": "The bar gives with a groan that the rain swallows. Two men stand under the arch, one with his "
                     "hands to the brazier, the other counting the wagons on the road below.\n\nNeither looks your way. "
                     "Not yet.",
        "planning_block": {
            "thinking": "Two guards, one distracted.",
            "choices": {
                "slip_past_the_brazier": {"text": "Slip past", "description": "Stay in the brazier's blind side.", "risk_level": "medium"},
                "call_out_as_a_guard": {"text": "Bluff", "description": "Use the captured cloak and a tired voice.", "risk_level": "high"},
                "wait_for_the_change": {"text": "Wait for the watch to change", "description": "An hour in the rain, and fresher eyes after it.", "risk_level": "low"},
            },
        },
        "dice_rolls": [{
            "roll_id": "r1", "purpose": "Stealth", "expression": "2d20kh1+5", "dice": [7, 16], "modifier": 5, "total": 21,
            "advantage": "advantage", "target": {"kind": "DC", "value": 13}, "success": True,
        }],
        "god_mode_response": "",
        "entities_mentioned": ["npc_gate_sergeant_001", "loc_ashen_keep_001"],
        "location_confirmed": "Ashen Keep, gatehouse",
        "state_updates": {
            "world_data": {"world_time": {"hour": 21, "minute": 15}}, "npc_data": {"npc_reeve_001": {"secret": SECRET}},
            "player_character_data": {"hp_current": 24},
        },
        "debug_info": {"dm_notes": [SECRET], "state_rationale": "time moved ten minutes"},
        **fields,
    }


def as_text(response: Mapping[str, Any], mode: str = "story") -> str:
    """The raw answer of the model that holds ``response``."""
    return f"[Mode: {mode.upper()} MODE]\n{json.dumps(response, ensure_ascii=False)}"


def manifest(**fields: Any) -> dict[str, Any]:
    """A turn's manifest, with ``fields`` in place of its own."""
    return {
        "turn_id": "t1", "created": BEGAN.isoformat(), "version": "mar_2026", "release": "72940899923e403d",
        "header_sha256": "b000512266ffe33f" * 4, "prompt_sha256": "5f6183134e48dbf4" * 4,
        "chunks": [{"id": "skills_in_play#1", "score": 0.6451}, {"id": "conditions#4", "score": 0.5118}],
        "sparse_reason": None, "seed": 417, "model": "offline:narrator",
        "attempts": [
            {"violations": [{"rule": "time_forward", "path": "state_updates.world_data.world_time.hour", "message": "the clock went back from 21:15 to 20:15; leave the hour out or move it forward"}],
             "usage": {"input_tokens": 3120, "output_tokens": 610, "cache_read_tokens": 0, "cache_write_tokens": 0}, "seconds": 2.41},
            {"violations": [], "usage": {"input_tokens": 3380, "output_tokens": 590, "cache_read_tokens": 2048, "cache_write_tokens": 0}, "seconds": 1.98},
        ],
        "tokens": {"header": 1264, "retrieved": 1490, "history": 420},
        "history": {"messages": 2, "dropped": 0, "tokens": 420, "cut": 0, "whole": 0, "states": [], "summary": SECRET, "secret_notes": SECRET},
        **fields,
    }


def record(number: int = 1, **fields: Any) -> TurnRecord:
    """A turn of the store, with ``fields`` in place of its own."""
    values: dict[str, Any] = {
        "id": f"turn-{number}", "campaign_id": "ashen-keep", "number": number, "mode": "story", "audience": "player",
        "user_input": "I slip past the brazier.", "answer": as_text(answer()), "state_before": STATE, "manifest": manifest(),
        "fallback": None, "sparse": False, "created": BEGAN + datetime.timedelta(minutes=7 * number),
        "memory": {"narrative": "The bar gives.", "notes": [SECRET], "summary": {"upto": 10, "text": SECRET}}, **fields,
    }
    return TurnRecord(**values)


def records_of_all_kinds() -> list[TurnRecord]:
    """A campaign with a turn of each kind."""
    weighed = {"text": "Slip past", "description": "Blind side.", "risk_level": "high", "pros": ["quick"], "cons": ["wet"], "confidence": "low"}
    choices = {"a": weighed, "b": {**weighed, "risk_level": "safe"}}
    return [
        record(1), record(2, fallback="contract", sparse=True, manifest=manifest(sparse_reason="below_floor", chunks=[])), record(3, mode="god", audience="god", withdrawn=3),
        record(4, answer=as_text(answer(narrative="", planning_block={"thinking": "Two ways.", "choices": choices}))),
    ]


def event(request: TurnRequest) -> dict[str, Any]:
    """The telemetry of a turn, as its schema has it."""
    tokens = {"header": 1264, "contents": 0, "retrieved": 1490, "budget": 1500, "archive": 136106}
    return {
        "event": "turn_handled", "schema": 2, "version": "mar_2026", "release": "72940899923e403d", "header_sha256": "b0" * 32, "mode": request.mode,
        "audience": request.audience, "query_sha256": "c0" * 32, "query_chars": len(request.user_input), "retrieval_sparse": False, "sparse_reason": None,
        "floor": 0.36, "best_score": 0.64, "exhausted": False, "unfilled": [], "lanes": {"used": "both", "failed": {}}, "facets": [], "leaned": False,
        "chunks": [{"id": "mechanics#1", "version": "mar_2026", "section": "Mechanics", "score": 0.64, "lexical_score": 0.6, "dense_score": 0.7, "tokens": 200, "chars": 700, "partial": False, "pinned": False}],
        "dropped": [], "tokens": tokens, "cached": False, "ms": {"retrieve": 1.0, "assemble": 0.1},
        "history": {"messages": 0, "dropped": 0, "tokens": 0, "cut": 0, "whole": 0, "states": []},
        "turn": {
            "id": "turn-1", "deep_think": False, "model": "double", "seed": 417, "tray": False, "rolls": 1, "look_ups": [], "fallback": None,
            "attempts": [{"violations": ["time_forward"], "warnings": [], "error": False, "seconds": 1.0, "input_tokens": 3000, "output_tokens": 500, "cache_read_tokens": 0}],
            "tokens": {**tokens, "history": 0, "input": 6200, "output": 1020, "cache_read": 2048, "cache_write": 0, "reasoning": 0}, "usd": 0.0124, "ms": {"begin": 1.0, "finish": 1.0, "commit": 1.0},
        },
        **({} if request.audience == "player" else {"sources": [{"file": "mechanics.md", "lines": [[1, 9]]}]}),
    }


class NoDocuments:
    """Neither sheets nor notes of any campaign."""

    def stamps(self, campaign_id: str | None) -> dict[str, Any]:
        return {}


@dataclass
class MemoryStore:
    """Turns in a list, oldest first."""

    records: list[TurnRecord] = field(default_factory=list)
    documents: NoDocuments = field(default_factory=NoDocuments)
    bindings: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def bind(self, campaign_id: str, source_ids: Collection[str]) -> None:
        self.bindings[campaign_id] = tuple(sorted({*source_ids}))

    def bound(self, campaign_id: str) -> tuple[str, ...]:
        return self.bindings.get(campaign_id, ())

    def check(self) -> None:
        pass

    def turns(self, limit: int = 50, campaign_id: str | None = None, sparse: bool | None = None,
              before: str | None = None, *, fallback: bool | None = None, text: str = "") -> tuple[TurnRecord, ...]:
        found = [r for r in reversed(self.records) if campaign_id in {None, r.campaign_id}]
        if not found and campaign_id is not None:
            raise UnknownCampaignError(f"there is no campaign {campaign_id!r}; near: {', '.join({r.campaign_id for r in self.records})}")
        if before is not None:
            self.turn(before)
            found = found[[r.id for r in found].index(before) + 1:]
        return tuple([r for r in found if sparse in {None, r.sparse} and fallback in {None, r.fallback is not None} and text.lower() in r.user_input.lower()][:limit])

    def load(self, campaign_id: str) -> Campaign:
        last, *_ = self.turns(1, campaign_id)
        return Campaign(campaign_id, 1 + last.number, last.number, BEGAN, last.created, STATE)

    def create(self, campaign_id: str, state: Mapping[str, Any], title: str = "") -> Campaign:
        return Campaign(campaign_id, 1, 0, BEGAN, BEGAN, state, title=title)

    def campaigns(self, limit: int = 100, offset: int = 0) -> tuple[CampaignSummary, ...]:
        found = [self.load(name) for name in dict.fromkeys(r.campaign_id for r in reversed(self.records))]
        return tuple(CampaignSummary(c.id, c.version, c.turns, c.created, c.updated) for c in found[offset:offset + limit])

    def spending_limit(self, campaign_id: str) -> float | None:
        return None

    def limit_spending(self, campaign_id: str, usd: float | None) -> None:
        pass

    def retrievals(self, limit: int, campaign_id: str | None = None) -> Iterator[StoredRetrieval]:
        return (StoredRetrieval(r.id, r.user_input, r.manifest) for r in self.turns(limit, campaign_id))

    def export(self, campaign_id: str) -> dict[str, Any]:
        return {"format": 1, "state": self.load(campaign_id).state}

    def withdraw(self, turn_id: str) -> Campaign:
        return self.load(self.turn(turn_id).campaign_id)

    def retake(self, turn_id: str, state: Mapping[str, Any]) -> Campaign:
        return self.load(self.turn(turn_id).campaign_id)

    def branch(self, turn_id: str, campaign_id: str, most: int | None = None, title: str = "") -> Campaign:
        return replace(self.load(self.turn(turn_id).campaign_id), id=campaign_id, title=title)

    def counting(self, campaign_id: str, upto: int | None = None) -> int:
        return sum(r.campaign_id == campaign_id and r.withdrawn is None and (upto is None or r.number <= upto) for r in self.records)

    def rename(self, campaign_id: str, title: str) -> Campaign:
        return replace(self.load(campaign_id), title=title)

    def delete(self, campaign_id: str) -> int:
        return self.load(campaign_id).turns

    def turn(self, turn_id: str) -> TurnRecord:
        for found in self.records:
            if found.id == turn_id:
                return found
        raise UnknownTurnError(f"there is no turn {turn_id!r}")

    def neighbours(self, turn: TurnRecord) -> tuple[str | None, str | None]:
        found = {r.number: r.id for r in self.records if r.campaign_id == turn.campaign_id}
        return found.get(turn.number - 1), found.get(turn.number + 1)


@dataclass
class TellingHandler:
    """Answers every turn with ``tell(request)``, and keeps it. ``fails`` is raised instead."""

    tell: Callable[[TurnRequest], dict[str, Any]] = lambda request: answer()
    fails: Exception | None = None
    model: OfflineNarrator = field(default_factory=OfflineNarrator)
    store: MemoryStore = field(default_factory=MemoryStore)
    asked: list[TurnRequest] = field(default_factory=list)
    rebuilt: AssembledTurn | None = None
    looked_up: tuple[LookedUp, ...] = ()

    def close(self) -> None: ...

    def replay(self, turn_id: str) -> Replayed:
        return Replayed(self.store.turn(turn_id), self.rebuilt, self.rebuilt is not None, () if self.rebuilt else (f"release gone: {turn_id}",), self.looked_up)

    def stream(self, request: TurnRequest) -> Iterator[TurnEvent]:
        yield Stage("assembled", 0)
        result = self.handle(request)
        yield Narrative(str(result.response["narrative"]), 1)
        yield result

    def handle(self, request: TurnRequest) -> TurnResult:
        self.asked.append(request)
        if self.fails is not None:
            raise self.fails
        if request.user_input.lower().startswith(("god:", "god mode:")) and request.audience == "player":
            raise NotEntitledError("a player may not give God commands; ask with audience dm or god")
        response = self.tell(request)
        number = len(self.store.records) + 1
        kept = record(
            number, campaign_id=request.campaign_id, mode=request.mode, audience=request.audience, user_input=request.user_input,
            answer=as_text(response, request.mode),
        )
        self.store.records.append(kept)
        broken = Violation("time_forward", "state_updates.world_data", "the clock went back")
        return TurnResult(
            kept.id, request.campaign_id, request.mode, response, STATE, kept.answer,
            (Attempt(f"not this: {SECRET}", (broken,), Usage(3000, 500)), Attempt(kept.answer, (), Usage(3200, 520, 2048), 1.2)),
            (Roll("r1", "2d20kh1+5", "Stealth", (7, 16), 5, 21, "advantage", "DC", 13, True),),
            Usage(6200, 1020, 2048), None,
            event(request), ("mechanics#1",),
        )
