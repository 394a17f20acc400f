"""What a container that serves has: the repository's built index and encoder, and no torch."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mvp_site import PromptAssembler, Settings
from mvp_site.archive.versions import list_built
from mvp_site.errors import MissingIndexError, StaleIndexError

from ..conftest import REPOSITORY


@pytest.fixture(scope="session")
def built() -> Settings:
    """Settings of a version that is built under data/; without one the test is skipped, in CI it fails."""
    settings = Settings(prompt_version="dec_2025", prompt_archive_dir=REPOSITORY / "prompt_archive", prompt_index_dir=REPOSITORY / "data/prompt_index",
                        mvp_site_data_dir=REPOSITORY / "data")
    try:
        PromptAssembler.open(settings)
    except (MissingIndexError, StaleIndexError) as error:
        if os.environ.get("CI", "").lower() == "true":
            raise
        pytest.skip(f"data/prompt_index is not built, or not of this archive: {error}")
    return settings


@pytest.fixture(scope="session")
def versions(built: Settings) -> list[str]:
    """The versions that are built."""
    return list_built(built)


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder that has nothing of the repository."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
