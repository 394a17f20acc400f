"""IntentModel: what a turn resembles and what the state says raise the passages that they call for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.retrieval.encoder import HashingEncoder
from mvp_site.retrieval.fusion import Fusion
from mvp_site.retrieval.index import HybridIndex, Passage, VectorCache
from mvp_site.retrieval.intent_model import IntentModel, main_axes

from ..doubles import NO_SITUATIONS, assembler_of

pytestmark = pytest.mark.serving

FILES = {
    "combat.md": "# Combat\n\nEveryone rolls initiative and acts in order of the totals, round by round.",
    "rest.md": "# Resting\n\nA night of sleep restores every hit point and half of the hit dice.",
    "trade.md": "# Trade\n\nA merchant pays half of the listed price for goods in fair order.",
}
SITUATIONS = NO_SITUATIONS + """
[[situation]]
id = "fight"
says = ["I draw my blade and rush him", "they leap at us"]
rules = "combat, initiative, order, round"
state = ["in_combat"]

[[situation]]
id = "tired"
says = ["we are worn out and lie down"]
rules = "resting, sleep, restores hit points"
state = ["resting"]

[[situation]]
id = "asked"
says = ["what now, my friends?"]
rules = "trade, merchant"
"""


def scores(tmp_path: Path, text: str, state: dict[str, object] | None) -> dict[str, float]:
    """The evidence of every chunk, printed or not."""
    found = assembler_of(tmp_path, FILES, situations=SITUATIONS).retrieve(text, state=state)
    return {c.id: c.score for c in (*found.chunks, *found.dropped)}


@pytest.mark.parametrize(
    ("state", "called"),
    [
        ({"combat_state": {"in_combat": True}}, "combat#1"),
        ({"player_character_data": {"resting": True}}, "rest#1"),
    ],
)
def test_the_state_raises_the_passages_of_its_situations(tmp_path: Path, state: dict[str, object], called: str) -> None:
    plain = scores(tmp_path, "what now, my friends?", None)
    stated = scores(tmp_path, "what now, my friends?", state)
    raised = {name: stated[name] - plain[name] for name in plain}
    assert raised[called] > 0
    assert max(raised, key=lambda name: raised[name]) == called
    assert all(0 <= score <= 1 for score in (*plain.values(), *stated.values()))


def test_a_turn_in_a_players_words_raises_what_its_situation_calls_for(tmp_path: Path) -> None:
    found = assembler_of(tmp_path, FILES, situations=SITUATIONS).assemble("I draw my blade and rush him")
    assert found.chunks[0].id == "combat#1"
    (name, strength), *_ = found.telemetry["situations"]
    assert name == "fight"
    assert 0 < strength <= 1


def test_an_empty_table_is_hints_that_hint_at_nothing() -> None:
    encoder, nothing = HashingEncoder(), np.empty((0, 64), np.float32)
    index = HybridIndex.build([Passage("0", ("Rule",), "a rule")], encoder, VectorCache(encoder))
    empty = IntentModel.build((), nothing, nothing, index, Fusion())
    assert empty.resembling(np.ones(64, np.float32)) == []
    assert empty.scores([]).tolist() == [0.0]


@given(st.integers(1, 40), st.integers(1, 12), st.integers(1, 15), st.integers(0, 1000))
def test_the_main_axes_keep_as_much_of_the_directions_as_can_be_kept(
    situations: int, dimension: int, count: int, seed: int
) -> None:
    directions = np.random.default_rng(seed).standard_normal((situations, dimension)).astype(np.float32)
    axes = main_axes(directions, count)
    assert axes.dtype == np.float32
    assert axes.flags.c_contiguous
    assert axes.shape == (min(count, dimension), dimension)
    assert axes @ axes.T == pytest.approx(np.eye(len(axes)), abs=1e-4)
    spread = np.linalg.svd(directions.astype(np.float64), compute_uv=False)[: len(axes)]
    assert float(((directions @ axes.T) ** 2).sum()) == pytest.approx(float((spread**2).sum()), rel=1e-3)
