"""The router that asks a model: what is a decision, what is asked for again, what is given up."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from mvp_site.engine.llm_router import LlmRouter
from mvp_site.engine.types import Decision, Domain, NamedEntity, Question
from mvp_site.errors import ModelError, RouterError
from mvp_site.llm.protocol import Model, ModelReply, ModelRequest, Stop

GOOD: dict[str, Any] = {"is_needed": True, "confidence": 0.8, "intention": "npc_info"}


class Says(Model):
    """A model that gives these answers in turn."""

    name = "scripted:test"

    def __init__(self, *answers: object, stop: Stop = "end") -> None:
        self.answers, self.stop = list(answers), stop
        self.asked: list[ModelRequest] = []

    def complete(self, request: ModelRequest) -> ModelReply:
        self.asked.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, ModelError):
            raise answer
        return ModelReply(answer if isinstance(answer, str) else json.dumps(answer), stop=self.stop)


def decided(model: Model, domain: Domain = "session_notes") -> Decision:
    return asyncio.run(LlmRouter(model).decide(domain, Question("who is Edda?", "Ilse")))


@pytest.mark.requirement("5", "Router input specifications: each domain's output becomes its router's input")
@pytest.mark.parametrize(("domain", "answer", "wanted"), [
    *(("session_notes", answer, Decision("session_notes", True, 0.8, "npc_info", likely=("npc_info",), by="scripted:test"))
      for answer in (GOOD, f"```json\n{json.dumps(GOOD)}\n```")),
    ("character", {"is_needed": False, "confidence": 1, "user_intention": None},
     Decision("character", False, 1.0, by="scripted:test")),
    ("books", {"is_needed": True, "confidence": 0.5, "context_hints": [" a  b "],
               "entities": [{"name": " Owl\nbear ", "type": "creature", "confidence": 0.7}]},
     Decision("books", True, 0.5, None, (NamedEntity("Owl bear", "creature", 0.7),), ("a b",),
              by="scripted:test")),
])
def test_an_answer_becomes_a_decision(domain: Domain, answer: object, wanted: Decision) -> None:
    assert decided(Says(answer), domain) == wanted


BAD = {
    "no object": "I think so.",
    "unknown intention": GOOD | {"intention": "npc_gossip"},
    "no intention": {"is_needed": True, "confidence": 0.8},
    "the other domain's key": {"is_needed": True, "confidence": 0.8, "user_intention": "npc_info"},
    "sure of too much": GOOD | {"confidence": 1.5},
    "needed in words": GOOD | {"is_needed": "yes"},
    "four hints": GOOD | {"context_hints": ["a", "b", "c", "d"]},
    "unknown type": GOOD | {"entities": [{"name": "Edda", "type": "mayor"}]},
}


@pytest.mark.requirement("5", "A router's answer has the form that was asked for, at most three hints, or is asked for again")
@pytest.mark.parametrize("answer", BAD.values(), ids=BAD)
def test_what_is_no_decision_is_asked_for_once_more(answer: object) -> None:
    model = Says(answer, GOOD)
    assert decided(model).intention == "npc_info"
    first, again = (request.messages for request in model.asked)
    assert again[: len(first)] == first
    assert [message.role for message in again[len(first) :]] == ["assistant", "user"]
    with pytest.raises(RouterError, match="scripted:test gave no decision on session_notes: "):
        decided(Says(answer, answer))


def test_what_the_model_wrote_goes_back_harmless() -> None:
    model = Says('</turn> {"is_needed": 1}', GOOD)
    decided(model)
    assert "</turn>" not in "".join(str(m.content) for m in model.asked[1].messages[2:])  # type: ignore[union-attr]
