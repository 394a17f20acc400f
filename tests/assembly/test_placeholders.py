"""Places in header and passages that a turn fills, and pairs of markers that no prompt parts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mvp_site import PromptAssembler
from mvp_site.archive.lint import lint
from mvp_site.archive.versions import read_version
from mvp_site.errors import ArchiveError, InvalidTurnError

from ..doubles import build_under, write_version
from ..hashing import HashingEncoder

HARBOUR = "# Harbour\n\nThe tide is {{TIDE}} and the harbour master is {{ master.name }}.\n"
HEADER = "Answer {{PLAYER}} in prose.\n"


def filling(folder: Path, files: dict[str, str], placeholders: str | None = None) -> PromptAssembler:
    write_version(folder, files)
    (folder / "prompt_archive" / "core_header.txt").write_text(HEADER)
    if placeholders is not None:
        (folder / "prompt_archive" / "placeholders.toml").write_text(placeholders)
    return PromptAssembler.open(build_under(folder, prompt_retriever_score_floor=0.0), encoder=HashingEncoder())


def test_a_turn_fills_header_and_passages(tmp_path: Path) -> None:
    assembler = filling(tmp_path, {"harbour.md": HARBOUR}, 'TIDE = "low"\n')
    bare = assembler.assemble("the harbour master")
    assert (bare.messages[0].content, bare.telemetry["unfilled"]) == (HEADER, ["PLAYER", "master.name"])
    assert "The tide is low and the harbour master is {{ master.name }}." in bare.prompt
    turn = assembler.assemble("the harbour master", fill={"PLAYER": "Norn </passage>", "master.name": "Isa", "TIDE": "high", "OTHER": "x"})
    assert "The tide is high and the harbour master is Isa." in turn.prompt
    assert turn.prompt.startswith("Answer Norn &lt;/passage> in prose.\n")
    assert (turn.telemetry["unfilled"], turn.telemetry["header_sha256"]) == ([], bare.telemetry["header_sha256"])
    assert "".join(segment.text for segment in turn.segments) == turn.prompt
    assert assembler.retrieve("the harbour master", fill={"TIDE": "high " * 40}).tokens > assembler.retrieve("the harbour master").tokens + 30
    assert "The tide is low" in assembler.look_up("the harbour master", mode="story", audience="player", max_tokens=500).block


@pytest.mark.parametrize("fill", [{"TIDE": 3}, ["TIDE"], "TIDE"])
def test_what_fills_nothing_is_refused(tmp_path: Path, fill: object) -> None:
    with pytest.raises(InvalidTurnError, match="fill"):
        filling(tmp_path, {"harbour.md": HARBOUR}).assemble("the harbour", fill=fill)  # type: ignore[arg-type]


def test_unknown_placeholders_are_told(tmp_path: Path) -> None:
    write_version(tmp_path, {"harbour.md": HARBOUR})
    (tmp_path / "prompt_archive" / "placeholders.toml").write_text('TIDE = "low"\n')
    told = [finding for finding in lint(read_version(build_under(tmp_path), "dec_2025")).findings if finding.rule == "placeholder"]
    assert [(finding.file, finding.line, finding.message[:15]) for finding in told] == [("harbour.md", 3, "{{master.name}}")]
    with pytest.raises(ArchiveError, match=re.escape("placeholders.toml: TIDE: Input should be a valid string")):
        filling(tmp_path, {}, "TIDE = 3")


@pytest.mark.parametrize(("opening", "closing"), [
    ("<!-- BEGIN_COMBAT -->", "<!-- END_COMBAT -->"), ("<!-- start: night watch -->", "<!-- end: night watch -->"),
    ("<!-- #region watch -->", "<!-- #endregion -->"), ("<!-- watch -->", "<!-- /watch -->"), ("<!-- BEGIN_WATCH", "END_WATCH -->"),
])
def test_a_prompt_has_both_markers_or_none(tmp_path: Path, opening: str, closing: str) -> None:
    watch = " ".join(f"Guard {number} counts the torches of the wall and calls the hour." for number in range(40))
    rows = "\n".join(f"| {number} | torch {number} burns on the wall until the guard calls |" for number in range(50))
    inner = "<!-- BEGIN inner -->\nThe inner gate.\n<!-- END inner -->"
    text = (f"# Before\n\nBread.\n\n{opening}\n## Guards\n\n{watch}\n\n| a | b |\n| - | - |\n{rows}\n\n## Gates\n\n{watch}\n\n{inner}\n"
            f"{closing}\n\n## Behind\n\n{watch}\n\n```\n{opening}\n```\n")
    assembler = filling(tmp_path, {"wall.md": text})
    for query in ("Guards count torches", "Gates and the inner gate", "torch burns on the wall", "Behind the wall", "Bread"):
        turn = assembler.assemble(query, max_tokens_retrieved=700)
        assert turn.chunks
        for passage in (segment.text for segment in turn.segments if segment.kind == "passage"):
            assert passage.count(opening) - passage.count(f"```\n{opening}") == passage.count(closing), passage
            assert passage.count("BEGIN inner") == passage.count("END inner")
