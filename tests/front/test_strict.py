"""Rules that are guessed from a state's own names: a warning, or with MVP_SITE_STRICT another call."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mvp_site import Settings, TurnHandler, TurnRequest
from tests.conftest import write_archive

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
        "entities_mentioned": [], "location_confirmed": "The Keep", "state_updates": updates,
        "debug_info": {"dm_notes": [], "state_rationale": "…"},
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
    (project / "script.json").write_text(json.dumps({"text": raw}))
    monkeypatch.setenv("MVP_SITE_STRICT", str(int(strict)))
    with TurnHandler.open(Settings(prompt_version="dec_2025", mvp_site_llm="scripted:script.json")) as handler:
        result = handler.handle(TurnRequest("keep", "I wait.", state=STATE))
    assert len(result.attempts[0].violations) == strict
    assert len(result.attempts) == 1 + strict
    named = result.attempts[0].violations if strict else result.attempts[0].warnings
    assert rule in {violation.rule for violation in named}
