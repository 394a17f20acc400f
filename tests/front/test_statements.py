"""What pages and settings say of themselves, where they once said what was not so."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from mvp_site import Settings
from mvp_site.web import create_app

from .conftest import Command

RULES = "# Falling\n\nA fall of ten feet costs 1d6.\n\n# Water\n\nWho falls in water takes half of it.\n"


@pytest.fixture
def turn_id(project: Path, command: Command) -> str:
    """A turn that was played on a state of its own."""
    archive = project / "prompt_archive"
    (archive / "v1").mkdir(parents=True)
    (archive / "core_header.txt").write_text("You run the game.\n")
    (archive / "v1/rules.md").write_text(RULES)
    (project / "state.json").write_text('{"world_data": {"weather": "a storm"}}')
    for words in (("index", "build"), ("turn", "I fall from the roof", "--campaign", "c", "--state", "state.json", "--json")):
        result = command(*words)
        assert result.exit_code == 0, result.stderr
    found: str = json.loads(result.stdout)["turn_id"]
    return found


@pytest.fixture
def client(turn_id: str) -> FlaskClient:
    return create_app(Settings()).test_client()


def test_a_turn_inspected_again_is_not_called_the_prompt_that_was_sent(client: FlaskClient, turn_id: str) -> None:
    page = client.get(f"/?turn={turn_id}").text
    said = re.search(r"Not the prompt that was sent\..*?has ([\d,]+) tokens, this one ([\d,]+)\.", page, re.DOTALL)
    assert said
    sent, now = (int(number.replace(",", "")) for number in said.groups())
    assert sent > now
    assert f'href="/turns/{turn_id}/prompt"' in said[0]
    assert "byte for byte" in client.get(f"/turns/{turn_id}/prompt").text


def test_the_settings_file_says_what_the_floor_is_held_against(command: Command, project: Path) -> None:
    assert command("init", "--empty").exit_code == 0
    (line,) = [one for one in (project / "mvp-site.toml").read_text().splitlines() if "score_floor" in one]
    assert "the best passage must reach" in line
