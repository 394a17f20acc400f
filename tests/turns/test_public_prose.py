"""Prose that nobody wrote for this, out of Debian's packages: as a narrative it is never refused."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from .answers import FIGHT, SNEAK, Turn, header

FORTUNES = Path("/usr/share/games/fortunes")
REQUIRED = "CI_REQUIRE_PROSE"
EACH = 250
"""Passages of either source."""

# One fights; one gets a slot and all its hit points back from a pearl, in ten minutes; for one the clock stands still.
TURNS = (
    FIGHT,
    SNEAK.asked("I hold up the pearl and call the light back into me.").having(
        "state_updates/player_character_data", {"hp_current": 28, "spell_slots": {"level_1": {"current": 3}}},
    ).having("session_header", header("4, 21:15:00", hp=28)),
    FIGHT.without("state_updates/world_data").having("session_header", header("4, 21:05:00")),
)


@pytest.fixture(scope="module")
def passages() -> list[str]:
    """Every n-th fortune, and every n-th verse of the Bible with the two behind it."""
    bible = shutil.which("bible")
    if bible is None or not FORTUNES.is_dir():
        what = "there are no texts to read: apt-get install fortunes bible-kjv"
        if os.environ.get(REQUIRED):
            pytest.fail(f"{what}, and {REQUIRED} is set")
        pytest.skip(what)
    files = sorted(path for path in FORTUNES.iterdir() if "." not in path.name)
    fortunes = [text.strip() for path in files for text in path.read_text("utf-8", "replace").split("\n%\n") if text.strip()]
    read = subprocess.run([bible, "-f", "Gen1:1-Rev22:21"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    verses = read.stdout.splitlines()
    told = ["\n".join(verses[at : at + 3]) for at in range(0, len(verses), len(verses) // EACH)]
    return fortunes[:: len(fortunes) // EACH][:EACH] + told[:EACH]


@pytest.mark.slow
@pytest.mark.parametrize("turn", TURNS, ids=["fights", "gets something back", "stands still"])
def test_no_narrative_is_refused(turn: Turn, passages: list[str]) -> None:
    assert len(passages) == 2 * EACH
    assert not turn.check().violations
    refused = [(text, found) for text in passages for found in turn.saying(text).check().violations]
    assert refused == []
