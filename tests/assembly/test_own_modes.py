"""What a version declares: modes of its own, places that a turn fills, and pairs of markers that no prompt parts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mvp_site import PromptAssembler
from mvp_site.archive.lint import lint
from mvp_site.archive.versions import read_version
from mvp_site.errors import ArchiveError, InvalidTurnError, NotEntitledError
from tests.texts import case_text

from ..conftest import HEADER
from ..doubles import assembler_of, build_under, write_version
from ..hashing import HashingEncoder

FILES = {
    "base.md": "# Acts\n\nAcrobats and clowns perform at night.",
    "ring.md": "# Ring fight\n\nThe referee counts the points of a fight.",
    "tent.md": "# The tent\n\nThe clowns sleep in the tent.",
}
MODES = case_text("modes.toml")


def with_modes(folder: Path, modes: str) -> PromptAssembler:
    write_version(folder, FILES)
    (folder / "prompt_archive" / "modes.toml").write_text(modes)
    return PromptAssembler.open(build_under(folder, prompt_retriever_score_floor=0.0), encoder=HashingEncoder())


def test_a_mode_has_its_header_and_its_files(tmp_path: Path) -> None:
    assembler = with_modes(tmp_path, MODES)
    turn = assembler.assemble("the clowns sleep", mode="ring_fight")
    assert [message.content for message in turn.messages[:2]] == [HEADER, "Every reply holds `round` and `points`."]
    assert turn.prompt.startswith(f"{HEADER}\nEvery reply holds `round` and `points`.\n\n<retrieved_context")
    assert "counts the points" in turn.prompt
    assert "sleep in the tent" in turn.prompt
    assert "Acrobats" not in turn.prompt
    assert "".join(segment.text for segment in turn.segments) == turn.prompt
    assert turn.telemetry["mode"] == "ring_fight"
    assert assembler.system_text("", mode="ring_fight").text.startswith(f"{HEADER}\nEvery reply")
    plain = assembler.assemble("the clowns sleep")
    assert "points`" not in plain.prompt
    said = assembler.assemble("hello", mode="director", audience="dm", history=[{"role": "user", "content": "a"}])
    assert said.prompt.startswith(f"{HEADER}\nAnswer as the director.\n\n<history>")


def test_a_mode_names_sections_too_and_what_an_audience_may_not_see_is_left_out(tmp_path: Path) -> None:
    write_version(tmp_path, FILES | {"secret.md": "---\naudience: dm\n---\n# The purse\n\nThe clowns hid the purse."})
    (tmp_path / "prompt_archive" / "modes.toml").write_text('[night]\nalways = ["ring FIGHT"]\nsearch = ["tent", "secret.md"]\n')
    assembler = PromptAssembler.open(build_under(tmp_path, prompt_retriever_score_floor=0.0), encoder=HashingEncoder())
    for audience, seen in (("player", False), ("dm", True)):
        prompt = assembler.assemble("the clowns sleep and hid the purse", mode="night", audience=audience).prompt  # type: ignore[arg-type]
        assert ("counts the points" in prompt, "sleep in the tent" in prompt, "hid the purse." in prompt) == (True, True, seen)


def test_who_may_use_a_mode_and_which_there_are(tmp_path: Path) -> None:
    assembler = with_modes(tmp_path, MODES)
    with pytest.raises(NotEntitledError, match="the mode director is not for audience 'player': it needs dm"):
        assembler.assemble("hello", mode="director")
    with pytest.raises(InvalidTurnError, match="unknown mode 'duel'; the modes are story, dm, god, ring_fight, director"):
        assembler.assemble("hello", mode="duel")
    with pytest.raises(InvalidTurnError, match=r"the modes are story, dm, god$"):
        assembler_of(tmp_path / "plain", FILES).assemble("hello", mode="ring_fight")


@pytest.mark.parametrize(("modes", "told"), [
    ("[duel]\nhedder = 'x'", "modes.toml: duel.hedder: Unexpected keyword argument; a mode has header, always, search, who"),
    ("[duel]\nalways = ['rung.md']", "modes.toml: the mode duel names rung.md, and the version has no such file or heading; did you mean ring.md?"),
    ("[story]\nheader = 'x'", "modes.toml: the mode story is built in; take another name"), ("[duel\n", "modes.toml: "), ("[duel]\nwho = 'everybody'", "duel.who"),
])
def test_what_is_wrong_is_named_by_the_build(tmp_path: Path, modes: str, told: str) -> None:
    with pytest.raises(ArchiveError, match=re.escape(told)):
        with_modes(tmp_path, modes)


HARBOUR = "# Harbour\n\nThe tide is {{TIDE}} and the harbour master is {{ master.name }}.\n"
GREETING = "Answer {{PLAYER}} in prose.\n"


def filling(folder: Path, files: dict[str, str], placeholders: str | None = None) -> PromptAssembler:
    write_version(folder, files)
    (folder / "prompt_archive" / "core_header.txt").write_text(GREETING)
    if placeholders is not None:
        (folder / "prompt_archive" / "placeholders.toml").write_text(placeholders)
    return PromptAssembler.open(build_under(folder, prompt_retriever_score_floor=0.0), encoder=HashingEncoder())


def test_a_turn_fills_header_and_passages(tmp_path: Path) -> None:
    assembler = filling(tmp_path, {"harbour.md": HARBOUR}, 'TIDE = "low"\n')
    bare = assembler.assemble("the harbour master")
    assert (bare.messages[0].content, bare.telemetry["unfilled"]) == (GREETING, ["PLAYER", "master.name"])
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
