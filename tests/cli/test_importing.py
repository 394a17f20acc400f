"""`archive import`: it shows a diff, asks, and what it wrote is linted, built and played."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..archive.importing.sources import three
from .invoking import Run, invoke, ok, terminal


@pytest.fixture
def sources(run: Run, archive: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """The three sources, and no version asked for."""
    monkeypatch.delenv("PROMPT_VERSION")
    return three(archive.parent / "sources")


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "query", "found"), [
    ("prompt", "the harbour master's clamps close too early", "docking"), ("lorebook", "who is Isaure, the old queen?", "the-dowager-isaure"),
    ("skills", "I argue about the price and ask for a discount", "haggling"),
])
def test_what_was_imported_is_linted_built_and_played(run: Run, archive: Path, sources: dict[str, Path], kind: str, query: str, found: str) -> None:
    shown = run("archive", "import", str(sources[kind]), "--version", "mine")
    assert "+++ b/core_header.txt" in ok(shown)
    assert "nothing was written: there is no terminal to ask in; give --yes to write it" in shown.stderr
    assert not (archive / "mine").exists()
    told = json.loads(ok(run("archive", "import", str(sources[kind]), "--version", "mine", "--json")))
    assert (told["kind"], told["written"], told["folder"]) == (kind, False, str(archive / "mine"))
    assert told["diff"].splitlines() == shown.stdout.splitlines()
    written = run("archive", "import", str(sources[kind]), "--version", "mine", "--yes")
    assert ok(written) == ""
    assert f"written {archive / 'mine'}; next: mvp-site archive lint --version mine" in written.stderr
    rules = {one["rule"] for one in json.loads(ok(run("archive", "lint", "--version", "mine", "--json")))["findings"]}
    assert rules <= {"small", "placeholder"}
    ok(run("init", str(archive.parent / "game"), "--from", str(sources[kind])))
    made, mine = archive.parent / "game/prompt_archive/v1", archive / "mine"
    assert {one.relative_to(made): one.read_bytes() for one in made.rglob("*.*")} == {
        one.relative_to(mine): one.read_bytes() for one in mine.rglob("*.*")}
    ok(run("index", "build", "--version", "mine", "--json"))
    hits = json.loads(ok(run("retrieve", query, "--version", "mine", "--json")))["chunks"]
    assert found in {hit["id"].partition("#")[0] for hit in hits[: 1 + (kind == "skills")]}  # a file beside it comes with it
    turn = json.loads(ok(run("assemble", query, "--version", "mine", "--json")))
    assert turn["prompt"].startswith(told["header"])
    played = json.loads(ok(run("turn", query, "--version", "mine", "--json")))
    assert played["fallback"] is None
    assert found in {one.partition("#")[0] for one in played["chunks"][:2]}
    again = run("archive", "import", str(sources[kind]), "--version", "mine", "--yes")
    assert again.exit_code == 1
    assert "is there already: name another version with --version, or give --replace" in again.stderr
    assert ok(run("archive", "import", str(sources[kind]), "--version", "mine", "--yes", "--replace")) == ""


@pytest.mark.parametrize(("answer", "said"), [("y", "written"), ("n", "nothing was written")])
def test_it_asks_in_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, said: str) -> None:
    terminal(monkeypatch, "archive")
    result = invoke("archive", "import", str(three(tmp_path)["lorebook"]), "--into", str(tmp_path / "new"), typed=f"{answer}\n")
    assert result.exit_code == 0, result.stderr
    assert f"write this to {tmp_path / 'new/orle'}? [y/N]" in result.stderr
    assert said in result.stderr
    assert (tmp_path / "new/orle/core_header.txt").is_file() == (answer == "y")
