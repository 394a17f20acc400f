"""Hints: what a turn resembles and what the state says raise the passages that they call for."""

from __future__ import annotations

from pathlib import Path

import pytest

from mvp_site.retrieval import disk
from mvp_site.retrieval.hints import Hints

from ..conftest import settings_under
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


def test_loaded_hints_are_the_dumped_ones(tmp_path: Path) -> None:
    assembler_of(tmp_path, FILES, situations=SITUATIONS)
    shelf = settings_under(tmp_path).prompt_index_dir / "dec_2025"
    files = disk.load(shelf, disk.current(shelf) or "").files
    dumped = Hints.load(files).dump()
    assert dumped
    assert {name: files[name] for name in dumped} == dumped


def test_an_empty_table_gives_no_hint(tmp_path: Path) -> None:
    turn = assembler_of(tmp_path, FILES).assemble("initiative", state={"combat_state": {"in_combat": True}})
    assert turn.telemetry["situations"] == []
    assert turn.chunks[0].id == "combat#1"
