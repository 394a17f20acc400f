"""Contracts at play: dice where answers show them, what init says of a contract of prose, and rules that are guessed from a state."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from mvp_site import Settings, TurnRequest
from tests.conftest import write_archive

from .conftest import CASES, Command, scripted, write, write_prompts

SCHEMA = {"answer": "json", "narrative": "reply", "fallback": {"reply": "Say again?"}, "schema": {
    "type": "object", "required": ["reply"], "properties": {"reply": {"type": "string"}}}}
ROLLING = {**SCHEMA, "fallback": {"reply": "Say again?", "dice_rolls": []}, "schema": {
    "type": "object", "properties": {"reply": {"type": "string"}, "dice_rolls": {"type": "array"}}}}


@pytest.mark.parametrize(("contract", "offered"), [({"answer": "text"}, False), (SCHEMA, False), (ROLLING, True), (None, True)])
def test_dice_are_offered_where_answers_show_rolls(command: Command, project: Path, monkeypatch: pytest.MonkeyPatch,
                                                   contract: dict[str, object] | None, offered: bool) -> None:
    write(write_prompts(project), {"contract.json": contract} if contract else {})
    assert command("index", "build").exit_code == 0
    call = {"calls": [{"name": "roll_dice", "arguments": {"expression": "1d20", "purpose": "doors"}}]}
    write(project, {"said.jsonl": "".join(f"{json.dumps(one)}\n" for one in [call, *[{"text": json.dumps({"reply": "It sticks.", "dice_rolls": []})}] * 8])})
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


STATE: dict[str, Any] = {
    "player_character_data": {"id": "pc_kaela_001", "class": "Ranger", "level": 1, "hp_current": 9, "hp_max": 12, "hit_dice": {"current": 0, "max": 1}},
    "location_data": {"loc_keep_001": {"name": "The Keep"}, "loc_mill_002": {"name": "The Mill"}},
    "world_data": {"current_location_id": "loc_keep_001", "world_time": dict(zip(("year", "month", "day", "hour", "minute", "second", "microsecond"), (1492, 5, 4, 21, 15, 0, 0), strict=True))},
}


def answer(updates: dict[str, Any], resources: str = "HD 0/1 | No Spells Yet (Level 2+) | Exhaustion 0") -> str:
    minute = updates["world_data"].get("world_time", {}).get("minute", 15)
    choice = {"text": "Wait", "description": "Hold still.", "risk_level": "safe"}
    return "[Mode: STORY MODE]\n" + json.dumps({
        "session_header": f"[SESSION_HEADER]\nTimestamp: 1492, 5 4, 21:{minute}:00\nLocation: The Keep\nStatus: Lvl 1 Ranger | HP 9/12 | XP ?/? | Gold ?gp",
        "resources": resources, "narrative": "The gate stays shut, and the rain goes on.",
        "planning_block": {"thinking": "…", "choices": {"wait": choice, "go_on": choice}}, "dice_rolls": [], "god_mode_response": "",
        "entities_mentioned": [], "location_confirmed": "The Keep", "state_updates": updates, "debug_info": {"dm_notes": [], "state_rationale": "…"},
    })


@pytest.mark.parametrize(("rule", "raw"), [
    ("half_caster", answer({"world_data": {"world_time": {"minute": 16}}}, "HD 0/1 | Spells L1 0/0 | Exhaustion 0")),
    ("travel_time", answer({"world_data": {"current_location_id": "loc_mill_002"}}).replace("confirmed\": \"The Keep", "confirmed\": \"The Mill")
     .replace("Location: The Keep", "Location: The Mill")),
    ("rest_time", answer({"player_character_data": {"hit_dice": {"current": 1}}, "world_data": {"world_time": {"minute": 16}}}).replace("HD 0/1", "HD 1/1")),
])
@pytest.mark.parametrize("strict", [False, True])
def test_a_guess_costs_another_call_only_where_that_is_asked_for(project: Path, monkeypatch: pytest.MonkeyPatch, rule: str, raw: str, strict: bool) -> None:
    write_archive(project)
    monkeypatch.setenv("MVP_SITE_STRICT", str(int(strict)))
    with scripted(project, {"text": raw}, settings=Settings(prompt_version="dec_2025")) as handler:
        result = handler.handle(TurnRequest("keep", "I wait.", state=STATE))
    assert len(result.attempts[0].violations) == strict
    assert len(result.attempts) == 1 + strict
    named = result.attempts[0].violations if strict else result.attempts[0].warnings
    assert rule in {violation.rule for violation in named}
