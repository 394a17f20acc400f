"""`archive suggest`: it says what it would spend, asks, drafts, and loses nothing that was drafted."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from mvp_site.archive.release import load_release
from mvp_site.llm.protocol import ModelReply, ModelRequest
from mvp_site.llm.scripted import ScriptedModel

from ..archive.test_when_lines import APPLIED, applied
from .invoking import Run, ok, terminal

Script: TypeAlias = Callable[..., None]
SAID = {
    "1": ["I count my trophies, do I grow?", "we split the spoils"], "2": ["she lets go of the rope"],
    "3": ["a dog barks at us", "it's all too easy"], "4": ["what does my friend want?"],
    "5": ["back to the tale, please"], "6": ["throw that record away"], "7": ["I look under the loose stone"],
}
"""Lines for the seven sections of the small archive, in their order."""
CHANGED = ["mechanics.md", "narrative.md", "protocols.md", "world/harbour.md"]
SPENT = "sections without lines: 7; requests to scripted:"


@pytest.fixture
def script(run: Run, archive: Path, monkeypatch: pytest.MonkeyPatch) -> Script:
    """Writes the model's answers; the archive's folder is in the working directory."""
    def write(*replies: dict[str, Any]) -> None:
        path = archive.parent / "script.jsonl"
        path.write_text("".join(f"{json.dumps(reply)}\n" for reply in replies))
        monkeypatch.setenv("MVP_SITE_LLM", f"scripted:{path}")

    monkeypatch.chdir(archive.parent)
    write({"text": json.dumps(SAID), "usage": {"input_tokens": 1200, "output_tokens": 80}})
    return write


def texts(archive: Path) -> dict[str, bytes]:
    folder = archive / "dec_2025"
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def different(before: dict[str, bytes], after: dict[str, bytes]) -> list[str]:
    assert before.keys() == after.keys()
    return [name for name in sorted(before) if before[name] != after[name]]


@pytest.mark.parametrize("tool", APPLIED, ids=lambda tool: tool[0])
def test_the_diff_is_accepted_with_a_tool_and_its_lines_are_indexed(run: Run, archive: Path, script: Script, tool: list[str]) -> None:
    before = texts(archive)
    result = run("archive", "suggest", "--yes")
    diff = ok(result)
    assert texts(archive) == before
    assert SPENT in result.stderr
    assert "9 lines for 7 of 7 sections; the model counts 1,200 tokens in and 80 out" in result.stderr
    assert f"to accept it, pipe it into `git apply` or `patch -p1` in {archive.parent}" in result.stderr
    applied(archive.parent, tool, diff)
    assert different(before, texts(archive)) == CHANGED
    findings = json.loads(ok(run("archive", "lint", "--json")))["findings"]
    assert {one["rule"] for one in findings} <= {"small"}
    ok(run("index", "build", "--json"))
    release = load_release(archive.parent / "data/prompt_index", "dec_2025")
    indexed = {entry.partition("\t")[2] for chunk in release.chunks for entry in chunk.when}
    assert indexed == {line for lines in SAID.values() for line in lines}
    found = json.loads(ok(run("retrieve", "she lets go of the rope", "--json")))
    assert "takes 1d6 bludgeoning damage" in found["chunks"][0]["text"]
    assert "every section that can have lines has some" in run("archive", "suggest").stderr


def test_write_does_to_the_files_what_the_diff_would(run: Run, archive: Path, script: Script) -> None:
    (archive / "dec_2025/protocols.md").chmod(0o600)
    before = texts(archive)
    found = json.loads(ok(run("archive", "suggest", "--yes", "--json")))
    assert (found["drafted"][1], found["left_out"], found["problem"]) == (
        {"file": "mechanics.md", "heading": "Falling", "lines": SAID["2"]}, [], ""
    )
    assert found["usage"]["input_tokens"] == 1200
    result = run("archive", "suggest", "--yes", "--write")
    assert ok(result) == ""
    assert [line for line in result.stderr.splitlines() if line.startswith("written")] == [f"written {name}" for name in CHANGED]
    assert different(before, written := texts(archive)) == CHANGED
    assert (archive / "dec_2025/protocols.md").stat().st_mode & 0o777 == 0o600
    for name, text in before.items():
        (archive / "dec_2025" / name).write_bytes(text)
    applied(archive.parent, APPLIED[0], found["diff"])
    assert texts(archive) == written


def test_a_file_that_has_changed_meanwhile_is_not_written(run: Run, archive: Path, script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    path, answered = archive / "dec_2025/narrative.md", ScriptedModel.complete
    edited = path.read_text().replace("costs time", "costs blood")

    def edits(model: ScriptedModel, request: ModelRequest) -> ModelReply:
        path.write_text(edited)
        return answered(model, request)

    monkeypatch.setattr(ScriptedModel, "complete", edits)
    result = run("archive", "suggest", "--yes", "--write", "--json")
    found = json.loads(result.stdout)
    assert result.exit_code == 1
    assert found["written"] == [name for name in CHANGED if name != "narrative.md"]
    assert found["problem"] == f"{path} has changed meanwhile and was not written: see the diff"
    assert path.read_text() == edited
    applied(archive.parent, APPLIED[0], found["diff"])
    assert path.read_text().endswith(edited)


def test_without_a_terminal_nothing_is_spent(run: Run, script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ScriptedModel, "complete", None)
    result = run("archive", "suggest", "--json")
    assert (result.exit_code, SPENT in result.stderr) == (1, True)
    assert "error: nothing was sent: there is no terminal to ask in; give --yes to go on" in result.stderr
    told = json.loads(result.stdout)
    assert (told["sections"], told["requests"], told["answer_tokens"], told["drafted"], told["diff"], told["written"]) == (7, 1, 3000, [], "", [])
    assert told["problem"].startswith("nothing was sent")


@pytest.mark.parametrize(("answer", "code", "said"), [
    ("y", 0, "9 lines for 7 of 7 sections"), ("n", 1, "error: nothing was sent"),
])
def test_it_asks_in_a_terminal(run: Run, script: Script, monkeypatch: pytest.MonkeyPatch, answer: str, code: int, said: str) -> None:
    terminal(monkeypatch, "archive")
    result = run("archive", "suggest", typed=f"{answer}\n")
    assert (result.exit_code, bool(result.stdout)) == (code, not code), result.stderr
    assert SPENT in result.stderr
    assert "go on? [y/N]: " in result.stderr
    assert said in result.stderr


@pytest.mark.parametrize("write", [False, True])
@pytest.mark.parametrize(("broken", "told"), [
    (KeyboardInterrupt(), "error: interrupted. Accept what was drafted, then start again for the rest"),
    (None, "says that there is no answer (unavailable). Accept what was drafted, then start again for the rest"),
], ids=["Ctrl-C", "no answer"])
def test_nothing_that_was_drafted_is_lost(
    run: Run, archive: Path, script: Script, monkeypatch: pytest.MonkeyPatch, broken: BaseException | None, told: str, write: bool,
) -> None:
    monkeypatch.setenv("MVP_SITE_ANSWER_TOKENS", "256")  # a section a request
    answered, requests = ScriptedModel.complete, itertools.count()

    def breaks(model: ScriptedModel, request: ModelRequest) -> ModelReply:
        if broken is not None and next(requests) == 2:
            raise broken
        return answered(model, request)

    monkeypatch.setattr(ScriptedModel, "complete", breaks)
    script({"text": json.dumps({"1": SAID["1"]})}, {"text": "prose"}, {"error": "unavailable"})
    result = run("archive", "suggest", "--yes", *["--write"] * write)
    assert result.exit_code == 1
    assert told in result.stderr
    assert "requests: 7" in result.stderr
    assert "left out mechanics.md: Falling: the answer is not JSON" in result.stderr
    assert ("+  - we split the spoils" in result.stdout) is not write
    assert (b"  - we split the spoils" in texts(archive)["mechanics.md"]) is write


@pytest.mark.parametrize(("args", "told"), [
    (["--file", "nope.md"], "error: version 'dec_2025' has no file 'nope.md'; it has: mechanics.md"),
    (["--yes"], "error: MVP_SITE_LLM='offline' is no language model"),
])
def test_what_cannot_be_asked(run: Run, args: list[str], told: str) -> None:
    result = run("archive", "suggest", *args)
    assert (result.exit_code, result.stdout) == (1, "")
    assert told in result.stderr


def test_a_file_and_a_limit_narrow_it_from_any_directory(run: Run, archive: Path, script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = archive.parent / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    found = json.loads(ok(run("archive", "suggest", "--yes", "--json", "--file", "narrative.md", "--limit", "1")))
    assert [one["heading"] for one in found["drafted"]] == ["Complications"]
    applied(Path(found["root"]), APPLIED[0], found["diff"])
    assert b"we split the spoils" in texts(archive)["narrative.md"]
