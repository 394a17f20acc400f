"""What stands beside the header, found as it is and copied into the release; the package's examples, each of which builds and plays."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from mvp_site import PromptAssembler, Settings, TurnHandler, TurnRequest, build_prompt_index
from mvp_site.archive import project
from mvp_site.archive.header_files import (
    CONTRACT,
    EXAMPLES,
    FILES,
    FIRST_STATE,
    examples,
    first_state,
)
from mvp_site.archive.versions import read_version
from mvp_site.errors import ArchiveError, StaleIndexError
from mvp_site.store.campaigns import CampaignStore
from mvp_site.turns.offline import OfflineNarrator

from ..hashing import HashingEncoder

STATE = {"world_data": {"weather": "snow"}}


@pytest.mark.parametrize("place", ["", "dec_2025"])
def test_what_stands_beside_the_header_moves_with_the_release(settings: Settings, archive: Path, encoder: HashingEncoder, place: str) -> None:
    bare = read_version(settings, "dec_2025").archive_hash
    (archive / FIRST_STATE).write_text("{}")
    (archive / place / FIRST_STATE).write_text(json.dumps(STATE))
    (archive / place / EXAMPLES).write_text("I look around\n\ndm: What is a check?\nthink: what now?\n")
    assert read_version(settings, "dec_2025").archive_hash != bare
    build_prompt_index(settings, encoder=encoder)
    degraded = PromptAssembler.open(settings, degraded=True)  # without this encoder
    shutil.rmtree(archive)
    served = PromptAssembler.open(settings, encoder=encoder)
    assert served.problem == "" != degraded.problem
    for assembler in (served, degraded):
        assert first_state(assembler.beside) == STATE
        assert examples(assembler.beside) == [("I look around", "story"), ("What is a check?", "dm"), ("think: what now?", "story")]


@pytest.mark.parametrize("file", FILES)
def test_without_them_there_is_nothing_and_a_new_one_makes_the_index_stale(settings: Settings, archive: Path, encoder: HashingEncoder, file: str) -> None:
    build_prompt_index(settings, encoder=encoder)
    found = PromptAssembler.open(settings, encoder=encoder).beside
    assert (dict(found), first_state(found), examples(found)) == ({}, None, [])
    (archive / file).write_text({CONTRACT: '{"answer": "text"}', "modes.toml": "", "placeholders.toml": "", "signals.toml": ""}.get(file, "{}"))
    with pytest.raises(StaleIndexError, match="was edited after its index was built"):
        PromptAssembler.open(settings, encoder=encoder)


@pytest.mark.parametrize(("content", "message"), [
    (b"{", "first_state.json is not JSON"), (b"[]", "first_state.json is a list; it must be a JSON object"),
    (b"\xff", "first_state.json is not UTF-8"), (b'{"a": 1, "a": 2}', "first_state.json has the key 'a' twice"),
    (b'{"npcs": {}}', "has 'npcs', which is no branch of the state; it has player_character_data, npc_data"), (b'{"npc_data": 3}', "npc_data must be an object"),
])
def test_a_first_state_that_no_campaign_can_begin_with_is_refused(settings: Settings, archive: Path, content: bytes, message: str) -> None:
    (archive / "dec_2025" / FIRST_STATE).write_bytes(content)
    with pytest.raises(ArchiveError, match=re.escape(message)):
        build_prompt_index(settings)


OTHERS = [name for name in project.examples() if name != project.DND]
THEIRS = re.compile(r"\b(?:d20s?|xp|armou?r class|hit points?|saving throws?|dungeons?|spells?|wizards?|DC \d+|proficien\w+|level \d|long rest|short rest)\b", re.IGNORECASE)


def test_there_are_two_games_of_other_genres() -> None:
    assert project.examples() == ["dnd", "inquest", "station"]
    with pytest.raises(ArchiveError, match="no example 'chess': there are dnd, inquest, station"):
        project.example("chess")


@pytest.mark.usefixtures("real_encoder")
@pytest.mark.parametrize("name", OTHERS)
def test_it_has_nothing_of_dnd_and_its_turns_are_played_on_passages_of_its_own(tmp_path: Path, name: str) -> None:
    version = project.make_project(tmp_path / name, project.example(name))
    made = Settings(prompt_version=version, prompt_archive_dir=tmp_path / name / project.ARCHIVE, prompt_index_dir=tmp_path / "prompt_index",
                    mvp_site_data_dir=tmp_path)
    written = read_version(made, version)
    texts = [written.header.decode(), *(source.text for source in written.sources), *(raw.decode() for raw in written.beside.values())]
    assert [match[0] for text in texts for match in THEIRS.finditer(text)] == []
    assert build_prompt_index(made).built
    assembler = PromptAssembler.open(made)
    turns = [text for text, _ in examples(assembler.beside)]
    assert len(turns) >= 6
    with CampaignStore.open(made) as store:
        handler = TurnHandler(made, assembler, OfflineNarrator(), store)
        results = [handler.handle(TurnRequest("c", text)) for text in turns]
    assert [result.fallback for result in results] == [None] * len(turns)
    assert all(result.chunks for result in results)
    secrets = ("secrets#", "the_case#")
    assert not [result for result in results if any(chunk.startswith(secrets) for chunk in result.chunks)]
