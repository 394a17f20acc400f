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


@pytest.fixture(params=OTHERS)
def made(tmp_path: Path, request: pytest.FixtureRequest) -> Settings:
    """A project of the example, built with the real encoder."""
    folder = tmp_path / request.param
    version = project.make_project(folder, project.example(request.param))
    settings = Settings(
        prompt_version=version, prompt_archive_dir=folder / project.ARCHIVE, prompt_index_dir=folder / "data/prompt_index",
        mvp_site_data_dir=folder / "data",
    )
    assert build_prompt_index(settings).built
    return settings


def test_there_are_two_games_of_other_genres() -> None:
    assert project.examples() == ["dnd", "inquest", "station"]
    with pytest.raises(ArchiveError, match="no example 'chess': there are dnd, inquest, station"):
        project.example("chess")


def test_nothing_of_dnd_is_in_it(made: Settings) -> None:
    version = read_version(made, str(made.prompt_version))
    texts = [version.header.decode(), *(source.text for source in version.sources), *(raw.decode() for raw in version.beside.values())]
    assert [match[0] for text in texts for match in THEIRS.finditer(text)] == []


@pytest.mark.usefixtures("real_encoder")
def test_its_turns_are_played_on_passages_of_its_own(made: Settings) -> None:
    assembler = PromptAssembler.open(made)
    turns = [text for text, _ in examples(assembler.beside)]
    assert len(turns) >= 6
    with CampaignStore.open(made) as store:
        handler = TurnHandler(made, assembler, OfflineNarrator(), store)
        results = [handler.handle(TurnRequest("c", text)) for text in turns]
    assert [result.fallback for result in results] == [None] * len(turns)
    assert all(result.chunks for result in results)
    secret = [result for result in results if any(chunk.startswith(("secrets#", "the_case#")) for chunk in result.chunks)]
    assert secret == []
