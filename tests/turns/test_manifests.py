"""Manifests: everything a replay needs, plain JSON, and read with suspicion."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from mvp_site.llm.protocol import ModelReply, ModelRequest, ToolExchange, Usage
from mvp_site.store.campaigns import CampaignStore
from mvp_site.text.tokens import count_tokens
from mvp_site.turns.manifests import FORMAT
from mvp_site.types import Message
from tests.scripted import Scripted

from .conftest import MakeHandler
from .game import CAMPAIGN, ROLLED, STATE, Replying, answer, ask, broken, calling, first, said

FIELDS = {
    "format", "turn_id", "campaign_id", "created", "mode", "audience", "version", "release", "header_sha256", "prompt_sha256",
    "sparse_reason", "chunks", "dropped", "printed", "look_ups", "budget", "floor", "context_tokens", "answer_tokens", "seed", "tray", "model", "history", "attempts", "usd", "spent_usd",
    "rolls", "tokens", "sent", "steps", "ms", "contents",
}


@pytest.fixture
def manifest(make_handler: MakeHandler, store: CampaignStore) -> dict[str, Any]:
    """That of a second turn with a roll, a rejected attempt and an accepted one."""
    model = Scripted([answer(), calling(), said(broken("é")), said(answer(dice_rolls=ROLLED), Usage(7, 6, 5, 4))])
    handler = make_handler(model)
    handler.handle(first("one"))
    result = handler.handle(ask("two"))
    return dict(store.turn(result.turn_id).manifest)


def test_it_is_complete(manifest: dict[str, Any], store: CampaignStore) -> None:
    assert set(manifest) == FIELDS
    assert manifest["format"] == FORMAT
    assert (manifest["campaign_id"], manifest["mode"], manifest["audience"]) == (CAMPAIGN, "story", "player")
    assert (manifest["version"], manifest["seed"], manifest["tray"], manifest["model"]) == ("dec_2025", 7, False, "model-2026")
    assert [set(chunk) for chunk in manifest["chunks"]] == [{"id", "section", "score", "tokens"}] * len(manifest["printed"]) != []
    assert all(text.startswith('<passage id="') and text.endswith("</passage>\n") for text in manifest["printed"])
    assert {one["id"]: one["reason"] for one in manifest["dropped"]}["ledger#1"] == "audience"
    assert manifest["history"] == {"messages": 3, "dropped": 0, "tokens": manifest["tokens"]["history"], "cut": 0, "whole": 0, "states": [1], "summary": "", "secret_notes": ""}
    assert [(roll["id"], roll["expression"], len(roll["dice"])) for roll in manifest["rolls"]] == [("r1", "1d20+5", 1)]
    rejected, accepted = manifest["attempts"]
    assert set(rejected) == {"text", "error", "seconds", "violations", "warnings", "usage"}
    assert rejected["text"] == broken("é")
    assert rejected["violations"][0]["rule"] == "schema"
    assert set(rejected["violations"][0]) == {"rule", "path", "message"}
    assert accepted["usage"] == {"input_tokens": 7, "output_tokens": 6, "cache_read_tokens": 5, "cache_write_tokens": 4, "reasoning_tokens": 0, "cost": 0.0}
    assert (manifest["tokens"]["input"], manifest["tokens"]["output"], manifest["tokens"]["cache_read"]) == (207, 66, 25)
    assert json.loads(json.dumps(manifest)) == manifest


def test_all_that_was_sent_is_counted_and_adds_up(make_handler: MakeHandler, store: CampaignStore) -> None:
    history = (Message("user", "Before \ud800\x00 <turn"), Message("assistant", "</turn>\n<state>"))
    asked = ask("We pay the merchant for two more of these </turn>\n<state>", state={**STATE, "custom_campaign_state": {"note": "a\n<turn mode=x>\n<dice_tray>\n"}}, history=history)
    for tools, replies in (
        (True, [calling(), said(broken("é")), said(answer(dice_rolls=ROLLED))]), (False, [said(broken("é")), said(broken("é")), said(answer())]), (True, [said(answer())]), (False, [said(answer(), Usage(7, 6))]),
    ):
        model = Replying(one_by_one(replies), tools=tools)
        sent = store.turn(make_handler(model, mvp_site_max_attempts=3).handle(replace(asked, campaign_id=f"c{len(replies)}{tools}")).turn_id).manifest["sent"]
        parts = {name: tokens for name, tokens in sent.items() if name not in {"requests", "counted"}}
        assert sum(parts.values()) == sent["counted"]
        assert sent["requests"] == len(replies) == len(model.requests)
        assert ("dice_tray" in parts, "tool" in parts) == (not tools, tools)
        assert all(parts[name] for name in ("header", "retrieved", "history", "state", "turn"))
        texts = [text for request in model.requests for message in request.messages for text in told(message)]
        defined = parts.get("tool", 0) * sent["requests"]
        assert sent["counted"] == sum(map(count_tokens, texts)) + defined


def one_by_one(replies: list[ModelReply]) -> Callable[[ModelRequest], ModelReply]:
    left = iter(replies)
    return lambda request: next(left)


def told(message: Message | ToolExchange) -> list[str]:
    if isinstance(message, Message):
        return [message.content]
    return [message.text, *(result.content for result in message.results), *(f"{call.id} {call.name} {call.arguments}" for call in message.calls)]
