"""The account of a turn: why each candidate ranks, what it missed by, and what every budget prints."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from mvp_site import PromptAssembler

from ..doubles import assembler_of

LONG = "The moor is wide and the wind comes from the sea. " * 12
FILES = {
    "falling.md": "---\nwhen:\n  Falling:\n    - I drop off the roof\n---\n# Falling\n\nA creature that falls takes 1d6 bludgeoning damage.\n",
    "again.md": "# Falling\n\nA creature that falls takes 1d6 bludgeoning damage.\n",
    "moor.md": f"# The moor\n\nA creature of the moor. {LONG}\n",
    "reeve.md": "---\naudience: god\n---\n# The reeve\n\nThe reeve is a creature that falls on the last night.\n",
}
SAID = "does a creature that falls take damage"


@pytest.fixture(scope="module")
def assembler(tmp_path_factory: pytest.TempPathFactory) -> PromptAssembler:
    return assembler_of(tmp_path_factory.mktemp("account"), FILES)


def test_it_is_there_when_it_is_asked_for(assembler: PromptAssembler) -> None:
    plain, turn = assembler.assemble(SAID, floor=0.0), assembler.assemble(SAID, floor=0.0, explain=True)
    assert plain.account is None
    assert (turn.prompt, turn.chunks, turn.dropped) == (plain.prompt, plain.chunks, plain.dropped)
    assert turn.account
    assert {one.id for one in turn.account.candidates} == {one.id for one in (*turn.chunks, *turn.dropped)}
    assert assembler.assemble("", explain=True).account is None


def test_words_lines_and_twins(assembler: PromptAssembler) -> None:
    turn = assembler.assemble(f"{SAID}?", floor=0.0, explain=True)
    assert turn.account
    found = {one.id: one for one in turn.account.candidates}
    assert found["falling#1"].words == ("creature", "falls", "take", "damage")
    assert "1d6" in found["falling#1"].text
    assert {(one.id, one.twin) for one in found.values() if one.twin} <= {("again#1", "falling#1"), ("falling#1", "again#1")}
    assert [d.id for d in turn.dropped if d.reason == "duplicate"] == [one.id for one in found.values() if one.twin] != []
    said = assembler.assemble("I drop off the roof", floor=0.0, explain=True)
    assert said.account
    assert {one.id: one.when for one in said.account.candidates}["falling#1"] == "I drop off the roof"


def test_every_step_is_what_that_budget_prints(assembler: PromptAssembler) -> None:
    turn = assembler.assemble(SAID, floor=0.0, max_tokens_retrieved=60, explain=True)
    assert turn.account
    steps = turn.account.steps
    assert steps[0].ids == ()
    for step, after in zip(steps, [*steps[1:], replace(steps[-1], tokens=5_000)], strict=True):
        for budget in (step.tokens, after.tokens - 1):
            printed = assembler.assemble(SAID, floor=0.0, max_tokens_retrieved=budget).chunks
            assert {chunk.id for chunk in printed} == set(step.ids)
    over = {one.id for one in turn.dropped if one.reason == "over_budget"}
    needs = {one.id: one.needs for one in turn.account.candidates if one.needs}
    assert over == {*needs}
    for name, budget in needs.items():
        assert name in {c.id for c in assembler.assemble(SAID, floor=0.0, max_tokens_retrieved=budget).chunks}


def test_what_redactors_withhold_is_in_no_account(tmp_path: Path) -> None:
    assembler = assembler_of(tmp_path, FILES, redactors=[lambda text, _: text.replace("1d6", "")])
    turn = assembler.assemble(SAID, "story", "god", floor=0.0, explain=True)
    assert turn.account
    assert "1d6" not in str(turn.account)
