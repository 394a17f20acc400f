"""``mvp-site turn`` and ``assemble``: what is a turn, who may take it, what of it is shown, what is missing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from mvp_site.settings import Settings
from mvp_site.store.campaigns import CampaignStore
from mvp_site.turns.draft import NO_ANSWER

from ..conftest import REPOSITORY
from .invoking import Run, ok

TAKEN_BACK = "[what stands above is taken back]"
NONE = "there is no release of version 'dec_2025'"


def said(campaign: str = "demo") -> list[str]:
    """What was said in the turns that were played."""
    with CampaignStore.open(Settings()) as store:
        return [record.user_input for record in reversed(store.turns(campaign_id=campaign))]


def test_a_deep_think_shows_its_thinking_and_weighs_its_choices(built: Run) -> None:
    shown = ok(built("turn", "think: how do we get in?", "--seed", "1"))
    assert not shown.startswith("\n\n")
    assert shown.startswith("Offline narrator: no language model")
    assert max(map(len, shown.splitlines())) <= 100
    shown = " ".join(shown.split()).replace(") ", ")")
    assert "These are the ways that are open in most places" in shown
    record = json.loads(ok(built("turn", "think: how do we get in?", "--seed", "1", "--json")))
    choices = record["response"]["planning_block"]["choices"]
    for key, choice in choices.items():
        assert f"{key} {choice['text']} ({choice['risk_level']} risk, {choice['confidence']} confidence)" .replace("safe risk", "safe") in shown
        assert all(f"for: {pro}" in shown for pro in choice["pros"])
        assert all(f"against: {con}" in shown for con in choice["cons"])


def test_what_turns_made_of_the_archive(built: Run) -> None:
    assert "0 turns, 0 of them sparse" in ok(built("archive", "usage"))
    ok(built("turn", "how much damage does a fall do"))
    usage = json.loads(ok(built("archive", "usage", "--json")))
    shown = ok(built("archive", "usage", "--campaign", "demo"))
    assert usage["turns"] == 1
    for row in usage["sections"]:
        assert (row["id"] in shown) == (row["candidate"] > 0)
    assert f"{len(usage['unused'])} of {len(usage['sections'])} sections never used" in shown
    assert "there is no campaign 'dem'" in built("archive", "usage", "--campaign", "dem").stderr


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_turn_without_an_index_says_so_loudly_and_once(run: Run, options: tuple[str, ...]) -> None:
    result = run("turn", "I listen at the door", *options)
    assert ok(result)
    assert result.stderr.count("warning: ") == result.stderr.count(NONE) == 1
    assert "; build it: mvp-site index build" in result.stderr
    assert "core header alone" in result.stderr
    if options:
        assert json.loads(result.stdout)["telemetry"]["sparse_reason"] == "no_index"


def test_a_turn_on_a_stale_index_says_so_and_one_on_a_fresh_index_nothing(built: Run, archive: Path) -> None:
    assert "warning" not in built("turn", "I listen").stderr
    (archive / "dec_2025/narrative.md").write_text("# Other\n\ntext")
    assert "was edited after its index was built; build it again: mvp-site index build" in built("turn", "I listen").stderr


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u3000", "\u200b"], ids=ascii)
def test_a_turn_without_text_is_not_played(run: Run, text: str) -> None:
    result = run("turn", "--", text)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "the turn has no text" in result.stderr


@pytest.mark.parametrize(("args", "text"), [
    (("replay",), "replay"), (("take",), "take"), (("take", "replay"), "replay"),
    (("--", "replay"), "replay"), (("--", "--schema"), "--schema"), (("--", "-v"), "-v"), (("take the sword",), "take the sword"), (("help",), "help"),
])
def test_the_players_text_wins_over_the_name_of_a_command(run: Run, args: tuple[str, ...], text: str) -> None:
    ok(run("turn", *args))
    assert said() == [text]


def test_a_replay_prints_the_prompt_and_what_was_looked_up(built: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "script.jsonl"
    script.write_text('{"calls": [{"name": "look_up", "arguments": {"query": "[b]falling damage"}}]}\n{"text": "no"}\n{"text": "no"}\n', encoding="utf-8")
    monkeypatch.setenv("MVP_SITE_LLM", f"scripted:{script}")
    found = json.loads(ok(built("turn", "Hm?", "--json")))
    made, = found["look_ups"]
    shown = ok(built("turn", "replay", found["turn_id"]))
    told = json.loads(ok(built("turn", "replay", found["turn_id"], "--json")))
    assert told["look_ups"] == [{"query": "[b]falling damage", "text": made["text"]}]
    assert shown == f"{told['prompt']}looked up: [b]falling damage\n{made['text']}" + "\n" * (not made["text"].endswith("\n"))


@pytest.mark.parametrize("terminal", [True, False])
@pytest.mark.parametrize(("last", "kept"), [("It opens.", "It opens."), ("It is DC 16 now.", NO_ANSWER)])
def test_what_was_rejected_is_taken_back_or_never_told(run: Run, archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last: str, kept: str, terminal: bool) -> None:
    (archive / "contract.json").write_text('{"answer": "text", "rules": ["narrative_debug"]}')
    script = tmp_path / "script.jsonl"
    script.write_text("".join(json.dumps({"text": text}) + "\n" for text in ("The door is DC 15.", last)))
    monkeypatch.setenv("MVP_SITE_LLM", f"scripted:{script}")
    monkeypatch.setattr("mvp_site.cli.turns.sys", SimpleNamespace(stdout=SimpleNamespace(isatty=lambda: terminal)))
    done = run("turn", "I push the door")
    again = "" if last == kept else f"{last}\n{TAKEN_BACK}\n"
    assert ok(done) == f"The door is DC 15.\n{TAKEN_BACK}\n{again}" * terminal + f"{kept}\n\n"
    assert "attempt 1 rejected: narrative_debug" in done.stderr


def test_a_stream_for_pipes(run: Run) -> None:
    events = [json.loads(line) for line in ok(run("turn", "I listen at the door", "--stream", "jsonl")).splitlines()]
    stages = [event["data"]["name"] for event in events if event["event"] == "stage"]
    assert (stages[0], stages[-1]) == ("assembled", "accepted")
    assert events[-1]["event"] == "result"
    told = "".join(event["data"]["text"] for event in events if event["event"] == "narrative")
    assert told == events[-1]["data"]["response"]["narrative"]


def test_replay_with_an_id_is_a_replay(run: Run) -> None:
    turn_id = json.loads(ok(run("turn", "I listen", "--json")))["turn_id"]
    assert json.loads(ok(run("turn", "replay", turn_id, "--json")))["same"] is True
    assert json.loads(ok(run("turn", "replay", "--json", turn_id)))["turn_id"] == turn_id
    assert "there is no turn 'nope': a turn tells its id when it is taken, and `mvp-site campaign export" in run("turn", "replay", "nope").stderr
    assert "TURN_ID" in ok(run("turn", "replay", "--help"))
    assert said() == ["I listen"]


@pytest.mark.parametrize("command", ["assemble", "retrieve", "turn"])
def test_god_mode_is_not_for_a_player(built: Run, command: str) -> None:
    result = built(command, "heal everyone", "--mode", "god")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "is not for audience 'player': it needs dm or god" in result.stderr
    ok(built(command, "heal everyone", "--mode", "god", "--audience", "dm"))


@pytest.mark.parametrize("package", ["mvp_site", "mvp_site.cli"])
def test_the_package_runs_and_says_its_version(package: str) -> None:
    done = subprocess.run([sys.executable, "-m", package, "--version"], capture_output=True, text=True, cwd=REPOSITORY, check=True, env={**os.environ, "PYTHONPATH": str(REPOSITORY)})
    assert done.stdout.startswith("mvp-site, version ")
