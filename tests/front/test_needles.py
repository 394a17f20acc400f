"""`mvp-site eval FILE`: somebody's own needles over their own archive."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import write_archive

from .conftest import Command

NEEDLES = [
    {"text": "what is a foe of CR 2 worth?", "expects": ["four hundred and fifty", "evenly AMONG everyone"]},
    {"text": "how far can I fall?", "expects": ["no such words"]},
    {"text": "xylophone quartz", "expects": []},
]


def test_needles_of_an_own_archive_are_judged(project: Path, command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    write_archive(project)
    monkeypatch.setenv("PROMPT_VERSION", "dec_2025")
    assert command("index", "build").exit_code == 0
    (project / "needles.jsonl").write_text("\n".join(map(json.dumps, NEEDLES)) + "\n")
    result = command("eval", "needles.jsonl", "--json")
    report = json.loads(result.stdout)
    assert (result.exit_code, report["recall"], report["refused"]) == (1, 0.5, 1.0)
    assert [outcome["passed"] for outcome in report["outcomes"]] == [True, False, True]
    assert report["outcomes"][1]["missing"] == ["no such words"]
    page = command("eval", "needles.jsonl").stdout
    assert "2 of 3 turns passed" in page
    assert "no such words" in page


@pytest.mark.parametrize(("line", "problem"), [
    ('{"text": "x"}', "`needles[0].expects` is missing"), ("{", "needles.jsonl, line 1"), ("", "`needles` has 0 entries"),
])
def test_a_file_that_is_wrong_is_refused(project: Path, command: Command, line: str, problem: str) -> None:
    (project / "needles.jsonl").write_text(line)
    result = command("eval", "needles.jsonl")
    assert (result.exit_code, problem in result.stderr) == (1, True), result.stderr
