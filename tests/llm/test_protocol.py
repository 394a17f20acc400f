"""Values of the protocol, and who keeps it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mvp_site.llm.anthropic_model import AnthropicModel
from mvp_site.llm.openai_model import OpenAIModel
from mvp_site.llm.protocol import Model, Usage
from mvp_site.llm.scripted import ScriptedModel

MEMBERS = [name for name in vars(Model) if not name.startswith("_")]


def test_usage_adds_up() -> None:
    total = Usage(100, 10, 60, 20) + Usage(1, 2, 3, 4)
    assert total == Usage(101, 12, 63, 24)
    assert total.total_tokens == 113
    assert sum([Usage(1), Usage(2)], Usage()) == Usage(3)


@pytest.mark.parametrize("kind", [OpenAIModel, AnthropicModel, ScriptedModel])
@pytest.mark.parametrize("member", MEMBERS)
def test_every_model_has_every_member(kind: Callable[..., Any], member: str) -> None:
    assert hasattr(kind, member)
