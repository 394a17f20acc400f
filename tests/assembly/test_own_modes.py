"""Modes that a version declares: a header of their own, files that are always in or searched, and who may."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mvp_site import PromptAssembler
from mvp_site.errors import ArchiveError, InvalidTurnError, NotEntitledError

from ..conftest import HEADER
from ..doubles import assembler_of, build_under, write_version
from ..hashing import HashingEncoder

FILES = {
    "base.md": "# Acts\n\nAcrobats and clowns perform at night.",
    "ring.md": "# Ring fight\n\nThe referee counts the points of a fight.",
    "tent.md": "# The tent\n\nThe clowns sleep in the tent.",
}
MODES = """
[ring_fight]
header = "Every reply holds `round` and `points`."
always = ["ring.md"]
search = ["tent.md"]

[director]
header = "Answer as the director.\\n"
who = "dm"
"""


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
    ("[story]\nheader = 'x'", "modes.toml: the mode story is built in; take another name"),
    ("[duel\n", "modes.toml: "),
    ("[duel]\nwho = 'everybody'", "duel.who"),
])
def test_what_is_wrong_is_named_by_the_build(tmp_path: Path, modes: str, told: str) -> None:
    with pytest.raises(ArchiveError, match=re.escape(told)):
        with_modes(tmp_path, modes)
