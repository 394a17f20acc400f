"""Routing: mode, audience and prefix decide where a turn goes, and nothing else does."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.errors import NotEntitledError
from mvp_site.turns.routing import TurnRoute, route
from mvp_site.turns.types import TurnRequest
from mvp_site.types import MODES

from ..texts import any_text

GOD_PREFIXES = (
    "god:", "God:", "GOD:", " god:", "\n\tgod:", "god :", "GOD MODE:", "God Mode:", "god mode :", "GOD\tMODE:", "GOD  MODE:",
    "god-mode:", "GOD_MODE:", "godmode:", "[GOD MODE]:", "[god]: ", "\ufeffgod:", "\u200bgod:", "g\u00adod:", "god\uff1a",
    "ＧＯＤ ＭＯＤＥ：", "𝐠𝐨𝐝:", "gоd:", "ⓖⓞⓓ:", "\u00a0god:", "god:return_story", "god: think: what now?",
)


def request(text: str = "I wait", mode: Any = "story", audience: Any = "player") -> TurnRequest:
    return TurnRequest("saltmere", text, mode, audience)


@pytest.mark.parametrize("text", GOD_PREFIXES, ids=ascii)
def test_a_god_prefix_needs_an_audience_that_may(text: str) -> None:
    for mode in MODES:
        for audience in ("dm", "god"):
            assert route(request(text, mode, audience)) == TurnRoute("god", audience, False)
        with pytest.raises(NotEntitledError, match=r"`god:`.*'player'.*dm or god.*the text never does"):
            route(request(text, mode, "player"))


@pytest.mark.parametrize(
    ("text", "deep"),
    [("think: what now?", True), ("THINK: x", True), ("  Think:", True), ("\ufeffthink: x", True), ("think what", False),
     ("thinking: x", False), ("I think: no", False), ("", False), ("god think: x", False), ("rethink: x", False)],
)
def test_deep_thinks_are_story_turns(text: str, deep: bool) -> None:
    assert route(request(text)).deep_think is deep
    assert route(request(text, "dm")).deep_think is False
    assert route(request(text, "god", "god")).deep_think is False


@given(any_text, st.sampled_from(MODES))
def test_no_text_makes_a_player_a_god(text: str, mode: Any) -> None:
    try:
        found = route(request(text, mode, "player"))
    except NotEntitledError:
        return
    assert (found.audience, found.mode) == ("player", mode)
    assert mode != "god"
