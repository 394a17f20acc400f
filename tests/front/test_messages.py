"""What the command line says of its work and of failures, as a terminal of 80 columns shows it."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Command

LONG = "a-rather-long-name-for-a-file"
FAILURES = {
    "no archive": ("archive", "lint", "--version", "december"),
    "no index": ("index", "verify", "--version", "december"),
    "no such folder": ("library", "scan", f"{LONG}/{LONG}"),
    "no book": ("library", "list", "a-source-of-this-name-is-not-in-the-library-nor-ever-was"),
    "a type that is none": ("entities", "search", "vehicles", "fast ones"),
    "a filter that is none": ("entities", "search", "spells", "--filter", "loudness=3"),
    "several words without quotes": ("assemble", "I", "sneak", "past", "the", "guard", *["again"] * 12),
    "a choice that is none": ("assemble", "x", "--mode", "a-mode-that-nobody-has-declared-anywhere"),
    "an option that is none": ("--an-option-that-this-command-does-not-have-and-never-had-before", "index"),
    "a command that is none": ("a-command-that-this-program-does-not-have", LONG),
}


@pytest.fixture(autouse=True)
def _narrow(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.parametrize("words", FAILURES.values(), ids=FAILURES)
def test_an_error_fits_the_terminal(command: Command, words: tuple[str, ...]) -> None:
    result = command(*words)
    assert result.exit_code != 0
    assert result.stderr
    assert [line for line in result.stderr.splitlines() if len(line) > 80] == []


def test_progress_fits_the_terminal(command: Command, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MVP_SITE_DATA_DIR", str(project / "/".join([LONG] * 4)))
    (project / "prompt_archive/long").mkdir(parents=True)
    (project / "prompt_archive/long/rules.md").write_text("# Falling\n\nA fall costs a die for ten feet.\n")
    (project / "prompt_archive/core_header.txt").write_text("You run the game.\n")
    built = command("index", "build")
    assert built.exit_code == 0, built.stderr
    assert "shipped texts" in built.stderr
    assert [line for line in built.stderr.splitlines() if len(line) > 80] == []
