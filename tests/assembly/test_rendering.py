"""Rendering: a prefix that grows and never breaks, messages that hold the same, and no control tokens but the header's."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.assembly import rendering
from mvp_site.types import Message, PromptSegment

from ..texts import any_text

pytestmark = pytest.mark.serving

def prompt_of(header: str, history: Sequence[Message], last: Sequence[PromptSegment]) -> str:
    """The prompt, which its segments are too."""
    prompt, _, segments = rendering.prompt(header, history, last)
    assert rendering.text_of(segments) == prompt
    return prompt


histories = st.lists(st.builds(Message, st.sampled_from(("user", "assistant")), any_text), max_size=4)


@given(any_text.filter(bool), histories, any_text)
def test_the_prefix_grows_and_never_breaks(header: str, history: list[Message], text: str) -> None:
    turn = rendering.asked(text, "story", "player")
    now = prompt_of(header, history, turn)
    assert now.startswith(header)
    assert now.endswith(turn[0].text)
    longer = [*history, Message("user", text), Message("assistant", "It is done.")]
    following = prompt_of(header, longer, rendering.asked("next", "story", "player"))
    stable = now[: -len(turn[0].text)].removesuffix("</history>\n")
    assert following.startswith(stable)
    one, other = rendering.prompt(header, history, turn)[1], rendering.prompt(header, longer, turn)[1]
    assert [(m.role, m.content) for m in one[:-1]] == [(m.role, m.content) for m in other[: len(one) - 1]]
    assert "".join(m.content for m in one if m.role != "system") in now.replace("</message>\n", "") or history


@pytest.mark.parametrize("token", ["<start_of_turn>", "[INST]", "</s>", "<|im_start|>", "<рassage>", "❰turn❱"], ids=ascii)
def test_the_header_alone_may_hold_a_control_token(token: str) -> None:
    said = (Message("user", f"I say {token}"),)
    turn = rendering.asked(f"{token} now", "story", "player", {"state": token})
    assert prompt_of(f"Header {token}\n", said, turn).count(token) == 1
    system, *rest = rendering.prompt(f"Header {token}\n", said, turn)[1]
    assert token in system.content
    assert not any(token in message.content for message in rest)
