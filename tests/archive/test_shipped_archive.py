"""The shipped archive: its header says what must always be said, its facts are right, it is whole."""

from __future__ import annotations

import json
import re
from functools import cache

import pytest

from mvp_site import Settings
from mvp_site.archive.lint import LintReport, lint
from mvp_site.archive.passages import body_of
from mvp_site.archive.versions import Version, read_version
from mvp_site.text.tokens import count_tokens

from ..conftest import REPOSITORY

VERSIONS = {"dec_2025": 12_000, "mar_2026": 40_000}
"""The least tokens of each."""
SHORT_SHARE = 0.05
"""Chunks under 350 tokens whose neighbours are too long to join (docs/evaluation.md); found: .03."""

XP = {
    "0": "0 or 10", "1/8": "25", "1/4": "50", "1/2": "100", "1": "200", "2": "450", "3": "700", "4": "1,100",
    "5": "1,800", "6": "2,300", "7": "2,900", "8": "3,900", "9": "5,000", "10": "5,900", "11": "7,200", "12": "8,400",
    "13": "10,000", "14": "11,500", "15": "13,000", "16": "15,000", "17": "18,000", "18": "20,000", "19": "22,000",
    "20": "25,000", "21": "33,000", "22": "41,000", "23": "50,000", "24": "62,000", "25": "75,000", "26": "90,000",
    "27": "105,000", "28": "120,000", "29": "135,000", "30": "155,000",
}
LEVELS = (0, 300, 900, 2700, 6500, 14000, 23000, 34000, 48000, 64000, 85000, 100000, 120000, 140000, 165000, 195000, 225000, 265000, 305000, 355000)
@cache
def shipped(name: str) -> Version:
    return read_version(Settings(prompt_archive_dir=REPOSITORY / "prompt_archive"), name)


@cache
def linted(name: str) -> LintReport:
    return lint(shipped(name))


@cache
def body(name: str) -> str:
    return "\n".join(body_of(source) for source in shipped(name).sources)


# --- the header ---------------------------------------------------------------------------------

HEADER_MUST_SAY = {
    "the mode line": ["[Mode: STORY MODE]", "[Mode: DM MODE]", "[Mode: GOD MODE]", "mode line"],
    "god mode": ["god_mode_response", "`god:`", "god:return_story", "default"],
    "the answer's schema": ["session_header", "resources", "narrative", "planning_block", "dice_rolls", "god_mode_response",
                            "entities_mentioned", "location_confirmed", "state_updates", "debug_info"],
    "what is forbidden": ["FORBIDDEN", "top-level fields not listed", "code fences", "debug", "inside `narrative`", "text before"],
    "planning blocks": ["`planning_block` required", "snake_case", "^[a-z][a-z0-9_]*$"],
    "deep think": ["think:", "does not advance", "`pros`", "`cons`", "`confidence`"],
    "dice": ["roll_dice", "DC or AC", "advantage or disadvantage show both dice", "Never invent"],
    "the session header": ["[SESSION_HEADER]", "Timestamp:", "Location:", "Status:"], "half-casters at level 1": ["No Spells Yet (Level 2+)", "paladin, ranger"],
    "state updates": ["`state_updates` is mandatory every turn", "narrowest path", '"__DELETE__"'],
    "entity ids": ["^(pc|npc|loc|item|faction|quest)_[a-z0-9_]+_[0-9]{3}$"], "time": ["only goes forward", "+1 microsecond", "explicit God command moves it back"],
    "rest and travel": ["short rest 1 hour", "long rest 8 hours", "travel by pace"],
    "safety": ["INTERNAL ONLY", "Myers-Briggs", "Big Five", "alignments", "never name them in `narrative`"],
}
"""Every bullet of design 1, what must be in the core header, by its key strings."""


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("bullet", HEADER_MUST_SAY)
def test_the_header_says_what_it_must(version: str, bullet: str) -> None:
    header = shipped(version).header.decode()
    assert [text for text in HEADER_MUST_SAY[bullet] if text not in header] == []


@pytest.mark.parametrize(("version", "least"), VERSIONS.items(), ids=VERSIONS)
def test_the_header_is_short_and_a_version_as_large_as_it_must_be(version: str, least: int) -> None:
    assert count_tokens(shipped(version).header.decode()) <= 1300
    assert count_tokens(body(version)) >= least


@pytest.mark.parametrize("version", VERSIONS)
def test_every_fenced_json_parses(version: str) -> None:
    fences = re.findall(r"^( *)```json\n(.*?)^ *```", body(version), re.MULTILINE | re.DOTALL)
    assert len(fences) >= 10
    for _, text in fences:
        assert json.loads(text) is not None


def rows(version: str, header: str) -> list[list[str]]:
    """The cells of the rows of the table under ``header``, in every file that has one."""
    lines = body(version).split("\n")
    found = []
    for n, line in enumerate(lines):
        if line.startswith(header):
            for row in lines[n + 2 :]:
                if not row.startswith("|"):
                    break
                found.append([cell.strip() for cell in row.strip("|").split("|")])
    return found


@pytest.mark.parametrize("version", VERSIONS)
def test_every_challenge_rating_has_its_experience(version: str) -> None:
    said = {row[n]: row[n + 1] for row in rows(version, "| CR | XP |") for n in range(0, len(row), 2) if row[n]}
    assert said == XP


@pytest.mark.parametrize("version", VERSIONS)
def test_every_level_has_its_experience_and_bonus(version: str) -> None:
    table = rows(version, "| Level | Total XP | Bonus |")
    said = {int(row[n]): (int(row[n + 1].replace(",", "")), row[n + 2]) for row in table for n in range(0, len(row), 3) if row[n]}
    assert said == {level: (xp, f"+{2 + (level - 1) // 4}") for level, xp in enumerate(LEVELS, 1)}


@pytest.mark.parametrize("version", ["dec_2025", pytest.param("mar_2026", marks=pytest.mark.slow)])
def test_chunks_are_of_the_right_size_and_lint_finds_nothing_to_mend(version: str) -> None:
    report = linted(version)
    sizes = {chunk.id: chunk.tokens for chunk in report.chunks}
    assert [name for name, size in sizes.items() if size > 600] == []
    short = [name for name, size in sizes.items() if size < 350]
    assert len(short) <= SHORT_SHARE * len(sizes), short
    assert [finding for finding in report.findings if finding.severity != "note"] == []
