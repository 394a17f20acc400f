"""A watched model is the model, and remembers a refusal."""

from __future__ import annotations

import asyncio

import pytest

from mvp_site.errors import ModelRequestError, ModelUnavailableError
from mvp_site.evaluation.watched import Watched
from mvp_site.llm.protocol import Model, ModelReply, ModelRequest
from mvp_site.llm.scripted import ScriptedModel
from mvp_site.types import Message

ASKED = ModelRequest((Message("user", "Well?"),))


def test_everything_is_passed_on() -> None:
    scripted = ScriptedModel.from_replies(["a", "b", "c", "d"], tools=False)
    model: Model = Watched(scripted)

    async def answered() -> list[str | ModelReply]:
        return [await model.acomplete(ASKED), *[piece async for piece in model.astream(ASKED)]]

    assert (model.name, model.tools) == (scripted.name, False)
    assert model.complete(ASKED).text == "a"
    assert [piece if isinstance(piece, str) else piece.text for piece in model.stream(ASKED)] == ["b", "b"]
    assert [piece if isinstance(piece, str) else piece.text for piece in asyncio.run(answered())] == ["c", "d", "d"]
    assert scripted.requests == (ASKED,) * 4


def test_a_refusal_is_kept_and_a_failure_is_not() -> None:
    down, refused = ModelUnavailableError("asleep"), ModelRequestError("the key is wrong")
    with Watched(ScriptedModel.from_replies([down, refused])) as model:
        with pytest.raises(ModelUnavailableError):
            model.complete(ASKED)
        assert model.refused is None
        with pytest.raises(ModelRequestError) as raised:
            model.complete(ASKED)
        assert model.refused is raised.value
