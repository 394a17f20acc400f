"""The command line: errors and progress on 80 columns, commands where there is nothing yet, and somebody's own needles."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import write_archive

from .conftest import Command, write_prompts

LONG = "a-rather-long-name-for-a-file"
FAILURES = {
    "no archive": ("archive", "lint", "--version", "december"), "no index": ("index", "verify", "--version", "december"),
    "no such folder": ("library", "scan", f"{LONG}/{LONG}"), "no book": ("library", "list", "a-source-of-this-name-is-not-in-the-library-nor-ever-was"),
    "a type that is none": ("entities", "search", "vehicles", "fast ones"), "a filter that is none": ("entities", "search", "spells", "--filter", "loudness=3"),
    "several words without quotes": ("assemble", "I", "sneak", "past", "the", "guard", *["again"] * 12),
    "a choice that is none": ("assemble", "x", "--mode", "a-mode-that-nobody-has-declared-anywhere"),
    "an option that is none": ("--an-option-that-this-command-does-not-have-and-never-had-before", "index"),
    "a command that is none": ("a-command-that-this-program-does-not-have", LONG),
}


@pytest.fixture
def narrow(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.parametrize("words", FAILURES.values(), ids=FAILURES)
def test_an_error_fits_the_terminal(narrow: None, command: Command, words: tuple[str, ...]) -> None:
    result = command(*words)
    assert result.exit_code != 0
    assert result.stderr
    assert [line for line in result.stderr.splitlines() if len(line) > 80] == []


def test_progress_fits_the_terminal(narrow: None, command: Command, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MVP_SITE_DATA_DIR", str(project / "/".join([LONG] * 4)))
    write_prompts(project)
    built = command("index", "build")
    assert built.exit_code == 0, built.stderr
    assert "shipped texts" in built.stderr
    assert [line for line in built.stderr.splitlines() if len(line) > 80] == []


@pytest.mark.parametrize(("words", "code", "says"), [
    (("ask", "How far can I jump?"), 1, "mvp-site rulebook build"), (("ask", "Who is Corvin?", "--campaign", "c"), 1, "mvp-site sessions import"),
    (("ask", "How many hit points do I have?", "--character", "Ilse"), 1, "there is nothing to ask in"),
    (("sessions", "list"), 0, "none yet"), (("characters", "list", "c"), 0, "none yet"), (("campaign", "list"), 0, ""),
    (("campaign", "export", "c", "c.json"), 1, "there are no campaigns"), (("campaign", "delete", "c", "--yes"), 1, "there are no campaigns"),
    (("rulebook", "query", "falling"), 1, "mvp-site rulebook build"), (("entities", "search", "spells", "fire"), 1, "mvp-site entities build"),
    (("library", "list"), 1, "mvp-site library scan"), (("index", "status"), 0, ""),
])
def test_nothing_is_written_where_nothing_is(project: Path, command: Command, words: tuple[str, ...], code: int, says: str) -> None:
    result = command(*words)
    assert (result.exit_code, says in result.stderr) == (code, True), result.output + result.stderr
    assert [path.name for path in project.rglob("*")] == []


NEEDLES = [
    {"text": "what is a foe of CR 2 worth?", "expects": ["four hundred and fifty", "evenly AMONG everyone"]},
    {"text": "how far can I fall?", "expects": ["no such words"]}, {"text": "xylophone quartz", "expects": []},
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
