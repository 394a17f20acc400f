"""A contract of plain prose: no dice are offered that no answer shows, and `init` says what it wrote."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from .conftest import CASES, Command

SCHEMA = {"answer": "json", "narrative": "reply", "fallback": {"reply": "Say again?"}, "schema": {
    "type": "object", "required": ["reply"], "properties": {"reply": {"type": "string"}}}}
ROLLING = {**SCHEMA, "fallback": {"reply": "Say again?", "dice_rolls": []}, "schema": {
    "type": "object", "properties": {"reply": {"type": "string"}, "dice_rolls": {"type": "array"}}}}


@pytest.mark.parametrize(("contract", "offered"), [({"answer": "text"}, False), (SCHEMA, False), (ROLLING, True), (None, True)])
def test_dice_are_offered_where_answers_show_rolls(command: Command, project: Path, monkeypatch: pytest.MonkeyPatch,
                                                   contract: dict[str, object] | None, offered: bool) -> None:
    folder = project / "prompt_archive/v1"
    folder.mkdir(parents=True)
    (folder / "core_header.txt").write_text("You are the narrator.\n")
    (folder / "rules.md").write_text("# Doors\n\nDoors stick in the rain.\n")
    if contract:
        (folder.parent / "contract.json").write_text(json.dumps(contract))
    assert command("index", "build").exit_code == 0
    call = {"calls": [{"name": "roll_dice", "arguments": {"expression": "1d20", "purpose": "doors"}}]}
    (project / "said.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in [call, *[{"text": json.dumps({"reply": "It sticks.", "dice_rolls": []})}] * 8]))
    monkeypatch.setenv("MVP_SITE_LLM", "scripted:said.jsonl")
    shown = command("turn", "I open the door", "--json")
    turn = json.loads(shown.stdout)
    assert bool(turn["rolls"]) == offered, shown.stdout


@pytest.mark.parametrize(("text", "line"), [
    ("# Form\n\nAlways reply with one JSON object.\n", 3), ("You are the bard.\nRespond ONLY in valid JSON.\n", 2), ("Antworte immer als JSON-Objekt.\n", 1),
    ("# Output format\n\nJSON only, no prose around it.\n", 3), ("Never answer in JSON.\nWrite prose.\n", None), ("# The inn\n\nThe inn is loud.\n", None),
])
def test_init_says_that_it_wrote_a_contract_of_prose_for_a_prompt_that_asks_for_json(command: Command, project: Path, text: str, line: int | None) -> None:
    (project / "prompt.txt").write_text(text)
    shown = command("init", "game", "--from", "prompt.txt")
    assert shown.exit_code == 0
    assert json.loads((project / "game/prompt_archive/contract.json").read_text()) == {"answer": "text"}
    told = " ".join(shown.stdout.split())
    assert ("asks for JSON" in told) == (line is not None)
    assert line is None or ("line" in told and "prompt_archive/contract.json" in told and text.splitlines()[line - 1] in told)


def test_the_preamble_with_its_json_is_in_the_header_and_init_says_so(command: Command, project: Path) -> None:
    shutil.copyfile(CASES / "runner/preamble_unfenced_json/prompt.txt", project / "prompt.txt")
    told = " ".join(command("init", "game", "--from", "prompt.txt").stdout.split())
    header = (project / "game/prompt_archive/v1/core_header.txt").read_text()
    assert header.startswith("You are the keeper")
    assert "Never invent a room id" in header
    assert '"mood": "calm"' in header
    assert "answers: JSON, as an example in the prompts shows it (telling, deeds, mood); the player reads telling" in told
    assert json.loads((project / "game/prompt_archive/contract.json").read_text())["schema"]["required"] == ["telling", "deeds", "mood"]
