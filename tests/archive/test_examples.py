"""The package's examples: each builds and plays, and only one of them is about D&D."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mvp_site import PromptAssembler, Settings, TurnHandler, TurnRequest, build_prompt_index
from mvp_site.archive import project
from mvp_site.archive.beside import examples
from mvp_site.archive.versions import read_version
from mvp_site.errors import ArchiveError
from mvp_site.store.campaigns import CampaignStore
from mvp_site.turns.offline import OfflineNarrator

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
